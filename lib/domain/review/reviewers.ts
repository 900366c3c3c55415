import { clock } from '../../base/clock.ts'
import { historyAudiences } from '../../base/visibility.ts'
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
import { type Actor, audiencesFor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf, type ReviewerRole, type User, user } from '../../platform/users/users.ts'
import {
  type Activity,
  activity,
  activityList,
  type Decision,
  decision,
  decisionAudienceList,
  decisionList,
  type RecordItem,
  recordItem,
} from '../records/items.ts'

export type DecidedRecord = { decision: Decision; about: RecordItem | undefined }
export type Decisions = PageResult<DecidedRecord>

/**
 * Lists one page of a person's decisions, newest first. `about` is undefined if the caller may not see the record. Costs a call
 * for each audience, and one for sizes and records.
 */
export async function listDecisions(reviewer: string, actor: Actor | null, place: PageRequest): Promise<Decisions> {
  const readable = actor?.id === reviewer ? historyAudiences : audiencesFor(actor)
  const counted = readable.map((audience) => decisionAudienceList(reviewer, audience))
  const { items, found, ...listed } = await readList(
    { partitions: counted.map((pk) => ({ index: 'gsi4', pk })), counted },
    place,
    (rows) => rows.map((row) => key.head(String(row.entity_id))),
  )
  const results = items.map((item) => {
    const stored = parse(decision, item)
    const about = itemIn(found, recordItem, stored)
    return { decision: stored, about: about && mayInspect(actor, about) ? about : undefined }
  })
  return { ...listed, results }
}

type ActivityOnRecord = { activity: Activity; about: RecordItem }
/** The figures and lists of a reviewer's own page. */
export type ReviewerFigures = {
  user: User | undefined
  people: PeopleById
  week: Decision[]
  total: number
  accepted: number
  conflicts_resolved: number
  lately: ActivityOnRecord[]
}

/** The most decisions of a week that are counted. */
const MOST_DECISIONS = 5000
/** How many of the latest activities of each audience are read, to find those in the reviewer's field. */
const ACTIVITIES_READ = 60
const ACTIVITIES_SHOWN = 10
const WEEK_MS = 7 * 86_400_000

/**
 * Loads a reviewer's decisions of the last seven days, totals, and the latest activities in their field. Costs a query for
 * decisions, one for each audience of activities, and one read of totals, records and people.
 */
export async function loadReviewerFigures(reviewer: Actor): Promise<ReviewerFigures> {
  const since = new Date(clock.now().getTime() - WEEK_MS).toISOString()
  const [decisions, activities] = await Promise.all([
    walk({ index: 'gsi3', pk: decisionList(reviewer.id), forward: true, limit: MOST_DECISIONS, beyond: since }),
    listLatestActivities(reviewer),
  ])
  const lists = {
    all: [decisionList(reviewer.id)],
    accepted: (['accept', 'accept_with_edits'] as const).map((verdict) => decisionList(reviewer.id, verdict)),
    conflicts: historyAudiences.map((audience) => activityList(audience, reviewer.id, 'conflict_resolved')),
  }
  const found = await getMany([
    ...countKeys(Object.values(lists).flat()),
    keyOf(reviewer.id),
    ...activities.flatMap((it): Key[] => [key.head(it.entity_id), keyOf(it.user_id)]),
  ])
  const account = itemIn(found, user, reviewer)
  return {
    user: account,
    people: peopleIn(found),
    week: decisions.map((item) => parse(decision, item)),
    total: sumOf(lists.all, found),
    accepted: sumOf(lists.accepted, found),
    conflicts_resolved: sumOf(lists.conflicts, found),
    lately: chooseByField(
      activities.flatMap((it) => {
        const about = itemIn(found, recordItem, it)
        return about && mayInspect(reviewer, about) ? [{ activity: it, about }] : []
      }),
      account?.reviewer_role ?? null,
    ),
  }
}

/** The latest activities that the reviewer may see, newest first. One query for each audience. */
async function listLatestActivities(reviewer: Actor): Promise<Activity[]> {
  const lists = audiencesFor(reviewer).map((audience) => activityList(audience))
  const pages = await Promise.all(
    lists.map((pk) => walk({ index: 'gsi2', pk, forward: false, limit: ACTIVITIES_READ })),
  )
  const newestFirst = (a: Activity, b: Activity) => (sortKeyOf(a) < sortKeyOf(b) ? 1 : -1)
  return pages
    .flat()
    .map((item) => parse(activity, item))
    .sort(newestFirst)
    .slice(0, ACTIVITIES_READ)
}

const sortKeyOf = (it: Activity) => `${it.created_at}#${it.activity_id}`

/** Chooses up to ten activities, those in the reviewer's field first. Keeps the order of `rows`. */
function chooseByField(rows: readonly ActivityOnRecord[], role: ReviewerRole | null): ActivityOnRecord[] {
  const areas = role?.expertise_areas ?? []
  const isInField = ({ about }: ActivityOnRecord) => areas.includes(about.category) || areas.includes(about.kind)
  const chosen = [...rows.filter(isInField), ...rows.filter((it) => !isInField(it))].slice(0, ACTIVITIES_SHOWN)
  return rows.filter((it) => chosen.includes(it))
}
