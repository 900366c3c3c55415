import { now } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { documentOf } from '../../domain/effects/search-documents.ts'
import { projectSnapshot } from '../../domain/projects/items.ts'
import { watch, watcher } from '../../domain/watches/items.ts'
import { endWatches, loadWatches } from '../../domain/watches/watches.ts'
import { appendChanges, compactSearch } from '../../engines/search/index.ts'
import { commitWrites, putIfUnchanged, removeItems, scanRaw } from '../../engines/table/immediate.ts'
import { getMany, keyOf, type Stored, type Write } from '../../engines/table/index.ts'
import { replyText } from '../../platform/http/idempotency.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { keyOf as keyOfUser } from '../../platform/users/users.ts'
import { makeExportsAnew } from '../exports/make.ts'
import { clearImport, clearOwnFiles, scrubSnapshot } from './copies.ts'
import { type Departure, endDeparture, formerName, listDepartures, listSecondLooks, nextStep } from './items.ts'
import { clearNote } from './notes.ts'
import { isFollowed, removeContributions, restoreWhatIsBuiltOn } from './removal.ts'
import { type Former, scrubValue } from './scrub.ts'

/** The most accounts of one visit. All of them share each pass over the table. */
const MOST_AT_ONCE = 50

/**
 * Works on the accounts that are leaving. Returns how many have left. Each step is safe to repeat, and the next visit goes on where
 * this one was broken off.
 *
 * 1. Contributions that are to go are deleted, if nobody else has built on them.
 * 2. The table is read as a whole. Items of the person alone are deleted; names are taken out of all others. It is read again until
 *    a pass finds nothing, since a writer may have stored a copy that it had read before. Cached answers are deleted in each pass.
 * 3. Copies outside of the table go, or are made anew: pictures of profiles, files of tables, snapshots of merges, exports and search.
 * 4. At a later visit, deleted contributions on which somebody has built in the moment of step 1 are restored.
 */
export async function workOnDepartures(): Promise<number> {
  await lookAgain()
  const leaving = await listDepartures(MOST_AT_ONCE)
  if (leaving.length === 0) return 0
  const ready: Departure[] = []
  for (const it of leaving) ready.push(await finishContributions(it))
  const former: Former = new Map(ready.map(({ user_id }) => [user_id, formerName(user_id)]))
  if (!(await clearTable(former))) return 0
  for (const { user_id } of ready) await clearOwnFiles(user_id)
  await makeExportsAnew()
  await clearSearch(ready)
  for (const it of ready) await commitWrites([afterNames(it)])
  return ready.length
}

const afterNames = (it: Departure): Write =>
  it.contributions === 'remove' ? nextStep(it, { step: 'second_look' })[1] : endDeparture(it)

async function lookAgain(): Promise<void> {
  for (const it of await listSecondLooks(MOST_AT_ONCE)) {
    if (!(await isFollowed(it))) continue
    await restoreWhatIsBuiltOn(it.user_id)
    await commitWrites([endDeparture(it)])
  }
}

/**
 * Makes the snapshot of search anew, and trims its log. A round keeps the previous snapshot for processes that still read it. So the second
 * round removes the last snapshot with the names. The last entry of the log stays, so the empty profiles are appended first.
 */
async function clearSearch(ready: readonly Departure[]): Promise<void> {
  const users = await getMany(ready.map(({ user_id }) => keyOfUser(user_id)))
  await appendChanges([...users.values()].flatMap((it) => documentOf(it) ?? []))
  for (let round = 0; round < 2; round += 1) await compactSearch()
}

/** Deletes the contributions that are to go, once. Returns the departure as it is stored then. */
async function finishContributions(it: Departure): Promise<Departure> {
  if (it.step !== 'contributions') return it
  if (it.contributions === 'remove') await removeContributions(it.user_id)
  const [next, move] = nextStep(it, { step: 'names', removed_at: now() })
  await commitWrites([move])
  return next
}

/** The most passes over the table in one visit. A later pass finds only what was written during the pass before. */
const MOST_PASSES = 5

/** Reads the table until a pass finds nothing of these people. Returns whether some pass found nothing. */
async function clearTable(former: Former): Promise<boolean> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) if ((await clearOnce(former)) === 0) return true
  return false
}

/**
 * One pass over the table. Returns how many items it found that hold something of these people. Cached answers are deleted and not
 * counted: requests keep new ones all the time, and make them from what is stored by now.
 */
async function clearOnce(former: Former): Promise<number> {
  let found = 0
  for await (const page of scanRaw()) {
    const watchers = watchersIn(page, former)
    for (const id of watchers) await endAllWatches(id)
    const going = page.filter((it) => goesWith(it, former))
    await removeItems(going.map(keyOf))
    const staying = page.filter((it) => !going.includes(it) && !followed.has(String(it.type)))
    const changed = await mapAtOnce(staying, 8, (it) => clearItem(it, former))
    const theirs = going.filter(({ type }) => type !== CACHED)
    found += watchers.size + theirs.length + changed.filter((isChanged) => isChanged).length
  }
  return found
}

/** The people among `former` whose watches are on this page. */
const watchersIn = (page: readonly Stored[], former: Former): Set<string> =>
  new Set(
    page
      .filter(({ type, user_id }) => watched.has(String(type)) && former.has(String(user_id)))
      .map(({ user_id }) => String(user_id)),
  )

/** Ends all watches of a person, and lowers the counts of watchers. One transaction ends 49 watches at most. */
async function endAllWatches(user_id: string): Promise<void> {
  do await inUnit((unit) => endWatches(unit, user_id, () => true))
  while ((await loadWatches(user_id)).watches.length > 0)
}

/** Takes the names of these people out of an item. Returns whether the item still held something of these people. */
async function clearItem(it: Stored, former: Former): Promise<boolean> {
  if (it.type === projectSnapshot.type) return scrubSnapshot(it, former)
  if (await clearImport(it, former)) return true
  if (await clearNote(it, former)) return true
  const next = scrubValue(it, former)
  if (next === it) return false
  await putIfUnchanged(next)
  return true
}

/**
 * Items that a pass leaves as they are. Indexes, boards and the change log of search follow from other items. Account and departure hold no
 * name.
 */
const followed: ReadonlySet<string> = new Set(['entry', 'board', 'search-entry', 'departure', 'removal', 'user'])

/** Items of one person alone. They go with the person. */
const personal: ReadonlySet<string> = new Set([
  ...['session', 'identity', 'api_key', 'hook', 'account_letter', 'letters', 'inbox', 'read_mark', 'notification'],
  ...['import_mapping', 'account_export', 'doubt_tally'],
])

/** Items of one person alone that are counted elsewhere. */
const watched: ReadonlySet<string> = new Set([watch.type, watcher.type])

/** The type of cached answers. Nobody knows whom they name. */
const CACHED = 'cached'

/** Whether an item is deleted: these people's own items, all cached answers, and kept replies that are theirs or hold one of their ids. */
function goesWith(it: Stored, former: Former): boolean {
  const type = String(it.type)
  if (personal.has(type)) return former.has(String(it.user_id))
  if (type === CACHED) return true
  if (type !== 'reply') return false
  const text = replyText(it)
  return former.has(String(it.user_id)) || [...former.keys()].some((id) => text.includes(id))
}
