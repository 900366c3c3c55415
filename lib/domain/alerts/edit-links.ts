import { now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { recordId } from '../../base/ids/address.ts'
import { get, put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { recordOfResource } from '../graph/read.ts'
import { kindOfSegment, noSource } from '../kinds/index.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { loadRecordById } from '../records/load.ts'
import { planAmendment } from '../records/write.ts'
import { type LinkSubject, subjectOf } from './alerts.ts'
import { newLink } from './follow.ts'
import { linkTextsOf, type ReconciledLink, reconciledLink, type Target, targetOf } from './items.ts'

/*
 * A link is a value of `same_as`, so a change of one is an edit of its record in the name of whoever asks. It waits for another reviewer.
 */

export type LinkState = { is_stale?: boolean | undefined; target_label?: string | undefined }

/** Changes the label of a link, or whether it is stale, but not its target. Fails with `conflict` if somebody else was faster. */
export function amendLink(unit: UnitOfWork, it: LinkSubject, { is_stale, target_label }: LinkState): LinkSubject {
  const changes = {
    is_stale: is_stale ?? it.link.is_stale,
    target_label: target_label ?? it.link.target_label,
  }
  if (changes.is_stale === it.link.is_stale && changes.target_label === it.link.target_label) return it
  const link = withNextVersion<ReconciledLink>(it.link, { ...changes, updated_at: now() })
  unit.add([put(reconciledLink, link, it.link)])
  return { ...it, link, version: link.version }
}

/**
 * Replaces the target of a link by an edit of the record. Returns the old link with the new target, which has no label yet. Accepting the edit makes a new link
 * with another id. Fails with a field error if `target_uri` is no address.
 */
export async function updateTarget(
  unit: UnitOfWork,
  it: LinkSubject,
  target_uri: string,
  actor: Actor,
): Promise<LinkSubject> {
  const target = checkTarget(it.link.entity_id, target_uri)
  const evidence = { citation: `${it.link.target_uri} → ${target.target_uri}`, url: target.target_uri }
  await editSameAs(unit, it.record.entity_id, actor, evidence, (values) => {
    if (!values.includes(it.link.value)) throw conflict()
    return values.map((value) => (value === it.link.value ? target_uri : value))
  })
  const link = withNextVersion<ReconciledLink>(it.link, { is_stale: false, updated_at: now() })
  unit.add([put(reconciledLink, link, it.link)])
  return { ...it, link: { ...link, target_uri: target.target_uri, target_label: '', authority: target.authority } }
}

/** Removes a link by an edit of the record. The link stays until the edit is accepted. */
export async function removeLink(unit: UnitOfWork, it: LinkSubject, actor: Actor): Promise<void> {
  const evidence = { citation: `Not the same as ${it.link.target_uri}`, url: it.link.target_uri }
  await editSameAs(unit, it.record.entity_id, actor, evidence, (values) => {
    if (!values.includes(it.link.value)) throw conflict()
    return values.filter((value) => value !== it.link.value)
  })
}

/**
 * Adds a link to a record that everyone reads, by an edit of the record. Returns the link as it will be. Fails with a field error if the
 * caller sees no such record, or if the record has this link already.
 */
export async function addLink(
  unit: UnitOfWork,
  { entity_uri, target_uri, target_label = '' }: { entity_uri: string; target_uri: string; target_label?: string },
  actor: Actor,
): Promise<LinkSubject> {
  const record = await recordNamed(entity_uri, actor)
  if (!record) throw invalid({ entity_uri: ['There is no public record at this address.'] })
  const target = checkTarget(record.entity_id, target_uri)
  const evidence = { citation: `The same as ${target.target_uri}`, url: target.target_uri }
  await editSameAs(unit, record.entity_id, actor, evidence, (values) => {
    if (values.some((value) => targetOf(record.entity_id, value)?.id === target.id))
      throw invalid({ target_uri: ['The record has this link already.'] })
    return [...values, target_uri]
  })
  const link = { ...newLink(record.entity_id, target), target_label }
  return { ...subjectOf(record), link, record, version: link.version }
}

function checkTarget(entity_id: string, target_uri: string): Target {
  const target = targetOf(entity_id, target_uri)
  if (!target) throw invalid({ target_uri: ['Enter a valid URL.'] })
  return target
}

/** The record that an address names. Undefined unless everyone may read it, and the caller may see it. One call. */
async function recordNamed(address: string, actor: Actor): Promise<RecordItem | undefined> {
  const entity_id = recordOfResource(address) ?? recordOfPath(address)
  const record = entity_id === undefined ? undefined : await get(recordItem, { entity_id })
  const isOpen = record !== undefined && !record.deleted_at && maySee(actor, record) && maySee(null, record)
  return isOpen ? record : undefined
}

/** The review identity of a record by its address in the API, which ends with the identity itself, or with kind and number. */
function recordOfPath(address: string): string | undefined {
  const [uuid] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/?$)/.exec(address.toLowerCase()) ?? []
  if (uuid !== undefined) return uuid
  const [, segment = '', number = ''] = /\/cidoc\/([^/]+)\/([1-9]\d{0,11})\/?$/.exec(address) ?? []
  const kind = kindOfSegment(segment)
  return kind?.record ? recordId(kind.code, Number(number)) : undefined
}

type LinkEvidence = { citation: string; url: string }

/** Plans an edit that replaces the links of a record by what `next` returns. Each claim cites the evidence. */
async function editSameAs(
  unit: UnitOfWork,
  entity_id: string,
  actor: Actor,
  { citation, url }: LinkEvidence,
  next: (values: readonly string[]) => readonly string[],
): Promise<void> {
  const record = await loadRecordById(entity_id)
  if (!record) throw conflict()
  const same_as = [...new Set(next(linkTextsOf(record.data)))]
  const assertion = { ...noSource, source_citation: citation, source_url: url }
  const change = same_as.length > 0 ? { data: { same_as }, cleared: [] } : { data: {}, cleared: ['same_as'] }
  unit.addPlan(await planAmendment(record, actor, { ...change, assertion }, {}))
}
