import { createHash } from 'node:crypto'
import { type Cluster, cluster } from '../clusters/clusters.ts'
import { type KindKey, kinds } from '../kinds/index.ts'
import { maySee } from '../permissions.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { namedBy } from '../records/links.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, itemIn, type Stored } from '../table/read.ts'

/** What the feed tells of: a record by its review identity, or a cluster. */
export type Thing = { sort: 'record' | 'cluster'; id: string }

/** What everyone may read of a thing, as a digest; null when that is nothing. `object_pk` names it at its own address. */
export type State = { id: string; kind: KindKey; object_pk: string; digest: string | null }

/** Whether the feed tells of a record: whether everyone may read it. */
export const isTold = (it: RecordItem): boolean => maySee(null, it)

/**
 * How things are now, by id; strongly consistent. Of a record that never was there is none. One call for each hundred, and
 * for each hundred records that they name or hold together.
 */
export async function statesNow(things: readonly Thing[]): Promise<Map<string, State>> {
  const found = await getMany(things.map(keyOf), true)
  const named = things.flatMap(({ sort, id }) => {
    if (sort === 'cluster') return itemIn(found, cluster, { id })?.members ?? []
    const head = itemIn(found, recordItem, { entity_id: id })
    return head && isTold(head) ? endsOf(head) : []
  })
  const ends = await getMany([...new Set(named)].map(key.head), true)
  return new Map(
    things.flatMap(({ sort, id }): [string, State][] => {
      if (sort === 'cluster') return [[id, stateOfCluster(id, itemIn(found, cluster, { id }), ends)]]
      const head = itemIn(found, recordItem, { entity_id: id })
      return head ? [[id, stateOfRecord(head, ends)]] : []
    }),
  )
}

const keyOf = ({ sort, id }: Thing) => (sort === 'cluster' ? key.cluster(id) : key.head(id))

/** The records that a record names. */
const endsOf = (it: RecordItem) => namedBy(it).map(({ to }) => to)

/** What everyone may read of a record: what it says, and which of those that it names are public. What waits behind it is no part of that. */
export function stateOfRecord(it: RecordItem, found: ReadonlyMap<string, Stored>): State {
  const { entity_id: id, kind, name, category, data, point, access_tier } = it
  const ends = publicAmong(endsOf(it), found).map(({ entity_id }) => entity_id)
  const digest = isTold(it) ? digestOf({ name, category, data, point, access_tier, ends }) : null
  return { id, kind, object_pk: kinds[kind].record ? String(it.id) : id, digest }
}

/** A cluster says something to everyone when it holds two records together that everyone may read. */
function stateOfCluster(id: string, it: Cluster | undefined, found: ReadonlyMap<string, Stored>): State {
  const members = it ? publicAmong(it.members, found).map(({ entity_id }) => entity_id) : []
  const said = it && members.length > 1 ? [it.canonical_label, it.curated_aliases, it.external_identifiers] : null
  return { id, kind: 'entity_cluster', object_pk: id, digest: said && digestOf([...said, members.sort()]) }
}

/** Those of the records that everyone may read, where `found` has their heads. */
export const publicAmong = (ids: readonly string[], found: ReadonlyMap<string, Stored>): RecordItem[] =>
  ids
    .flatMap((id) => itemAt(found, key.head(id)) ?? [])
    .map((stored) => parse(recordItem, stored))
    .filter(isTold)

/** Equal values have equal digests: the table does not keep the order of members. */
const digestOf = (value: unknown) => createHash('sha256').update(inOrder(value)).digest('base64url').slice(0, 22)

function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, it]) => it !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, it]) => `${JSON.stringify(name)}:${inOrder(it)}`).join()}}`
}
