import { clock } from '../../base/clock.ts'
import {
  countKeys,
  getMany,
  itemIn,
  type Key,
  type PageRequest,
  type PageResult,
  parse,
  readList,
  sumOf,
  walk,
} from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf, type ReviewerRole, type User, user } from '../../platform/users/users.ts'
import { historyAudiencesOf } from '../records/activities.ts'
import {
  type Activity,
  activity,
  activityList,
  type Decision,
  decision,
  decisionAudienceList,
  decisionList,
  historyAudiences,
  type RecordItem,
  recordItem,
} from '../records/items.ts'

export type Decided = { decision: Decision; about: RecordItem | undefined }
export type Decisions = PageResult<Decided>

/**
 * One page of a person's decisions, newest first. `about` is undefined if the caller may not see the record. Costs a call
 * for each audience, and one for sizes and records.
 */
export async function decisionsOf(reviewer: string, actor: Actor | null, place: PageRequest): Promise<Decisions> {
  const readable = actor?.id === reviewer ? historyAudiences : historyAudiencesOf(actor)
  const counted = readable.map((audience) => decisionAudienceList(reviewer, audience))
  const { items, found, ...listed } = await readList(
    { partitions: counted.map((pk) => ({ index: 'gsi4', pk })), counted },
    place,
    (rows) => rows.map((row) => key.head(String(row.entity_id))),
  )
  const results = items.map((item) => {
    const it = parse(decision, item)
    const about = itemIn(found, recordItem, it)
    return { decision: it, about: about && mayInspect(actor, about) ? about : undefined }
  })
  return { ...listed, results }
}

type Happened = { activity: Activity; about: RecordItem }
export type Work = {
  user: User | undefined
  people: PeopleById
  week: Decision[]
  total: number
  accepted: number
  conflicts_resolved: number
  lately: Happened[]
}

/** The most decisions of a week that are counted. */
const MOST_DECISIONS = 5000
/** How many of the latest activities are read, and how many are shown. */
const LOOKED_THROUGH = 60
const SHOWN = 10
const WEEK = 7 * 86_400_000

/**
 * A reviewer's decisions of the last seven days, totals, and the latest activities in their field. Costs a query for
 * decisions, one for each audience of activities, and one read of totals, records and people.
 */
export async function workOf(reviewer: Actor): Promise<Work> {
  const since = new Date(clock.now().getTime() - WEEK).toISOString()
  const [decisions, activities] = await Promise.all([
    walk({ index: 'gsi3', pk: decisionList(reviewer.id), forward: true, limit: MOST_DECISIONS, beyond: since }),
    latestActivities(reviewer),
  ])
  const rows = activities
  const lists = {
    all: [decisionList(reviewer.id)],
    accepted: (['accept', 'accept_with_edits'] as const).map((verdict) => decisionList(reviewer.id, verdict)),
    conflicts: historyAudiences.map((audience) => activityList(audience, reviewer.id, 'conflict_resolved')),
  }
  const found = await getMany([
    ...countKeys(Object.values(lists).flat()),
    keyOf(reviewer.id),
    ...rows.flatMap((it): Key[] => [key.head(it.entity_id), keyOf(it.user_id)]),
  ])
  const me = itemIn(found, user, reviewer)
  return {
    user: me,
    people: peopleIn(found),
    week: decisions.map((item) => parse(decision, item)),
    total: sumOf(lists.all, found),
    accepted: sumOf(lists.accepted, found),
    conflicts_resolved: sumOf(lists.conflicts, found),
    lately: inField(
      rows.flatMap((it) => {
        const about = itemIn(found, recordItem, it)
        return about && mayInspect(reviewer, about) ? [{ activity: it, about }] : []
      }),
      me?.reviewer_role ?? null,
    ),
  }
}

/** The latest activities that the reviewer may know of, newest first. One query for each audience. */
async function latestActivities(reviewer: Actor): Promise<Activity[]> {
  const lists = historyAudiencesOf(reviewer).map((audience) => activityList(audience))
  const found = await Promise.all(lists.map((pk) => walk({ index: 'gsi2', pk, forward: false, limit: LOOKED_THROUGH })))
  const newestFirst = (a: Activity, b: Activity) => (placeOf(a) < placeOf(b) ? 1 : -1)
  return found
    .flat()
    .map((item) => parse(activity, item))
    .sort(newestFirst)
    .slice(0, LOOKED_THROUGH)
}

const placeOf = (it: Activity) => `${it.created_at}#${it.activity_id}`

/** The latest activities in the reviewer's field. If there are few, others fill up the list. */
function inField(rows: readonly Happened[], role: ReviewerRole | null): Happened[] {
  const areas = role?.expertise_areas ?? []
  const isInside = ({ about }: Happened) => areas.includes(about.category) || areas.includes(about.kind)
  const chosen = [...rows.filter(isInside), ...rows.filter((it) => !isInside(it))].slice(0, SHOWN)
  return rows.filter((it) => chosen.includes(it))
}
