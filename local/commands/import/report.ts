import type { Aside, Fault } from './draft.ts'

/** What became of a row. */
export type Outcome = 'created' | 'changed' | 'already_there' | 'refused' | 'failed' | 'not_reached'
export type Result = {
  file: string
  line: number
  id: string
  kind: string
  outcome: Outcome
  /** The record, if there is one. */
  record?: { kind: string; id: number | string; entity_id?: string }
  /** Why it was refused, or what went wrong. */
  reasons: Fault[]
  /** What the dry run doubts about the row: what it looks like. */
  doubts?: Fault[]
  /** Values that were put into a note instead of their field. */
  asides: Aside[]
  /** Whether this run accepted it. For `failed`, `reasons` says why. */
  accepted?: 'yes' | 'failed'
}
export type Report = Record<Outcome, number> & {
  offered: number
  accepted: number
  not_accepted: number
  set_aside: number
  rows: Result[]
}

const outcomes: readonly Outcome[] = ['created', 'changed', 'already_there', 'refused', 'failed', 'not_reached']

/** The counts of a run. Every row has exactly one outcome. */
export function reportOf(rows: readonly Result[]): Report {
  const count = (fits: (row: Result) => boolean) => rows.filter(fits).length
  const of = (outcome: Outcome) => count((row) => row.outcome === outcome)
  return {
    offered: rows.length,
    created: of('created'),
    changed: of('changed'),
    already_there: of('already_there'),
    refused: of('refused'),
    failed: of('failed'),
    not_reached: of('not_reached'),
    accepted: count((row) => row.accepted === 'yes'),
    not_accepted: count((row) => row.accepted === 'failed'),
    set_aside: rows.reduce((sum, row) => sum + row.asides.length, 0),
    rows: [...rows],
  }
}

/** Whether every row was taken or refused, so that another run would not help. */
export const isComplete = (report: Report): boolean =>
  report.failed === 0 && report.not_reached === 0 && report.not_accepted === 0

/** The report as text: each refusal and each value that went into a note, with the reason; then counts for each file and in all. */
export function printReport(report: Report, dryRun = false): string {
  const told = report.rows.flatMap((row) => [
    ...(row.outcome === 'refused' || row.outcome === 'failed' || row.accepted === 'failed'
      ? row.reasons.map((it) => line(row, row.outcome === 'created' ? 'not accepted' : row.outcome, it))
      : []),
    ...(dryRun ? (row.doubts ?? []) : []).map((it) => line(row, 'doubtful', it)),
    ...(row.outcome === 'created' ? row.asides : []).map((it) =>
      line(row, 'set aside', { member: `${it.member} ${JSON.stringify(it.value)}`, reason: it.reason }),
    ),
  ])
  const files = [...new Set(report.rows.map((row) => row.file))]
  const table = [
    [
      'file',
      'offered',
      ...(dryRun ? ['new', 'changes'] : ['created', 'changed']),
      'there',
      'refused',
      'failed',
      'not reached',
    ],
    ...files.map((file) => [file, ...figures(reportOf(report.rows.filter((row) => row.file === file)))]),
    ...(files.length === 1 ? [] : [['all', ...figures(report)]]),
  ]
  const totals = [
    ...(report.accepted + report.not_accepted > 0 ? [`accepted ${report.accepted}`] : []),
    ...(report.not_accepted > 0 ? [`not accepted ${report.not_accepted}`] : []),
    `set aside in notes ${report.set_aside}`,
  ]
  return [...told, ...(told.length > 0 ? [''] : []), ...columns(table), totals.join(', ')].join('\n')
}

const figures = (it: Report) => [it.offered, ...outcomes.map((outcome) => it[outcome])].map(String)

const line = ({ file, line, id }: Result, what: string, { member, reason }: Fault) =>
  `${what}  ${file}:${line}  ${id}  ${member ? `${member}: ` : ''}${reason}`

function columns(table: readonly (readonly string[])[]): string[] {
  const widths = (table[0] ?? []).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  return table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
}
