import * as v from 'valibot'
import { parseNumberOrShortId } from '../../base/ids/short-id.ts'
import { lines, members } from '../../platform/http/body.ts'

/** Schemas of the input for comments, on records and on projects. */

/** A comment in a path: its number, or its eleven characters. */
export const commentNumber = v.pipe(
  v.string(),
  v.transform((it) => parseNumberOrShortId(it) ?? 0),
  v.minValue(1),
)

const comment = v.pipe(
  v.string('Not a valid text.'),
  v.check((it) => it.trim() !== '', 'This field may not be blank.'),
  lines(10_000),
)

const PARENT_FAULT = 'Give the id of a comment.'
/** The number of the comment that is answered; null if none is. */
const parent = v.pipe(
  v.nullish(v.union([v.number(), v.string()], PARENT_FAULT), null),
  v.transform((it) => (it === null || it === '' ? null : (parseNumberOrShortId(String(it)) ?? 0))),
  v.check((it) => it !== 0, PARENT_FAULT),
)

export const CommentBody = members({ comment, parent })
export const CommentText = members({ comment })
