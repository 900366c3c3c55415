import { type Kind, kinds } from '../../domain/kinds/index.ts'
import { labelsView, labelTexts } from '../../domain/labels/labels.ts'
import type { Assertion, LoadedRecord } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { columnsBeside } from '../../domain/records/table-columns.ts'
import { mayShowClaim, visibleValues } from '../../domain/records/views/record.ts'

/**
 * A published record as exported files show it. Times and counts of changes are left out, since they would betray waiting edits.
 * `licences` holds the licences of public sources, by the source's id.
 */
export function exportRecord(it: Visible<LoadedRecord>, licences: ReadonlyMap<string, string>): ExportedRecord {
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
    labels: labelTexts(labelsView(it.labels)),
    provenance: it.assertions
      .filter((claim) => mayShowClaim(it, claim, null))
      .map((claim) => provenanceOf(claim, licences)),
  }
}

export type ExportedRecord = {
  kind: string
  id: number | string
  cultural_entity_id: string
  values: Record<string, unknown>
  latitude: number | null
  longitude: number | null
  contributor: string
  created_at: string
  /** What communities say of its use: a line in English and a line in Nepali for each label. */
  labels: string[]
  provenance: Provenance[]
}
type Provenance = ReturnType<typeof provenanceOf>

const provenanceOf = (claim: Assertion, licences: ReadonlyMap<string, string>) => ({
  assertion_id: claim.id,
  property: claim.asserted_property,
  value: claim.asserted_value,
  source_type: claim.source_type,
  source_citation: claim.source_citation,
  source_url: claim.source_url,
  source_licences: [...new Set(sourcesOf(claim).flatMap((id) => licences.get(id) ?? []))],
  confidence: claim.confidence,
  confidence_score: claim.confidence_score,
  status: claim.reconciliation_status,
  author: claim.contributed_by,
  created_at: claim.created_at,
})

/** The ids of the registered sources that a claim names. */
export const sourcesOf = (claim: Assertion): string[] => [
  ...(claim.source ? [claim.source] : []),
  ...claim.supporting_sources,
]

const { before: firstColumns, after: lastColumns } = columnsBeside.file
/** The columns of the CSV of a kind. `recordCells` gives the cells of a record in this order. */
export const recordColumns = (kind: Kind): string[] => [...firstColumns, ...Object.keys(kind.fields), ...lastColumns]
export const recordCells = (record: ExportedRecord): unknown[] => [
  ...firstColumns.map((name) => record[name]),
  ...Object.values(record.values),
  ...lastColumns.map((name) => (name === 'labels' ? record.labels.join('\n') : record[name])),
]

const claimColumns = [
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
/** The columns of the CSV of provenance. `provenanceCells` gives a row for each claim of a record. */
export const provenanceColumns = ['id', 'cultural_entity_id', ...claimColumns]
export const provenanceCells = (record: ExportedRecord): unknown[][] =>
  record.provenance.map((claim) => [record.id, record.cultural_entity_id, ...claimColumns.map((name) => claim[name])])
