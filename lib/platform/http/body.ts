import * as v from 'valibot'
import { asciiLowerCase } from '../../engines/matching/index.ts'

/** Schemas of bodies that several groups share. Each has the message that a form shows. */

export const REQUIRED = 'This field is required.'

/** A body of these members. For each member only the first broken rule is reported. */
export const members = <E extends v.ObjectEntries>(entries: E, missing = REQUIRED) =>
  v.config(v.object(entries, missing), { abortPipeEarly: true })

/** Characters that turn the direction of what follows (Unicode TR 36). A name with one of them can look like another name. */
export const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

/** One line of text in NFC, without control characters and without characters that turn the direction of writing. */
export const line = (most: number) =>
  v.pipe(
    text(most, /\p{Cc}|\p{Cs}/u),
    v.check((value) => !DIRECTION_CONTROLS.test(value), TURNS_DIRECTION),
    v.metadata({ maxLength: most }),
  )

export const TURNS_DIRECTION = 'Characters that turn the direction of writing are not allowed.'

/** Text of several lines in NFC, without control characters other than tabs and line breaks. */
export const lines = (most: number) => text(most, /[^\P{Cc}\t\n\r]|\p{Cs}/u)

/** A text that may be missing or null, which give "". */
export const orEmpty = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(v.nullish(v.string('Not a valid text.'), ''), schema)

/** Text of several lines that may be missing or null, which give "". */
export const prose = (most: number) => orEmpty(lines(most))

/** A member of a change. If it is missing, the stored value stays; null empties it. */
export const optional = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.exactOptional(
    v.pipe(
      v.nullable(v.string('Not a valid text.')),
      v.transform((text) => text ?? ''),
      schema,
    ),
  )

/** Empty, or an address with http or https. Other schemes are refused, since a browser could run them as code. */
export const webAddress = (most: number) =>
  v.pipe(
    line(most),
    v.trim(),
    v.check((text) => text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text)), 'Enter a valid URL.'),
  )

/** An email address in lower case. Other letters than ASCII are refused before NFC, which turns some of them into ASCII. */
export const emailAddress = v.pipe(
  v.string(({ input }) => (input === undefined ? REQUIRED : 'Not a valid text.')),
  v.check((text) => !/[^\x00-\x7f]/.test(text), 'Enter a valid email address.'),
  line(254),
  v.trim(),
  v.transform(asciiLowerCase),
  v.email('Enter a valid email address.'),
)

/** A username in lower case. */
export const username = v.pipe(
  line(100),
  v.trim(),
  v.transform(asciiLowerCase),
  v.regex(/^[a-z0-9_.-]{3,50}$/, 'Use 3 to 50 of the letters a to z, digits, "_", "." and "-".'),
  // For the API document: the pattern before blanks are trimmed and letters lowered.
  v.metadata({ pattern: '^\\s*[A-Za-z0-9_.-]{3,50}\\s*$' }),
)

/** A UUID, in lower case. `absent` is the message for a value that is not a text. */
export const uuidOf = (absent = 'Not a valid UUID.') =>
  v.pipe(v.string(absent), v.toLowerCase(), v.uuid('Not a valid UUID.'))

/** The message for a value that is not one of the choices. */
export const chooseFrom = (options: readonly string[]) => `Not a valid choice. Choose one of: ${options.join(', ')}.`

/** One of a list. The message names the list. */
export const choice = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, ({ input }) => (typeof input === 'string' ? chooseFrom(options) : REQUIRED))

/** One of a list, or null. A blank text and a missing member are null. */
export const optionalChoice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.nullish(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), null),
    v.transform((option) => option || null),
  )

function text(most: number, refused: RegExp) {
  return v.pipe(
    v.string('Not a valid text.'),
    v.check((value) => !refused.test(value), 'Control characters are not allowed.'),
    v.normalize('NFC'),
    v.check((value) => [...value].length <= most, `Ensure this field has no more than ${most} characters.`),
    // For the API document, which cannot show checks.
    v.metadata({ maxLength: most }),
  )
}

/** The number of bytes of an announced file. `most` must be 50 MB, since the message names this limit. */
export const announcedSize = (most: number) =>
  v.pipe(
    v.number('Give the number of bytes.'),
    v.integer('Give the number of bytes.'),
    v.minValue(1, 'The file is empty.'),
    v.maxValue(most, 'The file is larger than 50 MB.'),
  )

/** The SHA-256 of an announced file, in lower case; null if absent. */
export const announcedDigest = v.pipe(
  v.nullish(v.pipe(v.string(), v.regex(/^([0-9a-fA-F]{64})?$/, 'Give 64 hexadecimal digits.'), v.toLowerCase()), null),
  v.transform((digits) => digits || null),
)

/** Names that `v.record` drops without an issue. A third one, `__proto__`, is refused when JSON is parsed (request.ts). */
const NAMES_DROPPED_BY_RECORD = ['constructor', 'prototype']

/**
 * An object with any names. Unlike `v.record` it refuses a list, whose elements would become members by number, and the names that
 * `v.record` drops. `words` is the message for any other value than an object.
 */
export function objectOf<K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(
  name: K,
  value: V,
  words: string,
): v.RecordSchema<K, V, string> {
  const accepting = v.record(name, value, words)
  const refusing = v.record(name, value, 'A member cannot be called constructor or prototype.')
  return {
    ...accepting,
    '~run': (dataset, settings) => {
      const isDropped = NAMES_DROPPED_BY_RECORD.some((dropped) => Object.hasOwn(Object(dataset.value), dropped))
      const isRefused = isDropped || Array.isArray(dataset.value)
      return (isDropped ? refusing : accepting)['~run'](isRefused ? { ...dataset, value: null } : dataset, settings)
    },
  }
}
