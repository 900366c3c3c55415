import { mapAtOnce } from '../../base/concurrency.ts'
import { kinds } from '../../domain/kinds/index.ts'
import { withLabels } from '../../domain/labels/labels.ts'
import { recordIri } from '../../domain/records/iri.ts'
import type { Assertion, LoadedRecord } from '../../domain/records/items.ts'
import { loadRecordById } from '../../domain/records/load.ts'
import { isPlaceHidden } from '../../domain/records/place.ts'
import { showRecord, type Visible } from '../../domain/records/shown.ts'
import { assertionView, mayShowClaim } from '../../domain/records/views/record.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'

/** A value as tools return it: always with its claim, and the source of that claim. */
export type ToldClaim = ReturnType<typeof toldClaim>

function toldClaim(claim: Assertion, isHidden: boolean) {
  const it = assertionView(claim, isHidden)
  return {
    claim_id: it.id,
    property: it.property,
    value: it.value,
    status: it.reconciliation_status,
    confidence: it.confidence,
    source: { type: it.source_type, citation: it.source_citation, url: it.source_url, id: it.source },
    claimed_by: it.contributed_by,
    made_by_machine: it.software,
    claimed_at: it.created_at,
  }
}

/** What an answer says of a record besides claims: id, kind, address and labels. */
export const cardOf = (record: Visible<LoadedRecord>, origin: string) => ({
  id: record.entity_id,
  kind: record.kind,
  url: recordIri(origin, record),
  // How its communities want it to be used.
  ...withLabels(record.labels),
})

/** The claims of a record that the caller may read. `only` names the properties that are wanted. */
export const claimsOf = (record: Visible<LoadedRecord>, actor: Actor | null, only?: readonly string[]): ToldClaim[] =>
  record.assertions
    .filter((claim) => mayShowClaim(record, claim, actor))
    .filter((claim) => only === undefined || only.includes(claim.asserted_property))
    .map((claim) => toldClaim(claim, isPlaceHidden(record, claim.asserted_property, actor)))
    .filter(({ value }) => value !== '')

/** Loads a record as the caller may read it. Undefined if the record does not exist or the caller may not read it. Two calls. */
export async function loadVisible(id: string, actor: Actor | null): Promise<Visible<LoadedRecord> | undefined> {
  const record = await loadRecordById(id)
  return record && maySee(actor, record) ? showRecord(actor, record) : undefined
}

/** Records that are loaded in parallel. */
const AT_ONCE = 5

/**
 * Loads records with the claims that name them, in the order of their ids. Records that the caller may not read are left out. Two calls
 * each.
 */
export async function loadNamedRecords(ids: readonly string[], actor: Actor | null, origin: string) {
  const found = new Map<string, Visible<LoadedRecord>>()
  await mapAtOnce(ids, AT_ONCE, async (id) => {
    const record = await loadVisible(id, actor)
    if (record) found.set(id, record)
  })
  return ids.flatMap((id) => {
    const record = found.get(id)
    return record
      ? [{ ...cardOf(record, origin), names: claimsOf(record, actor, [kinds[record.kind].nameField, 'name_ne']) }]
      : []
  })
}
