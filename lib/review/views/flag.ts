import { kinds } from '../../kinds/index.ts'
import type { Say } from '../../language/catalogue.ts'
import { type Actor, worksOn } from '../../permissions.ts'
import type { RecordItem } from '../../records/items.ts'
import { flagView } from '../../records/views/entity.ts'
import type { PeopleById } from '../../users/people.ts'
import type { Shown } from '../flags.ts'

/** A flag as this caller may know it. What it says is for those who work on the record and for whoever raised it. */
export function flagRow(
  { flag, about, other }: Shown,
  people: PeopleById,
  actor: Actor | null,
  say: Say,
): Record<string, unknown> {
  const inside = worksOn(actor, about)
  const own = flag.flagged_by !== null && flag.flagged_by === actor?.id
  return {
    ...flagView(flag, people),
    reason: inside || own ? reasonOf(flag, other, say) : '',
    property: inside ? flag.property : null,
    assertion_ids: inside ? flag.assertion_ids : [],
    other_entity_id: other?.entity_id ?? null,
    other: other ? cardOf(other) : null,
    entity_id: about.entity_id,
    entity_name: about.name,
    entity_category: about.category,
  }
}

/** The conflict check names the other record: not to those who may not see it. */
function reasonOf({ reason, flagged_by, other_entity_id }: Shown['flag'], other: RecordItem | undefined, say: Say) {
  if (flagged_by !== null) return reason
  return say(other_entity_id !== null && !other ? 'It looks like another record.' : reason)
}

const cardOf = (it: RecordItem) => ({
  entity_id: it.entity_id,
  kind: it.kind,
  id: kinds[it.kind].record ? it.id : null,
  name: it.name,
})
