import { type Actor, mayInspect, mayReadFork } from '../../platform/permissions.ts'
import { type PeopleById, peopleIn, peopleOf } from '../../platform/users/people.ts'
import type { RecordItem } from '../records/items.ts'
import { namesInOrder } from '../records/views/order.ts'
import { publicStatus } from '../records/views/record.ts'
import { type ForkSubject, stateOf } from './items.ts'
import { loadFamily, rootOf } from './load.ts'
import { forkedStatus, forkName } from './view.ts'
import type { LineageNode } from './view-shape.ts'

/**
 * The tree of a record and its forks, as this caller sees it. It begins at the topmost record that the caller sees above `of`. So a hidden
 * record leaves no trace: depths are counted from there.
 */
export async function lineageOf(of: RecordItem, actor: Actor | null): Promise<LineageNode & { truncated?: boolean }> {
  const { forks, found, record, truncated } = await loadFamily(rootOf(of), actor, true)
  const byId = new Map(forks.map((it) => [it.about.id, it]))
  const top = topmost(of, byId)
  const first = byId.get(top)?.record ?? record(top) ?? of
  const people = await withPeople(first, peopleIn(found))
  const below = Map.groupBy(forks, ({ about }) => about.entity_id)
  const nodeOf = (it: RecordItem, fork: ForkSubject | undefined, depth: number): LineageNode => ({
    entity_id: it.entity_id,
    name: fork ? forkName(fork, actor, people(fork.about.forked_by)?.username ?? '') : it.name,
    status: (fork ? forkedStatus(fork, actor) : statusOf(it, actor)) as LineageNode['status'],
    category: it.category,
    contributor_username: people(it.contributor_id)?.username ?? it.contributor,
    fork_depth: depth,
    is_fork: fork !== undefined,
    fork_info: fork ? forkInfo(fork, actor, people) : null,
    children: (below.get(it.entity_id) ?? [])
      .toSorted((a, b) => (a.about.created_at < b.about.created_at ? 1 : -1))
      .map((child) => nodeOf(child.record, child, depth + 1)),
    created_at: it.created_at,
  })
  return { ...nodeOf(first, undefined, 0), ...(truncated && { truncated }) }
}

/** The record at the top of the tree: up from a record, as long as the caller may know of the fork. */
function topmost(of: RecordItem, byId: ReadonlyMap<string, ForkSubject>): string {
  let top = of.entity_id
  for (let fork = byId.get(top); fork; fork = byId.get(top)) top = fork.about.entity_id
  return top
}

const statusOf = (it: RecordItem, actor: Actor | null) =>
  !it.public && mayInspect(actor, it) ? it.status : publicStatus(it)

/** Adds the contributor of the record at the top, who may be missing among the people of its family. */
async function withPeople({ contributor_id }: RecordItem, people: PeopleById): Promise<PeopleById> {
  const own = await peopleOf([contributor_id])
  return (id) => (id === contributor_id ? own(id) : people(id))
}

const forkInfo = (it: ForkSubject, actor: Actor | null, people: PeopleById): LineageNode['fork_info'] => ({
  fork_id: it.about.id,
  reason: mayReadFork(actor, it) ? it.about.reason : '',
  fork_reason_tag: it.about.tag,
  fork_status: stateOf(it.about, it.record),
  diff_field_count: it.about.fields.length,
  diff_fields: namesInOrder(it.original.kind, it.about.fields),
  forked_by: people(it.about.forked_by)?.username ?? '',
  created_at: it.about.created_at,
})
