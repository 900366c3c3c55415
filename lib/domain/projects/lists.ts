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
import { isReviewable, projectStates, sentStates } from './states.ts'

/** The times by which lists are sorted. A project has a place of its own in each. */
export const orders = ['created_at', 'updated_at', 'submitted_at', 'merged_at'] as const
export type ListOrder = (typeof orders)[number]

/**
 * The people who may read a project without being members: everyone, reviewers, or staff. Each class has its own lists, so no list
 * holds a project that its reader may not see.
 */
const classes = ['open', 'review', 'closed'] as const
type ReaderClass = (typeof classes)[number]
const readerClassOf = (it: Pick<Project, 'visibility' | 'state'>): ReaderClass =>
  it.visibility === 'public' ? 'open' : isReviewable(it.state) ? 'review' : 'closed'

const PlaceEntries = {
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
export const ProjectPlace = v.object({ ...PlaceEntries, order: v.picklist(orders) })
/** A hidden project in the lists of a member who is not the owner. The projector writes it. */
export const ProjectMember = v.object({ ...PlaceEntries, user_id: v.string() })

type ListFilter = { owner?: string | undefined; state?: string | undefined; visibility?: string | undefined }
const listName = (list: string, { owner, state, visibility }: ListFilter) =>
  [list, ...(owner ? ['OWNER', owner] : []), ...(state ? [state] : []), ...(visibility ? [visibility] : [])].join('#')

const projectList = (of: ReaderClass, by: ListFilter) => listName(`PROJECT#${of}`, by)
const memberList = (user: string, of: ReaderClass, by: ListFilter = {}) => listName(`PROJECT#MEMBER#${user}#${of}`, by)

/**
 * Every combination of filters that an item fits. Each combination has a counter. Open projects are all `public`, so they have no
 * counter for visibility.
 */
function filtersOf({
  owner_id,
  state,
  visibility,
  class: of,
}: v.InferOutput<typeof ProjectMember | typeof ProjectPlace>) {
  const any = [undefined]
  const visibilitiesOf = of === 'open' ? any : [...any, visibility]
  return [...any, owner_id].flatMap((owner) =>
    [...any, state].flatMap((stateFilter) =>
      visibilitiesOf.map((seen) => ({ owner, state: stateFilter, visibility: seen })),
    ),
  )
}

const sortKey = (it: { id: string } & Record<ListOrder, string | null>, order: ListOrder) =>
  `${it[order] ?? ''}#${it.id}`

const place = defineItem({
  type: 'project_place',
  schema: ProjectPlace,
  key: (it: { id: string; order: string }) => key.projectPlace(it.id, it.order),
  indexes: (it) => {
    const sk = sortKey(it, it.order)
    const at = (by: ListFilter) => ({ pk: `${projectList(it.class, by)}#${it.order}`, sk })
    const { owner_id: owner, state } = it
    return { gsi1: at({ state }), gsi2: at({}), gsi3: at({ owner }), gsi4: at({ owner, state }) }
  },
  counted: (it) => (it.order === 'created_at' ? filtersOf(it).map((by) => projectList(it.class, by)) : []),
})

const memberIndex = {
  created_at: 'gsi2',
  updated_at: 'gsi1',
  submitted_at: 'gsi3',
  merged_at: 'gsi4',
} as const satisfies Record<ListOrder, IndexName>

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

/** The facts by which lists find, filter and order a project. */
const placeMembers = (it: Project) => ({
  id: it.id,
  owner_id: it.owner_id,
  state: it.state,
  visibility: it.visibility,
  class: readerClassOf(it),
  created_at: it.created_at,
  updated_at: it.updated_at,
  submitted_at: it.submitted_at,
  merged_at: it.merged_at,
  version: it.version,
})

/** Returns the writes that move a project in its lists. They belong in the project's own transaction. */
export function listWrites(old: Project | undefined, next: Project): Write[] {
  const placed = (it: Project | undefined) => (it && it.deleted_at === null ? placeMembers(it) : undefined)
  const [before, after] = [placed(old), placed(next)]
  return orders.flatMap((order) => {
    const moved =
      !before ||
      !after ||
      before[order] !== after[order] ||
      (['class', 'state', 'visibility'] as const).some((name) => before[name] !== after[name])
    return moved ? replaceDerived(place, before && { ...before, order }, after && { ...after, order }) : []
  })
}

/** A project's place in a member's lists. Undefined if the lists of everyone or of its owner contain it already. */
export function memberPlaceOf(it: Project | undefined, user_id: string) {
  if (!it || it.deleted_at !== null || user_id === it.owner_id || it.visibility === 'public') return undefined
  return it.memberships.some((member) => member.user_id === user_id) ? { ...placeMembers(it), user_id } : undefined
}

export type ProjectFilter = {
  visibility?: string | undefined
  state?: string | undefined
  /** A user's id. */
  owner?: string | undefined
  order: ListOrder
  forward: boolean
}
export type ProjectPage = PageResult<Project> & { people: PeopleById }

/**
 * Returns one page of the projects that a caller may see. It makes one query for each of up to five lists, and one further
 * DynamoDB call for the count, the projects and their owners.
 */
export async function listProjects(
  filter: ProjectFilter,
  actor: Actor | null,
  page: PageRequest,
): Promise<ProjectPage> {
  const { items, found, ...listed } = await readList(chooseLists(filter, actor), page, (places) =>
    places.flatMap((item) => [key.project(String(item.id)), keyOf(String(item.owner_id))]),
  )
  const results = items
    .flatMap((item) => itemIn(found, project, { id: String(item.id) }) ?? [])
    // The index may be older than the project.
    .filter((it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && fitsFilter(it, filter))
  return { ...listed, results, people: peopleIn(found) }
}

/**
 * Returns one page of the projects that were sent in and that the caller may see, the latest sent first. Costs what `listProjects` costs;
 * its last call also reads one size for each state. A project that became a draft again is left out, so the page is shorter.
 */
export async function listSentProjects(actor: Actor, page: PageRequest): Promise<ProjectPage> {
  const order = { order: 'submitted_at', forward: false } as const
  const counted = sentStates.flatMap((state) => chooseLists({ ...order, state }, actor).counted ?? [])
  const all = { ...chooseLists(order, actor), counted: [...new Set(counted)] }
  const { items, found, ...listed } = await readList(all, page, (places) =>
    places.flatMap((item) => [key.project(String(item.id)), keyOf(String(item.owner_id))]),
  )
  const results = items
    .flatMap((item) => itemIn(found, project, { id: String(item.id) }) ?? [])
    .filter(
      (it) => it.deleted_at === null && mayVisit(actor, asSubject(it)) && sentStates.some((one) => one === it.state),
    )
  return { ...listed, results, people: peopleIn(found) }
}

/** Whether a project fits a filter. */
export const fitsFilter = (
  it: Project,
  { visibility, state, owner }: Omit<ProjectFilter, 'order' | 'forward'>,
): boolean =>
  (visibility === undefined || it.visibility === visibility) &&
  (state === undefined || it.state === state) &&
  (owner === undefined || it.owner_id === owner)

function chooseLists({ visibility, state, owner, order, forward }: ProjectFilter, actor: Actor | null): List {
  const readable = classes
    .filter((of) => visibility === undefined || (of === 'open') === (visibility === 'public'))
    .filter((of) => state === undefined || of === 'open' || (of === 'review') === isReviewable(state))
  const seen = (of: ReaderClass) => (of === 'open' ? undefined : visibility)
  const places = (of: ReaderClass, by: string | undefined) => ({
    index: placeIndex(by, state),
    pk: `${projectList(of, { owner: by, state })}#${order}`,
    size: projectList(of, { owner: by, state, visibility: seen(of) }),
  })
  const lists = readable.flatMap((of) => {
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
    partitions: lists.map(({ index, pk }) => ({ index, pk })),
    counted: lists.map(({ size }) => size),
    forward,
    only: { ...(visibility && { visibility }), ...(state && { state }), ...(owner && { owner_id: owner }) },
  }
}

const placeIndex = (owner: string | undefined, state: string | undefined): IndexName =>
  owner ? (state ? 'gsi4' : 'gsi3') : state ? 'gsi1' : 'gsi2'
