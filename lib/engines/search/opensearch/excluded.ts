import { tallyFor } from '../index/columns.ts'
import { findMentions, tagOf } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { lookUpExactly, tellingShare } from '../model/lookup.ts'
import { areaOf, isPlace, namedFinder } from '../model/named.ts'
import { parseQuestion } from '../model/question.ts'
import type { Interpreted, SearchQuery } from '../query.ts'
import { resourcesOf } from '../reading/read.ts'
import type { Json } from './client.ts'
import { all, any, nearFilter, none } from './filters.ts'
import { featureOf } from './layout.ts'
import { memberFilter, textFilter } from './words.ts'

/**
 * What the grammar has read, as filters of the server: what is excluded, and where a thing must be. Other filters cover nearness, years and
 * words.
 */
export function readFilters(corpus: Corpus, scope: SearchQuery['scope'], interpreted: readonly Interpreted[]): Json[] {
  return interpreted.flatMap((part) => {
    const filter = filterOfPart(corpus, scope, part)
    if (!filter) return []
    return [part.excluded ? none([filter]) : filter]
  })
}

function filterOfPart(
  corpus: Corpus,
  scope: SearchQuery['scope'],
  { as, value, excluded }: Interpreted,
): Json | undefined {
  const resources = as === 'sort' ? resourcesOf(value) : undefined
  if (resources) return { terms: { resource: resources } }
  if (as === 'place') return placeFilter(corpus, scope, value)
  if (as === 'words') return wordsFilter(corpus, scope, value)
  if (!excluded) return undefined
  const tag = { term: { terms: featureOf(tagOf({ as, label: value })) } }
  return any([tag, wordsFilter(corpus, scope, value)])
}

/** Documents in a place: those that name it, and those around its point. */
function placeFilter(corpus: Corpus, scope: SearchQuery['scope'], label: string): Json {
  const words = splitWords(label)
  const [mention] = findMentions(words, namedFinder(corpus, scope))
  const concept = mention && isPlace(mention.concept) ? mention.concept : undefined
  const number = concept?.documents?.[0] ?? numberOf(corpus, label)
  const area = concept?.area ?? (number === undefined ? undefined : areaOf(corpus, number))
  return any([
    { term: { terms: featureOf(tagOf({ as: 'place', label })) } },
    wordsFilter(corpus, scope, label),
    ...(concept?.documents ? [memberFilter(corpus, concept)] : []),
    ...(area ? [nearFilter(area.at, area.reach)] : []),
  ])
}

/** The number of a document with this title. */
function numberOf(corpus: Corpus, title: string): number | undefined {
  for (let number = 0; number < corpus.columns.size; number += 1)
    if (corpus.isAlive(number) && corpus.document(number).title === title) return number
  return undefined
}

/** Documents that hold every telling word of a text as written. */
function wordsFilter(corpus: Corpus, scope: SearchQuery['scope'], text: string): Json {
  const tally = tallyFor(scope)
  const queryWords = lookUpExactly(corpus, parseQuestion(corpus, text, tally), tally)
  if (queryWords.length === 0) return none([all()])
  return textFilter(corpus, { queryWords, least: tellingShare(queryWords) })
}
