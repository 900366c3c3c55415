import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb'
import { clock } from '../../clock.ts'
import { unavailable } from '../../errors.ts'
import { db, TableName } from '../client.ts'
import { type Key, key } from '../keys.ts'

/**
 * What a large transaction has written down before its switch, and how readers see through it; see large.ts.
 *
 *   staged_as   on                                    until the switch    after it
 *   changed     the item as it was                    as it is            its image takes its place
 *   image       a copy under STAGED#, as it will be   not there           in the lists that it enters
 *   new         an item that was not there            not there           as it is
 *   gone        an item that will not be there        as it is            not there
 *
 * A counter carries `staged#<id>#<attribute>`: what is added to the attribute at the switch.
 */
export type Raw = Record<string, unknown>
export type How = 'changed' | 'image' | 'new' | 'gone'

const COUNTER = 'COUNT#'
const IMAGE = 'STAGED#'
const DELTA = 'staged#'

/** The attribute of a counter's item that holds what a large transaction adds to another one. */
export const deltaName = (id: string, name: string) => `${DELTA}${id}#${name}`
const transactionOf = (delta: string) => delta.split('#')[1] ?? ''
const countOf = (delta: string) => delta.split('#').slice(2).join('#')
/** Where the image of an item lies until it takes its place. */
export const imageKey = ({ pk, sk }: Key): Key => ({ pk: `${IMAGE}${pk}`, sk })

/** An item as its image is stored. */
export const imageOf = (next: Raw, id: string): Raw => ({
  ...next,
  pk: `${IMAGE}${next.pk}`,
  type: 'staged',
  staged_type: next.type,
  staged_by: id,
  staged_as: 'image' satisfies How,
})

/** An item without what a large transaction has written on it. */
export function withoutStaging({ staged_by: _, staged_as, staged_type, ...it }: Raw): Raw {
  if (staged_as !== ('image' satisfies How)) return it
  return { ...it, pk: String(it.pk).slice(IMAGE.length), type: staged_type }
}

/** Items of the table as readers may see them at this moment. Costs nothing where no large transaction is at work. */
export async function resolveStaged(items: readonly Raw[]): Promise<Raw[]> {
  if (!items.some(isMarked)) return [...items]
  const done = await switched(items)
  const moved = items.filter((it) => it.staged_as === 'changed' && done.has(String(it.staged_by)))
  const images = await rawMany(moved.map((it) => imageKey(keyOf(it))))
  const shown: Raw[] = []
  for (const it of items) {
    if (!isMarked(it)) shown.push(it)
    else if (isCounter(it)) shown.push(counted(it, done))
    else if (it.staged_as === 'changed' && done.has(String(it.staged_by))) {
      const image = images.get(place(imageKey(keyOf(it))))
      // It has taken its place since.
      if (image) shown.push(withoutStaging(image))
      else shown.push(...(await resolveStaged([...(await rawMany([keyOf(it)])).values()])))
    } else if (done.has(String(it.staged_by)) ? it.staged_as !== 'gone' : it.staged_as !== 'new')
      shown.push(withoutStaging(it))
  }
  return shown
}

/** Items of an index partition as readers may see them: what has moved speaks for itself by its image. */
export async function resolveStagedInIndex(items: readonly Raw[]): Promise<Raw[]> {
  if (!items.some(isMarked)) return [...items]
  const done = await switched(items)
  const before: readonly unknown[] = ['changed', 'gone']
  return items
    .filter((it) => !isMarked(it) || before.includes(it.staged_as) !== done.has(String(it.staged_by)))
    .map((it) => (isMarked(it) ? withoutStaging(it) : it))
}

/** An image of the stream as the projector may see it: nothing of what is only prepared. */
export function asSeenByStream(item: Raw | undefined): Raw | undefined {
  if (!item || item.staged_by === undefined) return item
  return item.staged_as === 'new' || item.staged_as === 'image' ? undefined : withoutStaging(item)
}

/** Items as they are stored, whoever is at work on them; by `pk sk`. Asks again for keys that were not processed. */
export async function rawMany(
  keys: readonly Key[],
  consistent = true,
  abortSignal?: AbortSignal,
): Promise<Map<string, Raw>> {
  const wanted = [...new Map(keys.map((each) => [place(each), each])).values()]
  const chunks = Array.from({ length: Math.ceil(wanted.length / 100) }, (_, i) => wanted.slice(100 * i, 100 * (i + 1)))
  const found: Raw[][] = []
  for (let start = 0; start < chunks.length; start += AT_ONCE)
    found.push(
      ...(await Promise.all(
        chunks.slice(start, start + AT_ONCE).map((each) => rawChunk(each, consistent, abortSignal)),
      )),
    )
  return new Map(found.flat().map((item) => [place(keyOf(item)), item]))
}

/** So many calls are made at the same time. */
const AT_ONCE = 8

async function rawChunk(keys: readonly Key[], ConsistentRead: boolean, abortSignal?: AbortSignal): Promise<Raw[]> {
  const found: Raw[] = []
  let left: NonNullable<BatchGetCommandInput['RequestItems']> = {
    [TableName]: { Keys: keys.map(({ pk, sk }) => ({ pk, sk })), ConsistentRead },
  }
  for (let attempt = 1; left[TableName]?.Keys?.length; attempt += 1) {
    if (attempt > 8) throw unavailable()
    if (attempt > 1) await new Promise((done) => setTimeout(done, clock.random(25 * 2 ** attempt)))
    const { Responses, UnprocessedKeys } = await db.send(
      new BatchGetCommand({ RequestItems: left }),
      abortSignal && { abortSignal },
    )
    found.push(...(Responses?.[TableName] ?? []))
    left = UnprocessedKeys ?? {}
  }
  return found
}

/** A key as text, for maps. */
export const place = ({ pk, sk }: Key) => `${pk} ${sk}`
/** Where an item lies. */
export const keyOf = ({ pk, sk }: Raw): Key => ({ pk: String(pk), sk: String(sk) })

const isCounter = (it: Raw) => String(it.pk).startsWith(COUNTER)
const deltasIn = (it: Raw) => Object.keys(it).filter((name) => name.startsWith(DELTA))
const isMarked = (it: Raw) => it.staged_by !== undefined || (isCounter(it) && deltasIn(it).length > 0)

/** Those of the large transactions at work on these items whose switch is done. */
async function switched(items: readonly Raw[]): Promise<Set<string>> {
  const ids = new Set(items.flatMap((it) => (isCounter(it) ? deltasIn(it).map(transactionOf) : (it.staged_by ?? []))))
  const found = await rawMany([...ids].map((id) => key.large(String(id))))
  return new Set([...found.values()].filter((it) => it.state === 'done').map((it) => String(it.id)))
}

function counted(it: Raw, done: ReadonlySet<string>): Raw {
  const deltas = deltasIn(it)
  const shown = Object.fromEntries(Object.entries(it).filter(([name]) => !deltas.includes(name)))
  for (const delta of deltas.filter((name) => done.has(transactionOf(name)))) {
    const name = countOf(delta)
    shown[name] = Number(shown[name] ?? 0) + Number(it[delta])
  }
  return shown
}
