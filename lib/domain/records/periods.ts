import { mapAtOnce } from '../../base/concurrency.ts'
import {
  type DateReading,
  type Interval,
  isFault,
  periodNames,
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
/** The most periods of one name that are read. */
const MAX_SAME_NAME = 25
const NAMES_AT_ONCE = 8

/**
 * Finds a published period of this name that has dates and that the caller may see. If there is none, other names of the same period of
 * Nepal's history are tried. Example: "मल्लकाल" and "Malla period". Costs one query for each name that is tried, and at most two reads of
 * records.
 */
export async function findPeriodByName(
  words: string,
  actor: Actor | null,
): Promise<{ period: Period; bounds: DateReading } | undefined> {
  const given = foldedName(words.replace(PREFIX, ''))
  const others = [...new Set(periodNames(words).map(foldedName))].filter((name) => name !== given)
  return (await findVisiblePeriod([given], actor)) ?? findVisiblePeriod(others, actor)
}

async function findVisiblePeriod(names: readonly string[], actor: Actor | null) {
  const entries = (
    await mapAtOnce(names.filter(Boolean), NAMES_AT_ONCE, (folded) => {
      const { pk } = key.name('period', folded, '')
      return queryBetween(pk, `${folded}#`, `${folded}#~`, MAX_SAME_NAME)
    })
  ).flat()
  if (entries.length === 0) return undefined
  const ids = [...new Set(entries.map((entry) => readEntry(entry).entity_id))]
  const found = await getMany(ids.map(key.head))
  const visible = ids
    .flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
    .filter((record) => record.public && !record.deleted_at && maySee(actor, record))
  for (const record of visible) {
    const bounds = boundsOf(record)
    const period = { id: Number(record.id), name: record.name, cultural_entity_id: record.entity_id }
    if (bounds) return { period, bounds }
  }
  return undefined
}

/**
 * Returns the first day on which the period may have begun, and the last day on which it may have ended. Undefined if its
 * dates cannot be read.
 */
function boundsOf({ data }: RecordItem): DateReading | undefined {
  const readMember = (member: string) => readInterval(textOf(data[member]), data.calendar_system)
  const timespan = readMember('has_timespan')
  const [begin, end] = [readMember('start_year') ?? timespan, readMember('end_year') ?? timespan]
  if (!begin || !end || begin.from > end.to) return undefined
  return { from: begin.from, to: end.to, approximate: begin.approximate || end.approximate, calendar: 'gregorian' }
}

/** Words that name a period, with a date that can be read. Example: "Malla period" with "1200-01-01/1768-12-31". */
export type PeriodMeanings = ReadonlyMap<string, string>

/** The most texts that are looked up for one request. Each costs the calls of `findPeriodByName`. */
const MOST_NAMES = 5

/** Finds the periods that dates name, in these values and in the claims of `old`. No call if all are plain dates, else those of `boundsByName`. */
export async function findPeriodMeanings(
  kind: Kind,
  data: Values,
  actor: Actor,
  old?: LoadedRecord,
): Promise<PeriodMeanings> {
  const claimed =
    old?.assertions.map(({ asserted_property, value }): [string, unknown] => [asserted_property, value]) ?? []
  const words = unreadableDates(kind, [...Object.entries(data), ...claimed], data.calendar_system)
  const bounds = await boundsByName(words, actor)
  return new Map([...bounds].map(([name, ofPeriod]) => [name, spanOf(ofPeriod)]))
}

/** The texts of date fields that no calendar can read. They may be names of periods. */
const unreadableDates = (
  kind: Kind,
  values: readonly [member: string, value: unknown][],
  calendar: unknown,
): string[] =>
  values.flatMap(([member, value]) =>
    isDate(kind, member) && typeof value === 'string' && isFault(readDateOrFault(value, calendar)) ? [value] : [],
  )

/** Returns the bounds of the periods that these texts name. Costs the calls of `findPeriodByName` for each of the first five texts. */
async function boundsByName(texts: readonly string[], actor: Actor | null): Promise<Map<string, DateReading>> {
  const names = [...new Set(texts)].slice(0, MOST_NAMES)
  const found = await Promise.all(names.map((name) => findPeriodByName(name, actor)))
  return new Map(names.flatMap((name, i) => (found[i] ? [[name, found[i].bounds] as const] : [])))
}

const isDate = (kind: Kind, member: string) => /^(?:edtf_)?date$/.test(kinds[kind.key].fields[member]?.type ?? '')

/** The bounds of periods, by the words that name them. */
export type PeriodBounds = ReadonlyMap<string, Interval>

/** Finds the periods that dates of these records name. No call if all are plain dates. */
export async function findPeriodBounds(records: readonly DatedValues[], actor: Actor | null): Promise<PeriodBounds> {
  const words = records.flatMap(({ kind, data }) =>
    unreadableDates(kinds[kind], Object.entries(data), data.calendar_system),
  )
  return boundsByName(words, actor)
}

export type DatedValues = Pick<RecordItem, 'kind' | 'data'>

/** Writes bounds as Gregorian text, with `~` if they are approximate. An open end is `..`, as in `../1768-12-31`. */
function spanOf(bounds: DateReading): string {
  const { from, to, approximate }: ShownDate = showDate(bounds, 'gregorian')
  return `${from ?? '..'}/${to ?? '..'}${approximate ? '~' : ''}`
}
