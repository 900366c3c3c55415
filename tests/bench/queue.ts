import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { App, Persona } from '../harness/app.ts'
import { print } from './tools/table.ts'

const DAY = 86_400_000

/** Calls, capacity units and time of the review queue by how many records wait, and what the queue adds to a contribution. */
export async function benchQueue(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const rows: Record<string, string>[] = []
  let filled = 0
  for (const size of sizes) {
    const started = performance.now()
    await fill(filled, size)
    filled = size
    process.stderr.write(`${size} waiting in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    const measured = await measure(app)
    measured.forEach(({ request, cost }, i) => {
      rows[i] = { ...(rows[i] ?? { request }), [`at ${size}`]: cost }
    })
  }
  print('Review queue: calls / units / milliseconds (median), by records that wait', rows)
}

async function measure(app: App): Promise<{ request: string; cost: string }[]> {
  const { body } = await app.anon.post('/api/token/', { body: { username: 'reviewer', password: 'heritage-local' } })
  const reviewer = app.as(body.access)
  const deep = (await reviewer.get('/data/review-queue/?offset=50')).body.next
  const requests = {
    'GET /data/review-queue/': '/data/review-queue/',
    '?queue_type=conflicts': '/data/review-queue/?queue_type=conflicts',
    '?ordering=-created_at': '/data/review-queue/?ordering=-created_at',
    '?category=ritual': '/data/review-queue/?category=ritual',
    'next of a page': deep.slice('http://localhost:8000'.length),
    '?search=shrine 17': '/data/review-queue/?search=shrine%2017',
    'GET .../queue_counts/ (not kept)': '/data/review-queue/queue_counts/',
  }
  const rows = []
  for (const [request, path] of Object.entries(requests)) {
    const runs = []
    for (let i = 0; i < 7; i += 1) {
      app.tick(31)
      const started = performance.now()
      const { status, cost } = await reviewer.get(path)
      if (status !== 200) throw new Error(`${request}: ${status}`)
      runs.push({ ms: performance.now() - started, cost })
    }
    const [first] = runs
    const ms = runs.map((run) => run.ms).sort((a, b) => a - b)[3] ?? 0
    rows.push({ request, cost: `${first?.cost.calls} / ${first?.cost.units} / ${ms.toFixed(0)}` })
  }
  return [...rows, ...(await measureReview(app, reviewer))]
}

/** One record through the workspace and a verdict, while all the others wait. */
async function measureReview(app: App, reviewer: Persona): Promise<{ request: string; cost: string }[]> {
  const name = `Measured ${Date.now().toString(36)}`
  const values = { name, note: 'Measured', existence_status: 'Extant', construction_date: '1702' }
  const made = await app.contributor.post('/cidoc/structures/', { body: values })
  const at = `/data/review-workspace/${made.body.cultural_entity_id}/`
  const rows = []
  for (const [request, call] of [
    ['GET .../review-workspace/{id}/', () => reviewer.get(at)],
    ['POST .../decide/ (accept, 4 values)', () => reviewer.post(`${at}decide/`, { body: { verdict: 'accept' } })],
  ] as const) {
    const started = performance.now()
    const { status, cost, body } = await call()
    if (status >= 400) throw new Error(`${request}: ${status} ${JSON.stringify(body)}`)
    rows.push({ request, cost: `${cost.calls} / ${cost.units} / ${(performance.now() - started).toFixed(0)}` })
  }
  return rows
}

/** Waiting records of every age and weight, written as the service would have. */
async function fill(begin: number, end: number): Promise<void> {
  const { clock } = await import('../../lib/base/clock.ts')
  const { recordId } = await import('../../lib/base/ids/address.ts')
  const { ageAt } = await import('../../lib/domain/records/rules/triage.ts')
  const { kinds } = await import('../../lib/domain/kinds/index.ts')
  const { newRecord } = await import('../../lib/domain/records/build.ts')
  const { queueWrites } = await import('../../lib/domain/records/queue-entry.ts')
  const { recordItem } = await import('../../lib/domain/records/items.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const { db, TableName } = await import('../../lib/engines/table/client.ts')
  const at = clock.now().getTime()
  const actor = { id: 'b0000000-0000-4000-8000-000000000001', username: 'bench', email: '' }
  const source = {
    source_type: 'web',
    source_citation: '',
    source_url: '',
    confidence: 'likely',
    data_quality_note: '',
  }
  const { record: template } = newRecord(kinds.structure, 1, {
    data: { name: 'Shrine', note: 'One of many.' },
    source,
    actor: { ...actor, is_staff: false, is_superuser: false, rank: null },
  })
  const counts = new Map<string, number>()
  let batch: object[] = []
  let flying: Promise<void>[] = []
  const write = async (requests: object[]): Promise<void> => {
    const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }))
    const left = UnprocessedItems?.[TableName] ?? []
    if (left.length > 0) await write(left)
  }
  for (let n = begin; n < end; n += 1) {
    const created_at = new Date(at - ((n * 7919) % 6000) * 0.01 * DAY).toISOString()
    const contested = n % 11 === 0
    const it = {
      ...template,
      id: 1000 + n,
      entity_id: recordId(kinds.structure.code, 1000 + n),
      name: `Shrine ${n}`,
      category: n % 40 === 0 ? 'ritual' : 'monument',
      open_flags: n % 4,
      open_contradictions: contested && n % 4 > 0 ? 1 : 0,
      contradicted: contested,
      worst_source_rank: n % 7,
      created_at,
      queue_age: ageAt(created_at, at),
    }
    for (const { action, counts: changes } of [put(recordItem, it, undefined), ...queueWrites(undefined, it)]) {
      batch.push({ PutRequest: { Item: action.Put?.Item } })
      for (const [list, by] of Object.entries(changes)) counts.set(list, (counts.get(list) ?? 0) + by)
      if (batch.length < 25) continue
      flying.push(write(batch))
      batch = []
    }
    if (flying.length < 8) continue
    await Promise.all(flying)
    flying = []
  }
  if (batch.length > 0) flying.push(write(batch))
  await Promise.all(flying)
  const { addToNumbers } = await import('../../lib/engines/table/write.ts')
  const { counterChanges } = await import('../../lib/engines/table/counters.ts')
  for (const { at, adds } of counterChanges(counts)) await addToNumbers(at, adds)
}
