import { fork } from 'node:child_process'
import { once } from 'node:events'
import { print } from './tools/table.ts'

const MB = 1024 * 1024

/** What a run of the exporter takes, by published records with 5 values each: in a process that does nothing else. */
export async function benchExports(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  await openApp({ env: { LOG_LEVEL: 'silent' } })
  const { fill } = await import('./tools/fill.ts')
  const rows = []
  let filled = 1
  for (const size of sizes) {
    await fill(filled, size + 1)
    filled = size + 1
    rows.push({ 'published records': size.toLocaleString('en'), ...(await run()) })
  }
  print('A run of the exporter', rows)
}

async function run(): Promise<Record<string, string>> {
  const child = fork(new URL('./exporting.ts', import.meta.url), {
    execArgv: ['--expose-gc', '--max-old-space-size=64'],
  })
  const [{ idle, peak, seconds, calls, units, bytes, rows }] = await once(child, 'message')
  await once(child, 'exit')
  return {
    seconds: seconds.toFixed(1),
    'memory idle': `${Math.round(idle / MB)} MB`,
    'above it at most': `${Math.round((peak - idle) / MB)} MB`,
    calls: String(calls),
    'units read': String(units),
    'lines written': String(rows),
    'bytes written': `${(bytes / MB).toFixed(1)} MB`,
  }
}
