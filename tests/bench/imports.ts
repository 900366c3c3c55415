import { metered } from '../../lib/ops/request-cost.ts'
import { csv } from '../harness/imports.ts'
import { sure } from '../harness/make.ts'
import { print } from './table.ts'

/** How many rows are tried, and how many run, decided on and taken back: `ROWS=20000,2000`. */
const [tried = 20_000, run = 2000] = (process.env.ROWS ?? '').split(',').filter(Boolean).map(Number)
const MB = 1024 * 1024

/** What a table costs that comes in: read, tried, run, accepted as a batch and taken back. */
export async function benchImports(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({
    env: { LOG_LEVEL: 'silent', RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day' },
  })
  const { handler } = await import('../../functions/importer.ts')
  const rows: Record<string, string | number>[] = []
  const send = async (many: number) => {
    const body = new FormData()
    body.set('file', new File([table(many)], 'shrines.csv'))
    return sure(201, await app.contributor.post('/data/imports/', { body })).id as string
  }
  /** Lets the worker come by until the import is in a state, and says what that took. */
  const until = async (id: string, what: string, many: number, state: string) => {
    const [began, before] = [performance.now(), process.cpuUsage()]
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 50)
    const spent = await metered(async (meter) => {
      for (let visit = 0; visit < 1000; visit += 1) {
        await handler()
        const it = sure(200, await app.contributor.get(`/data/imports/${id}/`))
        if (it.failed) throw new Error(`${what}: ${it.failed}`)
        if (it.state === state && it.progress === null) return meter
      }
      throw new Error(`${what} comes to no end`)
    })
    clearInterval(watch)
    const { user, system } = process.cpuUsage(before)
    rows.push({
      what,
      rows: many,
      seconds: ((performance.now() - began) / 1000).toFixed(1),
      'processor s': ((user + system) / 1e6).toFixed(1),
      'calls a row': (spent.calls / many).toFixed(2),
      'units a row': (spent.units / many).toFixed(1),
      'most resident MB': Math.round(most / MB),
    })
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
