import { clock } from '../clock.ts'
import { type Actor, mayInspect, maySee } from '../permissions.ts'
import { parse } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { countKeys, getMany, itemIn, sumOf, walk } from '../table/read.ts'
import { type Place, type Results, readList } from './lists.ts'
import { type People, peopleIn } from './people.ts'
import {
  type Activity,
  activity,
  activityList,
  type Decision,
  decision,
  decisionList,
  type Head,
  head,
} from './record-items.ts'
import { keyOf, type ReviewerRole, type User, user } from './users.ts'

export type Decided = { decision: Decision; about: Head | undefined }
export type Decisions = Results<Decided>

/**
 * One page of a person's decisions, newest first: a call for the rows, and one for the size with the records they name.
 * `about` is missing where the caller may not see the record.
 */
export async function decisionsOf(reviewer: string, actor: Actor | null, place: Place): Promise<Decisions> {
  const pk = decisionList(reviewer)
  const { items, found, ...listed } = await readList(
    { partitions: [{ index: 'owner', pk }], counted: [pk] },
    place,
    (rows) => rows.map((row) => key.head(String(row.entity_id))),
  )
  const results = items.map((item) => {
    const it = parse(decision, item)
    const about = itemIn(found, head, it)
    return { decision: it, about: about && maySee(actor, about) ? about : undefined }
  })
  return { ...listed, results }
}

type Happened = { activity: Activity; about: Head }
export type Work = {
  user: User | undefined
  people: People
  week: Decision[]
  total: number
  accepted: number
  conflicts_resolved: number
  lately: Happened[]
}

/** So many decisions of a week are counted, and so many of the latest activities looked through for the reviewer's field. */
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
    walk({ index: 'owner', pk: decisionList(reviewer.id), forward: true, limit: MOST_DECISIONS, beyond: since }),
    walk({ index: 'every', pk: activityList(), forward: false, limit: LOOKED_THROUGH }),
  ])
  const rows = activities.map((item) => parse(activity, item))
  const lists = {
    all: [decisionList(reviewer.id)],
    accepted: (['accept', 'accept_with_edits'] as const).map((verdict) => decisionList(reviewer.id, verdict)),
    conflicts: [activityList(reviewer.id, 'conflict_resolved')],
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
        const about = itemIn(found, head, it)
        return about && mayInspect(reviewer, about) ? [{ activity: it, about }] : []
      }),
      me?.reviewer_role ?? null,
    ),
  }
}

/** The latest of what happens in the reviewer's field; where that is little, filled up with what happens elsewhere. */
function inField(rows: readonly Happened[], role: ReviewerRole | null): Happened[] {
  const areas = role?.expertise_areas ?? []
  const isInside = ({ about }: Happened) => areas.includes(about.category) || areas.includes(about.kind)
  const chosen = [...rows.filter(isInside), ...rows.filter((it) => !isInside(it))].slice(0, SHOWN)
  return rows.filter((it) => chosen.includes(it))
}
