import * as v from 'valibot'
import { oneOrNone, wholeNumber } from '../http/params.ts'
import { kindKeys } from '../kinds/index.ts'

/** Where a reader of the feed goes on: the number of the last change that it has seen, 0 before the first. */
const After = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.trim() || '0'),
  v.regex(/^\d{1,15}$/, 'A whole number from 0 is wanted.'),
  v.transform(Number),
)

const MOST = 100
export const FeedQuery = v.object({
  after: After,
  limit: wholeNumber(MOST, MOST),
  kind: oneOrNone(kindKeys),
  include: oneOrNone(['record']),
})

/** The number of a change, or of a page. */
export const ByNumber = v.object({
  number: v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/), v.transform(Number)),
})
