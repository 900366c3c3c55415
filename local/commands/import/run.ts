import { type Caller, Gone } from './client.ts'
import type { Fault } from './draft.ts'
import { memoryOf } from './memory.ts'
import { type ImportStep, planOf } from './plan.ts'
import { type Known, lookUp, reportName } from './records.ts'
import { type Report, type Result, reportOf } from './report.ts'
import { type Find, type Found, readyOf } from './resolve.ts'
import type { Offered } from './rows.ts'
import { acceptRecord, type Sending, sendRecord } from './send.ts'

export type Options = {
  contributor: Caller
  /** Accepts records, and reads claims that only reviewers see. */
  reviewer?: Caller | undefined
  accept?: boolean
  lenient?: boolean
  concurrency?: number
  signal?: AbortSignal | undefined
  advance?: () => void
  /** Called when the service has stopped answering. The other rows are not sent. */
  lost?: (error: Gone) => void
  sleep?: (ms: number) => Promise<void>
  /** The records of rows that were sent before this run. */
  known?: (ids: readonly string[]) => Found | undefined
}

/**
 * Sends rows to the service, each after those that it names. Returns what became of every row. Existing records are left alone. A row
 * never fails the run: the report says why it was refused or failed. Stops when the signal says so.
 */
export async function importRows(offered: readonly Offered[], options: Options): Promise<Report> {
  const plan = planOf(offered, { lenient: options.lenient ?? false })
  const run = runOf(plan.byId, options)
  const queue = plan.steps.values()
  const worker = async () => {
    for (const step of queue) {
      await Promise.all(step.needs.map((other) => run.finished(other)))
      await run.perform(step)
      options.advance?.()
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 8 }, worker))
  const results = await Promise.all(plan.steps.map((step) => run.finished(step)))
  const order = new Map(offered.map((one, index) => [`${one.file}:${one.line}`, index]))
  const place = ({ file, line }: Result) => order.get(`${file}:${line}`) ?? 0
  return reportOf(results.sort((a, b) => place(a) - place(b)))
}

/** One run: sends each row once, and holds its result. */
function runOf(byId: ReadonlyMap<string, ImportStep>, options: Options) {
  const { contributor, reviewer, lenient = false, signal, sleep = pause } = options
  const sending: Sending = { callers: { contributor, reviewer }, lenient, sleep }
  const results = new Map<ImportStep, PromiseWithResolvers<Result>>()
  const resultFor = (step: ImportStep) => {
    const known = results.get(step) ?? Promise.withResolvers<Result>()
    results.set(step, known)
    return known
  }
  let lost = false
  const lose = (error: Gone) => {
    lost = true
    options.lost?.(error)
  }
  const finished = (step: ImportStep) => resultFor(step).promise
  const memory = memoryOf(byId, sending.callers, finished)
  const findFor =
    (step: ImportStep): Find =>
    async (ids, among) =>
      options.known?.(ids) ?? memory.findFor(step)(ids, among)
  const oneAtATime = lane()

  const perform = async (step: ImportStep): Promise<void> => {
    const result = await resultOf(step).catch((error: unknown): Result => {
      if (error instanceof Gone) lose(error)
      if (signal?.aborted) return blank(step, 'not_reached', [])
      return blank(step, 'failed', [{ member: '', reason: error instanceof Error ? error.message : String(error) }])
    })
    resultFor(step).resolve(result)
  }

  const resultOf = async (step: ImportStep): Promise<Result> => {
    const { draft } = step
    if (signal?.aborted || lost) return blank(step, 'not_reached', [])
    if (step.faults.length > 0 || !draft) return blank(step, 'refused', step.faults)
    const ready = await readyOf(draft, findFor(step))
    if (Array.isArray(ready)) return blank(step, 'refused', ready)
    const there = await lookUp(draft, ready, sending.callers)
    if (there) return reviewed(step, there, blank(step, 'already_there', []), there.waits)
    // Two rows may name one thing that does not exist yet. One at a time, the second finds what the first made.
    const send = () => sendRecord(draft, ready, sending)
    const outcome = await (ready.names.length > 0 ? oneAtATime(send) : send())
    if (Array.isArray(outcome)) return blank(step, 'refused', outcome)
    return reviewed(step, outcome.known, { ...blank(step, 'created', []), asides: outcome.ready.asides }, true)
  }

  const reviewed = async (step: ImportStep, known: Known, result: Result, waits: boolean): Promise<Result> => {
    memory.remember(step, known)
    const record = reportName(known)
    if (!options.accept || !waits) return { ...result, record }
    const reason = await acceptRecord(known, sending)
    if (reason === undefined) return { ...result, record, accepted: 'yes' }
    return { ...result, record, accepted: 'failed', reasons: [{ member: '', reason }] }
  }

  return { perform, finished }
}

/** Returns a function that runs each work after the one before has ended. */
function lane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

export function blank({ offered }: ImportStep, outcome: Result['outcome'], reasons: Fault[]): Result {
  const { file, line } = offered
  const [id, kind] = 'row' in offered ? [offered.row.id, offered.row.kind] : ['', '']
  return { file, line, id, kind, outcome, reasons, asides: [] }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
