import { beforeEach, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { commandsOf, contribute, decide, sure } from '../../harness/make.ts'

const DAY = 86_400
let app: App
let it: { id: number; cultural_entity_id: string }
let elapsed = 0
const tick = (seconds: number) => {
  elapsed += seconds
  app.tick(seconds)
}

beforeEach(async () => {
  app ??= await openApp({ env: { LOG_LEVEL: 'silent' } })
  tick(-elapsed)
  it = await contribute(app.contributor, 'structures', { name: 'Swept' })
  return async () => {
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
  }
})

const sweep = async () => {
  const { handler } = await import('../../../functions/sweeper.ts')
  return (await handler({ chores: 'often' })).moved ?? 0
}
const stored = async () => {
  const { loadRecordById } = await import('../../../lib/domain/records/write.ts')
  return loadRecordById(it.cultural_entity_id)
}
/** How many are expiring by the exact counter alone, without what is overdue. */
const counter = async () => {
  const { countKeys, sumOf } = await import('../../../lib/engines/table/counters.ts')
  const { getMany } = await import('../../../lib/engines/table/read.ts')
  const { queueLists } = await import('../../../lib/domain/records/queue-entry.ts')
  const names = [queueLists.size('expiring')]
  return sumOf(names, await getMany(countKeys(names)))
}

test('what has waited for fourteen days is moved to the expiring, after thirty to the aged', async () => {
  expect([await sweep(), (await stored())?.queue_age]).toEqual([0, 'fresh'])
  tick(14 * DAY)
  expect([await sweep(), (await stored())?.queue_age, await counter()]).toEqual([1, 'expiring', 1])
  tick(16 * DAY)
  expect([await sweep(), (await stored())?.queue_age, await counter()]).toEqual([1, 'aged', 1])
  sure(201, await decide(app.community, it, { verdict: 'accept' }))
  expect(await counter()).toBe(0)
})

test('a sweeper that was away for long moves straight to where things belong', async () => {
  tick(40 * DAY)
  expect([await sweep(), (await stored())?.queue_age]).toEqual([1, 'aged'])
})

test('coming twice changes nothing', async () => {
  tick(20 * DAY)
  expect(await sweep()).toBe(1)
  const before = await stored()
  expect(await sweep()).toBe(0)
  expect(await stored()).toEqual(before)
})

test('two sweepers at once move each thing once', async () => {
  tick(20 * DAY)
  const moved = await Promise.all([sweep(), sweep()])
  expect(moved.reduce((sum, each) => sum + each, 0)).toBe(1)
  expect(await counter()).toBe(1)
})

test('changes neither what a record says nor when it was changed', async () => {
  const before = await stored()
  tick(20 * DAY)
  await sweep()
  expect(await stored()).toEqual({ ...before, queue_age: 'expiring', version: (before?.version ?? 0) + 1 })
})

test('leaves alone what has been decided meanwhile', async () => {
  tick(20 * DAY)
  sure(201, await decide(app.community, it, { verdict: 'accept' }))
  expect(await sweep()).toBe(0)
})

test('with nothing to do costs one look for each chore, and two writes to be alone', async () => {
  const { handler } = await import('../../../functions/sweeper.ts')
  const commands = await commandsOf(() => handler({ chores: 'often' }))
  expect([commands[0], commands.filter((it) => it === 'PutItemCommand').length]).toEqual(['PutItemCommand', 2])
  // The first visit also stamps the layout of the table, and begins to follow what is watched.
  expect(commands.length).toBeLessThanOrEqual(15)
  expect((await commandsOf(() => handler({ chores: 'often' }))).length).toBeLessThanOrEqual(15)
})

test('a record that returns to the queue after a year is at once where it belongs', async () => {
  sure(201, await decide(app.community, it, { verdict: 'accept' }))
  tick(365 * DAY)
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Later' } }))
  expect([await sweep(), (await stored())?.queue_age]).toEqual([0, 'aged'])
})
