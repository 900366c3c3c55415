import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

let app: App
type Table = typeof import('../../../lib/engines/table/index.ts') &
  typeof import('../../../lib/engines/table/immediate.ts')
let table: Table
let withLock: Table['withLock']
beforeAll(async () => {
  app = await openApp()
  table = {
    ...(await import('../../../lib/engines/table/index.ts')),
    ...(await import('../../../lib/engines/table/immediate.ts')),
  }
  withLock = table.withLock
})

test('of many at once one works, and the next may when it has ended, well or badly', async () => {
  let atWork = 0
  let most = 0
  let refused = 0
  const { promise: othersRefused, resolve: endWork } = Promise.withResolvers<void>()
  const work = async () => {
    most = Math.max(most, ++atWork)
    await othersRefused
    atWork -= 1
    return 'done'
  }
  const tryWork = async () => {
    const answer = await withLock('many', 60, work)
    if (answer === undefined && ++refused === 7) endWork()
    return answer
  }
  const answers = await Promise.all(Array.from({ length: 8 }, tryWork))
  expect(answers.filter((it) => it === 'done')).toHaveLength(1)
  expect(most).toBe(1)
  await expect(withLock('many', 60, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await withLock('many', 60, work)).toBe('done')
})

test('whoever is stopped in the middle keeps others off until it would have ended', async () => {
  const { promise: held, resolve: stopped } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const first = withLock('stopped', 60, () => {
    begin()
    return held
  })
  await begun
  app.tick(59)
  expect(await withLock('stopped', 60, async () => 'in')).toBeUndefined()
  app.tick(1)
  // The one that comes late back does not take away what another holds.
  const second = withLock('stopped', 60, async () => {
    stopped()
    await first
    return withLock('stopped', 60, async () => 'third')
  })
  expect(await second).toBeUndefined()
})

test('the key of an item serves as a lock', async () => {
  const at = { pk: 'REBUILD', sk: 'HEAD' }
  const inside = () => withLock(at, 60, async () => 'second')
  expect(await withLock(at, 60, inside)).toBeUndefined()
  expect(await withLock(at, 60, async () => 'third')).toBe('third')
})

test('other work goes on beside it', async () => {
  expect(await withLock('one', 60, () => withLock('other', 60, async () => 'both'))).toBe('both')
})

describe('a lease as a write', () => {
  const at = { pk: 'LEASE#x', sk: 'HEAD' }
  const busy = () => new Error('busy') as never
  const outcome = (write: import('../../../lib/engines/table/index.ts').Write) =>
    table.commitWrites([write]).then(
      () => 'done',
      (error: Error) => ('code' in error ? error.code : error.message),
    )
  const take = (held_by: string) => outcome(table.acquireLease(at, { ...table.newHolder(60), held_by }, busy))
  const release = (held_by: string) => outcome(table.releaseLease(at, held_by))

  test('has one holder, who may renew it, until it expires', async () => {
    expect((await Promise.all([take('a'), take('b')])).sort()).toEqual(['busy', 'done'])
    const stored = table.itemAt(await table.getMany([at], true), at)
    const [holder, other] = stored?.held_by === 'a' ? ['a', 'b'] : ['b', 'a']
    app.tick(59)
    expect(await take(other)).toBe('busy')
    expect(await take(holder)).toBe('done')
    app.tick(59)
    expect(await take(other)).toBe('busy')
    app.tick(1)
    expect(await take(other)).toBe('done')
  })

  test('is released by its holder alone, and by anyone once it has expired', async () => {
    app.tick(60)
    expect(await take('a')).toBe('done')
    expect(await release('b')).toBe('conflict')
    expect(await release('a')).toBe('done')
    expect(await release('a')).toBe('done')
    expect(await take('a')).toBe('done')
    app.tick(60)
    expect(await release('b')).toBe('done')
  })

  test('removes nothing that lies under its key and is no lease', async () => {
    await table.commitWrites([table.putEntry(at, { text: 'a job' })])
    expect([await release('a'), await take('a')]).toEqual(['conflict', 'busy'])
  })
})

describe('an item that is held', () => {
  const Upload = v.object({
    id: v.string(),
    held_until: v.nullable(v.string()),
    tries: v.number(),
    version: v.number(),
  })
  const declared = () =>
    table.defineItem({
      type: 'test_upload',
      schema: Upload,
      key: (it: { id: string }) => ({ pk: `TEST#${it.id}`, sk: 'HEAD' }),
    })
  const busy = () => new Error('busy') as never
  const made = { id: '1', held_until: null, tries: 0, version: 1 }

  test('is changed by one worker, until it is released or its time is over', async () => {
    const upload = declared()
    await table.commitWrites([table.put(upload, made, undefined)])
    const hold = async () => {
      const old = (await table.get(upload, made)) ?? made
      return table.runUnit((unit) => table.holdItem(unit, upload, old, 60, busy, { tries: old.tries + 1 }))
    }
    const both = await Promise.allSettled([hold(), hold()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const stored = await table.get(upload, made)
    expect(stored).toMatchObject({ tries: 1, version: 2 })
    expect(table.isHeld(stored ?? made)).toBe(true)
    await expect(hold()).rejects.toThrow('busy')
    await table.runUnit((unit) => table.releaseItem(unit, upload, stored ?? made))
    expect(await hold()).toMatchObject({ tries: 2, version: 4 })
    app.tick(60)
    expect(await hold()).toMatchObject({ tries: 3, version: 5 })
  })
})
