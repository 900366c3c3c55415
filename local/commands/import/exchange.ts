import * as v from 'valibot'
import { type Kind, kinds, schemaOf } from '../../../lib/domain/kinds/index.ts'
import { batchesOf, sideBySide, type TableBatch } from './batches.ts'
import { type Answer, type Caller, Gone } from './client.ts'
import { type AnsweredRow, type Desk, doubtsOf, type Import, NotTaken, type Wishes } from './desk.ts'
import type { Draft, Fault } from './draft.ts'
import { fieldNamed } from './mappings.ts'
import { memoryOf } from './memory.ts'
import { type ImportStep, type Plan, planOf } from './plan.ts'
import { type Known, reportName } from './records.ts'
import { type Report, type Result, reportOf } from './report.ts'
import { type Find, type Ready, readyOf } from './resolve.ts'
import type { Offered } from './rows.ts'
import { blank, importRows } from './run.ts'
import { acceptRecord, refusedMembers, withoutOptions } from './send.ts'

export type Options = {
  desk: Desk
  contributor: Caller
  reviewer: Caller | undefined
  accept: boolean
  lenient: boolean
  concurrency: number
  wishes: Wishes
  signal: AbortSignal
  sleep: (ms: number) => Promise<void>
  /** Called with the number of rows that are accounted for. */
  advance: (rows: number) => void
  lost: (error: Gone) => void
}

/**
 * Sends the rows of exchange files, which may be of any kind and name one another. Returns what became of every row.
 *
 * 1. Registered sources are sent one by one, since they are no records.
 * 2. Records are sent as one table for each kind, several at once. Tables that others name go first.
 * 3. Claims are sent one by one, after the records that they are about.
 */
export async function importExchange(offered: readonly Offered[], options: Options): Promise<Report> {
  const plan = planOf(offered, { lenient: options.lenient })
  const { batches, before, refused } = batchesOf(plan)
  const results = new Map<Offered, Result>()
  const settle = (step: ImportStep, result: Result) => {
    results.set(step.offered, result)
    options.advance(results.size)
  }
  for (const step of refused) settle(step, blank(step, 'refused', step.faults))
  await untilStopped(options, async () => {
    const scene = sceneOf(plan, options)
    await alone(before, scene, options, settle)
    await sideBySide(batches, {
      make: async (batch) => (batch.kind.record ? makeBatch(batch, scene, options, settle) : undefined),
      // A claim is accepted at once, so the record that it is about must be accepted before: hence in `end`, not in `make`.
      end: (batch, made) =>
        batch.kind.record ? endBatch(made, options, settle) : alone(batch.steps, scene, options, settle),
    })
  })
  return reportOf(offered.map((one) => results.get(one) ?? notReached(one)))
}

/** Runs `work`. Returns early, without an error, when the signal stops it or the service is gone. */
export async function untilStopped(
  { signal, lost }: Pick<Options, 'signal' | 'lost'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Gone) lost(error)
    else if (!signal.aborted) throw error
  }
}

type Settle = (step: ImportStep, result: Result) => void

function notReached(one: Offered): Result {
  const [id, kind] = 'row' in one ? [one.row.id, one.row.kind] : ['', '']
  return { file: one.file, line: one.line, id, kind, outcome: 'not_reached', reasons: [], asides: [] }
}

/** Sends rows that are no records, one by one. A dry run leaves them out. */
async function alone(
  steps: readonly ImportStep[],
  { knownHere }: Scene,
  options: Options,
  settle: Settle,
): Promise<void> {
  options.signal.throwIfAborted()
  if (steps.length === 0) return
  if (options.wishes.dryRun) {
    for (const step of steps) settle(step, blank(step, 'not_reached', [{ member: '', reason: NOT_TRIED }]))
    return
  }
  const { rows } = await importRows(
    steps.map(({ offered }) => offered),
    { ...options, known: knownHere, advance: () => undefined },
  )
  const byPlace = new Map(rows.map((row) => [`${row.file}:${row.line}`, row]))
  for (const step of steps) {
    const row = byPlace.get(`${step.offered.file}:${step.offered.line}`)
    if (row) settle(step, row)
  }
}

const NOT_TRIED = 'Only records are tried: this goes by itself, once the records are there.'

type Scene = { findFor: (step: ImportStep) => Find } & Pick<ReturnType<typeof memoryOf>, 'knownHere' | 'remember'>

/** Finds records that rows name, of this run or an earlier one. In a dry run, records of this run have only a name. */
function sceneOf({ byId }: Plan, { contributor, reviewer, wishes }: Options): Scene {
  const memory = memoryOf(byId, { contributor, reviewer }, async () => undefined)
  const named = (ids: readonly string[]) => {
    const other = ids.flatMap((id) => byId.get(id) ?? [])[0]
    if (!other?.draft) return undefined
    const name = String(other.draft.row.name ?? '')
    return { kind: other.draft.kind.key, id: name, name }
  }
  return {
    remember: memory.remember,
    knownHere: memory.knownHere,
    findFor: (step) => async (ids, among) =>
      (await memory.findFor(step)(ids, among)) ?? (wishes.dryRun ? named(ids) : undefined),
  }
}

type Line = { step: ImportStep; draft: Draft; ready: Ready }

/** A table that the service has run, with the rows that were sent and what became of them. */
type MadeTable = { ran: Import; lines: readonly Line[]; rows: readonly AnsweredRow[] }

/** Sends a table. Its records can be named by later tables. Undefined if no row was sent, or the service refused the table. */
async function makeBatch(
  { kind, steps }: TableBatch,
  scene: Scene,
  { desk, wishes, lenient }: Options,
  settle: Settle,
): Promise<MadeTable | undefined> {
  const lines: Line[] = []
  for (const step of steps) {
    const line = await lineOf(step, scene, lenient)
    if ('faults' in line) settle(step, blank(step, 'refused', line.faults))
    else lines.push(line)
  }
  if (lines.length === 0) return undefined
  const ran = await desk.take(tableOf(kind, lines), wishes).catch((error: unknown) => {
    if (error instanceof NotTaken) return error
    throw error
  })
  if (ran instanceof NotTaken) {
    for (const { step } of lines) settle(step, blank(step, 'failed', [{ member: '', reason: ran.message }]))
    return undefined
  }
  const rows = await desk.rows(ran)
  for (const row of rows) {
    const line = lineAt(lines, row)
    const known = line && knownAs(line, row)
    if (known) scene.remember(line.step, known)
  }
  return { ran, lines, rows }
}

/** Accepts the records of a table, if `accept` is set, and reports what became of each row. */
async function endBatch(made: MadeTable | undefined, options: Options, settle: Settle): Promise<void> {
  if (!made) return
  const { desk, accept, wishes } = options
  const decides = accept && !wishes.dryRun
  if (decides) await desk.accept(made.ran)
  for (const row of decides ? await desk.rows(made.ran) : made.rows) {
    const line = lineAt(made.lines, row)
    if (line)
      settle(line.step, {
        ...(await resultOf(line, row, options)),
        doubts: doubtsOf(withIds(row, made.lines), made.ran),
      })
  }
}

/** The look-alikes of a row by the ids of the offered rows: the rows of a table have other numbers than the lines of a file. */
const withIds = (row: AnsweredRow, lines: readonly Line[]): AnsweredRow => ({
  ...row,
  alike: row.alike.map((each) => {
    const other = each.row === null ? undefined : lineAt(lines, { row: each.row })
    return other ? { ...each, row: null, name: other.draft.row.id } : each
  }),
})

const lineAt = (lines: readonly Line[], { row }: Pick<AnsweredRow, 'row'>): Line | undefined => lines[row - FIRST_ROW]

/** The service counts rows from 2, as if row 1 held the names. */
const FIRST_ROW = 2

/** A row with the body to send. Faults that the service would find are found here, without a request. */
async function lineOf(step: ImportStep, scene: Scene, lenient: boolean): Promise<Line | { faults: Fault[] }> {
  const { draft } = step
  if (!draft) return { faults: step.faults }
  const ready = await readyOf(draft, scene.findFor(step))
  if (Array.isArray(ready)) return { faults: ready }
  const reply = refusalOf(draft.kind, ready)
  if (!reply) return { step, draft, ready }
  const milder = lenient ? withoutOptions(draft, ready, reply) : undefined
  const still = milder ? refusalOf(draft.kind, milder) : reply
  return milder && !still
    ? { step, draft, ready: milder }
    : { faults: refusedMembers(draft, milder ?? ready, still ?? reply) }
}

/** The answer that the service would give to an invalid body, by the same schema. Undefined if the body is valid. */
function refusalOf(kind: Kind, { body }: Ready): Answer | undefined {
  const result = v.safeParse(schemaOf(kind, 'create'), body)
  if (result.success) return undefined
  const fields: Record<string, string[]> = {}
  for (const { path = [], message } of result.issues) {
    const name = path.map(({ key }) => String(key)).join('.')
    fields[name] = [...(fields[name] ?? []), message]
  }
  return { status: 400, body: fields }
}

/** The rows as JSON Lines, with a mapping of each member to the field of the same name. */
function tableOf(kind: Kind, lines: readonly Line[]) {
  const rows = lines.map(({ ready }) => {
    const { assertion, ...values } = ready.body
    const cells = Object.entries(values).map(([name, value]) => [fieldNamed(kind, name), cellOf(kind, name, value)])
    return { ...Object.fromEntries(cells), ...(assertion !== undefined && { assertion }) }
  })
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== 'assertion')
  const members = [...new Set(rows.flatMap((row) => Object.keys(Object(row.assertion))))]
  const mapping = {
    kind: kind.key,
    match: 'identifier',
    rules: columns.map((name) => ({ field: name, column: name })),
    assertion: members.map((member) => ({ member, column: `assertion.${member}` })),
  }
  const text = rows.map((row) => JSON.stringify(row)).join('\n')
  return { name: `${kind.segment}.jsonl`, bytes: new TextEncoder().encode(text), part: { mapping } }
}

/** A value as a cell. The id of a record is written `#12`. A text with `;` goes into a list, so that it is not split. */
function cellOf(kind: Kind, name: string, value: unknown): unknown {
  const field = kind.fields[fieldNamed(kind, name)]
  const one = (it: unknown) => (field?.type === 'relation' && typeof it === 'number' ? `#${it}` : it)
  if (Array.isArray(value)) return value.map((it) => String(one(it)))
  return field?.multivalued && field.type !== 'labels' && typeof value === 'string' && value.includes(';')
    ? [value]
    : one(value)
}

/** The record of a row, new or found; undefined if there is none. */
function knownAs({ draft }: Line, { record, entity_id }: AnsweredRow): Known | undefined {
  if (!record || entity_id === null) return undefined
  const waits = record.status.startsWith('pending')
  return { kind: kinds[draft.kind.key], id: record.id, name: String(draft.row.name ?? ''), review: entity_id, waits }
}

/** What became of a row. A record that the verdict on the batch has left waiting is accepted by itself. */
async function resultOf(line: Line, row: AnsweredRow, options: Options): Promise<Result> {
  const { step, draft, ready } = line
  const known = knownAs(line, row)
  if (!known) return { ...blank(step, ...whyNot(row, draft)), asides: ready.asides }
  const created = row.run?.what === 'created'
  const result: Result = {
    ...blank(step, created ? 'created' : 'already_there', []),
    asides: created ? ready.asides : [],
    record: reportName(known),
  }
  if (!options.accept || options.wishes.dryRun) return result
  if (!known.waits) return created && row.record?.status === 'accepted' ? { ...result, accepted: 'yes' } : result
  const { contributor, reviewer, lenient, sleep } = options
  const reason = await acceptRecord(known, { callers: { contributor, reviewer }, lenient, sleep })
  if (reason === undefined) return { ...result, accepted: 'yes' }
  return { ...result, accepted: 'failed', reasons: [{ member: '', reason }] }
}

/** The outcome of a row without a record. In a dry run that is `created`, as it would be. */
function whyNot({ outcome, faults, run }: AnsweredRow, { origins }: Draft): [Result['outcome'], Fault[]] {
  if (outcome === 'refused')
    return [
      'refused',
      faults.map((it) => ({
        member: `${origins.get(it.field) ?? it.field} ${JSON.stringify(it.value)}`,
        reason: it.message,
      })),
    ]
  if (!run) return ['created', []]
  return [run.what === 'failed' ? 'failed' : 'refused', [{ member: '', reason: run.reason }]]
}
