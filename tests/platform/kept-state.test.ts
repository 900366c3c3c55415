import { afterEach, expect, test } from 'vitest'
import { clock } from '../../lib/base/clock.ts'
import { forgetKeptState, provideKeptState, refreshKeptState } from '../../lib/platform/kept-state.ts'

const { now } = clock
afterEach(() => {
  clock.now = now
})

test('state is read every ten seconds, at once after it was forgotten, and again after a failure', async () => {
  let [at, reads, fails] = [1_000_000, 0, false]
  clock.now = () => new Date(at)
  provideKeptState(async () => {
    reads += 1
    if (fails) throw new Error('away')
  })
  await refreshKeptState()
  await refreshKeptState()
  expect(reads).toBe(1)
  at += 9999
  await refreshKeptState()
  expect(reads).toBe(1)
  at += 1
  await refreshKeptState()
  expect(reads).toBe(2)
  forgetKeptState()
  fails = true
  await refreshKeptState()
  expect(reads).toBe(3)
  await refreshKeptState()
  expect(reads).toBe(4)
})
