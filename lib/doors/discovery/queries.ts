import * as v from 'valibot'
import { discoveryGroups, resources } from '../../domain/kinds/resources.ts'
import { recordStatuses } from '../../domain/records/rules/status.ts'
import { facetNames } from '../../domain/search-words/facets.ts'
import { cut } from '../../engines/matching/index.ts'
import { isSomewhere } from '../../engines/search/index.ts'
import { CalendarName, MISSING, StrictBoolean, wholeNumber } from '../../platform/http/params.ts'
import { placeAndTime } from '../../platform/http/place-and-time.ts'
import { documentAs } from '../../platform/http/schema-notes.ts'

/** The most letters of a query. The rest is ignored. */
const MOST_LETTERS = 200

/** The text of a query: in NFC, on one line, cut. A blank text counts as missing. */
const queryText = v.pipe(
  v.string(MISSING),
  v.transform((it) => clean(it)),
  v.nonEmpty(MISSING),
)
/** The same, but it may be missing. */
const maybeSought = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => clean(it)),
)
const clean = (text: string) =>
  // Cut first, so that NFC is not computed for a text of megabytes.
  cut(
    cut(text, 4 * MOST_LETTERS)
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
    MOST_LETTERS,
  ).trim()

const choice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(v.string(), v.picklist(options, `Not a valid choice. Choose one of: ${options.join(', ')}.`))

/** Several values, in repeated members or separated by commas. */
const several = (known: ReadonlySet<string>, message: string) =>
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
    v.check((names) => names.every((name) => known.has(name)), message),
    v.transform((names) => (names.length > 0 ? names : undefined)),
    documentAs({ type: 'array', items: { type: 'string', enum: [...known] } }),
  )
const oneOf = (names: Iterable<string>) => `Not a valid choice. Choose among: ${[...names].join(', ')}.`

const MOST_RESULTS = 50
const FEW_RESULTS = 20
const orders = ['relevance', 'newest', 'popularity', 'distance'] as const

/** Values of a facet, in repeated members only, since values may contain commas. */
const valuesOf = v.pipe(
  v.array(v.string()),
  v.transform((sent) => sent.map((it) => it.trim()).filter(Boolean)),
  v.transform((it) => (it.length > 0 ? it : undefined)),
)

/** `q`, filters, order and page. An invalid member is refused by its name. */
const SearchMembers = v.object(
  {
    q: maybeSought,
    resource: several(new Set(resources), oneOf(resources)),
    status: several(new Set(recordStatuses), oneOf(recordStatuses)),
    published: StrictBoolean,
    sort: v.pipe(
      v.optional(v.string(), ''),
      v.transform((it) => it.trim() || 'relevance'),
      choice(orders),
      documentAs({ type: 'string', enum: orders, default: 'relevance' }),
    ),
    page: wholeNumber(1, 1_000_000),
    page_size: wholeNumber(FEW_RESULTS, MOST_RESULTS),
    facets: StrictBoolean,
    calendar: CalendarName,
    literal: StrictBoolean,
    ...v.entriesFromList(facetNames, valuesOf),
    ...placeAndTime,
  },
  MISSING,
)
const where = [['bbox'], ['near'], ['from'], ['to']] as const
/** A query needs words, a place or a time. Without any it is refused. */
export const SearchParams = v.pipe(
  SearchMembers,
  v.forward(
    v.partialCheck([['q'], ...where], (it) => it.q !== '' || isSomewhere(it), MISSING),
    ['q'],
  ),
)
export const REPEATED = ['resource', 'status', ...facetNames]

export const RequiredQuery = v.object({ q: queryText }, MISSING)
/** The query of the old search, with the calendar in which dates are shown. */
export const GroupedQuery = v.object({ q: queryText, calendar: CalendarName }, MISSING)
const discoveredTypes = Object.keys(discoveryGroups)
export const DiscoveryQuery = v.object({
  q: maybeSought,
  type: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.trim() || 'persons'),
    choice(discoveredTypes),
    documentAs({ type: 'string', enum: discoveredTypes, default: 'persons' }),
  ),
  calendar: CalendarName,
})
