import '../search-words/name-words.ts'
import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { compareClaims } from '../../engines/matching/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { comparatorOf, kinds } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import { nameOneThing } from '../records/likeness/known-names.ts'
import { isPlaceHidden } from '../records/place.ts'
import { loadMembers } from './clusters.ts'
import type { Cluster } from './items.ts'

const SideView = s.shape('ClusterRivalSide', () =>
  v.object({ entity_id: s.uuid, display_title: s.text, value: s.text }),
)
export const ClusterRivalsView = s.shape('ClusterRivals', () =>
  v.object({
    conflicts: v.array(v.object({ property: s.text, label: s.text, left: SideView, right: SideView })),
    can_merge: v.boolean(),
  }),
)

/**
 * Finds what records of two clusters say against each other: pairs of values that their comparator calls a contradiction. Names and
 * prose are no contradictions, nor are two names of one thing. Reads the members that the caller may see. Two calls, and one search.
 */
export async function findRivals(target: Cluster, source: Cluster, actor: Actor | null) {
  const [left, right] = await Promise.all([loadMembers(target, actor), loadMembers(source, actor)])
  const { fields: declared, nameField } = kinds[target.kind]
  const fields = Object.entries(declared).filter(([property]) => property !== nameField)
  const contradicting = left.flatMap((a) =>
    right.flatMap((b) =>
      fields.flatMap(([property, field]) => {
        const [one, other] = [a.data[property], b.data[property]]
        if (one === undefined || other === undefined) return []
        if (isPlaceHidden(a, property, actor) || isPlaceHidden(b, property, actor)) return []
        if (compareClaims(comparatorOf(field), one, other) !== 'contradicts') return []
        return [{ property, label: field.label, left: sideOf(a, one), right: sideOf(b, other) }]
      }),
    ),
  )
  const pairs = contradicting.map((it) => [it.left.value, it.right.value] as const)
  const same = await nameOneThing(pairs, actor)
  const conflicts = contradicting.filter((_, i) => !same[i])
  const can_merge =
    target.id !== source.id &&
    target.kind === source.kind &&
    !target.merged_into &&
    !source.merged_into &&
    !target.locked &&
    !source.locked
  return { conflicts, can_merge }
}

const sideOf = ({ entity_id, name }: RecordItem, value: unknown) => ({
  entity_id,
  display_title: name,
  value: textOf(value),
})
