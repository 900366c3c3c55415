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
 * Lists activities, newest first. `about` is undefined where the caller may not see the record. Calls: one for each
 * audience of the caller, and one that reads sizes, records and people together.
 */
export async function listRecordActivities(
  filter: ActivityFilter,
  actor: Actor | null,
  place: PageRequest,
): Promise<ActivityPage> {
  const by = filter.username === undefined ? undefined : await loadUserByUsername(filter.username)
  const nobody = filter.username !== undefined && !by
  const noType = filter.activity_type !== undefined && !activityTypes.some((it) => it === filter.activity_type)
  if (nobody || noType) return { count: 0, results: [], found: new Map() }
  const { items, ...listing } = filter.entity
    ? await listOfRecord(filter, by?.id, actor, place)
    : await listOfAll(filter, by?.id, actor, place)
  const results = items.map((row) => {
    const about = itemIn(listing.found, recordItem, row)
    return { activity: row, about: about && mayInspect(actor, about) ? about : undefined }
  })
  return { ...listing, results }
}

type ActivityWithRecord = Subject & { activity: Activity; about: RecordItem; version: number }

/** The id of an activity contains its record's id, so one call reads both. */
export async function loadActivity(id: string): Promise<ActivityWithRecord | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const found = await getMany([key.activity(record, id), key.head(record)], true)
  const it = itemIn(found, activity, { entity_id: record, activity_id: id })
  const about = itemIn(found, recordItem, { entity_id: record })
  if (!it || !about) return undefined
  const { contributor_id, access_tier, deleted_at } = about
  const isPublic = audiences.some((one) => one === withActivityAudience(it, about).audience)
  return { activity: it, about, contributor_id, public: isPublic, access_tier, deleted_at, version: it.version }
}

const keysInvolved = (rows: readonly Activity[]) => rows.flatMap((it) => [key.head(it.entity_id), keyOf(it.user_id)])

/** A caller who may not read withheld activities still reads their own. */
function partitionsFor({ activity_type }: ActivityFilter, by: string | undefined, actor: Actor | null) {
  const callerAudiences = audiencesFor(actor)
  const within = (audience: HistoryAudience, user: string | undefined) =>
    ({
      index: user ? (activity_type ? 'gsi4' : 'gsi3') : activity_type ? 'gsi1' : 'gsi2',
      pk: activityList(audience, user, activity_type),
    }) as const
  const own = actor && !callerAudiences.includes('withheld') && (by === undefined || by === actor.id)
  return [...callerAudiences.map((audience) => within(audience, by)), ...(own ? [within('withheld', actor.id)] : [])]
}

async function listOfAll(filter: ActivityFilter, by: string | undefined, actor: Actor | null, place: PageRequest) {
  const partitions = partitionsFor(filter, by, actor)
  const counted = partitions.map(({ pk }) => pk)
  const list = { partitions, counted, isCountedEach: true, ...(filter.forward && { forward: true }) }
  const listing = await readList(list, place, (items) => keysInvolved(items.map((item) => parse(activity, item))))
  return { ...listing, items: listing.items.map((item) => parse(activity, item)) }
}

/** A record has few activities: all are read, and filtered here. */
async function listOfRecord(
  { entity = '', activity_type, forward }: ActivityFilter,
  by: string | undefined,
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
      (it) =>
        worksOn(actor, about) ||
        it.user_id === actor?.id ||
        callerAudiences.includes(withActivityAudience(it, about).audience),
    )
    .filter((it) => (!by || it.user_id === by) && (!activity_type || it.activity_type === activity_type))
  const items = rows.slice(place.offset, place.offset + place.limit)
  return { items, count: rows.length, found: await getMany(keysInvolved(items)) }
}
