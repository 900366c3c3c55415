import { isDeepStrictEqual } from 'node:util'
import { mapAtOnce } from '../../base/concurrency.ts'
import { getMany, parse } from '../../engines/table/index.ts'
import { type Actor, maySee, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Evidence } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { dataSource } from '../sources/sources.ts'
import type { Assertion, LoadedRecord } from './items.ts'
import { loadRecordById } from './load.ts'
import { mayShowClaim } from './views/record.ts'

/** What one value of a record rests on, and the cells that say it: source, type of source, confidence. */

/** The registered sources that claims name, by id. One that the reader may not see is left out. */
export type SourceNames = ReadonlyMap<string, string>

/** Reads the names of the registered sources of claims. One call for each hundred; none if they name no source. */
export async function loadSourceNames(
  claims: readonly Pick<Assertion, 'source' | 'supporting_sources'>[],
  actor: Actor | null,
): Promise<SourceNames> {
  const ids = new Set(
    claims.flatMap(({ source, supporting_sources }) => [...(source ? [source] : []), ...supporting_sources]),
  )
  const found = await getMany([...ids].map((id) => key.source(id)))
  const sources = [...found.values()].map((item) => parse(dataSource, item))
  return new Map(sources.flatMap((it) => (maySee(actor, it) && !it.deleted_at ? [[it.id, it.name]] : [])))
}

/**
 * The evidence of the value that a property has in `values`. `claims` are those that the reader may see, oldest first. `revision`: as it
 * was known at that revision. Undefined if no claim brings the value.
 */
export function evidenceFor(
  claims: readonly Assertion[],
  property: string,
  values: Values,
  revision = Number.POSITIVE_INFINITY,
): Evidence | undefined {
  const isPast = revision !== Number.POSITIVE_INFINITY
  const bringing = claims.filter(
    (claim) =>
      claim.asserted_property === property &&
      isDeepStrictEqual(claim.value, values[property]) &&
      (claim.revision_number ?? 0) <= revision &&
      // What was replaced since stood at that revision.
      (isPast || claim.reconciliation_status !== 'superseded'),
  )
  // A claim that was made apart has said the same as the contribution. The contribution brought the value.
  return bringing.findLast(({ revision_number }) => revision_number !== null) ?? bringing.at(-1)
}

/** The cells about a value, and the words after the dot in the names of their columns. */
export const evidenceColumns = ['source', 'source_type', 'confidence'] as const
export type EvidenceColumn = (typeof evidenceColumns)[number]

/** A cell about a value. A registered source is `#id name`, as a link is; any other one is its citation, else its address. */
export function evidenceText(evidence: Evidence | undefined, column: EvidenceColumn, names: SourceNames): string {
  if (!evidence) return ''
  if (column !== 'source') return evidence[column]
  const name = evidence.source === null ? undefined : names.get(evidence.source)
  if (name !== undefined) return `#${evidence.source} ${name}`
  return evidence.source_citation || evidence.source_url
}

/** What a record says of its values, as one reader may see it. `revision`: as it was known at that revision. */
export type KnownEvidence = {
  /** Oldest first. */
  claims: readonly Assertion[]
  names: SourceNames
  /** The values of a waiting edit, for those who work on the record; else those that stand. */
  values: Values
  revision?: number | undefined
}

/** What a loaded record says of its values. One call if its claims name registered sources. */
export const evidenceIn = async (record: LoadedRecord, actor: Actor): Promise<KnownEvidence> =>
  knownIn(record, actor, await loadSourceNames(record.assertions, actor))

function knownIn(record: LoadedRecord, actor: Actor, names: SourceNames): KnownEvidence {
  const claims = record.assertions.filter((claim) => mayShowClaim(record, claim, actor))
  return { claims, names, values: (worksOn(actor, record) && record.proposed) || record.data }
}

/** Records that are loaded at once. */
const RECORDS_AT_ONCE = 20

/** Loads what these records say of their values, by review identity. One query for each record. */
export async function loadEvidence(ids: readonly string[], actor: Actor): Promise<Map<string, KnownEvidence>> {
  const loaded = await mapAtOnce([...new Set(ids)], RECORDS_AT_ONCE, loadRecordById)
  const found = loaded.filter((record) => record !== undefined)
  const names = await loadSourceNames(
    found.flatMap(({ assertions }) => assertions),
    actor,
  )
  return new Map(found.map((record) => [record.entity_id, knownIn(record, actor, names)]))
}
