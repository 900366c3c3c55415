import { once } from '../../base/once.ts'

/**
 * How writers of Nepali put a date, in the words of the forms that are read: "१९ औँ शताब्दीको उत्तरार्ध" is "second half of 19th
 * century". The text comes folded: digits in ASCII, lower case, single spaces.
 */
export const rewriteNepali = (text: string): string =>
  /[\u0900-\u097f]/.test(text)
    ? rewrites()
        .reduce((it, [pattern, known]) => it.replace(pattern, known), text)
        .replace(/\s+/g, ' ')
        .trim()
    : text

/** Ordinals up to the present century; the first four have no rule, the others end in औँ, which is spelt in many ways. */
const ordinals: readonly string[] = [
  ...['पहिलो', 'दोस्रो', 'तेस्रो', 'चौथो', 'पाँच', 'छैट', 'सात', 'आठ', 'नव', 'दश', 'एघार', 'बाह्र', 'तेह्र', 'चौध'],
  ...['पन्ध्र', 'सोह्र', 'सत्र', 'अठार', 'उन्नाइस', 'बीस', 'एक्काइस'],
]
const th = '(?:औ|अौ|ौ|ओ|ो)?[ंँ]?'
const alone = '(?<![\\p{L}\\p{M}])'
const apart = '(?![\\p{L}\\p{M}])'
const era = '(?:सम्|सं)[वब]त्?'
const of = '(?: ?(?:को|का|मा))?'

const rewrites = once((): readonly (readonly [RegExp, string])[] => [
  // Calendars and eras, also with endings: "विक्रम संवत्को".
  [new RegExp(`${alone}(?:[वब]ि\\.? ?सं\\.?|[वब]िक्रम ${era})${of}${apart}`, 'gu'), 'bs '],
  [new RegExp(`${alone}(?:ने\\.? ?सं\\.?|नेपाल ${era})${of}${apart}`, 'gu'), 'ns '],
  [new RegExp(`${alone}(?:शाके|शक)(?: ${era})?${of}${apart}`, 'gu'), 'shaka '],
  [new RegExp(`${alone}(?:[ईइ]\\.? ?पू\\.?|[ईइ]सा ?पूर्व)${of}${apart}`, 'gu'), 'bce '],
  [new RegExp(`${alone}(?:[ईइ]स्वी ?(?:सन्?|${era})?|[ईइ]\\.? ?सं?\\.?|सन्)${of}${apart}`, 'gu'), 'ad '],
  // Officials write "२०८१।३।१५", and "२०३१ साल" is a year of Bikram Sambat.
  [/(\d{3,4})।(\d\d?)।(\d\d?)/gu, 'bs $1-$2-$3'],
  [/(\d{3,4}) ?साल(?:को|मा)? (?=\S)/gu, '$1 '],
  [/^((?:करिब|लगभग|अन्दाजी) )?(\d{3,4}) ?साल(?:को|मा)?( ?तिर)?$/u, '$1bs $2$3'],
  [/(\d{3,4}) ?साल(?:को|मा)?$/u, '$1'],
  // Centuries and decades.
  ...ordinals.map((word, at): [RegExp, string] => [new RegExp(`${alone}${word}${th} (?=शताब्दी)`, 'u'), `${at + 1} `]),
  [new RegExp(`(\\d{1,2}) ?${th} ?शताब्दी${of}`, 'u'), '$1th century'],
  [/^(bce|ad) +(\d{1,2}th century)(.*)$/u, '$2$3 $1'],
  [/^(.*?)(\d{1,2}th century) (?:पूर्वार्द?्ध|पूर्वार्ध)$/u, '$1first half of $2'],
  [/^(.*?)(\d{1,2}th century) (?:उत्तरार्द?्ध|उत्तरार्ध)$/u, '$1second half of $2'],
  [/^(.*?)(\d{1,2}th century) (?:सुरु|शुरू?|आरम्भ|प्रारम्भ)(?:तिर|मा)?$/u, '$1early $2'],
  [/^(.*?)(\d{1,2}th century) मध्य(?:तिर|मा)?$/u, '$1mid $2'],
  [/^(.*?)(\d{1,2}th century) (?:अन्त्य?|अन्तिम)(?:तिर|मा)?$/u, '$1late $2'],
  [/(\d{2,3}0) ?(?:को|औँ|औं)? ?दशक(?:को|मा)?/u, "$1's"],
  // Ends that are open.
  [/^(?!.*देखि)(.+?) ?सम्म$/u, 'until $1'],
  [/^(.+?) ?(?:देखि|यता)$/u, 'since $1'],
  [/^(.+?) ?भन्दा (?:अघि|अगाडि|पहिले)$/u, 'before $1'],
  [/^(.+?) ?(?:भन्दा )?पछि$/u, 'after $1'],
])
