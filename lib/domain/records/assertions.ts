import { now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { audiences, type HistoryAudience } from '../../base/visibility.ts'
import {
  getMany,
  itemAt,
  type PageRequest,
  type PageResult,
  type Plan,
  parse,
  put,
  readList,
  type Stored,
  type UnitOfWork,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, audiencesFor, mayInspect, type Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type AssertionInput, type Contribution, kindOfScope, kinds, predicateOf, predicates } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import { newClaim, newFlag, nextRecordId } from './build.ts'
import { identifierWrites, loadIdentifiedClaims } from './claim-identifiers.ts'
import { assertionList, assertionPartitions, claimsIn, claimWrites } from './claim-packs.ts'
import { contradictionFlags, detectConflicts, loadFlagsOn } from './conflict-flags.ts'
import {
  type Assertion,
  addToClaimCount,
  claimStatuses,
  flag,
  isOpenContradiction,
  isSettled,
  isUnderReview,
  type LoadedRecord,
  type RecordItem,
  recordItem,
  recordItemOf,
  SAME_REFERENT,
} from './items.ts'
import { withoutNamesakes } from './likeness/namesakes.ts'
import { hasAllClaims, loadRecord, loadRecordById } from './load.ts'
import { isNamingNoted, namingWrites } from './naming.ts'
import { findPeriodMeanings } from './periods.ts'
import { isPending, queueWrites } from './queue-entry.ts'
import { resolveRelations } from './relations/relations.ts'
import { reviewStateOf } from './review-state.ts'
import { findMove } from './rules/status.ts'
import { ageAt, worstSource } from './rules/triage.ts'
import { showClaims, type Visible } from './shown.ts'

/**
 * A claim with its record, as permissions see it. Every reader of the record may read a settled claim (accepted,
 * disputed). Other claims are for their author and for reviewers.
 */
export type ClaimWithRecord = Subject & { claim: Assertion; about: RecordItem | undefined; version: number }
/** `pack`: all claims that are stored in the same item, this claim included. A change writes them together. */
export type ClaimWithPack = ClaimWithRecord & { pack: readonly Assertion[] }

/** Loads a claim and its record. One call: the id of a claim contains the keys of both. */
export async function loadClaim(id: string): Promise<ClaimWithPack | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const [packKey, headKey] = [key.ofClaim(id), key.head(record)]
  const found = await getMany([packKey, headKey], true)
  const storedPack = itemAt(found, packKey)
  const pack = storedPack ? claimsIn(storedPack) : []
  const claim = pack.find((it) => it.id === id)
  return claim && { ...withRecord(claim, itemAt(found, headKey)), pack }
}

/**
 * Loads a claim to settle it. `contradicts` is true in three cases, in which settling takes a domain expert. An open contradiction names
 * the claim. The claim waits with its contribution. The claim is settled, was made apart, and its property has a value. In the first case
 * the contributor of the record is a party, too. One call, or two if the record has an open contradiction.
 */
export async function loadClaimToSettle(id: string): Promise<ClaimWithPack | undefined> {
  const found = await loadClaim(id)
  if (!found?.about) return found
  const { claim, about } = found
  const flags = about.open_contradictions > 0 ? await loadFlagsOn(about.entity_id) : []
  const isContested = flags.some((it) => isOpenContradiction(it) && it.assertion_ids.includes(id))
  // A settled claim made apart may support the value that stands. Without this support, an edit may count as a mere correction.
  const isSupport =
    isSettled(claim) && claim.revision_number === null && about.data[claim.asserted_property] !== undefined
  return {
    ...found,
    authors: [claim.contributor_id, ...(isContested ? [about.contributor_id] : [])],
    contradicts: isContested || isUnderReview(claim) || isSupport,
    ...(isPending(about.status) && { required_persona: about.required_persona }),
  }
}

/** A claim about no stored record is public once it is settled. */
function withRecord(claim: Assertion, head: Stored | undefined): ClaimWithRecord {
  const about = head && parse(recordItem, head)
  return {
    claim,
    about,
    contributor_id: claim.contributor_id,
    authors: [claim.contributor_id],
    public: isSettled(claim) && (about?.public ?? true),
    access_tier: about?.access_tier,
    deleted_at: about?.deleted_at,
    version: claim.version,
  }
}

export type ClaimFilter = {
  entity_type?: string | undefined
  entity_id?: string | undefined
  cultural_entity_id?: string | undefined
  asserted_property?: string | undefined
  identifier?: string | undefined
  status?: string | undefined
}
export type ClaimPage = PageResult<Visible<ClaimWithRecord>>

/**
 * Lists the claims that the caller may see. A filter that names no record lists claims on all records, by default the
 * accepted ones. With an identifier it lists claims that have this identifier and are about no record.
 */
export async function listClaims(filter: ClaimFilter, actor: Actor | null, place: PageRequest): Promise<ClaimPage> {
  if (filter.identifier) return listIdentifiedClaims(filter.identifier, filter, actor, place)
  const about = await findRecord(filter)
  return about === 'any' ? listAllClaims(filter, actor, place) : listClaimsOfRecord(about, filter, actor, place)
}

/**
 * Returns the record that a filter names, or `any` if it names none. Undefined if that record does not exist, or if a kind comes without an
 * id, or an id without a kind.
 */
async function findRecord({
  entity_type,
  entity_id,
  cultural_entity_id,
}: ClaimFilter): Promise<LoadedRecord | undefined | 'any'> {
  if (cultural_entity_id) return loadRecordById(cultural_entity_id.toLowerCase())
  if (!entity_type && !entity_id) return 'any'
  const kind = kindOfScope(entity_type ?? '')
  if (!kind || !entity_id) return undefined
  if (!kind.record) return loadRecordById(entity_id.toLowerCase())
  return /^[1-9]\d{0,11}$/.test(entity_id) ? loadRecord(kind, Number(entity_id)) : undefined
}

async function listIdentifiedClaims(
  identifier: string,
  filter: ClaimFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<ClaimPage> {
  if (filter.entity_type || filter.entity_id || filter.cultural_entity_id) return { count: 0, results: [] }
  const { asserted_property, status } = filter
  const results = (await loadIdentifiedClaims(identifier))
    .map((claim) => withRecord(claim, undefined))
    .filter((it) => mayInspect(actor, it))
    .filter(({ claim }) => !asserted_property || claim.asserted_property === asserted_property)
    .filter(({ claim }) => !status || claim.reconciliation_status === status)
  return showPage(results, actor, place)
}

/** Shows claims, then counts them: a claim of which the reader sees nothing is not counted. */
async function showPage(
  claims: readonly ClaimWithRecord[],
  actor: Actor | null,
  place: PageRequest,
): Promise<ClaimPage> {
  const shown = await showClaims(actor, claims)
  return { count: shown.length, results: shown.slice(place.offset, place.offset + place.limit) }
}

async function listClaimsOfRecord(
  about: LoadedRecord | undefined,
  { asserted_property, status }: ClaimFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<ClaimPage> {
  if (!about || !mayInspect(actor, about)) return { count: 0, results: [] }
  const results = about.assertions
    .map((claim): ClaimWithRecord => ({ ...withRecord(claim, about), about }))
    .filter((it) => mayInspect(actor, it) || about.contributor_id === actor?.id)
    .filter(({ claim }) => !asserted_property || claim.asserted_property === asserted_property)
    .filter(({ claim }) => !status || claim.reconciliation_status === status)
    .reverse()
  return showPage(results, actor, place)
}

async function listAllClaims(filter: ClaimFilter, actor: Actor | null, place: PageRequest): Promise<ClaimPage> {
  const { status = 'accepted', asserted_property } = filter
  if (!isStatus(status)) return { count: 0, results: [] }
  const isPublic = isSettled({ reconciliation_status: status })
  // In a list over all records, only reviewers and staff see pending and superseded claims.
  const callerAudiences = audiencesFor(actor).filter((it) => isPublic || isForInsiders(it))
  const isListed = (claim: Assertion) =>
    claim.reconciliation_status === status && (!asserted_property || claim.asserted_property === asserted_property)
  const unpacked = new Map<Stored, readonly Assertion[]>()
  const claimsOf = (item: Stored) => {
    const claims = unpacked.get(item) ?? claimsIn(item)
    unpacked.set(item, claims)
    return claims
  }
  const listing = await readList(
    {
      partitions: callerAudiences.flatMap((it) => assertionPartitions(status, it)),
      counted: callerAudiences.map((it) => assertionList(status, it)),
      isSpread: !isPublic,
      ...(asserted_property && { has: ['claims', asserted_property] as const }),
      entries: (item) =>
        claimsOf(item)
          .filter(isListed)
          .map(({ id }) => id),
    },
    place,
    (items) => items.map((item) => key.head(String(item.entity_id))),
  )
  const results = listing.items
    .flatMap((item, i) => claimsOf(item).find((it) => listing.places[i]?.endsWith(it.id)) ?? [])
    .map((claim) => withRecord(claim, itemAt(listing.found, key.head(claim.entity_id))))
    // The index may still list a record that was hidden a moment ago.
    .filter((it) => mayInspect(actor, it))
  return { ...listing, results: await showClaims(actor, results) }
}

const isStatus = (text: string): text is Assertion['reconciliation_status'] =>
  claimStatuses.some((status) => status === text)

/** Whether this audience holds only people who work on the record, or staff. */
const isForInsiders = (audience: HistoryAudience) => !audiences.some((it) => it === audience)

/**
 * Makes a claim that is no part of a contribution. It waits for review. If it contradicts another claim, it gets a flag. With
 * `waits` it puts its record into the queue even if it contradicts nothing.
 * Fails with field errors on an unknown record, property or predicate. After a conflict it is planned again.
 */
export async function createClaim(
  unit: UnitOfWork,
  actor: Actor,
  input: Contribution,
  { waits = false } = {},
): Promise<ClaimWithRecord> {
  unit.retryOn('conflict')
  unit.retryOn('being_made')
  return unit.addPlan(await planClaim(actor, input, { waits }))
}

/**
 * Makes a claim that a reviewer has decided on: it is accepted at once. Fails as `createClaim` does, and with `conflict` if its record is
 * not published. It is not planned again.
 */
export async function createAcceptedClaim(unit: UnitOfWork, author: Actor, input: Contribution) {
  return unit.addPlan(await planClaim(author, input, { accepted: true }))
}

async function planClaim(
  actor: Actor,
  { data, assertion: provenance }: Contribution,
  { waits = false, accepted = false },
): Promise<Plan<ClaimWithRecord>> {
  const { data: values } = await resolveRelations(kinds.assertion, data, actor)
  const text = (name: string) => textOf(values[name])
  const about = await findRecord({
    entity_type: text('entity_type'),
    entity_id: text('entity_id'),
    cultural_entity_id: text('cultural_entity_id'),
  })
  if (about !== 'any' && !(about && mayInspect(actor, about))) {
    throw invalid({
      [values.cultural_entity_id ? 'cultural_entity_id' : 'entity_id']: ['There is no record with this id.'],
    })
  }
  const property = text('asserted_property')
  const otherEnd = await findOtherEnd(property, text('object_entity_type'), text('object_entity_id'), actor)
  const at = now()
  const subject = about === 'any' ? undefined : about
  if (accepted && !subject?.public) throw conflict(UNPUBLISHED)
  const claim: Assertion = {
    ...newClaim(
      {
        about: subject ?? (await newLooseSubject()),
        source: assertionOf(provenance, text),
        actor,
        revision_number: null,
        at,
      },
      property,
      undefined,
    ),
    // If it is empty, a relationship shows the name of its other record; see shown.ts.
    asserted_value: text('asserted_value'),
    value: subject && property in kinds[subject.kind].fields ? values.asserted_value : undefined,
    assertion_content: text('assertion_content'),
    source: textOf(firstId(values.source)) || null,
    confidence_score: typeof values.confidence_score === 'number' ? values.confidence_score : null,
    justification_note: text('justification_note'),
    crminf_conclusion: text('crminf_conclusion'),
    temporal_scope_edtf: text('temporal_scope_edtf'),
    generated_at_time: text('generated_at_time'),
    supporting_sources: ids(values.was_derived_from_source),
    identifier: text('identifier'),
    attributed_to_agent: text('attributed_to_agent') || text('was_attributed_to_agent'),
    supersedes: textOf(firstId(values.supersedes)) || null,
    object_entity_type: otherEnd?.kind ?? null,
    object_entity_id: otherEnd?.id ?? null,
    ...(accepted && { reconciliation_status: 'accepted', settlings: [{ status: 'accepted', at }] }),
  }
  const flags = subject ? await contradictionsOf(subject, claim, actor) : []
  const stored = subject && recordItemOf(subject)
  const next =
    stored &&
    withNextVersion<RecordItem>(stored, {
      ...addToClaimCount(stored, 1),
      open_flags: stored.open_flags + flags.length,
      open_contradictions: stored.open_contradictions + flags.length,
      contradicted: stored.contradicted || flags.length > 0,
      ...((waits || flags.length > 0) && returnToReview(stored, claim, at)),
    })
  const writes = [
    ...claimWrites([], [claim], subject),
    ...identifierWrites(claim),
    ...(subject && otherEnd?.isNoted ? await namingWrites([otherEnd.entity_id], subject.entity_id) : []),
    ...(subject ? flags.map((raised) => put(flag, newFlag(subject, raised, at), undefined)) : []),
    ...(stored && next ? [put(recordItem, next, stored), ...queueWrites(stored, next)] : []),
  ]
  return { result: { ...withRecord(claim, undefined), about: subject }, writes }
}

/** A claim puts an accepted record back into the queue. */
function returnToReview(record: RecordItem, claim: Assertion, at: string): Partial<RecordItem> {
  const move = record.public && record.status === 'accepted' ? findMove(reviewStateOf(record), 'edit') : undefined
  if (!move) return {}
  return {
    status: move.status,
    queue_age: ageAt(record.created_at, Date.parse(at)),
    machine: claim.software,
    machine_of: claim.software === null ? null : claim.contributor_id,
    ...worstSource([claim.source_type]),
  }
}

const UNPUBLISHED = 'Its record is not published: that is decided first.'
const UNDECIDED = 'It waits with its contribution: that is decided first.'

/**
 * Sets the status of one claim. Fails with `conflict` if it has changed since it was read, or if it would be accepted on an unpublished
 * record. A claim that waits with its contribution can only be superseded.
 */
export async function setClaimStatus(
  unit: UnitOfWork,
  old: ClaimWithPack,
  reconciliation_status: Assertion['reconciliation_status'],
): Promise<ClaimWithRecord> {
  if (old.claim.asserted_property === SAME_REFERENT)
    throw conflict('A claim of identity changes with its cluster: merge or split that.')
  if (reconciliation_status === 'accepted' && old.about && !old.about.public) throw conflict(UNPUBLISHED)
  if (reconciliation_status !== 'superseded' && isUnderReview(old.claim)) throw conflict(UNDECIDED)
  const at = now()
  const settlings = [...(old.claim.settlings ?? []), { status: reconciliation_status, at }]
  const next = withNextVersion<Assertion>(old.claim, { reconciliation_status, settlings, updated_at: at })
  const before = old.about && recordItemOf(old.about)
  const after = before && withNextVersion<RecordItem>(before, { updated_at: at })
  unit.add([
    ...claimWrites(
      old.pack,
      old.pack.map((claim) => (claim.id === next.id ? next : claim)),
      old.about,
    ),
    // The record's version rises, too. So its ETag changes, and a simultaneous decision fails instead of undoing this.
    ...(before && after ? [put(recordItem, after, before), ...queueWrites(before, after)] : []),
  ])
  return { ...old, claim: next, version: next.version }
}

/** Returns a flag if the claim contradicts another claim. Costs the calls of `findPeriodMeanings`, and for rival names those of search. */
async function contradictionsOf(about: LoadedRecord, claim: Assertion, actor: Actor) {
  // An incomplete read could miss a contradiction.
  if (!hasAllClaims(about)) throw conflict()
  const data = { calendar_system: about.data.calendar_system, [claim.asserted_property]: claim.value }
  const meanings = await findPeriodMeanings(kinds[about.kind], data, actor, about)
  const conflicts = detectConflicts(about, [claim], { meanings, actor })
  return contradictionFlags([claim], await withoutNamesakes(about, [claim], conflicts, actor))
}

/**
 * Returns the other record of a relationship. Undefined for any other property. Fails on an unknown predicate, and on a
 * record that the caller may not see.
 */
async function findOtherEnd(property: string, type: string, id: string, actor: Actor) {
  const code = /^relationship\.(.+)$/.exec(property)?.[1]
  if (code === undefined) return undefined
  if (!predicateOf(property)) {
    throw invalid({
      asserted_property: [
        `Not a valid choice. Choose relationship. and one of: ${predicates.map((it) => it.code).join(', ')}.`,
      ],
    })
  }
  const target = await findRecord({ entity_type: type, entity_id: id })
  if (target === 'any' || !target || !mayInspect(actor, target))
    throw invalid({ object_entity_id: ['There is no record with this id.'] })
  return {
    kind: target.kind,
    id: kinds[target.kind].record ? target.id : target.entity_id,
    entity_id: target.entity_id,
    isNoted: isNamingNoted(target, actor),
  }
}

/** Makes the subject of a claim about no stored record. Such a claim gets a partition of its own. */
async function newLooseSubject(): Promise<Pick<RecordItem, 'entity_id' | 'kind' | 'id'>> {
  const id = await nextRecordId(kinds.assertion)
  return { entity_id: recordId(kinds.assertion.code, id), kind: 'assertion', id }
}

/** Returns the evidence of a claim. A member of the body wins over the same member of its `assertion` block. */
const assertionOf = (block: AssertionInput, text: (name: string) => string): AssertionInput => ({
  source_type: text('source_type') || block.source_type,
  source_citation: text('source_citation') || block.source_citation,
  source_url: text('source_url') || block.source_url,
  confidence: text('confidence') || block.confidence,
  data_quality_note: text('data_quality_note') || block.data_quality_note,
})

const ids = (links: unknown): string[] => (Array.isArray(links) ? links.map((link) => String(link.id)) : [])
const firstId = (links: unknown) => ids(links)[0]
