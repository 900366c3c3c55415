import { later, newId, now } from '../../base/clock.ts'
import { conflict, invalid } from '../../base/errors.ts'
import {
  countKeys,
  get,
  getMany,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  sumOf,
  type UnitOfWork,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'

import type { Actor, Subject } from '../../platform/permissions.ts'
import type { KindKey } from '../kinds/index.ts'
import { queueLists } from '../records/queue-entry.ts'
import {
  type Import,
  type ImportFormat,
  type ImportState,
  importItem,
  importLists,
  storedActor,
  type Task,
  type TaskState,
} from './items.ts'
import { loadReader } from './load-reader.ts'
import { type Mapping, mappingFaults } from './mapping.ts'
import type { ReadOptions } from './options.ts'
import { loadColumns } from './stored-columns.ts'

/** Days for which the file of an import, and everything read from it, is kept. */
const KEPT_DAYS = 90
/** Seconds in which a client must send an announced file. */
const LIFETIME_S = 24 * 3600

/** An import as the subject of permissions. */
export type ImportSubject = Import & Subject
const asSubject = (it: Import): ImportSubject => ({ ...it, public: false, authors: [it.contributor_id] })

export async function loadImport(id: string): Promise<ImportSubject | undefined> {
  const it = await get(importItem, { id })
  return it && asSubject(it)
}

export type SentFile = {
  file_name: string
  format: ImportFormat
  size: number
  sha256: string | null
  given: ReadOptions
}

/** A file in the bucket. `read`: the result, if the request has read the file already. */
type StoredFile = { id: string; object_key: string; read?: Partial<Import> & Pick<Import, 'state'> }

/** Creates an import. Its file is in the bucket already, or the client will put it there. */
export async function beginImport(unit: UnitOfWork, actor: Actor, sent: SentFile, there?: StoredFile): Promise<Import> {
  const { id = newId(), object_key = null } = there ?? {}
  const direct = object_key === null
  const at = now()
  const made: Import = {
    ...sent,
    id,
    contributor_id: actor.id,
    ownership: actor.ownership ?? 1,
    state: direct ? 'announced' : 'uploaded',
    pending_key: direct ? `uploads/imports/${id}` : null,
    object_key,
    ...{
      sheets: [],
      delimiter: null,
      encoding: null,
      told: [],
      mapping: null,
      columns: null,
      values: null,
      kind_guess: null,
      counts: null,
      chunks: [],
      kept: [],
      undo: null,
    },
    made: { created: 0, amended: 0, left: 0, failed: 0 },
    work: direct || there?.read ? null : newReading(actor),
    failed: null,
    decided: null,
    open: false,
    files_until: later(direct ? LIFETIME_S : KEPT_DAYS * 86_400),
    created_at: at,
    updated_at: at,
    version: 1,
    ...there?.read,
  }
  unit.add([put(importItem, made, undefined)])
  return made
}

/** A key that no client ever learns, so nobody can change the object. */
export const newFileKey = (id: string): string => `imports/${id}/${newId()}`

/** Notes that an announced file is in the bucket. */
export const completeImport = (
  unit: UnitOfWork,
  old: Import,
  actor: Actor,
  kept: { object_key: string; sha256: string },
): Promise<Import> =>
  save(unit, old, {
    ...kept,
    state: 'uploaded',
    pending_key: null,
    work: workOf('read', actor, 0),
    files_until: later(KEPT_DAYS * 86_400),
  })

const workOf = (task: Task, actor: Actor, of: number, more: Partial<TaskState> = {}): TaskState => ({
  task,
  by: storedActor(actor),
  decide: null,
  rows: [],
  preview: false,
  doubtful: 'create',
  changes: 'make',
  ...{ next: 0, done: 0, of, failures: 0, takes: 0 },
  held_until: now(),
  since: now(),
  ...more,
})

/** The task of reading a file that this caller has sent. */
export const newReading = (actor: Actor): TaskState => workOf('read', actor, 0)

async function save(unit: UnitOfWork, old: Import, changes: Partial<Import>): Promise<Import> {
  const stored = importOf(old)
  const next = withNextVersion(stored, { ...changes, updated_at: now() })
  unit.add([put(importItem, next, stored)])
  return next
}

/** An import without the members that permissions look at. */
const importOf = (it: Import): Import => parse(importItem, it)

/** The states in which a task may begin. */
const startStates: Readonly<Record<Task, readonly ImportState[]>> = {
  read: [],
  check: ['read', 'checked'],
  run: ['checked'],
  decide: ['done'],
  // What stayed because others had built on it may go at a later attempt.
  withdraw: ['running', 'done', 'withdrawn'],
  take_back: ['done', 'withdrawn', 'taken_back'],
}

/** Gives a task to the workers. Fails with `conflict` while another task goes on, or if the state does not allow it. */
export async function orderTask(
  unit: UnitOfWork,
  old: Import,
  task: Task,
  actor: Actor,
  more: Partial<TaskState> = {},
): Promise<Import> {
  checkIdle(old)
  if (!startStates[task].includes(old.state))
    throw conflict(`An import that is ${old.state.replace('_', ' ')} cannot do this.`)
  if (task === 'check' || task === 'run') await checkMapping(old)
  const of = await sizeOfTask(old, task)
  const runs = task === 'run' && { state: 'running' as const, open: true }
  return save(unit, old, {
    work: workOf(task, actor, of, more),
    failed: null,
    ...runs,
    ...(task === 'decide' && { decided: null }),
  })
}

/** The number that `progress.of` shows: rows, waiting records of a verdict, or rows that have made something. */
async function sizeOfTask(it: Import, task: Task): Promise<number> {
  if (task === 'check' || task === 'run') return dataRows(it)
  if (task === 'decide') return (await countWaiting([it.id])).get(it.id) ?? 0
  return it.made.created + it.made.amended
}

function checkIdle({ work }: Import): void {
  if (work) throw conflict(`This import is at work (${work.task}). Wait until it is done.`)
}

/** Rows below the header of the chosen sheet. */
const dataRows = ({ sheets, mapping, counts }: Import): number =>
  counts
    ? Object.values(counts).reduce((sum, many) => sum + many, 0)
    : Math.max(0, (sheets[mapping?.sheet ?? 0]?.rows ?? 0) - (mapping?.header_row ?? 1))

async function checkMapping({ id, mapping, sheets }: Import): Promise<void> {
  if (!mapping) throw invalid({ mapping: ['Say what the columns mean.'] })
  if (!sheets[mapping.sheet]) throw invalid({ mapping: [`There is no sheet ${mapping.sheet}.`] })
  const { loadColumnNames } = await loadReader()
  const faults = mappingFaults(mapping, await loadColumnNames(id, mapping.sheet, mapping.header_row))
  if (faults.length > 0) throw invalid({ mapping: faults })
}

/** Changes the mapping. The results of an earlier dry run are dropped. */
export async function changeMapping(unit: UnitOfWork, old: Import, mapping: Mapping, actor: Actor): Promise<Import> {
  checkMappable(old)
  await checkMapping({ ...old, mapping })
  const { guessAgain } = await loadReader()
  const columns = (await isProfiled(old, mapping)) ? old.columns : (await guessAgain(old.id, mapping, actor)).columns
  return save(unit, old, { mapping, columns, ...beforeCheck })
}

/** Guesses the mapping anew, for another kind, sheet or header row. The guess may be incomplete; then no dry run begins. */
export async function changeTarget(
  unit: UnitOfWork,
  old: Import,
  { kind, ...options }: ReadOptions & { kind?: KindKey },
  actor: Actor,
): Promise<Import> {
  const sheet = options.sheet ?? old.mapping?.sheet ?? 0
  if (!old.sheets[sheet]) throw invalid({ sheet: [`There is no sheet ${sheet}.`] })
  checkMappable(old)
  const target = {
    kind: kind ?? old.mapping?.kind ?? 'structure',
    sheet,
    // Another sheet has headers in another row.
    header_row: options.header_row ?? (options.sheet === undefined ? (old.mapping?.header_row ?? 1) : undefined),
  }
  const { guessAgain } = await loadReader()
  const guessed = await guessAgain(old.id, target, actor)
  return save(unit, old, { given: { ...old.given, ...options }, ...guessed, ...beforeCheck })
}

const beforeCheck = { state: 'read' as const, counts: null, chunks: [], values: null }

function checkMappable(old: Import): void {
  checkIdle(old)
  if (old.state !== 'read' && old.state !== 'checked') throw conflict('The mapping of an import that has run stays.')
}

/** The states in which a file may be read again. */
const readableStates: readonly ImportState[] = ['read', 'checked', 'failed']

/**
 * Orders that the file is read again with further options. The meaning of its columns is guessed anew. Fails with `conflict` after the run,
 * or if the file is gone.
 */
export async function readAgain(unit: UnitOfWork, old: Import, options: ReadOptions, actor: Actor): Promise<Import> {
  checkIdle(old)
  if (!readableStates.includes(old.state) || old.object_key === null)
    throw conflict('The file of an import that has run is not read again.')
  return save(unit, old, {
    given: { ...old.given, ...options },
    state: 'uploaded',
    work: workOf('read', actor, 0),
    failed: null,
    counts: null,
    chunks: [],
    values: null,
  })
}

/** Whether the stored columns belong to this mapping. */
async function isProfiled(old: Import, { kind, sheet, header_row }: Mapping): Promise<boolean> {
  const same = old.mapping?.sheet === sheet && old.mapping.header_row === header_row && old.mapping.kind === kind
  return same && (await loadColumns(old)) !== undefined
}

/** One page of a person's imports, newest first. */
export async function listImports(user: string, place: PageRequest): Promise<PageResult<Import>> {
  const pk = importLists.of(user)
  const { items, ...listed } = await readList({ partitions: [{ index: 'gsi3', pk }], counted: [pk] }, place)
  return { ...listed, results: items.map((item) => parse(importItem, item)) }
}

/** A batch, and how many of its rows wait for review. */
export type WaitingBatch = { about: Import; waiting: number }

/** The most batches that are read. */
const MOST_BATCHES = 100

/** The batches with waiting rows, oldest first. */
export async function listBatches(): Promise<WaitingBatch[]> {
  const open = await walk({ index: 'gsi1', pk: importLists.batches, forward: true, limit: MOST_BATCHES })
  const all = open.map((item) => parse(importItem, item))
  const sizes = await countWaiting(all.map(({ id }) => id))
  return all.map((about) => ({ about, waiting: sizes.get(about.id) ?? 0 })).filter(({ waiting }) => waiting > 0)
}

/** How many rows of each of these imports wait for review. */
export async function countWaiting(ids: readonly string[]): Promise<Map<string, number>> {
  const found = await getMany(countKeys(ids.map(queueLists.batch)))
  return new Map(ids.map((id) => [id, sumOf([queueLists.batch(id)], found)]))
}

/** Rows that a run would write, by the dry run. */
export const countRowsToWrite = ({ counts }: Import): number =>
  counts ? (counts.new ?? 0) + (counts.changes ?? 0) + (counts.doubtful ?? 0) : 0
