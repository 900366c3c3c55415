import { get, parse, queryBetween } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { reviewedKinds } from '../kinds/keys.ts'
import { type Current, current, type FeedEntry, feedEnd, feedEntry, type LastTold, lastTold } from './items.ts'

/** The number of the latest change, 0 before the first. Strongly consistent. */
export const loadLastNumber = async (): Promise<number> => (await get(feedEnd, {}))?.number ?? 0

/**
 * At most `limit` changes after a number, in order and without a gap. A query may see half of a transaction that is being applied. So the
 * list ends before the first number that is missing, and a later call finds the rest. One query, however long the feed is.
 */
export async function listChangesAfter(number: number, limit: number): Promise<FeedEntry[]> {
  const [from, to] = [key.change(number + 1), key.change(number + limit)]
  const found = (await queryBetween(from.pk, from.sk, to.sk, limit)).map((item) => parse(feedEntry, item))
  const gap = found.findIndex((entry, i) => entry.number !== number + 1 + i)
  return gap < 0 ? found : found.slice(0, gap)
}

export const loadChange = (number: number): Promise<FeedEntry | undefined> => get(feedEntry, { number })

/** Where to continue in the lists of things: in this kind, after this sort key. */
export type ListPosition = { kind: string; after: string }

/** The kinds of record in the feed. Each has its own list. */
export const feedKinds = reviewedKinds

/**
 * Lists the things whose latest change lies between two moments, both included, by kind and then by time. Withdrawn ones are
 * among them. Returns at most `limit`, and whether there are more. At most one query for each kind, until the page is full.
 */
export async function listThingsBetween(
  span: { from: string; until: string; kinds: readonly string[] },
  place: ListPosition | undefined,
  limit: number,
): Promise<{ things: Current[]; more: boolean }> {
  const things: Current[] = []
  for (const kind of place ? span.kinds.slice(span.kinds.indexOf(place.kind)) : span.kinds) {
    const from = place?.kind === kind ? `${place.after}~` : span.from
    // `~` sorts after every other character, so the whole last second is included.
    const until = `${span.until}~`
    const left = limit + 1 - things.length
    const items = from <= until ? await queryBetween(key.changed(kind, '', 0).pk, from, until, left) : []
    things.push(...items.map((item) => parse(current, item)))
    if (things.length > limit) return { things: things.slice(0, limit), more: true }
  }
  return { things, more: false }
}

export const loadLastTold = (id: string): Promise<LastTold | undefined> => get(lastTold, { id })

/** The place of a thing in the lists of `listThingsBetween`. */
export const positionOf = ({ kind, at, number }: Current): ListPosition => ({
  kind,
  after: key.changed(kind, at, number).sk,
})
