import { now } from '../../base/clock.ts'
import { forbidden, invalid } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, projectParts } from '../../platform/permissions.ts'
import { asSubject, type Project } from './items.ts'
import { mergeProject, type Wish } from './merge.ts'
import { changeProject, loadWholeById, mergeConflict, type Whole } from './projects.ts'
import { blockersOf, type ProjectState, projectMove } from './states.ts'

export type Wanted = { target_state: Exclude<ProjectState, 'merged'>; comment: string }

/** Checks the move to `merged`, then merges. Fails as `moveProject` and `mergeProject` do. */
export async function mergeAs<R>(unit: UnitOfWork, old: Whole, wish: Wish<R> & { comment: string }): Promise<R> {
  check(old.about, wish.actor, 'merged', wish.comment)
  return mergeProject(unit, old, wish)
}

/**
 * Moves a project to any state but `merged`. State, activity and places in lists are one transaction. Fails with `invalid` if
 * there is no such move, or if a comment or a condition is missing. Fails with `refused` if the caller may not make the move, and
 * with `conflict` if somebody else was faster.
 */
export async function moveProject(
  unit: UnitOfWork,
  old: Whole,
  actor: Actor,
  { target_state, comment }: Wanted,
): Promise<Whole> {
  check(old.about, actor, target_state, comment)
  const { about } = await changeProject(unit, old, async (it) => {
    const { checked, stamps } = check(it, actor, target_state, comment)
    if (checked) await checkComplete(it)
    const at = now()
    return {
      changes: {
        state: target_state,
        updated_at: at,
        ...(stamps && it[stamps] === null && { [stamps]: at }),
      },
      done: [{ actor_id: actor.id, action: 'state_changed', payload: { from: it.state, to: target_state, comment } }],
      result: undefined,
    }
  })
  return { ...old, ...about }
}

function check(it: Project, actor: Actor, to: ProjectState, comment: string) {
  const move = projectMove(it.state, to)
  if (!move) throw invalid({ target_state: [noMove(it, to)] })
  if (!projectParts[move.who](actor, asSubject(it))) throw forbidden(notTheirs(it, to, move.who))
  if (move.reasoned && comment.trim() === '') throw invalid({ comment: ['Say what is to be revised.'] })
  return move
}

/** Why this caller cannot merge a project, whatever its records are like; undefined if they can. */
export function whyNotMerged(it: Project, actor: Actor): string | undefined {
  if (it.merge) return mergeConflict().detail
  const move = projectMove(it.state, 'merged')
  if (!move) return noMove(it, 'merged')
  return projectParts[move.who](actor, asSubject(it)) ? undefined : notTheirs(it, 'merged', move.who)
}

const noMove = (it: Project, to: ProjectState) => `A project that is ${words(it.state)} cannot become ${words(to)}.`
const notTheirs = (it: Project, to: ProjectState, who: string) =>
  `Only ${who} may lead a project from ${words(it.state)} to ${words(to)}.`
const words = (state: ProjectState) => state.replace('_', ' ')

/**
 * Assets are read after the project. Whoever adds or takes away one writes the project too, so the condition on its version
 * fails.
 */
async function checkComplete(it: Project): Promise<void> {
  const assets = it.asset_count === 0 ? [] : ((await loadWholeById(it.id))?.assets ?? [])
  const blockers = blockersOf({ ...it, ocr_statuses: assets.map((one) => one.ocr_status) })
  if (blockers.length > 0) throw invalid({ blockers })
}
