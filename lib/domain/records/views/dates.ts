import { readBounds, type ShownDate, showDate } from '../../../engines/calendars/index.ts'
import type { DateStyle } from '../../../platform/http/shown-dates.ts'
import type { Actor } from '../../../platform/permissions.ts'
import { type KindKey, kinds } from '../../kinds/index.ts'
import { type DatedValues, findPeriodBounds, type PeriodBounds } from '../periods.ts'

type DateShown = ShownDate & { words: string }

/** Shows the dates of some records to one reader. */
export type DateDisplay = {
  /** Adds `dates` to an answer: each date of its record in the calendar of the query, if it names one. Dates that cannot be read are left out. */
  addDates: <T extends object>(answer: T, it: DatedValues) => T | (T & { dates: Record<string, DateShown> })
  /** Adds `date` to an answer about one value. Null if the value is not a date. */
  addDate: <T extends object>(answer: T, value: DateValue) => T | (T & { date: DateShown | null })
  /** The date that a value is. Undefined if the query names no calendar, null if the value is not a date. */
  dateOf: (value: DateValue) => DateShown | null | undefined
}
type DateValue = { of: DatedValues; member: string; words: unknown }

/**
 * Loads what all answers with `?calendar=` need to show dates. The name of a period stands for the bounds of its record, else for
 * those of the built-in table. Only the first five names are looked up, each by the calls of `findPeriodByName`.
 */
export async function loadDateDisplay(
  its: readonly DatedValues[],
  showing: DateStyle | undefined,
  actor: Actor | null,
): Promise<DateDisplay> {
  if (showing === undefined)
    return { addDates: (answer) => answer, addDate: (answer) => answer, dateOf: () => undefined }
  const periods = await findPeriodBounds(its, actor)
  const of = (value: DateValue) => dateOf(value, showing, periods)
  return {
    dateOf: of,
    addDate: (answer, value) => ({ ...answer, date: of(value) }),
    addDates: (answer, it) => ({ ...answer, dates: datesIn(it, of) }),
  }
}

const datesIn = (record: DatedValues, of: (value: DateValue) => DateShown | null): Record<string, DateShown> =>
  Object.fromEntries(
    Object.keys(kinds[record.kind].fields).flatMap((member) => {
      const date = of({ of: record, member, words: record.data[member] })
      return date ? [[member, date]] : []
    }),
  )

function dateOf({ of, member, words }: DateValue, showing: DateStyle, periods: PeriodBounds): DateShown | null {
  if (!isDate(of.kind, member) || typeof words !== 'string') return null
  const bounds = periods.get(words) ?? readBounds(words, of.data.calendar_system)
  return bounds ? { words, ...showDate(bounds, showing.calendar, showing.language) } : null
}

export const isDate = (kind: KindKey, member: string): boolean => {
  const type = kinds[kind].fields[member]?.type
  return type === 'date' || type === 'edtf_date'
}
