import * as v from 'valibot'
import { kindKeys } from '../kinds/index.ts'
import { type Actor, keyScopes, ranks } from '../permissions.ts'
import { handlings } from '../records/rules/verdicts.ts'
import { defineItem } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { Mapping } from './mapping.ts'

/** Where an import stands. What is done to it at the moment, its task, is told beside it. */
export const states = [
  'announced',
  'uploaded',
  'read',
  'checked',
  'running',
  'done',
  'failed',
  'withdrawn',
  'taken_back',
] as const
export type State = (typeof states)[number]

/** What a worker does to an import. */
export const tasks = ['read', 'check', 'run', 'decide', 'withdraw', 'take_back'] as const
export type Task = (typeof tasks)[number]

/** What the dry run says of a row. */
export const outcomes = ['new', 'same', 'changes', 'doubtful', 'conflict', 'refused'] as const
export type Outcome = (typeof outcomes)[number]
const Counts = v.record(v.picklist(outcomes), v.number())
export type Counts = Record<Outcome, number>

export const formats = ['csv', 'tsv', 'xlsx', 'jsonl'] as const
export type Format = (typeof formats)[number]

const Sheet = v.object({
  name: v.string(),
  hidden: v.boolean(),
  /** Rows that say something, the header among them. */
  rows: v.number(),
  columns: v.number(),
  /** Cells of which only the value that a formula had is read, and cells that were merged with others. */
  formulas: v.number(),
  merged: v.number(),
})
export type Sheet = v.InferOutput<typeof Sheet>

/** How a batch is decided on. */
export const Decide = v.object({
  verdict: v.picklist(['accept', 'reject', 'request_changes']),
  feedback: v.string(),
  /** Only these rows; all where it is empty. */
  rows: v.array(v.number()),
  /** Only rows with flags, or without. */
  flagged: v.nullable(v.boolean()),
  /** Only rows of which the dry run said this. */
  outcome: v.optional(v.nullable(v.picklist(outcomes)), null),
  /** How contradictions with what stands are settled; what holds one is left where this does not say. */
  conflict_handling: v.optional(v.picklist(handlings), 'not_applicable'),
})
export type Decide = v.InferOutput<typeof Decide>

/** What came of a verdict on a batch; `reasons` are the first different ones for which records were left. */
const Decided = v.object({ records: v.number(), left: v.number(), reasons: v.array(v.string()) })
export type Decided = v.InferOutput<typeof Decided>

const Work = v.object({
  task: v.picklist(tasks),
  by: v.object({
    id: v.string(),
    username: v.string(),
    email: v.string(),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    rank: v.nullable(v.picklist(ranks)),
    /** The key of a machine, whose name its claims carry. */
    key: v.exactOptional(v.object({ id: v.string(), name: v.string(), scopes: v.array(v.picklist(keyScopes)) })),
  }),
  decide: v.optional(v.nullable(Decide), null),
  /** What the run does with rows that look like something known. */
  doubtful: v.optional(v.picklist(['create', 'skip']), 'create'),
  /** What it does with rows that change a record. */
  changes: v.optional(v.picklist(['make', 'leave']), 'make'),
  /** The row with which it goes on. */
  next: v.number(),
  done: v.number(),
  of: v.number(),
  failures: v.number(),
  /** Until then it belongs to whoever has taken it. */
  held_until: v.string(),
  since: v.string(),
})
export type Work = v.InferOutput<typeof Work>

export const Import = v.object({
  id: v.string(),
  contributor_id: v.string(),
  file_name: v.string(),
  format: v.picklist(formats),
  size: v.number(),
  sha256: v.nullable(v.string()),
  state: v.picklist(states),
  /** Where the client puts a file that was announced; where what was taken of it lies. */
  pending_key: v.nullable(v.string()),
  object_key: v.nullable(v.string()),
  sheets: v.array(Sheet),
  /** What was decided about the file without being asked, for its sender to read. */
  told: v.array(v.string()),
  mapping: v.nullable(Mapping),
  /** Where the columns of the sheet that is meant lie; null of imports from before this was said. */
  columns: v.optional(v.nullable(v.string()), null),
  kind_guess: v.nullable(v.picklist(kindKeys)),
  /** Of the dry run: what came out, of all and of each chunk of rows. */
  counts: v.nullable(Counts),
  chunks: v.array(Counts),
  /** Of the run: rows that made a record, that changed one, that were left, that failed. */
  made: v.object({ created: v.number(), amended: v.number(), left: v.number(), failed: v.number() }),
  /** Records that were left as they are when the batch was taken back: somebody has changed them since. */
  kept: v.array(v.string()),
  /** What came of the last verdict: how many records were decided on, how many were left, and why. */
  decided: v.optional(v.nullable(Decided), null),
  work: v.nullable(Work),
  /** Why it failed. */
  failed: v.nullable(v.string()),
  /** Its rows may wait for review. */
  open: v.boolean(),
  /** When the file goes; null once it is gone. */
  files_until: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Import = v.InferOutput<typeof Import>

/** Lists of imports. */
export const lists = {
  of: (user: string) => `IMPORT#OF#${user}`,
  atWork: 'IMPORT#AT_WORK',
  batches: 'IMPORT#BATCH',
  files: 'IMPORT#FILES',
}

export const importItem = defineItem({
  type: 'import',
  schema: Import,
  key: (it: { id: string }) => key.import(it.id),
  indexes: (it) => ({
    gsi3: { pk: lists.of(it.contributor_id), sk: `${it.created_at}#${it.id}` },
    ...(it.work && { gsi2: { pk: lists.atWork, sk: `${it.work.since}#${it.id}` } }),
    ...(it.open && { gsi1: { pk: lists.batches, sk: `${it.created_at}#${it.id}` } }),
    ...(it.files_until && { gsi4: { pk: lists.files, sk: `${it.files_until}#${it.id}` } }),
  }),
  counted: (it) => [lists.of(it.contributor_id)],
})

/** What a row has made, written in the transaction that makes it: so no row is run twice. */
const Made = v.object({
  import_id: v.string(),
  row: v.number(),
  entity_id: v.string(),
  what: v.picklist(['created', 'amended']),
  /** Further records that it has made because it names them. */
  named: v.array(v.string()),
  version: v.literal(1),
})
export type Made = v.InferOutput<typeof Made>
export const madeItem = defineItem({
  type: 'import_row',
  schema: Made,
  key: (it: { import_id: string; row: number }) => key.importRow(it.import_id, it.row),
})

const Kept = v.object({
  user_id: v.string(),
  name: v.string(),
  mapping: Mapping,
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type KeptMapping = v.InferOutput<typeof Kept>
export const mappingItem = defineItem({
  type: 'import_mapping',
  schema: Kept,
  key: (it: { user_id: string; name: string }) => key.importMapping(it.user_id, it.name),
})

export const noCounts = (): Counts => ({ new: 0, same: 0, changes: 0, doubtful: 0, conflict: 0, refused: 0 })
export function addCounts(a: Counts, b: Counts): Counts {
  const sum = noCounts()
  for (const it of outcomes) sum[it] = a[it] + b[it]
  return sum
}

/** A caller as a task remembers them. */
export const actorOf = ({ id, username, email, is_staff, is_superuser, rank, key }: Actor) => ({
  ...{ id, username, email, is_staff, is_superuser, rank },
  ...(key && { key: { ...key, scopes: [...key.scopes] } }),
})
