import { newId, now } from '../../base/clock.ts'
import { conflict, forbidden, impossible, invalid } from '../../base/errors.ts'
import type { PageRequest, PageResult, UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, mayVisit, projectParts } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { asSubject, type Project, type ProjectRequest } from '../projects/items.ts'
import { listProjects, listSentProjects, sentStates } from '../projects/lists.ts'
import { changeProject, loadWholeById, type WholeProject } from '../projects/projects.ts'
import type { ProjectState } from '../projects/states.ts'
import { mergeAs, moveProject } from '../projects/transition.ts'
import { checkProject } from './check.ts'

/*
 * A merge request is a project that was sent in, under the project's id. Its status is the state of the project, so both tell the same.
 */

export const requestStatuses = ['pending', 'changes_requested', 'approved', 'merged', 'rejected'] as const
export type RequestStatus = (typeof requestStatuses)[number]
const statusOfState: Readonly<Record<(typeof sentStates)[number], RequestStatus>> = {
  in_review: 'pending',
  needs_revision: 'changes_requested',
  approved: 'approved',
  merged: 'merged',
  withdrawn: 'rejected',
}

/** The status of a project as a merge request. Undefined if it is none. */
export function statusOf(it: Project): RequestStatus | undefined {
  const state = sentStates.find((one) => one === it.state)
  return state && (it.submitted_at !== null || it.request) ? statusOfState[state] : undefined
}

/** The project of a merge request. Undefined if there is none. */
export async function loadRequest(id: string): Promise<WholeProject | undefined> {
  const whole = await loadWholeById(id)
  return whole && statusOf(whole.about) ? whole : undefined
}

export type RequestFilter = { status?: string | undefined; project?: string | undefined }

/** Lists the merge requests that the caller may see, the latest first. */
export async function listRequests(
  { status, project }: RequestFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PageResult<Project>> {
  if (project !== undefined) return requestOf(project, status, actor)
  if (status === undefined) return listSentProjects(actor, page)
  const state = sentStates.find((one) => statusOfState[one] === status)
  if (!state) return { count: 0, results: [] }
  const filter = { state, order: 'submitted_at', forward: false } as const
  return listProjects(filter, actor, page)
}

async function requestOf(id: string, status: string | undefined, actor: Actor): Promise<PageResult<Project>> {
  const whole = await loadRequest(id)
  const fits = whole && mayVisit(actor, whole) && (status === undefined || statusOf(whole.about) === status)
  return fits ? { count: 1, results: [whole.about] } : { count: 0, results: [] }
}

export type RequestInput = Pick<ProjectRequest, 'summary' | 'justification' | 'scope'> & { project: string }

/**
 * Sends a project in. Fails with a field error on a project that the caller may not see, and with `refused` if the caller does not work on
 * it. It also fails with what is missing. What the service finds in its records is no obstacle: reviewers see it.
 */
export async function openRequest(
  unit: UnitOfWork,
  { project, ...words }: RequestInput,
  actor: Actor,
): Promise<WholeProject> {
  const whole = await loadWholeById(project)
  if (!whole || !mayVisit(actor, whole)) throw invalid({ project: ['There is no project with this id.'] })
  if (!projectParts.editors(actor, whole)) throw forbidden('Only those who work on a project send it in.')
  const report = await checkProject(whole, actor)
  const moved = await moveProject(unit, whole, actor, {
    target_state: 'in_review',
    comment: words.summary,
    changes: {
      request: {
        ...words,
        opened_by: actor.id,
        opened_at: now(),
        reviewed_by: null,
        reviewer_note: '',
        added_count: report.added,
        conflict_count: report.contradictions.length,
        activity: null,
        new_records: [],
      },
    },
  })
  return moved
}

/** Fails with `refused` if the caller sent the project in, or works on it: nobody decides on work of their own. */
function checkReviewer({ about }: WholeProject, actor: Actor): void {
  const works = about.memberships.some(({ user_id, role }) => user_id === actor.id && role !== 'viewer')
  if (works || about.request?.opened_by === actor.id) throw forbidden('Nobody decides on a contribution of their own.')
  if (!projectParts.reviewers(actor, asSubject(about))) throw forbidden()
}

const decisionOf = (it: Project, actor: Actor, reviewer_note: string): ProjectRequest => ({
  ...(it.request ?? wordless(it)),
  reviewed_by: actor.id,
  reviewer_note,
})

/** The request of a project that was sent in without words. */
const wordless = (it: Project): ProjectRequest => ({
  summary: it.title,
  justification: '',
  scope: 'whole',
  opened_by: it.owner_id,
  opened_at: it.submitted_at ?? it.updated_at,
  reviewed_by: null,
  reviewer_note: '',
  added_count: 0,
  conflict_count: 0,
  activity: null,
  new_records: [],
})
/** What a request says, also of a project that was sent in without words. */
export const requestIn = (it: Project): ProjectRequest => it.request ?? wordless(it)

/** Sends a project back to its authors with the note of the reviewer. Only while it is pending. */
export async function askForChanges(
  unit: UnitOfWork,
  whole: WholeProject,
  actor: Actor,
  reviewer_note: string,
): Promise<WholeProject> {
  checkReviewer(whole, actor)
  checkStatus(whole.about, ['in_review'])
  if (reviewer_note.trim() === '') throw invalid({ reviewer_note: ['Say what is to be revised.'] })
  return moveProject(unit, whole, actor, {
    target_state: 'needs_revision',
    comment: reviewer_note,
    changes: { request: decisionOf(whole.about, actor, reviewer_note) },
  })
}

/** Closes a request. Its authors may take the project up again as a draft. */
export async function rejectRequest(
  unit: UnitOfWork,
  whole: WholeProject,
  actor: Actor,
  reviewer_note: string,
): Promise<WholeProject> {
  checkReviewer(whole, actor)
  return changeState(unit, whole, 'withdrawn', { actor, comment: reviewer_note }, (it) => ({
    request: decisionOf(it, actor, reviewer_note),
  }))
}

/**
 * Approves a request, and merges its project if the caller may merge. Both happen or neither: a merge that fails leaves the request as it
 * was. A large merge goes on in the background, and the status is `approved` until it ends.
 */
export async function approveRequest<R>(
  unit: UnitOfWork,
  whole: WholeProject,
  { actor, reviewer_note, show }: { actor: Actor; reviewer_note: string; show: (it: WholeProject) => Promise<R> },
): Promise<R> {
  checkReviewer(whole, actor)
  checkStatus(whole.about, ['in_review', 'needs_revision'])
  const { new_records } = await checkProject(whole, actor)
  const before = whole.about.state
  const request = {
    ...decisionOf(whole.about, actor, reviewer_note),
    activity: newId(),
    new_records: new_records.map(({ entity_id }) => entity_id).slice(0, MOST_NEW),
  }
  const approve = (own: UnitOfWork, it: WholeProject) =>
    changeState(own, it, 'approved', { actor, comment: reviewer_note }, () => ({ request }))
  if (!projectParts.mergers(actor, whole)) return show(await approve(unit, whole))
  await unit.once(
    'approved request',
    () => inUnit((own) => approve(own, whole)),
    () => inUnit(async (own) => takeBack(own, whole.about.id, before, actor)),
  )
  const approved = await loadWholeById(whole.about.id)
  if (!approved) throw conflict()
  return mergeAs(unit, approved, { actor, comment: reviewer_note, show })
}

/** Records that a merge names as new. */
const MOST_NEW = 500

async function takeBack(unit: UnitOfWork, id: string, state: ProjectState, actor: Actor): Promise<void> {
  const it = await loadWholeById(id)
  if (it?.about.state === 'approved') await changeState(unit, it, state, { actor, comment: '' }, () => ({}))
}

function checkStatus(it: Project, states: readonly ProjectState[]): void {
  if (!states.includes(it.state)) throw impossible(`This merge request is ${(statusOf(it) ?? '').replace('_', ' ')}.`)
}

const openStates: readonly ProjectState[] = ['in_review', 'needs_revision', 'approved']

/** Moves a project as a reviewer of its request does. Fails with `invalid` if the request is closed, with `conflict` if others were faster. */
async function changeState(
  unit: UnitOfWork,
  whole: WholeProject,
  state: ProjectState,
  { actor, comment }: { actor: Actor; comment: string },
  changesOf: (it: Project) => Partial<Project>,
): Promise<WholeProject> {
  const { about } = await changeProject(unit, whole, (it) => {
    if (it.version !== whole.about.version) throw conflict()
    checkStatus(it, openStates)
    return {
      changes: { ...changesOf(it), state, updated_at: now() },
      activities: [{ actor_id: actor.id, action: 'state_changed', payload: { from: it.state, to: state, comment } }],
      result: undefined,
    }
  })
  return { ...whole, ...about }
}

export { checkProject }
