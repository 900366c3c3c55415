/** A point on the earth in degrees (WGS 84). */
export type Point = { lat: number; lng: number }

/** Neighbouring grid cells of one row, both ends included. */
export type Cells = { row: string; from: string; to: string }

/**
 * The distance of two points along the surface, in metres, by the haversine formula on a sphere (error at most 0.6 %).
 */
export function distanceInMetres(a: Point, b: Point): number {
  const across = Math.sin(radians(wrap(b.lng - a.lng)) / 2)
  const up = Math.sin(radians(b.lat - a.lat) / 2)
  const chord = up * up + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * across * across
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/**
 * Finds the grid cell of a point. A row is about 157 m high. A column is as wide at the equator, and narrower elsewhere. Both are texts that
 * sort like their numbers.
 */
export function gridCell(point: Point): { row: string; col: string } {
  return { row: line(rowOf(point.lat)), col: line(colOf(wrap(point.lng))) }
}

/**
 * Finds the cells that contain all points within `reach` metres: one range for each row. A circle that crosses the date line takes two, and
 * a circle around a pole takes whole rows.
 */
export function gridCellsNear(point: Point, reach = 150): Cells[] {
  const high = degrees(reach / earthRadius) * slack
  const rows = range(rowOf(point.lat - high), rowOf(point.lat + high))
  const spans = spansOf(wrap(point.lng), halfWidth(point.lat, reach))
  return rows.flatMap((row) => spans.map(([west, east]) => ({ row: line(row), from: line(west), to: line(east) })))
}

/** Rounds both coordinates of a point to a multiple of `step` degrees. */
export function roundPoint(point: Point, step = 0.1): Point {
  return { lat: roundOne(point.lat, step), lng: roundOne(point.lng, step) }
}

/**
 * Reads an angle from its parts, in degrees. With the letter S or W as `side` it is negative, whatever its own sign. An empty part is 0. NaN
 * if a part is no number, or if minutes or seconds are 60 or more.
 */
export function readAngle(degrees = '', minutes = '0', seconds = '0', side = ''): number {
  const [whole, sixtieths, rest] = [Number(degrees), Number(minutes), Number(seconds)]
  if (sixtieths >= 60 || rest >= 60) return Number.NaN
  const angle = whole + sixtieths / 60 + rest / 3600
  return /[SW]/i.test(side) ? -Math.abs(angle) : angle
}

const earthRadius = 6_371_008.8
/** Cells per degree, in both directions. */
const perDegree = 710
const lastRow = 180 * perDegree - 1
const lastCol = 360 * perDegree - 1
/** A factor that keeps a point at exactly `reach` inside in spite of rounding. */
const slack = 1 + 1e-9

const radians = (angle: number) => (angle * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** Brings a longitude into [-180, 180). */
function wrap(lng: number): number {
  return lng >= -180 && lng < 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180
}

const rowOf = (lat: number) => Math.max(0, Math.min(lastRow, Math.floor((lat + 90) * perDegree)))
const colOf = (lng: number) => Math.max(0, Math.min(lastCol, Math.floor((lng + 180) * perDegree)))
const line = (cell: number) => String(cell).padStart(6, '0')

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, step) => from + step)
}

/**
 * Half of the width of a circle, in degrees of longitude: asin(sin r / cos lat). A circle is widest nearer to the pole than at its centre.
 * Undefined if a pole is inside.
 */
function halfWidth(lat: number, reach: number): number | undefined {
  const wide = Math.sin(Math.min(Math.PI / 2, reach / earthRadius)) / Math.cos(radians(lat))
  return wide > 0 && wide < 1 ? degrees(Math.asin(wide)) * slack : wide === 0 ? 0 : undefined
}

function spansOf(lng: number, half: number | undefined): [number, number][] {
  if (half === undefined || half >= 180) return [[0, lastCol]]
  const [west, east] = [lng - half, lng + half]
  if (west >= -180 && east < 180) return [[colOf(west), colOf(east)]]
  return [
    [colOf(wrap(west)), lastCol],
    [0, colOf(wrap(east))],
  ]
}

/** Rounds to whole steps. Six decimals drop the noise of sums such as 0.1 + 0.2. */
function roundOne(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(6)) + 0
}
