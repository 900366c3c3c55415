import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { print, say } from './table.ts'

const directory = join(process.cwd(), '../shared/data')

/** Rows per second of an import with acceptance, and of a second run that finds everything there; processor time and peak memory of the process, functions included, which is without the emulator. */
export async function benchImport(): Promise<void> {
  if (!existsSync(directory)) {
    say('Import: skipped, since ../shared/data is not here.')
    return
  }
  const { openApp } = await import('../harness/app.ts')
  await openApp({ env: { LOG_LEVEL: 'silent' } })
  const { inProcess } = await import('../../local/commands/demo/in-process.ts')
  const { callerOf } = await import('../../local/commands/import/client.ts')
  const { readFiles } = await import('../../local/commands/import/rows.ts')
  const { importRows } = await import('../../local/commands/import/run.ts')
  const files = readdirSync(directory).filter(
    (name) => name.endsWith('.jsonl') && !/^(search-queries|conflicts)/.test(name),
  )
  const offered = await readFiles(files.map((name) => join(directory, name)))
  const settings = { base: 'http://localhost:8000', send: inProcess }
  const callers = {
    contributor: callerOf({ email: 'dev@heritage.test' }, settings),
    reviewer: callerOf({ email: 'reviewer@heritage.test' }, settings),
  }
  const before = process.memoryUsage().rss
  const rows = []
  for (const run of ['first run, accepting', 'second run']) {
    const [started, begun] = [performance.now(), process.cpuUsage()]
    const report = await importRows(offered, { ...callers, accept: true, lenient: true })
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(begun)
    rows.push({
      run,
      offered: report.offered,
      created: report.created,
      'already there': report.already_there,
      refused: report.refused,
      failed: report.failed,
      seconds: seconds.toFixed(1),
      'rows/s': (report.offered / seconds).toFixed(0),
      'our processor ms a row': ((user + system) / 1000 / report.offered).toFixed(1),
    })
  }
  print('Import of the shared rows', rows)
  const peak = process.resourceUsage().maxRSS / 1024
  say(`Peak memory ${peak.toFixed(0)} MB, ${(peak - before / 1_048_576).toFixed(0)} MB above the start`)
}
