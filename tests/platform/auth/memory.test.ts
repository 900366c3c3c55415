import { afterEach, expect, test } from 'vitest'
import { clock } from '../../../lib/base/clock.ts'
import { tokenMemory } from '../../../lib/platform/auth/memory.ts'

const real = clock.now
afterEach(() => {
  clock.now = real
})
const at = (seconds: number) => {
  clock.now = () => new Date(seconds * 1000)
}

test('an answer is kept until its time', () => {
  const kept = tokenMemory<string>(3)
  at(100)
  kept.set('token', 'dev', 160)
  at(159)
  expect(kept.get('token')).toBe('dev')
  at(160)
  expect(kept.get('token')).toBe(undefined)
  at(100)
  expect(kept.get('token')).toBe(undefined)
})

test('it never holds more than it should; the oldest go first', () => {
  const kept = tokenMemory<number>(3)
  at(0)
  for (let i = 1; i <= 5; i += 1) kept.set(`token ${i}`, i, 10)
  expect([1, 2, 3, 4, 5].map((i) => kept.get(`token ${i}`))).toEqual([undefined, undefined, 3, 4, 5])
})
