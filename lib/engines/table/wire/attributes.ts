import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb'
import { setMember } from './shape.ts'

/** An item as DynamoDB's JSON says it, such as `{"name": {"S": "text"}}`; what is undefined is left out. Fails for what no attribute can hold. */
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

/** Sets, large numbers, and the refusal of what cannot be stored are those of the SDK. */
const byUtil = (value: unknown): unknown => convertToAttr(value as never, { removeUndefinedValues: true })

/** A number as the table tells it; one that is beyond what a number holds is as the SDK makes it, or fails. */
export function numberOf(text: string): unknown {
  const number = Number(text)
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : convertToNative({ N: text })
}

/** Bytes as the table tells them. */
export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))
