import { isDeepStrictEqual } from 'node:util'
import { parse } from 'valibot'
import { exported } from '../background.ts'
import type { World } from '../world/world.ts'
import { announcements } from './announcements.ts'
import { letters } from './letters.ts'
import { uniqueNames } from './names.ts'
import { objects } from './objects.ts'
import { type Oracle, openOracle, type Plain, type View, viewOf } from './view.ts'

/** A promise that holds of everything that is stored: what is wrong with it, in sentences; nothing where all is well. */
type Invariant = (view: View, oracle: Oracle) => Iterable<string>

const placeOf = ({ pk, sk }: Plain) => `${pk} ${sk}`
/** As the table gives it back: without members that are undefined. */
const plain = (it: unknown): unknown => JSON.parse(JSON.stringify(it ?? null))
const without = (it: Plain, ...names: string[]): Plain =>
  Object.fromEntries(Object.entries(it).filter(([name]) => !names.includes(name)))

/** What is computed of one item is computed once: items are never changed, but replaced. */
function once<T>(work: (it: Plain, oracle: Oracle) => T): (it: Plain, oracle: Oracle) => T {
  const known = new WeakMap<Plain, { value: T }>()
  return (it, oracle) => {
    const found = known.get(it)
    if (found) return found.value
    const value = work(it, oracle)
    known.set(it, { value })
    return value
  }
}

const placesCounted = once((it, { listsWith, sizeOf }: Oracle): readonly string[] => {
  const related = it.type === 'entry' && String(it.pk).startsWith('RELATED#')
  const lists = related ? [`${it.pk}#${String(it.sk).split('#')[0]}`] : listsWith(String(it.type), it)
  return lists.map((list) => JSON.stringify(sizeOf(list)))
})
const sizesOf = once((it, { sizesIn }: Oracle): readonly [string, number][] =>
  sizesIn(it).map(([at, n]) => [JSON.stringify(at), n]),
)

/** Every list has exactly the size that its counters say. */
function* counters({ items }: View, oracle: Oracle): Iterable<string> {
  const found = new Map<string, number>()
  const note = (at: string, by: number) => found.set(at, (found.get(at) ?? 0) + by)
  for (const it of items) {
    for (const at of placesCounted(it, oracle)) note(at, 1)
    if (String(it.pk).startsWith('COUNT#')) for (const [at, n] of sizesOf(it, oracle)) note(at, -n)
  }
  for (const [at, by] of found) if (by !== 0) yield `the size of ${at} is wrong by ${-by}`
}

/** Every item is of its type's shape, under its key, in the lists that its type says, and in no others. */
const faultsOf = once((it, { types }: Oracle): readonly string[] => {
  const type = types.get(String(it.type))
  if (!type) return []
  try {
    const value = parse(type.schema, it)
    const at = type.key(value)
    const wanted = type.indexes?.(value) ?? {}
    return [
      ...(at.pk !== it.pk || at.sk !== it.sk ? [`${placeOf(it)} should be at ${at.pk} ${at.sk}`] : []),
      ...['gsi1', 'gsi2', 'gsi3', 'gsi4'].flatMap((index) =>
        wanted[index]?.pk !== it[`${index}_pk`] || wanted[index]?.sk !== it[`${index}_sk`]
          ? [`${placeOf(it)} is in the wrong list of ${index}`]
          : [],
      ),
    ]
  } catch (error) {
    return [`${placeOf(it)} is no ${it.type}: ${error instanceof Error ? error.message : error}`]
  }
})
function* lists({ items }: View, oracle: Oracle): Iterable<string> {
  for (const it of items) yield* faultsOf(it, oracle)
}

const FOLLOW_LATER = /^(RELATED#|ENTITY#\S+ HEAD#LINK#)/
const OWNED =
  /^(NAME#(?!user|user_email)|ALIKE#|IDENTIFIER#(?!assertion )|GRID#|RELATED#|ENTITY#\S+ (HEAD#LINK#|QUEUE#))/

/** By record and the items it was made of, since items never change. */
const derivations = new WeakMap<object, { made: readonly unknown[]; derived: Map<string, Plain> }>()
function derivedOf(partition: readonly Plain[], oracle: Oracle): Map<string, Plain> {
  const parts = partition.filter((it) => it.sk === 'HEAD' || String(it.sk).startsWith('HEAD#CLAIMS#'))
  const head = parts.find((it) => it.sk === 'HEAD')
  const before = head && derivations.get(head)
  if (before && before.made.length === parts.length && before.made.every((it, i) => it === parts[i]))
    return before.derived
  const loaded = oracle.assemble(parts)
  const derived = new Map<string, Plain>()
  if (loaded)
    for (const { action } of oracle.derivedOf(loaded).values()) {
      const item = action.Put?.Item
      if (item) derived.set(placeOf(item), plain(item) as Plain)
    }
  if (head) derivations.set(head, { made: parts, derived })
  return derived
}

/** What follows from records stands beside them, and nothing else does: links, queue, names. `wanted` says which of it. */
const derived = (wanted: RegExp, late: boolean): Invariant =>
  function* (view, oracle) {
    if (late && !view.settled) return
    const expected = new Set<string>()
    for (const head of view.of('record')) {
      for (const [place, item] of derivedOf(view.partition(String(head.pk)), oracle)) {
        if (!wanted.test(place) || FOLLOW_LATER.test(place) !== late) continue
        expected.add(place)
        const [pk = '', sk = ''] = [String(item.pk), String(item.sk)]
        const stored = view.at(pk, sk)
        if (!stored) yield `${place} is missing`
        else if (!isSameAs(stored, item)) yield `${place} is out of date in ${membersApart(stored, item)}`
      }
    }
    for (const it of view.items) {
      const place = placeOf(it)
      if (it.type === 'reservation' || !wanted.test(place) || !OWNED.test(place) || FOLLOW_LATER.test(place) !== late)
        continue
      if (!expected.has(place) && !isOfOthers(it, view)) yield `${place} follows from nothing`
    }
  }
/** Pairs that were found to be the same: both never change. */
const same = new WeakMap<Plain, Plain>()
function isSameAs(stored: Plain, wanted: Plain): boolean {
  if (same.get(stored) === wanted) return true
  const equal = membersApart(stored, wanted) === ''
  if (equal) same.set(stored, wanted)
  return equal
}
/** What says nothing of the place in the queue: two items are written anew only when the place changes, one when the record is touched. */
const APART: Readonly<Record<string, readonly string[]>> = {
  'QUEUE#URGENCY': ['request_id', 'updated_at', 'version'],
  'QUEUE#AGE': ['request_id', 'version'],
}
const membersApart = (stored: Plain, wanted: Plain): string => {
  const apart = APART[String(wanted.sk)] ?? ['request_id']
  const own = plain(stored) as Plain
  return [...new Set([...Object.keys(own), ...Object.keys(wanted)])]
    .filter((name) => !apart.includes(name) && !isDeepStrictEqual(own[name], wanted[name]))
    .map((name) => `${name} (${JSON.stringify(own[name])}, should be ${JSON.stringify(wanted[name])})`)
    .join(', ')
}
const learnedOf = once((it, { documentOf }: Oracle) => plain(documentOf(it)) as Plain | null)

/** Sources and clusters have entries of the same sorts. */
const isOfOthers = (it: Plain, view: View): boolean =>
  String(it.pk).startsWith('RELATED#')
    ? false
    : it.entity_id !== undefined && view.at(`ENTITY#${it.entity_id}`) === undefined

/** Points of forks are weighed by their tag; every other kept figure is the size of a person's lists. */
function* figures(view: View, oracle: Oracle): Iterable<string> {
  const sizes = new Map(view.items.filter((it) => String(it.pk).startsWith('COUNT#')).map((it) => [placeOf(it), it]))
  for (const it of view.of('board')) {
    const user = String(it.user_id)
    for (const [name, of] of Object.entries(oracle.figureLists)) {
      const n = name === 'fork_points' ? pointsOf(of(user), sizes, oracle) : oracle.sumOf(of(user), sizes)
      if (it.tally[name] !== n) yield `the figure ${name} of ${user} is ${it.tally[name]}, and there are ${n}`
    }
  }
}

const forkPoints: Readonly<Record<string, number>> = {
  correction: 15,
  translation: 25,
  expansion: 20,
  source_addition: 20,
  dispute: 10,
  other: 15,
}
const pointsOf = (lists: readonly string[], sizes: Parameters<Oracle['sumOf']>[1], oracle: Oracle): number =>
  lists.reduce((sum, list) => sum + (forkPoints[list.split('#').at(-1) ?? ''] ?? 0) * oracle.sumOf([list], sizes), 0)

/** Rows and counts of boards are those of the figures. */
function* leaderboard(view: View, oracle: Oracle): Iterable<string> {
  if (!view.settled) return
  yield* figures(view, oracle)
  const rows = new Map<string, Plain>()
  const numbers = new Map<string, number>()
  for (const it of view.of('board')) {
    const { rows: own, counts } = oracle.moves(undefined, it)
    for (const { action } of own) if (action.Put?.Item) rows.set(placeOf(action.Put.Item), action.Put.Item)
    for (const { at, by } of counts.values())
      for (const [name, n] of Object.entries(by)) {
        const where = String(at.pk) === 'BOARD#TOTALS' ? `BOARD#TOTALS ${name}` : `${at.pk} ${at.sk} ${name}`
        numbers.set(where, (numbers.get(where) ?? 0) + n)
      }
  }
  for (const it of view.items) {
    const pk = String(it.pk)
    if (pk.startsWith('BOARD#LIST#') && !rows.delete(placeOf(it)))
      yield `${placeOf(it)} is on a board, and should not be`
    if (!/^BOARD#(TREE|TOTALS|INSTITUTIONS)/.test(pk) || pk.includes('@')) continue
    for (const [name, n] of Object.entries(it)) {
      if (typeof n !== 'number' || name === 'version') continue
      const where = pk === 'BOARD#TOTALS' ? `BOARD#TOTALS ${name}` : `${placeOf(it)} ${name}`
      numbers.set(where, (numbers.get(where) ?? 0) - n)
    }
  }
  for (const place of rows.keys()) yield `${place} is missing from its board`
  for (const [where, n] of numbers) if (n !== 0) yield `${where} of the boards is wrong by ${-n}`
}

/** An inbox knows how many have arrived, each has a number of its own, and what is unread is listed as that. */
function* inboxes(view: View): Iterable<string> {
  const by = Map.groupBy(view.of('notification'), (it) => String(it.user_id))
  for (const [user, all] of by) {
    const box = view.at(`INBOX#${user}`)
    if (!box) {
      yield `${user} has notifications and no inbox`
      continue
    }
    const numbers = all.map((it) => Number(it.arrival)).sort((a, b) => a - b)
    if (new Set(numbers).size < numbers.length) yield `two notifications of ${user} have one number`
    if ((numbers.at(-1) ?? 0) > box.arrived) yield `a notification of ${user} has a number that the inbox does not know`
    if (box.read_through > box.arrived) yield `${user} has read notifications that have not arrived`
    for (const it of all)
      if ((it.gsi2_pk !== undefined) === it.is_read)
        yield `notification ${it.notification_id} is listed wrongly as unread`
  }
}

/** What search has been told, entry by entry, comes to what it should know of each item. */
function* search(view: View, oracle: Oracle): Iterable<string> {
  if (!view.settled) return
  const learned = new Map<string, Plain>()
  const entries = view.of('search-entry').toSorted((a, b) => a.number - b.number)
  // What a snapshot holds goes from the log in the end.
  const isWhole = (entries[0]?.number ?? (view.at('SEARCH') ? 0 : 1)) === 1
  for (const { changes } of entries)
    for (const change of changes) {
      const known = learned.get(change.id)
      if (!known || known.version <= change.version) learned.set(change.id, change)
    }
  for (const it of view.items) {
    const wanted = learnedOf(it, oracle)
    if (!wanted) continue
    const known = learned.get(wanted.id)
    learned.delete(wanted.id)
    if (!known) {
      if (!wanted.gone && isWhole) yield `search has not been told of ${wanted.id}`
    } else if (
      JSON.stringify(known) !== JSON.stringify(wanted) &&
      !isDeepStrictEqual(plain(without(known, 'version')), without(wanted, 'version'))
    )
      yield `search knows ${wanted.id} as it was`
  }
  for (const [id, it] of learned) if (!it.gone) yield `search knows ${id}, which is not there`
}

/** Revisions are numbered from 1 without gaps, and the record knows the last and the accepted one. */
function* revisions(view: View): Iterable<string> {
  for (const head of view.of('record')) {
    const own = view.partition(String(head.pk)).filter((it) => it.type === 'revision')
    const numbers = own.map((it) => Number(it.revision_number)).sort((a, b) => a - b)
    if (numbers.some((n, i) => n !== i + 1) || numbers.length !== head.current_revision)
      yield `record ${head.entity_id} has revisions ${numbers.join(', ')}, and its current one is ${head.current_revision}`
    const ids = new Map(own.map((it) => [it.revision_number, it.revision_id]))
    if (ids.get(head.current_revision) !== head.current_revision_id)
      yield `record ${head.entity_id} names another current revision`
    if (head.public !== (head.accepted_revision !== null))
      yield `record ${head.entity_id} is public without a revision that is accepted, or the other way round`
    if (head.accepted_revision !== null && ids.get(head.accepted_revision) !== head.accepted_revision_id)
      yield `record ${head.entity_id} names another accepted revision`
    if (own.length === 0) yield `record ${head.entity_id} has no revision`
  }
}

const isSaid = (value: unknown) =>
  value !== '' && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Every value of a record has somebody who claims it, with a source; what is published was accepted. */
function* provenance(view: View, oracle: Oracle): Iterable<string> {
  for (const head of view.of('record')) {
    const claims: readonly Plain[] = oracle.assemble(view.partition(String(head.pk)))?.assertions ?? []
    for (const [property, value] of Object.entries(head.data ?? {})) {
      if (!isSaid(value)) continue
      const own = claims.filter((it) => it.asserted_property === property)
      if (own.length === 0) yield `${head.entity_id}: nobody claims ${property}`
      else if (head.public && !own.some((it) => it.reconciliation_status === 'accepted'))
        yield `${head.entity_id}: ${property} is published, and no claim of it is accepted`
    }
    for (const it of claims)
      if (it.supersedes && !claims.some((one) => one.id === it.supersedes))
        yield `${head.entity_id}: claim ${it.id} supersedes one that is not there`
  }
}

/** Flags, activities, claims and decisions that a record counts are there. */
function* history(view: View, oracle: Oracle): Iterable<string> {
  for (const head of view.of('record')) {
    const own = view.partition(String(head.pk))
    const open = own.filter((it) => it.type === 'flag' && !it.is_resolved)
    if (open.length !== head.open_flags)
      yield `${head.entity_id} has ${open.length} open flags, and says ${head.open_flags}`
    const concealed = open.filter((it) => it.concealed).length
    if (concealed !== (head.concealed_flags ?? 0))
      yield `${head.entity_id} has ${concealed} open concealed flags, and says ${head.concealed_flags}`
    const contradictions = open.filter((it) => it.flag_type === 'contradiction').length
    if (contradictions !== head.open_contradictions)
      yield `${head.entity_id} has ${contradictions} open contradictions, and says ${head.open_contradictions}`
    const acts = own.filter((it) => it.type === 'activity').length
    if (acts !== head.activity_count) yield `${head.entity_id} has ${acts} activities, and says ${head.activity_count}`
    const counted: readonly Plain[] = oracle.assemble(own)?.assertions ?? []
    const claims = counted.filter((it) => it.asserted_property !== 'identity.same_referent').length
    if (claims !== head.claim_count) yield `${head.entity_id} has ${claims} claims, and says ${head.claim_count}`
    const decisions = own.filter((it) => it.type === 'decision')
    const reviewed = Map.groupBy(decisions, (it) => `${it.sequence}`)
    for (const [sequence, all] of reviewed)
      if (all.length > 1) yield `${head.entity_id}: ${all.length} decisions made version ${sequence}`
    // A fork that was merged gave way: the decision is kept with the record that it is a fork of.
    const gaveWay = head.superseded_by && head.fork && !head.public
    if (!gaveWay && head.decided !== decisions.length > 0)
      yield `${head.entity_id} was decided on, and no decision is kept, or the other way round`
  }
}

/** Of a project its activities, assets and links are as many as it says. */
function* projects(view: View): Iterable<string> {
  for (const it of view.of('project')) {
    const own = view.partition(String(it.pk))
    const many = (type: string) => own.filter((one) => one.type === type).length
    if (many('project_asset') !== it.asset_count)
      yield `project ${it.slug} has ${many('project_asset')} assets, and says ${it.asset_count}`
    if (many('project_entity') !== it.entity_count)
      yield `project ${it.slug} has ${many('project_entity')} records, and says ${it.entity_count}`
    const numbers = own
      .filter((one) => one.type === 'project_activity')
      .map((one) => Number(one.number))
      .sort((a, b) => a - b)
    if (numbers.some((n, i) => n !== i + 1) || numbers.length !== it.activity_count)
      yield `project ${it.slug} has activities ${numbers.join(', ')}, and says ${it.activity_count}`
    const members = it.memberships.map((one: Plain) => one.user_id)
    if (new Set(members).size < members.length) yield `somebody works on project ${it.slug} twice`
    if (it.memberships.filter((one: Plain) => one.role === 'owner').length !== 1)
      yield `project ${it.slug} has another number of owners than one`
  }
}

/** Comments and reactions add up. */
function* threads(view: View): Iterable<string> {
  const byThread = Map.groupBy(view.of('comment'), (it) => String(it.thread))
  for (const [thread, all] of byThread) {
    const marks = view.partition(`REACTIONS#${thread}`).filter((it) => it.type === 'reactions')
    for (const it of all) {
      const votes = (sort: string) => marks.filter((mark) => mark.on[it.id] === sort).length
      if (it.user_id !== null && (votes('upvote') !== it.upvotes || votes('downvote') !== it.downvotes))
        yield `comment ${it.id} was voted for ${votes('upvote')} times, and says ${it.upvotes}`
      if (it.id !== it.root) continue
      const replies = all.filter((one) => one.root === it.id && one.id !== it.id)
      if (replies.length !== it.replies) yield `comment ${it.id} has ${replies.length} replies, and says ${it.replies}`
      const places = replies.map((one) => Number(one.place))
      if (new Set(places).size < places.length) yield `two replies to ${it.id} are at one place`
    }
    const sums = view.at(`REACTIONS#${thread}`, 'TOTALS')
    for (const sort of ['upvote', 'downvote']) {
      const n = marks.filter((mark) => mark.on.subject === sort).length
      if (n !== (sums?.[`${sort}s`] ?? 0)) yield `${thread} has ${n} times ${sort}, and says ${sums?.[`${sort}s`] ?? 0}`
    }
  }
}

/** Once all is settled nothing is prepared any more, and nothing is put aside. */
function* nothingLeft(view: View): Iterable<string> {
  for (const it of view.of('parked_change'))
    yield `the projector has put a change aside: ${it.reason ?? it.error ?? placeOf(it)}`
  if (!view.settled) return
  for (const it of view.raw) {
    if (it.type === 'large' && !it.settled && it.state !== 'void')
      yield `the large transaction ${it.id} is ${it.state}, and not settled`
    if (it.staged_by !== undefined && !view.at(`LARGE#${it.staged_by}`)?.settled)
      yield `${placeOf(it)} is prepared for good`
    if (Object.keys(it).some((name) => name.startsWith('staged#'))) yield `${placeOf(it)} has staged counts for good`
    if (it.type === 'large_part') yield `${placeOf(it)} is left of a large transaction`
  }
  for (const it of view.of('project')) if (it.merge) yield `project ${it.slug} is merging for good`
}

/** Nobody is told of one thing twice. */
function* toldOnce(view: View): Iterable<string> {
  for (const [user, all] of Map.groupBy(view.of('notification'), (it) => String(it.user_id)))
    for (const [event, them] of Map.groupBy(all, (it) => `${it.notice} ${it.event}`))
      if (them.length > 1) yield `${user} was told ${them.length} times of ${event}`
  for (const [event, them] of Map.groupBy(view.of('announcement'), (it) => `${it.notice} ${it.event}`))
    if (them.length > 1) yield `${event} was announced ${them.length} times`
}

/** What is hidden stands in no list of the public, in search, among comments or in the feed. */
function* hidden(view: View, oracle: Oracle): Iterable<string> {
  for (const it of view.of('record')) {
    const open = it.public && it.access_tier === 'public' && !it.deleted_at
    for (const index of ['gsi1', 'gsi2', 'gsi3', 'gsi4'])
      if (!open && String(it[`${index}_pk`]).endsWith('#published'))
        yield `${it.entity_id} is hidden, and in ${it[`${index}_pk`]}`
    if (!view.settled) continue
    for (const one of view.partition(String(it.pk))) {
      const wanted = oracle.audienceOf(one, it)
      if (wanted !== undefined && wanted !== one.audience)
        yield `${placeOf(one)} is told to ${one.audience} instead of ${wanted}`
    }
    for (const one of view.partition(`THREAD#ENTITY#${it.entity_id}`))
      if (one.type === 'comment' && one.standing !== oracle.commentAudienceOf(it))
        yield `comment ${one.id} is told to ${one.standing}`
  }
}

/** No counter of a throttle is beyond what is allowed, no list has fewer than nothing. */
function* limits(view: View, oracle: Oracle): Iterable<string> {
  const totals = new Map<string, number>()
  for (const it of view.items)
    if (String(it.pk).startsWith('COUNT#'))
      for (const [at, n] of sizesOf(it, oracle)) totals.set(at, (totals.get(at) ?? 0) + n)
  for (const [at, n] of totals) if (n < 0) yield `the size of ${at} is ${n}`
  for (const it of view.of('cluster'))
    if ((it.members ?? []).length > 30) yield `cluster ${it.id} has ${it.members.length} members`
}

/** What search is told is numbered from 1 without gaps, and the end knows how much it is. */
function* logEntries(view: View): Iterable<string> {
  const entries = view.of('search-entry').toSorted((a, b) => a.number - b.number)
  const end = view.at('SEARCH')
  const first = entries[0]?.number ?? 1
  if (entries.some((it, i) => it.number !== first + i)) yield 'entries of the log of search are missing'
  if (entries.length > 0 && entries.at(-1)?.number !== end?.number)
    yield `the log of search ends at ${entries.at(-1)?.number}, and says ${end?.number}`
  if (first === 1 && entries.reduce((sum, it) => sum + it.changes.length, 0) !== (end?.changes ?? 0))
    yield 'the log of search has another number of changes than it says'
  for (const it of view.of('submission')) {
    const numbers = view
      .partition(String(it.pk))
      .filter((one) => one.type === 'submission_version')
      .map((one) => one.version_number)
      .sort((a, b) => a - b)
    if (numbers.some((n, i) => n !== i + 1)) yield `submission ${it.submission_id} has versions ${numbers.join(', ')}`
  }
}

/** The current exports are whole: each file that they name is there, with the bytes that were counted. */
function* exports({ world }: View): Iterable<string> {
  for (const { name, sha256, real } of exported(world))
    if (sha256 !== real) yield `the exported file ${name} is ${real === undefined ? 'missing' : 'another'}`
}

/** Whoever has answered has nothing under way any more. */
function* answeredAndDone({ world }: View): Iterable<string> {
  yield* world.unfinished
}

/** By name. That exports hold what readers see is looked at where they are made (../background.ts). */
const invariants: Readonly<Record<string, Invariant>> = {
  counters,
  lists,
  links: derived(FOLLOW_LATER, true),
  'queue and names': derived(OWNED, false),
  boards: leaderboard,
  inboxes,
  announcements,
  search,
  'unique names': uniqueNames,
  'contiguous revisions': revisions,
  provenance,
  history,
  projects,
  threads,
  'nothing left': nothingLeft,
  'told once': toldOnce,
  'nothing hidden': hidden,
  limits,
  letters: (view) => letters(view, ({ items }) => viewOf(view.world, view.settled, items)),
  'log entries': logEntries,
  exports,
  objects,
  'answered and done': answeredAndDone,
}

let oracle: Oracle | undefined

/** What figures are kept and are not those that are counted anew, each in a sentence. To be asked where nothing is under way. */
export async function wrongFigures(world: World): Promise<string[]> {
  oracle ??= await openOracle()
  return [...figures(viewOf(world, true), oracle)]
}

/** What is wrong with everything that is stored, each in a sentence; `settled`: nothing is left that follows of itself. */
export async function violations(world: World, settled: boolean): Promise<string[]> {
  oracle ??= await openOracle()
  const view = viewOf(world, settled)
  const found: string[] = []
  for (const [name, check] of Object.entries(invariants))
    for (const each of check(view, oracle)) found.push(`${name}: ${each}`)
  return found
}
