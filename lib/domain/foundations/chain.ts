import { getMany, itemIn, queryBetween } from '../../engines/table/index.ts'
import { foldedName, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { loadClusters } from '../clusters/clusters.ts'
import { loadMemberships } from '../clusters/memberships.ts'
import { kinds } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { targetKey } from '../records/relations/relations.ts'
import { referencesOfRecord, referencesOfSource } from '../records/source-references.ts'
import type { DataSource } from '../sources/sources.ts'

/** A registered source, or a record of a document, whose dependents are asked for. */
export type Foundation = { source: DataSource } | { record: RecordItem }

/** All references by which claims name a source, with the records that stand for it, as one caller may see them. */
export type Chain = { references: string[]; records: RecordItem[] }

/** The most references and records of a chain, so that the cost of a page has a bound. */
const MOST_REFERENCES = 6
const MOST_RECORDS = 25

/**
 * Loads the chain of a source. Records of documents that bear its name stand for it, and so do records in one cluster with these. What the
 * caller may not see is no part of it. Six calls at most.
 */
export async function loadChain(of: Foundation, actor: Actor | null): Promise<Chain> {
  const named = 'record' in of ? [of.record] : await recordsNamed(of.source.name, actor)
  const records = [...named, ...(await heldToBeSame(named, actor))].slice(0, MOST_RECORDS)
  const own = 'source' in of ? referencesOfSource(of.source) : []
  const references = [...new Set([...own, ...records.flatMap(referencesOfRecord)])].slice(0, MOST_REFERENCES)
  return { references, records }
}

/** The records of documents with this folded name that the caller may see. Two calls. */
async function recordsNamed(name: string, actor: Actor | null): Promise<RecordItem[]> {
  const folded = foldedName(name)
  if (folded === '') return []
  const entries = await queryBetween(key.name('source', folded, '').pk, `${folded}#`, `${folded}#~`, MOST_RECORDS)
  const keys = entries.flatMap((entry) => targetKey(kinds.source.key, readEntry(entry).id) ?? [])
  const found = await getMany(keys)
  return [...found.values()].flatMap((stored) => visibleRecord(String(stored.entity_id), found, actor))
}

/** The other records of the clusters that these are in. Four calls at most, one if none is in a cluster. */
async function heldToBeSame(records: readonly RecordItem[], actor: Actor | null): Promise<RecordItem[]> {
  const ids = records.map(({ entity_id }) => entity_id)
  if (ids.length === 0) return []
  const memberships = await loadMemberships(ids)
  const clusters = await loadClusters([...new Set([...memberships.values()].map((it) => it.membership.cluster_id))])
  const others = [...new Set(clusters.flatMap(({ members }) => members))].filter((id) => !ids.includes(id))
  const found = await getMany(others.slice(0, MOST_RECORDS).map(key.head))
  return others.flatMap((id) => visibleRecord(id, found, actor))
}

function visibleRecord(id: string, found: Awaited<ReturnType<typeof getMany>>, actor: Actor | null): RecordItem[] {
  const record = itemIn(found, recordItem, { entity_id: id })
  return record?.public && !record.deleted_at && maySee(actor, record) ? [record] : []
}
