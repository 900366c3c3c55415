import * as v from 'valibot'
import { type KindKey, kinds } from '../../../lib/kinds/index.ts'
import { type Answer, type Caller, detailOf, Unsure } from './client.ts'
import { type Draft, type Fault, pathOf } from './draft.ts'
import { fieldOf } from './mappings.ts'
import { planOf, type Step } from './plan.ts'
import { accept, type Callers, createdOf, type Known, lookUp, lookUpId } from './records.ts'
import { type Report, type Result, reportOf } from './report.ts'
import { type Find, type Found, type Ready, readyOf, without } from './resolve.ts'
import type { Offered } from './rows.ts'

export type Options = {
  contributor: Caller
  /** Who accepts, and who looks for claims that only reviewers see. */
  reviewer?: Caller | undefined
  accept?: boolean
  lenient?: boolean
  concurrency?: number
  signal?: AbortSignal | undefined
  advance?: () => void
  sleep?: (ms: number) => Promise<void>
}

/**
 * Sends rows to the service, each after those that it names, and tells what became of every one. What is there already
 * is left alone. Never fails for a row: a row that is refused or fails says why. Stops when the signal says so.
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

const MOST_TRIES = 6

function runOf(byId: ReadonlyMap<string, Step>, options: Options) {
  const { contributor, reviewer, lenient = false, signal, sleep = pause } = options
  const callers: Callers = { contributor, reviewer }
  const results = new Map<Step, PromiseWithResolvers<Result>>()
  const made = new Map<Step, Known>()
  const remembered = new Map<string, Promise<Known | undefined>>()
  let lane: Promise<unknown> = Promise.resolve()

  const settled = (step: Step) => {
    const known = results.get(step) ?? Promise.withResolvers<Result>()
    results.set(step, known)
    return known
  }

  const perform = async (step: Step): Promise<void> => {
    const result = await resultOf(step).catch((error: unknown): Result => {
      if (signal?.aborted) return blank(step, 'not_reached', [])
      return blank(step, 'failed', [{ member: '', reason: error instanceof Error ? error.message : String(error) }])
    })
    settled(step).resolve(result)
  }

  const resultOf = async (step: Step): Promise<Result> => {
    if (signal?.aborted) return blank(step, 'not_reached', [])
    if (step.faults.length > 0 || !step.draft) return blank(step, 'refused', step.faults)
    const ready = await readyOf(step.draft, findFor(step))
    if (Array.isArray(ready)) return blank(step, 'refused', ready)
    const there = await lookUp(step.draft, ready, callers)
    if (there) return reviewed(step, there, blank(step, 'already_there', []), there.waits)
    // Of two rows that name one thing nobody has made yet, the second must find what the first made.
    const sent = ready.names.length > 0 ? inLane(() => create(step.draft, ready)) : create(step.draft, ready)
    const outcome = await sent
    if (Array.isArray(outcome)) return blank(step, 'refused', outcome)
    return reviewed(step, outcome.known, { ...blank(step, 'created', []), asides: outcome.ready.asides }, true)
  }

  const inLane = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lane.then(work)
    lane = turn.catch(() => undefined)
    return turn
  }

  const create = async (
    draft: Draft | undefined,
    ready: Ready,
    tries = 1,
  ): Promise<{ known: Known; ready: Ready } | Fault[]> => {
    if (!draft) return []
    const reply = await contributor.post(pathOf(draft.kind.key), ready.body).catch((error: unknown) => {
      if (error instanceof Unsure && tries < MOST_TRIES) return error
      throw error
    })
    if (reply instanceof Unsure || (reply.status === 409 && tries < MOST_TRIES)) {
      await sleep(100 * 2 ** tries)
      const known = await lookUp(draft, ready, callers)
      return known ? { known, ready } : create(draft, ready, tries + 1)
    }
    if (reply.status < 300) return { known: createdOf(draft.kind, reply), ready }
    if (![400, 413, 422].includes(reply.status)) throw new Error(`${reply.status} ${detailOf(reply.body)}`)
    const milder = lenient ? withoutOptions(draft, ready, reply) : undefined
    return milder ? create(draft, milder, tries) : faultsOf(draft, ready, reply)
  }

  const reviewed = async (step: Step, known: Known, result: Result, waits: boolean): Promise<Result> => {
    made.set(step, known)
    const record = { kind: known.kind.key, id: known.id, ...(known.review && { entity_id: known.review }) }
    if (!options.accept || !waits) return { ...result, record }
    const reason = await accepted(known)
    if (reason === undefined) return { ...result, record, accepted: 'yes' }
    return { ...result, record, accepted: 'failed', reasons: [{ member: '', reason }] }
  }

  const accepted = async (known: Known, tries = 1): Promise<string | undefined> => {
    const reason = await accept(known, callers).catch((error: unknown) => {
      if (error instanceof Unsure) return `409 ${error.message}`
      return error instanceof Error ? error.message : String(error)
    })
    if (reason === undefined || !reason.startsWith('409') || tries >= MOST_TRIES) return reason
    await sleep(100 * 2 ** tries)
    return accepted(known, tries + 1)
  }

  /** A row's id is that of an earlier row of this run, else of a record that an earlier run made. */
  const findFor =
    (step: Step): Find =>
    async (ids, among) => {
      for (const id of ids.filter(Boolean)) {
        const other = byId.get(id)
        if (other && other.position < step.position) {
          await settled(other).promise
          const known = made.get(other)
          if (known) return foundOf(known)
        } else if (!other) {
          const known = await remember(id, among)
          if (known) return foundOf(known)
        }
      }
      return undefined
    }

  const remember = async (id: string, among: readonly KindKey[]): Promise<Known | undefined> => {
    for (const kind of among) {
      const place = `${kind} ${id}`
      const asked = remembered.get(place) ?? lookUpId(kinds[kind], id, callers)
      remembered.set(place, asked)
      const known = await asked
      if (known) return known
    }
    return undefined
  }

  return { perform, finished: (step: Step) => settled(step).promise }
}

const foundOf = ({ kind, id, name }: Known): Found => ({ kind: kind.key, id, name })

const FieldErrors = v.record(v.string(), v.union([v.array(v.string()), v.string()]))

/** The row without the values that are in no controlled list; undefined when something else was refused, too. */
function withoutOptions(draft: Draft, ready: Ready, reply: Answer): Ready | undefined {
  const errors = v.safeParse(FieldErrors, reply.body)
  if (!errors.success) return undefined
  const fields = Object.entries(errors.output)
  if (fields.length === 0 || !fields.every(([member]) => fieldOf(draft.kind, member)?.type === 'select'))
    return undefined
  return fields.reduce((it, [member, said]) => without(it, member, draft, String(said)), ready)
}

function faultsOf(draft: Draft, { body }: Ready, reply: Answer): Fault[] {
  const errors = v.safeParse(FieldErrors, reply.body)
  if (!errors.success) return [{ member: '', reason: `${reply.status} ${detailOf(reply.body)}` }]
  return Object.entries(errors.output).map(([field, said]) => {
    const value = body[field]
    const sent = typeof value === 'string' && value.length <= 80 ? ` ${JSON.stringify(value)}` : ''
    return { member: `${draft.origins.get(field) ?? field}${sent}`, reason: [said].flat().join(' ') }
  })
}

function blank({ offered }: Step, outcome: Result['outcome'], reasons: Fault[]): Result {
  const { file, line } = offered
  const [id, kind] = 'row' in offered ? [offered.row.id, offered.row.kind] : ['', '']
  return { file, line, id, kind, outcome, reasons, asides: [] }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
