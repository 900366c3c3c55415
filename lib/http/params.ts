import * as v from 'valibot'
import { booleanIn } from '../booleans.ts'
import { cut } from '../matching/cut.ts'
import type { Sort } from '../search/query.ts'
import { chooseFrom } from './body.ts'

/** Of what paths and queries are made. A path member that does not fit is a 404; each slice has its queries beside it. */

/** A UUID, in lower case. */
export const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid())
export const ById = v.object({ id: uuid })
export const ByEntity = v.object({ entity_id: uuid })
/** The slug of a project. */
export const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

/** On or off; what is neither is off. */
export const BooleanFlag = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => booleanIn(it) === true),
)
/** The same where it makes a difference whether it is off or not asked for at all; what is neither is not asked for. */
export const OptionalBoolean = v.pipe(v.optional(v.string(), ''), v.transform(booleanIn))
/** The same where what is neither on nor off is refused. */
export const StrictBoolean = v.pipe(
  v.optional(v.string(), ''),
  v.check((it) => it.trim() === '' || booleanIn(it) !== undefined, 'Give true or false.'),
  v.transform(booleanIn),
)
/** Text of a query member, cut to what is of use; absent when blank. */
export const QueryText = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => cut(it.normalize('NFC').trim(), 200) || undefined),
)
export const NameQuery = v.object({ search: QueryText })

/** The orders that lists of records know. */
const orderings: ReadonlyMap<string | undefined, { forward: boolean; sort: Sort }> = new Map([
  ['created_at', { forward: true, sort: 'created' }],
  ['id', { forward: true, sort: 'created' }],
  ['-created_at', { forward: false, sort: '-created' }],
  ['-id', { forward: false, sort: '-created' }],
  ['-updated_at', { forward: false, sort: 'newest' }],
  ['name', { forward: false, sort: 'name' }],
  ['-name', { forward: false, sort: '-name' }],
])
/** The order of a list of records; any that is not known is the newest first. */
export const RecordOrdering = v.pipe(
  QueryText,
  v.transform((it): { forward: boolean; sort?: Sort } => orderings.get(it) ?? { forward: false }),
)

/** What a member says that must be there. */
export const MISSING = 'This parameter is required.'
/** A whole number from 1, cut to `most`; blank is the fallback. */
export const wholeNumber = (fallback: number, most: number) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.trim() || String(fallback)),
    v.regex(/^0*[1-9]\d{0,8}$/, 'A whole number from 1 is wanted.'),
    v.transform((it) => Math.min(Number(it), most)),
  )
/** A whole number from 0; absent when blank. */
export const Count = v.pipe(
  v.optional(v.string(), ''),
  v.trim(),
  v.regex(/^\d{0,5}$/, 'A whole number is wanted.'),
  v.transform((it) => (it === '' ? undefined : Number(it))),
)
/** One of a list, which the message names; blank asks for nothing. */
export const oneOrNone = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it || undefined),
    v.optional(v.picklist(options, chooseFrom(options))),
  )
/** One of a list, which the message names; blank is the first of them. */
export const oneOf = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  v.pipe(
    v.optional(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), ''),
    v.transform((it): Options[number] => it || options[0]),
  )
/** An id that must be given; `message` says of what. */
export const requiredId = (message: string) => v.pipe(v.string(), v.toLowerCase(), v.uuid(message))
