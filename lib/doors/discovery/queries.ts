import * as v from 'valibot'
import { discoveryGroups, resources } from '../../domain/kinds/resources.ts'
import { recordStatuses } from '../../domain/records/rules/status.ts'
import { MOST_TAKEN_BACK, normaliseKey, readParts } from '../../domain/search-words/concepts.ts'
import { facetNames } from '../../domain/search-words/facets.ts'
import { cut } from '../../engines/matching/index.ts'
import { isSomewhere } from '../../engines/search/index.ts'
import { CalendarName, MISSING, StrictBoolean, wholeNumber } from '../../platform/http/params.ts'
import { placeAndTime } from '../../platform/http/place-and-time.ts'
import { documentAs } from '../../platform/http/schema-notes.ts'

/** The most letters of a query. The rest is ignored. */
const MOST_LETTERS = 200

/** The text of a query, cut to `MOST_LETTERS`, in NFC and on one line. A blank text counts as missing. */
const queryText = v.pipe(
  v.string(MISSING),
  v.transform((text) => normaliseText(text)),
  v.nonEmpty(MISSING),
)
/** The text of a query that may be missing. */
const optionalQueryText = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => normaliseText(text)),
)
const normaliseText = (text: string) =>
  // The text is cut first, so that NFC is not computed for a text of megabytes.
  cut(
    cut(text, 4 * MOST_LETTERS)
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
    MOST_LETTERS,
  ).trim()

const choice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(v.string(), v.picklist(options, `Not a valid choice. Choose one of: ${options.join(', ')}.`))

/** Several values of a list, in repeated members or separated by commas. Fails with `message` if a value is not in the list. */
const listOf = (choices: ReadonlySet<string>, message: string) =>
  v.pipe(
    v.array(v.string()),
    v.transform((sent) => [
      ...new Set(
        sent
          .flatMap((it) => it.split(','))
          .map((it) => it.trim().replaceAll('-', '_'))
          .filter(Boolean),
      ),
    ]),
    v.check((names) => names.every((name) => choices.has(name)), message),
    v.transform((names) => (names.length > 0 ? names : undefined)),
    documentAs({ type: 'array', items: { type: 'string', enum: [...choices] } }),
  )
const notOneOf = (names: Iterable<string>) => `Not a valid choice. Choose among: ${[...names].join(', ')}.`

/** The most results of a page. */
const MOST_RESULTS = 50
/** The results of a page without `page_size`. */
const DEFAULT_RESULTS = 20
const orders = ['relevance', 'newest', 'popularity', 'distance'] as const

/** Values of a facet, in repeated members only, since a value may contain commas. */
const facetValues = v.pipe(
  v.array(v.string()),
  v.transform((sent) => sent.map((it) => it.trim()).filter(Boolean)),
  v.transform((it) => (it.length > 0 ? it : undefined)),
)

const NO_PART = 'Give keys of `interpreted`, such as place:patan.'
const partSorts: ReadonlySet<string> = new Set(readParts)
/** Keys of parts of `interpreted`, in repeated members. */
const partKeys = v.pipe(
  v.array(v.string()),
  v.transform((sent) => [...new Set(sent.map(normaliseKey).filter(Boolean))]),
  v.maxLength(MOST_TAKEN_BACK, 'Give 24 keys at most.'),
  v.check((keys) => keys.every(isPartKey), NO_PART),
  v.transform((keys) => (keys.length > 0 ? keys : undefined)),
)
function isPartKey(key: string): boolean {
  const [, as = '', words = ''] = /^([a-z]+):([^:]+)$/.exec(key) ?? []
  return partSorts.has(as) && words !== '' && key.length <= MOST_LETTERS
}

/** `q`, filters, order and page. The refusal of an invalid value names its member. */
const SearchMembers = v.object(
  {
    q: optionalQueryText,
    resource: listOf(new Set(resources), notOneOf(resources)),
    status: listOf(new Set(recordStatuses), notOneOf(recordStatuses)),
    published: StrictBoolean,
    sort: v.pipe(
      v.optional(v.string(), ''),
      v.transform((it) => it.trim() || 'relevance'),
      choice(orders),
      documentAs({ type: 'string', enum: orders, default: 'relevance' }),
    ),
    page: wholeNumber(1, 1_000_000),
    page_size: wholeNumber(DEFAULT_RESULTS, MOST_RESULTS),
    facets: StrictBoolean,
    calendar: CalendarName,
    literal: StrictBoolean,
    without: partKeys,
    ...v.entriesFromList(facetNames, facetValues),
    ...placeAndTime,
  },
  MISSING,
)
const placeAndTimeMembers = [['bbox'], ['near'], ['from'], ['to']] as const
/** The query of search. It needs words, a place or a time, and is refused without any of them. */
export const SearchParams = v.pipe(
  SearchMembers,
  v.forward(
    v.partialCheck([['q'], ...placeAndTimeMembers], (it) => it.q !== '' || isSomewhere(it), MISSING),
    ['q'],
  ),
)
/** The members that a query may repeat. */
export const REPEATED = ['resource', 'status', 'without', ...facetNames]

/** A query that needs a text. */
export const RequiredQuery = v.object({ q: queryText }, MISSING)
/** The query of the old search, with the calendar in which dates are shown. */
export const GroupedQuery = v.object({ q: queryText, calendar: CalendarName }, MISSING)
/** The types that the discovery page shows. */
const discoveredTypes = Object.keys(discoveryGroups)
export const DiscoveryQuery = v.object({
  q: optionalQueryText,
  type: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.trim() || 'persons'),
    choice(discoveredTypes),
    documentAs({ type: 'string', enum: discoveredTypes, default: 'persons' }),
  ),
  calendar: CalendarName,
})
