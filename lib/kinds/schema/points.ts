import type { Field } from './fields.ts'
import type { Form } from './form.ts'
import { isObject, type Json, Refused } from './value.ts'

const decimals = '(?:\\.[0-9]{1,20})?'
const zeros = '(?:\\.0{1,20})?'
const lat = `[+-]?(?:90${zeros}|[0-8]?[0-9]${decimals})`
const lng = `[+-]?(?:180${zeros}|(?:1[0-7][0-9]|[0-9]{1,2})${decimals})`
const loose = '[+-]?[0-9]{1,20}(?:\\.[0-9]{1,40})?'

const asPair = (a: string, b: string) => `^ *(${a}) *, *(${b}) *$`
const asWkt = (a: string, b: string) => `^ *[pP][oO][iI][nN][tT] *\\( *(${b}) +(${a}) *\\) *$`
const pair = new RegExp(asPair(lat, lng))
const wkt = new RegExp(asWkt(lat, lng))
const almost = [new RegExp(asPair(loose, loose)), new RegExp(asWkt(loose, loose))]

const longest = 200

/** "lat, lng", {lat, lng} or WKT with the longitude first; kept as the text that was sent. */
export const points: Form = {
  read: (value) => {
    if (isObject(value)) return fromObject(value)
    if (typeof value !== 'string') return misread
    if (value.length > longest) return new Refused(`Ensure this field has no more than ${longest} characters.`)
    if (pair.test(value) || wkt.test(value)) return value
    return almost.some((form) => form.test(value)) ? outOfRange : misread
  },
  schema: () => ({
    anyOf: [
      { type: 'string', maxLength: longest, pattern: pair.source },
      { type: 'string', maxLength: longest, pattern: wkt.source },
      { type: 'object', required: ['lat', 'lng'], properties: { lat: degrees(90, lat), lng: degrees(180, lng) } },
    ],
  }),
}

/** The point of a contribution; undefined without one. */
export function pointOf(data: Readonly<Record<string, unknown>>): { lat: number; lng: number } | undefined {
  if (typeof data.coordinates !== 'string') return undefined
  const inPair = pair.exec(data.coordinates)
  if (inPair) return { lat: Number(inPair[1]) + 0, lng: Number(inPair[2]) + 0 }
  const inWkt = wkt.exec(data.coordinates)
  return inWkt ? { lat: Number(inWkt[2]) + 0, lng: Number(inWkt[1]) + 0 } : undefined
}

/** The text of a point that came as two numbers. */
export function pointText(data: { readonly lat: number; readonly lng: number }): string {
  return `${decimal(data.lat)}, ${decimal(data.lng)}`
}

const degree = (label: string, maximum: number, written: string): Field => ({
  type: 'float',
  label,
  description: `${label} in degrees.`,
  section: 'basic',
  required: false,
  multivalued: false,
  compare: 'number',
  aliases: [],
  minimum: -maximum,
  maximum,
  written,
})

/** The two members that together stand for coordinates. They are taken but not stored. */
export const latitude = degree('Latitude', 90, lat)
export const longitude = degree('Longitude', 180, lng)

function fromObject(value: Record<string, unknown>): string | Refused {
  const north = angle(value.lat, 90, lat)
  const east = angle(value.lng, 180, lng)
  if (north === undefined || east === undefined) return misread
  if (Math.abs(north) > 90 || Math.abs(east) > 180) return outOfRange
  return pointText({ lat: north, lng: east })
}

/** A number of degrees, perhaps too many; undefined for what is none, or is written in a way that is not taken. */
function angle(value: unknown, maximum: number, pattern: string): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !new RegExp(`^${loose}$`).test(value)) return undefined
  const degrees = Number(value)
  return Math.abs(degrees) > maximum || new RegExp(`^${pattern}$`).test(value) ? degrees : undefined
}

const degrees = (maximum: number, pattern: string): Json => ({
  anyOf: [
    { type: 'number', minimum: -maximum, maximum },
    { type: 'string', pattern: `^${pattern}$` },
  ],
})

/** Never in exponents, and to a tenth of a millimetre. */
function decimal(angle: number): string {
  const text = angle.toFixed(9).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}

const misread = new Refused('Give coordinates as "latitude, longitude" in degrees, for example "27.6716, 85.4284".')
const outOfRange = new Refused('Latitude must be between -90 and 90, longitude between -180 and 180.')
