import { now } from '../../base/clock.ts'
import { forbidden, invalid } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, isProjectAuthor, ownWork, projectParts } from '../../platform/permissions.ts'
import { asSubject, type Project } from './items.ts'
import type { MergeOptions } from './merge.ts'
import { changeProject, loadWholeById, mergeInProgress, type WholeProject } from './projects.ts'
import { blockersOf, type ProjectMove, type ProjectState, projectMove } from './states.ts'

/** `changes`: values of the project that change with its state. */
export type MoveRequest = {
  target_state: Exclude<ProjectState, 'merged'>
  comment: string
  changes?: Partial<Project>
}

/** Checks the move to `merged`, then merges. Fails as `moveProject` and `mergeProject` do. */
export async function mergeAs<R>(
  unit: UnitOfWork,
  old: WholeProject,
  wish: MergeOptions<R> & { comment: string },
): Promise<R> {
  checkMove(old.about, wish.actor, 'merged', wish.comment)
  // Merges are rare, so a process reads their code with the first one.
  const { mergeProject } = await import('./merge.ts')
  return mergeProject(unit, old, wish)
}

/**
 * Moves a project to any state but `merged`. State, activity and places in lists are one transaction. Fails with `invalid` if the table of
 * moves lacks the move, if it needs a comment and has none, or with blockers. Fails with `refused` if the caller may not make the move, and
 * with `conflict` if another request was faster.
 */
export async function moveProject(
  unit: UnitOfWork,
  old: WholeProject,
  actor: Actor,
  { target_state, comment, changes = {} }: MoveRequest,
): Promise<WholeProject> {
  checkMove(old.about, actor, target_state, comment)
  const { about } = await changeProject(unit, old, async (it) => {
    const { checked, stamps } = checkMove(it, actor, target_state, comment)
    if (checked) await checkComplete(it)
    const at = now()
    return {
      changes: {
        ...changes,
        state: target_state,
        updated_at: at,
        ...(stamps && it[stamps] === null && { [stamps]: at }),
        ...(target_state === 'in_review' && { sent_by: actor.id }),
      },
      activities: [
        { actor_id: actor.id, action: 'state_changed', payload: { from: it.state, to: target_state, comment } },
      ],
      result: undefined,
    }
  })
  return { ...old, ...about }
}

function checkMove(it: Project, actor: Actor, to: ProjectState, comment: string) {
  const move = projectMove(it.state, to)
  if (!move) throw invalid({ target_state: [impossibleMove(it, to)] })
  if (!projectParts[move.role](actor, asSubject(it))) throw forbidden(forbiddenMove(it, actor, move))
  if (move.reasoned && comment.trim() === '') throw invalid({ comment: ['Say what is to be revised.'] })
  return move
}

/** The reason why this caller may not merge a project, apart from its records. Undefined if they may. */
export function whyNotMerged(it: Project, actor: Actor): string | undefined {
  if (it.merge) return mergeInProgress().detail
  const move = projectMove(it.state, 'merged')
  if (!move) return impossibleMove(it, 'merged')
  return projectParts[move.role](actor, asSubject(it)) ? undefined : forbiddenMove(it, actor, move)
}

const impossibleMove = (it: Project, to: ProjectState) =>
  `A project that is ${stateName(it.state)} cannot become ${stateName(to)}.`
const forbiddenMove = (it: Project, actor: Actor, { to, role }: ProjectMove) =>
  role !== 'editors' && isProjectAuthor(actor, asSubject(it))
    ? ownWork
    : `Only ${role} may lead a project from ${stateName(it.state)} to ${stateName(to)}.`
const stateName = (state: ProjectState) => state.replace('_', ' ')

/**
 * Fails with `invalid` and the blockers if the project lacks something. Its assets are read after the project itself. That is safe:
 * whoever adds or removes an asset also writes the project, and then this move fails on the project's version.
 */
async function checkComplete(it: Project): Promise<void> {
  const assets = it.asset_count === 0 ? [] : ((await loadWholeById(it.id))?.assets ?? [])
  const blockers = blockersOf({ ...it, ocr_statuses: assets.map((it) => it.ocr_status) })
  if (blockers.length > 0) throw invalid({ blockers })
}
