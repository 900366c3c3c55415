import { fork } from 'node:child_process'
import { once } from 'node:events'
import { print } from './tools/table.ts'

const MB = 1024 * 1024

/** What the index of statements takes, by records with 40 statements each: sorted, stored, and asked. */
export async function benchFragments(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  await openApp({ env: { LOG_LEVEL: 'silent' } })
  const rows = []
  for (const size of sizes) rows.push({ records: size.toLocaleString('en'), ...(await run(size)) })
  print('The index of statements', rows)
}

async function run(size: number): Promise<Record<string, string>> {
  const child = fork(new URL('./fragments-worker.ts', import.meta.url), [String(size)], {
    execArgv: ['--expose-gc', '--max-old-space-size=128'],
  })
  const [{ idle, peak, seconds, worked, statements, bytes, asked, reads }] = await once(child, 'message')
  await once(child, 'exit')
  return {
    statements: statements.toLocaleString('en'),
    seconds: seconds.toFixed(1),
    'processor seconds': worked.toFixed(1),
    'statements a processor second': Math.round(statements / worked).toLocaleString('en'),
    'above idle memory at most': `${Math.round((peak - idle) / MB)} MB`,
    'bytes of the three orders': `${Math.round(bytes / MB)} MB`,
    'ms of a new question': asked.toFixed(1),
    'range reads of it': reads.toFixed(1),
  }
}
