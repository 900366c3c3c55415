import '../../search-words/name-words.ts'
import { fold, isGeneric } from '../../../engines/matching/index.ts'
import { openSearchModelIfAny } from '../../../engines/search/index.ts'
import { meaningOf } from '../../../engines/search/synonyms.ts'
import { type Actor, scopeOf } from '../../../platform/permissions.ts'
import type { KindKey } from '../../kinds/index.ts'
import { resourceOf } from '../../kinds/resources.ts'

/** The most hits that are compared with the text. */
const MOST_HITS = 20

/**
 * Returns the ids of visible records whose name means the same as a text, best first. Example: Mayadevi Temple and Maya Devi Mandir. None
 * for a generic name ("Krishna Mandir"), or without search. Costs only the calls of the model.
 */
export async function findSynonyms(kind: KindKey, text: string, actor: Actor): Promise<string[]> {
  const folded = fold(text)
  if (folded === '' || isGeneric(folded)) return []
  const meaning = meaningOf(text)
  const model = await openSearchModelIfAny()
  const found = await model?.search({
    text,
    literal: true,
    scope: scopeOf(actor),
    resources: [resourceOf(kind)],
    limit: MOST_HITS,
  })
  return (found?.hits ?? [])
    .filter((it) => [it.title, ...it.names].some((name) => meaningOf(name) === meaning))
    .map((it) => it.id)
}
