import { later, newId, now } from '../clock.ts'
import { commitWithAnswer } from '../commit.ts'
import { conflict, invalid } from '../errors.ts'
import type { Actor, Subject } from '../permissions.ts'
import { lists as queueLists } from '../records/queue-entry.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { amended, parse, put, type Write } from '../table/item.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, walk } from '../table/read.ts'
import { withNames } from './by-names.ts'
import { guessFor } from './guess.ts'
import { actorOf, type Format, type Import, importItem, lists, type State, type Task, type Work } from './items.ts'
import { type Mapping, mappingFaults } from './mapping.ts'
import { columnsOf, keepColumns, namesUnder, profile } from './read.ts'

/** Days for which the file of an import is kept, with all that was read of it. */
const KEPT_DAYS = 90
/** How long a client may take to send a file that it has announced. */
const LIFETIME_S = 24 * 3600

/** An import as rules look at it. */
export type Seen = Import & Subject
const seen = (it: Import): Seen => ({ ...it, public: false, authors: [it.contributor_id] })

export async function load(id: string): Promise<Seen | undefined> {
  const it = await get(importItem, { id })
  return it && seen(it)
}

export type Sent = { file_name: string; format: Format; size: number; sha256: string | null }

type There = { id: string; object_key: string; also: readonly Write[] }

/** Notes an import whose file lies in the bucket already, `also` with it, or is to be put there by the client. */
export async function begin(actor: Actor, sent: Sent, there?: There): Promise<Import> {
  const { id = newId(), object_key = null, also = [] } = there ?? {}
  const direct = object_key === null
  const at = now()
  const made: Import = {
    ...sent,
    id,
    contributor_id: actor.id,
    state: direct ? 'announced' : 'uploaded',
    pending_key: direct ? `uploads/imports/${id}` : null,
    object_key,
    ...{ sheets: [], told: [], mapping: null, columns: null, kind_guess: null, counts: null, chunks: [], kept: [] },
    made: { created: 0, amended: 0, left: 0, failed: 0 },
    work: direct ? null : workOf('read', actor, 0),
    failed: null,
    decided: null,
    open: false,
    files_until: later(direct ? LIFETIME_S : KEPT_DAYS * 86_400),
    created_at: at,
    updated_at: at,
    version: 1,
  }
  commitWithAnswer([put(importItem, made, undefined), ...also])
  return made
}

/** An object of a name that no client ever learns: nobody can change it. */
export const objectKey = (id: string): string => `imports/${id}/${newId()}`

/** A file that was announced is there. */
export const complete = (old: Import, actor: Actor, kept: { object_key: string; sha256: string }): Promise<Import> =>
  save(old, {
    ...kept,
    state: 'uploaded',
    pending_key: null,
    work: workOf('read', actor, 0),
    files_until: later(KEPT_DAYS * 86_400),
  })

/** What a worker is to do. */
const workOf = (task: Task, actor: Actor, of: number, more: Partial<Work> = {}): Work => ({
  task,
  by: actorOf(actor),
  decide: null,
  doubtful: 'create',
  changes: 'make',
  ...{ next: 0, done: 0, of, failures: 0 },
  held_until: now(),
  since: now(),
  ...more,
})

async function save(old: Import, changes: Partial<Import>): Promise<Import> {
  const stored = importOf(old)
  const next = amended(stored, { ...changes, updated_at: now() })
  commitWithAnswer([put(importItem, next, stored)])
  return next
}

/** An import without what rules look at beside it. */
const importOf = (it: Import): Import => parse(importItem, it)

/** From which states a task may begin. */
const begins: Readonly<Record<Task, readonly State[]>> = {
  read: [],
  check: ['read', 'checked'],
  run: ['checked'],
  decide: ['done'],
  withdraw: ['running', 'done'],
  take_back: ['done', 'withdrawn'],
}

/** Hands a task to the workers. Fails with `conflict` while another goes on, or where it has no place in this state. */
export async function order(old: Import, task: Task, actor: Actor, more: Partial<Work> = {}): Promise<Import> {
  checkIdle(old)
  if (!begins[task].includes(old.state))
    throw conflict(`An import that is ${old.state.replace('_', ' ')} cannot do this.`)
  if (task === 'check' || task === 'run') await checkMapping(old)
  const of = task === 'check' || task === 'run' ? dataRows(old) : old.made.created + old.made.amended
  const runs = task === 'run' && { state: 'running' as const, open: true }
  return save(old, {
    work: workOf(task, actor, of, more),
    failed: null,
    ...runs,
    ...(task === 'decide' && { decided: null }),
  })
}

function checkIdle({ work }: Import): void {
  if (work) throw conflict(`This import is at work (${work.task}). Wait until it is done.`)
}

/** How many rows lie below the header of the sheet that is meant. */
const dataRows = ({ sheets, mapping, counts }: Import): number =>
  counts
    ? Object.values(counts).reduce((sum, many) => sum + many, 0)
    : Math.max(0, (sheets[mapping?.sheet ?? 0]?.rows ?? 0) - (mapping?.header_row ?? 1))

async function checkMapping({ id, mapping, sheets }: Import): Promise<void> {
  if (!mapping) throw invalid({ mapping: ['Say what the columns mean.'] })
  if (!sheets[mapping.sheet]) throw invalid({ mapping: [`There is no sheet ${mapping.sheet}.`] })
  const faults = mappingFaults(mapping, await namesUnder(id, mapping.sheet, mapping.header_row))
  if (faults.length > 0) throw invalid({ mapping: faults })
}

/** Changes what the columns mean. What the dry run has said of another mapping is forgotten. */
export async function remap(old: Import, mapping: Mapping, actor: Actor): Promise<Import> {
  checkIdle(old)
  if (old.state !== 'read' && old.state !== 'checked') throw conflict('The mapping of an import that has run stays.')
  await checkMapping({ ...old, mapping })
  const columns = (await isProfiled(old, mapping)) ? old.columns : (await reguess(old, mapping, actor)).columns
  return save(old, { mapping, columns, state: 'read', counts: null, chunks: [] })
}

type Asked = Pick<Mapping, 'kind' | 'sheet' | 'header_row'>

/** Guesses anew for another kind, sheet or header. Answers the mapping, and where the columns lie that it is of. */
export async function reguess(old: Import, asked: Asked, actor: Actor): Promise<{ mapping: Mapping; columns: string }> {
  if (!old.sheets[asked.sheet]) throw invalid({ sheet: [`There is no sheet ${asked.sheet}.`] })
  const { columns } = await profile(old.id, asked.sheet, asked.header_row)
  const guessed = await withNames(guessFor(asked.kind, columns, asked), columns, actor)
  const { mapping, guesses } = guessed
  return { mapping, columns: await keepColumns(old.id, asked.sheet, { columns, guesses }) }
}

/** Whether the columns that a mapping is of are there for whoever looks. */
async function isProfiled(old: Import, { kind, sheet, header_row }: Mapping): Promise<boolean> {
  const same = old.mapping?.sheet === sheet && old.mapping.header_row === header_row && old.mapping.kind === kind
  return same && (await columnsOf(old)) !== undefined
}

/** One page of someone's imports, newest first. */
export async function list(user: string, place: PageRequest): Promise<PageResult<Import>> {
  const pk = lists.of(user)
  const { items, ...listed } = await readList({ partitions: [{ index: 'gsi3', pk }], counted: [pk] }, place)
  return { ...listed, results: items.map((item) => parse(importItem, item)) }
}

/** A batch, and how many of its rows wait for review. */
export type Batch = { about: Import; waiting: number }

/** So many batches are looked at. */
const MOST_BATCHES = 100

/** The batches of which rows wait for review, oldest first. */
export async function batches(): Promise<Batch[]> {
  const open = await walk({ index: 'gsi1', pk: lists.batches, forward: true, limit: MOST_BATCHES })
  const all = open.map((item) => parse(importItem, item))
  const sizes = await waitingOf(all.map(({ id }) => id))
  return all.map((about) => ({ about, waiting: sizes.get(about.id) ?? 0 })).filter(({ waiting }) => waiting > 0)
}

/** How many rows of these imports wait for review. */
export async function waitingOf(ids: readonly string[]): Promise<Map<string, number>> {
  const found = await getMany(countKeys(ids.map(queueLists.batch)))
  return new Map(ids.map((id) => [id, sumOf([queueLists.batch(id)], found)]))
}

/** How many rows of a table that was checked would write something. */
export const writingRows = ({ counts }: Import): number =>
  counts ? (counts.new ?? 0) + (counts.changes ?? 0) + (counts.doubtful ?? 0) : 0
