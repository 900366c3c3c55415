import * as v from 'valibot'
import { documentAs } from '../../platform/http/known.ts'
import { numeral, oneOrNone, wholeNumber } from '../../platform/http/params.ts'
import { kindKeys } from '../kinds/index.ts'

/** The number of the last change that the reader has got; 0 before the first. */
const After = documentAs(
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.trim() || '0'),
    v.regex(/^\d{1,15}$/, 'A whole number from 0 is wanted.'),
    v.transform(Number),
  ),
  { type: 'integer', minimum: 0, default: 0 },
)

const MOST = 100
export const FeedQuery = v.object({
  after: After,
  limit: wholeNumber(MOST, MOST),
  kind: oneOrNone(kindKeys),
  include: oneOrNone(['record']),
})

/** The number of a change, or of a page of changes. */
export const ByNumber = v.object({
  number: numeral(12),
})
