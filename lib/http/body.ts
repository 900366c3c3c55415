import * as v from 'valibot'

/** Schemas that bodies of several groups share, each with the sentence that a form shows. */

/** Text of at most so many characters, without control characters but line breaks and tabs; absent and null are "". */
export const prose = (most: number) =>
  v.pipe(
    v.nullish(v.string('Not a valid text.'), ''),
    v.check((it) => [...it].length <= most, `Ensure this field has no more than ${most} characters.`),
    v.check(
      (it) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/u.test(it),
      'Control characters are not allowed.',
    ),
    v.transform((it) => it.normalize('NFC')),
  )

/** One of a list, which the message names. */
export const choice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.string('This field is required.'),
    v.picklist(options, `Not a valid choice. Choose one of: ${options.join(', ')}.`),
  )

/** One of a list, or nothing: "" and null mean nothing. */
export const optionalChoice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.nullish(
      v.union([v.literal(''), v.picklist(options)], `Not a valid choice. Choose one of: ${options.join(', ')}.`),
      null,
    ),
    v.transform((it) => it || null),
  )
