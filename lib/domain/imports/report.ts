import type { Say } from '../../base/language/catalogue.ts'
import { phrase } from '../../base/language/languages.ts'
import { startUpload } from '../../engines/bucket/index.ts'
import { csvLine } from '../../platform/cells/csv.ts'
import type { RowOutcome } from './items.ts'
import { likenessText } from './likeness-text.ts'
import type { RowResult } from './results.ts'
import { importFolder } from './store.ts'

/** The prefix of the report's own headers. When a corrected report comes back, columns with this prefix are skipped. */
const OWN_PREFIX = 'import:'
const ownHeaders = [
  phrase('row'),
  phrase('outcome'),
  phrase('reason'),
  phrase('column'),
  phrase('value'),
  phrase('legal'),
  phrase('nearest'),
  phrase('dates'),
]

export const reportKey = (id: string): string => `${importFolder(id)}report.csv`

/**
 * Writes a CSV report: the rows as they were sent, each with the result of the dry run. Its columns can be corrected and sent
 * again. `say` translates for the reader; outcomes are codes in every language.
 */
export class ReportWriter {
  readonly #upload: ReturnType<typeof startUpload>
  readonly #say: Say
  /** The places of the sender's columns in a row. */
  readonly #places: number[]
  #lines: string[]

  constructor(id: string, columns: readonly string[], say: Say) {
    this.#upload = startUpload(reportKey(id), 'text/csv; charset=utf-8')
    this.#say = say
    this.#places = columns.flatMap((name, i) => (name.startsWith(OWN_PREFIX) ? [] : [i]))
    const headers = [...this.#places.map((i) => columns[i]), ...ownHeaders.map((it) => `${OWN_PREFIX}${say(it)}`)]
    this.#lines = [`\uFEFF${csvLine(headers)}`]
  }

  async add(cells: readonly string[], result: RowResult): Promise<void> {
    this.#lines.push(csvLine([...this.#places.map((i) => cells[i] ?? ''), ...ownCells(result, this.#say)]))
    if (this.#lines.length >= LINES_AT_ONCE) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    await this.#upload.end()
  }

  async #flush(): Promise<void> {
    await this.#upload.write(this.#lines.join(''))
    this.#lines = []
  }
}

/** Lines of the report that are written together. */
// prove: lines-at-once
const LINES_AT_ONCE = 500

/** How a date was understood. Example: "construction_date: 1702-04-09/1703-04-08". */
const boundsText = ({ field, from, to }: RowResult['dates'][number]) =>
  `${field}: ${from === null && to === null ? '?' : `${from ?? '..'}/${to ?? '..'}`}`

/** The cells of the report's own columns. The first fault has its own cells; the reason names all. */
function ownCells(result: RowResult, say: Say): unknown[] {
  const [fault] = result.faults
  const rest = result.faults.slice(1).map(({ column, field, message }) => `${column ?? field}: ${say(message)}`)
  const reason = fault ? [say(fault.message), ...rest].join(' ') : reasonOf[result.outcome](result, say)
  return [
    result.row,
    result.outcome,
    reason,
    fault?.column ?? '',
    fault?.value ?? '',
    fault?.legal ?? '',
    fault?.nearest ?? '',
    result.dates.map(boundsText).join('; '),
  ]
}

const changesText = (changes: RowResult['changes']) =>
  changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join('; ')
const reasonOf: Readonly<Record<RowOutcome, (result: RowResult, say: Say) => string>> = {
  new: ({ makes }, say) => (makes.length > 0 ? say(`Makes also ${makes.map(({ name }) => name).join('; ')}.`) : ''),
  same: (_, say) => say('The record says this already.'),
  changes: ({ changes }) => changesText(changes),
  doubtful: ({ alike, doubts }, say) =>
    [
      ...alike.map((each) => say(likenessText(each))),
      ...doubts.map(({ column, field, message }) => `${column ?? field}: ${say(message)}`),
    ].join(' '),
  conflict: ({ conflicts }, say) => say(`Somebody has changed this since: ${changesText(conflicts)}`),
  refused: () => '',
}
