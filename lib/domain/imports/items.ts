import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { type Actor, keyScopes, ranks } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { storedOwnership } from '../../platform/users/users.ts'
import { kindKeys } from '../kinds/index.ts'
import { builtReasons } from '../records/built-reasons.ts'
import { handlings } from '../records/rules/verdicts.ts'
import { Mapping } from './mapping.ts'
import { delimiterNames, encodings, ReadOptions } from './options.ts'

/** The states of an import. The task that runs is stored apart, in `work`. */
export const importStates = [
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
export type ImportState = (typeof importStates)[number]

/** The tasks of the worker. An import has at most one at a time. */
export const tasks = ['read', 'check', 'run', 'decide', 'withdraw', 'take_back'] as const
export type Task = (typeof tasks)[number]

/** The result of the dry run for a row: what the run would do with it. */
export const outcomes = ['new', 'same', 'changes', 'doubtful', 'conflict', 'refused'] as const
export type RowOutcome = (typeof outcomes)[number]
const OutcomeCounts = v.record(v.picklist(outcomes), v.number())
export type OutcomeCounts = Record<RowOutcome, number>

export const importFormats = ['csv', 'tsv', 'xlsx', 'ods', 'jsonl'] as const
export type ImportFormat = (typeof importFormats)[number]

const Sheet = v.object({
  name: v.string(),
  hidden: v.boolean(),
  /** Rows that are not empty, with the header. */
  rows: v.number(),
  columns: v.number(),
  /** Cells with formulas. Of these the last value is read. */
  formulas: v.number(),
  /** Cells with formulas whose value the file does not hold. */
  formulas_without_values: v.optional(v.number(), 0),
  /** Merged ranges of cells. */
  merged: v.number(),
  /** Merged ranges over several rows, whose value was put into each of these rows. */
  filled_down: v.optional(v.number(), 0),
  /** Whether rows are hidden in the workbook, by hand or by a filter. They are read all the same. */
  hides_rows: v.optional(v.boolean(), false),
  /** The columns that are hidden in the workbook, from 1. They are read all the same. */
  hidden_columns: v.optional(v.array(v.number()), []),
  /** Whether the workbook may show numbers with zeros in front, which their cells do not hold. */
  pads_numbers: v.optional(v.boolean(), false),
})
export type Sheet = v.InferOutput<typeof Sheet>

const BatchVerdict = v.object({
  verdict: v.picklist(['accept', 'reject', 'request_changes']),
  feedback: v.string(),
  /** Only these rows; all rows if the list is empty. */
  rows: v.array(v.number()),
  /** Only rows with flags, or only rows without; null means both. */
  flagged: v.nullable(v.boolean()),
  /** Only rows with this outcome in the dry run. */
  outcome: v.optional(v.nullable(v.picklist(outcomes)), null),
  /** How contradictions are settled. With `not_applicable`, records with a contradiction are left. */
  conflict_handling: v.optional(v.picklist(handlings), 'not_applicable'),
})
export type BatchVerdict = v.InferOutput<typeof BatchVerdict>

/**
 * Why a record is left: what others have built on it. `changed`: it has another revision since. `named_by_kept`: a record of
 * the same import that stays links to it. `forgotten`: the files of the import, which say how it was before, are deleted.
 */
const keptReasons = [...builtReasons, 'changed', 'named_by_kept', 'forgotten'] as const
export type KeptReason = (typeof keptReasons)[number]

/** The result of a verdict on a batch. `reasons` are the first different reasons why records were left. */
const BatchResult = v.object({ records: v.number(), left: v.number(), reasons: v.array(v.string()) })
export type BatchResult = v.InferOutput<typeof BatchResult>

/** The number of records that went and that stayed, and the first that stayed, with reasons. `rows`: as in the task. */
const UndoResult = v.object({
  preview: v.boolean(),
  rows: v.array(v.number()),
  goes: v.number(),
  stays: v.number(),
  records: v.array(
    v.object({ row: v.number(), entity_id: v.string(), name: v.string(), reasons: v.array(v.picklist(keptReasons)) }),
  ),
})
export type UndoResult = v.InferOutput<typeof UndoResult>

const TaskState = v.object({
  task: v.picklist(tasks),
  by: v.object({
    id: v.string(),
    username: v.string(),
    email: v.string(),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    rank: v.nullable(v.picklist(ranks)),
    ownership: storedOwnership,
    /** The API key of a program. Its claims carry the key's name. */
    key: v.exactOptional(v.object({ id: v.string(), name: v.string(), scopes: v.array(v.picklist(keyScopes)) })),
  }),
  decide: v.optional(v.nullable(BatchVerdict), null),
  /** Of a run: whether doubtful rows make records. */
  doubtful: v.optional(v.picklist(['create', 'skip']), 'create'),
  /** Of a run: whether rows change records. */
  changes: v.optional(v.picklist(['make', 'leave']), 'make'),
  /** Of taking back: only these rows; all rows if the list is empty. */
  rows: v.optional(v.array(v.number()), []),
  /** Of taking back: whether it only says what would go and what would stay. */
  preview: v.optional(v.boolean(), false),
  /** Where the task continues. For `run`: the next chunk. For `decide`: the row after which to go on. Otherwise 0 until `of` is counted, then 1. */
  next: v.number(),
  done: v.number(),
  of: v.number(),
  failures: v.number(),
  /** How many workers took the task since its last progress. It is raised before the work, so a task that kills its workers ends. */
  takes: v.optional(v.number(), 0),
  /** The end of the lease. */
  held_until: v.string(),
  since: v.string(),
})
export type TaskState = v.InferOutput<typeof TaskState>

export const Import = v.object({
  id: v.string(),
  contributor_id: v.string(),
  ownership: storedOwnership,
  file_name: v.string(),
  format: v.picklist(importFormats),
  size: v.number(),
  sha256: v.nullable(v.string()),
  state: v.picklist(importStates),
  /** The key to which the client posts an announced file. */
  pending_key: v.nullable(v.string()),
  /** The key of the service's own copy of the file. */
  object_key: v.nullable(v.string()),
  sheets: v.array(Sheet),
  /** The options of reading that the sender gave. */
  given: v.optional(ReadOptions, {}),
  /** How a table in text was read; null for workbooks and JSON Lines. */
  delimiter: v.optional(v.nullable(v.picklist(delimiterNames)), null),
  encoding: v.optional(v.nullable(v.picklist(encodings)), null),
  /** Remarks for the sender on how the file was read. Example: "The workbook has 3 sheets: ...". */
  told: v.array(v.string()),
  mapping: v.nullable(Mapping),
  /** The name under which the columns of the chosen sheet are stored; null for old imports. */
  columns: v.optional(v.nullable(v.string()), null),
  /** The name under which the different values of its columns are stored; null before the dry run. */
  values: v.optional(v.nullable(v.string()), null),
  kind_guess: v.nullable(v.picklist(kindKeys)),
  /** Rows by outcome of the dry run; null before it. */
  counts: v.nullable(OutcomeCounts),
  /** Rows by outcome, for each chunk of rows. */
  chunks: v.array(OutcomeCounts),
  /** The results of the run: rows that made a record, changed a record, were left, or failed. */
  made: v.object({ created: v.number(), amended: v.number(), left: v.number(), failed: v.number() }),
  /** Ids of records that were left when the batch was taken back. `undo` has the reasons. */
  kept: v.array(v.string()),
  /** What the last taking back or withdrawal has undone, or what a preview would undo. */
  undo: v.optional(v.nullable(UndoResult), null),
  /** The result of the last verdict on the batch. */
  decided: v.optional(v.nullable(BatchResult), null),
  work: v.nullable(TaskState),
  failed: v.nullable(v.string()),
  /** Whether rows of it may wait for review. */
  open: v.boolean(),
  /** When its files are deleted; null after that. */
  files_until: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Import = v.InferOutput<typeof Import>

/** The index partitions of imports. */
export const importLists = {
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
    gsi3: { pk: importLists.of(it.contributor_id), sk: `${it.created_at}#${it.id}` },
    ...(it.work && { gsi2: { pk: importLists.atWork, sk: `${it.work.since}#${it.id}` } }),
    ...(it.open && { gsi1: { pk: importLists.batches, sk: `${it.created_at}#${it.id}` } }),
    ...(it.files_until && { gsi4: { pk: importLists.files, sk: `${it.files_until}#${it.id}` } }),
  }),
  counted: (it) => [importLists.of(it.contributor_id)],
})

/** The mark of a row that has made or changed records. Mark and records are one transaction, so no row does this twice. */
const RowMark = v.object({
  import_id: v.string(),
  row: v.number(),
  entity_id: v.string(),
  what: v.picklist(['created', 'amended']),
  /** Further records that the row made by naming them. */
  named: v.array(v.string()),
  version: v.literal(1),
})
export type RowMark = v.InferOutput<typeof RowMark>
export const rowMark = defineItem({
  type: 'import_row',
  schema: RowMark,
  key: (it: { import_id: string; row: number }) => key.importRow(it.import_id, it.row),
})

const StoredMapping = v.object({
  user_id: v.string(),
  name: v.string(),
  mapping: Mapping,
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type StoredMapping = v.InferOutput<typeof StoredMapping>
export const mappingItem = defineItem({
  type: 'import_mapping',
  schema: StoredMapping,
  key: (it: { user_id: string; name: string }) => key.importMapping(it.user_id, it.name),
})

export const zeroCounts = (): OutcomeCounts => ({ new: 0, same: 0, changes: 0, doubtful: 0, conflict: 0, refused: 0 })
export function addCounts(a: OutcomeCounts, b: OutcomeCounts): OutcomeCounts {
  const sum = zeroCounts()
  for (const it of outcomes) sum[it] = a[it] + b[it]
  return sum
}

/** The caller as a task stores it. The worker acts for this person. */
export const storedActor = ({ id, username, email, is_staff, is_superuser, rank, ownership = 1, key }: Actor) => ({
  id,
  username,
  email,
  is_staff,
  is_superuser,
  rank,
  ownership,
  ...(key && { key: { ...key, scopes: [...key.scopes] } }),
})
