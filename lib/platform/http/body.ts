import * as v from 'valibot'
import { asciiLowerCase } from '../../engines/matching/index.ts'

/** Schemas that bodies of several groups share, each with the sentence that a form shows. */

/** Says that a member is missing. */
export const REQUIRED = 'This field is required.'

/** A body of these members; of each, the first rule that it breaks is told. */
export const members = <E extends v.ObjectEntries>(entries: E, missing = REQUIRED) =>
  v.config(v.object(entries, missing), { abortPipeEarly: true })

/** One line of text, in NFC, without control characters. */
export const line = (most: number) => text(most, /\p{Cc}|\p{Cs}/u)

/** Text of several lines, in NFC, without other control characters. */
export const lines = (most: number) => text(most, /[^\P{Cc}\t\n\r]|\p{Cs}/u)

/** A text that may be missing or null: then it is "". */
export const orEmpty = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(v.nullish(v.string('Not a valid text.'), ''), schema)

/** Text of several lines that may be missing or null: then it is "". */
export const prose = (most: number) => orEmpty(lines(most))

/** A member that may be missing (then it is not among the changes), and is emptied by null. */
export const optional = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.exactOptional(
    v.pipe(
      v.nullable(v.string('Not a valid text.')),
      v.transform((it) => it ?? ''),
      schema,
    ),
  )

/** Empty, or an address on the web: nothing that a browser would run. */
export const webAddress = (most: number) =>
  v.pipe(
    line(most),
    v.trim(),
    v.check((it) => it === '' || (/^https?:\/\//i.test(it) && URL.canParse(it)), 'Enter a valid URL.'),
  )

/** An email address in lower case. Its letters are ASCII as they are sent: some others become so under NFC. */
export const emailAddress = v.pipe(
  v.string(({ input }) => (input === undefined ? REQUIRED : 'Not a valid text.')),
  v.check((it) => !/[^\x00-\x7f]/.test(it), 'Enter a valid email address.'),
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
  // For the API document: as it may be sent, before it is folded.
  v.metadata({ pattern: '^\\s*[A-Za-z0-9_.-]{3,50}\\s*$' }),
)

/** The id of something that is named by a UUID, in lower case; `absent` is said where there is no text at all. */
export const uuidOf = (absent = 'Not a valid UUID.') =>
  v.pipe(v.string(absent), v.toLowerCase(), v.uuid('Not a valid UUID.'))

/** Says which choices there are. */
export const chooseFrom = (options: readonly string[]) => `Not a valid choice. Choose one of: ${options.join(', ')}.`

/** One of a list, which the message names. */
export const choice = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, ({ input }) => (typeof input === 'string' ? chooseFrom(options) : REQUIRED))

/** One of a list, or nothing: "" and null mean nothing. */
export const optionalChoice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.nullish(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), null),
    v.transform((it) => it || null),
  )

function text(most: number, refused: RegExp) {
  return v.pipe(
    v.string('Not a valid text.'),
    v.check((it) => !refused.test(it), 'Control characters are not allowed.'),
    v.normalize('NFC'),
    v.check((it) => [...it].length <= most, `Ensure this field has no more than ${most} characters.`),
    // For the API document, which does not see into checks.
    v.metadata({ maxLength: most }),
  )
}

/** A number of bytes that is announced, of 50 MB (`most`) at most. */
export const announcedSize = (most: number) =>
  v.pipe(
    v.number('Give the number of bytes.'),
    v.integer('Give the number of bytes.'),
    v.minValue(1, 'The file is empty.'),
    v.maxValue(most, 'The file is larger than 50 MB.'),
  )

/** The SHA-256 that an announced file has, in lower case; null where none is told. */
export const announcedDigest = v.pipe(
  v.nullish(v.pipe(v.string(), v.regex(/^([0-9a-fA-F]{64})?$/, 'Give 64 hexadecimal digits.'), v.toLowerCase()), null),
  v.transform((it) => it || null),
)

/** Names that `v.record` passes over in silence, but for one that no body may hold (request.ts). */
const UNTAKEN = ['constructor', 'prototype']

/**
 * Members by their names, of an object that is no list: `v.record` would take a list as members by number, and lose what is called
 * like something that every object has.
 */
export function objectOf<K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(
  name: K,
  value: V,
  words: string,
): v.RecordSchema<K, V, string> {
  const it = v.record(name, value, words)
  const untaken = v.record(name, value, 'A member cannot be called constructor or prototype.')
  return {
    ...it,
    '~run': (given, how) => {
      const isUntaken = UNTAKEN.some((one) => Object.hasOwn(Object(given.value), one))
      const refuses = isUntaken || Array.isArray(given.value)
      return (isUntaken ? untaken : it)['~run'](refuses ? { ...given, value: null } : given, how)
    },
  }
}
