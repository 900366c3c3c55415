import { describe, expect, test } from 'vitest'
import { gregorianDate, julianDate, julianDay } from '../../../lib/engines/calendars/days.ts'
import { readDate } from '../../../lib/engines/calendars/reading.ts'

const iso = (day: number) => {
  const { year, month, day: of } = gregorianDate(day)
  return `${year}-${`${month}`.padStart(2, '0')}-${`${of}`.padStart(2, '0')}`
}
/** The only day that a date can mean. */
function dayOf(words: string): number {
  const found = readDate(words)
  if (!found || 'fault' in found || found.from !== found.to) throw new Error(`${words}: ${JSON.stringify(found)}`)
  return found.from
}

/** First days of years and days that everybody knows, as printed calendars of Nepal have them. */
test.each([
  ['BS 1970-01-01', '1913-04-13'],
  // The great earthquake.
  ['BS 1990 Magh 2', '1934-01-15'],
  ['BS 2000-01-01', '1943-04-14'],
  // Democracy Day.
  ['7 Falgun 2007', '1951-02-18'],
  // The royal massacre.
  ['19 Jestha 2058', '2001-06-01'],
  // The first president is sworn in, the constitution of 2072.
  ['3 Ashwin 2072', '2015-09-20'],
  // The earthquake of Gorkha.
  ['१२ वैशाख २०७२', '2015-04-25'],
  ['२०७७ वैशाख १ गते', '2020-04-13'],
  ['वि.सं. २०७८ वैशाख १', '2021-04-14'],
  ['BS 2079-01-01', '2022-04-14'],
  ['2080-01-01 BS', '2023-04-14'],
  ['BS 2081.1.1', '2024-04-13'],
  ['BS 2082-01-01', '2025-04-14'],
])('Bikram Sambat: %s is %s', (words, day) => {
  expect(iso(dayOf(words))).toBe(day)
})

/** New year's days, on the day after Laxmi Puja's new moon. */
test.each([
  ['NS 1129', '2008-10-29'],
  ['NS 1130', '2009-10-19'],
  ['NS 1134', '2013-11-04'],
  ['NS 1135', '2014-10-24'],
  ['NS 1136', '2015-11-12'],
  ['NS 1137', '2016-10-31'],
  ['NS 1138', '2017-10-20'],
  ['NS 1139', '2018-11-08'],
  ['NS 1142', '2021-11-05'],
  ['NS 1143', '2022-10-26'],
  ['NS 1144', '2023-11-14'],
  ['NS 1145', '2024-11-02'],
  ['NS 1146', '2025-10-22'],
])('Nepal Sambat: %s began on %s', (year, day) => {
  expect(iso(dayOf(`${year} Kachhala thwa 1`))).toBe(day)
  const whole = readDate(year)
  expect(whole && 'from' in whole && iso(whole.from)).toBe(day)
})

test('the era of Nepal Sambat begins on 20 October 879', () => {
  expect(julianDate(dayOf('NS 0 Kachhala thwa 1'))).toEqual({ year: 879, month: 10, day: 20 })
})

/** Lunar dates with the days that F. Kielhorn calculated for them (Indian Antiquary 19, 1890), of the Julian calendar but for the first. */
describe('lunar dates of inscriptions and manuscripts', () => {
  test('the stone inscription of Lalitatripurasundari: 23 June 1817, new style', () => {
    expect(iso(dayOf('VS 1874 Ashadha sudi 9'))).toBe('1817-06-23')
  })

  test.each([
    ['VS 1785 Ashvina sudi 9', [1728, 9, 30]],
    ['VS 1296 Phalguna sudi 9', [1240, 2, 3]],
    ['VS 1398 Pausha sudi 7', [1341, 12, 15]],
    // The first and the second of two months of one name.
    ['NS 788 adhika Ashadha sudi 7', [1668, 6, 6]],
    ['NS 788 Ashadha sudi 7', [1668, 7, 6]],
    ['NS 810 adhika Vaisakha sudi 12', [1690, 4, 10]],
    ['NS 810 Vaisakha sudi 12', [1690, 5, 9]],
  ] as const)('%s', (words, [year, month, day]) => {
    expect(julianDate(dayOf(words))).toEqual({ year, month, day })
  })
})

/** What both calendars called the days around the reform, and the day of a known eclipse of the Julian calendar. */
test.each([
  ['4 October 1582 (Julian)', '1582-10-14'],
  ['5 October 1582 O.S.', '1582-10-15'],
  ['2 September 1752 Old Style', '1752-09-13'],
  ['Julian 25 October 1917', '1917-11-07'],
  ['29 February 1700 O.S.', '1700-03-11'],
])('Julian: %s is %s', (words, day) => {
  expect(iso(dayOf(words))).toBe(day)
  const { year, month, day: of } = julianDate(dayOf(words))
  expect(julianDay(year, month, of)).toBe(dayOf(words))
})

test('Kathmandu was taken in Shaka 1690', () => {
  const year = readDate('शाके १६९०')
  const taken = dayOf('26 September 1768')
  expect(year && 'from' in year && year.from <= taken && taken <= year.to).toBe(true)
})
