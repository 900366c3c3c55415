import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb'
import { setMember } from './shape.ts'

/** An item in DynamoDB's JSON, such as `{"name": {"S": "text"}}`. Undefined members are left out. Fails for values that no attribute can hold. */
export function toWire(item: object): Record<string, unknown> {
  const wire: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(item)) if (value !== undefined) setMember(wire, name, valueToWire(value))
  return wire
}

function valueToWire(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return { S: value }
    case 'boolean':
      return { BOOL: value }
    case 'number':
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? { N: String(value) } : byUtil(value)
  }
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.filter((each) => each !== undefined).map(valueToWire) }
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') }
  return isPlain(value) ? { M: toWire(value) } : byUtil(value)
}

const isPlain = (value: unknown): value is object => {
  if (typeof value !== 'object' || value === null) return false
  const parent = Object.getPrototypeOf(value)
  return parent === Object.prototype || parent === null
}

/** The SDK converts sets and large numbers, and refuses what cannot be stored. */
const byUtil = (value: unknown): unknown => convertToAttr(value as never, { removeUndefinedValues: true })

/** A number of the table. The SDK converts one that is too large for a JavaScript number, or fails. */
export function numberOf(text: string): unknown {
  const number = Number(text)
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : convertToNative({ N: text })
}

/** Bytes of the table, which sends them in base64. */
export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
