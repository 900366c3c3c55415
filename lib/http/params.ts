import * as v from 'valibot'
import { type Kind, kindOfScope, kindOfSegment } from '../kinds/index.ts'

/** Path and query members that several groups share. A path member that does not fit is a 404. */

/** The segment of a kind with integer ids; hyphens and underscores alike. */
const Segment = v.pipe(
  v.string(),
  v.transform((it) => kindOfSegment(it)),
  v.custom<Kind>((it) => (it as Kind | undefined)?.record === true),
)

export const Collection = v.object({ segment: Segment })
export const Address = v.object({
  segment: Segment,
  id: v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/), v.transform(Number)),
})
const Uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid())
export const ById = v.object({ id: Uuid })
export const ByEntity = v.object({ entity_id: Uuid })

/** `1`, `true`, `yes`: a switch in a query; anything else is off. */
const Switch = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => ['1', 'true', 'yes'].includes(it.toLowerCase())),
)
/** Text of a query member, cut to what is of use; absent when blank. */
const Text = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.normalize('NFC').trim().slice(0, 200) || undefined),
)

/** What lists of records are asked for. Members that say nothing legal ask for nothing. */
export const RecordQuery = v.object({
  status: Text,
  mine: Switch,
  all: Switch,
  search: Text,
  identifier: Text,
  contributor: Text,
  category: Text,
  ordering: v.pipe(
    Text,
    v.transform((it) => ({ forward: it === 'created_at' || it === 'id' })),
  ),
})
export const NameQuery = v.object({ search: Text })
export const SourceQuery = v.object({ search: Text, source_type: Text, access_tier: Text, ingest_status: Text })
export const ActivityQuery = v.object({
  username: Text,
  activity_type: Text,
  entity: Text,
  ordering: RecordQuery.entries.ordering,
})
export const AssertionQuery = v.object({
  entity_type: Text,
  entity_id: Text,
  cultural_entity_id: Text,
  asserted_property: Text,
  status: Text,
})
const whole = (fallback: number, most: number) =>
  v.pipe(
    v.optional(v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, 'A whole number from 1 is wanted.')), String(fallback)),
    v.transform((it) => Math.min(Number(it), most)),
  )
const scope = v.pipe(
  v.string(),
  v.check((it) => kindOfScope(it)?.record === true, 'There is no kind of this name.'),
)
export const RelatedQuery = v.object(
  {
    domain: scope,
    id: v.pipe(v.string(), v.regex(/^[1-9]\d{0,11}$/, 'A whole number from 1 is wanted.')),
    group: v.optional(scope),
    page: whole(1, 100_000),
    page_size: whole(10, 50),
  },
  'This parameter is required.',
)
