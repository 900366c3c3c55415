import { DIRECTION_CONTROLS, TURNS_DIRECTION } from '../../../platform/http/body.ts'
import { absentRef, isAbsent, type JsonSchema, Refusal } from './value.ts'

/** One line without control characters and lone surrogates. */
const oneLine = /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$/u
/** Several lines. Line breaks and tabs are the only control characters; halves of characters are refused, too. */
const severalLines = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]*$/u

const MAX_ITEM_LENGTH = 300
const MAX_ITEMS = 200

/** One line as JSON Schema shows it: also without the characters of `DIRECTION_CONTROLS`, which have a message of their own. */
const publishedLine = /^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff]*$/u

/** The reader of texts that match a pattern, and contain no character of `refused`. `published`: one pattern for both conditions. */
function textReader(pattern: RegExp, refused?: { characters: RegExp; message: string }, published: RegExp = pattern) {
  return {
    read: (value: unknown, maxLength = MAX_ITEM_LENGTH): string | Refusal => {
      if (typeof value !== 'string') return new Refusal('Not a valid text.')
      if (isLonger(value, maxLength)) return new Refusal(`Ensure this field has no more than ${maxLength} characters.`)
      if (!pattern.test(value)) return new Refusal('Control characters are not allowed.')
      if (refused?.characters.test(value)) return new Refusal(refused.message)
      return value.normalize('NFC')
    },
    schema: (maxLength = MAX_ITEM_LENGTH): JsonSchema => ({ type: 'string', maxLength, pattern: published.source }),
  }
}

/** Reads text of one line, and normalises it (NFC). */
export const lineReader = textReader(
  oneLine,
  { characters: DIRECTION_CONTROLS, message: TURNS_DIRECTION },
  publishedLine,
)

/** Reads text of several lines, and normalises it (NFC). */
export const linesReader = textReader(severalLines)

/** Reads a list of lines. Empty lines are left out. */
export const listReader = {
  read: (items: readonly unknown[]): string[] | Refusal => {
    if (items.length > MAX_ITEMS) return new Refusal(`Give no more than ${MAX_ITEMS} of them.`)
    const texts: string[] = []
    for (const item of items) {
      if (isAbsent(item)) continue
      const text = lineReader.read(item)
      if (text instanceof Refusal) return text
      texts.push(text.trim())
    }
    return texts
  },
  schema: {
    type: 'array',
    maxItems: MAX_ITEMS,
    items: { anyOf: [lineReader.schema(), absentRef] },
  } satisfies JsonSchema,
}

/** A whole number in the place of a text: a year, or the old id of an actor or technique. */
export const wholeNumber = {
  accepts: (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15,
  schema: { type: 'integer', exclusiveMinimum: -1e15, exclusiveMaximum: 1e15 } satisfies JsonSchema,
}

/** Whether a text has more than `maxLength` code points. They are counted only if the UTF-16 units leave it open. */
function isLonger(value: string, maxLength: number): boolean {
  if (value.length <= maxLength) return false
  return value.length > 2 * maxLength || [...value].length > maxLength
}
