import type { Field } from './fields.ts'
import { type FieldForm, isObject, type JsonSchema, Refusal } from './value.ts'

const decimals = '(?:\\.[0-9]{1,20})?'
const zeros = '(?:\\.0{1,20})?'
const lat = `[+-]?(?:90${zeros}|[0-8]?[0-9]${decimals})`
const lng = `[+-]?(?:180${zeros}|(?:1[0-7][0-9]|[0-9]{1,2})${decimals})`
const loose = '[+-]?[0-9]{1,20}(?:\\.[0-9]{1,40})?'

const asPair = (a: string, b: string) => `^ *(${a}) *, *(${b}) *$`
const asWkt = (a: string, b: string) => `^ *[pP][oO][iI][nN][tT] *\\( *(${b}) +(${a}) *\\) *$`
const pair = new RegExp(asPair(lat, lng))
const wkt = new RegExp(asWkt(lat, lng))
const outOfRangePatterns = [new RegExp(asPair(loose, loose)), new RegExp(asWkt(loose, loose))]

const MAX_CHARACTERS = 200

/** Accepts "lat, lng", `{lat, lng}`, or WKT, in which the longitude comes first. Text is stored as it was sent. */
export const points: FieldForm = {
  read: (value) => {
    if (isObject(value)) return readObject(value)
    if (typeof value !== 'string') return notAPoint
    if (value.length > MAX_CHARACTERS)
      return new Refusal(`Ensure this field has no more than ${MAX_CHARACTERS} characters.`)
    if (pair.test(value) || wkt.test(value)) return value
    return outOfRangePatterns.some((form) => form.test(value)) ? outOfRange : notAPoint
  },
  schema: () => ({
    anyOf: [
      { type: 'string', maxLength: MAX_CHARACTERS, pattern: pair.source },
      { type: 'string', maxLength: MAX_CHARACTERS, pattern: wkt.source },
      {
        type: 'object',
        required: ['lat', 'lng'],
        properties: { lat: degreesSchema(90, lat), lng: degreesSchema(180, lng) },
      },
    ],
  }),
}

/** Reads the point among the values of a record. Undefined if they contain none. */
export function pointOf(data: Readonly<Record<string, unknown>>): { lat: number; lng: number } | undefined {
  if (typeof data.coordinates !== 'string') return undefined
  const inPair = pair.exec(data.coordinates)
  if (inPair) return { lat: Number(inPair[1]) + 0, lng: Number(inPair[2]) + 0 }
  const inWkt = wkt.exec(data.coordinates)
  return inWkt ? { lat: Number(inWkt[2]) + 0, lng: Number(inWkt[1]) + 0 } : undefined
}

/** Turns a point that was sent as two numbers into the text that is stored: "lat, lng". */
export function pointText(data: { readonly lat: number; readonly lng: number }): string {
  return `${decimalText(data.lat)}, ${decimalText(data.lng)}`
}

const degreeField = (label: string, maximum: number, textPattern: string): Field => ({
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
  textPattern,
})

/** Two members that forms may send instead of `coordinates`, which alone is stored. */
export const latitude = degreeField('Latitude', 90, lat)
export const longitude = degreeField('Longitude', 180, lng)

function readObject(value: Record<string, unknown>): string | Refusal {
  const north = readDegrees(value.lat, 90, lat)
  const east = readDegrees(value.lng, 180, lng)
  if (north === undefined || east === undefined) return notAPoint
  if (Math.abs(north) > 90 || Math.abs(east) > 180) return outOfRange
  return pointText({ lat: north, lng: east })
}

/**
 * Reads a number of degrees, even a number out of range. Undefined for any other value, and for a spelling that is refused,
 * such as `1e1`.
 */
function readDegrees(value: unknown, maximum: number, pattern: string): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !new RegExp(`^${loose}$`).test(value)) return undefined
  const degrees = Number(value)
  return Math.abs(degrees) > maximum || new RegExp(`^${pattern}$`).test(value) ? degrees : undefined
}

const degreesSchema = (maximum: number, pattern: string): JsonSchema => ({
  anyOf: [
    { type: 'number', minimum: -maximum, maximum },
    { type: 'string', pattern: `^${pattern}$` },
  ],
})

/** Writes an angle without exponent, to nine decimals: a tenth of a millimetre. */
function decimalText(angle: number): string {
  const text = angle.toFixed(9).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}

const notAPoint = new Refusal('Give coordinates as "latitude, longitude" in degrees, for example "27.6716, 85.4284".')
const outOfRange = new Refusal('Latitude must be between -90 and 90, longitude between -180 and 180.')
