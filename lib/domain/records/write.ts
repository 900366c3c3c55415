import { isDeepStrictEqual } from 'node:util'
import { newChildId, now } from '../../base/clock.ts'
import { conflict, invalidObject } from '../../base/errors.ts'
import { addressOf } from '../../base/ids/address.ts'
import type { Plan } from '../../engines/table/index.ts'
import { put, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'

import { indexWrites } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import {
  type Contribution,
  type InputValues,
  type Kind,
  kindOfCode,
  kinds,
  likenessFieldsOf,
  type Picture,
} from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { checkSize } from '../names/values.ts'
import { resolvePictures } from '../pictures/take.ts'
import {
  type BatchRow,
  type ClaimOrigin,
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
import { valueEdges } from './links.ts'
import { hasAllClaims } from './load.ts'
import { findPeriodMeanings, type PeriodMeanings } from './periods.ts'
import { picturesOf } from './pictures.ts'
import { queueWrites } from './queue-entry.ts'
import { resolveRelations, type SynonymLookup } from './relations.ts'
import { findMove } from './rules/status.ts'
import { ageAt, worstSource } from './rules/triage.ts'
import { planStubs } from './stubs.ts'
import { findSynonyms } from './synonymous.ts'

export { loadRecord, loadRecordById } from './load.ts'

type CreatedRecord = LoadedRecord & StubNames & { revisions: Revision[]; activities: Activity[] }
/** `named`: the review identities of stubs that were made because the values name them. */
type StubNames = { named: string[] }
const namedIn = (stubs: readonly Write[]): string[] =>
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
  { data, assertion: provenance }: Contribution,
  batch?: BatchRow,
): Promise<Plan<CreatedRecord>> {
  const { values, missing, pictureWrites } = await plannedValues(kind, data, actor, { synonymsOf: findSynonyms })
  checkSize(values)
  const header = headerOf(kind, values)
  const [id, stubs, likeness, doubts] = await Promise.all([
    nextRecordId(kind),
    planStubs(missing, provenance, actor, batch),
    findLikenessFlags(kind, header, { linked: linkedTo(kind, values) }),
    findPeriodMeanings(kind, values, actor).then((meanings) => findDoubtFlags(kind, values, actor, { meanings })),
  ])
  const flags = [...likeness, ...doubts]
  const change = newRecord(kind, id, { data: values, header, source: provenance, actor, flags, batch })
  const { record, assertions, revision: first, activity: done } = change
  const result = { ...record, assertions, links: [], revisions: [first], activities: [done], named: namedIn(stubs) }
  return { result, writes: [...change.writes, ...stubs, ...pictureWrites] }
}

/**
 * Resolves relations and pictures. `missing` are records that do not exist yet; `pictureWrites` keep the
 * picture files.
 */
async function plannedValues(kind: Kind, data: InputValues, actor: Actor, { synonymsOf, pictures }: ResolveOptions) {
  const resolved = await resolveRelations(kind, data, actor, synonymsOf)
  const { values, writes } = await resolvePictures(resolved.data, actor, pictures)
  return { values, missing: resolved.missing, pictureWrites: writes }
}
/** `pictures` are those that the record has or had. Without `synonymsOf`, words are matched by folded names alone. */
type ResolveOptions = { synonymsOf?: SynonymLookup | undefined; pictures?: readonly Picture[] }

const linkedTo = (kind: Kind, data: Values) => valueEdges({ entity_id: '', kind: kind.key, data }).map((it) => it.to)

/**
 * Changes a record. An unpublished record changes at once. A change of a published one waits for review: readers still see
 * the accepted values. Fails with `conflict` when someone else was faster.
 */
export async function amendRecord(
  unit: UnitOfWork,
  old: LoadedRecord,
  actor: Actor,
  contribution: Contribution,
  how: AmendOptions = {},
): Promise<LoadedRecord & StubNames> {
  unit.retryOn('being_made')
  return unit.addPlan(await planAmendment(old, actor, contribution, { synonymsOf: findSynonyms, ...how }))
}

/** `replace`: members that were not sent are removed. `pictures`: files that the service itself has put in place. */
type AmendOptions = { trigger?: 'edit' | 'revise'; replace?: boolean; batch?: BatchRow } & ResolveOptions

/** Plans what `amendRecord` writes, for callers that commit it with other writes. Fails as `amendRecord` does. */
export async function planAmendment(
  old: LoadedRecord,
  actor: Actor,
  { data, cleared, assertion: provenance }: Contribution,
  { trigger = 'edit', replace = false, batch, synonymsOf, pictures = [] }: AmendOptions,
): Promise<Plan<LoadedRecord & StubNames>> {
  const kind = kinds[old.kind]
  const moved = findEditMove(old, trigger)
  const known = { synonymsOf, pictures: [...picturesOf(old), ...pictures] }
  const { values, missing, pictureWrites } = await plannedValues(kind, data, actor, known)
  const edit = editOf(old, values, replace ? 'all' : cleared)
  const { after, changed, removed } = edit
  if (changed.length === 0 && removed.length === 0 && trigger === 'edit')
    return { result: { ...old, named: [] }, writes: [] }

  checkAcceptable(old, changed.length + removed.length)
  const at = now()
  const header = headerOf(kind, after)
  const stubs = await planStubs(missing, provenance, actor, batch)
  const meanings = await findPeriodMeanings(kind, after, actor, old)
  const claimed = claimsFor(old, edit, { source: provenance, actor, at, meanings })
  const contradictions = await planContradictions(old, claimed.contradicted, claimed.replaced, at)
  const flags = [
    ...contradictions.raised,
    ...(await likenessOf(old, after, changed)),
    ...(await findDoubtFlags(kind, after, actor, { changed, meanings })),
  ]
  const done = editActivity(old, actor, at)
  const stored = recordItemOf(old)
  const next = withActivity(
    withNextVersion<RecordItem>(stored, {
      ...(old.public ? { proposed: after } : { ...withoutNames(header), data: after }),
      ...weightAfter(old, claimed, contradictions, flags.length),
      status: moved.status,
      current_revision: old.current_revision + 1,
      current_revision_id: newChildId(old.entity_id),
      queue_age: ageAt(old.created_at, Date.parse(at)),
      stub: false,
      batch: batch ? { ...batch, revision: old.current_revision + 1 } : old.batch,
      updated_at: at,
    }),
    done,
    actor,
  )
  const assertions = claimsAfter(claimed, at)
  return {
    result: { ...next, assertions, links: old.links, named: namedIn(stubs) },
    writes: [
      put(recordItem, next, stored),
      put(revision, newRevision(next, after, actor, at), undefined),
      put(activity, done, undefined),
      ...claimWrites(old.assertions, assertions, next),
      ...flags.map((it) => put(flag, newFlag(next, it, at), undefined)),
      ...contradictions.writes,
      ...(old.public ? [] : indexWrites(storedNameEntryOf(stored), nameEntryOf(next, header))),
      ...queueWrites(stored, next),
      ...stubs.concat(pictureWrites),
    ],
  }
}

/** Fails where the status allows no edit, and with `conflict` where the read misses a claim. */
function findEditMove(old: LoadedRecord, trigger: 'edit' | 'revise') {
  if (!hasAllClaims(old)) throw conflict()
  const moved = findMove(reviewStateOf(old), trigger)
  if (!moved) throw invalidObject(`A contribution that is ${old.status} cannot be revised.`)
  return moved
}

const editActivity = (old: LoadedRecord, actor: Actor, at: string) => ({
  ...newActivity(old.entity_id, actor, old.public ? 'submitted' : 'revised', '', at),
  of_edit: old.public,
})

/** Look-alikes are looked up only where a name, place or identity has changed. */
async function likenessOf({ kind: key, entity_id }: LoadedRecord, after: Values, changed: readonly string[]) {
  const kind = kinds[key]
  if (!changed.some((name) => likenessFieldsOf(kind).includes(name))) return []
  return findLikenessFlags(kind, headerOf(kind, after), { entity_id, linked: linkedTo(kind, after) })
}

type Edit = { after: Values; changed: string[]; removed: string[] }

/** Builds on the proposed values, or on the standing ones where nothing waits. */
function editOf(old: LoadedRecord, data: Values, cleared: readonly string[] | 'all'): Edit {
  const before = old.proposed ?? old.data
  const after: Values = { ...(cleared === 'all' ? {} : without(before, cleared)), ...data }
  checkSize(after)
  return {
    after,
    changed: Object.keys(data).filter((name) => !areEqual(before[name], after[name])),
    removed: Object.keys(before).filter((name) => !(name in after)),
  }
}

type EditClaims = { claims: Assertion[]; contradicted: NewFlag[]; replaced: Assertion[]; left: Assertion[] }

/** `replaced` are waiting claims that the edit replaces. `left` are claims that stay as they are. */
function claimsFor(
  old: LoadedRecord,
  { after, changed, removed }: Edit,
  { meanings, ...made }: Pick<ClaimOrigin, 'source' | 'actor' | 'at'> & { meanings: PeriodMeanings },
): EditClaims {
  const revision_number = old.current_revision + 1
  const claims = newClaims(
    { ...made, about: old, revision_number },
    changed.map((property) => [property, after[property]]),
  )
  const conflicts = detectConflicts(old, claims, { meanings, actor: made.actor })
  const replacedIds = new Set(conflicts.flatMap((each) => each.replaces))
  const replaced = old.assertions.filter(
    (it) => replacedIds.has(it.id) || (isOwnWaiting(it, made.actor) && removed.includes(it.asserted_property)),
  )
  const left = old.assertions.filter((it) => !replaced.includes(it))
  return { claims, contradicted: contradictionFlags(claims, conflicts), replaced, left }
}

const weightAfter = (
  old: LoadedRecord,
  { claims, contradicted, left }: EditClaims,
  { raised, resolved }: EditedContradictions,
  flags: number,
): Partial<RecordItem> => ({
  ...addToClaimCount(old, claims.length),
  open_flags: old.open_flags + flags - resolved,
  open_contradictions: old.open_contradictions + raised.length - resolved,
  contradicted: old.contradicted || contradicted.length > 0,
  ...worstSource([...left, ...claims].filter(isUnderReview).map((it) => it.source_type)),
})

const claimsAfter = ({ claims, replaced, left }: EditClaims, at: string): Assertion[] => [
  ...left,
  ...replaced.map((it) => withNextVersion<Assertion>(it, { reconciliation_status: 'superseded', updated_at: at })),
  ...claims,
]

/** The answer to an edit shows the record as the edit would make it. */
export function asProposed(it: LoadedRecord): LoadedRecord {
  return it.proposed
    ? { ...it, ...withoutNames(headerOf(kinds[it.kind], it.proposed)), data: it.proposed, public: false }
    : it
}

/** Sends a draft to review. Fails when it is no draft. */
export async function submitDraft(unit: UnitOfWork, old: LoadedRecord, actor: Actor): Promise<LoadedRecord> {
  const moved = findMove(reviewStateOf(old), 'submit')
  if (!moved) throw invalidObject('Only drafts can be submitted.')
  const at = now()
  const done = newActivity(old.entity_id, actor, 'submitted', '', at)
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const stored = recordItemOf(old)
  const next = withActivity(
    withNextVersion<RecordItem>(stored, { status: moved.status, queue_age, updated_at: at }),
    done,
    actor,
  )
  unit.add([put(recordItem, next, stored), put(activity, done, undefined), ...queueWrites(stored, next)])
  return { ...old, ...next }
}

/** Deletes softly: only staff still see the record, and they can restore it. */
export async function deleteRecord(unit: UnitOfWork, old: LoadedRecord): Promise<void> {
  if (old.deleted_at) throw conflict('This record is deleted already.')
  const stored = recordItemOf(old)
  const at = now()
  const next = withNextVersion<RecordItem>(stored, { deleted_at: at, updated_at: at })
  unit.add([
    put(recordItem, next, stored),
    ...indexWrites(storedNameEntryOf(stored), undefined),
    ...queueWrites(stored, next),
  ])
}

/** Notes the time of absence, so that reads of the past know of it. */
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
  ])
  return { ...next, assertions: old.assertions, links: old.links }
}

/** An id without a known kind counts as `entity`. */
export const kindOf = (entity_id: string): Kind => kindOfCode(addressOf(entity_id)?.kindCode ?? 0) ?? kinds.entity

export const reviewStateOf = (it: RecordItem) => ({
  status: it.status,
  public: it.public,
  deleted: it.deleted_at !== null,
})

/**
 * Accepting a claim may write two packs: its own, and that of the claim that it replaces. A transaction has room for
 * 38.
 */
const MOST_WAITING = 38

function checkAcceptable(old: LoadedRecord, more: number): void {
  const waiting = old.assertions.filter(isUnderReview)
  if (old.public && waiting.length + more > MOST_WAITING) {
    throw invalidObject(
      `More than ${MOST_WAITING} changed values would wait for review. Let a reviewer decide on some first.`,
    )
  }
}

const isOwnWaiting = (it: Assertion, actor: Actor) =>
  it.reconciliation_status === 'pending' && it.contributor_id === actor.id
// The table does not keep the order of members, so texts cannot be compared.
const areEqual = (a: unknown, b: unknown) => isDeepStrictEqual(a, b)
const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
