import type { Scope } from '../../base/visibility.ts'
import { kindKeys } from '../../domain/kinds/index.ts'
import { resourceOf } from '../../domain/kinds/resources.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import { visibleRecords } from '../../domain/records/search.ts'
import type { Hit } from '../../engines/search/index.ts'
import { openSearchModel } from '../../engines/search/index.ts'
import type { Actor } from '../../platform/permissions.ts'

/** The most words that are searched one by one, if no record has all words. */
const SINGLE_WORDS = 8

/**
 * Finds records that have all of these words, best first. If there are none, ranks records by the sum of their scores for single words.
 * The records are read from the table, so the caller gets only what they may see at this moment. One call besides those of search.
 */
export async function findEvidence(
  words: readonly string[],
  actor: Actor | null,
  scope: Scope,
  limit: number,
): Promise<RecordRow[]> {
  const { search } = await openSearchModel()
  const find = async (text: string) => (await search({ text, scope, resources, limit, literal: true })).hits
  const whole = await find(words.join(' '))
  const hits =
    whole.length > 0 || words.length === 1
      ? whole
      : mergeHits(await Promise.all(words.slice(0, SINGLE_WORDS).map(find)))
  const heads = await visibleRecords(hits.slice(0, limit), actor)
  return hits.flatMap(({ id }) => heads.get(id) ?? [])
}

/** Merges the hits of several searches, by the sum of their scores. */
function mergeHits(lists: readonly Hit[][]): Hit[] {
  const scores = new Map<string, number>()
  const hits = new Map(lists.flat().map((hit) => [hit.id, hit]))
  for (const { id, score } of lists.flat()) scores.set(id, (scores.get(id) ?? 0) + score)
  return [...hits.values()].toSorted((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
}

const resources = kindKeys.map(resourceOf)
