import { intervalIn } from '../../calendars/reading.ts'
import { type ShownDate, shownIn } from '../../calendars/shown.ts'
import type { Showing } from '../../http/showing.ts'
import { type KindKey, kinds } from '../../kinds/index.ts'
import type { RecordItem } from '../items.ts'

/** Values of a record, and of which kind it is. */
type Dated = Pick<RecordItem, 'kind' | 'data'>
type DateShown = ShownDate & { words: string }

/** An answer with the dates of its record, each in the calendar of whoever asks beside its words; those that cannot be read are left out. */
export const withDates = <T extends object>(answer: T, it: Dated, showing: Showing | undefined) =>
  showing === undefined ? answer : { ...answer, dates: datesIn(it, showing) }

/** The same of one value of a record: `date`, null where it is none. */
export const withDate = <T extends object>(
  answer: T,
  value: { of: Dated; member: string; words: unknown },
  showing: Showing | undefined,
) => (showing === undefined ? answer : { ...answer, date: dateOf(value, showing) })

const datesIn = (it: Dated, showing: Showing): Record<string, DateShown> =>
  Object.fromEntries(
    Object.keys(kinds[it.kind].fields).flatMap((member) => {
      const date = dateOf({ of: it, member, words: it.data[member] }, showing)
      return date ? [[member, date]] : []
    }),
  )

function dateOf(
  { of, member, words }: { of: Dated; member: string; words: unknown },
  showing: Showing,
): DateShown | null {
  if (!isDate(of.kind, member) || typeof words !== 'string') return null
  const found = intervalIn(words, of.data.calendar_system)
  return found ? { words, ...shownIn(found, showing.calendar, showing.language) } : null
}

const isDate = (kind: KindKey, member: string): boolean => {
  const type = kinds[kind].fields[member]?.type
  return type === 'date' || type === 'edtf_date'
}
