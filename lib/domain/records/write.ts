import { isDeepStrictEqual } from 'node:util'
import { newChildId, now } from '../../base/clock.ts'
import { conflict, invalidObject } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'

import { type Plan, put, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import {
  type Contribution,
  type InputValues,
  type Kind,
  kinds,
  likenessFieldsOf,
  type Picture,
} from '../kinds/index.ts'
import { checkSize, type Values } from '../names/values.ts'
import { resolvePictures } from '../pictures/take.ts'
import {
  type BatchRow,
  type ClaimOrigin,
  countConcealed,
  headerOf,
  type NewFlag,
  nameEntryOf,
  newActivity,
  newClaims,
  newFlag,
  newRecord,
  newRevision,
  nextRecordId,
  storedNameEntryOf,
  withActivity,
  withoutNames,
} from './build.ts'
import { claimWrites } from './claim-packs.ts'
import {
  contradictionFlags,
  detectConflicts,
  type EditedContradictions,
  findLikenessFlags,
  planContradictions,
} from './conflict-flags.ts'
import { findDoubtFlags } from './doubts.ts'
import {
  type Activity,
  type Assertion,
  activity,
  addToClaimCount,
  flag,
  isUnderReview,
  type LoadedRecord,
  type RecordItem,
  type Revision,
  recordItem,
  recordItemOf,
  revision,
} from './items.ts'
import type { withOneTown as asTold } from './likeness/known-towns.ts'
import { withoutNamesakes } from './likeness/namesakes.ts'
import { valueEdges } from './links.ts'
import { hasAllClaims } from './load.ts'
import { allowNaming, namingWrites } from './naming.ts'
import { findPeriodMeanings, type PeriodMeanings } from './periods.ts'
import { picturesOf } from './pictures.ts'
import { queueWrites } from './queue-entry.ts'
import { resolveRelations, type SynonymLookup } from './relations/relations.ts'
import { planStubs } from './relations/stubs.ts'
import { reviewStateOf } from './review-state.ts'
import { findMove } from './rules/status.ts'
import { ageAt, worstSource } from './rules/triage.ts'

export { loadRecord, loadRecordById } from './load.ts'

type CreatedRecord = LoadedRecord & WithStubs & { revisions: Revision[]; activities: Activity[] }

/** `named`: the review identities of the stubs, which were made because a value names something new. */
type WithStubs = { named: string[] }

const stubIdsIn = (stubs: readonly Write[]): string[] =>
  stubs.flatMap(({ type, action }) => (type === recordItem.type ? [String(action.Put?.Item?.entity_id)] : []))

/** Stores a contribution for review, with stubs for relations that name something new. */
export async function createRecord(
  unit: UnitOfWork,
  kind: Kind,
  actor: Actor,
  contribution: Contribution,
  batch?: BatchRow,
): Promise<CreatedRecord> {
  unit.retryOn('being_made')
  return unit.addPlan(await planCreate(kind, actor, contribution, batch))
}

async function planCreate(
  kind: Kind,
  actor: Actor,
  { data, assertion: provenance, evidence }: Contribution,
  batch?: BatchRow,
): Promise<Plan<CreatedRecord>> {
  const lookUps = { synonymsOf: findSynonyms, import_id: batch?.id }
  const { values, missing, noted, pictureWrites } = await plannedValues(kind, data, actor, lookUps)
  checkSize(values)
  const header = headerOf(kind, values)
  const [id, stubs, likeness, doubts] = await Promise.all([
    nextRecordId(kind),
    planStubs(missing, provenance, actor, batch),
    findLikenessFlags(kind, header, { contributor_id: actor.id, linked: linkedTo(kind, values), asTold: withOneTown }),
    findPeriodMeanings(kind, values, actor).then((meanings) => findDoubtFlags(kind, values, actor, { meanings })),
  ])
  const flags = [...likeness, ...doubts]
  const planned = newRecord(kind, id, { data: values, header, source: provenance, evidence, actor, flags, batch })
  const namings = await namingWrites(noted, planned.record.entity_id)
  return {
    result: {
      ...planned.record,
      assertions: planned.assertions,
      links: [],
      revisions: [planned.revision],
      activities: [planned.activity],
      named: stubIdsIn(stubs),
    },
    writes: [...planned.writes, ...stubs, ...namings, ...pictureWrites],
  }
}

/**
 * Resolves the relations and pictures of an input. `missing`: records that do not exist yet. `noted`: records that came with
 * imports; links to them are noted for the case that the import is taken back. `pictureWrites`: writes that keep the picture files.
 */
async function plannedValues(
  kind: Kind,
  data: InputValues,
  actor: Actor,
  options: ResolveOptions & { import_id: string | undefined },
) {
  const { synonymsOf, pictures, import_id } = options
  const resolved = await resolveRelations(kind, data, actor, synonymsOf, import_id)
  const { values, writes } = await resolvePictures(resolved.data, actor, pictures)
  return { values, missing: resolved.missing, noted: resolved.noted, pictureWrites: writes }
}

// The code that asks search is loaded only when names are compared.
const findSynonyms: SynonymLookup = async (...asked) =>
  (await import('./relations/synonymous.ts')).findSynonyms(...asked)
const withOneTown: typeof asTold = async (...asked) => (await import('./likeness/known-towns.ts')).withOneTown(...asked)

/**
 * `pictures` are those that the record has or had. `synonymsOf`, `sameNames` and `asTold` use search. Without them, texts are matched by folded
 * names, and names are compared as texts.
 */
type ResolveOptions = {
  synonymsOf?: SynonymLookup | undefined
  sameNames?: typeof withoutNamesakes | undefined
  asTold?: typeof asTold | undefined
  pictures?: readonly Picture[]
}

/** The review identities of the records to which these values link. */
const linkedTo = (kind: Kind, data: Values) => valueEdges({ entity_id: '', kind: kind.key, data }).map(({ to }) => to)

/**
 * Changes a record. An unpublished record changes at once. A change of a published one waits for review: readers still see
 * the accepted values. Fails with `conflict` if somebody else was faster.
 */
export async function amendRecord(
  unit: UnitOfWork,
  old: LoadedRecord,
  actor: Actor,
  contribution: Contribution,
  options: AmendOptions = {},
): Promise<LoadedRecord & WithStubs> {
  unit.retryOn('being_made')
  return unit.addPlan(
    await planAmendment(old, actor, contribution, {
      synonymsOf: findSynonyms,
      sameNames: withoutNamesakes,
      asTold: withOneTown,
      ...options,
    }),
  )
}

/** `replace`: members that were not sent are removed. `pictures`: files that the service itself has stored. */
type AmendOptions = { trigger?: 'edit' | 'revise'; replace?: boolean; batch?: BatchRow } & ResolveOptions

/** Plans what `amendRecord` writes, for callers that commit it with other writes. Fails as `amendRecord` does. */
export async function planAmendment(
  old: LoadedRecord,
  actor: Actor,
  { data, cleared, assertion: provenance, evidence = {} }: Contribution,
  { trigger = 'edit', replace = false, batch, synonymsOf, sameNames, asTold, pictures = [] }: AmendOptions,
): Promise<Plan<LoadedRecord & WithStubs>> {
  const kind = kinds[old.kind]
  const move = findEditMove(old, trigger)
  const lookUps = { synonymsOf, import_id: batch?.id, pictures: [...picturesOf(old), ...pictures] }
  const { values, missing, noted, pictureWrites } = await plannedValues(kind, data, actor, lookUps)
  const edit = editOf(old, values, replace ? 'all' : cleared)
  const { after, changed, removed } = edit
  const restated = Object.keys(evidence).filter((name) => name in after && !changed.includes(name))
  const touched = changed.length + removed.length + restated.length
  if (touched === 0 && trigger === 'edit') return { result: { ...old, named: [] }, writes: [] }

  checkAcceptable(old, touched)
  const at = now()
  const header = headerOf(kind, after)
  const stubs = await planStubs(missing, provenance, actor, batch)
  const meanings = await findPeriodMeanings(kind, after, actor, old)
  const editClaims = await claimsFor(old, edit, {
    ...{ source: provenance, evidence, actor, at },
    ...{ restated, meanings, sameNames },
  })
  const contradictions = await planContradictions(old, editClaims.contradicted, editClaims.replaced, at)
  const flags = [
    ...contradictions.raised,
    ...(await likenessOf(old, after, changed, asTold)),
    ...(await findDoubtFlags(kind, after, actor, { changed, meanings })),
  ]
  const namings = await namingWrites(noted, old.entity_id)
  const sentIn = editActivity(old, actor, at)
  const stored = recordItemOf(old)
  const next = withActivity(
    withNextVersion<RecordItem>(stored, {
      ...(old.public ? { proposed: after } : { ...withoutNames(header), data: after }),
      ...queueMembersAfter(old, editClaims, contradictions, flags.length),
      concealed_flags: old.concealed_flags + countConcealed(flags),
      machine: actor.key?.name ?? null,
      machine_of: actor.key ? actor.id : null,
      status: move.status,
      current_revision: old.current_revision + 1,
      current_revision_id: newChildId(old.entity_id),
      queue_age: ageAt(old.created_at, Date.parse(at)),
      stub: false,
      batch: batch ? { ...batch, revision: old.current_revision + 1 } : old.batch,
      updated_at: at,
    }),
    sentIn,
    actor,
  )
  const assertions = claimsAfter(editClaims, at)
  return {
    result: { ...next, assertions, links: old.links, named: stubIdsIn(stubs) },
    writes: [
      put(recordItem, next, stored),
      put(revision, newRevision(next, after, actor, at), undefined),
      put(activity, sentIn, undefined),
      ...claimWrites(old.assertions, assertions, next),
      ...flags.map((raised) => put(flag, newFlag(next, raised, at), undefined)),
      ...contradictions.writes,
      ...(old.public ? [] : indexWrites(storedNameEntryOf(stored), nameEntryOf(next, header))),
      ...queueWrites(stored, next),
      ...stubs.concat(namings, pictureWrites),
    ],
  }
}

/** Returns the state after the edit. Fails if the status allows no edit, and with `conflict` if the read misses a claim. */
function findEditMove(old: LoadedRecord, trigger: 'edit' | 'revise') {
  if (!hasAllClaims(old)) throw conflict()
  const move = findMove(reviewStateOf(old), trigger)
  if (!move) throw invalidObject(`A contribution that is ${old.status} cannot be revised.`)
  return move
}

const editActivity = (old: LoadedRecord, actor: Actor, at: string) => ({
  ...newActivity(old.entity_id, actor, old.public ? 'submitted' : 'revised', '', at),
  of_edit: old.public,
})

/** Flags for look-alikes of the edited record. They are looked up only if a name, place or identity has changed. */
async function likenessOf(
  { kind: key, entity_id, contributor_id }: LoadedRecord,
  after: Values,
  changed: readonly string[],
  asTold: ResolveOptions['asTold'],
) {
  const kind = kinds[key]
  if (!changed.some((name) => likenessFieldsOf(kind).includes(name))) return []
  return findLikenessFlags(kind, headerOf(kind, after), {
    entity_id,
    contributor_id,
    linked: linkedTo(kind, after),
    asTold,
  })
}

type Edit = { after: Values; changed: string[]; removed: string[] }

/** Compares an input with the proposed values, or with the standing values if no edit waits. */
function editOf(old: LoadedRecord, data: Values, cleared: readonly string[] | 'all'): Edit {
  const before = old.proposed ?? old.data
  const after: Values = { ...(cleared === 'all' ? {} : omit(before, ...cleared)), ...data }
  checkSize(after)
  return {
    after,
    // The table does not keep the order of members, so values are not compared as texts.
    changed: Object.keys(data).filter((name) => !isDeepStrictEqual(before[name], after[name])),
    removed: Object.keys(before).filter((name) => !(name in after)),
  }
}

/**
 * `claims`: the new claims. `contradicted`: a flag for each new claim that contradicts another claim. `replaced`: waiting
 * claims that the edit replaces. `left`: claims that stay as they are.
 */
type EditClaims = { claims: Assertion[]; contradicted: NewFlag[]; replaced: Assertion[]; left: Assertion[] }

async function claimsFor(
  old: LoadedRecord,
  { after, changed, removed }: Edit,
  {
    restated,
    meanings,
    sameNames,
    ...origin
  }: Pick<ClaimOrigin, 'source' | 'evidence' | 'actor' | 'at'> &
    Pick<ResolveOptions, 'sameNames'> & { restated: readonly string[]; meanings: PeriodMeanings },
): Promise<EditClaims> {
  const revision_number = old.current_revision + 1
  const claims = newClaims(
    { ...origin, about: old, revision_number },
    // A value that stays the same gets a new claim if its evidence has changed.
    [...changed, ...restated].map((property) => [property, after[property]]),
  )
  const found = detectConflicts(old, claims, { meanings, actor: origin.actor })
  const conflicts = sameNames ? await sameNames(old, claims, found, origin.actor) : found
  const replacedIds = new Set(conflicts.flatMap(({ replaces }) => replaces))
  const replaced = old.assertions.filter(
    (claim) =>
      replacedIds.has(claim.id) || (isOwnWaiting(claim, origin.actor) && removed.includes(claim.asserted_property)),
  )
  const left = old.assertions.filter((claim) => !replaced.includes(claim))
  return { claims, contradicted: contradictionFlags(claims, conflicts), replaced, left }
}

/** The members of a record after an edit on which its place in the queue depends, and its count of claims. */
const queueMembersAfter = (
  old: LoadedRecord,
  { claims, contradicted, left }: EditClaims,
  { raised, resolved }: EditedContradictions,
  flags: number,
): Partial<RecordItem> => ({
  ...addToClaimCount(old, claims.length),
  open_flags: old.open_flags + flags - resolved,
  open_contradictions: old.open_contradictions + raised.length - resolved,
  contradicted: old.contradicted || contradicted.length > 0,
  ...worstSource([...left, ...claims].filter(isUnderReview).map(({ source_type }) => source_type)),
})

const claimsAfter = ({ claims, replaced, left }: EditClaims, at: string): Assertion[] => [
  ...left,
  ...replaced.map((claim) =>
    withNextVersion<Assertion>(claim, { reconciliation_status: 'superseded', updated_at: at }),
  ),
  ...claims,
]

/** Returns the record with the values of its waiting edit. The answer to an edit shows this. */
export function asProposed(record: LoadedRecord): LoadedRecord {
  const { kind, proposed } = record
  if (!proposed) return record
  return { ...record, ...withoutNames(headerOf(kinds[kind], proposed)), data: proposed, public: false }
}

/** Sends a draft to review. Fails if it is no draft. */
export async function submitDraft(unit: UnitOfWork, old: LoadedRecord, actor: Actor): Promise<LoadedRecord> {
  const move = findMove(reviewStateOf(old), 'submit')
  if (!move) throw invalidObject('Only drafts can be submitted.')
  const at = now()
  const submitted = newActivity(old.entity_id, actor, 'submitted', '', at)
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const stored = recordItemOf(old)
  const next = withActivity(
    withNextVersion<RecordItem>(stored, { status: move.status, queue_age, updated_at: at }),
    submitted,
    actor,
  )
  unit.add([put(recordItem, next, stored), put(activity, submitted, undefined), ...queueWrites(stored, next)])
  return { ...old, ...next }
}

/** Marks a record as deleted, and returns the time. Only staff still see it, and they can restore it. */
export async function deleteRecord(unit: UnitOfWork, old: LoadedRecord): Promise<string> {
  if (old.deleted_at) throw conflict('This record is deleted already.')
  const stored = recordItemOf(old)
  const at = now()
  const next = withNextVersion<RecordItem>(stored, { deleted_at: at, updated_at: at })
  unit.add([
    put(recordItem, next, stored),
    ...indexWrites(storedNameEntryOf(stored), undefined),
    ...queueWrites(stored, next),
  ])
  return at
}

/** Restores a deleted record. `absences` stores the time between, so that reads of the past leave it out. */
export async function restoreRecord(unit: UnitOfWork, old: LoadedRecord): Promise<LoadedRecord> {
  if (!old.deleted_at) throw conflict('This record is not deleted.')
  const at = now()
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const stored = recordItemOf(old)
  const absences = [...(old.absences ?? []), { from: old.deleted_at, until: at }]
  const next = withNextVersion<RecordItem>(stored, { deleted_at: null, absences, queue_age, updated_at: at })
  unit.add([
    put(recordItem, next, stored),
    ...indexWrites(undefined, storedNameEntryOf(next)),
    ...queueWrites(stored, next),
    ...allowNaming(stored),
  ])
  return { ...next, assertions: old.assertions, links: old.links }
}

/**
 * The most values that may wait behind a published record. Accepting a claim may write two packs: its own, and that of the claim
 * that it replaces. A transaction has room for 38 such claims.
 */
const MOST_WAITING_VALUES = 38

function checkAcceptable(old: LoadedRecord, more: number): void {
  const waiting = old.assertions.filter(isUnderReview)
  if (old.public && waiting.length + more > MOST_WAITING_VALUES) {
    throw invalidObject(
      `More than ${MOST_WAITING_VALUES} changed values would wait for review. Let a reviewer decide on some first.`,
    )
  }
}

const isOwnWaiting = (claim: Assertion, actor: Actor) =>
  claim.reconciliation_status === 'pending' && claim.contributor_id === actor.id
