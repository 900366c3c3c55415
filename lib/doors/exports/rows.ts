import { type Kind, kinds } from '../../domain/kinds/index.ts'
import type { Assertion, LoadedRecord } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { mayShowClaim, visibleValues } from '../../domain/records/views/record.ts'

/**
 * A published record as the exported files have it. The time and number of changes are left out, since they would betray waiting edits.
 * `licences` holds the licences of public sources, by the source's id.
 */
export function exportOf(it: Visible<LoadedRecord>, licences: ReadonlyMap<string, string>): Exported {
  const kind = kinds[it.kind]
  const values = visibleValues(it, it.data, null)
  return {
    kind: it.kind,
    id: kind.record ? it.id : it.entity_id,
    cultural_entity_id: it.entity_id,
    values: Object.fromEntries(Object.keys(kind.fields).map((name) => [name, values[name] ?? null])),
    latitude: it.point?.lat ?? null,
    longitude: it.point?.lng ?? null,
    contributor: it.contributor,
    created_at: it.created_at,
    provenance: it.assertions.filter((one) => mayShowClaim(it, one, null)).map((one) => provenanceOf(one, licences)),
  }
}

export type Exported = {
  kind: string
  id: number | string
  cultural_entity_id: string
  values: Record<string, unknown>
  latitude: number | null
  longitude: number | null
  contributor: string
  created_at: string
  provenance: Provenance[]
}
type Provenance = ReturnType<typeof provenanceOf>

const provenanceOf = (it: Assertion, licences: ReadonlyMap<string, string>) => ({
  assertion_id: it.id,
  property: it.asserted_property,
  value: it.asserted_value,
  source_type: it.source_type,
  source_citation: it.source_citation,
  source_url: it.source_url,
  source_licences: [...new Set(sourcesOf(it).flatMap((id) => licences.get(id) ?? []))],
  confidence: it.confidence,
  confidence_score: it.confidence_score,
  status: it.reconciliation_status,
  author: it.contributed_by,
  created_at: it.created_at,
})

/** The ids of the registered sources that a claim names. */
export const sourcesOf = (it: Assertion): string[] => [...(it.source ? [it.source] : []), ...it.supporting_sources]

const own = ['id', 'cultural_entity_id'] as const
const after = ['latitude', 'longitude', 'contributor', 'created_at'] as const
/** The columns of a kind's records, and the cells of one. */
export const recordColumns = (kind: Kind): string[] => [...own, ...Object.keys(kind.fields), ...after]
export const recordCells = (it: Exported): unknown[] => [
  ...own.map((name) => it[name]),
  ...Object.values(it.values),
  ...after.map((name) => it[name]),
]

const claimed = [
  'assertion_id',
  'property',
  'value',
  'source_type',
  'source_citation',
  'source_url',
  'source_licences',
  'confidence',
  'confidence_score',
  'status',
  'author',
  'created_at',
] as const satisfies readonly (keyof Provenance)[]
/** The columns of provenance, and a record's rows of cells. */
export const provenanceColumns = ['id', 'cultural_entity_id', ...claimed]
export const provenanceCells = (it: Exported): unknown[][] =>
  it.provenance.map((one) => [it.id, it.cultural_entity_id, ...claimed.map((name) => one[name])])
