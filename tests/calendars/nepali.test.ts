import { describe, expect, test } from 'vitest'
import { gregorianOf } from '../../lib/calendars/days.ts'
import { readDate } from '../../lib/calendars/reading.ts'

/** Dates as readers of Nepali write them. */

const iso = (day: number | undefined) => {
  if (day === undefined || !Number.isFinite(day)) return day === undefined ? 'nothing' : '..'
  const { year, month, day: of } = gregorianOf(day)
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
    ['सन् १९३४ भन्दा अघि', '../1934-12-31'],
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
