import { openSearchModel } from '../../engines/search/index.ts'
import { getMany, itemIn, parse, walkTable } from '../../engines/table/index.ts'
import { scopeOf } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type FeedEntry, lastTold } from '../feed/items.ts'
import { isInFeed } from '../feed/state.ts'
import { reviewedKinds } from '../kinds/keys.ts'
import { resourceOf } from '../kinds/resources.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { subjectOf, type Watch, watchedChange, watchedLast } from './items.ts'

/** The most changes of one watched thing that are looked at, the latest ones. */
const MOST_CHANGES = 50

/** The latest change of a public record, with the record as it is now. */
export type SeenChange = Omit<FeedEntry, 'kind' | 'object_pk' | 'version'> & { record: RecordItem }
type NotedChange = Omit<SeenChange, 'record'>

/** Returns the watches under whose subject a change was noted after this number, and all watches of searches. One call. */
export async function withNews(watches: readonly Watch[], after: number): Promise<Watch[]> {
  const subjects = watches.flatMap((it) => subjectOf(it) ?? [])
  const found = await getMany([...new Set(subjects)].map(key.watchedLast), true)
  return watches.filter((it) => {
    const subject = subjectOf(it)
    if (subject === undefined) return true
    const last = itemIn(found, watchedLast, { subject })
    return last !== undefined && last.number > Math.max(it.since, after)
  })
}

/**
 * Lists the latest changes of watched things, newest first: those after the feed's number `after`, up to `through`. Each record appears
 * once, by its latest change, and only if everyone may read it now. Calls: one for each watch, and one for each hundred records. A watch of
 * a search also costs the model's calls.
 */
export async function listSeenChanges(
  watches: readonly Watch[],
  after = 0,
  through = Number.POSITIVE_INFINITY,
): Promise<SeenChange[]> {
  const noted = await Promise.all(watches.map((it) => notedChanges(it, Math.max(it.since, after))))
  const latest = new Map<string, NotedChange>()
  for (const change of noted.flat().filter(({ number }) => number <= through)) {
    const other = latest.get(change.id)
    latest.set(change.id, other ? joinChanges(other, change) : change)
  }
  const found = await getMany([...latest.keys()].map(key.head), true)
  return [...latest.values()]
    .sort((a, b) => b.number - a.number)
    .flatMap((change) => {
      const record = itemIn(found, recordItem, { entity_id: change.id })
      return record && isInFeed(record) ? [{ ...change, record }] : []
    })
}

/** Returns the later of two changes of a record. They may be the same change. */
const joinChanges = (a: NotedChange, b: NotedChange): NotedChange => (a.number < b.number ? b : a)

async function notedChanges(it: Watch, after: number): Promise<NotedChange[]> {
  const subject = subjectOf(it)
  const changes = subject === undefined ? await foundChanges(it.about) : await changesNotedUnder(subject)
  return changes.filter(({ number }) => number > after)
}

async function changesNotedUnder(subject: string): Promise<NotedChange[]> {
  const { pk } = key.watchedChange(subject, 0)
  const items = await walkTable({ pk, prefix: 'CHANGE#', forward: false, limit: MOST_CHANGES })
  return items.map((item) => parse(watchedChange, item))
}

/** The latest change of each record that a search finds for everyone. Only the 50 records that changed last are looked at. */
async function foundChanges(words: string): Promise<NotedChange[]> {
  const model = await openSearchModel()
  const { hits } = await model.search({
    text: words,
    scope: scopeOf(null),
    resources: reviewedKinds.map(resourceOf),
    published: true,
    sort: 'newest',
    limit: MOST_CHANGES,
  })
  const found = await getMany(hits.map(({ id }) => key.lastTold(id)))
  return hits.flatMap(({ id }) => {
    const last = itemIn(found, lastTold, { id })
    return last && last.digest !== null ? [{ id, number: last.number, at: last.at, change: 'updated' as const }] : []
  })
}
