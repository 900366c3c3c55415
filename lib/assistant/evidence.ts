import { kindKeys } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import type { Actor, Scope } from '../permissions.ts'
import type { RecordRow } from '../records/items.ts'
import { visibleRecords } from '../records/search.ts'
import { searchModel } from '../search/model/follower.ts'
import type { Hit } from '../search/query.ts'

/** So many words are looked for one by one when no record has them all. */
const MOST_WORDS = 8

/**
 * Records that may answer a question with these words, best first: those that have all of them, else those that have most.
 * Whatever the search model says, only what the caller may see right now is among them. One call beside the model's.
 */
export async function evidenceFor(
  words: readonly string[],
  actor: Actor | null,
  scope: Scope,
  most: number,
): Promise<RecordRow[]> {
  const { search } = await searchModel()
  const find = async (text: string) => (await search({ text, scope, resources, limit: most, literal: true })).hits
  const whole = await find(words.join(' '))
  const hits =
    whole.length > 0 || words.length === 1 ? whole : merged(await Promise.all(words.slice(0, MOST_WORDS).map(find)))
  const heads = await visibleRecords(hits.slice(0, most), actor)
  return hits.flatMap(({ id }) => heads.get(id) ?? [])
}

/** Hits of several questions: who answers most of them best comes first. */
function merged(lists: readonly Hit[][]): Hit[] {
  const scores = new Map<string, number>()
  const hits = new Map(lists.flat().map((hit) => [hit.id, hit]))
  for (const { id, score } of lists.flat()) scores.set(id, (scores.get(id) ?? 0) + score)
  return [...hits.values()].toSorted((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
}

const resources = kindKeys.map(resourceOf)
