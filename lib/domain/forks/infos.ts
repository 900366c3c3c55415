import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { peopleIn } from '../../platform/users/people.ts'
import { commentIdOf } from '../comments/items.ts'
import { listRemarksOn } from '../comments/on-records.ts'
import type { RecordItem } from '../records/items.ts'
import type { ForkContext, ForkInfo } from '../review/views/fork-shape.ts'
import { forkStates, forkTags, stateOf } from './items.ts'
import { loadForksAmong } from './load.ts'
import { forkRows } from './view.ts'

/** What the queue shows of the forks among records, by their ids. Costs what `loadForksAmong` does. */
export async function forkInfosOf(
  records: readonly RecordItem[],
  actor: Actor,
): Promise<ReadonlyMap<string, ForkInfo>> {
  const { forks, found } = await loadForksAmong(records, actor)
  const people = peopleIn(found)
  return new Map(
    [...forks.values()].map(({ about, record, original }) => [
      about.id,
      {
        fork_id: about.id,
        original_entity_id: about.entity_id,
        original_entity_name: original.name,
        fork_reason_tag: about.tag,
        fork_reason_tag_display: forkTags[about.tag].label,
        fork_status: stateOf(about, record),
        diff_field_count: about.fields.length,
        reason: about.reason,
        forked_by: people(about.forked_by)?.username ?? '',
      },
    ]),
  )
}

/** The comments on the original that the workspace shows. */
const MOST_COMMENTS = 10

/** What the workspace shows of a fork. Null if the caller may not see its original. */
export async function forkContextOf(of: RecordItem, actor: Actor | null): Promise<ForkContext | null> {
  const { forks, found } = await loadForksAmong([of], actor)
  const it = forks.get(of.entity_id)
  if (!it || !mayInspect(actor, it.original)) return null
  const { about, original, record } = it
  const [[row], remarks] = await Promise.all([
    forkRows([it], found, actor),
    listRemarksOn(original.entity_id, { limit: MOST_COMMENTS, offset: 0 }),
  ])
  const people = peopleIn(remarks.found)
  const state = stateOf(about, record)
  return {
    fork_id: about.id,
    parent_entity_id: original.entity_id,
    parent_entity_name: original.name,
    parent_entity_status: original.status,
    fork_reason_tag: about.tag,
    fork_reason_tag_display: forkTags[about.tag].label,
    fork_status: state,
    fork_status_display: forkStates[state],
    reason: about.reason,
    diff_summary: row?.diff_summary ?? {},
    diff_field_count: about.fields.length,
    forked_by: row?.forked_by ?? null,
    forked_from_revision_number: about.base_revision,
    parent_current_revision: original.current_revision,
    parent_comments: remarks.results.map(({ comment }) => ({
      id: commentIdOf(comment),
      comment: comment.comment,
      user: people(comment.user_id),
      created_at: comment.created_at,
    })),
    created_at: about.created_at,
  }
}
