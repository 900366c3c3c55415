import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb'
import { mapAtOnce, splitIntoParts } from '../../../base/concurrency.ts'
import { READS_IN_CALL, sendUnprocessed } from '../batch.ts'
import { db, TableName } from '../client.ts'
import { type Key, key, keyOf, place } from '../keys.ts'
import { projectionOf } from '../projection.ts'

// Marks of two-phase commits, and items as readers see them through the marks; see README.md.
//
//   staged_as   on                                          until the switch            after it
//   changed     the item as it will be, in its place        readers see its before-image  the item
//   before      the item as it was, under STAGED#<id>#      in lists, instead of the item  nothing
//   new         an item that does not exist yet             nothing                     the item
//   gone        an item that will be deleted                the item                    nothing
//   later       no mark: an item that readers find only     the item                    the item, for some seconds
//               through another item
//
// A counter's item has no mark. Its member `staged#<id>` holds what the switch adds to its numbers.

/** An item as it is stored, with its mark. */
export type Raw = Record<string, unknown>
export type Mark = 'changed' | 'before' | 'new' | 'gone' | 'later'

const COUNTER = 'COUNT#'
const DELTA = 'staged#'

/** The member of a counter's item that holds what a two-phase commit adds to its numbers. */
export const deltaName = (id: string) => `${DELTA}${id}`
/** The key of an item's before-image. */
export const beforeKey = ({ pk, sk }: Key, id: string): Key => ({ pk: `${prefixOf(id)}${pk}`, sk })
const prefixOf = (id: string) => `STAGED#${id}#`

/** The before-image of an item. It keeps the item's place in the indexes. */
export const beforeImage = (old: Raw, id: string): Raw => ({
  ...old,
  ...beforeKey(keyOf(old), id),
  type: 'staged',
  staged_type: old.type,
  staged_by: id,
  staged_as: 'before' satisfies Mark,
})

/** An item without its mark, under its own key and with the version that it had. */
export function withoutStaging(stored: Raw): Raw {
  if (stored.staged_by === undefined) return stored
  const { staged_by, staged_as, staged_type, ...item } = stored
  if (staged_as === ('before' satisfies Mark))
    return { ...item, pk: String(item.pk).slice(prefixOf(String(staged_by)).length), type: staged_type }
  // The mark has raised the version, so that other writers fail.
  if (staged_as === ('gone' satisfies Mark) && typeof item.version === 'number')
    return { ...item, version: item.version - 1 }
  return item
}

/** Items read by key, as readers may see them now. Makes no call unless an item has a mark. */
export async function resolveStaged(items: readonly Raw[]): Promise<Raw[]> {
  if (!items.some(isMarked)) return [...items]
  const done = await loadSwitched(items)
  const hidden = items.filter((it) => it.staged_as === 'changed' && !done.has(String(it.staged_by)))
  const befores = await rawMany(hidden.map(beforeKeyOf))
  const visible: Raw[] = []
  for (const item of items) {
    if (!isMarked(item)) visible.push(item)
    else if (isCounter(item)) visible.push(withDeltas(item, done))
    else if (hidden.includes(item)) {
      const before = befores.get(place(beforeKeyOf(item)))
      visible.push(...(before ? [withoutStaging(before)] : await rereadMoved(item)))
    } else if (done.has(String(item.staged_by)) ? item.staged_as !== 'gone' : item.staged_as !== 'new')
      visible.push(withoutStaging(item))
  }
  return visible
}

const beforeKeyOf = (item: Raw) => beforeKey(keyOf(item), String(item.staged_by))

/** Reads an item again whose before-image has just been deleted. Either its commit was settled, so the item is visible, or it was undone. */
async function rereadMoved(item: Raw): Promise<Raw[]> {
  const [now] = (await rawMany([keyOf(item)])).values()
  if (!now) return []
  return now.staged_by === item.staged_by ? [withoutStaging(now)] : resolveStaged([now])
}

/**
 * Items of an index partition, as readers may see them now: before the switch the before-image, after it the item. For a moment the index
 * may hold both. `seen` holds the keys that were returned, so the second is dropped.
 */
export async function resolveStagedInIndex(items: readonly Raw[], seen = new Set<string>()): Promise<Raw[]> {
  const done = items.some(isMarked) ? await loadSwitched(items) : known
  const untilSwitch: readonly unknown[] = ['before', 'gone']
  const visible: Raw[] = []
  for (const item of items) {
    if (isMarked(item) && untilSwitch.includes(item.staged_as) === done.has(String(item.staged_by))) continue
    const unmarked = withoutStaging(item)
    const at = place(keyOf(unmarked))
    if (!seen.has(at)) visible.push(unmarked)
    seen.add(at)
  }
  return visible
}

/** Calls that are under way at the same time, each for 100 keys. */
const CALLS_AT_ONCE = 8

/** Items as they are stored, with their marks, by `pk sk`. With `members`, only these members of them. */
export async function rawMany(
  keys: readonly Key[],
  consistent = true,
  members?: readonly string[],
): Promise<Map<string, Raw>> {
  const unique = [...new Map(keys.map((at) => [place(at), at])).values()]
  const options: ReadOptions = { ConsistentRead: consistent, ...(members && projectionOf(members)) }
  const batches = splitIntoParts(unique, READS_IN_CALL)
  const items = await mapAtOnce(batches, CALLS_AT_ONCE, (batch) => readBatch(batch, options))
  return new Map(items.flat().map((item) => [place(keyOf(item)), item]))
}

type ReadOptions = Omit<NonNullable<BatchGetCommandInput['RequestItems']>[string], 'Keys'>

async function readBatch(keys: readonly Key[], options: ReadOptions): Promise<Raw[]> {
  const items: Raw[] = []
  await sendUnprocessed<Raw>(
    keys.map(({ pk, sk }) => ({ pk, sk })),
    async (some) => {
      const RequestItems = { [TableName]: { Keys: [...some], ...options } }
      const { Responses, UnprocessedKeys } = await db.send(new BatchGetCommand({ RequestItems }))
      items.push(...(Responses?.[TableName] ?? []))
      // prove: unprocessed-reads
      return UnprocessedKeys?.[TableName]?.Keys ?? []
    },
  )
  return items
}

const isCounter = (item: Raw) => String(item.pk).startsWith(COUNTER)
const deltasIn = (item: Raw) => Object.keys(item).filter((name) => name.startsWith(DELTA))
const isMarked = (item: Raw) => item.staged_by !== undefined || (isCounter(item) && deltasIn(item).length > 0)

/** Two-phase commits whose switch this process has seen. A switch is never taken back, so it is looked up once. */
// prove: memory
const known = new Set<string>()
const MOST_KNOWN = 10_000

/** Notes in this process that a two-phase commit has switched. */
export function cacheSwitch(id: string): void {
  if (known.size >= MOST_KNOWN) known.clear()
  known.add(id)
}

/** Loads which of the two-phase commits that marked these items have switched. */
const loadSwitched = (items: readonly Raw[]): Promise<Set<string>> =>
  switchedAmong(
    items.flatMap((item) =>
      isCounter(item)
        ? deltasIn(item).map((name) => name.slice(DELTA.length))
        : item.staged_by
          ? String(item.staged_by)
          : [],
    ),
  )

/** Returns the ids of those two-phase commits that have switched. Reads only the commits that this process has not seen switched. */
export async function switchedAmong(ids: readonly string[]): Promise<Set<string>> {
  const unknown = [...new Set(ids)].filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const commits = await rawMany(unknown.map(key.twoPhase))
    for (const { id, state } of commits.values()) if (state === 'done') cacheSwitch(String(id))
  }
  return new Set(ids.filter((id) => known.has(id)))
}

/** A counter to which the staged numbers of switched commits are added. */
function withDeltas(counter: Raw, done: ReadonlySet<string>): Raw {
  const deltas = deltasIn(counter)
  const visible = Object.fromEntries(Object.entries(counter).filter(([name]) => !deltas.includes(name)))
  for (const delta of deltas.filter((name) => done.has(name.slice(DELTA.length))))
    for (const [name, by] of Object.entries(Object(counter[delta])))
      visible[name] = Number(visible[name] ?? 0) + Number(by)
  return visible
}
