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
 * Records that name each other. The projector stores for public records:
 *
 * 1. Both directions of every relation, under `RELATED#`.
 * 2. Cards of events, deities and guthis, beside the tangible records that they name.
 */

/** A record (`from`) names another record (`to`). */
export type Edge = { from: string; fromKind: KindKey; to: string; toKind: KindKey; relation: string }

/** Returns the edges from the values of a record. Empty while it is not public. */
export const publicEdges = (record: RecordItem | undefined): Edge[] =>
  record?.public && !record.deleted_at ? valueEdges(record) : []

/** Returns the edges from the values of a record, public or not. */
export function valueEdges({ entity_id: from, kind: fromKind, data }: Pick<RecordItem, 'entity_id' | 'kind' | 'data'>) {
  const { fields } = kinds[fromKind]
  return Object.entries(data).flatMap(([relation, value]): Edge[] => {
    const toKind = fields[relation]?.relation
    if (!toKind || !kinds[toKind].record || !Array.isArray(value)) return []
    const ids = value.filter(isLink).flatMap(({ id }) => (typeof id === 'number' ? [id] : []))
    return ids.map((id) => ({ from, fromKind, to: recordId(kinds[toKind].code, id), toKind, relation }))
  })
}

/**
 * Returns the edge of an accepted relationship. The record need not be checked: a claim is accepted only if its record is
 * public.
 */
export function claimEdges(claim: Assertion | undefined): Edge[] {
  const target = kindOfScope(claim?.object_entity_type ?? '')
  if (
    !claim?.asserted_property.startsWith('relationship.') ||
    !target ||
    claim.reconciliation_status !== 'accepted' ||
    claim.object_entity_id === null
  )
    return []
  const to = target.record ? recordId(target.code, Number(claim.object_entity_id)) : String(claim.object_entity_id)
  const relation = claim.asserted_property.replace(/^relationship\./, '')
  return [{ from: claim.entity_id, fromKind: claim.kind, to, toKind: target.key, relation }]
}

/** Returns all edges of a record as it stands: from its values, and from its accepted relationships. */
const standingEdges = (record: LoadedRecord | undefined): Edge[] =>
  record ? [...publicEdges(record), ...record.assertions.flatMap(claimEdges)] : []

/**
 * Stores or removes the edges that a change has touched. It looks at the record as it stands now, because a value and several
 * claims can make the same edge. Safe to repeat, in any order. Reads the record once, if an edge has come or gone.
 */
export async function followEdges(before: readonly Edge[], after: readonly Edge[]): Promise<void> {
  const [old, next] = [edgesById(before), edgesById(after)]
  const touched = [...[...old].filter(([id]) => !next.has(id)), ...[...next].filter(([id]) => !old.has(id))]
  const [first] = touched
  if (!first) return
  const standing = edgesById(standingEdges(await loadRecordById(first[1].from)))
  for (const write of touched.flatMap(([id, edge]) => edgeWrites(edge, standing.has(id)))) await applyOnce(write)
}

/** Edges without repetitions: a value and a claim may make the same edge. */
const edgesById = (edges: readonly Edge[]): Map<string, Edge> =>
  new Map(edges.map((edge) => [`${edge.from} ${edge.relation} ${edge.to}`, edge]))

/** The writes of all that is stored elsewhere because of a record: both directions of its edges, and its cards. */
export const derivedWrites = (record: LoadedRecord): Write[] => [
  ...[...edgesById(standingEdges(record)).values()].flatMap((edge) => edgeWrites(edge, true)),
  ...[...cardsOf(record).values()].map((card) => putAlways(link, card)),
]

const edgeWrites = (edge: Edge, stands: boolean): Write[] =>
  directionsOf(edge).map(({ at, list, entry }) => (stands ? addCounted(at, entry, list) : removeCounted(at, list)))

const relatedList = (record: string, kind: string) => `RELATED#${record}#${kind}`

/** Each record of an edge is in a list of the other record. */
const directionsOf = ({ from, fromKind, to, toKind, relation }: Edge) => [
  {
    at: key.related(to, fromKind, from, relation),
    list: relatedList(to, fromKind),
    entry: { record: from, direction: 'inbound' },
  },
  {
    at: key.related(from, toKind, to, relation),
    list: relatedList(from, toKind),
    entry: { record: to, direction: 'outbound' },
  },
]

/** Applies an effect. If its condition fails, it was applied before. */
const applyOnce = (write: Write): Promise<void> => commitWrites([write]).catch(noneIf(isConflict))

/** Puts the cards of a record beside the tangible records that it names, and removes outdated cards. */
export async function followCards(before: RecordItem | undefined, after: RecordItem | undefined): Promise<void> {
  const [old, next] = [cardsOf(before), cardsOf(after)]
  const writes = [
    ...[...next]
      .filter(([id, card]) => JSON.stringify(old.get(id)) !== JSON.stringify(card))
      .map(([, card]) => putAlways(link, card)),
    ...[...old]
      .filter(([id]) => !next.has(id))
      .map(([, { to, from, relation }]) => removeEntry(key.link(to, from, relation))),
  ]
  for (const write of writes) await commitWrites([write])
}

function cardsOf(record: RecordItem | undefined): Map<string, LinkItem> {
  if (!record || !hasCards(kinds[record.kind])) return new Map()
  const { id, name, kind, access_tier } = record
  const edges = publicEdges(record)
  // Only an event connects the records that it names. Records that a deity or guthi names need not concern each other.
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
 * Adds the cards of deities and guthis that an event of the record names. Example: a consecration of this temple names Taleju.
 * An event that the caller may not see adds none. A view drops cards that its reader may not see. One call; none without such events.
 */
export async function withTiedCards<T extends LoadedRecord>(record: T, actor: Actor | null): Promise<T> {
  const ends = record.links.flatMap((card) => (maySeeTier(actor, card.access_tier) ? card.ends : []))
  const linked = new Set(record.links.map(({ from }) => from))
  const tied = new Map(ends.map((end) => [recordId(kinds[end.kind].code, end.id), end]))
  const missing = [...tied].filter(([entity]) => !linked.has(entity))
  if (missing.length === 0) return record
  const found = await getMany(missing.map(([entity]) => key.head(entity)))
  const cards = missing.flatMap(([entity, { relation }]): LinkItem[] => {
    const stored = itemAt(found, key.head(entity))
    const head = stored && parse(recordItem, stored)
    if (!head?.public || head.deleted_at) return []
    const { kind, id, name, access_tier } = head
    return [{ to: record.entity_id, from: entity, kind, id, name, relation, access_tier, ends: [], version: 1 }]
  })
  return { ...record, links: [...record.links, ...cards] }
}

/** One page of the related records of one kind. `more`: further pages follow. */
export type RelatedGroup = { kind: KindKey; count: number; heads: RecordItem[]; more: boolean }

/** Up to this many related records of a kind are counted exactly. Beyond this number, only the records up to the requested page are read. */
export const relatedLimits = { counted: 500 }

/**
 * Lists the related records that the caller may see, grouped by kind in the order of the registry. It returns one page of each group, or of
 * group `only`. Counts leave out what the caller may not see. One call for sizes, two for each group, one more for each further hundred.
 */
export async function listRelated(
  record: string,
  only: KindKey | undefined,
  page: number,
  size: number,
  actor: Actor | null,
): Promise<RelatedGroup[]> {
  const sizes = await countsOfRelated(record)
  const listed = kindKeys.filter((kind) => (sizes.get(kind) ?? 0) > 0 && (!only || only === kind))
  const groups = await Promise.all(
    listed.map(async (kind) => {
      const visible = await visibleRelated(record, kind, Math.max(relatedLimits.counted, page * size + 1), actor)
      const heads = visible.slice((page - 1) * size, page * size)
      return { kind, count: visible.length, heads, more: page * size < visible.length }
    }),
  )
  return groups.filter(({ count }) => count > 0)
}

/** Reads the first `most` related records of a kind that the caller may see. */
async function visibleRelated(record: string, kind: KindKey, most: number, actor: Actor | null): Promise<RecordItem[]> {
  const visible = new Map<string, RecordItem>()
  const span = { pk: `RELATED#${record}`, prefix: `${kind}#`, forward: true, limit: relatedLimits.counted }
  let beyond: string | undefined
  while (visible.size < most) {
    const entries = await walkTable({ ...span, beyond })
    const ids = entries.map((entry) => String(entry.record))
    const found = await getMany([...new Set(ids)].map(key.head))
    for (const id of ids) {
      const head = itemIn(found, recordItem, { entity_id: id })
      if (head && maySee(actor, head) && !head.deleted_at) visible.set(id, head)
    }
    if (entries.length < relatedLimits.counted) break
    beyond = String(entries.at(-1)?.sk)
  }
  return [...visible.values()].slice(0, most)
}
