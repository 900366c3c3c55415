import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { clock } from '../../../lib/base/clock.ts'
import { lru } from '../../../lib/base/lru.ts'

const real = clock.now
afterEach(() => {
  clock.now = real
})
const at = (ms: number) => {
  clock.now = () => new Date(ms)
}

describe('a cache', () => {
  test('gives back what it was given last', () => {
    const kept = lru<string, number>(3)
    kept.set('a', 1)
    kept.set('a', 2)
    expect([kept.get('a'), kept.get('b')]).toEqual([2, undefined])
    kept.delete('a')
    kept.delete('b')
    expect(kept.get('a')).toBe(undefined)
  })

  test('keeps what was asked for while the rest makes room', () => {
    const kept = lru<string, number>(3)
    for (const key of ['a', 'b', 'c']) kept.set(key, 1)
    for (const key of ['d', 'e', 'f']) {
      kept.get('a')
      kept.set(key, 1)
    }
    expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => kept.get(key))).toEqual(['a', 'e', 'f'])
  })

  test('makes room when all that it holds was asked for', () => {
    const kept = lru<string, number>(2)
    for (const key of ['a', 'b']) kept.set(key, 1)
    for (const key of ['a', 'b']) kept.get(key)
    kept.set('c', 1)
    expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([undefined, 1, 1])
  })

  test('gives nothing from the millisecond on in which its time is over', () => {
    const kept = lru<string, number>(3)
    at(1000)
    kept.set('a', 1, 2000)
    at(1999)
    expect(kept.get('a')).toBe(1)
    at(2000)
    expect(kept.get('a')).toBe(undefined)
    at(1000)
    expect(kept.get('a')).toBe(undefined)
  })

  test('spares nothing whose time is over', () => {
    const kept = lru<string, number>(2)
    at(0)
    kept.set('a', 1, 10)
    kept.set('b', 1)
    kept.get('a')
    at(10)
    kept.set('c', 1)
    expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([undefined, 1, 1])
  })

  test('keeps no value that is larger than all its room, nor what stood under its key', () => {
    const kept = lru<string, string>(3, (value) => value.length)
    kept.set('a', 'xx')
    kept.set('a', 'xxxx')
    expect(kept.get('a')).toBe(undefined)
    kept.set('b', 'xxx')
    expect(kept.get('b')).toBe('xxx')
  })

  test('never holds more than its room, nor a value that it was not given, whatever is done', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), key, size: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ do: fc.constantFrom('get' as const, 'delete' as const), key, size: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const kept = lru<string, { size: number }>(10, ({ size }) => size)
        const given = new Map<string, { size: number }>()
        for (const it of steps) {
          if (it.do === 'get') kept.get(it.key)
          if (it.do === 'delete') kept.delete(it.key)
          if (it.do === 'delete') given.delete(it.key)
          if (it.do === 'set') {
            const value = { size: it.size }
            kept.set(it.key, value)
            given.set(it.key, value)
            expect(kept.get(it.key)).toBe(value)
          }
        }
        const held = ['a', 'b', 'c', 'd', 'e'].flatMap((each) => kept.get(each) ?? [])
        expect(held.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(10)
        for (const value of held) expect([...given.values()]).toContain(value)
      }),
    )
  })
})
