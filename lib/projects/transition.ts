import { now } from '../clock.ts'
import { invalid, refused } from '../errors.ts'
import { type Actor, partsIn } from '../permissions.ts'
import { asSubject, type Project } from './items.ts'
import { merge, type Wish } from './merge.ts'
import { beingMerged, change, loadWholeById, type Whole } from './projects.ts'
import { blockersOf, type ProjectState, projectMove } from './states.ts'

export type Wanted = { target_state: Exclude<ProjectState, 'merged'>; comment: string }

/** Merges a project: `merge`, where a transition to it is the caller's. Fails as `transition` does. */
export async function mergeAs<R>(old: Whole, wish: Wish<R> & { comment: string }): Promise<R> {
  check(old.about, wish.actor, 'merged', wish.comment)
  return merge(old, wish)
}

/**
 * Leads a project to another state but `merged`: state, activity and its places in the lists are one transaction. Fails with `invalid` where no move leads there, a comment or something else is
 * missing, with `refused` where it is not the caller's move, and with `conflict` where others were faster.
 */
export async function transition(old: Whole, actor: Actor, { target_state, comment }: Wanted): Promise<Whole> {
  check(old.about, actor, target_state, comment)
  const { about } = await change(old, async (it) => {
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
  if (!partsIn[move.who](actor, asSubject(it))) throw refused(notTheirs(it, to, move.who))
  if (move.reasoned && comment.trim() === '') throw invalid({ comment: ['Say what is to be revised.'] })
  return move
}

/** Why this caller cannot merge a project as it stands, whatever its records are like; undefined where they can. */
export function whyNotMerged(it: Project, actor: Actor): string | undefined {
  if (it.merge) return beingMerged().detail
  const move = projectMove(it.state, 'merged')
  if (!move) return noMove(it, 'merged')
  return partsIn[move.who](actor, asSubject(it)) ? undefined : notTheirs(it, 'merged', move.who)
}

const noMove = (it: Project, to: ProjectState) => `A project that is ${words(it.state)} cannot become ${words(to)}.`
const notTheirs = (it: Project, to: ProjectState, who: string) =>
  `Only ${who} may lead a project from ${words(it.state)} to ${words(to)}.`
const words = (state: ProjectState) => state.replace('_', ' ')

/** What belongs to the project is read after it: whoever adds or takes away something rewrites the project, whose version then stands in the way. */
async function checkComplete(it: Project): Promise<void> {
  const assets = it.asset_count === 0 ? [] : ((await loadWholeById(it.id))?.assets ?? [])
  const blockers = blockersOf({ ...it, ocr_statuses: assets.map((one) => one.ocr_status) })
  if (blockers.length > 0) throw invalid({ blockers })
}
