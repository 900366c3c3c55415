import { gunzipSync } from 'node:zlib'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Item } from '../world/expressions.ts'
import { itemTypes, moduleIn } from '../world/processes.ts'
import type { World } from '../world/world.ts'

/** A stored item in plain values. */
// biome-ignore lint/suspicious/noExplicitAny: items are of many types
export type Plain = Record<string, any>

/** What there is, as readers may see it: what a large transaction has only prepared is looked through. */
export type View = {
  world: World
  items: readonly Plain[]
  of: (type: string) => readonly Plain[]
  at: (pk: string, sk?: string) => Plain | undefined
  partition: (pk: string) => readonly Plain[]
  /** Nothing is left that follows of itself. */
  settled: boolean
  /** Every item as it is stored. */
  raw: readonly Plain[]
}

/** Bytes are in base64 on the wire. */
const withBytes = (it: unknown): unknown => {
  if (typeof it !== 'object' || it === null) return it
  if (Array.isArray(it)) return it.map(withBytes)
  return Object.fromEntries(
    Object.entries(it).map(([name, value]) =>
      name === 'B' && typeof value === 'string'
        ? [name, new Uint8Array(Buffer.from(value, 'base64'))]
        : [name, withBytes(value)],
    ),
  )
}

const known = new WeakMap<Item, Plain>()
const plainOf = (item: Item): Plain => {
  const found = known.get(item)
  if (found) return found
  const made = unmarshall(withBytes(item) as never)
  known.set(item, made)
  return made
}

/** The items by what large transactions say of them; see lib/engines/table/two-phase. Written without its code. */
function seen(raw: readonly Plain[]): Plain[] {
  const done = new Set(raw.filter((it) => it.type === 'large' && it.state === 'done').map((it) => it.id))
  const marks: Readonly<Record<string, (isDone: boolean) => boolean>> = {
    changed: (isDone) => isDone,
    new: (isDone) => isDone,
    gone: (isDone) => !isDone,
    before: (isDone) => !isDone,
  }
  const replaced = new Set(raw.filter((it) => it.staged_as === 'before').map(placeBefore))
  // A mark of one that is done says nothing any more.
  const isAsItIs = (it: Plain) => it.staged_by === undefined || (it.staged_as === 'changed' && done.has(it.staged_by))
  const going = new Set(raw.filter((it) => it.type === 'large_part' && done.has(it.id)).flatMap(goingBy))
  const inPlace = new Set(raw.filter(isAsItIs).map((it) => `${it.pk} ${it.sk}`))
  return raw.flatMap((it) => {
    if (String(it.pk).startsWith('COUNT#')) return [counted(it, done)]
    if (going.has(`${it.pk} ${it.sk} ${it.version}`)) return []
    if (it.staged_by === undefined) return [it]
    const isSeen = marks[it.staged_as]?.(done.has(it.staged_by)) ?? false
    // One that is marked and has no image beside it is as it was.
    if (it.staged_as === 'changed' && !done.has(it.staged_by) && !replaced.has(`${it.pk} ${it.sk}`))
      return [unmarked(it)]
    // Between an image and its item readers come by both, and pass over the second.
    if (it.staged_as === 'before' && inPlace.has(placeBefore(it))) return []
    return isSeen ? [unmarked(it)] : []
  })
}

/** What goes with a part that is done, and whose readers look at something else: where it lies, and its version. */
const goingBy = ({ touched }: Plain): string[] =>
  JSON.parse(gunzipSync(touched).toString()).flatMap(([pk, sk, how, version]: unknown[]) =>
    how === 'later' ? [`${pk} ${sk} ${version}`] : [],
  )

/** Where an item lies of which this is the image. */
const placeBefore = (it: Plain): string => `${String(it.pk).slice(`STAGED#${it.staged_by}#`.length)} ${it.sk}`

function unmarked({ staged_by, staged_as, staged_type, ...it }: Plain): Plain {
  if (staged_as === 'before')
    return { ...it, pk: String(it.pk).slice(`STAGED#${staged_by}#`.length), type: staged_type }
  return staged_as === 'gone' && typeof it.version === 'number' ? { ...it, version: it.version - 1 } : it
}

function counted(it: Plain, done: ReadonlySet<string>): Plain {
  const deltas = Object.keys(it).filter((name) => name.startsWith('staged#'))
  if (deltas.length === 0) return it
  const shown: Plain = Object.fromEntries(Object.entries(it).filter(([name]) => !deltas.includes(name)))
  for (const delta of deltas.filter((name) => done.has(name.slice('staged#'.length))))
    for (const [name, by] of Object.entries(it[delta] ?? {})) shown[name] = Number(shown[name] ?? 0) + Number(by)
  return shown
}

export function viewOf(world: World, settled: boolean, stored: readonly Item[] = world.items()): View {
  const raw = stored.map(plainOf)
  const items = seen(raw)
  const types = Map.groupBy(items, (it) => String(it.type))
  const partitions = Map.groupBy(items, (it) => String(it.pk))
  return {
    world,
    items,
    of: (type) => types.get(type) ?? [],
    at: (pk, sk = 'HEAD') => partitions.get(pk)?.find((it) => it.sk === sk),
    partition: (pk) => partitions.get(pk) ?? [],
    settled,
    raw,
  }
}

/** The project's own pure functions that say what should be where; they compute it anew from what is. */
export type Oracle = {
  types: ReturnType<typeof itemTypes>
  listsWith: (type: string, stored: unknown) => readonly string[]
  sizeOf: (list: string) => { group: string; sk: string | undefined; attribute: string }
  sizesIn: (item: Plain) => [{ group: string; sk: string | undefined; attribute: string }, number][]
  assemble: (items: readonly Plain[]) => Plain | undefined
  derivedOf: (loaded: Plain) => Map<string, { action: { Put?: { Item?: Plain } } }>
  documentOf: (stored: Plain) => Plain | undefined
  moves: (
    old: undefined,
    next: Plain,
  ) => {
    rows: { action: { Put?: { Item?: Plain } } }[]
    counts: Map<string, { at: { pk: string; sk: string }; by: Record<string, number> }>
  }
  figureLists: Readonly<Record<string, (user: string) => readonly string[]>>
  sumOf: (lists: readonly string[], found: ReadonlyMap<string, Plain>) => number
  /** Who is told of something in a record's partition now; undefined of what has no audience. */
  audienceOf: (it: Plain, about: Plain) => string | undefined
  commentAudienceOf: (about: Plain) => string
}

export async function openOracle(): Promise<Oracle> {
  const load = (path: string) => moduleIn(0, path)
  await load('lib/domain/composition.ts')
  await load('lib/domain/effects/repair.ts')
  const [item, counters, loads, repair, documents, boards, records, packs, comments] = await Promise.all(
    [
      'lib/engines/table/item.ts',
      'lib/engines/table/counters.ts',
      'lib/domain/records/load.ts',
      'lib/domain/effects/repair-records.ts',
      'lib/domain/effects/search-documents.ts',
      'lib/domain/leaderboard/items.ts',
      'lib/domain/records/items.ts',
      'lib/domain/records/claim-packs.ts',
      'lib/domain/comments/on-records.ts',
    ].map(load),
  )
  type Told = { type: Plain; told: (it: Plain, about: Plain) => Plain }
  const tellings: Readonly<Record<string, Told>> = {
    activity: { type: records.activity, told: records.withActivityAudience },
    decision: { type: records.decision, told: records.withDecisionAudience },
    flag: { type: records.flag, told: records.withFlagAudience },
    claims: {
      type: packs.claimPack,
      told: (it, about) => ({ audience: packs.audienceOfClaims(packs.unpackClaims(it), about) }),
    },
  }
  return {
    types: itemTypes(0),
    listsWith: item.listsWith,
    sizeOf: counters.sizeOf,
    sizesIn: counters.sizesIn,
    sumOf: counters.sumOf,
    assemble: loads.assembleRecord,
    derivedOf: repair.shown_derivedOf,
    documentOf: documents.documentOf,
    moves: boards.rowChanges,
    figureLists: boards.figureLists,
    audienceOf: (it, about) => {
      const telling = tellings[String(it.type)]
      return telling?.told(item.parse(telling.type, it), about).audience
    },
    commentAudienceOf: comments.commentAudienceOf,
  }
}
