import * as v from 'valibot'
import {
  defineItem,
  type IndexName,
  itemIn,
  type List,
  type PageRequest,
  type PageResult,
  readList,
  replaceDerived,
  type Write,
} from '../../engines/table/index.ts'
import { type Actor, mayReview, maySeeAll, mayVisit } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { asSubject, type Project, project, visibilities } from './items.ts'
import { isReviewable, projectStates } from './states.ts'

/** The orders of lists of projects. */
export const orders = ['created_at', 'updated_at', 'submitted_at', 'merged_at'] as const
export type Order = (typeof orders)[number]

/**
 * Who may read a project without working on it: everyone, reviewers, or staff. Each class has its own lists, so no list holds
 * what its reader may not see.
 */
const classes = ['open', 'review', 'closed'] as const
type Class = (typeof classes)[number]
const classOf = (it: Pick<Project, 'visibility' | 'state'>): Class =>
  it.visibility === 'public' ? 'open' : isReviewable(it.state) ? 'review' : 'closed'

const Facts = {
  id: v.string(),
  class: v.picklist(classes),
  owner_id: v.string(),
  state: v.picklist(projectStates),
  visibility: v.picklist(visibilities),
  created_at: v.string(),
  updated_at: v.string(),
  submitted_at: v.nullable(v.string()),
  merged_at: v.nullable(v.string()),
  version: v.number(),
}

/** A project's places in the lists of one order. They are written with the project. */
export const ProjectPlace = v.object({ ...Facts, order: v.picklist(orders) })
/** A hidden project in the lists of a member who is not the owner. The projector writes it. */
export const ProjectMember = v.object({ ...Facts, user_id: v.string() })

type Narrowing = { owner?: string | undefined; state?: string | undefined; visibility?: string | undefined }
const narrowedName = (list: string, { owner, state, visibility }: Narrowing) =>
  [list, ...(owner ? ['OWNER', owner] : []), ...(state ? [state] : []), ...(visibility ? [visibility] : [])].join('#')

const listOf = (of: Class, by: Narrowing) => narrowedName(`PROJECT#${of}`, by)
const memberList = (user: string, of: Class, by: Narrowing = {}) => narrowedName(`PROJECT#MEMBER#${user}#${of}`, by)

/**
 * Every combination of filters that an item fits; each has a counter. Open projects are all `public`, so they have none for
 * visibility.
 */
function filtersOf({
  owner_id,
  state,
  visibility,
  class: of,
}: v.InferOutput<typeof ProjectMember | typeof ProjectPlace>) {
  const any = [undefined]
  return [...any, owner_id].flatMap((owner) =>
    [...any, state].flatMap((one) =>
      (of === 'open' ? any : [...any, visibility]).map((seen) => ({ owner, state: one, visibility: seen })),
    ),
  )
}

const sortKey = (it: { id: string } & Record<Order, string | null>, order: Order) => `${it[order] ?? ''}#${it.id}`

const place = defineItem({
  type: 'project_place',
  schema: ProjectPlace,
  key: (it: { id: string; order: string }) => key.projectPlace(it.id, it.order),
  indexes: (it) => {
    const sk = sortKey(it, it.order)
    const at = (by: Narrowing) => ({ pk: `${listOf(it.class, by)}#${it.order}`, sk })
    const { owner_id: owner, state } = it
    return { gsi1: at({ state }), gsi2: at({}), gsi3: at({ owner }), gsi4: at({ owner, state }) }
  },
  counted: (it) => (it.order === 'created_at' ? filtersOf(it).map((by) => listOf(it.class, by)) : []),
})

const memberIndex = {
  created_at: 'gsi2',
  updated_at: 'gsi1',
  submitted_at: 'gsi3',
  merged_at: 'gsi4',
} as const satisfies Record<Order, IndexName>

export const memberPlace = defineItem({
  type: 'project_member',
  schema: ProjectMember,
  key: (it: { id: string; user_id: string }) => key.projectMember(it.id, it.user_id),
  indexes: (it) =>
    Object.fromEntries(
      orders.map((order) => [
        memberIndex[order],
        { pk: `${memberList(it.user_id, it.class)}#${order}`, sk: sortKey(it, order) },
      ]),
    ),
  counted: (it) => filtersOf(it).map((by) => memberList(it.user_id, it.class, by)),
})

const factsOf = ({ id, owner_id, state, visibility, ...it }: Project) => ({
  ...{ id, owner_id, state, visibility, class: classOf({ state, visibility }), version: it.version },
  ...{ created_at: it.created_at, updated_at: it.updated_at },
  ...{ submitted_at: it.submitted_at, merged_at: it.merged_at },
})

/** The writes that move a project in its lists. They belong in the project's own transaction. */
export function listWrites(old: Project | undefined, next: Project): Write[] {
  const placesOf = (it: Project | undefined) => (it && it.deleted_at === null ? factsOf(it) : undefined)
  const [before, after] = [placesOf(old), placesOf(next)]
  return orders.flatMap((order) => {
    const moved =
      !before ||
      !after ||
      before[order] !== after[order] ||
      (['class', 'state', 'visibility'] as const).some((name) => before[name] !== after[name])
    return moved ? replaceDerived(place, before && { ...before, order }, after && { ...after, order }) : []
  })
}

/** A project's place in a member's lists. Undefined if lists of everyone or of the owner hold it. */
export function memberPlaceOf(it: Project | undefined, user_id: string) {
  if (!it || it.deleted_at !== null || user_id === it.owner_id || it.visibility === 'public') return undefined
  return it.memberships.some((one) => one.user_id === user_id) ? { ...factsOf(it), user_id } : undefined
}

export type Filter = {
  visibility?: string | undefined
  state?: string | undefined
  /** A user's id. */
  owner?: string | undefined
  order: Order
  forward: boolean
}
export type Projects = PageResult<Project> & { people: PeopleById }

/**
 * One page of the projects that a caller may see. One query for each of up to five lists, and one call for the size, the projects
 * and their owners.
 */
export async function listProjects(filter: Filter, actor: Actor | null, at: PageRequest): Promise<Projects> {
  const { items, found, ...listed } = await readList(listFor(filter, actor), at, (page) =>
    page.flatMap((item) => [key.project(String(item.id)), keyOf(String(item.owner_id))]),
  )
  const results = items
    .flatMap((item) => itemIn(found, project, { id: String(item.id) }) ?? [])
    // The index may be older than the project.
    .filter((it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && fitsFilter(it, filter))
  return { ...listed, results, people: peopleIn(found) }
}

/** Whether a project fits a filter. */
export const fitsFilter = (it: Project, { visibility, state, owner }: Omit<Filter, 'order' | 'forward'>): boolean =>
  (visibility === undefined || it.visibility === visibility) &&
  (state === undefined || it.state === state) &&
  (owner === undefined || it.owner_id === owner)

function listFor({ visibility, state, owner, order, forward }: Filter, actor: Actor | null): List {
  const wanted = classes
    .filter((of) => visibility === undefined || (of === 'open') === (visibility === 'public'))
    .filter((of) => state === undefined || of === 'open' || (of === 'review') === isReviewable(state))
  const seen = (of: Class) => (of === 'open' ? undefined : visibility)
  const places = (of: Class, by: string | undefined) => ({
    index: placeIndex(by, state),
    pk: `${listOf(of, { owner: by, state })}#${order}`,
    size: listOf(of, { owner: by, state, visibility: seen(of) }),
  })
  const runs = wanted.flatMap((of) => {
    if (of === 'open' || maySeeAll(actor) || (of === 'review' && mayReview(actor))) return [places(of, owner)]
    if (!actor) return []
    const own = owner === undefined || owner === actor.id ? [places(of, actor.id)] : []
    if (owner === actor.id) return own
    const others = {
      index: memberIndex[order],
      pk: `${memberList(actor.id, of)}#${order}`,
      size: memberList(actor.id, of, { owner, state, visibility: seen(of) }),
    }
    return [...own, others]
  })
  return {
    partitions: runs.map(({ index, pk }) => ({ index, pk })),
    counted: runs.map(({ size }) => size),
    forward,
    only: { ...(visibility && { visibility }), ...(state && { state }), ...(owner && { owner_id: owner }) },
  }
}

const placeIndex = (owner: string | undefined, state: string | undefined): IndexName =>
  owner ? (state ? 'gsi4' : 'gsi3') : state ? 'gsi1' : 'gsi2'
