import * as v from 'valibot'
import { CalendarName, MISSING, StrictBoolean, wholeNumber } from '../http/params.ts'
import { placeAndTime } from '../http/place-and-time.ts'
import { discovered, resources } from '../kinds/resources.ts'
import { cut } from '../matching/cut.ts'
import { statuses } from '../records/rules/status.ts'
import { facetNames } from '../search/document.ts'
import { isSomewhere } from '../search/where.ts'

/** What the search endpoints are asked. */

/** More letters than this make no name and no question; the rest is not looked at. */
const MOST_LETTERS = 200

/** What someone looks for, as data whatever it is: in NFC, one line, cut to what is of use. Blank is missing. */
const queryText = v.pipe(
  v.string(MISSING),
  v.transform((it) => clean(it)),
  v.nonEmpty(MISSING),
)
/** The same where it may be missing. */
const maybeSought = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => clean(it)),
)
const clean = (text: string) =>
  // What lies far behind the end is not even composed.
  cut(
    cut(text, 4 * MOST_LETTERS)
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
    MOST_LETTERS,
  ).trim()

const choice = <const Options extends readonly string[]>(options: Options) =>
  v.pipe(v.string(), v.picklist(options, `Not a valid choice. Choose one of: ${options.join(', ')}.`))

/** Several values, sent as several members or as one with commas. */
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
    v.check((it) => it.every((one) => known.has(one)), message),
    v.transform((it) => (it.length > 0 ? it : undefined)),
  )
const oneOf = (names: Iterable<string>) => `Not a valid choice. Choose among: ${[...names].join(', ')}.`

const MOST_RESULTS = 50
const FEW_RESULTS = 20
const orders = ['relevance', 'newest', 'popularity', 'distance'] as const

/** Values of a facet, each sent as a member of its own, since values hold commas. */
const valuesOf = v.pipe(
  v.array(v.string()),
  v.transform((sent) => sent.map((it) => it.trim()).filter(Boolean)),
  v.transform((it) => (it.length > 0 ? it : undefined)),
)

/** `q` and how results are narrowed, sorted and paged. Members that say nothing legal are refused by name. */
const SearchMembers = v.object(
  {
    q: maybeSought,
    resource: several(new Set(resources), oneOf(resources)),
    status: several(new Set(statuses), oneOf(statuses)),
    published: StrictBoolean,
    sort: v.pipe(
      v.optional(v.string(), ''),
      v.transform((it) => it.trim() || 'relevance'),
      choice(orders),
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
/** Who names neither words nor a place nor a time asks for everything, which is refused. */
export const SearchQuery = v.pipe(
  SearchMembers,
  v.forward(
    v.partialCheck([['q'], ...where], (it) => it.q !== '' || isSomewhere(it), MISSING),
    ['q'],
  ),
)
export const REPEATED = ['resource', 'status', ...facetNames]

export const RequiredQuery = v.object({ q: queryText }, MISSING)
/** The same where dates are shown in a calendar. */
export const GroupedQuery = v.object({ q: queryText, calendar: CalendarName }, MISSING)
const discoveredTypes = Object.keys(discovered)
export const DiscoveryQuery = v.object({
  q: maybeSought,
  type: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.trim() || 'persons'),
    choice(discoveredTypes),
  ),
  calendar: CalendarName,
})
