import * as v from 'valibot'
import { PastMoment } from '../http/moment.ts'
import {
  BooleanFlag,
  CalendarName,
  MISSING,
  oneOrNone,
  QueryText,
  RecordOrdering,
  requiredId,
  wholeNumber,
} from '../http/params.ts'
import { placeAndTime } from '../http/place-and-time.ts'
import { type Kind, kindOfScope, kindOfSegment, noKind } from '../kinds/index.ts'

/** What paths and queries about records say. Members that say nothing legal ask for nothing. */

/** The segment of a kind with integer ids; hyphens and underscores alike. */
const Segment = v.pipe(
  v.string(),
  v.transform((it) => kindOfSegment(it) ?? it),
  v.custom<Kind>(
    (it) => (it as Partial<Kind>).record === true,
    ({ input }) => (typeof input === 'string' ? noKind(input, 'segment') : ''),
  ),
)
export const Collection = v.object({ segment: Segment })
export const Address = v.object({
  segment: Segment,
  id: v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/), v.transform(Number)),
})

/** What lists of records are asked for. */
export const RecordQuery = v.object({
  status: QueryText,
  mine: BooleanFlag,
  all: BooleanFlag,
  search: QueryText,
  identifier: QueryText,
  contributor: QueryText,
  category: QueryText,
  facets: BooleanFlag,
  ordering: RecordOrdering,
  ...placeAndTime,
})
/** The same where dates are shown in a calendar, and lists as tables: `format` instead of an Accept header, with these columns. */
export const DatedQuery = v.object({
  ...RecordQuery.entries,
  calendar: CalendarName,
  at: PastMoment,
  format: oneOrNone(['json', 'csv', 'xlsx']),
  columns: v.optional(v.pipe(v.string(), v.maxLength(3000))),
})
/** In which calendar a record shows its dates, and as of when it is shown. */
export const CalendarQuery = v.object({ calendar: CalendarName })
export const ViewQuery = v.object({ ...CalendarQuery.entries, at: PastMoment })
export const ActivityQuery = v.object({
  username: QueryText,
  activity_type: QueryText,
  entity: QueryText,
  ordering: RecordOrdering,
})
export const AssertionQuery = v.object({
  entity_type: QueryText,
  entity_id: QueryText,
  cultural_entity_id: QueryText,
  asserted_property: QueryText,
  status: QueryText,
})

const scope = v.pipe(
  v.string(),
  v.check(
    (it) => kindOfScope(it)?.record === true,
    ({ input }) => noKind(input),
  ),
)
export const RelatedQuery = v.object(
  {
    domain: scope,
    id: v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, 'A whole number from 1 is wanted.')),
    group: v.optional(scope),
    page: wholeNumber(1, 100_000),
    page_size: wholeNumber(10, 50),
    calendar: CalendarName,
  },
  MISSING,
)

const EntityQuery = v.object({ entity: requiredId('Give the id of a record.') }, MISSING)
/** The same where the revisions show their dates in a calendar. */
export const DatedEntityQuery = v.object({ ...EntityQuery.entries, calendar: CalendarName }, MISSING)
const revisionNumber = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,7}$/, 'A revision is a whole number from 1.'),
  v.transform(Number),
)
export const DiffQuery = v.object({ from: revisionNumber, to: revisionNumber }, MISSING)
export const ExplainQuery = v.object({ property: QueryText, calendar: CalendarName, at: PastMoment })
