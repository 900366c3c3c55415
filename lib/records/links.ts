import { isConflict, noneIf } from '../errors.ts'
import { addressOf, recordId } from '../ids/address.ts'
import { type Kind, type KindKey, kindKeys, kindOfScope, kinds } from '../kinds/index.ts'
import { isLink } from '../names/text.ts'
import { type Actor, maySee, maySeeTier } from '../permissions.ts'
import { addCounted, parse, putAlways, removeCounted, removeEntry, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { countsOfRelated, getMany, itemAt, itemIn, walkTable } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { type Assertion, type LinkItem, type Loaded, link, type RecordItem, recordItem } from './items.ts'
import { loadById } from './load.ts'

/**
 * Which records name each other. Kept by the projector from what is public: both directions of every relation under
 * RELATED#, and beside tangible records the events, deities and guthis that name them.
 */
export type Edge = { from: string; fromKind: KindKey; to: string; toKind: KindKey; relation: string }

/** The edges that a public record's values make. */
export const edgesOf = (it: RecordItem | undefined): Edge[] => (it?.public && !it.deleted_at ? namedBy(it) : [])

/** The edges that a record's values would make. */
export function namedBy(it: Pick<RecordItem, 'entity_id' | 'kind' | 'data'>): Edge[] {
  const { fields } = kinds[it.kind]
  return Object.entries(it.data).flatMap(([relation, value]) => {
    const target = fields[relation]?.relation
    if (!target || !kinds[target].record || !Array.isArray(value)) return []
    return value.filter(isLink).flatMap(({ id }) =>
      typeof id === 'number'
        ? [
            {
              from: it.entity_id,
              fromKind: it.kind,
              to: recordId(kinds[target].code, id),
              toKind: target,
              relation,
            },
          ]
        : [],
    )
  })
}

/** The edge of an accepted relationship; its record is public, since only such claims are accepted. */
export function edgeOf(it: Assertion | undefined): Edge[] {
  const kind = kindOfScope(it?.object_entity_type ?? '')
  if (!it || !kind || it.reconciliation_status !== 'accepted' || it.object_entity_id === null) return []
  const to = kind.record ? recordId(kind.code, Number(it.object_entity_id)) : String(it.object_entity_id)
  const relation = it.asserted_property.replace(/^relationship\./, '')
  return [{ from: it.entity_id, fromKind: it.kind, to, toKind: kind.key, relation }]
}

/** The edges that a record makes as it stands: by its values, and by each accepted relationship that is claimed of it. */
const standingEdges = (it: Loaded | undefined): Edge[] => (it ? [...edgesOf(it), ...it.assertions.flatMap(edgeOf)] : [])

/**
 * Makes the stored edges that a change has touched those of everything that stands now, since two claims can make one edge, and a
 * claim and a value. Repeating it changes nothing, in any order. Reads the record once when an edge has come or gone.
 */
export async function followEdges(before: readonly Edge[], after: readonly Edge[]): Promise<void> {
  const [old, next] = [edgesByPlace(before), edgesByPlace(after)]
  const touched = [...[...old].filter(([at]) => !next.has(at)), ...[...next].filter(([at]) => !old.has(at))]
  const [first] = touched
  if (!first) return
  const standing = edgesByPlace(standingEdges(await loadById(first[1].from)))
  for (const write of touched.flatMap(([at, it]) => edgeWrites(it, standing.has(at)))) await once(write)
}

/** Edges by what tells them apart. */
const edgesByPlace = (edges: readonly Edge[]): Map<string, Edge> =>
  new Map(edges.map((it) => [`${it.from} ${it.relation} ${it.to}`, it]))

/** Everything that stands elsewhere because of a record: both ends of its edges, and its cards. */
export const shownElsewhere = (it: Loaded): Write[] => [
  ...[...edgesByPlace(standingEdges(it)).values()].flatMap((edge) => edgeWrites(edge, true)),
  ...[...cardsOf(it).values()].map((card) => putAlways(link, card)),
]

const edgeWrites = (edge: Edge, stands: boolean): Write[] =>
  bothWays(edge).map(([at, list, entry]) => (stands ? addCounted(at, entry, list) : removeCounted(at, list)))

const relatedList = (to: string, kind: string) => `RELATED#${to}#${kind}`
const bothWays = (it: Edge) =>
  [
    [key.related(it.to, it.fromKind, it.from, it.relation), relatedList(it.to, it.fromKind), { record: it.from }],
    [key.related(it.from, it.toKind, it.to, it.relation), relatedList(it.from, it.toKind), { record: it.to }],
  ] as const

/** An effect whose condition fails has been there before. */
const once = (write: Write): Promise<void> => transact([write]).catch(noneIf(isConflict))

/** Puts the cards of a record beside the tangible records that it names, and takes away those of before. */
export async function showBeside(before: RecordItem | undefined, after: RecordItem | undefined): Promise<void> {
  const [old, next] = [cardsOf(before), cardsOf(after)]
  const writes = [
    ...[...next]
      .filter(([place, it]) => JSON.stringify(old.get(place)) !== JSON.stringify(it))
      .map(([, it]) => putAlways(link, it)),
    ...[...old]
      .filter(([place]) => !next.has(place))
      .map(([, it]) => removeEntry(key.link(it.to, it.from, it.relation))),
  ]
  for (const write of writes) await transact([write])
}

function cardsOf(it: RecordItem | undefined): Map<string, LinkItem> {
  if (!it || !showsBeside(kinds[it.kind])) return new Map()
  const { id, name, kind, access_tier } = it
  const edges = edgesOf(it)
  // A deity or guthi is shown for itself; what it names has nothing to do with the record.
  const ends = isHappening(kinds[kind]) ? edges.flatMap(endOf) : []
  return new Map(
    edges
      .filter(({ toKind }) => kinds[toKind].category === 'tangible')
      .map(({ from, to, relation }) => [
        `${to} ${relation}`,
        { to, from, relation, kind, id, name, access_tier, ends, version: 1 },
      ]),
  )
}

const isHappening = ({ category }: Kind) => category === 'event' || category === 'kumari'
const isTied = (kind: KindKey) => kind === 'deity' || kind === 'guthi'
const showsBeside = (kind: Kind) => isHappening(kind) || isTied(kind.key)

const endOf = ({ to, toKind, relation }: Edge): LinkItem['ends'] => {
  const id = addressOf(to)?.sequence
  return isTied(toKind) && id !== undefined ? [{ kind: toKind, id, relation }] : []
}

/**
 * The record with what is shown beside it, as the caller may know it: the cards of what names it, and of the deities and guthis
 * that an event ties to it, each only once. Views leave out the cards of other tiers. One call, or none where nothing is tied to it.
 */
export async function withTied<T extends Loaded>(it: T, actor: Actor | null): Promise<T> {
  const ends = it.links.flatMap((card) => (maySeeTier(actor, card.access_tier) ? card.ends : []))
  const own = new Set(it.links.map(({ from }) => from))
  const tied = new Map(ends.map((end) => [recordId(kinds[end.kind].code, end.id), end]))
  const wanted = [...tied].filter(([entity]) => !own.has(entity))
  if (wanted.length === 0) return it
  const found = await getMany(wanted.map(([entity]) => key.head(entity)))
  const cards = wanted.flatMap(([entity, { relation }]): LinkItem[] => {
    const stored = itemAt(found, key.head(entity))
    const head = stored && parse(recordItem, stored)
    if (!head?.public || head.deleted_at) return []
    const { kind, id, name, access_tier } = head
    return [{ to: it.entity_id, from: entity, kind, id, name, relation, access_tier, ends: [], version: 1 }]
  })
  return { ...it, links: [...it.links, ...cards] }
}

export type Group = { kind: KindKey; count: number; heads: RecordItem[]; more: boolean }

/** So many related records of a kind are counted exactly, and read at once; beyond, as many as a page and the next one need. */
const COUNTED = 500

/**
 * The records related to one that the caller may see, by kind in the order of the registry: one page of each group, or of one.
 * What the caller may not see is in no count. For each group two calls, and one more for each further hundred.
 */
export async function relatedTo(
  record: string,
  only: KindKey | undefined,
  page: number,
  size: number,
  actor: Actor | null,
): Promise<Group[]> {
  const sizes = await countsOfRelated(record)
  const wanted = kindKeys.filter((kind) => (sizes.get(kind) ?? 0) > 0 && (!only || only === kind))
  const groups = await Promise.all(
    wanted.map(async (kind) => {
      const visible = await visibleRelated(record, kind, Math.max(COUNTED, page * size + 1), actor)
      const heads = visible.slice((page - 1) * size, page * size)
      return { kind, count: visible.length, heads, more: page * size < visible.length }
    }),
  )
  return groups.filter(({ count }) => count > 0)
}

/** The first so many records of a kind that are related to one and that the caller may see. */
async function visibleRelated(record: string, kind: KindKey, most: number, actor: Actor | null): Promise<RecordItem[]> {
  const visible = new Map<string, RecordItem>()
  const span = { pk: `RELATED#${record}`, prefix: `${kind}#`, forward: true, limit: COUNTED }
  let beyond: string | undefined
  while (visible.size < most) {
    const entries = await walkTable({ ...span, beyond })
    const ids = entries.map((entry) => String(entry.record))
    const found = await getMany([...new Set(ids)].map(key.head))
    for (const id of ids) {
      const head = itemIn(found, recordItem, { entity_id: id })
      if (head && maySee(actor, head) && !head.deleted_at) visible.set(id, head)
    }
    if (entries.length < COUNTED) break
    beyond = String(entries.at(-1)?.sk)
  }
  return [...visible.values()].slice(0, most)
}
