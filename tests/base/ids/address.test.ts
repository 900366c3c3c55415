import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newPackIds } from '../../../lib/base/clock.ts'
import { addressOf, childId, recordId } from '../../../lib/base/ids/address.ts'

const kind = fc.integer({ min: 1, max: 255 })
const sequence = fc.integer({ min: 1, max: 2 ** 40 - 1 })
// Until the year 2109.
const time = fc.integer({ min: 0, max: 2 ** 42 - 1 })
const counter = fc.integer({ min: 0, max: 0xfff })
const chance = fc.integer({ min: 0, max: 0xfffff })
/** RFC 9562: version 8, variant 10. */
const version8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a review identity', () => {
  test('is a UUID of version 8 and tells kind and number', () => {
    fc.assert(
      fc.property(kind, sequence, (code, number) => {
        const id = recordId(code, number)
        expect(id).toMatch(version8)
        expect(addressOf(id)).toEqual({ kindCode: code, sequence: number, record: id })
      }),
    )
  })

  test('is always the same for the same record, and differs from that of any other', () => {
    fc.assert(
      fc.property(kind, sequence, kind, sequence, (a, m, b, n) => {
        expect(recordId(a, m) === recordId(b, n)).toBe(a === b && m === n)
        expect(recordId(a, m)).toBe(recordId(a, m))
      }),
    )
  })

  test('does not tell the next one', () => {
    const tail = (id: string) => id.slice(15)
    const tails = Array.from({ length: 1000 }, (_, i) => tail(recordId(1, i + 1)))
    expect(new Set(tails).size).toBe(1000)
  })
})

describe('the id of something in a partition', () => {
  test('is a UUID of version 8 and tells its record, but is not it', () => {
    fc.assert(
      fc.property(kind, sequence, time, counter, chance, (code, number, at, count, luck) => {
        const record = recordId(code, number)
        const id = childId(record, at, count, luck)
        expect(id).toMatch(version8)
        expect(addressOf(id)).toEqual({ kindCode: code, sequence: number, record })
        expect(id).not.toBe(record)
      }),
    )
  })

  test('sorts by time, then by count, then by chance', () => {
    const moment = fc.tuple(time, counter, chance)
    fc.assert(
      fc.property(kind, sequence, moment, moment, (code, number, a, b) => {
        const record = recordId(code, number)
        const [x, y] = [childId(record, ...a), childId(record, ...b)]
        const first = a.findIndex((part, i) => part !== b[i])
        if (first < 0) return expect(x).toBe(y)
        expect(x < y).toBe((a[first] ?? 0) < (b[first] ?? 0))
      }),
    )
  })
})

describe('another text', () => {
  test.each([
    '',
    'x',
    '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10',
    '08000000-0001-7851-8967-d50000bbc022',
    '08000000-0001-8851-c967-d50000bbc022',
    recordId(1, 1).toUpperCase().replace(/\d/, 'A'),
    `${recordId(1, 1)} `,
    recordId(1, 1).replaceAll('-', ''),
    `${recordId(1, 1)}\n`,
  ])('%j has no address', (text) => {
    expect(addressOf(text)).toBeUndefined()
  })

  test('with a right address and a wrong digest is another id than the record', () => {
    const id = recordId(8, 5)
    const forged = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
    expect(addressOf(forged)?.record).toBe(id)
    expect(addressOf(forged)?.record === forged).toBe(false)
  })
})

test('the ids of a pack sort as they were made, wherever the counter of the process stands', () => {
  for (let pack = 0; pack < 200; pack += 1) {
    const nextId = newPackIds(recordId(1, 7))
    const ids = Array.from({ length: 60 }, nextId)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(60)
  }
})
