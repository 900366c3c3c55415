import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

let app: App
let alone: typeof import('../../../lib/engines/table/alone.ts').alone
beforeAll(async () => {
  app = await openApp()
  alone = (await import('../../../lib/engines/table/alone.ts')).alone
})

test('of many at once one works, and the next may when it has ended, well or badly', async () => {
  let atWork = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++atWork)
    await new Promise((done) => setTimeout(done, 50))
    atWork -= 1
    return 'done'
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => alone('many', 60, work)))
  expect([answers.filter((it) => it === 'done').length, answers.filter((it) => it === undefined).length]).toEqual([
    1, 7,
  ])
  expect(most).toBe(1)
  await expect(alone('many', 60, async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await alone('many', 60, work)).toBe('done')
})

test('whoever is stopped in the middle keeps others off until it would have ended', async () => {
  const { promise: held, resolve: stopped } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const first = alone('stopped', 60, () => {
    begin()
    return held
  })
  await begun
  app.tick(59)
  expect(await alone('stopped', 60, async () => 'in')).toBeUndefined()
  app.tick(1)
  // The one that comes late back does not take away what another holds.
  const second = alone('stopped', 60, async () => {
    stopped()
    await first
    return alone('stopped', 60, async () => 'third')
  })
  expect(await second).toBeUndefined()
})

test('other work goes on beside it', async () => {
  expect(await alone('one', 60, () => alone('other', 60, async () => 'both'))).toBe('both')
})
