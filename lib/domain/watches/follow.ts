import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, getMany, itemIn, put, putAlways } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { FeedEntry } from '../feed/items.ts'
import { listChangesAfter, loadLastNumber } from '../feed/read.ts'
import { isInFeed } from '../feed/state.ts'
import { kinds } from '../kinds/index.ts'
import { isLink } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { isSettled, type LoadedRecord } from '../records/items.ts'
import { loadRecordById } from '../records/load.ts'
import { subjectOf, type WatchSort, watchCount, watchedChange, watchedLast, watchedThrough } from './items.ts'
import { type Around, listPlacesAround, relatedPlaces, rememberPlaces } from './places.ts'

/** Changes of the feed that are noted together. */
const CHANGES_AT_ONCE = 25
/** The most batches of changes of one visit, so that other work gets its turn. */
const MOST_PARTS = 40
/** Records that are loaded in parallel. */
const RECORDS_AT_ONCE = 10
/** The most subjects that a record itself gives: the record, its kind, its places, its sources. The places around these come on top. */
const MOST_SUBJECTS = 20
/** Writes in one transaction. */
const WRITES_AT_ONCE = 90

/**
 * Notes new changes of the feed under the subjects that somebody watches. Returns how many changes it has looked at. Each change costs
 * one query, and one for each place in which its record lies. Each watched subject costs two writes, however many people watch it.
 * Safe to repeat: the number of the last noted change is stored last, and each note has a fixed key.
 */
export async function followFeed(): Promise<number> {
  let looked = 0
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const old = await get(watchedThrough, {})
    const from = old?.number ?? (await loadLastNumber())
    const entries = old ? await listChangesAfter(from, CHANGES_AT_ONCE) : []
    if (old && entries.length === 0) return looked
    await noteChanges(entries)
    const number = entries.at(-1)?.number ?? from
    await commitWrites([put(watchedThrough, { number, version: (old?.version ?? 0) + 1 }, old)])
    looked += entries.length
  }
  return looked
}

/** The number in the feed up to which `followFeed` has come; 0 before its first visit. */
export const loadNotedThrough = async (): Promise<number> => (await get(watchedThrough, {}))?.number ?? 0

async function noteChanges(entries: readonly FeedEntry[]): Promise<void> {
  const told = entries.filter(({ kind, change }) => kind !== 'entity_cluster' && change !== 'withdrawn')
  const subjects = new Map<FeedEntry, string[]>()
  const around = rememberPlaces()
  await mapAtOnce(told, RECORDS_AT_ONCE, async (entry) => {
    const record = await loadRecordById(entry.id)
    // A record that was hidden since is noted nowhere.
    if (record && isInFeed(record)) subjects.set(entry, await listSubjects(record, around))
  })
  const found = await getMany([...new Set([...subjects.values()].flat())].map(key.watched), true)
  const noted = told.flatMap((entry) =>
    (subjects.get(entry) ?? [])
      .filter((subject) => itemIn(found, watchCount, { subject }) !== undefined)
      .map((subject) => ({ subject, ...entry })),
  )
  // Entries are ordered by number, so the map keeps the last number of each subject.
  const last = new Map(noted.map(({ subject, number }) => [subject, number]))
  const writes = [
    ...noted.map((it) => putAlways(watchedChange, it)),
    ...[...last].map(([subject, number]) => putAlways(watchedLast, { subject, number, version: 1 })),
  ]
  for (const part of splitIntoParts(writes, WRITES_AT_ONCE)) await commitWrites(part)
}

/**
 * Lists the subjects under which a change of this record is noted. They are itself, its kind, the sources and places that it names, and the
 * places around these.
 */
async function listSubjects(record: LoadedRecord, around: Around): Promise<string[]> {
  const named = (what: WatchSort, ids: readonly string[]) => ids.flatMap((about) => subjectOf({ what, about }) ?? [])
  // The source of a claim that waits is for insiders.
  const ofClaims = record.assertions
    .filter(isSettled)
    .flatMap(({ source, supporting_sources }) =>
      source === null ? supporting_sources : [source, ...supporting_sources],
    )
  const places = [...linkedIds(record, 'location'), ...relatedPlaces(record.assertions, () => true)]
  const all = [
    ...named('record', [record.entity_id]),
    ...named('kind', [record.kind]),
    ...named('place', places),
    ...named('source', [...linkedIds(record, 'data_source'), ...ofClaims]),
  ]
  const further = named('place', await listPlacesAround(places, around))
  return [...new Set([...new Set(all)].slice(0, MOST_SUBJECTS).concat(further))]
}

/** The ids of the things of this kind to which a record links: review identities of records, ids of sources. */
const linkedIds = ({ kind, data }: { kind: LoadedRecord['kind']; data: Values }, to: 'location' | 'data_source') =>
  Object.entries(data).flatMap(([name, value]) =>
    kinds[kind].fields[name]?.relation === to && Array.isArray(value)
      ? value.filter(isLink).map((link) => link.entity_id ?? String(link.id))
      : [],
  )
