import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gregorianDate } from '../../../lib/engines/calendars/days.ts'
import { readDate, readInterval } from '../../../lib/engines/calendars/reading.ts'

/** What a contributor writes, its first and last day, and whether it is doubtful. */
const dates: readonly (readonly [string, string, string, boolean?])[] = [
  ['1702', '1702-01-01', '1702-12-31'],
  ['0464', '0464-01-01', '0464-12-31'],
  ['1702-05', '1702-05-01', '1702-05-31'],
  ['1702-05-01', '1702-05-01', '1702-05-01'],
  ['17XX', '1700-01-01', '1799-12-31'],
  ['170X', '1700-01-01', '1709-12-31'],
  ['1702?', '1702-01-01', '1702-12-31', true],
  ['1702~', '1702-01-01', '1702-12-31', true],
  ['1200/1300', '1200-01-01', '1300-12-31'],
  ['../1500', 'open', '1500-12-31'],
  ['1500/..', '1500-01-01', 'open'],
  ['-0056', '-000056-01-01', '-000056-12-31'],
  ['57 BCE', '-000056-01-01', '-000056-12-31'],
  ['2010-01-01T00:00:00Z', '2010-01-01', '2010-12-31'],
  ['2023-11-15T10:30:00Z', '2023-11-15', '2023-11-15'],
  ['c. 5th century CE', '0401-01-01', '0500-12-31', true],
  ['c. 3rd century BCE', '-000299-01-01', '-000200-12-31', true],
  ['c. 7th-8th century CE', '0601-01-01', '0800-12-31', true],
  ['c. 570 CE (inscriptional tradition)', '0570-01-01', '0570-12-31', true],
  ['1585 CE', '1585-01-01', '1585-12-31'],
  ['1934 AD', '1934-01-01', '1934-12-31'],
  ['January 15 1934', '1934-01-15', '1934-01-15'],
  ['15th January, 1934', '1934-01-15', '1934-01-15'],
  ['circa 1200', '1200-01-01', '1200-12-31', true],
  ['1624 Circa', '1624-01-01', '1624-12-31', true],
  ['early 17th century', '1601-01-01', '1640-12-31', true],
  ['1690s', '1690-01-01', '1699-12-31'],
  ['1482-1769', '1482-01-01', '1769-12-31'],
  ['1690–1692 CE', '1690-01-01', '1692-12-31'],
  ['1934-35', '1934-01-01', '1935-12-31'],
  ['300-200 BCE', '-000299-01-01', '-000199-12-31'],
  ['800 BCE - 200 CE', '-000799-01-01', '0200-12-31'],
  ['1951 to present', '1951-01-01', 'open'],
  ['before 1500', 'open', '1499-12-31'],
  ['until 1500', 'open', '1500-12-31'],
  ['after 1500', '1501-01-01', 'open'],
  ['since 1500', '1500-01-01', 'open'],
  ['1500 भन्दा अघि', 'open', '1499-12-31'],
  ['1500 सम्म', 'open', '1500-12-31'],
  // EDTF, level 1: seasons, and digits that are not specified.
  ['2001-21', '2001-03-01', '2001-05-31', true],
  ['2001-22', '2001-06-01', '2001-08-31', true],
  ['2001-23', '2001-09-01', '2001-11-30', true],
  ['2001-24', '2001-12-01', '2002-02-28', true],
  ['1920-22', '1920-01-01', '1922-12-31'],
  ['2004-XX', '2004-01-01', '2004-12-31'],
  ['1985-04-XX', '1985-04-01', '1985-04-30'],
  ['1985-XX-XX', '1985-01-01', '1985-12-31'],
  ['Y-5000', '-005000-01-01', '-005000-12-31'],
  ['Y-17000', '-017000-01-01', '-017000-12-31'],
  ['Y170000002', '170000002-01-01', '170000002-12-31'],
  ['BS 2031', '1974-04-14', '1975-04-13'],
  ['2031 VS', '1974-04-14', '1975-04-13'],
  ['वि.सं. २०३१', '1974-04-14', '1975-04-13'],
  ['NS 1000', '1879-11-15', '1880-11-02'],
]

/** Of other calendars: spans, months, centuries, and what a record says of its own. */
const others: readonly (readonly [string, string, string, boolean?])[] = [
  ['BS 2031/2033', '1974-04-14', '1977-04-12'],
  ['BS 2031-33', '1974-04-14', '1977-04-12'],
  ['२०३१-२०३३ वि.सं.', '1974-04-14', '1977-04-12'],
  ['Baishakh 2081', '2024-04-13', '2024-05-13'],
  ['BS 2081-02', '2024-05-14', '2024-06-14'],
  ['c. BS 2031', '1974-04-14', '1975-04-13', true],
  ['BS c. 2031', '1974-04-14', '1975-04-13', true],
  ['before BS 2031', 'open', '1974-04-13'],
  ['NS 1145 Kachhala', '2024-11-02', '2024-12-01'],
  ['NS 1145/..', '2024-11-02', 'open'],
  ['Shaka 1690', '1768-04-09', '1769-04-09'],
  ['सन् १९३४', '1934-01-01', '1934-12-31'],
  ['१५ जनवरी १९३४', '1934-01-15', '1934-01-15'],
  ['1 January 1900 - 2 Magh 1990', '1900-01-01', '1934-01-15'],
]

describe('readInterval', () => {
  test.each([...dates, ...others].map(([text, from, to, doubt]) => ({ text, from, to, approximate: doubt ?? false })))(
    '$text is read',
    ({ text, from, to, approximate }) => {
      const found = readInterval(text)
      expect([day(found?.from), day(found?.to), found?.approximate]).toEqual([from, to, approximate])
    },
  )

  test.each([
    '',
    '/',
    '../..',
    'Varies',
    '15 days',
    'Baisakh 1',
    'Ashwin (Sep-Oct)',
    'c. medieval period',
    'present',
    'century',
    '1702-02-30',
    '1702-13-01',
    '1300/1200',
    '0th century',
  ])('%j is no date', (text) => {
    expect(readInterval(text)).toBeUndefined()
  })

  test.each([
    ['32 Ashadh 2081', 'There is no day 32 in Ashadh of BS 2081, which has 31 days.'],
    ['BS 2081-03-32', 'There is no day 32 in Ashadh of BS 2081, which has 31 days.'],
    ['३२ असार २०८१', 'There is no day 32 in Ashadh of BS 2081, which has 31 days.'],
    ['30 February 1990', 'There is no day 30 in February 1990, which has 28 days.'],
    ['1900-02-29', 'There is no day 29 in February 1900, which has 28 days.'],
    ['31 June 1702 O.S.', 'There is no day 31 in June 1702, which has 30 days.'],
    ['BS 2081-13-01', 'There is no month 13: a year has 12.'],
    ['NS 1145-13-01', 'There is no month 13: a year has 12.'],
    ['NS 1145 Kachhala thwa 16', 'There is no lunar day 16: a half month has 15.'],
    ['NS 1145 adhika Gunla thwa 1', 'NS 1145 has no intercalary month Gunla.'],
    ['Y1700000020', 'Years before -999999999 and after 999999999 cannot be kept.'],
    ['30 February 1990 / 1995', 'There is no day 30 in February 1990, which has 28 days.'],
  ])('%s is a date that no calendar has', (words, fault) => {
    expect(readDate(words)).toEqual({ fault })
  })

  test.each([
    ['Ashwin', ['Asoj', 'Ashoj', 'Asauj', 'आसोज', 'असोज']],
    ['Ashadh', ['Asar', 'Ashar', 'असार']],
    ['Bhadra', ['Bhadau', 'Bhadaw', 'भदौ']],
    ['Kartik', ['Kattik', 'Kartik', 'कात्तिक']],
    ['Mangsir', ['Mungsir', 'मङ्सिर', 'मंग्सिर']],
    ['Poush', ['Poosh', 'Push', 'पुस']],
    ['Magh', ['Mag', 'माघ']],
    ['Falgun', ['Faagun', 'Fagun', 'फागुन']],
    ['Chaitra', ['Chet', 'Chait', 'चैत']],
  ])('%s of Bikram Sambat is also spelt %j', (month, spellings) => {
    for (const each of spellings)
      expect(readInterval(`15 ${each} 2060`), each).toEqual(readInterval(`BS 2060 ${month} 15`))
  })

  test('bare numbers are meant in the calendar of the record, words in their own', () => {
    const bounds = (words: string, calendar: string) => {
      const found = readInterval(words, calendar)
      return [day(found?.from), day(found?.to)]
    }
    expect(bounds('2031', 'bikram_sambat')).toEqual(['1974-04-14', '1975-04-13'])
    expect(bounds('2031/2033', 'bikram_sambat')).toEqual(['1974-04-14', '1977-04-12'])
    expect(bounds('31 December 1974', 'bikram_sambat')).toEqual(['1974-12-31', '1974-12-31'])
    expect(bounds('1974 CE', 'nepal_sambat')).toEqual(['1974-01-01', '1974-12-31'])
    expect(bounds('BS 2031', 'nepal_sambat')).toEqual(['1974-04-14', '1975-04-13'])
    expect(bounds('1702', 'hebrew')).toEqual([undefined, undefined])
  })

  test('a leap day exists only in leap years', () => {
    expect(readInterval('2024-02-29')).toBeDefined()
    expect(readInterval('2023-02-29')).toBeUndefined()
    expect(readInterval('1900-02-29')).toBeUndefined()
  })

  test('what is read never ends before it begins', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), dateLike), (text) => {
        const found = readInterval(text)
        if (found) expect(found.from).toBeLessThanOrEqual(found.to)
      }),
      { numRuns: 2000 },
    )
  })

  test('a later year is a later interval', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9998 }), (year) => {
        const [one, next] = [readInterval(`${year}`), readInterval(`${year + 1}`)]
        expect(one?.to).toBe((next?.from ?? Number.NaN) - 1)
      }),
    )
  })

  test('a hostile text is refused quickly, however long', () => {
    const started = performance.now()
    for (const part of ['c. ', '1-', ' to ', '1702 ', '1?', 'a/', '(', '~', 'between 1 and '])
      for (const times of [14, 50_000]) expect(readInterval(`${part.repeat(times)}!`)).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

const word = fc.constantFrom(
  'c. ',
  '1702',
  '17',
  '5',
  'th',
  ' century',
  ' BCE',
  ' CE',
  '-',
  '/',
  '..',
  'X',
  '~',
  '?',
  ' to ',
  'BS ',
  'May ',
  '-05',
  '-31',
  's',
  ' ',
)
const dateLike = fc.array(word, { maxLength: 7 }).map((words) => words.join(''))

function day(days: number | undefined): string | undefined {
  if (days === undefined) return undefined
  if (!Number.isFinite(days)) return 'open'
  const { year, month, day: number } = gregorianDate(days)
  const [sign, digits] = [year < 0 ? '-' : '', `${Math.abs(year)}`.padStart(year < 0 || year > 9999 ? 6 : 4, '0')]
  return `${sign}${digits}-${`${month}`.padStart(2, '0')}-${`${number}`.padStart(2, '0')}`
}
