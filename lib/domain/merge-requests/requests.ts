import { newId, now } from '../../base/clock.ts'
import { conflict, forbidden, impossible, invalid } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, mayVisit, projectParts } from '../../platform/permissions.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import type { Project, ProjectRequest } from '../projects/items.ts'
import { changeProject, loadWholeById, type WholeProject } from '../projects/projects.ts'
import type { ProjectState } from '../projects/states.ts'
import { mergeAs, moveProject } from '../projects/transition.ts'
import { checkProject } from './check.ts'
import { statusOf, wordless } from './load.ts'

/*
 * A merge request is a project that was sent in, under the project's id. Its status is the state of the project, so the two cannot differ.
 */

export type RequestInput = Pick<ProjectRequest, 'summary' | 'justification' | 'scope'> & { project: string }

/**
 * Sends a project in. Fails with a field error on a project that the caller may not see, and with `refused` if the caller does not work on
 * it. It also fails if the project lacks what a request needs. What the service finds in its records is no obstacle: reviewers see it.
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

const decisionOf = (it: Project, actor: Actor, reviewer_note: string): ProjectRequest => ({
  ...(it.request ?? wordless(it)),
  reviewed_by: actor.id,
  reviewer_note,
})

/** Sends a project back to its authors with the note of the reviewer. Fails with `invalid` unless it is pending. */
export async function askForChanges(
  unit: UnitOfWork,
  whole: WholeProject,
  actor: Actor,
  reviewer_note: string,
): Promise<WholeProject> {
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

/** The most new records that a request names. */
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
