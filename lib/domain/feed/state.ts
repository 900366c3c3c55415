import { createHash } from 'node:crypto'
import { getMany, itemAt, itemIn, parse, type Stored } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type Cluster, cluster } from '../clusters/items.ts'
import { kinds } from '../kinds/index.ts'
import { withLabels } from '../labels/labels.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { valueEdges } from '../records/links.ts'
import type { About, Compared } from './items.ts'

/** What an entry is about: a record by its review identity, or a cluster. */
export type FeedSubject = { sort: 'record' | 'cluster'; id: string }

/** What an entry says of a thing (`about`), and what is only compared (`compared`). */
export type FeedState = { about: About; compared: Compared }

/** A record is in the feed if everyone may read it. */
export const isInFeed = (it: RecordItem): boolean => maySee(null, it)

/**
 * Loads how things are now, by id. Strongly consistent. A record that never existed is missing. One call for each hundred things,
 * and one for each hundred records that they link to or hold.
 */
export async function loadStates(things: readonly FeedSubject[]): Promise<Map<string, FeedState>> {
  const found = await getMany(things.map(keyOf), true)
  const named = things.flatMap(({ sort, id }) => {
    if (sort === 'cluster') return itemIn(found, cluster, { id })?.members ?? []
    const head = itemIn(found, recordItem, { entity_id: id })
    return head && isInFeed(head) ? endsOf(head) : []
  })
  const ends = await getMany([...new Set(named)].map(key.head), true)
  return new Map(
    things.flatMap(({ sort, id }): [string, FeedState][] => {
      if (sort === 'cluster') return [[id, stateOfCluster(id, itemIn(found, cluster, { id }), ends)]]
      const head = itemIn(found, recordItem, { entity_id: id })
      return head ? [[id, stateOfRecord(head, ends)]] : []
    }),
  )
}

const keyOf = ({ sort, id }: FeedSubject) => (sort === 'cluster' ? key.cluster(id) : key.head(id))

/** The records that a record links to. */
const endsOf = (it: RecordItem) => valueEdges(it).map(({ to }) => to)

/**
 * What everyone may read of a record: its own values, and which of its links lead to public records. A waiting edit is no part of
 * that.
 */
export function stateOfRecord(it: RecordItem, found: ReadonlyMap<string, Stored>): FeedState {
  const { entity_id: id, kind, name, category, data, point, access_tier, labels } = it
  const ends = publicAmong(endsOf(it), found).map(({ entity_id }) => entity_id)
  // A record without labels has the digest that it had before there were labels.
  const said = { name, category, data, point, access_tier, ends, ...withLabels(labels) }
  const digest = isInFeed(it) ? digestOfValue(said) : null
  return { about: { id, kind, object_pk: kinds[kind].record ? String(it.id) : id }, compared: { digest } }
}

/** A cluster is public if at least two of its members are. */
function stateOfCluster(id: string, it: Cluster | undefined, found: ReadonlyMap<string, Stored>): FeedState {
  const members = it ? publicAmong(it.members, found).map(({ entity_id }) => entity_id) : []
  const said = it && members.length > 1 ? [it.canonical_label, it.curated_aliases, it.external_identifiers] : null
  const digest = said && digestOfValue([...said, members.sort()])
  return { about: { id, kind: 'entity_cluster', object_pk: id }, compared: { digest } }
}

/** The records among `ids` that everyone may read. `found` has their heads. */
export const publicAmong = (ids: readonly string[], found: ReadonlyMap<string, Stored>): RecordItem[] =>
  ids
    .flatMap((id) => itemAt(found, key.head(id)) ?? [])
    .map((stored) => parse(recordItem, stored))
    .filter(isInFeed)

/** Equal values have equal digests. Members are sorted first, since DynamoDB does not keep their order. */
export const digestOfValue = (value: unknown) =>
  createHash('sha256').update(canonicalText(value)).digest('base64url').slice(0, 22)

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, it]) => it !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, it]) => `${JSON.stringify(name)}:${canonicalText(it)}`).join()}}`
}
