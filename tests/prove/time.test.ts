import { randomBytes, scrypt, subtle } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import timers from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { BASE, inSimulation, Time, takeOver } from './world/time.ts'

const HOUR_MS = 3_600_000
const { setTimeout: kept } = globalThis
let time = new Time()
takeOver(
  () => time,
  () => false,
  () => 0.5,
)

const doors: Readonly<Record<string, () => Promise<unknown>>> = {
  'the global object': () => new Promise((done) => globalThis.setTimeout(done, HOUR_MS)),
  'the module of timers': () => new Promise((done) => timers.setTimeout(done, HOUR_MS)),
  'timers as promises': () => sleep(HOUR_MS),
  'a signal that ends': () =>
    new Promise((done) => AbortSignal.timeout(HOUR_MS).addEventListener('abort', done, { once: true })),
  'a beat': () => new Promise<void>((done) => void timers.setInterval(done, HOUR_MS)),
}

test.each(Object.entries(doors))('a timer that comes in by %s is one of simulated time', async (_, wait) => {
  time = new Time()
  await inSimulation(() => time.until(wait()))
  expect(time.now).toBe(HOUR_MS)
})

test('a request ends by the time that its function has left, and none of it is of the real clock', async () => {
  time = new Time()
  const handler = middy().handler(() => new Promise((done) => setTimeout(done, HOUR_MS)))
  const context = { getRemainingTimeInMillis: () => 29_000 } as Context
  const answer = inSimulation(() => time.until(Promise.resolve(handler({}, context))))
  await expect(answer).rejects.toThrow('The operation was aborted')
  expect(time.now).toBe(28_995)
})

test('the time of day is that of simulated time, and of the real clock outside of it', () => {
  time = new Time()
  time.advance(HOUR_MS)
  const days = () => [Date.now(), new Date().toJSON(), new Date(5).getTime(), new Date() instanceof Date]
  expect(inSimulation(days)).toEqual([BASE + HOUR_MS, '2025-01-15T11:00:00.000Z', 5, true])
  expect(Date.now()).toBeGreaterThan(BASE + 24 * HOUR_MS)
})

test('what was called off moves nothing on while something else is waited for', async () => {
  time = new Time()
  time.after(HOUR_MS, () => undefined)()
  await time.until(new Promise((done) => setTimeout(done, 20)))
  expect(time.now).toBe(0)
})

test('time stands still while threads are at work: they hash, sign, make keys, read files and draw pictures', async () => {
  time = new Time()
  time.after(1, () => undefined)
  const keyed = () => subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const works: readonly (() => Promise<unknown>)[] = [
    async () => subtle.sign('HMAC', await keyed(), Buffer.from('signed')),
    () => subtle.digest('SHA-256', Buffer.from('hashed')),
    () => promisify(scrypt)('password', 'salt', 32),
    () => readFile(import.meta.filename),
    () =>
      sharp({ create: { width: 900, height: 900, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
  ]
  for (const work of works) {
    await time.until(work())
    expect([time.now, work]).toEqual([0, work])
  }
  // What is done at once holds nobody up.
  randomBytes(8)
  await inSimulation(() => time.until(sleep(1)))
  expect(time.now).toBe(1)
})

test('a timer of the real clock in simulated time is told with where it was set', async () => {
  time = new Time()
  const asked = inSimulation(() => time.until(new Promise((done) => kept(done, HOUR_MS))))
  await expect(asked).rejects.toThrow('a timer of the real clock is set in simulated time')
  await expect(time.until(Promise.resolve('done'))).resolves.toBe('done')
})
