import { expect, test } from 'vitest'
import { looksAlike } from '../../../lib/engines/matching/index.ts'
import { freshDuplicates, freshTraps } from './fresh-pairs.ts'
import { duplicatePairs, type RecordPair, traps } from './pairs.ts'

/** Duplicates and traps from our own heads: how many of them the rule sees. */

const metresEast = (metres: number) => ({ lat: 27.7, lng: 85.3 + metres / 98_500 })
const isFlagged = ({ a, b, metres }: RecordPair): boolean =>
  looksAlike({ names: [a], point: metresEast(0) }, { names: [b], point: metresEast(metres) }) !== undefined
const named = (pairs: readonly { a: string; b: string }[]) => pairs.map(({ a, b }) => `${a}, ${b}`)
const missed = (pairs: readonly RecordPair[]) => named(pairs.filter((it) => !isFlagged(it)))
const caught = (pairs: readonly RecordPair[]) => named(pairs.filter(isFlagged))

test('of thirty things that were recorded twice 27 are flagged, and of ten traps none', () => {
  expect([duplicatePairs.length, traps.length]).toEqual([30, 10])
  expect(missed(duplicatePairs)).toEqual([
    'Chilancho Stupa, Chilamchu Chaitya',
    'Lohan Hiti, Lon Hiti',
    'Indrayani Temple, Indrayani Pith',
  ])
  expect(caught(traps)).toEqual([])
})

test('of thirty fresh ones 27 are flagged, and of thirty fresh traps none', () => {
  expect([freshDuplicates.length, freshTraps.length]).toEqual([30, 30])
  expect(missed(freshDuplicates)).toEqual([
    'Meenakshi Amman Temple, Minakshi Amman Kovil',
    'Rockfort Ucchi Pillayar, Uchi Pillaiyar (Rockfort)',
    'Kamalalayam, Kamalalaya Tank',
  ])
  expect(caught(freshTraps)).toEqual([])
})

test.each([
  ['Binayak Mandir', 'Ganapati Temple', 12, 'two names of one god'],
  ['Zelkova Rest House', 'Zelkova Pati', 20, 'a sort of two words'],
  ['Shree Parvatinath', 'Parvati Nath Temple', 60, 'a god written as one word or as two'],
])('%s and %s, %i m apart, are one thing: %s', (a, b, metres, why) => {
  expect(isFlagged({ a, b, metres, why })).toBe(true)
})

test.each([
  ['Ganesh Temple', 'Ganesh Temple Rest House', 60, 'a temple and its rest house'],
  ['Vishnu Temple', 'Mahadev Temple', 12, 'two gods'],
  ['Zelkova Rest House', 'Zelkova Pokhari', 20, 'a rest house and a pond'],
])('%s and %s, %i m apart, are two things: %s', (a, b, metres, why) => {
  expect(isFlagged({ a, b, metres, why })).toBe(false)
})
