import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { print, say } from './tools/table.ts'

const directory = join(process.cwd(), '../shared/data')

/**
 * Rows a second of what `npm run import -- --accept` does with the shared rows, functions and worker in this process, and of a second run that
 * finds everything there; processor time and peak memory of this process, which is without the emulator.
 */
export async function benchImport(): Promise<void> {
  if (!existsSync(directory)) {
    say('Import: skipped, since ../shared/data is not here.')
    return
  }
  const { openApp } = await import('../harness/app.ts')
  await openApp({ env: { LOG_LEVEL: 'silent', RATE_IMPORTS: '1000/day' } })
  const { inProcess } = await import('../../local/commands/demo/in-process.ts')
  const { callerOf } = await import('../../local/commands/import/client.ts')
  const { deskOf } = await import('../../local/commands/import/desk.ts')
  const { importExchange } = await import('../../local/commands/import/exchange.ts')
  const { readFiles } = await import('../../local/commands/import/rows.ts')
  const files = readdirSync(directory).filter(
    (name) => name.endsWith('.jsonl') && !/^(search-queries|conflicts)/.test(name),
  )
  const offered = await readFiles(files.map((name) => join(directory, name)))
  const settings = { base: 'http://localhost:8000', send: inProcess, sleep: pause }
  const contributor = callerOf({ email: 'dev@heritage.test' }, settings)
  const reviewer = callerOf({ email: 'reviewer@heritage.test' }, settings)
  const stop = await keepWorking()
  const before = process.memoryUsage().rss
  const rows = []
  for (const run of ['first run, accepting', 'second run']) {
    const desk = deskOf({ ...settings, contributor, reviewer }, () => undefined)
    const [started, begun] = [performance.now(), process.cpuUsage()]
    const report = await importExchange(offered, {
      ...{ desk, contributor, reviewer, accept: true, lenient: true, concurrency: 8, sleep: pause },
      wishes: { dryRun: false, doubtful: 'create', changes: 'leave' },
      signal: AbortSignal.timeout(600_000),
      advance: () => undefined,
      lost: (error) => {
        throw error
      },
    })
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(begun)
    rows.push({
      run,
      offered: report.offered,
      created: report.created,
      accepted: report.accepted,
      'already there': report.already_there,
      refused: report.refused,
      failed: report.failed,
      seconds: seconds.toFixed(1),
      'rows/s': (report.offered / seconds).toFixed(0),
      'our processor ms a row': ((user + system) / 1000 / report.offered).toFixed(1),
    })
  }
  await stop()
  print('Import of the shared rows', rows)
  const peak = process.resourceUsage().maxRSS / 1024
  say(`Peak memory ${peak.toFixed(0)} MB, ${(peak - before / 1_048_576).toFixed(0)} MB above the start`)
}

const pause = (ms: number) => new Promise<void>((over) => void setTimeout(over, ms))

/** Lets the worker come by again and again, as it does each minute where it is deployed. Answers how to end that. */
async function keepWorking(): Promise<() => Promise<void>> {
  const { continueImports } = await import('../../lib/domain/imports/work.ts')
  let isOver = false
  const working = (async () => {
    while (!isOver) {
      await continueImports(performance.now() + 60_000, 5_000)
      await pause(50)
    }
  })()
  return async () => {
    isOver = true
    await working
  }
}
