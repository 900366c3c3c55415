import * as v from 'valibot'
import { parseBoolean } from '../../base/text.ts'
import { calendarNames, findCalendar } from '../../engines/calendars/index.ts'
import { cut } from '../../engines/matching/index.ts'
import type { SortOrder } from '../../engines/search/index.ts'
import { chooseFrom } from './body.ts'
import { documentAs, toldWhen } from './known.ts'

/** Of what paths and queries are made. A path member that does not fit is a 404; each slice has its queries beside it. */

/** A UUID, in lower case. */
export const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid())
export const ById = v.object({ id: uuid })
export const ByEntity = v.object({ entity_id: uuid })
/** The slug of a project. */
export const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

const noBoolean = (sent: string) =>
  sent.trim() === '' || parseBoolean(sent) !== undefined ? undefined : 'Give true or false; this has no effect.'

/** On or off; what is neither is off, and told. */
export const BooleanFlag = documentAs(
  toldWhen(
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((it) => parseBoolean(it) === true),
    ),
    noBoolean,
  ),
  { type: 'boolean', default: false },
)
/** The same where it makes a difference whether it is off or not asked for at all; what is neither is not asked for. */
export const OptionalBoolean = documentAs(
  toldWhen(v.pipe(v.optional(v.string(), ''), v.transform(parseBoolean)), noBoolean),
  { type: 'boolean' },
)
/** The same where what is neither on nor off is refused. */
export const StrictBoolean = documentAs(
  v.pipe(
    v.optional(v.string(), ''),
    v.check((it) => it.trim() === '' || parseBoolean(it) !== undefined, 'Give true or false.'),
    v.transform(parseBoolean),
  ),
  { type: 'boolean' },
)
const MOST_LETTERS = 200
/** A text of at most 200 characters; undefined if blank. A longer one is cut, with a warning. */
export const QueryText = documentAs(
  toldWhen(
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((text) => cut(text.normalize('NFC').trim(), MOST_LETTERS) || undefined),
    ),
    (sent) => ([...sent].length > MOST_LETTERS ? `Only the first ${MOST_LETTERS} characters count.` : undefined),
  ),
  { type: 'string', maxLength: MOST_LETTERS },
)
/** Text that asks for nothing unless it is one of these. */
export const knownText = (options: readonly string[]) => {
  const unknown = (sent: string) => (sent === '' || options.includes(sent) ? undefined : chooseFrom(options))
  return documentAs(toldWhen(v.optional(v.string(), ''), unknown), { type: 'string', enum: options })
}
export const NameQuery = v.object({ search: QueryText })

/** The orders that lists of records know. */
const orderings: ReadonlyMap<string | undefined, { forward: boolean; sort: SortOrder }> = new Map([
  ['created_at', { forward: true, sort: 'created' }],
  ['id', { forward: true, sort: 'created' }],
  ['-created_at', { forward: false, sort: '-created' }],
  ['-id', { forward: false, sort: '-created' }],
  ['-updated_at', { forward: false, sort: 'newest' }],
  ['name', { forward: false, sort: 'name' }],
  ['-name', { forward: false, sort: '-name' }],
])
const orders = [...orderings.keys()].filter((it) => it !== undefined)
/** The order of a list of records; any that is not known is the newest first. */
export const RecordOrdering = documentAs(
  toldWhen(
    v.pipe(
      QueryText,
      v.transform((it): { forward: boolean; sort?: SortOrder } => orderings.get(it) ?? { forward: false }),
    ),
    (sent) =>
      sent.trim() === '' || orderings.has(sent.trim()) ? undefined : `It has no effect. ${chooseFrom(orders)}`,
  ),
  { type: 'string', enum: orders },
)

/** What a member says that must be there. */
export const MISSING = 'This parameter is required.'
/** A whole number from 1, cut to `most`; blank is the fallback. */
export const wholeNumber = (fallback: number, most: number) =>
  documentAs(
    toldWhen(
      v.pipe(
        v.optional(v.string(), ''),
        v.transform((it) => it.trim() || String(fallback)),
        v.regex(/^0*[1-9]\d{0,8}$/, 'A whole number from 1 is wanted.'),
        v.transform((it) => Math.min(Number(it), most)),
      ),
      (sent) => (Number(sent) > most ? `${most} is the most.` : undefined),
    ),
    { type: 'integer', minimum: 1, maximum: most, default: fallback },
  )
/** A whole number from 0; absent when blank. */
export const Count = documentAs(
  v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.regex(/^\d{0,5}$/, 'A whole number is wanted.'),
    v.transform((it) => (it === '' ? undefined : Number(it))),
  ),
  { type: 'integer', minimum: 0, maximum: 99_999 },
)
/** One of a list, which the message names; blank asks for nothing. */
export const oneOrNone = <const Options extends readonly string[]>(options: Options) =>
  documentAs(
    v.pipe(
      v.optional(v.string(), ''),
      v.transform((it) => it || undefined),
      v.optional(v.picklist(options, chooseFrom(options))),
    ),
    { type: 'string', enum: options },
  )
/** One of a list, which the message names; blank is the first of them. */
export const oneOf = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  documentAs(
    v.pipe(
      v.optional(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), ''),
      v.transform((it): Options[number] => it || options[0]),
    ),
    { type: 'string', enum: options, default: options[0] },
  )
/** A number from 1 of so many digits at most, in a path or where it must be given. */
export const numeral = (digits: number, message?: string) =>
  documentAs(v.pipe(v.string(), v.regex(new RegExp(`^[1-9]\\d{0,${digits - 1}}$`), message), v.transform(Number)), {
    type: 'integer',
    minimum: 1,
    maximum: 10 ** digits - 1,
  })
/** An id of something that filters a list: what is no id fits nothing. */
export const QueryId = documentAs(v.pipe(QueryText), { type: 'string', format: 'uuid' })
/** One of these that filters a list: what is none of them fits nothing. */
export const queryWord = (options: readonly string[]) =>
  documentAs(v.pipe(QueryText), { type: 'string', enum: options })
/** An id that must be given; `message` says of what. */
export const requiredId = (message: string) => v.pipe(v.string(), v.toLowerCase(), v.uuid(message))
/** A calendar, by its key or its short name; absent when blank. */
export const CalendarName = v.pipe(
  oneOrNone(calendarNames),
  v.transform((it) => (it === undefined ? undefined : findCalendar(it))),
)
