import {
  type DateReading,
  type Interval,
  isFault,
  readDateOrFault,
  readInterval,
  type ShownDate,
  showDate,
} from '../../engines/calendars/index.ts'
import { getMany, itemIn, queryBetween } from '../../engines/table/index.ts'
import { foldedName, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Kind, kinds } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type LoadedRecord, type RecordItem, recordItem } from './items.ts'

/** A date may name a record that is a period or reign. Example: "Malla period" means the years of that record. */

export type Period = { id: number; name: string; cultural_entity_id: string }

/** Words that may precede the name of a period in a date. Example: "during the". */
const PREFIX = /^\s*(?:(?:in|during|from|of|c\.|circa)\s+)?(?:the\s+)?/i
/** Periods of one name that are looked at. */
const MAX_SAME_NAME = 25

/** Finds a published period of this name that has dates. The caller must be allowed to see it. Two calls. */
export async function findPeriodByName(
  words: string,
  actor: Actor | null,
): Promise<{ period: Period; bounds: DateReading } | undefined> {
  const folded = foldedName(words.replace(PREFIX, ''))
  if (folded === '') return undefined
  const { pk } = key.name('period', folded, '')
  const entries = await queryBetween(pk, `${folded}#`, `${folded}#~`, MAX_SAME_NAME)
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

/** From the first day on which the period may have begun to the last on which it may have ended. Undefined without usable dates. */
function boundsOf({ data }: RecordItem): DateReading | undefined {
  const read = (member: string) => readInterval(textOf(data[member]), data.calendar_system)
  const whole = read('has_timespan')
  const [begin, end] = [read('start_year') ?? whole, read('end_year') ?? whole]
  if (!begin || !end || begin.from > end.to) return undefined
  return { from: begin.from, to: end.to, approximate: begin.approximate || end.approximate, calendar: 'gregorian' }
}

/** Words that name a period, with a date that can be read. Example: "Malla period" with "1200-01-01/1768-12-31". */
export type PeriodMeanings = ReadonlyMap<string, string>

/** Different texts that are looked up for one request. Each costs two calls. */
const MOST_WORDS = 5

/** Reads the periods that dates name, in these values and in the claims of `old`. No call where all are plain dates. */
export async function findPeriodMeanings(
  kind: Kind,
  data: Values,
  actor: Actor,
  old?: LoadedRecord,
): Promise<PeriodMeanings> {
  const claimed = old?.assertions.map((it): [string, unknown] => [it.asserted_property, it.value]) ?? []
  const words = [...Object.entries(data), ...claimed].flatMap(([member, value]) =>
    isDate(kind, member) && typeof value === 'string' && isFault(readDateOrFault(value, data.calendar_system))
      ? [value]
      : [],
  )
  const asked = [...new Set(words)].slice(0, MOST_WORDS)
  const found = await Promise.all(asked.map((it) => findPeriodByName(it, actor)))
  return new Map(asked.flatMap((it, i) => (found[i] ? [[it, spanOf(found[i].bounds)] as const] : [])))
}

const isDate = (kind: Kind, member: string) => /^(?:edtf_)?date$/.test(kinds[kind.key].fields[member]?.type ?? '')

/** The bounds of periods, by the words that name them. */
export type PeriodBounds = ReadonlyMap<string, Interval>

/** Reads the periods that dates of these records name. No call where all are plain dates. */
export async function findPeriodBounds(its: readonly DatedValues[], actor: Actor | null): Promise<PeriodBounds> {
  const words = its.flatMap(({ kind, data }) =>
    Object.entries(data).flatMap(([member, value]) =>
      isDate(kinds[kind], member) && typeof value === 'string' && isFault(readDateOrFault(value, data.calendar_system))
        ? [value]
        : [],
    ),
  )
  const asked = [...new Set(words)].slice(0, MOST_WORDS)
  const found = await Promise.all(asked.map((it) => findPeriodByName(it, actor)))
  return new Map(asked.flatMap((it, i) => (found[i] ? [[it, found[i].bounds] as const] : [])))
}

export type DatedValues = Pick<RecordItem, 'kind' | 'data'>

/** Writes bounds as Gregorian text, with `~` if they are approximate. An open end is `..`, as in `../1768-12-31`. */
function spanOf(bounds: DateReading): string {
  const { from, to, approximate }: ShownDate = showDate(bounds, 'gregorian')
  return `${from ?? '..'}/${to ?? '..'}${approximate ? '~' : ''}`
}
