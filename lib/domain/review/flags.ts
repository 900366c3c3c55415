import { now } from '../../base/clock.ts'
import { conflict, invalid, invalidObject } from '../../base/errors.ts'
import { addressOf } from '../../base/ids/address.ts'
import { audiences } from '../../base/visibility.ts'
import type { Plan } from '../../engines/table/index.ts'
import {
  get,
  getMany,
  itemIn,
  type Key,
  type List,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  remove as removal,
  type Stored,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'

import { type Actor, audiencesFor, mayInspect, mayReview, type Subject, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { newActivity, newFlag, withActivity } from '../records/build.ts'
import { claimsIn } from '../records/claim-packs.ts'
import { loadFlagsOn } from '../records/conflict-flags.ts'
import {
  activity,
  type Flag,
  type FlagFilter,
  flag,
  flagList,
  flagPartitions,
  flagTypes,
  isOpenContradiction,
  ownFlagList,
  type RecordItem,
  recordItem,
  withFlagAudience,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'

/** A flag with its record, and the facts by which permissions rule. */
export type FlagWithRecord = Subject & { flag: Flag; about: RecordItem; version: number }

/**
 * Loads a flag and its record in one call: the flag's id contains the record's id. An open contradiction takes a second call, for the
 * authors of its claims.
 */
export async function loadFlag(id: string): Promise<FlagWithRecord | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const found = await getMany([key.flag(record, id), key.head(record)], true)
  const raised = itemIn(found, flag, { entity_id: record, id })
  const about = itemIn(found, recordItem, { entity_id: record })
  if (!raised || !about) return undefined
  const it = withRecord(raised, about)
  return it.contradicts ? { ...it, authors: [...(it.authors ?? []), ...(await authorsOfClaims(raised))] } : it
}

/** Returns the ids of the people who made the claims of a contradiction. They are parties to it, like the contributor of the record. */
async function authorsOfClaims({ assertion_ids }: Flag): Promise<string[]> {
  const found = await getMany(assertion_ids.map(key.ofClaim), true)
  return [...found.values()]
    .flatMap(claimsIn)
    .filter(({ id }) => assertion_ids.includes(id))
    .map(({ contributor_id }) => contributor_id)
}

/** A flag with its record. `other` is the second record that it names. It is undefined if the caller may not see it. */
export type FlagWithRecords = { flag: Flag; about: RecordItem; other: RecordItem | undefined }
export type FlagListFilter = FlagFilter & { entity?: string | undefined }
export type FlagPage = PageResult<FlagWithRecords> & { people: PeopleById }

/**
 * Lists one page of the flags that the caller may see, newest first. Costs a call for each partition of `listsFor`, and one for sizes,
 * records and people. With `entity` it costs three calls.
 */
export async function listFlags(
  { entity, ...filter }: FlagListFilter,
  actor: Actor,
  place: PageRequest,
): Promise<FlagPage> {
  const { flag_type } = filter
  if (flag_type && !flagTypes.some((it) => it === flag_type)) return noFlags
  if (entity) return listFlagsOn(entity, filter, actor, place)
  const { items, found, ...listed } = await readList(listsFor(filter, actor), place, (page) =>
    page.map((item) => parse(flag, item)).flatMap((it) => [key.head(it.entity_id), ...namedBy(it)]),
  )
  const results = items
    .map((item) => parse(flag, item))
    .flatMap((it) => {
      const about = itemIn(found, recordItem, it)
      // The index lags: it may still list a record that was hidden a moment ago.
      return about && mayInspect(actor, withRecord(it, about)) ? [visibleFlag(actor, it, about, found)] : []
    })
    .filter((it) => !namesHidden(it, actor))
  return { ...listed, results, people: peopleIn(found) }
}

/** The lists that the caller may see: one for each audience, and one of withheld flags on the caller's own records. */
function listsFor(filter: FlagFilter, actor: Actor): List {
  const readable = audiencesFor(actor)
  const own = readable.includes('withheld') ? [] : [actor.id]
  const { flag_type, is_resolved } = filter
  return {
    partitions: [
      ...readable.flatMap((audience) => flagPartitions(audience, filter)),
      ...own.map((user) => ({ index: 'gsi4', pk: ownFlagList(user) }) as const),
    ],
    counted: [
      ...readable.map((audience) => flagList(audience, filter)),
      ...own.map((user) => ownFlagList(user, filter)),
    ],
    ...(own.length > 0 && {
      only: { ...(flag_type && { flag_type }), ...(is_resolved !== undefined && { is_resolved }) },
    }),
  }
}

/**
 * Adds to a flag the other record, if the caller may see it, and the people that it names. Undefined if the caller may not know of
 * the flag. One call.
 */
export async function showFlag(
  it: FlagWithRecord,
  actor: Actor | null,
): Promise<{ shown: FlagWithRecords; people: PeopleById } | undefined> {
  const found = await getMany(namedBy(it.flag))
  const shown = visibleFlag(actor, it.flag, it.about, found)
  return namesHidden(shown, actor) ? undefined : { shown, people: peopleIn(found) }
}

/** Whether the service raised the flag for a likeness to a record that the caller may not see. Then only reviewers may know of the flag. */
const namesHidden = ({ flag: { flagged_by, other_entity_id }, other }: FlagWithRecords, actor: Actor | null): boolean =>
  flagged_by === null && other_entity_id !== null && !other && !mayReview(actor)

export type FlagInput = Pick<Flag, 'flag_type' | 'reason'>

/**
 * Raises a flag: flag, activity and the record's counts in one transaction. Fails with `invalid` if the caller may not
 * inspect the record, or has an open flag of this type on it.
 */
export async function raiseFlag(
  unit: UnitOfWork,
  entity_id: string,
  actor: Actor,
  input: FlagInput,
): Promise<FlagWithRecord> {
  unit.retryOn('conflict')
  const about = await get(recordItem, { entity_id })
  if (!about || about.deleted_at || !mayInspect(actor, about))
    throw invalid({ entity: ['There is no record with this id.'] })
  const at = now()
  const of_edit = about.status !== 'accepted' && worksOn(actor, about)
  const raised = withFlagAudience({ ...newFlag(about, input, at), flagged_by: actor.id, of_edit }, about)
  await checkNoTwin(raised)
  const done = newActivity(entity_id, actor, 'flagged', input.reason, at)
  const next = withActivity(withFlagCounts(about, undefined, raised), done, actor)
  unit.add([put(flag, raised, undefined), put(activity, done, undefined), ...headWrites(about, next)])
  return withRecord(raised, next)
}

export type FlagChanges = Partial<FlagInput & Pick<Flag, 'is_resolved'>>

/**
 * Changes a flag. Fails with `invalid` if the person who raised it has another open flag of its new type on the record. Fails with
 * `conflict` if the flag has changed since it was read.
 */
export const amendFlag = (
  unit: UnitOfWork,
  old: FlagWithRecord,
  actor: Actor,
  changes: FlagChanges,
): Promise<FlagWithRecord> =>
  change(unit, old, async ({ flag: it }) => {
    if (says(it, changes)) return it
    const settled = changes.is_resolved !== undefined && changes.is_resolved !== it.is_resolved
    const next = withNextVersion<Flag>(it, {
      ...changes,
      ...(settled && settlementOf(changes.is_resolved === true, actor)),
    })
    if (next.flag_type !== it.flag_type || settled) await checkNoTwin(next)
    return next
  })

/** Resolves a flag. Fails with `conflict` if it is resolved already. */
export const resolveFlag = (unit: UnitOfWork, old: FlagWithRecord, actor: Actor): Promise<FlagWithRecord> =>
  change(unit, old, async ({ flag: it }) => {
    if (it.is_resolved) throw conflict('This flag is resolved already.')
    return withNextVersion<Flag>(it, settlementOf(true, actor))
  })

/** Removes a flag. Fails with `conflict` if it has changed since it was read. */
export const deleteFlag = (unit: UnitOfWork, old: FlagWithRecord): Promise<void> =>
  onLatest(unit, old, async ({ flag: it, about }) => ({
    result: undefined,
    writes: [removal(flag, it), ...headWrites(about, withFlagCounts(about, it, undefined))],
  }))

const change = (
  unit: UnitOfWork,
  old: FlagWithRecord,
  nextOf: (it: FlagWithRecord) => Promise<Flag>,
): Promise<FlagWithRecord> =>
  onLatest(unit, old, async (it) => {
    const next = await nextOf(it)
    if (next === it.flag) return { result: it, writes: [] }
    const about = withFlagCounts(it.about, it.flag, next)
    const changed = withFlagAudience(next, about)
    return { result: withRecord(changed, about), writes: [put(flag, changed, it.flag), ...headWrites(it.about, about)] }
  })

/**
 * Runs `plan` on the flag as it was read. A second run reads flag and record again, and fails with `conflict` if the flag
 * itself has changed.
 */
async function onLatest<T>(
  unit: UnitOfWork,
  old: FlagWithRecord,
  plan: (it: FlagWithRecord) => Promise<Plan<T>>,
): Promise<T> {
  unit.retryOn('conflict')
  const it = unit.attempt === 1 ? old : await loadFlag(old.flag.id)
  if (it?.version !== old.version) throw conflict()
  return unit.addPlan(await plan(it))
}

/**
 * Fails with `invalid` if the person has another open flag of this type on the record. The caller has read the record before, so its
 * version guards against a flag that is raised at the same moment.
 */
async function checkNoTwin(it: Flag): Promise<void> {
  if (it.is_resolved || it.flagged_by === null) return
  const twin = (await loadFlagsOn(it.entity_id)).find(
    (other) =>
      other.id !== it.id &&
      !other.is_resolved &&
      other.flag_type === it.flag_type &&
      other.flagged_by === it.flagged_by,
  )
  if (twin) throw invalidObject('A flag of this type, raised by the same person, is open on this record.')
}

/** Returns the flag as resolved by this person. */
export const settledFlag = (it: Flag, actor: Actor): Flag => withNextVersion<Flag>(it, settlementOf(true, actor))

const settlementOf = (is_resolved: boolean, actor: Actor) => ({
  is_resolved,
  resolved_by: is_resolved ? actor.id : null,
  resolved_at: is_resolved ? now() : null,
})

/** The record with its counts of open flags after `after` replaces `before`. */
export function withFlagCounts(about: RecordItem, before: Flag | undefined, after: Flag | undefined): RecordItem {
  const [old, next] = [weightOf(before), weightOf(after)]
  return withNextVersion<RecordItem>(about, {
    open_flags: about.open_flags + next.open - old.open,
    concealed_flags: about.concealed_flags + next.concealed - old.concealed,
    open_contradictions: about.open_contradictions + next.contradictory - old.contradictory,
    contradicted: about.contradicted || next.contradictory > 0,
  })
}

function weightOf(it: Flag | undefined) {
  const open = it && !it.is_resolved ? 1 : 0
  return { open, contradictory: it?.flag_type === 'contradiction' ? open : 0, concealed: it?.concealed ? open : 0 }
}

/** The writes of a record whose counts have changed. */
export const headWrites = (old: RecordItem, next: RecordItem): Write[] => [
  put(recordItem, next, old),
  ...queueWrites(old, next),
]

const withRecord = (it: Flag, about: RecordItem): FlagWithRecord => ({
  flag: it,
  about,
  // To the contributor a concealed flag does not exist, so it has no `contributor_id`. `authors` still keeps them from settling it.
  contributor_id: it.concealed ? null : about.contributor_id,
  authors: [about.contributor_id],
  public: audiences.some((one) => one === withFlagAudience(it, about).audience),
  access_tier: about.access_tier,
  deleted_at: about.deleted_at,
  flagged_by: it.flagged_by,
  is_resolved: it.is_resolved,
  contradicts: isOpenContradiction(it),
  version: it.version,
})

const noFlags: FlagPage = { count: 0, results: [], people: () => null }

/** Lists one page of the flags of one record. A record has few flags, so all of them are read. */
async function listFlagsOn(
  entity: string,
  filter: FlagFilter,
  actor: Actor,
  { offset, limit }: PageRequest,
): Promise<FlagPage> {
  const about = await get(recordItem, { entity_id: entity })
  if (!about) return noFlags
  const fitting = (await loadFlagsOn(entity)).filter(
    (it) =>
      mayInspect(actor, withRecord(it, about)) &&
      (!filter.flag_type || it.flag_type === filter.flag_type) &&
      (filter.is_resolved === undefined || it.is_resolved === filter.is_resolved),
  )
  const found = await getMany(fitting.flatMap(namedBy))
  const known = fitting.map((it) => visibleFlag(actor, it, about, found)).filter((it) => !namesHidden(it, actor))
  return { count: known.length, results: known.slice(offset, offset + limit), people: peopleIn(found) }
}

/** The keys of the other record and of the people that a flag names. */
const namedBy = ({ other_entity_id, flagged_by, resolved_by }: Flag): Key[] => [
  ...(other_entity_id ? [key.head(other_entity_id)] : []),
  ...[flagged_by, resolved_by].filter((id) => id !== null).map(keyOf),
]

function visibleFlag(
  actor: Actor | null,
  it: Flag,
  about: RecordItem,
  found: ReadonlyMap<string, Stored>,
): FlagWithRecords {
  const { other_entity_id } = it
  const other = other_entity_id === null ? undefined : itemIn(found, recordItem, { entity_id: other_entity_id })
  return { flag: it, about, other: other && mayInspect(actor, other) ? other : undefined }
}
