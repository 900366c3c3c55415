import { isConflict, noneIf } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import {
  addCounted,
  getMany,
  itemAt,
  itemIn,
  parse,
  putAlways,
  removeCounted,
  removeEntry,
  type Write,
  walkTable,
} from '../../engines/table/index.ts'
import { type Actor, maySee, maySeeTier } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { countsOfRelated } from '../../platform/table/lists.ts'
import { type Kind, type KindKey, kindKeys, kindOfScope, kinds } from '../kinds/index.ts'
import { isLink } from '../names/text.ts'
import { type Assertion, type LinkItem, type LoadedRecord, link, type RecordItem, recordItem } from './items.ts'
import { loadRecordById } from './load.ts'

/**
 * Which records name each other. The projector stores it for public records:
 * 1. Both directions of every relation, under `RELATED#`.
 * 2. Cards of events, deities and guthis, beside the tangible records that they name.
 */
export type Edge = { from: string; fromKind: KindKey; to: string; toKind: KindKey; relation: string }

/** The edges from the values of a record. None while it is not public. */
export const publicEdges = (it: RecordItem | undefined): Edge[] => (it?.public && !it.deleted_at ? valueEdges(it) : [])

/** The edges from the values of a record, public or not. */
export function valueEdges(it: Pick<RecordItem, 'entity_id' | 'kind' | 'data'>): Edge[] {
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

/** The edge of an accepted relationship. It need not check the record: a claim is accepted only when its record is public. */
export function claimEdges(it: Assertion | undefined): Edge[] {
  const kind = kindOfScope(it?.object_entity_type ?? '')
  if (!it || !kind || it.reconciliation_status !== 'accepted' || it.object_entity_id === null) return []
  const to = kind.record ? recordId(kind.code, Number(it.object_entity_id)) : String(it.object_entity_id)
  const relation = it.asserted_property.replace(/^relationship\./, '')
  return [{ from: it.entity_id, fromKind: it.kind, to, toKind: kind.key, relation }]
}

/** All edges of a record as it stands: from its values, and from its accepted relationships. */
const standingEdges = (it: LoadedRecord | undefined): Edge[] =>
  it ? [...publicEdges(it), ...it.assertions.flatMap(claimEdges)] : []

/**
 * Stores or removes the edges that a change has touched. It looks at the record as it stands now, because a value and several
 * claims can make the same edge. Safe to repeat, in any order. Reads the record once, if an edge has come or gone.
 */
export async function followEdges(before: readonly Edge[], after: readonly Edge[]): Promise<void> {
  const [old, next] = [edgesByPlace(before), edgesByPlace(after)]
  const touched = [...[...old].filter(([at]) => !next.has(at)), ...[...next].filter(([at]) => !old.has(at))]
  const [first] = touched
  if (!first) return
  const standing = edgesByPlace(standingEdges(await loadRecordById(first[1].from)))
  for (const write of touched.flatMap(([at, it]) => edgeWrites(it, standing.has(at)))) await transactOnce(write)
}

/** A value and a claim may make the same edge. Here it counts once. */
const edgesByPlace = (edges: readonly Edge[]): Map<string, Edge> =>
  new Map(edges.map((it) => [`${it.from} ${it.relation} ${it.to}`, it]))

/** The writes of everything that follows from a record elsewhere: both directions of its edges, and its cards. */
export const derivedWrites = (it: LoadedRecord): Write[] => [
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

/** Applies an effect. If its condition fails, it was applied before. */
const transactOnce = (write: Write): Promise<void> => commitWrites([write]).catch(noneIf(isConflict))

/** Puts the cards of a record beside the tangible records that it names, and removes outdated cards. */
export async function followCards(before: RecordItem | undefined, after: RecordItem | undefined): Promise<void> {
  const [old, next] = [cardsOf(before), cardsOf(after)]
  const writes = [
    ...[...next]
      .filter(([place, it]) => JSON.stringify(old.get(place)) !== JSON.stringify(it))
      .map(([, it]) => putAlways(link, it)),
    ...[...old]
      .filter(([place]) => !next.has(place))
      .map(([, it]) => removeEntry(key.link(it.to, it.from, it.relation))),
  ]
  for (const write of writes) await commitWrites([write])
}

function cardsOf(it: RecordItem | undefined): Map<string, LinkItem> {
  if (!it || !hasCards(kinds[it.kind])) return new Map()
  const { id, name, kind, access_tier } = it
  const edges = publicEdges(it)
  // Only an event ties what it names to the record. What a deity or guthi names has nothing to do with the record.
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
const hasCards = (kind: Kind) => isHappening(kind) || isTied(kind.key)

const endOf = ({ to, toKind, relation }: Edge): LinkItem['ends'] => {
  const id = addressOf(to)?.sequence
  return isTied(toKind) && id !== undefined ? [{ kind: toKind, id, relation }] : []
}

/**
 * The record with further cards: the deities and guthis that an event on it names. Example: a consecration of this temple names
 * Taleju. An event that the caller may not see adds none. Views drop cards of other tiers. One call, or none without such events.
 */
export async function withTiedCards<T extends LoadedRecord>(it: T, actor: Actor | null): Promise<T> {
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

export type RelatedGroup = { kind: KindKey; count: number; heads: RecordItem[]; more: boolean }

/** Up to this many related records of a kind are counted exactly. Beyond, only as many are read as the page needs. */
const COUNTED = 500

/**
 * The related records that the caller may see, grouped by kind in the order of the registry: one page of each group, or of
 * group `only`. Counts leave out what the caller may not see. Two calls for each group, and one more for each further hundred.
 */
export async function listRelated(
  record: string,
  only: KindKey | undefined,
  page: number,
  size: number,
  actor: Actor | null,
): Promise<RelatedGroup[]> {
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

/** The first `most` related records of a kind that the caller may see. */
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
