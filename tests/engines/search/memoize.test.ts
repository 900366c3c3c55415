import { expect, test } from 'vitest'
import { memoize } from '../../../lib/engines/search/index/memoize.ts'

const reading = (most: number) => {
  const read: string[] = []
  const of = memoize(
    (key: string) => {
      read.push(key)
      return key === 'nothing' ? undefined : key.toUpperCase()
    },
    most,
    (value) => value.length,
  )
  return { of, read }
}

test('what was read once is not read again', () => {
  const { of, read } = reading(100)
  expect([of('ab'), of('ab'), of('cd'), of('ab')]).toEqual(['AB', 'AB', 'CD', 'AB'])
  expect(read).toEqual(['ab', 'cd'])
})

test('what is not there is asked for each time', () => {
  const { of, read } = reading(100)
  expect([of('nothing'), of('nothing')]).toEqual([undefined, undefined])
  expect(read).toHaveLength(2)
})

test('what is asked for stays while the rest goes, and no more is held than allowed', () => {
  const { of, read } = reading(8)
  for (const key of ['aa', 'bb', 'aa', 'cc', 'aa', 'dd', 'aa', 'ee', 'aa', 'bb']) of(key)
  expect(read).toEqual(['aa', 'bb', 'cc', 'dd', 'ee', 'bb'])
})
