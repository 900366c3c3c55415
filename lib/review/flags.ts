import { now } from '../clock.ts'
import { commitPlan } from '../commit.ts'
import { conflict, invalid, invalidObject } from '../errors.ts'
import { addressOf } from '../ids/address.ts'
import { type Actor, audiences, mayInspect, type Subject, worksOn } from '../permissions.ts'
import { historyAudiencesOf } from '../records/activities.ts'
import { activityOf, flagOf, withActivity } from '../records/build.ts'
import {
  activity,
  type Flag,
  type FlagFilter,
  flag,
  flagList,
  flagPartitions,
  flagTypes,
  ownFlagList,
  type RecordItem,
  recordItem,
  toldOfFlag,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { amended, parse, put, remove as removal, says, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { type List, type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, queryAll, type Stored } from '../table/read.ts'
import type { Plan } from '../table/retry.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'

/** A flag as the subject of rules: it is seen where its record is, and by reviewers. */
export type Flagged = Subject & { flag: Flag; about: RecordItem; version: number }

/** One flag with its record, in one call: the id carries the record's address. */
export async function load(id: string): Promise<Flagged | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const found = await getMany([key.flag(record, id), key.head(record)], true)
  const [it, about] = [itemIn(found, flag, { entity_id: record, id }), itemIn(found, recordItem, { entity_id: record })]
  return it && about && flaggedOf(it, about)
}

/** A flag with its record, and the other one where the caller may know it. */
export type Shown = { flag: Flag; about: RecordItem; other: RecordItem | undefined }
export type Filter = FlagFilter & { entity?: string | undefined }
export type Flags = PageResult<Shown> & { people: PeopleById }

/**
 * One page of the flags of which the caller is told, newest first: a call for each audience, and one for the size with the
 * records and people that the rows name.
 */
export async function list({ entity, ...filter }: Filter, actor: Actor, place: PageRequest): Promise<Flags> {
  const { flag_type } = filter
  if (flag_type && !flagTypes.some((it) => it === flag_type)) return none
  if (entity) return ofOne(entity, filter, actor, place)
  const { items, found, ...listed } = await readList(listsFor(filter, actor), place, (page) =>
    page.map((item) => parse(flag, item)).flatMap((it) => [key.head(it.entity_id), ...namedBy(it)]),
  )
  const results = items
    .map((item) => parse(flag, item))
    .flatMap((it) => {
      const about = itemIn(found, recordItem, it)
      // Of what was hidden a moment ago the lists may not know yet.
      return about && mayInspect(actor, flaggedOf(it, about)) ? [shownTo(actor, it, about, found)] : []
    })
  return { ...listed, results, people: peopleIn(found) }
}

/** The flags of each audience to which the caller belongs, and of those withheld the ones on their own records. */
function listsFor(filter: FlagFilter, actor: Actor): List {
  const told = historyAudiencesOf(actor)
  const own = told.includes('withheld') ? [] : [actor.id]
  const { flag_type, is_resolved } = filter
  return {
    partitions: [
      ...told.flatMap((audience) => flagPartitions(audience, filter)),
      ...own.map((user) => ({ index: 'gsi4', pk: ownFlagList(user) }) as const),
    ],
    counted: [...told.map((audience) => flagList(audience, filter)), ...own.map((user) => ownFlagList(user, filter))],
    ...(own.length > 0 && {
      only: { ...(flag_type && { flag_type }), ...(is_resolved !== undefined && { is_resolved }) },
    }),
  }
}

/** A flag as the caller may know it, and the people that it names. One call. */
export async function show(it: Flagged, actor: Actor | null): Promise<{ shown: Shown; people: PeopleById }> {
  const found = await getMany(namedBy(it.flag))
  return { shown: shownTo(actor, it.flag, it.about, found), people: peopleIn(found) }
}

export type FlagInput = Pick<Flag, 'flag_type' | 'reason'>

/**
 * Raises a flag. Flag, activity and the record's counts are one transaction. Fails with `invalid` on a record that the
 * caller neither sees nor reviews, and while an equal flag of the caller's is open.
 */
export const raise = (entity_id: string, actor: Actor, input: FlagInput): Promise<Flagged> =>
  commitPlan(async () => {
    const about = await get(recordItem, { entity_id })
    if (!about || about.deleted_at || !mayInspect(actor, about))
      throw invalid({ entity: ['There is no record with this id.'] })
    const at = now()
    const of_edit = about.status !== 'accepted' && worksOn(actor, about)
    const made = toldOfFlag({ ...flagOf(about, input, at), flagged_by: actor.id, of_edit }, about)
    await checkAlone(made)
    const done = activityOf(entity_id, actor, 'flagged', input.reason, at)
    const next = withActivity(recounted(about, undefined, made), done, actor)
    return {
      result: flaggedOf(made, next),
      writes: [put(flag, made, undefined), put(activity, done, undefined), ...headWrites(about, next)],
    }
  })

export type Changes = Partial<FlagInput & Pick<Flag, 'is_resolved'>>

/** Changes a flag. Fails with `invalid` when it would become the twin of an open one, with `conflict` when others changed it. */
export const amend = (old: Flagged, actor: Actor, changes: Changes): Promise<Flagged> =>
  change(old, async ({ flag: it }) => {
    if (says(it, changes)) return it
    const settled = changes.is_resolved !== undefined && changes.is_resolved !== it.is_resolved
    const next = amended<Flag>(it, { ...changes, ...(settled && settling(changes.is_resolved === true, actor)) })
    if (next.flag_type !== it.flag_type || settled) await checkAlone(next)
    return next
  })

/** Marks a flag as resolved. Fails with `conflict` when it is so already. */
export const resolve = (old: Flagged, actor: Actor): Promise<Flagged> =>
  change(old, async ({ flag: it }) => {
    if (it.is_resolved) throw conflict('This flag is resolved already.')
    return amended<Flag>(it, settling(true, actor))
  })

/** Removes a flag. Fails with `conflict` when it has changed since it was read. */
export const remove = (old: Flagged): Promise<void> =>
  onLatest(old, async ({ flag: it, about }) => ({
    result: undefined,
    writes: [removal(flag, it), ...headWrites(about, recounted(about, it, undefined))],
  }))

const change = (old: Flagged, nextOf: (it: Flagged) => Promise<Flag>): Promise<Flagged> =>
  onLatest(old, async (it) => {
    const next = await nextOf(it)
    if (next === it.flag) return { result: it, writes: [] }
    const about = recounted(it.about, it.flag, next)
    const told = toldOfFlag(next, about)
    return { result: flaggedOf(told, about), writes: [put(flag, told, it.flag), ...headWrites(it.about, about)] }
  })

/** What is planned on the flag as it was read, again when only its record has changed meanwhile. */
function onLatest<T>(old: Flagged, plan: (it: Flagged) => Promise<Plan<T>>): Promise<T> {
  return commitPlan(async (attempt) => {
    const it = attempt === 1 ? old : await load(old.flag.id)
    if (it?.version !== old.version) throw conflict()
    return plan(it)
  })
}

/** An open flag is the only one of its type by its author on its record. Read after the head, whose version guards it. */
async function checkAlone(it: Flag): Promise<void> {
  if (it.is_resolved || it.flagged_by === null) return
  const twin = (await flagsOn(it.entity_id)).find(
    (other) =>
      other.id !== it.id &&
      !other.is_resolved &&
      other.flag_type === it.flag_type &&
      other.flagged_by === it.flagged_by,
  )
  if (twin) throw invalidObject('A flag of this type, raised by the same person, is open on this record.')
}

/** The flags of one record, newest first. */
async function flagsOn(entity_id: string): Promise<Flag[]> {
  const { pk, sk } = key.flag(entity_id, '')
  return (await queryAll(pk, sk, false)).map((item) => parse(flag, item))
}

const settling = (is_resolved: boolean, actor: Actor) => ({
  is_resolved,
  resolved_by: is_resolved ? actor.id : null,
  resolved_at: is_resolved ? now() : null,
})

/** The record with its counts of open flags as they are when `after` takes the place of `before`. */
function recounted(about: RecordItem, before: Flag | undefined, after: Flag | undefined): RecordItem {
  const [old, next] = [weightOf(before), weightOf(after)]
  return amended<RecordItem>(about, {
    open_flags: about.open_flags + next.open - old.open,
    open_contradictions: about.open_contradictions + next.contradictory - old.contradictory,
    contradicted: about.contradicted || next.contradictory > 0,
  })
}

function weightOf(it: Flag | undefined) {
  const open = it && !it.is_resolved ? 1 : 0
  return { open, contradictory: it?.flag_type === 'contradiction' ? open : 0 }
}

const headWrites = (old: RecordItem, next: RecordItem): Write[] => [
  put(recordItem, next, old),
  ...queueWrites(old, next),
]

const flaggedOf = (it: Flag, about: RecordItem): Flagged => ({
  flag: it,
  about,
  contributor_id: about.contributor_id,
  public: audiences.some((one) => one === toldOfFlag(it, about).audience),
  access_tier: about.access_tier,
  deleted_at: about.deleted_at,
  flagged_by: it.flagged_by,
  is_resolved: it.is_resolved,
  version: it.version,
})

const none: Flags = { count: 0, results: [], people: () => null }

/** The flags of one record: bounded by what a record has. */
async function ofOne(entity: string, filter: FlagFilter, actor: Actor, { offset, limit }: PageRequest): Promise<Flags> {
  const about = await get(recordItem, { entity_id: entity })
  if (!about) return none
  const fitting = (await flagsOn(entity)).filter(
    (it) =>
      mayInspect(actor, flaggedOf(it, about)) &&
      (!filter.flag_type || it.flag_type === filter.flag_type) &&
      (filter.is_resolved === undefined || it.is_resolved === filter.is_resolved),
  )
  const page = fitting.slice(offset, offset + limit)
  const found = await getMany(page.flatMap(namedBy))
  return { count: fitting.length, results: page.map((it) => shownTo(actor, it, about, found)), people: peopleIn(found) }
}

/** What a flag names beside its record: the other record, and people. */
const namedBy = ({ other_entity_id, flagged_by, resolved_by }: Flag): Key[] => [
  ...(other_entity_id ? [key.head(other_entity_id)] : []),
  ...[flagged_by, resolved_by].filter((id) => id !== null).map(keyOf),
]

function shownTo(actor: Actor | null, it: Flag, about: RecordItem, found: ReadonlyMap<string, Stored>): Shown {
  const { other_entity_id } = it
  const other = other_entity_id === null ? undefined : itemIn(found, recordItem, { entity_id: other_entity_id })
  return { flag: it, about, other: other && mayInspect(actor, other) ? other : undefined }
}
