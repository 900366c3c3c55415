import { mapAtOnce } from '../../base/concurrency.ts'
import { isDone } from '../../base/errors.ts'
import { documentOf } from '../../domain/effects/search-documents.ts'
import { projectSnapshot } from '../../domain/projects/items.ts'
import { builtInHistory, findLinksInto } from '../../domain/records/built-on.ts'
import { loadHistory } from '../../domain/records/history.ts'
import { listsOf, recordVisibilities } from '../../domain/records/items.ts'
import { deleteRecord } from '../../domain/records/write.ts'
import { watch, watcher } from '../../domain/watches/items.ts'
import { endWatches, loadWatches } from '../../domain/watches/watches.ts'
import { appendChanges, compactSearch } from '../../engines/search/index.ts'
import { commitWrites, putIfUnchanged, removeItems, scanRaw } from '../../engines/table/immediate.ts'
import { getMany, keyOf, type Stored, walk } from '../../engines/table/index.ts'
import { replyText } from '../../platform/http/idempotency.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { keyOf as keyOfUser } from '../../platform/users/users.ts'
import { makeExportsAnew } from '../exports/make.ts'
import { clearImport, clearOwnFiles, scrubSnapshot } from './copies.ts'
import { type Departure, endDeparture, formerName, listDepartures, nextStep } from './items.ts'
import { clearNote } from './notes.ts'
import { type Former, scrubValue } from './scrub.ts'

/** The most accounts of one visit. All of them share each pass over the table. */
const MOST_AT_ONCE = 50

/**
 * Works on the accounts that are leaving. Returns how many have left. Each step is safe to repeat, and the next visit goes on where
 * this one was broken off.
 *
 * 1. Contributions that are to go are deleted.
 * 2. The table is read as a whole. Items of the person alone are deleted; names are taken out of all others. It is read again until
 *    a pass finds nothing, since a writer may have stored a copy that it had read before.
 * 3. Copies outside of the table go, or are made anew: pictures of profiles, files of tables, snapshots of merges, exports and search.
 */
export async function workOnDepartures(): Promise<number> {
  const leaving = await listDepartures(MOST_AT_ONCE)
  if (leaving.length === 0) return 0
  const ready: Departure[] = []
  for (const it of leaving) ready.push(await finishContributions(it))
  const former: Former = new Map(ready.map(({ user_id }) => [user_id, formerName(user_id)]))
  if (!(await clearTable(former))) return 0
  for (const { user_id } of ready) await clearOwnFiles(user_id)
  await makeExportsAnew()
  await clearSearch(ready)
  for (const it of ready) await commitWrites([endDeparture(it)])
  return ready.length
}

/**
 * Makes the snapshot of search anew, and trims its log. A round keeps the previous snapshot for processes that still read it, so the
 * second one removes the last snapshot with the names. The last entry of the log stays, so the empty profiles are appended first.
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
  await commitWrites([nextStep(it, 'names')])
  return { ...it, step: 'names', version: it.version + 1 }
}

/** Records that one query reads, and records that are looked at in parallel. */
const RECORDS_IN_PAGE = 100
const RECORDS_AT_ONCE = 4

/** Deletes a person's records on which nobody else has built: no link, claim, edit, comment or picture of others. */
async function removeContributions(user_id: string): Promise<void> {
  for (const visibility of recordVisibilities) {
    const pk = listsOf.owner(user_id, visibility)
    for (let beyond: string | undefined; ; ) {
      const page = await walk({ index: 'gsi3', pk, forward: true, limit: RECORDS_IN_PAGE, beyond })
      await mapAtOnce(page, RECORDS_AT_ONCE, ({ entity_id }) => removeUnlessBuiltOn(String(entity_id), user_id))
      if (page.length < RECORDS_IN_PAGE) break
      beyond = String(page.at(-1)?.gsi3_sk)
    }
  }
}

/** If others change the record or link to it again and again, it stays. */
const removeUnlessBuiltOn = (entity_id: string, user_id: string): Promise<boolean> =>
  isDone(
    inUnit(async (unit) => {
      unit.retryOn('conflict')
      const record = await loadHistory(entity_id)
      if (!record || record.deleted_at || record.contributor_id !== user_id) return
      const work = { by: user_id, revision: 1, at: record.created_at, isOwnDecision: () => true }
      const isEdited = record.revisions.some(({ created_by }) => created_by !== user_id)
      if (isEdited || builtInHistory(record, work).length > 0) return
      const { reasons, forbidNaming } = await findLinksInto(record, new Set())
      if (reasons.length > 0) return
      await deleteRecord(unit, record)
      unit.add(forbidNaming)
    }),
  )

/** Passes over the table in one visit. Each later one finds only what was written during the one before. */
const MOST_PASSES = 5

/** Reads the table until a pass finds nothing of these people. Returns whether it got so far. */
async function clearTable(former: Former): Promise<boolean> {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) if ((await clearOnce(former)) === 0) return true
  return false
}

/** One pass over the table. Returns how many items it found that hold something of these people. */
async function clearOnce(former: Former): Promise<number> {
  let found = 0
  for await (const page of scanRaw()) {
    const watchers = watchersIn(page, former)
    for (const id of watchers) await endAllWatches(id)
    const going = page.filter((it) => goesWith(it, former))
    await removeItems(going.map(keyOf))
    const staying = page.filter((it) => !going.includes(it) && !followed.has(String(it.type)))
    const changed = await mapAtOnce(staying, 8, (it) => clearItem(it, former))
    found += watchers.size + going.length + changed.filter((isChanged) => isChanged).length
  }
  return found
}

/** Those of these people whose watches are among these items. */
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

/** Takes the names of these people out of an item. Returns whether there were any. */
async function clearItem(it: Stored, former: Former): Promise<boolean> {
  if (it.type === projectSnapshot.type) return scrubSnapshot(it, former)
  if (await clearImport(it, former)) return true
  if (await clearNote(it, former)) return true
  const next = scrubValue(it, former)
  if (next === it) return false
  await putIfUnchanged(next)
  return true
}

/** Items that a pass leaves as they are. Indexes, boards and the log of search follow from others; account and departure hold no name. */
const followed: ReadonlySet<string> = new Set(['entry', 'board', 'search-entry', 'departure', 'user'])

/** Items of one person alone. They go with the person. */
const personal: ReadonlySet<string> = new Set([
  ...['session', 'identity', 'api_key', 'hook', 'account_letter', 'letters', 'inbox', 'read_mark', 'notification'],
  ...['import_mapping', 'account_export', 'doubt_tally'],
])

/** Items of one person alone that are counted elsewhere. */
const watched: ReadonlySet<string> = new Set([watch.type, watcher.type])

/** Whether an item is deleted: these people's own items, all cached answers, and kept replies that are theirs or hold one of their ids. */
function goesWith(it: Stored, former: Former): boolean {
  const type = String(it.type)
  if (personal.has(type)) return former.has(String(it.user_id))
  if (type === 'cached') return true
  if (type !== 'reply') return false
  const text = replyText(it)
  return former.has(String(it.user_id)) || [...former.keys()].some((id) => text.includes(id))
}
