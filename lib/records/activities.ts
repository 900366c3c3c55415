import { addressOf } from '../ids/address.ts'
import {
  type Actor,
  audiences,
  audiencesWith,
  mayInspect,
  mayReview,
  maySeeAll,
  type Subject,
  worksOn,
} from '../permissions.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, queryAll, type Stored } from '../table/read.ts'
import { keyOf, loadByUsername } from '../users/users.ts'
import {
  type Activity,
  activity,
  activityList,
  activityTypes,
  type HistoryAudience,
  historyAudiences,
  type RecordItem,
  recordItem,
  toldOf,
} from './items.ts'

export type Filter = {
  username?: string | undefined
  activity_type?: string | undefined
  entity?: string | undefined
  forward?: boolean | undefined
}
export type Feed = PageResult<{ activity: Activity; about: RecordItem | undefined }> & {
  found: ReadonlyMap<string, Stored>
}

/**
 * One page of the feed of everyone, or of one person, one type or one record: a call for the rows, and one for the size
 * with the records and people they name. `about` is missing where the caller may not see the record.
 */
export async function list(filter: Filter, actor: Actor | null, place: PageRequest): Promise<Feed> {
  const by = filter.username === undefined ? undefined : await loadByUsername(filter.username)
  const nobody = filter.username !== undefined && !by
  const noType = filter.activity_type !== undefined && !activityTypes.some((it) => it === filter.activity_type)
  if (nobody || noType) return { count: 0, results: [], found: new Map() }
  const { items, ...listing } = filter.entity
    ? await ofRecord(filter, by?.id, actor, place)
    : await ofAll(filter, by?.id, actor, place)
  const results = items.map((row) => {
    const about = itemIn(listing.found, recordItem, row)
    return { activity: row, about: about && mayInspect(actor, about) ? about : undefined }
  })
  return { ...listing, results }
}

/** An activity as the subject of rules. */
type Told = Subject & { activity: Activity; about: RecordItem; version: number }

/** One activity with its record, in one call: the id carries the record's address. */
export async function load(id: string): Promise<Told | undefined> {
  const record = addressOf(id)?.record
  if (!record) return undefined
  const found = await getMany([key.activity(record, id), key.head(record)], true)
  const it = itemIn(found, activity, { entity_id: record, activity_id: id })
  const about = itemIn(found, recordItem, { entity_id: record })
  if (!it || !about) return undefined
  const { contributor_id, access_tier, deleted_at } = about
  const isPublic = audiences.some((one) => one === toldOf(it, about).audience)
  return { activity: it, about, contributor_id, public: isPublic, access_tier, deleted_at, version: it.version }
}

/** The audiences of what happened to which the caller belongs, whatever the record. */
export function historyAudiencesOf(actor: Actor | null): readonly HistoryAudience[] {
  if (maySeeAll(actor)) return historyAudiences
  const open = audiencesWith(actor !== null)
  return mayReview(actor) ? [...open, 'withheld'] : open
}

const involved = (rows: readonly Activity[]) => rows.flatMap((it) => [key.head(it.entity_id), keyOf(it.user_id)])

/** Everyone is told of what is public, and of what they did themselves; those who review of all but what is deleted. */
function partitionsFor({ activity_type }: Filter, by: string | undefined, actor: Actor | null) {
  const told = historyAudiencesOf(actor)
  const within = (audience: HistoryAudience, user: string | undefined) =>
    ({
      index: user ? (activity_type ? 'gsi4' : 'gsi3') : activity_type ? 'gsi1' : 'gsi2',
      pk: activityList(audience, user, activity_type),
    }) as const
  const own = actor && !told.includes('withheld') && (by === undefined || by === actor.id)
  return [...told.map((audience) => within(audience, by)), ...(own ? [within('withheld', actor.id)] : [])]
}

async function ofAll(filter: Filter, by: string | undefined, actor: Actor | null, place: PageRequest) {
  const partitions = partitionsFor(filter, by, actor)
  const counted = partitions.map(({ pk }) => pk)
  const list = { partitions, counted, isCountedEach: true, ...(filter.forward && { forward: true }) }
  const listing = await readList(list, place, (items) => involved(items.map((item) => parse(activity, item))))
  return { ...listing, items: listing.items.map((item) => parse(activity, item)) }
}

/** What happened to one record is in its own partition; its history bounds it. */
async function ofRecord(
  { entity = '', activity_type, forward }: Filter,
  by: string | undefined,
  actor: Actor | null,
  place: PageRequest,
) {
  const about = await get(recordItem, { entity_id: entity.toLowerCase() })
  if (!about || !mayInspect(actor, about)) return { items: [], count: 0, found: new Map() }
  const told = historyAudiencesOf(actor)
  const stored = await queryAll(key.head(entity.toLowerCase()).pk, 'ACTIVITY#', forward ?? false)
  const rows = stored
    .map((item) => parse(activity, item))
    .filter((it) => worksOn(actor, about) || it.user_id === actor?.id || told.includes(toldOf(it, about).audience))
    .filter((it) => (!by || it.user_id === by) && (!activity_type || it.activity_type === activity_type))
  const items = rows.slice(place.offset, place.offset + place.limit)
  return { items, count: rows.length, found: await getMany(involved(items)) }
}
