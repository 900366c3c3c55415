import bikramSambat from 'bikram-sambat'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bikramMonths, tabledYears } from '../../../lib/engines/calendars/bikram-sambat.ts'
import { type CalendarDate, gregorianDay } from '../../../lib/engines/calendars/days.ts'
import { type CalendarKey, calendarKeys } from '../../../lib/engines/calendars/keys.ts'
import { readDate } from '../../../lib/engines/calendars/reading.ts'
import { showDate } from '../../../lib/engines/calendars/shown.ts'
import { whenSunReaches } from '../../../lib/engines/calendars/surya-siddhanta.ts'
import { isFault, systems } from '../../../lib/engines/calendars/systems.ts'

const first = gregorianDay(1700, 1, 1)
const last = gregorianDay(2100, 12, 31)
const everyDay = Array.from({ length: last - first + 1 }, (_, at) => first + at)
const reckoned = calendarKeys.filter((key) => systems[key].dateOf)
const of = (key: CalendarKey, day: number): CalendarDate => systems[key].dateOf?.(day) ?? { year: 0, month: 0, day: 0 }

/** In the order in which days come: an intercalary month goes before its namesake. */
const order = ({ year, month, day, leap_month, leap_day }: CalendarDate) =>
  ((year * 16 + month) * 2 + (leap_month ? 0 : 1)) * 64 + day * 2 + (leap_day ? 1 : 0)

describe.each(reckoned)('%s, on every day from 1700 to 2100', (key) => {
  test('a day has a date, and the date that day', () => {
    const wrong = everyDay.filter((day) => {
      const back = systems[key].day(of(key, day))
      return isFault(back) || back.from > day || back.to < day || back.to - back.from > 1
    })
    expect(wrong).toEqual([])
  })

  test('a later day has a later date', () => {
    const wrong = everyDay.filter((day) => order(of(key, day)) >= order(of(key, day + 1)))
    expect(wrong).toEqual([])
  })

  test('a day is in its month and its year', () => {
    const wrong = everyDay.filter((day) => {
      const date = of(key, day)
      const month = systems[key].month(date.year, date.month, date.leap_month ?? false)
      const year = systems[key].year(date.year)
      const within = (it: { from: number; to: number }) => it.from <= day && day <= it.to
      return isFault(month) || !within(month) || !within(year) || systems[key].yearOf(day) !== date.year
    })
    expect(wrong).toEqual([])
  })
})

test('only a lunar day that comes twice is two days, and its second day is told apart', () => {
  const twice = everyDay.filter((day) => {
    const { leap_day: _, ...date } = of('nepal_sambat', day)
    const both = systems.nepal_sambat.day(date)
    return !isFault(both) && both.from !== both.to && both.to === day
  })
  expect(twice.length).toBeGreaterThan(1000)
  expect(twice.filter((day) => !of('nepal_sambat', day).leap_day)).toEqual([])
})

test('what is shown of a day is read as that day, in both languages', () => {
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), fc.constantFrom(...reckoned), (day, key) => {
      const { text } = showDate({ from: day, to: day, approximate: false }, key)
      const found = readDate(text.replace('intercalary', 'adhika'))
      expect(found).toMatchObject({ calendar: key })
      const nepali = readDate(showDate({ from: day, to: day, approximate: false }, key, 'ne').text)
      for (const each of [found, nepali]) {
        expect(each && 'from' in each && each.from <= day && day <= each.to && each.to - each.from <= 1).toBe(true)
      }
    }),
    { numRuns: 2000 },
  )
})

test('years and months follow each other without gaps', () => {
  for (const key of calendarKeys)
    for (let year = 1000; year < 2200; year += 1)
      expect([key, year, systems[key].year(year).to + 1]).toEqual([key, year, systems[key].year(year + 1).from])
  for (let year = 1700; year < 2200; year += 1) {
    const lengths = bikramMonths(year).flatMap((start, at, all) => (all[at + 1] ?? start) - start || [])
    expect(lengths.every((it) => it >= 29 && it <= 32)).toBe(true)
    expect(lengths.reduce((sum, it) => sum + it, 0)).toSatisfy((it) => it === 365 || it === 366)
  }
})

test('the tables and the rule agree on 94 of 100 months, and differ by a day in the others', () => {
  let [same, months] = [0, 0]
  for (let year = tabledYears.from; year <= tabledYears.to; year += 1)
    bikramMonths(year)
      .slice(0, 12)
      .forEach((start, at) => {
        const ruled = Math.floor(whenSunReaches(at * 30, start))
        expect(Math.abs(ruled - start)).toBeLessThanOrEqual(1)
        same += ruled === start ? 1 : 0
        months += 1
      })
  expect(same / months).toBeGreaterThan(0.94)
  expect(bikramSambat.daysInMonth(2000, 1)).toBe(30)
})
