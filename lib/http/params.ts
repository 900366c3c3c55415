import * as v from 'valibot'
import { type Kind, kindOfScope, kindOfSegment } from '../kinds/index.ts'
import type { Sort } from '../search/ask.ts'
import { chooseFrom } from './body.ts'

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
/** A UUID, in lower case. */
export const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid())
export const ById = v.object({ id: uuid })
export const ByEntity = v.object({ entity_id: uuid })
/** The slug of a project. */
export const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

/** `1`, `true`, `yes`: a switch in a query; anything else is off. */
export const Switch = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => ['1', 'true', 'yes'].includes(it.toLowerCase())),
)
/** The same where it makes a difference whether it is off or not asked for at all. */
export const EitherWay = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => either.get(it.toLowerCase())),
)
const either: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes'].map((it) => [it, true] as const),
  ...['0', 'false', 'no'].map((it) => [it, false] as const),
])
/** Text of a query member, cut to what is of use; absent when blank. */
export const Text = v.pipe(
  v.optional(v.string(), ''),
  v.transform((it) => it.normalize('NFC').trim().slice(0, 200) || undefined),
)

/** The orders that lists of records know; any other is the newest first. */
const orderings: ReadonlyMap<string | undefined, { forward: boolean; sort: Sort }> = new Map([
  ['created_at', { forward: true, sort: 'created' }],
  ['id', { forward: true, sort: 'created' }],
  ['-created_at', { forward: false, sort: '-created' }],
  ['-id', { forward: false, sort: '-created' }],
  ['-updated_at', { forward: false, sort: 'newest' }],
  ['name', { forward: false, sort: 'name' }],
  ['-name', { forward: false, sort: '-name' }],
])

/** What lists of records are asked for. Members that say nothing legal ask for nothing. */
export const RecordQuery = v.object({
  status: Text,
  mine: Switch,
  all: Switch,
  search: Text,
  identifier: Text,
  contributor: Text,
  category: Text,
  facets: Switch,
  ordering: v.pipe(
    Text,
    v.transform((it): { forward: boolean; sort?: Sort } => orderings.get(it) ?? { forward: false }),
  ),
})
export const NameQuery = v.object({ search: Text })
const { ordering } = RecordQuery.entries
export const SourceQuery = v.object({
  search: Text,
  name: Text,
  source_type: Text,
  access_tier: Text,
  ingest_status: Text,
  ordering,
})
export const ClusterQuery = v.object({ search: Text, type_scope: Text, locked: EitherWay, ordering })
export const ActivityQuery = v.object({
  username: Text,
  activity_type: Text,
  entity: Text,
  ordering,
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

/** A whole number from 0; absent when blank. */
const count = v.pipe(
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
const oneOf = <const Options extends readonly [string, ...string[]]>(options: Options) =>
  v.pipe(
    v.optional(v.union([v.literal(''), v.picklist(options)], chooseFrom(options)), ''),
    v.transform((it): Options[number] => it || options[0]),
  )
export const QueueQuery = v.pipe(
  v.object({
    queue_type: oneOf(['all', 'new_claims', 'conflicts', 'flagged', 'expiring']),
    ordering: oneOf(['-triage_priority', 'created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name']),
    category: Text,
    kind: Text,
    status: Text,
    search: Text,
    stale_days: count,
    contradictions_only: Switch,
    my_domain: Switch,
    min_worst_source_rank: count,
    max_trust_tier_rank: count,
  }),
  v.transform(({ queue_type, ...rest }) => ({ ...rest, type: queue_type })),
)
export const ContributionQueueQuery = v.object({
  queue_tab: oneOf(['all', 'new_claims', 'conflicts', 'flagged', 'expiring', 'forks']),
  ordering: oneOf(['-created_at', 'created_at', 'name', '-name', 'updated_at', '-updated_at', '-triage_priority']),
  category: Text,
  search: Text,
})

const missing = 'This parameter is required.'
const id = (message: string) => v.pipe(v.string(), v.toLowerCase(), v.uuid(message))
export const ReviewerQuery = v.object({ reviewer: id('Give the id of a user.') }, missing)
export const EntityQuery = v.object({ entity: id('Give the id of a record.') }, missing)
const revisionNumber = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,7}$/, 'A revision is a whole number from 1.'),
  v.transform(Number),
)
export const DiffQuery = v.object({ from: revisionNumber, to: revisionNumber }, missing)
export const ExplainQuery = v.object({ property: Text })

/** What a board is asked for. The name of an institution is cut where no stored one is as long. */
export const BoardQuery = v.object({
  search: v.pipe(
    Text,
    v.transform((it) => it?.toLowerCase().slice(0, 200)),
  ),
  institution: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => it.normalize('NFC').trim().slice(0, 256) || undefined),
  ),
  type: oneOrNone(['Curation', 'Revisions', 'Moderation', 'Forks']),
})
