import { access, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isRecordKey, recordKinds } from '../../lib/domain/kinds/index.ts'
import { nameTable } from './environment.ts'
import { type Caller, callerOf, detailOf, type ImportedAs } from './import/client.ts'
import { deskOf, rowsDone } from './import/desk.ts'
import { importExchange } from './import/exchange.ts'
import { startProgress } from './import/progress.ts'
import { isComplete, printReport, type Report, reportOf } from './import/report.ts'
import { readFiles } from './import/rows.ts'
import { stopper } from './import/stopper.ts'
import { importTables } from './import/tables.ts'
import { describeImports } from './import/told.ts'

const usage = `npm run import -- FILE... [options]
npm run import -- --submissions FILE... [--lenient] [--concurrency N] [--report FILE]

Sends tables to the service through its imports: each is read, mapped, tried and run as one batch, which may be
withdrawn. Files are CSV, TSV, XLSX, ODS, or exchange files in JSON Lines, whose rows may be of every kind and name
one another: of these a second run creates nothing twice.

  --base URL          the service (http://localhost:8000)
  --as EMAIL          who contributes (dev@heritage.test)
  --token TOKEN       an access token of the contributor, instead of --as
  --dry-run           try only, and write nothing
  --mapping NAME      map by a mapping that the contributor keeps under this name
  --kind KIND         guess the mapping for this kind of record
  --doubtful WHAT     rows that look like something known: create (with a flag for reviewers) or skip
  --accept            accept what was made
  --reviewer EMAIL    who accepts (reviewer@heritage.test)
  --reviewer-token T  an access token of the reviewer, instead of --reviewer
  --lenient           exchange files: put values that are in no controlled list into the note
  --concurrency N     N requests at a time (8), for what goes one by one
  --report FILE       write the whole report as JSON

  --submissions       the rows are legacy submissions: they are written straight into the table that the
                      environment names (that of the local stage when it names none)

With --mapping or --kind a file in JSON Lines is a table like any other.
Ends with 0 when every row is accounted for (refusals are listed with their reasons), 1 when rows failed for other
reasons, 2 when nothing was begun, 3 when the service has stopped answering, 129, 130 or 143 when a signal has stopped
it: it says then what is done, and what goes on in the background.`

process.exitCode = await main().catch((error: unknown) => wrong(messageOf(error)))

async function main(): Promise<number> {
  const { values, positionals } = read()
  if (values.help || positionals.length === 0) {
    console.error(usage)
    return values.help ? 0 : 2
  }
  const concurrency = Number(values.concurrency)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) return wrong('--concurrency: 1 to 64.')
  if (values.submissions) return submissions(positionals, { ...values, concurrency })
  const fault = faultOf(values)
  return fault ? wrong(fault) : tables(positionals, { ...values, concurrency })
}

type Values = Omit<ReturnType<typeof read>['values'], 'concurrency'>

function faultOf({ base, doubtful, kind, mapping }: Values): string | undefined {
  if (!URL.canParse(base)) return '--base: give an address such as http://localhost:8000.'
  if (doubtful !== 'create' && doubtful !== 'skip') return '--doubtful: create or skip.'
  if (kind !== undefined && mapping !== undefined) return '--kind and --mapping: give one of them.'
  if (kind !== undefined && !isRecordKey(kind))
    return `--kind: there is no ${kind}. Choose one of: ${recordKinds.join(', ')}.`
  return undefined
}

async function tables(paths: readonly string[], values: Values & { concurrency: number }): Promise<number> {
  const { exchange, plain } = await sortFiles(paths, values)
  const stop = stopper()
  const settings = { base: values.base.replace(/\/+$/, ''), send: fetch, signal: stop.signal, sleep: stop.sleep }
  const contributor = callerOf(whoIs(values.token, values.as), settings)
  const reviewer = values.accept ? callerOf(whoIs(values['reviewer-token'], values.reviewer), settings) : undefined
  const fault = (await refusal(contributor)) ?? (reviewer && (await refusal(reviewer)))
  if (fault) return wrong(fault)

  const progress = startProgress()
  let settled = 0
  const desk = deskOf({ ...settings, contributor, reviewer }, (it) => {
    const { task = '', done = 0, of = 0 } = it.progress ?? {}
    if (exchange.length === 0) progress.show(task || it.state, done, of)
    else progress.show(`${it.file_name} ${task || it.state}`, rowsDone(desk.all(), task, settled), exchange.length)
  })
  const lost: Error[] = []
  const wishes = {
    dryRun: values['dry-run'],
    doubtful: values.doubtful === 'skip' ? ('skip' as const) : ('create' as const),
  }
  const shared = {
    desk,
    contributor,
    reviewer,
    accept: values.accept,
    signal: stop.signal,
    sleep: stop.sleep,
    lost: (error: Error) => {
      lost.push(error)
    },
  }
  const reports = [
    await importTables(plain, {
      ...shared,
      wishes: { ...wishes, changes: 'make' },
      say: (line) => console.error(line),
    }),
    await importExchange(exchange, {
      ...shared,
      lenient: values.lenient,
      concurrency: values.concurrency,
      wishes: { ...wishes, changes: 'leave' },
      advance: (rows) => {
        settled = rows
      },
    }),
  ]
  progress.end()
  const code = await writeReport(reportOf(reports.flatMap(({ rows }) => rows)), values)
  const [gone] = lost
  if (!gone && !stop.signal.aborted) return code
  const as = values.token ? 'authorization: Bearer ...' : `x-dev-user: ${values.as}`
  if (gone) console.error(`The service at ${settings.base} does not answer any more. ${gone.message}`)
  for (const line of describeImports(desk.all(), { base: settings.base, as })) console.error(line)
  return gone ? 3 : stop.code()
}

/** Tells exchange files, whose rows this command puts into tables, from files that are tables. Fails if one cannot be read. */
async function sortFiles(paths: readonly string[], { mapping, kind }: Values) {
  const part = mapping === undefined ? kind && { kind } : { mapping }
  const isExchange = (path: string) => !part && /\.(jsonl|ndjson)$/i.test(path)
  const plain = paths.filter((path) => !isExchange(path))
  await Promise.all(plain.map((path) => access(path)))
  return {
    exchange: await readFiles(paths.filter(isExchange)),
    plain: plain.map((path) => ({ path, part: part || undefined })),
  }
}

/** Imports legacy submissions. The API takes none any more, so the rows go straight into the table. */
async function submissions(
  paths: readonly string[],
  { lenient, concurrency, report: file }: { lenient: boolean; concurrency: number; report?: string },
): Promise<number> {
  // The configuration is read when a module first loads it, so the environment is set before the imports.
  nameTable()
  const [{ readOldRows, importSubmissions }, { ping }, { runWithin }] = await Promise.all([
    import('./import/submissions.ts'),
    import('../../lib/engines/table/read.ts'),
    import('../../lib/platform/health/within.ts'),
  ])
  const offered = await readOldRows(paths)
  const { TABLE_NAME, DYNAMODB_ENDPOINT = 'AWS' } = process.env
  const answers = await runWithin(5000, () => ping().then(() => true))
  if (!answers) return wrong(`The table ${TABLE_NAME} does not answer at ${DYNAMODB_ENDPOINT}.`)
  const stop = stopper()
  const progress = startProgress()
  let done = 0
  const advance = () => {
    done += 1
    progress.show('submissions', done, offered.length)
  }
  const report = await importSubmissions(offered, { lenient, concurrency, signal: stop.signal, advance })
  progress.end()
  const code = await writeReport(report, { report: file })
  return stop.signal.aborted ? stop.code() : code
}

async function writeReport(
  report: Report,
  { report: file, 'dry-run': dryRun = false }: { report?: string | undefined; 'dry-run'?: boolean },
): Promise<number> {
  if (file) await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  console.log(printReport(report, dryRun))
  return dryRun || isComplete(report) ? 0 : 1
}

function read() {
  return parseArgs({
    allowPositionals: true,
    options: {
      base: { type: 'string', default: `http://localhost:${process.env.PORT ?? 8000}` },
      as: { type: 'string', default: 'dev@heritage.test' },
      token: { type: 'string' },
      accept: { type: 'boolean', default: false },
      reviewer: { type: 'string', default: 'reviewer@heritage.test' },
      'reviewer-token': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      mapping: { type: 'string' },
      kind: { type: 'string' },
      doubtful: { type: 'string', default: 'create' },
      lenient: { type: 'boolean', default: false },
      submissions: { type: 'boolean', default: false },
      concurrency: { type: 'string', default: '8' },
      report: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
}

function whoIs(token: string | undefined, email: string): ImportedAs {
  return token ? { token } : { email }
}

/** Why the caller cannot sign in; undefined if they can. */
async function refusal(caller: Caller): Promise<string | undefined> {
  try {
    const { status, body } = await caller.get('/api/user/info')
    return status === 200 ? undefined : `The service answered ${status}: ${detailOf(body)}`
  } catch (error) {
    return messageOf(error)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function wrong(message: string): number {
  console.error(message)
  return 2
}
