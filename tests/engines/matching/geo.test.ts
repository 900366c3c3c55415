import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  distanceInMetres,
  gridCell,
  gridCellsNear,
  type Point,
  readAngle,
  roundPoint,
} from '../../../lib/engines/matching/geo.ts'

const point = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
})
const dateLine = fc.record({
  lat: fc.double({ min: -89, max: 89, noNaN: true }),
  lng: fc.constantFrom(-180, 180, 179.9999, -179.9999),
})
const polar = fc.record({
  lat: fc.constantFrom(90, -90, 89.9999, -89.9995),
  lng: fc.double({ min: -180, max: 180, noNaN: true }),
})
const anywhere = fc.oneof(point, dateLine, polar)

describe('readAngle', () => {
  test.each([
    [['27', '30', '36', 'N'], 27.51],
    [['85', '15', undefined, 'w'], -85.25],
    [['-27.5'], -27.5],
    [['-27.5', '0', '0', 'S'], -27.5],
    [['27.5', '', '', 'W'], -27.5],
    [['27', '60'], Number.NaN],
    [['27', '0', '60'], Number.NaN],
    [['north'], Number.NaN],
  ] as const)('%j', (parts, angle) => {
    expect(readAngle(...parts)).toBe(angle)
  })
})

describe('distanceInMetres', () => {
  test('a degree of latitude is about 111 km', () => {
    expect(distanceInMetres({ lat: 27, lng: 85 }, { lat: 28, lng: 85 })).toBeCloseTo(111_195, -1)
  })

  test('points on both sides of the date line are near', () => {
    expect(distanceInMetres({ lat: 0, lng: 179.9999 }, { lat: 0, lng: -179.9999 })).toBeLessThan(25)
  })

  test('the way there is as long as the way back', () => {
    fc.assert(
      fc.property(anywhere, anywhere, (a, b) => {
        expect(distanceInMetres(a, b)).toBeCloseTo(distanceInMetres(b, a), 6)
      }),
    )
  })

  test('nothing is farther than half way round', () => {
    fc.assert(
      fc.property(anywhere, anywhere, (a, b) => distanceInMetres(a, b) >= 0 && distanceInMetres(a, b) <= 20_015_200),
    )
  })
})

describe('grid', () => {
  test('keys sort as their numbers do', () => {
    fc.assert(
      fc.property(point, point, (a, b) => {
        if (a.lat < b.lat) expect(gridCell(a).row <= gridCell(b).row).toBe(true)
        expect(gridCell(a).row.length + gridCell(a).col.length).toBe(12)
      }),
    )
  })

  test('the range holds every point within 150 m', () => {
    const walk = fc.double({ min: 0, max: 150, noNaN: true })
    const bearing = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true })
    fc.assert(
      fc.property(anywhere, walk, bearing, (from, distance, heading) => {
        const to = walked(from, distance, heading)
        fc.pre(distanceInMetres(from, to) <= 150)
        expect(covers(from, to)).toBe(true)
      }),
      { numRuns: 200000 },
    )
  })

  test('in Nepal it is at most three rows of a few cells', () => {
    const ranges = gridCellsNear({ lat: 27.7215, lng: 85.362 })
    expect(ranges.length).toBeLessThanOrEqual(3)
    expect(ranges.every(({ from, to }) => Number(to) - Number(from) <= 3)).toBe(true)
  })

  test('at the date line each row has two ranges', () => {
    expect(gridCellsNear({ lat: 0.0003, lng: 180 }).length % 2).toBe(0)
    expect(gridCellsNear({ lat: 0.0003, lng: 180 })).toContainEqual(expect.objectContaining({ from: '000000' }))
  })

  test('a far point is outside', () => {
    expect(covers({ lat: 27.7, lng: 85.3 }, { lat: 27.71, lng: 85.3 })).toBe(false)
    expect(covers({ lat: 27.7, lng: 85.3 }, { lat: 27.7, lng: 85.31 })).toBe(false)
  })
})

describe('roundPoint', () => {
  test('a sensitive place is given to a tenth of a degree', () => {
    expect(roundPoint({ lat: 27.7215, lng: 85.362 })).toEqual({ lat: 27.7, lng: 85.4 })
    expect(roundPoint({ lat: -0.01, lng: 0.3 })).toEqual({ lat: 0, lng: 0.3 })
  })

  test('rounding moves a coordinate by half a step at most', () => {
    fc.assert(fc.property(point, (it) => Math.abs(roundPoint(it).lat - it.lat) <= 0.05 + 1e-6))
  })
})

function covers(from: Point, to: Point): boolean {
  const { row, col } = gridCell(to)
  return gridCellsNear(from).some((range) => range.row === row && range.from <= col && col <= range.to)
}

/** The place reached by walking straight on a sphere. */
function walked(from: Point, distance: number, heading: number): Point {
  const [lat, lng, arc] = [(from.lat * Math.PI) / 180, (from.lng * Math.PI) / 180, distance / 6_371_008.8]
  const up = Math.asin(Math.sin(lat) * Math.cos(arc) + Math.cos(lat) * Math.sin(arc) * Math.cos(heading))
  const east = Math.atan2(
    Math.sin(heading) * Math.sin(arc) * Math.cos(lat),
    Math.cos(arc) - Math.sin(lat) * Math.sin(up),
  )
  return { lat: (up * 180) / Math.PI, lng: ((((((lng + east) * 180) / Math.PI + 180) % 360) + 360) % 360) - 180 }
}
