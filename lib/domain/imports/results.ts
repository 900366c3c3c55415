import * as v from 'valibot'
import { CellDoubt, ReadDate } from './doubts.ts'
import { outcomes } from './items.ts'
import { CellFault } from './rows.ts'
import { getChunk, putChunk } from './store.ts'

const RowLookAlike = v.object({
  entity_id: v.nullable(v.string()),
  row: v.nullable(v.number()),
  name: v.string(),
  how: v.picklist(['same_identity', 'same_name', 'close']),
  likeness: v.number(),
})
const Change = v.object({ field: v.string(), from: v.string(), to: v.string() })

/** What the dry run says about a row. */
export const RowResult = v.object({
  row: v.number(),
  outcome: v.picklist(outcomes),
  name: v.string(),
  /** The record that the row is about. */
  entity_id: v.nullable(v.string()),
  faults: v.array(CellFault),
  /** What is doubtful in its cells, and its dates as they were understood. */
  doubts: v.optional(v.array(CellDoubt), []),
  dates: v.optional(v.array(ReadDate), []),
  alike: v.array(RowLookAlike),
  changes: v.array(Change),
  /** Fields that somebody else has changed since the table was made. */
  conflicts: v.array(Change),
  /** Records that the row would make by naming them. */
  makes: v.array(v.object({ kind: v.string(), name: v.string() })),
})
export type RowResult = v.InferOutput<typeof RowResult>

/** What the run did with a row. */
export const RunResult = v.object({
  row: v.number(),
  what: v.picklist(['created', 'amended', 'left', 'failed']),
  entity_id: v.nullable(v.string()),
  reason: v.string(),
})
export type RunResult = v.InferOutput<typeof RunResult>

const [Results, Runs] = [v.array(RowResult), v.array(RunResult)]
export const storeResults = (id: string, chunk: number, results: readonly RowResult[]) =>
  putChunk(id, 'check', chunk, results)
export const loadResults = async (id: string, chunk: number): Promise<RowResult[]> =>
  (await getChunk(Results, id, 'check', chunk)) ?? []
export const storeRuns = (id: string, chunk: number, results: readonly RunResult[]) =>
  putChunk(id, 'run', chunk, results)
export const loadRuns = async (id: string, chunk: number): Promise<RunResult[]> =>
  (await getChunk(Runs, id, 'run', chunk)) ?? []
