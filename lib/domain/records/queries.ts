import * as v from 'valibot'
import { formatNames, JSON_LD, rdfTypes } from '../../platform/http/media.ts'
import { PastMoment } from '../../platform/http/moment.ts'
import {
  BooleanFlag,
  CalendarName,
  MISSING,
  numberFromOne,
  optionalQueryChoice,
  QueryId,
  QueryText,
  queryWord,
  RecordOrdering,
  requiredId,
  wholeNumber,
} from '../../platform/http/params.ts'
import { placeAndTime } from '../../platform/http/place-and-time.ts'
import { documentAs } from '../../platform/http/schema-notes.ts'
import {
  type Kind,
  kindOfScope,
  kindOfSegment,
  recordKinds,
  reviewedKinds,
  unknownKindMessage,
} from '../kinds/index.ts'
import { activityTypes, claimStatuses } from './items.ts'
import { recordStatuses } from './rules/status.ts'

/** The path segment of a kind with integer ids, with hyphens or underscores. Example: `structures`. */
const Segment = v.pipe(
  v.string(),
  v.transform((segment) => kindOfSegment(segment) ?? segment),
  v.custom<Kind>(
    (kind) => (kind as Partial<Kind>).record === true,
    ({ input }) => (typeof input === 'string' ? unknownKindMessage(input, 'segment') : ''),
  ),
)
/** The path members of `/cidoc/{segment}/`. */
export const CollectionAddress = v.object({ segment: Segment })
/** The path members of `/cidoc/{segment}/{id}/`. */
export const RecordAddress = v.object({ segment: Segment, id: numberFromOne(12) })

export const RecordQuery = v.object({
  status: queryWord(recordStatuses),
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
/** Names of linked data for `format`. */
const linkedFormats = formatNames([JSON_LD, ...rdfTypes])
/** The query of lists that also answer as a table (`format`, `columns`). */
export const DatedQuery = v.object({
  ...RecordQuery.entries,
  calendar: CalendarName,
  at: PastMoment,
  format: optionalQueryChoice(['json', 'csv', 'xlsx', 'geojson', ...linkedFormats]),
  columns: v.optional(v.pipe(v.string(), v.maxLength(3000))),
  evidence: BooleanFlag,
})
export const CalendarQuery = v.object({ calendar: CalendarName })
export const ViewQuery = v.object({
  ...CalendarQuery.entries,
  at: PastMoment,
  format: optionalQueryChoice(['json', 'geojson', ...linkedFormats]),
})
export const ActivityQuery = v.object({
  username: QueryText,
  activity_type: queryWord(activityTypes),
  entity: QueryId,
  ordering: RecordOrdering,
})
export const AssertionQuery = v.object({
  entity_type: queryWord(reviewedKinds),
  entity_id: QueryText,
  cultural_entity_id: QueryId,
  asserted_property: QueryText,
  identifier: QueryText,
  status: queryWord(claimStatuses),
})

/** The name of a kind with integer ids. Example: `structure`. */
const KindScope = v.pipe(
  v.string(),
  v.check(
    (domain) => kindOfScope(domain)?.record === true,
    ({ input }) => unknownKindMessage(input),
  ),
  documentAs({ type: 'string', enum: recordKinds }),
)
export const RelatedQuery = v.object(
  {
    domain: KindScope,
    id: numberFromOne(12, 'A whole number from 1 is wanted.'),
    group: v.optional(KindScope),
    page: wholeNumber(1, 100_000),
    page_size: wholeNumber(10, 50),
    calendar: CalendarName,
  },
  MISSING,
)

const EntityQuery = v.object({ entity: requiredId('Give the id of a record.') }, MISSING)
export const DatedEntityQuery = v.object({ ...EntityQuery.entries, calendar: CalendarName }, MISSING)
const RevisionNumber = numberFromOne(8, 'A revision is a whole number from 1.')
export const DiffQuery = v.object({ from: RevisionNumber, to: RevisionNumber }, MISSING)
export const ExplainQuery = v.object({ property: QueryText, calendar: CalendarName, at: PastMoment })
