import { once } from '../../base/once.ts'

/**
 * Rewrites the Nepali phrases of a date as the English words that `forms.ts` reads. "१९ औँ शताब्दीको उत्तरार्ध"
 * becomes "second half of 19th century". The text must be tidy already: ASCII digits, lower case, single spaces.
 */
export const rewriteNepali = (text: string): string =>
  /[\u0900-\u097f]/.test(text)
    ? rewrites()
        .reduce((rewritten, [pattern, english]) => rewritten.replace(pattern, english), text)
        .replace(/\s+/g, ' ')
        .trim()
    : text

/** Ordinals up to 21st. The first four are irregular. The others are stems: `ordinalEnding` adds औँ in its many spellings. */
const ordinals: readonly string[] = [
  ...['पहिलो', 'दोस्रो', 'तेस्रो', 'चौथो', 'पाँच', 'छैट', 'सात', 'आठ', 'नव', 'दश', 'एघार', 'बाह्र', 'तेह्र', 'चौध'],
  ...['पन्ध्र', 'सोह्र', 'सत्र', 'अठार', 'उन्नाइस', 'बीस', 'एक्काइस'],
]
const ordinalEnding = '(?:औ|अौ|ौ|ओ|ो)?[ंँ]?'
const wordStart = '(?<![\\p{L}\\p{M}])'
const wordEnd = '(?![\\p{L}\\p{M}])'
const eraWord = '(?:सम्|सं)[वब]त्?'
const caseEnding = '(?: ?(?:को|का|मा))?'

const rewrites = once((): readonly (readonly [RegExp, string])[] => [
  // Calendars and eras, also with endings: "विक्रम संवत्को".
  [new RegExp(`${wordStart}(?:[वब]ि\\.? ?सं\\.?|[वब]िक्रम ${eraWord})${caseEnding}${wordEnd}`, 'gu'), 'bs '],
  [new RegExp(`${wordStart}(?:ने\\.? ?सं\\.?|नेपाल ${eraWord})${caseEnding}${wordEnd}`, 'gu'), 'ns '],
  [new RegExp(`${wordStart}(?:शाके|शक)(?: ${eraWord})?${caseEnding}${wordEnd}`, 'gu'), 'shaka '],
  [new RegExp(`${wordStart}(?:[ईइ]\\.? ?पू\\.?|[ईइ]सा ?पूर्व)${caseEnding}${wordEnd}`, 'gu'), 'bce '],
  [new RegExp(`${wordStart}(?:[ईइ]स्वी ?(?:सन्?|${eraWord})?|[ईइ]\\.? ?सं?\\.?|सन्)${caseEnding}${wordEnd}`, 'gu'), 'ad '],
  // Offices write "२०८१।३।१५", and "२०३१ साल" is a year of Bikram Sambat.
  [/(\d{3,4})।(\d\d?)।(\d\d?)/gu, 'bs $1-$2-$3'],
  [/(\d{3,4}) ?साल(?:को|मा)? (?=\S)/gu, '$1 '],
  [/^((?:करिब|लगभग|अन्दाजी) )?(\d{3,4}) ?साल(?:को|मा)?( ?तिर)?$/u, '$1bs $2$3'],
  [/(\d{3,4}) ?साल(?:को|मा)?$/u, '$1'],
  // Centuries and decades.
  ...ordinals.map((word, i): [RegExp, string] => [
    new RegExp(`${wordStart}${word}${ordinalEnding} (?=शताब्दी)`, 'u'),
    `${i + 1} `,
  ]),
  [new RegExp(`(\\d{1,2}) ?${ordinalEnding} ?शताब्दी${caseEnding}`, 'u'), '$1th century'],
  [/^(bce|ad) +(\d{1,2}th century)(.*)$/u, '$2$3 $1'],
  [/^(.*?)(\d{1,2}th century) (?:पूर्वार्द?्ध|पूर्वार्ध)$/u, '$1first half of $2'],
  [/^(.*?)(\d{1,2}th century) (?:उत्तरार्द?्ध|उत्तरार्ध)$/u, '$1second half of $2'],
  [/^(.*?)(\d{1,2}th century) (?:सुरु|शुरू?|आरम्भ|प्रारम्भ)(?:तिर|मा)?$/u, '$1early $2'],
  [/^(.*?)(\d{1,2}th century) मध्य(?:तिर|मा)?$/u, '$1mid $2'],
  [/^(.*?)(\d{1,2}th century) (?:अन्त्य?|अन्तिम)(?:तिर|मा)?$/u, '$1late $2'],
  [/(\d{2,3}0) ?(?:को|औँ|औं)? ?दशक(?:को|मा)?/u, "$1's"],
  // Open ends.
  [/^(?!.*देखि)(.+?) ?सम्म$/u, 'until $1'],
  [/^(.+?) ?(?:देखि|यता)$/u, 'since $1'],
  [/^(.+?) ?भन्दा (?:अघि|अगाडि|पहिले)$/u, 'before $1'],
  [/^(.+?) ?(?:भन्दा )?पछि$/u, 'after $1'],
])
