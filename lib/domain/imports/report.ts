import type { Say } from '../../base/language/catalogue.ts'
import { phrase } from '../../base/language/phrase.ts'
import { startUpload } from '../../engines/bucket/index.ts'
import { csvLine } from '../../platform/cells/csv.ts'
import type { RowOutcome } from './items.ts'
import type { RowResult } from './results.ts'
import { importFolder } from './store.ts'

/** The prefix of our own headers. A corrected report comes back with them, and readers skip them. */
const OWN = 'import:'
const own = [
  ...[phrase('row'), phrase('outcome'), phrase('reason'), phrase('column')],
  ...[phrase('value'), phrase('legal'), phrase('nearest')],
]

export const reportKey = (id: string): string => `${importFolder(id)}report.csv`

/** The report is written to the bucket this many lines at a time. */
// prove: lines-at-once
const LINES_AT_ONCE = 500

/**
 * Writes a CSV report: the rows as they were sent, each with the result of the dry run. Its columns can be corrected and sent
 * again. `say` translates for the reader; outcomes are codes in every language.
 */
export function reportWriter(id: string, columns: readonly string[], say: Say) {
  const upload = startUpload(reportKey(id), 'text/csv; charset=utf-8')
  const kept = columns.flatMap((name, i) => (name.startsWith(OWN) ? [] : [{ name, i }]))
  let begun = false
  let lines: string[] = []
  const flush = async () => {
    if (!begun)
      lines.unshift(`\uFEFF${csvLine([...kept.map(({ name }) => name), ...own.map((it) => `${OWN}${say(it)}`)])}`)
    begun = true
    await upload.write(lines.join(''))
    lines = []
  }
  return {
    add: async (cells: readonly string[], it: RowResult) => {
      lines.push(csvLine([...kept.map(({ i }) => cells[i] ?? ''), ...toldOf(it, say)]))
      if (lines.length === LINES_AT_ONCE) await flush()
    },
    end: async () => {
      await flush()
      await upload.end()
    },
  }
}

function toldOf(it: RowResult, say: Say): unknown[] {
  const [fault] = it.faults
  const rest = it.faults.slice(1).map(({ column, field, message }) => `${column ?? field}: ${say(message)}`)
  const reason = fault ? [say(fault.message), ...rest].join(' ') : reasonOf[it.outcome](it, say)
  return [it.row, it.outcome, reason, fault?.column ?? '', fault?.value ?? '', fault?.legal ?? '', fault?.nearest ?? '']
}

const changed = (all: RowResult['changes']) => all.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join('; ')
const looks = {
  same_identity: (other: string, likeness: number) => `It is identified as ${other} (${likeness}).`,
  same_name: (other: string, likeness: number) => `It has the same name as ${other} (${likeness}).`,
  close: (other: string, likeness: number) => `It is close to, and named like, ${other} (${likeness}).`,
} as const

const WAITING = phrase('a record that waits')
const rowWords = (row: number) => phrase(`row ${row}`)

const reasonOf: Readonly<Record<RowOutcome, (it: RowResult, say: Say) => string>> = {
  new: ({ makes }, say) => (makes.length > 0 ? say(`Makes also ${makes.map(({ name }) => name).join('; ')}.`) : ''),
  same: (_, say) => say('The record says this already.'),
  changes: ({ changes }) => changed(changes),
  doubtful: ({ alike }, say) =>
    alike
      .map(({ how, row, name, likeness }) => say(looks[how](row === null ? name || WAITING : rowWords(row), likeness)))
      .join(' '),
  conflict: ({ conflicts }, say) => say(`Somebody has changed this since: ${changed(conflicts)}`),
  refused: () => '',
}
