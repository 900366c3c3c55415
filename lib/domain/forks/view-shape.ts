import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { UserCardView } from '../../platform/users/people.ts'
import { recordStatuses } from '../records/rules/status.ts'
import { forkStateNames, forkTagNames } from './items.ts'

/** The values of a member on both sides. Null where it is absent. */
const DifferencesView = s.shape('ForkDifferences', () =>
  v.record(v.string(), v.object({ old: v.unknown(), new: v.unknown() })),
)

export const ForkView = s.shape('Fork', () =>
  v.object({
    id: s.uuid,
    original_entity: s.uuid,
    original_entity_name: s.text,
    forked_entity: s.uuid,
    forked_entity_id: s.uuid,
    forked_entity_name: s.text,
    forked_entity_status: s.oneOf([...recordStatuses, 'merged']),
    forked_by: s.maybe(UserCardView),
    forked_from_revision: s.uuid,
    reason: s.text,
    fork_reason_tag: s.oneOf(forkTagNames),
    fork_reason_tag_display: s.text,
    fork_status: s.oneOf(forkStateNames),
    fork_status_display: s.text,
    diff_summary: DifferencesView,
    diff_field_count: s.whole,
    diff_fields: v.array(s.text),
    values_withheld: v.boolean(),
    merged_at: s.maybe(s.time),
    merged_by: s.maybe(UserCardView),
    merged_by_username: s.maybe(s.text),
    created_at: s.time,
  }),
)
/** The paths of translatable texts in a fork. */
export const forkTexts = ['fork_reason_tag_display', 'fork_status_display'] as const

export const ChildForksView = s.shape('ChildForks', () =>
  v.object({ entity_id: s.uuid, entity_name: s.text, forks: v.array(ForkView) }),
)

export const ForkDiffView = s.shape('ForkDiff', () =>
  v.object({
    entity_id: s.uuid,
    entity_name: s.text,
    fork_entity_id: s.uuid,
    fork_entity_name: s.text,
    entity_revision: s.whole,
    fork_revision: s.maybe(s.whole),
    diff: DifferencesView,
    values_withheld: v.boolean(),
  }),
)

const LineageForkView = s.shape('LineageFork', () =>
  v.object({
    fork_id: s.uuid,
    reason: s.text,
    fork_reason_tag: s.oneOf(forkTagNames),
    fork_status: s.oneOf(forkStateNames),
    diff_field_count: s.whole,
    diff_fields: v.array(s.text),
    forked_by: s.text,
    created_at: s.time,
  }),
)
const nodeEntries = () => ({
  entity_id: s.uuid,
  name: s.text,
  status: s.oneOf([...recordStatuses, 'merged']),
  category: s.text,
  contributor_username: s.text,
  fork_depth: s.whole,
  is_fork: v.boolean(),
  fork_info: s.maybe(LineageForkView),
  created_at: s.time,
})
export type LineageNode = v.InferOutput<v.ObjectSchema<ReturnType<typeof nodeEntries>, undefined>> & {
  children: LineageNode[]
}
const LineageNodeView: s.Schema = s.shape('LineageNode', () =>
  v.object({ ...nodeEntries(), children: v.array(LineageNodeView) }),
)
export const LineageView = s.shape('Lineage', () =>
  v.object({ ...nodeEntries(), children: v.array(LineageNodeView), truncated: v.optional(v.boolean()) }),
)
