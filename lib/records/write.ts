import { isDeepStrictEqual } from 'node:util'
import { newChildId, now } from '../clock.ts'
import { commit, commitNaming, commitWithAnswer } from '../commit.ts'
import { conflict, invalidObject } from '../errors.ts'
import { addressOf } from '../ids/address.ts'
import {
  type Contribution,
  type Data,
  type Kind,
  kindOfCode,
  kinds,
  likenessFieldsOf,
  type Picture,
} from '../kinds/index.ts'
import { indexWrites } from '../names/index.ts'
import type { Values } from '../names/values.ts'
import { checkSize } from '../names/values.ts'
import type { Actor } from '../permissions.ts'
import { withPictures } from '../pictures/take.ts'
import { amended, put, type Write } from '../table/item.ts'
import type { Plan } from '../table/retry.ts'
import {
  activityOf,
  type BatchRow,
  flagOf,
  headerOf,
  indexedAs,
  indexedOf,
  type NewClaims,
  newClaims,
  newRecord,
  nextId,
  type Raised,
  revisionOf,
  summaryOf,
  withActivity,
} from './build.ts'
import { claimWrites } from './claim-packs.ts'
import { contradictionFlags, detectConflicts, likenessFlags } from './conflict-flags.ts'
import { doubtFlags } from './doubts.ts'
import {
  type Activity,
  type Assertion,
  activity,
  countingClaims,
  flag,
  isCarried,
  type Loaded,
  type RecordItem,
  type Revision,
  recordItem,
  recordItemOf,
  revision,
} from './items.ts'
import { namedBy } from './links.ts'
import { hasAllClaims } from './load.ts'
import { type Meanings, meaningsIn } from './periods.ts'
import { picturesOf } from './pictures.ts'
import { queueWrites } from './queue-entry.ts'
import { type Meant, resolve } from './relations.ts'
import { move } from './rules/status.ts'
import { ageAt, worstSource } from './rules/triage.ts'
import { stubsFor } from './stubs.ts'
import { synonymousRecords } from './synonymous.ts'

export { load, loadById } from './load.ts'

/** A new record with its first revision and what happened to it. */
type Created = Loaded & Naming & { revisions: Revision[]; activities: Activity[] }
/** The review identities of the records that were made because the values name them. */
type Naming = { named: string[] }
const namedIn = (stubs: readonly Write[]): string[] =>
  stubs.flatMap(({ type, action }) => (type === recordItem.type ? [String(action.Put?.Item?.entity_id)] : []))

/** Stores a contribution for review. One transaction: record, revision, assertions, activity, stubs for text that names nothing, flags. */
export const create = (kind: Kind, actor: Actor, contribution: Contribution, batch?: BatchRow): Promise<Created> =>
  commitNaming(() => planCreate(kind, actor, contribution, batch))

async function planCreate(
  kind: Kind,
  actor: Actor,
  { data, assertion: provenance }: Contribution,
  batch?: BatchRow,
): Promise<Plan<Created>> {
  const { values, missing, kept } = await plannedValues(kind, data, actor, { synonymsOf: synonymousRecords })
  checkSize(values)
  const header = headerOf(kind, values)
  const [id, stubs, likeness, doubts] = await Promise.all([
    nextId(kind),
    stubsFor(missing, provenance, actor, batch),
    likenessFlags(kind, header, { linked: linkedTo(kind, values) }),
    meaningsIn(kind, values, actor).then((meanings) => doubtFlags(kind, values, actor, { meanings })),
  ])
  const flags = [...likeness, ...doubts]
  const change = newRecord(kind, id, { data: values, header, source: provenance, actor, flags, batch })
  const { record, assertions, revision: first, activity: done } = change
  const result = { ...record, assertions, links: [], revisions: [first], activities: [done], named: namedIn(stubs) }
  return { result, writes: [...change.writes, ...stubs, ...kept] }
}

/** The values of a contribution as they are stored, the records that they name in words, and the writes that keep files of pictures. */
async function plannedValues(kind: Kind, data: Data, actor: Actor, { synonymsOf, pictures }: Known) {
  const resolved = await resolve(kind, data, actor, synonymsOf)
  const { values, writes } = await withPictures(resolved.data, actor, pictures)
  return { values, missing: resolved.missing, kept: writes }
}
/** By what words are understood, and the pictures that are there. */
type Known = { synonymsOf?: Meant | undefined; pictures?: readonly Picture[] }

/** The records that the values name. */
const linkedTo = (kind: Kind, data: Values) => namedBy({ entity_id: '', kind: kind.key, data }).map((it) => it.to)

/**
 * Changes a record. What is not published is saved in place; of a published one the change waits as a revision, and
 * readers go on seeing the accepted values. Fails with `conflict` when someone else was faster.
 */
export const amend = (old: Loaded, actor: Actor, contribution: Contribution, how: How = {}): Promise<Loaded & Naming> =>
  commitNaming(() => planAmend(old, actor, contribution, { synonymsOf: synonymousRecords, ...how }))

/** `pictures`: those whose files the service itself has put in place. */
type How = { trigger?: 'edit' | 'revise'; replace?: boolean; batch?: BatchRow } & Known

/**
 * What `amend` would write, for those who write it together with more. Fails as `amend` does. Without `synonymsOf` words name
 * records by their folded names alone, and nobody has to search.
 */
export async function planAmend(
  old: Loaded,
  actor: Actor,
  { data, cleared, assertion: provenance }: Contribution,
  { trigger = 'edit', replace = false, batch, synonymsOf, pictures = [] }: How,
): Promise<Plan<Loaded & Naming>> {
  const kind = kinds[old.kind]
  const moved = moveOf(old, trigger)
  const known = { synonymsOf, pictures: [...picturesOf(old), ...pictures] }
  const { values, missing, kept } = await plannedValues(kind, data, actor, known)
  const edit = editOf(old, values, replace ? 'all' : cleared)
  const { after, changed, removed } = edit
  if (changed.length === 0 && removed.length === 0 && trigger === 'edit')
    return { result: { ...old, named: [] }, writes: [] }

  checkAcceptable(old, changed.length + removed.length)
  const at = now()
  const header = headerOf(kind, after)
  const stubs = await stubsFor(missing, provenance, actor, batch)
  const meanings = await meaningsIn(kind, after, actor, old)
  const claimed = claimsFor(old, edit, { source: provenance, actor, at, meanings })
  const flags = [
    ...claimed.contradicted,
    ...(await likenessOf(old, after, changed)),
    ...(await doubtFlags(kind, after, actor, { changed, meanings })),
  ]
  const done = handedIn(old, actor, at)
  const stored = recordItemOf(old)
  const next = withActivity(
    amended<RecordItem>(stored, {
      ...(old.public ? { proposed: after } : { ...summaryOf(header), data: after }),
      ...weightAfter(old, claimed, flags.length),
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
      put(revision, revisionOf(next, after, actor, at), undefined),
      put(activity, done, undefined),
      ...claimWrites(old.assertions, assertions, next),
      ...flags.map((it) => put(flag, flagOf(next, it, at), undefined)),
      ...(old.public ? [] : indexWrites(indexedOf(stored), indexedAs(next, header))),
      ...queueWrites(stored, next),
      ...stubs.concat(kept),
    ],
  }
}

/** How an edit moves the record; fails where it cannot be, and with `conflict` where the record was read while it changed. */
function moveOf(old: Loaded, trigger: 'edit' | 'revise') {
  if (!hasAllClaims(old)) throw conflict()
  const moved = move(stateOf(old), trigger)
  if (!moved) throw invalidObject(`A contribution that is ${old.status} cannot be revised.`)
  return moved
}

/** What is told of an edit that was sent in. */
const handedIn = (old: Loaded, actor: Actor, at: string) => ({
  ...activityOf(old.entity_id, actor, old.public ? 'submitted' : 'revised', '', at),
  of_edit: old.public,
})

/** What a record looks like once it has these values, if the change is one by which it can look otherwise. */
async function likenessOf({ kind: key, entity_id }: Loaded, after: Values, changed: readonly string[]) {
  const kind = kinds[key]
  if (!changed.some((name) => likenessFieldsOf(kind).includes(name))) return []
  return likenessFlags(kind, headerOf(kind, after), { entity_id, linked: linkedTo(kind, after) })
}

type Edit = { after: Values; changed: string[]; removed: string[] }

/** What an edit makes of the values that wait, or else of those that stand. */
function editOf(old: Loaded, data: Values, cleared: readonly string[] | 'all'): Edit {
  const before = old.proposed ?? old.data
  const after: Values = { ...(cleared === 'all' ? {} : without(before, cleared)), ...data }
  checkSize(after)
  return {
    after,
    changed: Object.keys(data).filter((name) => !same(before[name], after[name])),
    removed: Object.keys(before).filter((name) => !(name in after)),
  }
}

type Claimed = { claims: Assertion[]; contradicted: Raised[]; replaced: Assertion[]; left: Assertion[] }

/** The claims of an edit, what they contradict, the waiting claims that they replace, and those that are left. */
function claimsFor(
  old: Loaded,
  { after, changed, removed }: Edit,
  { meanings, ...made }: Pick<NewClaims, 'source' | 'actor' | 'at'> & { meanings: Meanings },
): Claimed {
  const revision_number = old.current_revision + 1
  const claims = newClaims(
    { ...made, about: old, revision_number },
    changed.map((property) => [property, after[property]]),
  )
  const conflicts = detectConflicts(old, claims, { meanings, actor: made.actor })
  const ends = new Set(conflicts.flatMap((each) => each.replaces))
  const replaced = old.assertions.filter(
    (it) => ends.has(it.id) || (waits(it, made.actor) && removed.includes(it.asserted_property)),
  )
  const left = old.assertions.filter((it) => !replaced.includes(it))
  return { claims, contradicted: contradictionFlags(claims, conflicts), replaced, left }
}

/** The record's counts of claims and flags and its worst source after an edit. */
const weightAfter = (old: Loaded, { claims, contradicted, left }: Claimed, flags: number): Partial<RecordItem> => ({
  ...countingClaims(old, claims.length),
  open_flags: old.open_flags + flags,
  open_contradictions: old.open_contradictions + contradicted.length,
  contradicted: old.contradicted || contradicted.length > 0,
  ...worstSource([...left, ...claims].filter(isCarried).map((it) => it.source_type)),
})

/** The claims of a record after an edit: those that it replaces have ended. */
const claimsAfter = ({ claims, replaced, left }: Claimed, at: string): Assertion[] => [
  ...left,
  ...replaced.map((it) => amended<Assertion>(it, { reconciliation_status: 'superseded', updated_at: at })),
  ...claims,
]

/** A record as the edit that waits would make it: what its contributor gets to see of a change. */
export function asProposed(it: Loaded): Loaded {
  return it.proposed
    ? { ...it, ...summaryOf(headerOf(kinds[it.kind], it.proposed)), data: it.proposed, public: false }
    : it
}

/** Hands a draft in for review. Fails when it is no draft. */
export async function submit(old: Loaded, actor: Actor): Promise<Loaded> {
  const moved = move(stateOf(old), 'submit')
  if (!moved) throw invalidObject('Only drafts can be submitted.')
  const at = now()
  const done = activityOf(old.entity_id, actor, 'submitted', '', at)
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const stored = recordItemOf(old)
  const next = withActivity(
    amended<RecordItem>(stored, { status: moved.status, queue_age, updated_at: at }),
    done,
    actor,
  )
  await commit([put(recordItem, next, stored), put(activity, done, undefined), ...queueWrites(stored, next)])
  return { ...old, ...next }
}

/** Deletes softly: the record is gone for all but staff, who can restore it. */
export async function remove(old: Loaded): Promise<void> {
  if (old.deleted_at) throw conflict('This record is deleted already.')
  const stored = recordItemOf(old)
  const at = now()
  const next = amended<RecordItem>(stored, { deleted_at: at, updated_at: at })
  await commit([
    put(recordItem, next, stored),
    ...indexWrites(indexedOf(stored), undefined),
    ...queueWrites(stored, next),
  ])
}

/** Brings a deleted record back as it was. */
export async function restore(old: Loaded): Promise<Loaded> {
  if (!old.deleted_at) throw conflict('This record is not deleted.')
  const at = now()
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const stored = recordItemOf(old)
  const absences = [...(old.absences ?? []), { from: old.deleted_at, until: at }]
  const next = amended<RecordItem>(stored, { deleted_at: null, absences, queue_age, updated_at: at })
  commitWithAnswer([
    put(recordItem, next, stored),
    ...indexWrites(undefined, indexedOf(next)),
    ...queueWrites(stored, next),
  ])
  return { ...next, assertions: old.assertions, links: old.links }
}

/** The kind that a review identity tells; one that tells none is taken for a cultural entity's. */
export const kindOf = (entity_id: string): Kind => kindOfCode(addressOf(entity_id)?.kindCode ?? 0) ?? kinds.entity

/** Where a record stands, for the rules of lib/records/rules/status.ts. */
export const stateOf = (it: RecordItem) => ({ status: it.status, public: it.public, deleted: it.deleted_at !== null })

/** Accepting may write the pack of each waiting claim and that of the one whose place it takes: more of them no transaction holds. */
const MOST_WAITING = 38

function checkAcceptable(old: Loaded, more: number): void {
  const waiting = old.assertions.filter(isCarried)
  if (old.public && waiting.length + more > MOST_WAITING) {
    throw invalidObject(
      `More than ${MOST_WAITING} changed values would wait for review. Let a reviewer decide on some first.`,
    )
  }
}

const waits = (it: Assertion, actor: Actor) => it.reconciliation_status === 'pending' && it.contributor_id === actor.id
// The table does not keep the order of members.
const same = (a: unknown, b: unknown) => isDeepStrictEqual(a, b)
const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
