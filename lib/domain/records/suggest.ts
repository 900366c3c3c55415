import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { isForEveryone } from '../../base/visibility.ts'
import { getMany, parse } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { Kind } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import { recordItem } from './items.ts'
import { findLookAlikes, MOST_LOOK_ALIKES } from './likeness/look-alikes.ts'
import { showRecords } from './shown.ts'

export type SuggestedValue = { suggestion: string; confidence: number }

export const SuggestedValueView = s.shape('SuggestedValue', () =>
  v.object({ suggestion: s.text, confidence: v.number() }),
)

/**
 * Suggests a value for a field from records with a similar name. `suggestion` is empty if they have none. Calls: those of
 * `findLookAlikes`, and two more.
 */
export async function suggestValue(kind: Kind, field: string, name: string, actor: Actor): Promise<SuggestedValue> {
  const alike = name ? await findLookAlikes({ kind: kind.key, names: [name] }) : []
  const found = await getMany(alike.filter((it) => it.kind === kind.key).map((it) => key.head(it.entity_id)))
  const visible = [...found.values()]
    .map((item) => parse(recordItem, item))
    .filter((it) => maySee(actor, it) && !it.deleted_at)
    .slice(0, MOST_LOOK_ALIKES)
    // Coordinates are suggested only from records that everyone may read, since other tiers may hide the exact place.
    .filter((it) => field !== 'coordinates' || isForEveryone(it.access_tier))
  const values = (await showRecords(actor, visible)).map((it) => textOf(it.data[field])).filter(Boolean)
  const [first = ''] = values
  // Each agreeing record raises the confidence. The divisor is one higher than the number of values, so one record gives 0.5.
  const agreeing = values.filter((it) => it === first).length
  return { suggestion: first, confidence: first ? agreeing / (values.length + 1) : 0 }
}
