import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { csv } from '../harness/imports.ts'
import { sure } from '../harness/make.ts'
import { print } from './tools/table.ts'

/** How many rows are tried, and how many run, decided on and taken back: `ROWS=20000,2000`. */
const [tried = 20_000, run = 2000] = (process.env.ROWS ?? '').split(',').filter(Boolean).map(Number)
const MB = 1024 * 1024

/** What a table costs that comes in: read, tried, run, accepted as a batch and taken back. */
export async function benchImports(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({
    env: { LOG_LEVEL: 'silent', RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day' },
  })
  const rows: Record<string, string | number>[] = []
  const send = async (many: number) => {
    const body = new FormData()
    body.set('file', new File([table(many)], 'shrines.csv'))
    return sure(201, await app.contributor.post('/data/imports/', { body })).id as string
  }
  /** Lets the worker come by, in a process of its own, and says what that took; fails where the import is not in that state then. */
  const until = async (id: string, what: string, many: number, state: string) => {
    const spent = await worked()
    const it = sure(200, await app.contributor.get(`/data/imports/${id}/`))
    if (it.failed || it.state !== state || it.progress) throw new Error(`${what}: ${it.failed ?? it.state}`)
    rows.push({
      what,
      rows: many,
      seconds: spent.seconds.toFixed(1),
      'processor s': spent.processor.toFixed(1),
      'calls a row': (spent.calls / many).toFixed(2),
      'units a row': (spent.units / many).toFixed(1),
      'resident MB, at rest and at most': `${Math.round(spent.rss.atRest / MB)}, ${Math.round(spent.rss.most / MB)}`,
    })
    process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`)
  }
  const large = await send(tried)
  await until(large, 'read', tried, 'read')
  sure(200, await app.contributor.post(`/data/imports/${large}/check/`))
  await until(large, 'dry run', tried, 'checked')

  const small = await send(run)
  await until(small, 'read', run, 'read')
  sure(200, await app.contributor.post(`/data/imports/${small}/check/`))
  await until(small, 'dry run', run, 'checked')
  sure(200, await app.contributor.post(`/data/imports/${small}/run/`, { body: {} }))
  await until(small, 'run', run, 'done')
  sure(200, await app.community.post(`/data/imports/${small}/decide/`, { body: { verdict: 'accept' } }))
  await until(small, 'accept all', run, 'done')
  sure(200, await app.staff.post(`/data/imports/${small}/take-back/`))
  await until(small, 'take back', run, 'taken_back')
  print('Tables that are imported', rows)
}

type Spent = {
  seconds: number
  processor: number
  calls: number
  units: number
  rss: { most: number; atRest: number }
}

/** The worker as imports-worker.ts runs it, with the young generation that `npm start` gives its functions. */
async function worked(): Promise<Spent> {
  const { stdout } = await promisify(execFile)('node', ['--max-semi-space-size=4', 'tests/bench/imports-worker.ts'], {
    env: process.env,
  })
  return JSON.parse(stdout)
}

/** Shrines with names of their own, here and there in the valley; each tenth row names a place in words. */
const table = (many: number): string =>
  csv([
    ['Name', 'Existence status', 'Condition', 'Latitude', 'Longitude', 'Year built', 'Location', 'Remarks'],
    ...Array.from({ length: many }, (_, i) => [
      `Shrine ${i.toString(36)} of ward ${i % 97}`,
      'Extant',
      ['Excellent', 'Fair', 'Poor'][i % 3] ?? '',
      (27.6 + (i % 1000) / 4000).toFixed(5),
      (85.2 + (i % 777) / 3000).toFixed(5),
      1600 + (i % 400),
      i % 10 === 0 ? `Square ${i % 50}` : '',
      `Row ${i}`,
    ]),
  ])
