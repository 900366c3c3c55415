import type { Kind } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import { type Actor, isForEveryone, maySee } from '../permissions.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany } from '../table/read.ts'
import { recordItem } from './items.ts'
import { similarTo } from './look-alikes.ts'
import { shownTo } from './shown.ts'

export type Suggestion = { suggestion: string; confidence: number }

/** What records that look like the one being written say in a field; nothing when none does. Costs a likeness look-up and one call. */
export async function suggest(kind: Kind, field: string, name: string, actor: Actor): Promise<Suggestion> {
  const alike = name ? await similarTo({ kind: kind.key, names: [name] }) : []
  const found = await getMany(alike.filter((it) => it.kind === kind.key).map((it) => key.head(it.entity_id)))
  const visible = [...found.values()]
    .map((item) => parse(recordItem, item))
    .filter((it) => maySee(actor, it) && !it.deleted_at)
    // Where a record that is not public stands is shown by its own page only, and there as exactly as the caller may know.
    .filter((it) => field !== 'coordinates' || isForEveryone(it.access_tier))
  const values = (await shownTo(actor, visible)).map((it) => textOf(it.data[field])).filter(Boolean)
  const [first = ''] = values
  // How many of those that say something say the same: one voice alone is worth half.
  const agreeing = values.filter((it) => it === first).length
  return { suggestion: first, confidence: first ? agreeing / (values.length + 1) : 0 }
}
