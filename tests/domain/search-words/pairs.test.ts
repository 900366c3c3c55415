import { expect, test } from 'vitest'
import { looksAlike } from '../../../lib/engines/matching/index.ts'
import { duplicatePairs, type RecordPair, traps } from './pairs.ts'

/** Duplicates and traps from our own heads: how many of them the rule sees. */

const metresEast = (metres: number) => ({ lat: 27.7, lng: 85.3 + metres / 98_500 })
const isFlagged = ({ a, b, metres }: RecordPair): boolean =>
  looksAlike({ names: [a], point: metresEast(0) }, { names: [b], point: metresEast(metres) }) !== undefined

test('of thirty things that were recorded twice 27 are flagged, and of ten traps none', () => {
  expect([duplicatePairs.length, traps.length]).toEqual([30, 10])
  expect(duplicatePairs.filter((it) => !isFlagged(it)).map(({ a, b }) => `${a}, ${b}`)).toEqual([
    'Chilancho Stupa, Chilamchu Chaitya',
    'Lohan Hiti, Lon Hiti',
    'Indrayani Temple, Indrayani Pith',
  ])
  expect(traps.filter(isFlagged)).toEqual([])
})
