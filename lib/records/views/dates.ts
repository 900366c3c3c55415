import { boundsIn } from '../../calendars/periods.ts'
import { type ShownDate, shownIn } from '../../calendars/shown.ts'
import type { Showing } from '../../http/showing.ts'
import { type KindKey, kinds } from '../../kinds/index.ts'
import type { Actor } from '../../permissions.ts'
import { type Dated, type PeriodBounds, periodsAmong } from '../periods.ts'

type DateShown = ShownDate & { words: string }

/** How the dates of some records are shown to one reader. */
export type Dating = {
  /** An answer with the dates of its record, each in the reader's calendar beside its words; those that cannot be read are left out. */
  whole: <T extends object>(answer: T, it: Dated) => T | (T & { dates: Record<string, DateShown> })
  /** The same of one value of a record: `date`, null where it is none. */
  one: <T extends object>(answer: T, value: Value) => T | (T & { date: DateShown | null })
  /** One value; undefined where no dates are shown. */
  of: (value: Value) => DateShown | null | undefined
}
type Value = { of: Dated; member: string; words: unknown }

/**
 * How dates of these records are shown to whoever asks: the one rule of all answers with `?calendar=`. Words that name a period mean
 * the bounds of its record where there is one, else of the table of periods. Two calls for each of the first five such words.
 */
export async function datingOf(
  its: readonly Dated[],
  showing: Showing | undefined,
  actor: Actor | null,
): Promise<Dating> {
  if (showing === undefined) return { whole: (answer) => answer, one: (answer) => answer, of: () => undefined }
  const periods = await periodsAmong(its, actor)
  const of = (value: Value) => dateOf(value, showing, periods)
  return {
    of,
    one: (answer, value) => ({ ...answer, date: of(value) }),
    whole: (answer, it) => ({ ...answer, dates: datesIn(it, of) }),
  }
}

const datesIn = (it: Dated, of: (value: Value) => DateShown | null): Record<string, DateShown> =>
  Object.fromEntries(
    Object.keys(kinds[it.kind].fields).flatMap((member) => {
      const date = of({ of: it, member, words: it.data[member] })
      return date ? [[member, date]] : []
    }),
  )

function dateOf({ of, member, words }: Value, showing: Showing, periods: PeriodBounds): DateShown | null {
  if (!isDate(of.kind, member) || typeof words !== 'string') return null
  const found = periods.get(words) ?? boundsIn(words, of.data.calendar_system)
  return found ? { words, ...shownIn(found, showing.calendar, showing.language) } : null
}

/** Whether the values of a member of a kind are dates. */
export const isDate = (kind: KindKey, member: string): boolean => {
  const type = kinds[kind].fields[member]?.type
  return type === 'date' || type === 'edtf_date'
}
