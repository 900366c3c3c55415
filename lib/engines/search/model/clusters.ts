import type { Columns } from '../index/columns.ts'
import type { PointCluster } from '../query.ts'

/** The most cells of an answer. Geohashes are made shorter until their cells are few enough. */
const MOST_CELLS = 1000
/** Digits of the longest geohash: a cell of about 150 m. */
const MOST_DIGITS = 7

/** Counts points in the cells of a geohash grid, with the mean of their coordinates. */
export function clusterPoints({ lat, lng }: Columns, numbers: Uint32Array): PointCluster[] {
  for (let length = MOST_DIGITS; ; length -= 1) {
    const cells = cellsOf(lat, lng, numbers, length)
    if (cells.length <= MOST_CELLS || length === 1) return cells
  }
}

function cellsOf(lat: Float64Array, lng: Float64Array, numbers: Uint32Array, length: number): PointCluster[] {
  const sums = new Map<string, { count: number; lat: number; lng: number }>()
  for (const number of numbers) {
    const [north, east] = [lat[number] ?? 0, lng[number] ?? 0]
    const cell = geohash(north, east, length)
    const sum = sums.get(cell) ?? { count: 0, lat: 0, lng: 0 }
    sums.set(cell, { count: sum.count + 1, lat: sum.lat + north, lng: sum.lng + east })
  }
  return [...sums]
    .map(([cell, sum]) => ({ geohash: cell, count: sum.count, lat: sum.lat / sum.count, lng: sum.lng / sum.count }))
    .sort((a, b) => (a.geohash < b.geohash ? -1 : 1))
}

const DIGITS = '0123456789bcdefghjkmnpqrstuvwxyz'

/**
 * Makes the geohash of a point. Its bits halve the ranges of longitude and latitude by turns. Five bits are one digit.
 */
export function geohash(lat: number, lng: number, length: number): string {
  const ranges: [[number, number], [number, number]] = [
    [-180, 180],
    [-90, 90],
  ]
  let [hash, bits] = ['', 0]
  for (let i = 0; i < length * 5; i += 1) {
    const range = ranges[i % 2 === 0 ? 0 : 1]
    const middle = (range[0] + range[1]) / 2
    const above = (i % 2 === 0 ? lng : lat) >= middle
    range[above ? 0 : 1] = middle
    bits = bits * 2 + (above ? 1 : 0)
    if (i % 5 === 4) {
      hash += DIGITS[bits] ?? ''
      bits = 0
    }
  }
  return hash
}
