import { conflict, type Fields, invalid } from '../../base/errors.ts'
import { isFault, readDateOrFault } from '../../engines/calendars/index.ts'
import { getMany, itemIn, type UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, mayInspect, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type InputValues, kindOfScope, kinds, noSource, predicates, unknownKindMessage } from '../kinds/index.ts'
import { createAcceptedClaim } from '../records/assertions.ts'
import type { LoadedRecord } from '../records/items.ts'
import { pairId } from '../records/likeness/refused-pairs.ts'
import { loadRecordById } from '../records/load.ts'
import { type DataSource, dataSource } from '../sources/sources.ts'
import { nameOfClaim } from './claims.ts'
import { identityOf } from './entity.ts'
import type { Named, RelationshipContent } from './items.ts'

/** Proposals of a relationship between two records: checks what a proposal says, and makes the accepted claim of it. */

/** Finds a predicate by its code, which is its id, or by the UUID that stands for the code. */
export const findPredicate = (id: string) =>
  predicates.find(({ code }) => code === id || uuidOfPredicate(code) === id.toLowerCase())

/** The UUID of a predicate, for clients that name things by UUID only. */
const uuidOfPredicate = (code: string): string => pairId('relationship', code)

type RelationshipFindings = {
  predicate: (typeof predicates)[number]
  subject: LoadedRecord
  object: LoadedRecord
  primary: DataSource | undefined
}

/**
 * Looks up what a proposal names. What its author may not see is treated as absent. Fails with an error for each member that names
 * nothing, and for a time that no calendar can read. Three calls at most.
 */
export async function findRelationship(content: RelationshipContent, author: Actor): Promise<RelationshipFindings> {
  const { primary_source, supporting_source_ids, temporal_scope_edtf } = content
  const predicate = findPredicate(content.predicate)
  const sourceIds = [...(primary_source ? [primary_source] : []), ...supporting_source_ids]
  const [subject, object, found] = await Promise.all([
    findNamed(content.subject, author),
    findNamed(content.object, author),
    getMany(sourceIds.map(key.source), true),
  ])
  const sourceOf = (id: string | null) => {
    const source = id ? itemIn(found, dataSource, { id }) : undefined
    return source && !source.deleted_at && maySee(author, source) ? source : undefined
  }
  const date = temporal_scope_edtf.trim() === '' ? undefined : readDateOrFault(temporal_scope_edtf, undefined)
  const faults: Fields = {
    ...(!predicate && { predicate: ['There is no such relationship.'] }),
    ...endFault('subject', content.subject, subject),
    ...endFault('object', content.object, object),
    ...(subject && subject.entity_id === object?.entity_id && { object_entity_id: ['It is the same record.'] }),
    ...(primary_source && !sourceOf(primary_source) && { primary_source: [NO_SOURCE] }),
    ...Object.fromEntries(
      supporting_source_ids.flatMap((id, i) => (sourceOf(id) ? [] : [[`supporting_source_ids[${i}]`, [NO_SOURCE]]])),
    ),
    ...(date && isFault(date) && { temporal_scope_edtf: [date.fault] }),
  }
  if (!predicate || !subject || !object || Object.keys(faults).length > 0) throw invalid(faults)
  return { predicate, subject, object, primary: sourceOf(primary_source) }
}

const NO_SOURCE = 'There is no source with this id.'

async function findNamed(named: Named, author: Actor): Promise<LoadedRecord | undefined> {
  const id = identityOf(named)
  const record = id === undefined ? undefined : await loadRecordById(id)
  const isOfKind = record?.kind === kindOfScope(named.entity_type)?.key
  return record && isOfKind && !record.deleted_at && maySee(author, record) ? record : undefined
}

function endFault(end: 'subject' | 'object', { entity_type }: Named, record: LoadedRecord | undefined): Fields {
  if (!kindOfScope(entity_type)) return { [`${end}_entity_type`]: [unknownKindMessage(entity_type)] }
  return record ? {} : { [`${end}_entity_id`]: ['There is no record with this id.'] }
}

/** Fails with `conflict` if the relationship stands already. One that reads alike from both ends may stand at either of them. */
export function checkRelationshipNew({ predicate, subject, object }: RelationshipFindings): void {
  const stands = (from: LoadedRecord, to: LoadedRecord) =>
    from.assertions.some(
      (claim) =>
        claim.reconciliation_status === 'accepted' &&
        claim.asserted_property === `relationship.${predicate.code}` &&
        claim.object_entity_type === to.kind &&
        [to.id, to.entity_id].some((id) => id === claim.object_entity_id),
    )
  if (stands(subject, object) || (isMutual(predicate) && stands(object, subject)))
    throw conflict('This relationship is accepted already.')
}

const isMutual = ({ label, inverse_label }: RelationshipFindings['predicate']) => label === inverse_label

/** The names that a proposal reserves. A relationship that reads alike from both ends has the same name in both directions. */
export function namesOfRelationship({ predicate, subject, object }: RelationshipFindings): string[] {
  const ends = [subject.entity_id, object.entity_id]
  return [nameOfClaim('relationship', predicate.code, ...(isMutual(predicate) ? ends.sort() : ends))]
}

/**
 * Carries out a proposal: makes an accepted claim of the relationship, by its author, with the proposal's sources and time. Returns the id
 * of the claim. Fails as the checks above do, and with `conflict` if the subject is not published.
 */
export async function makeRelationship(
  unit: UnitOfWork,
  content: RelationshipContent,
  author: Actor,
  decider: Actor,
): Promise<string> {
  const findings = await findRelationship(content, author)
  const { predicate, subject, object, primary } = findings
  if (!mayInspect(decider, subject) || !mayInspect(decider, object)) throw conflict()
  checkRelationshipNew(findings)
  const { temporal_scope_edtf, interpretation_note, confidence, supporting_source_ids } = content
  const data: InputValues = {
    cultural_entity_id: subject.entity_id,
    asserted_property: `relationship.${predicate.code}`,
    object_entity_type: object.kind,
    object_entity_id: kinds[object.kind].record ? String(object.id) : object.entity_id,
    ...(temporal_scope_edtf && { temporal_scope_edtf }),
    ...(interpretation_note && { assertion_content: interpretation_note }),
    ...(primary && { source: [{ id: primary.id }] }),
    ...(supporting_source_ids.length > 0 && { was_derived_from_source: supporting_source_ids.map((id) => ({ id })) }),
  }
  const source_type = primary?.source_type ?? ''
  const assertion = { ...noSource, source_type, confidence }
  return (await createAcceptedClaim(unit, author, { data, cleared: [], assertion })).claim.id
}
