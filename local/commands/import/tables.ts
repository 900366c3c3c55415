import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { kinds } from '../../../lib/domain/kinds/index.ts'
import type { Gone } from './client.ts'
import { type AnsweredRow, type Desk, doubtsOf, type Import, NotTaken, type Table, type Wishes } from './desk.ts'
import { untilStopped } from './exchange.ts'
import { type Report, type Result, reportOf } from './report.ts'

/** Imports tables as people have them: each file is sent as it is. Its mapping is guessed, stored, or guessed for a kind. */

export type TableFile = { path: string; part: Table['part'] }

type Options = {
  desk: Desk
  accept: boolean
  wishes: Wishes
  signal: AbortSignal
  say: (line: string) => void
  lost: (error: Gone) => void
}

/** Takes tables through the service, one after the other. The report says why a table was refused. */
export async function importTables(files: readonly TableFile[], options: Options): Promise<Report> {
  const results: Result[] = []
  await untilStopped(options, async () => {
    for (const file of files) results.push(...(await takeFile(file, options)))
  })
  return reportOf(results)
}

async function takeFile({ path, part }: TableFile, { desk, accept, wishes, say }: Options): Promise<Result[]> {
  const name = basename(path)
  const accepts = accept && !wishes.dryRun
  try {
    const ran = await desk.take({ name, bytes: new Uint8Array(await readFile(path)), part }, wishes)
    for (const line of understood(name, ran)) say(line)
    const decided = accepts ? await desk.accept(ran) : ran
    return (await desk.rows(decided)).map((row) => resultOf(name, decided, row, accepts))
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error
    const reasons = [{ member: '', reason: error.message }]
    return [{ file: name, line: 0, id: '', kind: '', outcome: 'failed', reasons, asides: [] }]
  }
}

/** What the service understood of a table: its kind, and columns that were left out. */
function understood(name: string, { mapping, columns, told }: Import): string[] {
  const left = columns.filter(({ guess, filled }) => guess === null && filled > 0).map((it) => it.name)
  const kind = Object.values(kinds).find(({ key }) => key === mapping?.kind)
  return [
    `${name}: rows of the kind ${kind?.label ?? '?'}, known again by ${mapping?.match.replaceAll('_', ' ')}.`,
    ...told.map((it) => `${name}: ${it}`),
    ...(left.length > 0 ? [`${name}: not understood by itself: ${left.join(', ')}.`] : []),
  ]
}

function resultOf(file: string, table: Import, row: AnsweredRow, accept: boolean): Result {
  const { record, entity_id, run } = row
  const [outcome, said] = becameOf(row)
  const waits = record?.status.startsWith('pending') ?? false
  return {
    file,
    line: row.row,
    id: row.name,
    kind: table.mapping?.kind ?? '',
    outcome,
    reasons: accept && waits && run ? [...said, { member: '', reason: LEFT }] : said,
    doubts: doubtsOf(row, table),
    asides: [],
    ...(record && entity_id !== null && { record: { kind: record.kind, id: record.id, entity_id } }),
    ...(accept && run && outcome !== 'already_there' && record && { accepted: waits ? 'failed' : 'yes' }),
  }
}

const LEFT = 'The verdict has left it: it holds a contradiction, or was escalated. Decide on it by itself.'

/** The outcome of a row, or in a dry run what it would be. */
function becameOf({ outcome, faults, run }: AnsweredRow): [Result['outcome'], Result['reasons']] {
  if (outcome === 'same') return ['already_there', []]
  if (outcome === 'refused')
    return [
      'refused',
      faults.map((it) => ({ member: `${it.column ?? it.field} ${JSON.stringify(it.value)}`, reason: it.message })),
    ]
  if (run?.what === 'failed') return ['failed', [{ member: '', reason: run.reason }]]
  if (run?.what === 'left')
    return [outcome === 'changes' ? 'already_there' : 'refused', [{ member: '', reason: run.reason }]]
  if (outcome === 'conflict')
    return ['refused', [{ member: '', reason: 'Somebody has changed this since the table was written.' }]]
  return [outcome === 'changes' ? 'changed' : 'created', []]
}
