import * as v from 'valibot'
import { lines, members } from '../http/body.ts'
import { numberNamed } from '../ids/short-id.ts'

/** How clients name comments and what they say in them, whatever is commented on. */

/** The number of a comment in a path, by its digits or by its eleven characters. */
export const commentNumber = v.pipe(
  v.string(),
  v.transform((it) => numberNamed(it) ?? 0),
  v.minValue(1),
)

const comment = v.pipe(
  v.string('Not a valid text.'),
  v.check((it) => it.trim() !== '', 'This field may not be blank.'),
  lines(10_000),
)

const parentSaid = 'Give the id of a comment.'
/** The number of the comment that is answered; null where there is none. */
const parent = v.pipe(
  v.nullish(v.union([v.number(), v.string()], parentSaid), null),
  v.transform((it) => (it === null || it === '' ? null : (numberNamed(String(it)) ?? 0))),
  v.check((it) => it !== 0, parentSaid),
)

/** A new comment. */
export const CommentBody = members({ comment, parent })
/** Another text for one. */
export const CommentText = members({ comment })
