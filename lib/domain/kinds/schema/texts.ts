import { absentRef, isAbsent, type Json, Refusal } from './value.ts'

/** One line: no control characters and no lone surrogates. */
const oneLine = /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$/u
/** The same, with line breaks and tabs. */
const severalLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$/u

const itemLength = 300
const most = 200

function textReader(pattern: RegExp) {
  return {
    read: (value: unknown, maxLength = itemLength): string | Refusal => {
      if (typeof value !== 'string') return new Refusal('Not a valid text.')
      if (isLonger(value, maxLength)) return new Refusal(`Ensure this field has no more than ${maxLength} characters.`)
      if (!pattern.test(value)) return new Refusal('Control characters are not allowed.')
      return value.normalize('NFC')
    },
    schema: (maxLength = itemLength): Json => ({ type: 'string', maxLength, pattern: pattern.source }),
  }
}

/** Text of one line, checked and then normalised (NFC). */
export const line = textReader(oneLine)

/** Text of several lines, checked and then normalised (NFC). */
export const lines = textReader(severalLines)

/** A list of lines. Empty ones are left out. */
export function list(items: readonly unknown[]): string[] | Refusal {
  if (items.length > most) return new Refusal(`Give no more than ${most} of them.`)
  const read: string[] = []
  for (const item of items) {
    if (isAbsent(item)) continue
    const one = line.read(item)
    if (one instanceof Refusal) return one
    read.push(one.trim())
  }
  return read
}
list.schema = { type: 'array', maxItems: most, items: { anyOf: [line.schema(), absentRef] } } satisfies Json

/** A whole number where text is expected: a year, or an old id of a thing that has no kind. */
export const whole = {
  takes: (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15,
  schema: { type: 'integer', exclusiveMinimum: -1e15, exclusiveMaximum: 1e15 } satisfies Json,
}

/** Counts code points, not UTF-16 units. Counts only where the two can differ in the result. */
function isLonger(value: string, maxLength: number): boolean {
  if (value.length <= maxLength) return false
  return value.length > 2 * maxLength || [...value].length > maxLength
}
