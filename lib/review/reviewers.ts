import { clock } from '../clock.ts'
import { type Actor, mayInspect } from '../permissions.ts'
import { historyAudiencesOf } from '../records/activities.ts'
import {
  type Activity,
  activity,
  activityList,
  type Decision,
  decision,
  decisionList,
  historyAudiences,
  type RecordItem,
  recordItem,
  toldDecisionList,
} from '../records/items.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { getMany, itemIn, walk } from '../table/read.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf, type ReviewerRole, type User, user } from '../users/users.ts'

export type Decided = { decision: Decision; about: RecordItem | undefined }
export type Decisions = PageResult<Decided>

/**
 * One page of a person's decisions, newest first: a call for the rows, and one for the size with the records they name.
 * `about` is missing where the caller may not see the record.
 */
export async function decisionsOf(reviewer: string, actor: Actor | null, place: PageRequest): Promise<Decisions> {
  const told = actor?.id === reviewer ? historyAudiences : historyAudiencesOf(actor)
  const counted = told.map((audience) => toldDecisionList(reviewer, audience))
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

/** How many decisions of a week are counted, and how many of the latest activities are searched for the reviewer's field. */
const MOST_DECISIONS = 5000
const LOOKED_THROUGH = 60
const SHOWN = 10
const WEEK = 7 * 86_400_000

/**
 * What a reviewer has done, this week and ever, and what happens in the reviewer's field. Three calls: the week's
 * decisions, the latest activities, and one for everything that is counted or named.
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

/** The latest of what happens anywhere that the reviewer may know of, newest first. One query for each audience. */
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

/** The latest of what happens in the reviewer's field; where that is little, filled up with what happens elsewhere. */
function inField(rows: readonly Happened[], role: ReviewerRole | null): Happened[] {
  const areas = role?.expertise_areas ?? []
  const isInside = ({ about }: Happened) => areas.includes(about.category) || areas.includes(about.kind)
  const chosen = [...rows.filter(isInside), ...rows.filter((it) => !isInside(it))].slice(0, SHOWN)
  return rows.filter((it) => chosen.includes(it))
}
