import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { loadStack } from '../deploy/stack.ts'
import { type Caller, callerOf, detailOf, type Who } from './import/client.ts'
import { progressOf } from './import/progress.ts'
import { isComplete, printed, type Report } from './import/report.ts'
import { readFiles } from './import/rows.ts'
import { importRows } from './import/run.ts'

const usage = `npm run import -- FILE... [options]
npm run import -- --submissions FILE... [--lenient] [--concurrency N] [--report FILE]

Sends JSON Lines to the service through its public API. A second run creates nothing twice.

  --base URL          the service (http://localhost:8000)
  --as EMAIL          who contributes (dev@heritage.test)
  --token TOKEN       an access token of the contributor, instead of --as
  --accept            accept each record as it is created
  --reviewer EMAIL    who accepts (reviewer@heritage.test)
  --reviewer-token T  an access token of the reviewer, instead of --reviewer
  --lenient           put values that are in no controlled list into the note
  --concurrency N     N requests at a time (8)
  --report FILE       write the whole report as JSON

  --submissions       the rows are legacy submissions: they are written straight into the table that the
                      environment names (that of the local stage when it names none)

Ends with 0 when every row is accounted for (refusals are listed with their reasons), 1 when rows failed for other
reasons, 130 when it was stopped.`

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
  if (!URL.canParse(values.base)) return wrong('--base: give an address such as http://localhost:8000.')

  const offered = await readFiles(positionals)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const settings = { base: values.base.replace(/\/+$/, ''), send: fetch, signal: stop.signal }
  const contributor = callerOf(whoIs(values.token, values.as), settings)
  const reviewer = callerOf(whoIs(values['reviewer-token'], values.reviewer), settings)
  const fault = (await refusal(contributor)) ?? (values.accept ? await refusal(reviewer) : undefined)
  if (fault) return wrong(fault)

  const progress = progressOf(offered.length)
  const report = await importRows(offered, {
    contributor,
    reviewer,
    accept: values.accept,
    lenient: values.lenient,
    concurrency,
    signal: stop.signal,
    advance: progress.advance,
  })
  progress.end()
  return told(report, values.report, stop.signal)
}

/** Operators may do what the API does not any more: the rows go straight into the table. */
async function submissions(
  paths: readonly string[],
  { lenient, concurrency, report: file }: { lenient: boolean; concurrency: number; report?: string },
): Promise<number> {
  // The configuration is read when a module loads it, so this comes before every import of the service.
  if (!process.env.TABLE_NAME) Object.assign(process.env, loadStack().environment)
  const [{ readOldRows, importSubmissions }, { ping }] = await Promise.all([
    import('./import/submissions.ts'),
    import('../../lib/table/read.ts'),
  ])
  const offered = await readOldRows(paths)
  const { TABLE_NAME, DYNAMODB_ENDPOINT = 'AWS' } = process.env
  const answers = await ping(AbortSignal.timeout(5000)).then(
    () => true,
    () => false,
  )
  if (!answers) return wrong(`The table ${TABLE_NAME} does not answer at ${DYNAMODB_ENDPOINT}.`)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const progress = progressOf(offered.length)
  const { advance } = progress
  const report = await importSubmissions(offered, { lenient, concurrency, signal: stop.signal, advance })
  progress.end()
  return told(report, file, stop.signal)
}

async function told(report: Report, file: string | undefined, signal: AbortSignal): Promise<number> {
  if (file) await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  console.log(printed(report))
  if (signal.aborted) return 130
  return isComplete(report) ? 0 : 1
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
      lenient: { type: 'boolean', default: false },
      submissions: { type: 'boolean', default: false },
      concurrency: { type: 'string', default: '8' },
      report: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
}

function whoIs(token: string | undefined, email: string): Who {
  return token ? { token } : { email }
}

/** Why the service does not know the caller; undefined when it does. */
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
