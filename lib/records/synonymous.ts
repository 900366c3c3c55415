import type { KindKey } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { fold, isGeneric } from '../matching/fold.ts'
import { type Actor, scopeOf } from '../permissions.ts'
import { modelIfAny } from '../search/open.ts'
import { meaningOf } from '../search/synonyms.ts'

/** How many of the best hits are looked at. */
const MOST = 20

/**
 * The ids of records of a kind under a name that means the same as a text, best first: written together or apart, and with
 * another word for the same sort of thing (Mayadevi Temple, Maya Devi Mandir). Only those that the caller may see; none for a
 * text that says only what sort of thing it is, or where there is no search. No call but the model's own.
 */
export async function synonymousRecords(kind: KindKey, text: string, actor: Actor): Promise<string[]> {
  const folded = fold(text)
  if (folded === '' || isGeneric(folded)) return []
  const wanted = meaningOf(text)
  const model = await modelIfAny()
  const found = await model?.search({
    text,
    literal: true,
    scope: scopeOf(actor),
    resources: [resourceOf(kind)],
    limit: MOST,
  })
  return (found?.hits ?? [])
    .filter((it) => [it.title, ...it.names].some((name) => meaningOf(name) === wanted))
    .map((it) => it.id)
}
