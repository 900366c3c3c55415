import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inDevanagari } from '../../../lib/base/language/languages.ts'
import { gregorianDate } from '../../../lib/engines/calendars/days.ts'
import { findPeriod } from '../../../lib/engines/calendars/periods.ts'
import { readDate } from '../../../lib/engines/calendars/reading.ts'
import { showDate } from '../../../lib/engines/calendars/shown.ts'

/** Dates as readers of Nepali write them. */

const iso = (day: number | undefined) => {
  if (day === undefined || !Number.isFinite(day)) return day === undefined ? 'nothing' : '..'
  const { year, month, day: of } = gregorianDate(day)
  return `${year}-${`${month}`.padStart(2, '0')}-${`${of}`.padStart(2, '0')}`
}
function read(words: string): string {
  const found = readDate(words)
  if (!found || 'fault' in found) return found ? found.fault : 'no date'
  const span = found.from === found.to ? iso(found.from) : `${iso(found.from)}/${iso(found.to)}`
  return found.approximate ? `${span}~` : span
}

const year2031 = '1974-04-14/1975-04-13'
const day = '1974-04-28'

describe('a date in Nepali is read', () => {
  test.each([
    ['वि.सं. २०३१ वैशाख १५', day],
    ['वि.सं. २०३१ वैशाख १५ गते', day],
    ['२०३१ साल वैशाख १५ गते', day],
    ['२०३१ सालको वैशाख १५ गते', day],
    ['१५ वैशाख २०३१', day],
    ['२०३१।१।१५', day],
    ['२०३१।०१।१५', day],
    ['वि.सं. २०३१।१।१५ गते', day],
    ['वि.सं. २०३१/०१/१५', day],
    ['बि.सं. २०३१-१-१५', day],
  ])('to the day: %s', (words, found) => {
    expect(read(words)).toBe(found)
  })

  test.each([
    'वि.सं. २०३१',
    'वि. सं. २०३१',
    'वि.सं.२०३१',
    'बि.सं. २०३१',
    'विसं २०३१',
    'विक्रम संवत् २०३१',
    'विक्रम सम्वत् २०३१',
    'विक्रम सम्बत २०३१',
    'विक्रम संवत्को २०३१',
    '२०३१ साल',
    '२०३१ सालमा',
    'वि.सं. २०३१ साल',
    '२०३१ वि.सं.',
  ])('as a year of Bikram Sambat: %s', (words) => {
    expect(read(words)).toBe(year2031)
  })

  test.each([
    ['नेपाल संवत् १०९५', '1974-11-15/1975-11-03'],
    ['नेपाल सम्वत १०९५', '1974-11-15/1975-11-03'],
    ['ने.सं. १०९५', '1974-11-15/1975-11-03'],
    ['ने.सं. १०९५ साल', '1974-11-15/1975-11-03'],
    ['शाके १८९६', year2031],
    ['शक सम्वत् १८९६', year2031],
    ['सन् १९७४', '1974-01-01/1974-12-31'],
    ['ईस्वी सन् १९७४', '1974-01-01/1974-12-31'],
    ['इ.सं. १९७४ अप्रिल', '1974-04-01/1974-04-30'],
    ['१९७४ ईस्वी', '1974-01-01/1974-12-31'],
    ['ई.पू. ३००', '-299-01-01/-299-12-31'],
    ['ईसापूर्व ३००', '-299-01-01/-299-12-31'],
  ])('as a year of another era: %s', (words, found) => {
    expect(read(words)).toBe(found)
  })

  test.each([
    ['१९ औं शताब्दी', '1801-01-01/1900-12-31'],
    ['१९औँ शताब्दी', '1801-01-01/1900-12-31'],
    ['उन्नाइसौँ शताब्दी', '1801-01-01/1900-12-31'],
    ['सत्रौं शताब्दी', '1601-01-01/1700-12-31'],
    ['पाँचौँ शताब्दी', '401-01-01/500-12-31'],
    ['तेस्रो शताब्दी', '201-01-01/300-12-31'],
    ['ई.पू. ३ औँ शताब्दी', '-299-01-01/-200-12-31'],
    ['१९औँ शताब्दीको पूर्वार्ध', '1801-01-01/1850-12-31~'],
    ['१९औं शताब्दीको उत्तरार्द्ध', '1851-01-01/1900-12-31~'],
    ['१९औं शताब्दीको मध्यतिर', '1831-01-01/1870-12-31~'],
    ['१९औँ शताब्दीको अन्त्यतिर', '1861-01-01/1900-12-31~'],
    ['वि.सं. २०३० को दशक', '1973-04-13/1983-04-13'],
  ])('as a century or a decade: %s', (words, found) => {
    expect(read(words)).toBe(found)
  })

  test.each([
    ['BS 2031/2033', '1974-04-14/1977-04-12'],
    ['वि.सं. २०३१/२०३३', '1974-04-14/1977-04-12'],
    ['वि.सं. २०३१–२०३३', '1974-04-14/1977-04-12'],
    ['वि.सं. २०३१ देखि २०३३ सम्म', '1974-04-14/1977-04-12'],
    ['वि.सं. २०३१ सम्म', '../1975-04-13'],
    ['वि.सं. २०३१ देखि', '1974-04-14/..'],
    ['सन् १९३४ भन्दा अघि', '../1933-12-31'],
    ['करिब वि.सं. २०३१', `${year2031}~`],
    ['करिब २०३१ साल', `${year2031}~`],
    ['२०३१ सालतिर', `${year2031}~`],
  ])('as a span, or about a time: %s', (words, found) => {
    expect(read(words)).toBe(found)
  })

  test.each([
    ['२०८१।३।३२', 'There is no day 32 in Ashadh of BS 2081, which has 31 days.'],
    ['वि.सं. २०३१।१३।१', 'There is no month 13: a year has 12.'],
    ['मल्लकाल', 'no date'],
    ['धेरै पहिले', 'no date'],
    ['शकुन्तला', 'no date'],
  ])('or is none: %s', (words, why) => {
    expect(read(words)).toBe(why)
  })
})

describe('what the service says in Nepali it reads again', () => {
  /** Every day from 1700 to 2100. */
  const days = fc.integer({ min: -98_615, max: 47_846 })
  const calendars = ['gregorian', 'julian', 'bikram_sambat', 'nepal_sambat'] as const

  test.each(calendars)('a day of %s', (calendar) => {
    fc.assert(
      fc.property(days, (day) => {
        const { text } = showDate({ from: day, to: day, approximate: false }, calendar, 'ne')
        expect(text).not.toMatch(/[0-9A-Za-z]/)
        const meant = readDate(text)
        if (!meant || 'fault' in meant) throw new Error(`${text} is not read`)
        // A lunar day that two sunrises had is both days.
        const most = calendar === 'nepal_sambat' ? 1 : 0
        expect([text, meant.from <= day && day <= meant.to, meant.calendar]).toEqual([text, true, calendar])
        expect(meant.to - meant.from).toBeLessThanOrEqual(most)
      }),
      { numRuns: 400 },
    )
  })

  test.each(['bikram_sambat', 'nepal_sambat'] as const)('a year of %s, sure or about', (calendar) => {
    fc.assert(
      fc.property(fc.integer({ min: 880, max: 2090 }), fc.boolean(), (year, approximate) => {
        const mark = calendar === 'bikram_sambat' ? 'BS' : 'NS'
        const meant = readDate(`${approximate ? 'c. ' : ''}${mark} ${year}`)
        if (!meant || 'fault' in meant) throw new Error(`${mark} ${year}`)
        const { text } = showDate(meant, calendar, 'ne')
        expect([text, readDate(text)]).toEqual([text, meant])
      }),
      { numRuns: 200 },
    )
  })

  test('numbers: each digit its own, and back', () => {
    expect(inDevanagari('0123456789')).toBe('०१२३४५६७८९')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 }), (number) => {
        const back = [...inDevanagari(`${number}`)].map((digit) => digit.charCodeAt(0) - 0x966).join('')
        expect(back).toBe(`${number}`)
      }),
    )
  })

  /** The ordinals of Nepali up to this century, as grammars print them. */
  const ordinals =
    'पहिलो दोस्रो तेस्रो चौथो पाँचौँ छैटौँ सातौँ आठौँ नवौँ दशौँ एघारौँ बाह्रौँ तेह्रौँ चौधौँ पन्ध्रौँ सोह्रौँ सत्रौँ अठारौँ उन्नाइसौँ बीसौँ एक्काइसौँ'.split(
      ' ',
    )
  test.each(ordinals.map((word, i) => [word, i + 1] as const))('the ordinal %s is %i', (word, n) => {
    const century = readDate(`${n > 1 ? `${(n - 1) * 100 + 1}` : '0001'}/${`${n * 100}`.padStart(4, '0')}`)
    if (!century || 'fault' in century) throw new Error('no century')
    const written = [`${word} शताब्दी`, `${inDevanagari(`${n}`)} औँ शताब्दी`, `${inDevanagari(`${n}`)}औं शताब्दी`]
    for (const text of written) expect([text, readDate(text)]).toEqual([text, century])
  })

  test.each([
    ['मल्लकाल', 1200, 1768],
    ['मल्ल कालमा', 1200, 1768],
    ['मल्लकालीन', 1200, 1768],
    ['लिच्छविकाल', 400, 750],
    ['राणा शासनकाल', 1846, 1951],
    ['शाह वंश', 1768, 2008],
    ['in the Licchavi period', 400, 750],
    ['Malla', 1200, 1768],
  ])('the period %s', (words, first, last) => {
    const bounds = findPeriod(words)
    expect([iso(bounds?.from), iso(bounds?.to), bounds?.approximate]).toEqual([
      `${`${first}`.padStart(3, '0')}-01-01`,
      `${last}-12-31`,
      true,
    ])
  })

  test.each(['', 'King Malla', 'काल', 'period', 'Malla period and later', 'मल्ल राजा'])('no period: %s', (words) => {
    expect(findPeriod(words)).toBeUndefined()
  })
})
