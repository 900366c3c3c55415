import { clock, newId, now } from '../../../base/clock.ts'
import { impossible, unavailable } from '../../../base/errors.ts'
import { withLock } from '../../table/immediate.ts'
import { changesInTable } from '../changes-in-table.ts'
import type { DocumentChange } from '../document.ts'
import { snapshotFormat } from '../index/build.ts'
import { searchKey } from '../keys.ts'
import { loadLogEnd, readLogAfter, trimLog } from '../log.ts'
import type { SearchUpkeep } from '../query.ts'
import { loadVocabulary } from '../vocabulary.ts'
import { aliasName, callServer, indexesOfAlias, type Json, Refused } from './client.ts'
import { feedServer, Missed, writeChanges } from './feed.ts'
import { type Indexes, loadIndexes, saveIndexes } from './indexes.ts'
import { indexLayout } from './layout.ts'

/** The layout of an index. Raise it with every change of `layout.ts`: then the sweeper makes an index anew, beside the present one. */
const LAYOUT = 1
const formatNow = () => `${LAYOUT} ${snapshotFormat()}`
/** How long the index before the present one is kept, so that an operator can go back to it. */
const KEPT_MS = 86_400_000
/** Seconds for which a rebuild holds its lock. After this time another process may begin a rebuild. */
const LOCK_SECONDS = 3600
/** Documents of one bulk request of a rebuild. */
const BATCH = 500

/**
 * Brings the server up to the log, trims the log, and removes an index that is no longer needed. Makes an index anew if there is none, or
 * if it has missed entries of the log. Also if a new release stores documents in another form. Returns the number of changes or documents
 * that it wrote.
 */
export const compactIfDue: SearchUpkeep['compactIfDue'] = async () => {
  await loadVocabulary()
  const old = await loadIndexes()
  if (old?.current?.format !== formatNow()) return (await rebuild()).documents
  const count = await feedServer().catch((error: unknown) => {
    if (error instanceof Missed) return undefined
    throw error
  })
  if (count === undefined) return (await rebuild()).documents
  await removePrevious(false)
  const { position } = (await loadIndexes()) ?? { position: 0 }
  await trimLog(position + 1)
  return count
}

export const compactNow: SearchUpkeep['compactNow'] = async () => {
  const written = await feedServer()
  const { position = 0 } = (await loadIndexes()) ?? {}
  await trimLog(position + 1)
  return `wrote ${written} changes to the server, which is at entry ${position} of the log`
}

/**
 * Makes an index anew, beside the present one, which answers meanwhile. Both take all changes from the first moment on. When the new index is
 * whole, all questions go to it at once. The old one stays for a day.
 */
export const rebuild: SearchUpkeep['rebuild'] = async (progress = () => undefined) => {
  await loadVocabulary()
  const done = await withLock(searchKey.searchRebuild(), LOCK_SECONDS, async () => ({
    result: await buildBeside(progress),
  }))
  if (!done) throw unavailable('The search model is being built. Try again.', 'search')
  return done.result
}

async function buildBeside(progress: (items: number, documents: number) => void) {
  const started = performance.now()
  const { number: begin } = await loadLogEnd()
  await removeLeft(await loadIndexes())
  const index = `${aliasName()}-${now().replace(/\D/g, '').slice(0, 14)}-${newId().slice(0, 4)}`
  await callServer('PUT', `/${index}`, indexLayout())
  const before = await saveIndexes(await loadIndexes(), { building: index })
  let documents = 0
  let batch: DocumentChange[] = []
  const write = async () => {
    await writeChanges([index], batch, 'false')
    batch = []
  }
  for await (const change of changesInTable(progress)) {
    if (!('gone' in change)) documents += 1
    batch.push(change)
    if (batch.length >= BATCH) await write()
  }
  await write()
  await writeEntriesAfter(index, begin)
  await callServer('POST', `/${index}/_refresh`)
  await pointAlias(index)
  const made = { index, format: formatNow(), made_at: now() }
  await switchTo(made, before, begin)
  await feedServer()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  return { documents, report: `rebuilt in ${seconds} s: index ${index}, ${documents} documents` }
}

/** Writes the changes that came while documents were read: a read of the table may be a moment behind. */
async function writeEntriesAfter(index: string, begin: number): Promise<void> {
  for (let from = begin; ; ) {
    const { entries, more } = await readLogAfter(from)
    await writeChanges(
      [index],
      entries.flatMap((entry) => entry.changes),
      'false',
    )
    from = entries.at(-1)?.number ?? from
    if (!more) return
  }
}

/** Makes the new index the present one. An index that had missed entries of the log is not kept. */
async function switchTo(made: NonNullable<Indexes['current']>, before: Indexes, begin: number): Promise<void> {
  const old = await loadIndexes()
  const isWhole = before.current !== null && !(await readLogAfter(before.position)).lost
  if (old?.previous) await removeIndex(old.previous.index)
  if (old?.current && !isWhole) await removeIndex(old.current.index)
  const previous = isWhole ? (old?.current ?? null) : null
  const position = isWhole ? (old?.position ?? begin) : begin
  await saveIndexes(old, { current: made, previous, building: null, position })
}

/** Removes an index whose building was cut off. */
async function removeLeft(old: Indexes | undefined): Promise<void> {
  if (!old?.building) return
  await removeIndex(old.building)
  await saveIndexes(old, { building: null })
}

async function removePrevious(isAsked: boolean): Promise<void> {
  const old = await loadIndexes()
  if (!old?.previous || !old.current) return
  const age = clock.now().getTime() - Date.parse(old.current.made_at)
  if (!isAsked && age < KEPT_MS) return
  await saveIndexes(old, { previous: null })
  await removeIndex(old.previous.index)
}

const removeIndex = (index: string) => callServer('DELETE', `/${index}`).catch(unlessMissing)
function unlessMissing(error: unknown): undefined {
  if (error instanceof Refused && error.status === 404) return undefined
  throw error
}

/** Sends all questions to this index, in one step. */
async function pointAlias(index: string): Promise<void> {
  const alias = aliasName()
  const actions: Json[] = (await indexesOfAlias()).map((other) => ({ remove: { index: other, alias } }))
  await callServer('POST', '/_aliases', { actions: [...actions, { add: { index, alias } }] })
}

/** Goes back to the index before the present one, which has taken all changes since. */
export const rollBack: SearchUpkeep['rollBack'] = async () => {
  const old = await loadIndexes()
  if (!old?.previous || !old.current) throw impossible('There is no index to go back to.')
  await pointAlias(old.previous.index)
  await saveIndexes(old, { current: old.previous, previous: old.current })
  return `questions go to ${old.previous.index} again; ${old.current.index} is kept`
}

export const describe: SearchUpkeep['describe'] = async () => {
  const [indexes, end] = await Promise.all([loadIndexes(), loadLogEnd()])
  if (!indexes?.current) return 'no index yet: the sweeper makes one, or use rebuild'
  const line = (which: string, index: string, made: string) => `${which}: ${index}, made ${made}`
  return [
    line('current', indexes.current.index, indexes.current.made_at),
    ...(indexes.previous ? [line('previous', indexes.previous.index, indexes.previous.made_at)] : []),
    ...(indexes.building ? [`building: ${indexes.building}`] : []),
    `the server is at entry ${indexes.position} of the log, which ends at entry ${end.number}`,
  ].join('\n')
}
