import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../../base/clock.ts'
import { unavailable } from '../../../base/errors.ts'
import { db, TableName } from '../client.ts'
import { type Key, key, keyOf, place } from '../keys.ts'
import { projectionOf } from '../projection.ts'

/**
 * What a large transaction has written before its switch, and how readers see through it; see README.md.
 *
 *   staged_as   on                                          until the switch       after it
 *   changed     the item as it will be, in its place        its before-image       as it is
 *   before      the item as it was, under STAGED#<id>#      in the lists it is in  not there
 *   new         an item that was not there                  not there              as it is
 *   gone        an item that will not be there              as it is               not there
 *   later       nothing: an item that goes after one that   as it is               there for some seconds
 *               its readers look at
 *
 * The item of a counter carries `staged#<id>`: what is added to which of its attributes at the switch.
 */
export type Raw = Record<string, unknown>
export type How = 'changed' | 'before' | 'new' | 'gone' | 'later'

const COUNTER = 'COUNT#'
const DELTA = 'staged#'

/** The attribute of a counter's item that holds what a large transaction adds to the others. */
export const deltaName = (id: string) => `${DELTA}${id}`
/** Where an item lies as it was before a large transaction. */
export const beforeKey = ({ pk, sk }: Key, id: string): Key => ({ pk: `${prefixOf(id)}${pk}`, sk })
const prefixOf = (id: string) => `STAGED#${id}#`

/** The before-image of an item. */
export const beforeImage = (old: Raw, id: string): Raw => ({
  ...old,
  ...beforeKey(keyOf(old), id),
  type: 'staged',
  staged_type: old.type,
  staged_by: id,
  staged_as: 'before' satisfies How,
})

/** An item without what a large transaction has written on it. */
export function withoutStaging(stored: Raw): Raw {
  if (stored.staged_by === undefined) return stored
  const { staged_by, staged_as, staged_type, ...it } = stored
  if (staged_as === ('before' satisfies How))
    return { ...it, pk: String(it.pk).slice(prefixOf(String(staged_by)).length), type: staged_type }
  // Its version was raised with the mark, so that nobody writes over it.
  if (staged_as === ('gone' satisfies How) && typeof it.version === 'number') return { ...it, version: it.version - 1 }
  return it
}

/** Items of the table as readers may see them at this moment. Costs nothing where no large transaction has been at work. */
export async function resolveStaged(items: readonly Raw[]): Promise<Raw[]> {
  if (!items.some(isMarked)) return [...items]
  const done = await switched(items)
  const hidden = items.filter((it) => it.staged_as === 'changed' && !done.has(String(it.staged_by)))
  const befores = await rawMany(hidden.map(beforeKeyOf))
  const shown: Raw[] = []
  for (const it of items) {
    if (!isMarked(it)) shown.push(it)
    else if (isCounter(it)) shown.push(counted(it, done))
    else if (hidden.includes(it)) {
      const before = befores.get(place(beforeKeyOf(it)))
      shown.push(...(before ? [withoutStaging(before)] : await resolveMoved(it)))
    } else if (done.has(String(it.staged_by)) ? it.staged_as !== 'gone' : it.staged_as !== 'new')
      shown.push(withoutStaging(it))
  }
  return shown
}

const beforeKeyOf = (it: Raw) => beforeKey(keyOf(it), String(it.staged_by))

/** An item whose before-image was cleared away meanwhile: it is as it was again, or what it is now counts. */
async function resolveMoved(it: Raw): Promise<Raw[]> {
  const [now] = (await rawMany([keyOf(it)])).values()
  if (!now) return []
  return now.staged_by === it.staged_by ? [withoutStaging(now)] : resolveStaged([now])
}

/**
 * Items of an index partition as readers may see them: what was is shown by its before-image until the switch, what will
 * be by itself after it. In the moment between an image and its item both are in the list; `seen` drops the second.
 */
export async function resolveStagedInIndex(items: readonly Raw[], seen = new Set<string>()): Promise<Raw[]> {
  const done = items.some(isMarked) ? await switched(items) : known
  const before: readonly unknown[] = ['before', 'gone']
  const shown: Raw[] = []
  for (const it of items) {
    if (isMarked(it) && before.includes(it.staged_as) === done.has(String(it.staged_by))) continue
    const one = withoutStaging(it)
    const at = place(keyOf(one))
    if (!seen.has(at)) shown.push(one)
    seen.add(at)
  }
  return shown
}

/** Items as they are stored, whoever is at work on them; by `pk sk`. Asks again for keys that were not processed. */
export async function rawMany(
  keys: readonly Key[],
  consistent = true,
  members?: readonly string[],
): Promise<Map<string, Raw>> {
  const wanted = [...new Map(keys.map((each) => [place(each), each])).values()]
  const chunks = Array.from({ length: Math.ceil(wanted.length / 100) }, (_, i) => wanted.slice(100 * i, 100 * (i + 1)))
  const found: Raw[][] = []
  for (let start = 0; start < chunks.length; start += AT_ONCE)
    found.push(
      ...(await Promise.all(
        chunks
          .slice(start, start + AT_ONCE)
          .map((each) => rawChunk(each, { ConsistentRead: consistent, ...(members && projectionOf(members)) })),
      )),
    )
  return new Map(found.flat().map((item) => [place(keyOf(item)), item]))
}

/** So many calls are made at the same time. */
const AT_ONCE = 8

type Reading = Omit<NonNullable<BatchGetCommandInput['RequestItems']>[string], 'Keys'>

async function rawChunk(keys: readonly Key[], how: Reading): Promise<Raw[]> {
  const found: Raw[] = []
  let left: NonNullable<BatchGetCommandInput['RequestItems']> = {
    [TableName]: { Keys: keys.map(({ pk, sk }) => ({ pk, sk })), ...how },
  }
  for (let attempt = 1; left[TableName]?.Keys?.length; attempt += 1) {
    if (attempt > 8) throw unavailable()
    if (attempt > 1) await new Promise((done) => setTimeout(done, clock.random(25 * 2 ** attempt)))
    const { Responses, UnprocessedKeys } = await db.send(new BatchGetCommand({ RequestItems: left }))
    found.push(...(Responses?.[TableName] ?? []))
    // prove: unprocessed-reads
    left = UnprocessedKeys ?? {}
  }
  return found
}

const isCounter = (it: Raw) => String(it.pk).startsWith(COUNTER)
const deltasIn = (it: Raw) => Object.keys(it).filter((name) => name.startsWith(DELTA))
const isMarked = (it: Raw) => it.staged_by !== undefined || (isCounter(it) && deltasIn(it).length > 0)

/** A switch is for good, so whoever has seen it looks no more. */
// prove: memory
const known = new Set<string>()
const MOST_KNOWN = 10_000

/** Tells this process of a switch. */
export function knowSwitched(id: string): void {
  if (known.size >= MOST_KNOWN) known.clear()
  known.add(id)
}

/** Those of the large transactions that have marked these items whose switch is done. */
const switched = (items: readonly Raw[]): Promise<Set<string>> =>
  switchedAmong(
    items.flatMap((it) =>
      isCounter(it) ? deltasIn(it).map((name) => name.slice(DELTA.length)) : it.staged_by ? String(it.staged_by) : [],
    ),
  )

/** Those of these large transactions whose switch is done. */
export async function switchedAmong(ids: readonly string[]): Promise<Set<string>> {
  const asked = [...new Set(ids)].filter((id) => !known.has(id))
  if (asked.length > 0) {
    const found = await rawMany(asked.map(key.large))
    for (const it of found.values()) if (it.state === 'done') knowSwitched(String(it.id))
  }
  return new Set(ids.filter((id) => known.has(id)))
}

function counted(it: Raw, done: ReadonlySet<string>): Raw {
  const deltas = deltasIn(it)
  const shown = Object.fromEntries(Object.entries(it).filter(([name]) => !deltas.includes(name)))
  for (const delta of deltas.filter((name) => done.has(name.slice(DELTA.length))))
    for (const [name, by] of Object.entries(Object(it[delta]))) shown[name] = Number(shown[name] ?? 0) + Number(by)
  return shown
}
