import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  eachPosting,
  impactOf,
  newPackedNumbers,
  PostingList,
  packedBytes,
  pushNumber,
  readPostings,
  unpackNumbers,
  VoicedLists,
  writePostings,
} from '../../../lib/engines/search/index/codec.ts'

/** Numbers around the ends of blocks, and anywhere, ascending. */
const ascending = fc
  .uniqueArray(fc.oneof(fc.nat(100), fc.integer({ min: 65_500, max: 65_600 }), fc.nat(5_000_000)), { maxLength: 200 })
  .map((numbers) => numbers.sort((a, b) => a - b))
const impactFor = (number: number) => 1 + (number % 255)

const listed = (numbers: readonly number[]) => {
  const list = new PostingList()
  for (const number of numbers) list.push(number, impactFor(number))
  return list.postings
}

/** Of each number its voices: some of three. */
const voicesFor = (number: number) => [3, 7, 1].filter((_, i) => number % 4 === 3 || number % 3 === i)

test('postings are read by voice as they were pushed, from lists that grow and from their bytes, wherever these lie', () => {
  fc.assert(
    fc.property(ascending, fc.nat(3), (numbers, shift) => {
      const lists = new VoicedLists()
      for (const number of numbers)
        for (const voice of voicesFor(number)) lists.push(number, { voice, name: impactFor(number), text: 9 })
      const bytes = writePostings(lists.voiced)
      const elsewhere = new Uint8Array(bytes.length + shift)
      elsewhere.set(bytes, shift)
      for (const voiced of [lists.voiced, readPostings(bytes), readPostings(elsewhere.subarray(shift))]) {
        const expected = numbers.flatMap((number) =>
          voicesFor(number).map((voice) => [voice, number, impactFor(number)]),
        )
        const read: number[][] = []
        for (const { voice, postings } of voiced)
          eachPosting(postings, (number, impact) => read.push([voice, number, impact]))
        expect(read).toHaveLength(expected.length)
        expect(new Set(read.map(String))).toEqual(new Set(expected.map(String)))
      }
    }),
  )
})

test('of each number its impact is found, of every other none', () => {
  fc.assert(
    fc.property(ascending, ascending, (numbers, others) => {
      const postings = listed(numbers)
      for (const number of [...numbers, ...others])
        expect(impactOf(postings, number)).toBe(numbers.includes(number) ? impactFor(number) : 0)
    }),
  )
})

test('a full block holds all its documents', () => {
  const postings = listed(Array.from({ length: 65_537 }, (_, i) => i))
  expect(impactOf(postings, 65_535)).toBe(impactFor(65_535))
  expect(impactOf(postings, 65_536)).toBe(impactFor(65_536))
  expect(impactOf(postings, 65_537)).toBe(0)
})

test('numbers without impacts are read as they were pushed', () => {
  fc.assert(
    fc.property(ascending, (numbers) => {
      const list = newPackedNumbers()
      for (const number of numbers) pushNumber(list, number)
      expect([...unpackNumbers(packedBytes(list))]).toEqual(numbers)
    }),
  )
})
