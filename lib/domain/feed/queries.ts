import * as v from 'valibot'
import { numberFromOne, optionalQueryChoice, wholeNumber } from '../../platform/http/params.ts'
import { documentAs } from '../../platform/http/schema-notes.ts'
import { kindKeys } from '../kinds/index.ts'

/** The number of the last change that the reader has got; 0 before the first. */
const After = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.trim() || '0'),
  v.regex(/^\d{1,15}$/, 'A whole number from 0 is wanted.'),
  v.transform(Number),
  documentAs({ type: 'integer', minimum: 0, default: 0 }),
)

const MOST = 100
export const FeedQuery = v.object({
  after: After,
  limit: wholeNumber(MOST, MOST),
  kind: optionalQueryChoice(kindKeys),
  include: optionalQueryChoice(['record']),
})

/** The number of a change, or of a page of changes. */
export const ByNumber = v.object({
  number: numberFromOne(12),
})
