import type { Say } from '../../../base/language/catalogue.ts'
import type * as s from '../../../base/shapes.ts'
import { type Actor, worksOn } from '../../../platform/permissions.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import { kinds } from '../../kinds/index.ts'
import type { RecordItem } from '../../records/items.ts'
import type { ReviewFlagView } from '../../records/views/entity.ts'
import { flagView } from '../../records/views/entity.ts'
import type { FlagWithRecords } from '../flags.ts'

/**
 * A flag as this caller may see it. Its claims are shown to those who work on the record, its reason also to the person who
 * raised it.
 */
export function flagRow(
  { flag, about, other }: FlagWithRecords,
  people: PeopleById,
  actor: Actor | null,
  say: Say,
): s.Output<typeof ReviewFlagView> {
  const isInsider = worksOn(actor, about)
  const isOwn = flag.flagged_by !== null && flag.flagged_by === actor?.id
  return {
    ...flagView(flag, people),
    reason: isInsider || isOwn ? reasonOf(flag, other, say) : '',
    property: isInsider ? flag.property : null,
    assertion_ids: isInsider ? flag.assertion_ids : [],
    other_entity_id: other?.entity_id ?? null,
    other: other ? cardOf(other) : null,
    entity_id: about.entity_id,
    entity_name: about.name,
    entity_category: about.category,
  }
}

/** The service names the other record in the reason of its flag. Callers who may not see that record get a general sentence. */
function reasonOf(
  { reason, flagged_by, other_entity_id }: FlagWithRecords['flag'],
  other: RecordItem | undefined,
  say: Say,
) {
  if (flagged_by !== null) return reason
  return say(other_entity_id !== null && !other ? 'It looks like another record.' : reason)
}

const cardOf = (it: RecordItem) => ({
  entity_id: it.entity_id,
  kind: it.kind,
  id: kinds[it.kind].record ? it.id : null,
  name: it.name,
})
