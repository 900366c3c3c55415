import * as v from 'valibot'
import { parseBoolean } from '../../base/text.ts'
import { calendarNames, findCalendar } from '../../engines/calendars/index.ts'
import { cut } from '../../engines/matching/index.ts'
import type { SortOrder } from '../../engines/search/index.ts'
import { chooseFrom } from './body.ts'
import { documentAs, warnIf } from './schema-notes.ts'

/** Schemas of members of paths and queries that several groups share. A malformed member of a path is answered by 404. */

/** A UUID, in lower case. */
export const uuidText = v.pipe(v.string(), v.toLowerCase(), v.uuid())
export const ById = v.object({ id: uuidText })
export const ByEntity = v.object({ entity_id: uuidText })
/** The slug of a project. */
export const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

const booleanFault = (sent: string) =>
  sent.trim() === '' || parseBoolean(sent) !== undefined ? undefined : 'Give true or false; this has no effect.'

/** True or false. Blank is false. Any other text is false, with a warning. */
export const BooleanFlag = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => parseBoolean(text) === true),
  warnIf(booleanFault),
  documentAs({ type: 'boolean', default: false }),
)
/** True, false, or undefined if blank. Any other text is undefined, with a warning. */
export const OptionalBoolean = v.pipe(
  v.optional(v.string(), ''),
  v.transform(parseBoolean),
  warnIf(booleanFault),
  documentAs({ type: 'boolean' }),
)
/** True, false, or undefined if blank. Any other text is refused. */
export const StrictBoolean = v.pipe(
  v.optional(v.string(), ''),
  v.check((text) => text.trim() === '' || parseBoolean(text) !== undefined, 'Give true or false.'),
  v.transform(parseBoolean),
  documentAs({ type: 'boolean' }),
)
const MOST_LETTERS = 200
/** A text of at most 200 characters; undefined if blank. A longer one is cut, with a warning. */
export const QueryText = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => cut(text.normalize('NFC').trim(), MOST_LETTERS) || undefined),
  warnIf((sent) => ([...sent].length > MOST_LETTERS ? `Only the first ${MOST_LETTERS} characters count.` : undefined)),
  documentAs({ type: 'string', maxLength: MOST_LETTERS }),
)
/** One of a list, or blank. Any other text has no effect, with a warning. The route must ignore it. */
export const lenientChoice = (options: readonly string[]) =>
  v.pipe(
    v.optional(v.string(), ''),
    warnIf((sent) => (sent === '' || options.includes(sent) ? undefined : chooseFrom(options))),
    documentAs({ type: 'string', enum: options }),
  )
export const NameQuery = v.object({ search: QueryText })

/** The orders of a list of records, by the text of `ordering`. */
const orderings: ReadonlyMap<string | undefined, { forward: boolean; sort: SortOrder }> = new Map([
  ['created_at', { forward: true, sort: 'created' }],
  ['id', { forward: true, sort: 'created' }],
  ['-created_at', { forward: false, sort: '-created' }],
  ['-id', { forward: false, sort: '-created' }],
  ['-updated_at', { forward: false, sort: 'newest' }],
  ['name', { forward: false, sort: 'name' }],
  ['-name', { forward: false, sort: '-name' }],
])
const orderingNames = [...orderings.keys()].filter((name) => name !== undefined)
/** The order of a list of records. Any other text means the newest first, with a warning. */
export const RecordOrdering = v.pipe(
  QueryText,
  v.transform((name): { forward: boolean; sort?: SortOrder } => orderings.get(name) ?? { forward: false }),
  warnIf((sent) =>
    sent.trim() === '' || orderings.has(sent.trim()) ? undefined : `It has no effect. ${chooseFrom(orderingNames)}`,
  ),
  documentAs({ type: 'string', enum: orderingNames }),
)

export const MISSING = 'This parameter is required.'
/** A whole number from 1. Blank is `fallback`. A larger one than `most` is lowered to it, with a warning. */
export const wholeNumber = (fallback: number, most: number) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => text.trim() || String(fallback)),
    v.regex(/^0*[1-9]\d{0,8}$/, 'A whole number from 1 is wanted.'),
    v.transform((text) => Math.min(Number(text), most)),
    warnIf((sent) => (Number(sent) > most ? `${most} is the most.` : undefined)),
    documentAs({ type: 'integer', minimum: 1, maximum: most, default: fallback }),
  )
/** A whole number from 0; undefined if blank. */
export const QueryCount = v.pipe(
  v.optional(v.string(), ''),
  v.trim(),
  v.regex(/^\d{0,5}$/, 'A whole number is wanted.'),
  v.transform((text) => (text === '' ? undefined : Number(text))),
  documentAs({ type: 'integer', minimum: 0, maximum: 99_999 }),
)
/** One of a list; undefined if blank. Any other text is refused, and the message names the list. */
export const optionalQueryChoice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((text) => text || undefined),
    v.optional(v.picklist(options, chooseFrom(options))),
    documentAs({ type: 'string', enum: options }),
  )
/** One of a list; the first of them if blank. Any other text is refused, and the message names the list. */
export const queryChoice = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  v.pipe(
    v.optional(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), ''),
    v.transform((text): Options[number] => text || options[0]),
    documentAs({ type: 'string', enum: options, default: options[0] }),
  )
/** A number from 1 with at most this many digits: in a path, or as a required member of a query. */
export const numberFromOne = (digits: number, message?: string) =>
  v.pipe(
    v.string(),
    v.regex(new RegExp(`^[1-9]\\d{0,${digits - 1}}$`), message),
    v.transform(Number),
    documentAs({ type: 'integer', minimum: 1, maximum: 10 ** digits - 1 }),
  )
/** An id by which a list is filtered. A text that is not an id matches no row, with a warning. */
export const QueryId = v.pipe(
  QueryText,
  warnIf((sent) => (sent.trim() === '' || v.is(uuidText, sent.trim()) ? undefined : 'Not a valid UUID.')),
  documentAs({ type: 'string', format: 'uuid' }),
)
/** One of some fixed words, by which rows are filtered; undefined if blank. Any other text matches no row, with a warning. */
export const queryWord = (options: readonly string[]) =>
  v.pipe(
    QueryText,
    warnIf((sent) => (sent.trim() === '' || options.includes(sent.trim()) ? undefined : chooseFrom(options))),
    documentAs({ type: 'string', enum: options }),
  )
/** A required id. `message` names its item. */
export const requiredId = (message: string) => v.pipe(v.string(), v.toLowerCase(), v.uuid(message))
/** A calendar, by its key or its short name; undefined if blank. */
export const CalendarName = v.pipe(
  optionalQueryChoice(calendarNames),
  v.transform((name) => (name === undefined ? undefined : findCalendar(name))),
)
