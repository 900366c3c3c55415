import { now } from '../clock.ts'
import { commitPlan, commitWithAnswer } from '../commit.ts'
import { conflict, invalid } from '../errors.ts'
import { addressOf, recordId } from '../ids/address.ts'
import { type Contribution, kindOfScope, kinds, type Provenance, predicateOf, predicates } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import { type Actor, audiences, mayInspect, type Subject } from '../permissions.ts'
import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { getMany, itemAt, type Stored } from '../table/read.ts'
import type { Plan } from '../table/retry.ts'
import { historyAudiencesOf } from './activities.ts'
import { flagOf, newClaim, nextId } from './build.ts'
import { assertionList, assertionPartitions, claimsIn, claimWrites } from './claim-packs.ts'
import { contradictionFlags, detectConflicts } from './conflict-flags.ts'
import {
  type Assertion,
  claimStatuses,
  countingClaims,
  flag,
  type HistoryAudience,
  isSettled,
  type Loaded,
  type RecordItem,
  recordItem,
  recordItemOf,
} from './items.ts'
import { hasAllClaims, load, loadById } from './load.ts'
import { meaningsIn } from './periods.ts'
import { queueWrites } from './queue-entry.ts'
import { resolve } from './relations.ts'
import { move } from './rules/status.ts'
import { ageAt, worstSource } from './rules/triage.ts'
import { stateOf } from './write.ts'

/** An assertion as the subject of rules: it is seen where its record is, and while it waits by its author and reviewers. */
export type Claim = Subject & { claim: Assertion; about: RecordItem | undefined; version: number }
/** One with those that are kept together with it, itself among them. */
export type Kept = Claim & { pack: readonly Assertion[] }

/** One assertion by its id, with the record that it is about, in one call. */
export async function loadClaim(id: string): Promise<Kept | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const [at, headAt] = [key.ofClaim(id), key.head(record)]
  const found = await getMany([at, headAt], true)
  const stored = itemAt(found, at)
  const pack = stored ? claimsIn(stored) : []
  const it = pack.find((one) => one.id === id)
  return it && { ...claimOf(it, itemAt(found, headAt)), pack }
}

function claimOf(it: Assertion, stored: Stored | undefined): Claim {
  const about = stored && parse(recordItem, stored)
  return {
    claim: it,
    about,
    contributor_id: it.contributor_id,
    authors: [it.contributor_id],
    public: isSettled(it) && (about?.public ?? true),
    access_tier: about?.access_tier,
    deleted_at: about?.deleted_at,
    version: it.version,
  }
}

export type Filter = {
  entity_type?: string | undefined
  entity_id?: string | undefined
  cultural_entity_id?: string | undefined
  asserted_property?: string | undefined
  status?: string | undefined
}
export type Claims = PageResult<Claim>

/** Assertions about one record, newest first; without a record the accepted ones about any. Of these, what the caller may see. */
export async function list(filter: Filter, actor: Actor | null, place: PageRequest): Promise<Claims> {
  const about = await recordOf(filter)
  return about === 'any' ? ofAll(filter, actor, place) : ofOne(about, filter, actor, place)
}

/** The record that a filter or a body names; undefined when it names none that exists. */
async function recordOf({ entity_type, entity_id, cultural_entity_id }: Filter): Promise<Loaded | undefined | 'any'> {
  if (cultural_entity_id) return loadById(cultural_entity_id.toLowerCase())
  if (!entity_type && !entity_id) return 'any'
  const kind = kindOfScope(entity_type ?? '')
  if (!kind || !entity_id) return undefined
  if (!kind.record) return loadById(entity_id.toLowerCase())
  return /^[1-9]\d{0,11}$/.test(entity_id) ? load(kind, Number(entity_id)) : undefined
}

function ofOne(
  about: Loaded | undefined,
  { asserted_property, status }: Filter,
  actor: Actor | null,
  place: PageRequest,
): Claims {
  if (!about || !mayInspect(actor, about)) return { count: 0, results: [] }
  const results = about.assertions
    .map((it): Claim => ({ ...claimOf(it, about), about }))
    .filter((it) => mayInspect(actor, it) || about.contributor_id === actor?.id)
    .filter(({ claim: it }) => !asserted_property || it.asserted_property === asserted_property)
    .filter(({ claim: it }) => !status || it.reconciliation_status === status)
    .reverse()
  return { count: results.length, results: results.slice(place.offset, place.offset + place.limit) }
}

async function ofAll(filter: Filter, actor: Actor | null, place: PageRequest): Promise<Claims> {
  const { status = 'accepted', asserted_property } = filter
  if (!isStatus(status)) return { count: 0, results: [] }
  const isPublic = isSettled({ reconciliation_status: status })
  // What waits or lost is told to those who review, who alone belong to such an audience.
  const told = historyAudiencesOf(actor).filter((it) => isPublic || isForInsiders(it))
  const isAsked = (it: Assertion) =>
    it.reconciliation_status === status && (!asserted_property || it.asserted_property === asserted_property)
  const unpacked = new Map<Stored, readonly Assertion[]>()
  const claimsOf = (item: Stored) => {
    const its = unpacked.get(item) ?? claimsIn(item)
    unpacked.set(item, its)
    return its
  }
  const listing = await readList(
    {
      partitions: told.flatMap((it) => assertionPartitions(status, it)),
      counted: told.map((it) => assertionList(status, it)),
      isSpread: !isPublic,
      ...(asserted_property && { has: ['claims', asserted_property] as const }),
      entries: (item) =>
        claimsOf(item)
          .filter(isAsked)
          .map(({ id }) => id),
    },
    place,
    (items) => items.map((item) => key.head(String(item.entity_id))),
  )
  const results = listing.items
    .flatMap((item, i) => claimsOf(item).find((it) => listing.places[i]?.endsWith(it.id)) ?? [])
    .map((it) => claimOf(it, itemAt(listing.found, key.head(it.entity_id))))
    // Of what was hidden a moment ago the lists may not know yet.
    .filter((it) => mayInspect(actor, it))
  return { ...listing, results }
}

const isStatus = (status: string): status is Assertion['reconciliation_status'] =>
  claimStatuses.some((it) => it === status)
const isForInsiders = (audience: HistoryAudience) => !audiences.some((it) => it === audience)

/**
 * A claim that someone makes about a record: it waits for review and meets the conflict check like any value of a
 * contribution. Fails with field errors when it names a record, property or predicate that is not there. What others change of the
 * record at the same time does not keep it back.
 */
export const create = (actor: Actor, it: Contribution): Promise<Claim> => commitPlan(() => planned(actor, it))

async function planned(actor: Actor, { data, assertion: source }: Contribution): Promise<Plan<Claim>> {
  const { data: values } = await resolve(kinds.assertion, data, actor)
  const text = (name: string) => textOf(values[name])
  const about = await recordOf({
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
  const other = await otherEnd(property, text('object_entity_type'), text('object_entity_id'), actor)
  const at = now()
  const subject = about === 'any' ? undefined : about
  const made: Assertion = {
    ...newClaim(
      { about: subject ?? (await loose()), source: provenance(source, text), actor, revision_number: null, at },
      property,
      undefined,
    ),
    // Without words of their own, relationships go by what the other record is called when they are read.
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
    attributed_to_agent: text('attributed_to_agent') || text('was_attributed_to_agent'),
    supersedes: textOf(firstId(values.supersedes)) || null,
    object_entity_type: other?.kind ?? null,
    object_entity_id: other?.id ?? null,
  }
  const flags = subject ? await contradictionsOf(subject, made, actor) : []
  const stored = subject && recordItemOf(subject)
  const next =
    stored &&
    amended<RecordItem>(stored, {
      ...countingClaims(stored, 1),
      open_flags: stored.open_flags + flags.length,
      open_contradictions: stored.open_contradictions + flags.length,
      contradicted: stored.contradicted || flags.length > 0,
      ...(flags.length > 0 && intoReview(stored, made, at)),
    })
  const writes = [
    ...claimWrites([], [made], subject),
    ...(subject ? flags.map((it) => put(flag, flagOf(subject, it, at), undefined)) : []),
    ...(stored && next ? [put(recordItem, next, stored), ...queueWrites(stored, next)] : []),
  ]
  return { result: { ...claimOf(made, undefined), about: subject }, writes }
}

/** A claim that contradicts what the public reads brings the record back before reviewers. */
function intoReview(it: RecordItem, made: Assertion, at: string): Partial<RecordItem> {
  const moved = it.public && it.status === 'accepted' ? move(stateOf(it), 'edit') : undefined
  if (!moved) return {}
  return {
    status: moved.status,
    queue_age: ageAt(it.created_at, Date.parse(at)),
    ...worstSource([made.source_type]),
  }
}

/**
 * Sets the status of a claim. Fails with `conflict` on accepting one about a record that is not published, and when it has
 * changed since it was read.
 */
export async function settle(old: Kept, reconciliation_status: Assertion['reconciliation_status']): Promise<Claim> {
  if (reconciliation_status === 'accepted' && old.about && !old.about.public)
    throw conflict('Its record is not published: that is decided first.')
  const at = now()
  const settlings = [...(old.claim.settlings ?? []), { status: reconciliation_status, at }]
  const next = amended<Assertion>(old.claim, { reconciliation_status, settlings, updated_at: at })
  const before = old.about && recordItemOf(old.about)
  const after = before && amended<RecordItem>(before, { updated_at: at })
  commitWithAnswer([
    ...claimWrites(
      old.pack,
      old.pack.map((it) => (it.id === next.id ? next : it)),
      old.about,
    ),
    // The record's version goes up with its provenance, so that caches and lost updates are noticed.
    ...(before && after ? [put(recordItem, after, before), ...queueWrites(before, after)] : []),
  ])
  return { ...old, claim: next, version: next.version }
}

/** The flags for what a new claim contradicts. Two calls more for each date that names a period. */
async function contradictionsOf(about: Loaded, made: Assertion, actor: Actor) {
  // A claim that is not there yet would not be contradicted.
  if (!hasAllClaims(about)) throw conflict()
  const data = { calendar_system: about.data.calendar_system, [made.asserted_property]: made.value }
  const meanings = await meaningsIn(kinds[about.kind], data, actor, about)
  return contradictionFlags([made], detectConflicts(about, [made], { meanings, actor }))
}

/** The other record of a relationship. Its predicate is one of the controlled list, and the record is one the caller may see. */
async function otherEnd(property: string, type: string, id: string, actor: Actor) {
  const code = /^relationship\.(.+)$/.exec(property)?.[1]
  if (code === undefined) return undefined
  if (!predicateOf(property)) {
    throw invalid({
      asserted_property: [
        `Not a valid choice. Choose relationship. and one of: ${predicates.map((it) => it.code).join(', ')}.`,
      ],
    })
  }
  const found = await recordOf({ entity_type: type, entity_id: id })
  if (found === 'any' || !found || !mayInspect(actor, found))
    throw invalid({ object_entity_id: ['There is no record with this id.'] })
  return {
    kind: found.kind,
    id: kinds[found.kind].record ? found.id : found.entity_id,
  }
}

/** A claim about nothing that is stored here has a partition of its own. */
async function loose(): Promise<Pick<RecordItem, 'entity_id' | 'kind' | 'id'>> {
  const id = await nextId(kinds.assertion)
  return { entity_id: recordId(kinds.assertion.code, id), kind: 'assertion', id }
}

/** The members of the body say it, or its `assertion` block. */
const provenance = (block: Provenance, text: (name: string) => string): Provenance => ({
  source_type: text('source_type') || block.source_type,
  source_citation: text('source_citation') || block.source_citation,
  source_url: text('source_url') || block.source_url,
  confidence: text('confidence') || block.confidence,
  data_quality_note: text('data_quality_note') || block.data_quality_note,
})

const ids = (links: unknown): string[] => (Array.isArray(links) ? links.map((link) => String(link.id)) : [])
const firstId = (links: unknown) => ids(links)[0]
