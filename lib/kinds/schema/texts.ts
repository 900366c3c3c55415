import { absent, isAbsent, type Json, Refused } from './value.ts'

/** One line: no control characters and no halves of a character. */
const plain = /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$/u
/** The same, with line breaks and tabs. */
const broken = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$/u

const itemLength = 300
const most = 200

function text(pattern: RegExp) {
  return {
    read: (value: unknown, maxLength = itemLength): string | Refused => {
      if (typeof value !== 'string') return new Refused('Not a valid text.')
      if (isLonger(value, maxLength)) return new Refused(`Ensure this field has no more than ${maxLength} characters.`)
      if (!pattern.test(value)) return new Refused('Control characters are not allowed.')
      return value.normalize('NFC')
    },
    schema: (maxLength = itemLength): Json => ({ type: 'string', maxLength, pattern: pattern.source }),
  }
}

/** Text of one line, normalised after it was checked. */
export const line = text(plain)

/** Text of several lines, normalised after it was checked. */
export const lines = text(broken)

/** A list of lines; empty ones are left out. */
export function list(items: readonly unknown[]): string[] | Refused {
  if (items.length > most) return new Refused(`Give no more than ${most} of them.`)
  const read: string[] = []
  for (const item of items) {
    if (isAbsent(item)) continue
    const one = line.read(item)
    if (one instanceof Refused) return one
    read.push(one.trim())
  }
  return read
}
list.schema = { type: 'array', maxItems: most, items: { anyOf: [line.schema(), absent] } } satisfies Json

/** A whole number where text is meant: a year, or the id of something that has no kind here. */
export const whole = {
  takes: (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15,
  schema: { type: 'integer', exclusiveMinimum: -1e15, exclusiveMaximum: 1e15 } satisfies Json,
}

/** Characters are counted, not halves of them; the count is made only where it can matter. */
function isLonger(value: string, maxLength: number): boolean {
  if (value.length <= maxLength) return false
  return value.length > 2 * maxLength || [...value].length > maxLength
}
