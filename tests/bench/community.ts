import type { App, Persona } from '../harness/app.ts'
import { openEmulator } from './tools/emulator-file.ts'
import { print } from './tools/table.ts'

/** Calls, capacity units and time of leaderboard, statistics and what the dashboard polls, by how many people have figures. */
export async function benchCommunity(sizes: readonly number[]): Promise<void> {
  const emulator = await openEmulator()
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info', CACHE_URL: 'dynamodb:' } })
  const table = process.env.TABLE_NAME ?? ''
  const { fillBoards } = await import('./tools/fill-boards.ts')
  await prepare(app)
  const rows: Record<string, string>[] = []
  let filled = 0
  for (const size of sizes) {
    const started = performance.now()
    await fillBoards(filled, size, (items) => emulator.fill(table, items))
    filled = size
    process.stderr.write(`${size} people in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    const measured = await measure(app)
    measured.forEach(({ request, cost }, i) => {
      rows[i] = { ...(rows[i] ?? { request }), [`at ${size}`]: cost }
    })
  }
  await emulator.stop()
  print('Community: calls / units / milliseconds (median), by people with figures; shared cache in the table', rows)
}

/** A contributor with figures of their own, last month's among them. */
async function prepare(app: App): Promise<void> {
  const { refreshFigures } = await import('../../lib/domain/leaderboard/keep.ts')
  for (let n = 0; n < 25; n += 1)
    await app.contributor.post('/cidoc/structures/', { body: { name: `Work ${n} ${'abcdefghijklmnopqrstuvwxyz'[n]}` } })
  const { body } = await app.contributor.get('/api/user/info')
  await refreshFigures(body.id)
}

type Row = { request: string; cost: string }

async function measure(app: App): Promise<Row[]> {
  const { body } = await app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } })
  const dev = app.as(body.access)
  const inside = (await app.anon.get('/data/leaderboard/?page=4')).body.next.slice('http://localhost:8000'.length)
  const boards = {
    'GET /data/leaderboard/': '/data/leaderboard/',
    '?page=4': '/data/leaderboard/?page=4',
    'next of it': inside,
    '?page=300': '/data/leaderboard/?page=300',
    'the last page': '/data/leaderboard/?page=999999999',
    '?page_size=100': '/data/leaderboard/?page_size=100',
    '?institution=': '/data/leaderboard/?institution=Institute%201',
    '?institution=, page_size=100': '/data/leaderboard/?institution=Institute%201&page_size=100',
    '?type=Curation': '/data/leaderboard/?type=Curation',
    'GET /data/contributors/': '/data/contributors/',
    'GET /data/progression/': '/data/progression/',
  }
  const rows: Row[] = []
  for (const [request, path] of Object.entries(boards)) {
    rows.push(await row(`${request}, not kept`, app, app.anon, path, 121))
    rows.push(await row(`${request}, kept`, app, app.anon, path, 0))
  }
  const own = {
    'GET /data/user-stats/, with token': '/data/user-stats/',
    'GET .../unread_count/, with token': '/data/notifications/unread_count/',
  }
  for (const [request, path] of Object.entries(own)) rows.push(await row(request, app, dev, path, 0))
  rows.push(await row('GET /data/activities/', app, app.anon, '/data/activities/', 0))
  rows.push(await recounted(app))
  return rows
}

/** The first time is measured apart where nothing is kept, and left out where something is. */
async function row(request: string, app: App, who: Persona, path: string, tick: number): Promise<Row> {
  const runs = []
  for (let i = 0; i < 7; i += 1) {
    app.tick(tick)
    const started = performance.now()
    const { status, cost, text } = await who.get(path)
    if (status !== 200) return { request, cost: `${status} ${text.slice(0, 60)}` }
    runs.push({ ms: performance.now() - started, cost })
  }
  const ms = runs.map((run) => run.ms).sort((a, b) => a - b)[3] ?? 0
  const last = runs.at(-1)
  return { request, cost: `${last?.cost.calls} / ${last?.cost.units} / ${ms.toFixed(0)}` }
}

/** What the projector spends on one contribution: the figures, rows and counts of one person. */
async function recounted(app: App): Promise<Row> {
  const { measureCost } = await import('../../lib/base/telemetry/request-cost.ts')
  const { refreshFigures } = await import('../../lib/domain/leaderboard/keep.ts')
  const { body } = await app.contributor.get('/api/user/info')
  await app.contributor.post('/cidoc/structures/', { body: { name: `Another ${Date.now().toString(36)}` } })
  const started = performance.now()
  const cost = await measureCost(async (meter) => {
    await refreshFigures(body.id)
    return { calls: meter.calls, units: meter.units }
  })
  const ms = performance.now() - started
  return { request: 'recounting one person', cost: `${cost.calls} / ${cost.units} / ${ms.toFixed(0)}` }
}
