import { isDeepStrictEqual } from 'node:util'
import { forget } from '../cache.ts'
import { newChildId, now, nowSeconds } from '../clock.ts'
import { recordId } from '../domain/address.ts'
import { type Claim, conflictsOf, contradictions, type Encounter } from '../domain/conflicts.ts'
import { fold } from '../domain/fold.ts'
import { isPublished, move } from '../domain/status.ts'
import { ageAt, worstSource } from '../domain/triage.ts'
import { conflict, invalidObject, Problem } from '../errors.ts'
import { type Contribution, comparatorOf, type Kind, kindKeys, kinds, type Provenance } from '../kinds/index.ts'
import { type Actor, maySee, type Scope } from '../permissions.ts'
import { amended, parse, put, reserve, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { get, getMany, queryAll, queryBetween, type Stored, walk } from '../table/read.ts'
import { MOST_ACTIONS, transact } from '../table/write.ts'
import {
  activityOf,
  claim,
  faceOf,
  findable,
  flagOf,
  namesOf,
  nextId,
  noted,
  opening,
  type Raised,
  revisionOf,
  type Values,
} from './contribution.ts'
import { readEntry, reindex } from './entries.ts'
import { type List, type Place, readList } from './lists.ts'
import { requeue } from './queue.ts'
import {
  type Assertion,
  activity,
  assertion,
  flag,
  type Head,
  head,
  type LinkItem,
  link,
  listsOf,
  revision,
  sortOf,
  standingOf,
  standings,
} from './record-items.ts'
import { type Link, type Missing, resolve } from './relations.ts'
import { similarTo } from './similar.ts'
import * as sources from './sources.ts'

/** A record with its assertions, as one query gives them. It is the subject of rules. */
export type Loaded = Head & { assertions: Assertion[]; links: LinkItem[] }

/** A record of a kind by its integer id, with its assertions, in one call; undefined when there is none. */
export const load = (kind: Kind, id: number): Promise<Loaded | undefined> => loadById(recordId(kind.code, id))

/** A record by its review identity, with its assertions, in one call. */
export const loadById = async (entity_id: string): Promise<Loaded | undefined> =>
  assemble(await queryAll(key.head(entity_id).pk, key.head(entity_id).sk))

/** A record from the items of its partition. */
export function assemble(items: readonly Stored[]): Loaded | undefined {
  const first = items.find((item) => item.type === head.type)
  if (!first) return undefined
  const of = (type: string) => items.filter((item) => item.type === type)
  return {
    ...parse(head, first),
    assertions: of(assertion.type).map((item) => parse(assertion, item)),
    links: of(link.type).map((item) => parse(link, item)),
  }
}

/** Stores a contribution for review. One transaction: record, revision, assertions, activity, stubs for text that names nothing, flags. */
export const create = (kind: Kind, actor: Actor, contribution: Contribution): Promise<Loaded> =>
  onceMore(() => tryCreate(kind, actor, contribution))

async function tryCreate(kind: Kind, actor: Actor, { data, assertion: provenance }: Contribution): Promise<Loaded> {
  const resolved = await resolve(kind, data, actor)
  checkSize(resolved.data)
  const [id, stubs] = await Promise.all([nextId(kind), stubsFor(resolved.missing, provenance, actor)])
  const flags = await likenessFlags(kind, resolved.data)
  const change = opening(kind, id, resolved.data, provenance, actor, flags)
  await commit([...change.writes, ...stubs])
  return { ...change.head, assertions: change.assertions, links: [] }
}

/**
 * Changes a record. What is not published is saved in place; of a published one the change waits as a revision, and
 * readers go on seeing the accepted values. Fails with `conflict` when someone else was faster.
 */
export const amend = (old: Loaded, actor: Actor, contribution: Contribution, how: How = {}): Promise<Loaded> =>
  onceMore(() => tryAmend(old, actor, contribution, how))

type How = { trigger?: 'edit' | 'revise'; replace?: boolean }

async function tryAmend(
  old: Loaded,
  actor: Actor,
  { data, cleared, assertion: provenance }: Contribution,
  { trigger = 'edit', replace = false }: How,
): Promise<Loaded> {
  const kind = kinds[old.kind]
  const moved = move(stateOf(old), trigger)
  if (!moved) throw invalidObject(`A contribution that is ${old.status} cannot be revised.`)
  const resolved = await resolve(kind, data, actor)
  const before = old.proposed ?? old.data
  const kept = replace ? {} : without(before, cleared)
  const after: Values = { ...kept, ...resolved.data }
  checkSize(after)
  const changed = Object.keys(resolved.data).filter((name) => !same(before[name], after[name]))
  const gone = Object.keys(before).filter((name) => !(name in after))
  if (changed.length === 0 && gone.length === 0 && trigger === 'edit') return old

  checkAcceptable(old, changed.length + gone.length)
  const at = now()
  const stubs = await stubsFor(resolved.missing, provenance, actor)
  const number = old.current_revision + 1
  const claims = changed.map((name) => claim(old, name, after[name], provenance, actor, number, at))
  const met = encounters(old, claims)
  const contradicted = contradictionFlags(old, claims, met)
  const renamed = changed.some((name) => findableBy.has(name))
  const flags = [...contradicted, ...(renamed ? await likenessFlags(kind, after, old.entity_id) : [])]
  const ends = new Set(met.flatMap((each) => each.replaces))
  const replaced = old.assertions.filter(
    (it) => ends.has(it.id) || (waits(it, actor) && gone.includes(it.asserted_property)),
  )
  const left = old.assertions.filter((it) => !replaced.includes(it))
  const done = activityOf(old.entity_id, actor, old.public ? 'submitted' : 'revised', '', at)
  const next = noted(
    amended<Head>(headOf(old), {
      ...(old.public ? { proposed: after } : { ...faceOf(kind, after), data: after }),
      status: moved.to.status,
      current_revision: number,
      current_revision_id: newChildId(old.entity_id),
      open_flags: old.open_flags + flags.length,
      open_contradictions: old.open_contradictions + contradicted.length,
      contradicted: old.contradicted || contradicted.length > 0,
      ...worstSource([...left, ...claims].filter(isCarried).map((it) => it.source_type)),
      queue_age: ageAt(old.created_at, Date.parse(at)),
      stub: false,
      updated_at: at,
    }),
    done,
    actor,
  )
  const superseded = replaced.map((it) =>
    amended<Assertion>(it, { reconciliation_status: 'superseded', updated_at: at }),
  )
  await commit([
    put(head, next, headOf(old)),
    put(revision, revisionOf(next, after, actor, at), undefined),
    put(activity, done, undefined),
    ...claims.map((it) => put(assertion, it, undefined)),
    ...superseded.map((it, i) => put(assertion, it, replaced[i])),
    ...flags.map((it) => put(flag, flagOf(next, it, at), undefined)),
    ...(old.public ? [] : reindex(findable(headOf(old)), findable(next))),
    ...requeue(headOf(old), next),
    ...stubs,
  ])
  return { ...next, assertions: [...left, ...superseded, ...claims], links: old.links }
}

/** A record as the edit that waits would make it: what its contributor gets to see of a change. */
export function asProposed(it: Loaded): Loaded {
  return it.proposed ? { ...it, ...faceOf(kinds[it.kind], it.proposed), data: it.proposed, public: false } : it
}

/** Hands a draft in for review. Fails when it is no draft. */
export async function submit(old: Loaded, actor: Actor): Promise<Loaded> {
  const moved = move(stateOf(old), 'submit')
  if (!moved) throw invalidObject('Only drafts can be submitted.')
  const at = now()
  const done = activityOf(old.entity_id, actor, 'submitted', '', at)
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const next = noted(amended<Head>(headOf(old), { status: moved.to.status, queue_age, updated_at: at }), done, actor)
  await commit([put(head, next, headOf(old)), put(activity, done, undefined), ...requeue(headOf(old), next)])
  return { ...old, ...next }
}

/** Deletes softly: the record is gone for all but staff, who can restore it. */
export async function remove(old: Loaded): Promise<void> {
  if (old.deleted_at) throw conflict('This record is deleted already.')
  const next = amended<Head>(headOf(old), { deleted_at: now(), updated_at: now() })
  await commit([
    put(head, next, headOf(old)),
    ...reindex(findable(headOf(old)), undefined),
    ...requeue(headOf(old), next),
  ])
}

/** Brings a deleted record back as it was. */
export async function restore(old: Loaded): Promise<Loaded> {
  if (!old.deleted_at) throw conflict('This record is not deleted.')
  const at = now()
  const queue_age = ageAt(old.created_at, Date.parse(at))
  const next = amended<Head>(headOf(old), { deleted_at: null, queue_age, updated_at: at })
  await commit([put(head, next, headOf(old)), ...reindex(undefined, findable(next)), ...requeue(headOf(old), next)])
  return { ...next, assertions: old.assertions, links: old.links }
}

/** Writes a contributor's new username on their records, page by page; what it is interrupted in it takes up again. */
export async function followRename(user: string, username: string): Promise<void> {
  for (const standing of standings) {
    let beyond: string | undefined
    for (;;) {
      const items = await walk({ index: 'owner', pk: listsOf.owner(user, standing), forward: true, limit: 100, beyond })
      for (const item of items) await setContributor(item, username)
      beyond = items.at(-1) && String(items.at(-1)?.owner_sk)
      if (items.length < 100) break
    }
  }
}

async function setContributor(item: Stored, username: string): Promise<void> {
  const old = parse(head, item)
  if (old.contributor === username) return
  const latest = await get(head, old)
  if (latest) await transact([put(head, amended<Head>(latest, { contributor: username }), latest)])
}

export type Filter = {
  kind?: string | undefined
  status?: string | undefined
  mine?: boolean | undefined
  all?: boolean | undefined
  contributor?: string | undefined
  category?: string | undefined
  forward?: boolean | undefined
}
type Also = (heads: readonly Head[]) => Key[]
export type Heads = {
  count: number
  results: Head[]
  found: ReadonlyMap<string, Stored>
  first?: string | undefined
  last?: string | undefined
}

/**
 * One page of the records that the scope shows, newest first: one call per status asked for, and one for the size
 * together with the items under `also`.
 */
export async function list(filter: Filter, scope: Scope, place: Place, also: Also = () => []): Promise<Heads> {
  const listing = await readList(listFor(filter, scope), place, (items) => also(items.map((item) => parse(head, item))))
  return { ...listing, results: listing.items.map((item) => parse(head, item)) }
}

/** So many entries of a name or identifier are read for one search. */
const MOST_FOUND = 300

/** Records of some kinds whose name begins with a text, or that carry an identifier; of those, the ones the caller may see. */
export async function find(
  among: readonly string[],
  by: { name: string } | { identifier: string },
  filter: Filter,
  actor: Actor | null,
  place: Place,
): Promise<Heads> {
  const range =
    'name' in by
      ? { list: 'NAME', from: fold(by.name), to: `${fold(by.name)}\u{10ffff}` }
      : { list: 'IDENTIFIER', from: `${by.identifier}#`, to: `${by.identifier}#~` }
  if (range.from === '') return { count: 0, results: [], found: new Map() }
  const most = Math.ceil(MOST_FOUND / among.length)
  const runs = among.map((kind) => queryBetween(`${range.list}#${kind}`, range.from, range.to, most))
  const entries = (await Promise.all(runs)).flat()
  const ids = [...new Set(entries.map((entry) => readEntry(entry).entity_id))]
  const found = await getMany(ids.map((id) => key.head(id)))
  const visible = ids
    .flatMap((id) => found.get(`${key.head(id).pk} ${key.head(id).sk}`) ?? [])
    .map((item) => parse(head, item))
    .filter((it) => maySee(actor, it) && !it.deleted_at && fits(it, filter, actor))
  const results = visible.slice(place.offset, place.offset + place.limit)
  return { count: visible.length, results, found: new Map() }
}

/** A head as it is stored, without what was loaded beside it. */
export const headOf = (it: Head): Head => parse(head, it)

const BEING_MADE = 'A record that this one names is being made right now. Try again.'

/** Runs what may name new records once more when another contribution names one of them at the same moment: then it is found. */
export async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem && error.detail === BEING_MADE) return work()
    throw error
  }
}

/** Accepting writes each waiting claim and the one whose place it takes: more of them than this no transaction holds. */
const MOST_WAITING = 38

function checkAcceptable(old: Loaded, more: number): void {
  const waiting = old.assertions.filter((it) => it.reconciliation_status === 'pending' && it.revision_number !== null)
  if (old.public && waiting.length + more > MOST_WAITING) {
    throw invalidObject(
      `More than ${MOST_WAITING} changed values would wait for review. Let a reviewer decide on some first.`,
    )
  }
}

/** An item of the table holds 400 KB, and a record holds its values twice while an edit waits. */
const MOST_BYTES = 150_000

/** Fails when the values are too large for a record. */
export function checkSize(values: Values): void {
  if (Buffer.byteLength(JSON.stringify(values)) > MOST_BYTES)
    throw invalidObject(`The values together are larger than ${MOST_BYTES} bytes.`)
}

/** Writes a contribution, or tells that it holds more than one transaction takes. */
export async function commit(writes: readonly Write[]): Promise<void> {
  const lists = new Set(writes.flatMap((write) => Object.keys(write.counts)))
  if (writes.length + lists.size > MOST_ACTIONS)
    throw invalidObject('Too many values, names and new records at once. Send them in parts.')
  await transact(writes)
  forget(writes.flatMap((write) => String(write.action.Put?.Item?.type ?? [])))
}

/** Whether a found record is among those that the filter asks for; without one, published ones and one's own. */
function fits(it: Head, { status, mine, all, category, contributor }: Filter, actor: Actor | null): boolean {
  if (category !== undefined && it.category !== category) return false
  if (contributor !== undefined && it.contributor_id !== contributor) return false
  const own = actor !== null && it.contributor_id === actor.id
  if (mine) return own
  // That an edit waits behind a published record is not told: it is found as published.
  if (status) return status === standingOf(it) || (it.public && isPublished(status))
  return it.public || own || (all === true && actor?.is_staff === true)
}

const published = ['published', 'restricted']

/** Which partitions hold what the filter asks for, as far as the scope allows it. A category is the kinds that belong to it. */
function listFor({ kind, status, mine, all, contributor, category, forward }: Filter, scope: Scope): List {
  const whose = mine ? scope.own : contributor
  const sorts = category === undefined ? [kind] : sortsIn(category).filter((sort) => !kind || sort === kind)
  const here = (owner: string | null | undefined, standing: string) =>
    sorts.map((sort) => {
      if (owner && sort) return { index: 'owner_kind' as const, pk: listsOf.owner_kind(owner, sort, standing) }
      if (owner) return { index: 'owner' as const, pk: listsOf.owner(owner, standing) }
      if (sort) return { index: 'kind' as const, pk: listsOf.kind(sort, standing) }
      return { index: 'every' as const, pk: listsOf.every(standing) }
    })
  const wanted: readonly string[] =
    status !== undefined ? (isPublished(status) ? published : [status]) : mine || all ? standings : published
  const known = wanted.filter((standing) => standings.some((one) => one === standing))
  // What is withheld from the public is shown to its contributor and to staff only.
  const partitions = known.flatMap((standing) => {
    if (standing === 'published' || scope.everything) return here(whose, standing)
    if (standing === 'restricted') return scope.signedIn ? here(whose, standing) : []
    if (!scope.own || (whose && whose !== scope.own)) return []
    return here(scope.own, standing)
  })
  return { partitions, counted: partitions.map(({ pk }) => pk), ...(forward && { forward }) }
}

const sortsIn = (category: string) => [
  ...kindKeys.filter((it) => kinds[it].record && kinds[it].queueCategory === category),
  sortOf('entity', category),
]

/** The opening writes of records that a contribution names and nobody has made yet. */
export async function stubsFor(missing: readonly Missing[], provenance: Provenance, actor: Actor): Promise<Write[]> {
  const changes = await Promise.all(
    missing.map(async ({ kind, name, links }): Promise<Write[]> => {
      if (!kinds[kind].record) return sourceStub(name, links, actor)
      const id = await nextId(kinds[kind])
      const stub = opening(kinds[kind], id, { [kinds[kind].nameField]: name }, provenance, actor, [], true)
      // The links stand in the values already: they gain the id of what was made for them.
      for (const link of links) Object.assign(link, { id, entity_id: stub.head.entity_id })
      const taken = reserve(key.stub(kind, fold(name).slice(0, 200)), nowSeconds(), 60, () => conflict(BEING_MADE))
      return [...stub.writes, taken]
    }),
  )
  return changes.flat()
}

/** A data source that a contribution names: it has no review, so it is there at once. */
async function sourceStub(name: string, links: readonly Link[], actor: Actor): Promise<Write[]> {
  const { source: made, writes } = sources.opening({ name }, actor)
  for (const link of links) Object.assign(link, { id: made.id })
  return writes
}

/** Members whose change can make a record look like another. */
const findableBy = new Set(['name', 'name_ne', 'alternate_names', 'coordinates'])

/** What the record looks like: one flag for each other record, naming it. */
async function likenessFlags(kind: Kind, data: Values, entity_id?: string): Promise<Raised[]> {
  const { name, point } = faceOf(kind, data)
  const found = await similarTo({ kind: kind.key, names: namesOf(name, data), point, ...(entity_id && { entity_id }) })
  return found.map(({ entity_id, id, names, how }) => ({
    flag_type: 'suspected_duplicate' as const,
    other_entity_id: entity_id,
    reason: `${how === 'same_name' ? 'The same name as' : 'Close to, and named like,'} ${kind.label.toLowerCase()} ${id}, "${names[0] ?? ''}".`,
  }))
}

/** What each new claim meets among the standing ones of the record. */
function encounters(old: Loaded, claims: readonly Assertion[]): Encounter[] {
  const { fields } = kinds[old.kind]
  const comparable = (it: Assertion): Claim[] => {
    const field = fields[it.asserted_property]
    if (!field || it.value === undefined) return []
    return [
      {
        id: it.id,
        property: it.asserted_property,
        comparator: comparatorOf(field),
        value: it.value,
        status: it.reconciliation_status,
        author: it.contributor_id,
      },
    ]
  }
  return conflictsOf(old.assertions.flatMap(comparable), claims.flatMap(comparable))
}

/** One flag for each claim that contradicts what stands or waits; it names both sides. */
export function contradictionFlags(old: Loaded, claims: readonly Assertion[], met = encounters(old, claims)): Raised[] {
  return met.flatMap((each) => {
    const rivals = contradictions(each)
    const property = claims.find((it) => it.id === each.claim)?.asserted_property
    if (property === undefined || rivals.length === 0) return []
    return [
      {
        flag_type: 'contradiction' as const,
        property,
        assertion_ids: [each.claim, ...rivals.map((rival) => rival.id)],
        reason: `Another value of ${property} stands or waits already.`,
      },
    ]
  })
}

/** Part of the values under review; a claim made apart is decided on apart. */
const isCarried = (it: Assertion) => it.reconciliation_status === 'pending' && it.revision_number !== null
const waits = (it: Assertion, actor: Actor) => it.reconciliation_status === 'pending' && it.contributor_id === actor.id
export const stateOf = (it: Head) => ({ status: it.status, public: it.public, deleted: it.deleted_at !== null })
// The table does not keep the order of members.
const same = (a: unknown, b: unknown) => isDeepStrictEqual(a, b)
const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
