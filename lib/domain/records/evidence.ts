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

/** What one value of a record rests on, and the cells of a table that show it: source, type of source, confidence. */

/** The names of the registered sources of claims, by id. Sources that the reader may not see are left out. */
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
 * The evidence of the value that a property has in `values`. `claims` are those that the reader may see, oldest first. With `revision`,
 * only claims up to that revision are used. Undefined if no claim brings the value.
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
      // A claim that is superseded today may have stood at that revision.
      (isPast || claim.reconciliation_status !== 'superseded'),
  )
  // A claim that was made apart may state the same value. The claim of a contribution has priority.
  return bringing.findLast(({ revision_number }) => revision_number !== null) ?? bringing.at(-1)
}

/** The columns of evidence beside the column of a field. Each entry follows the dot in the name of its column. Example: `name.source`. */
export const evidenceColumns = ['source', 'source_type', 'confidence'] as const
export type EvidenceColumn = (typeof evidenceColumns)[number]

/** Writes a cell about a value. A registered source is written `#id name`, as a link is; any other source as its citation, else its address. */
export function evidenceText(evidence: Evidence | undefined, column: EvidenceColumn, names: SourceNames): string {
  if (!evidence) return ''
  if (column !== 'source') return evidence[column]
  const name = evidence.source === null ? undefined : names.get(evidence.source)
  if (name !== undefined) return `#${evidence.source} ${name}`
  return evidence.source_citation || evidence.source_url
}

/** The evidence of a record's values, as one reader may see it. With `revision`, as it was at that revision. */
export type KnownEvidence = {
  /** Oldest first. */
  claims: readonly Assertion[]
  names: SourceNames
  /** The values of a waiting edit, for those who work on the record; else those that stand. */
  values: Values
  revision?: number | undefined
}

/** The evidence of a loaded record's values. One call if its claims name registered sources. */
export const evidenceIn = async (record: LoadedRecord, actor: Actor): Promise<KnownEvidence> =>
  knownIn(record, actor, await loadSourceNames(record.assertions, actor))

function knownIn(record: LoadedRecord, actor: Actor, names: SourceNames): KnownEvidence {
  const claims = record.assertions.filter((claim) => mayShowClaim(record, claim, actor))
  return { claims, names, values: (worksOn(actor, record) && record.proposed) || record.data }
}

const RECORDS_AT_ONCE = 20

/** Loads the evidence of these records' values, by review identity. One query for each record, and one call for each hundred sources. */
export async function loadEvidence(ids: readonly string[], actor: Actor): Promise<Map<string, KnownEvidence>> {
  const loaded = await mapAtOnce([...new Set(ids)], RECORDS_AT_ONCE, loadRecordById)
  const found = loaded.filter((record) => record !== undefined)
  const names = await loadSourceNames(
    found.flatMap(({ assertions }) => assertions),
    actor,
  )
  return new Map(found.map((record) => [record.entity_id, knownIn(record, actor, names)]))
}
