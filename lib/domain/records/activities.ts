import { addressOf } from '../../base/ids/address.ts'
import { audiences, type HistoryAudience } from '../../base/visibility.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  queryAll,
  readList,
  type Stored,
} from '../../engines/table/index.ts'
import { type Actor, audiencesFor, mayInspect, type Subject, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { keyOf, loadUserByUsername } from '../../platform/users/users.ts'
import {
  type Activity,
  activity,
  activityList,
  activityTypes,
  type RecordItem,
  recordItem,
  withActivityAudience,
} from './items.ts'

export type ActivityFilter = {
  username?: string | undefined
  activity_type?: string | undefined
  entity?: string | undefined
  forward?: boolean | undefined
}
export type ActivityPage = PageResult<{ activity: Activity; about: RecordItem | undefined }> & {
  found: ReadonlyMap<string, Stored>
}

/**
 * Lists activities, newest first unless `forward`. `about` is undefined if the caller may not see the record. Costs a call for each
 * partition of `partitionsFor`, and one for sizes, records and people. With `entity` it costs up to three calls. `username` adds the calls
 * that find the user.
 */
export async function listRecordActivities(
  filter: ActivityFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<ActivityPage> {
  const author = filter.username === undefined ? undefined : await loadUserByUsername(filter.username)
  const isUnknownUser = filter.username !== undefined && !author
  const isUnknownType = filter.activity_type !== undefined && !activityTypes.some((it) => it === filter.activity_type)
  if (isUnknownUser || isUnknownType) return { count: 0, results: [], found: new Map() }
  const { items, ...listing } = filter.entity
    ? await listOfRecord(filter, author?.id, actor, place)
    : await listOfAll(filter, author?.id, actor, place)
  const results = items.map((row) => {
    const about = itemIn(listing.found, recordItem, row)
    return { activity: row, about: about && mayInspect(actor, about) ? about : undefined }
  })
  return { ...listing, results }
}

type ActivityWithRecord = Subject & { activity: Activity; about: RecordItem; version: number }

/** Loads an activity with its record. One call: the id of an activity contains the id of the record. */
export async function loadActivity(id: string): Promise<ActivityWithRecord | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const found = await getMany([key.activity(record, id), key.head(record)], true)
  const loaded = itemIn(found, activity, { entity_id: record, activity_id: id })
  const about = itemIn(found, recordItem, { entity_id: record })
  if (!loaded || !about) return undefined
  const { contributor_id, access_tier, deleted_at } = about
  const isPublic = audiences.some((audience) => audience === withActivityAudience(loaded, about).audience)
  return { activity: loaded, about, contributor_id, public: isPublic, access_tier, deleted_at, version: loaded.version }
}

/** The keys of the records and people of these activities. */
const keysToShowActivities = (rows: readonly Activity[]) =>
  rows.flatMap(({ entity_id, user_id }) => [key.head(entity_id), keyOf(user_id)])

/** The index partitions of the activities that the caller may read. Callers always read their own activities. */
function partitionsFor({ activity_type }: ActivityFilter, author: string | undefined, actor: Actor | null) {
  const callerAudiences = audiencesFor(actor)
  const partitionOf = (audience: HistoryAudience, user: string | undefined) =>
    ({
      index: user ? (activity_type ? 'gsi4' : 'gsi3') : activity_type ? 'gsi1' : 'gsi2',
      pk: activityList(audience, user, activity_type),
    }) as const
  const open = callerAudiences.map((audience) => partitionOf(audience, author))
  const isOwnAdded =
    actor !== null && !callerAudiences.includes('withheld') && (author === undefined || author === actor.id)
  return isOwnAdded ? [...open, partitionOf('withheld', actor.id)] : open
}

async function listOfAll(filter: ActivityFilter, author: string | undefined, actor: Actor | null, place: PageRequest) {
  const partitions = partitionsFor(filter, author, actor)
  const counted = partitions.map(({ pk }) => pk)
  const list = { partitions, counted, isCountedEach: true, ...(filter.forward && { forward: true }) }
  const listing = await readList(list, place, (items) =>
    keysToShowActivities(items.map((item) => parse(activity, item))),
  )
  return { ...listing, items: listing.items.map((item) => parse(activity, item)) }
}

/** Lists the activities of one record. A record has few, so all are read and filtered here. */
async function listOfRecord(
  { entity = '', activity_type, forward }: ActivityFilter,
  author: string | undefined,
  actor: Actor | null,
  place: PageRequest,
) {
  const about = await get(recordItem, { entity_id: entity.toLowerCase() })
  if (!about || !mayInspect(actor, about)) return { items: [], count: 0, found: new Map() }
  const callerAudiences = audiencesFor(actor)
  const stored = await queryAll(key.head(entity.toLowerCase()).pk, 'ACTIVITY#', forward ?? false)
  const rows = stored
    .map((item) => parse(activity, item))
    .filter(
      (row) =>
        worksOn(actor, about) ||
        row.user_id === actor?.id ||
        callerAudiences.includes(withActivityAudience(row, about).audience),
    )
    .filter((row) => (!author || row.user_id === author) && (!activity_type || row.activity_type === activity_type))
  const items = rows.slice(place.offset, place.offset + place.limit)
  return { items, count: rows.length, found: await getMany(keysToShowActivities(items)) }
}
