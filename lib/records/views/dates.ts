import { intervalIn } from '../../calendars/reading.ts'
import { type ShownDate, shownIn } from '../../calendars/shown.ts'
import type { CalendarKey } from '../../calendars/systems.ts'
import { type KindKey, kinds } from '../../kinds/index.ts'
import type { Language } from '../../language/languages.ts'
import type { RecordItem } from '../items.ts'

/** The dates of a record in the calendar of whoever asks, beside their words; those that cannot be read are left out. */
function datesIn(
  { kind, data }: Pick<RecordItem, 'kind' | 'data'>,
  calendar: CalendarKey,
  language: Language = 'en',
): Record<string, ShownDate & { words: string }> {
  return Object.fromEntries(
    dateMembers(kind).flatMap((member) => {
      const words = data[member]
      const found = typeof words === 'string' ? intervalIn(words, data.calendar_system) : undefined
      return found && typeof words === 'string' ? [[member, { words, ...shownIn(found, calendar, language) }]] : []
    }),
  )
}

/** An answer with the dates of its record, where a calendar is asked for. */
export const withDates = <T extends object>(
  answer: T,
  it: Pick<RecordItem, 'kind' | 'data'>,
  calendar: CalendarKey | undefined,
) => (calendar === undefined ? answer : { ...answer, dates: datesIn(it, calendar) })

const dateMembers = (kind: KindKey): string[] =>
  Object.entries(kinds[kind].fields).flatMap(([member, { type }]) =>
    type === 'date' || type === 'edtf_date' ? [member] : [],
  )
