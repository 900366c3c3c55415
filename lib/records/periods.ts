import { dateIn } from '../calendars/conversion.ts'
import { type Interval, intervalIn, type Reading } from '../calendars/reading.ts'
import { type ShownDate, shownIn } from '../calendars/shown.ts'
import { isFault } from '../calendars/systems.ts'
import { type Kind, kinds } from '../kinds/index.ts'
import { foldedName, readEntry } from '../names/index.ts'
import { textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type Actor, maySee } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, queryBetween } from '../table/read.ts'
import { type Loaded, type RecordItem, recordItem } from './items.ts'

/** Periods and reigns that are records themselves: a date may name one, and then its bounds are meant. */

export type Period = { id: number; name: string; cultural_entity_id: string }

/** What stands before the name of a period when something is dated by it. */
const before = /^\s*(?:(?:in|during|from|of|c\.|circa)\s+)?(?:the\s+)?/i
/** At most this many periods of one name are looked at. */
const MOST_NAMED = 25

/** The published period of this name that the asker may see and that says when it was. Two calls. */
export async function periodNamed(
  words: string,
  actor: Actor | null,
): Promise<{ period: Period; bounds: Reading } | undefined> {
  const folded = foldedName(words.replace(before, ''))
  if (folded === '') return undefined
  const { pk } = key.name('period', folded, '')
  const entries = await queryBetween(pk, `${folded}#`, `${folded}#~`, MOST_NAMED)
  const ids = entries.map((entry) => readEntry(entry).entity_id)
  const found = await getMany(ids.map(key.head))
  const seen = ids
    .flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
    .filter((it) => it.public && !it.deleted_at && maySee(actor, it))
  for (const it of seen) {
    const bounds = boundsOf(it)
    const period = { id: Number(it.id), name: it.name, cultural_entity_id: it.entity_id }
    if (bounds) return { period, bounds }
  }
  return undefined
}

/** From the first day on which a period may have begun to the last on which it may have ended. */
function boundsOf({ data }: RecordItem): Reading | undefined {
  const read = (member: string) => intervalIn(textOf(data[member]), data.calendar_system)
  const whole = read('has_timespan')
  const [begin, end] = [read('start_year') ?? whole, read('end_year') ?? whole]
  if (!begin || !end || begin.from > end.to) return undefined
  return { from: begin.from, to: end.to, approximate: begin.approximate || end.approximate, calendar: 'gregorian' }
}

/** Words that name a period, as dates that can be read: "Malla period" as "1200-01-01/1768-12-31". */
export type Meanings = ReadonlyMap<string, string>

/** So many different words are looked up for one change. */
const MOST_WORDS = 5

/** What those of a record's dates mean that name a period: of these values, and of claims that stand. Nothing is read where all can be read. */
export async function meaningsIn(kind: Kind, data: Values, actor: Actor, old?: Loaded): Promise<Meanings> {
  const claimed = old?.assertions.map((it): [string, unknown] => [it.asserted_property, it.value]) ?? []
  const words = [...Object.entries(data), ...claimed].flatMap(([member, value]) =>
    isDate(kind, member) && typeof value === 'string' && isFault(dateIn(value, data.calendar_system)) ? [value] : [],
  )
  const asked = [...new Set(words)].slice(0, MOST_WORDS)
  const found = await Promise.all(asked.map((it) => periodNamed(it, actor)))
  return new Map(asked.flatMap((it, i) => (found[i] ? [[it, spanOf(found[i].bounds)] as const] : [])))
}

const isDate = (kind: Kind, member: string) => /^(?:edtf_)?date$/.test(kinds[kind.key].fields[member]?.type ?? '')

/** What words mean that name a period: those for which records were looked up, by the words. */
export type PeriodBounds = ReadonlyMap<string, Interval>

/** What those of the dates of these records mean that name a period which is a record. Nothing is read where all dates can be read. */
export async function periodsAmong(its: readonly Dated[], actor: Actor | null): Promise<PeriodBounds> {
  const words = its.flatMap(({ kind, data }) =>
    Object.entries(data).flatMap(([member, value]) =>
      isDate(kinds[kind], member) && typeof value === 'string' && isFault(dateIn(value, data.calendar_system))
        ? [value]
        : [],
    ),
  )
  const asked = [...new Set(words)].slice(0, MOST_WORDS)
  const found = await Promise.all(asked.map((it) => periodNamed(it, actor)))
  return new Map(asked.flatMap((it, i) => (found[i] ? [[it, found[i].bounds] as const] : [])))
}

/** Values of a record, and of which kind it is. */
export type Dated = Pick<RecordItem, 'kind' | 'data'>

/** Days of the common calendar, with a mark where they are doubtful. */
function spanOf(bounds: Reading): string {
  const { from, to, approximate }: ShownDate = shownIn(bounds, 'gregorian')
  return `${from ?? '..'}/${to ?? '..'}${approximate ? '~' : ''}`
}
