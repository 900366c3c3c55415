import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import { findPeriod, readInterval } from '../calendars/index.ts'
import type { GeoBox, Near, SearchQuery } from './query.ts'

// Query members for places and times. A member that cannot be read is refused with a sentence about how to write it.

const optionalText = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.trim() || undefined),
)
/** Programs write a double with up to 17 digits, as GDAL does: `27.6000000000000014`. */
const numbersIn = (text: string): number[] =>
  text.split(',').map((it) => (/^\s*-?\d{1,3}(?:\.\d{1,20})?\s*$/.test(it) ? Number(it) : Number.NaN))

const readWith = <T>(message: string, reader: (text: string) => T | undefined) =>
  v.pipe(
    optionalText,
    v.rawTransform(({ dataset: { value }, addIssue, NEVER }): T | undefined => {
      const parsed = value === undefined ? undefined : reader(value)
      if (value === undefined || parsed !== undefined) return parsed
      addIssue({ message })
      return NEVER
    }),
  )

/**
 * Reads `west,south,east,north`. If west is greater than east, the box crosses the date line. If they are then less than
 * 180 degrees apart, they were probably swapped, so the result is undefined.
 */
function boxIn(text: string): GeoBox | undefined {
  const [west = Number.NaN, south = Number.NaN, east = Number.NaN, north = Number.NaN, ...more] = numbersIn(text)
  const legal = isLongitude(west) && isLongitude(east) && isLatitude(south) && isLatitude(north) && south <= north
  if (west > east && west - east < 180) return undefined
  return legal && more.length === 0 ? { west, south, east, north } : undefined
}

function pointIn(text: string): { lat: number; lng: number } | undefined {
  const [lat = Number.NaN, lng = Number.NaN, ...more] = numbersIn(text)
  return isLatitude(lat) && isLongitude(lng) && more.length === 0 ? { lat, lng } : undefined
}
const isLatitude = (it: number) => Math.abs(it) <= 90
const isLongitude = (it: number) => Math.abs(it) <= 180

/** The largest `within`, in kilometres. */
export const MOST_KM = 1000
/** The distance of `near` without `within`, in kilometres. */
const DEFAULT_KM = 5
function kilometresIn(text: string): number | undefined {
  const kilometres = /^\d{1,4}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  return kilometres > 0 && kilometres <= MOST_KM ? kilometres : undefined
}

/**
 * Reads a date as the years CE that it covers: `1702`, `BS 1759`, `NS 822`, `300 BCE`, `17th century`, `वि.सं. १७५९`.
 */
export function readYears(text: string): { from: number; to: number } | undefined {
  const days = readInterval(text) ?? readInterval(`${text} CE`) ?? findPeriod(text)
  return days && { from: yearOf(days.from), to: yearOf(days.to) }
}
/** The most words of a date that a question names: "the 17th century CE". */
export const MOST_YEAR_WORDS = 4
const yearOf = (day: number) => (Number.isFinite(day) ? new Date(day * 86_400_000).getUTCFullYear() : day)

const NO_DATE =
  'Give a year of our era (1702, 300 BCE), of Bikram Sambat (BS 1759) or of Nepal Sambat (NS 822), or a period (Malla period).'

export const whereEntries = {
  bbox: readWith('Give west, south, east and north in degrees, neither pair swapped: 85.2,27.6,85.5,27.8.', boxIn),
  near: readWith('Give latitude and longitude in degrees: 27.67,85.32.', pointIn),
  within: readWith(`Give kilometres, more than 0 and at most ${MOST_KM}.`, kilometresIn),
  from: readWith(NO_DATE, readYears),
  to: readWith(NO_DATE, readYears),
}
const WhereQuery = v.object(whereEntries)
export type WhereQuery = v.InferOutput<typeof WhereQuery>

/** Turns the place and time of a query into filters. Refuses `within` without `near`, and `to` before `from`. */
export function readWhere({
  bbox,
  near,
  within,
  from,
  to,
}: Partial<WhereQuery>): Pick<SearchQuery, 'box' | 'near' | 'years'> {
  if (within !== undefined && !near) throw invalid({ within: ['Give near as well: the point to measure from.'] })
  const years = from || to ? { from: from?.from ?? -Infinity, to: to?.to ?? Infinity } : undefined
  if (years && years.from > years.to) throw invalid({ to: ['It lies before from.'] })
  const around: Near | undefined = near && { ...near, within: within ?? DEFAULT_KM }
  return { box: bbox, near: around, years }
}

/** Whether a query names a place or a time. */
export const isSomewhere = ({ bbox, near, from, to }: Partial<WhereQuery>): boolean =>
  [bbox, near, from, to].some((it) => it !== undefined)
