import { lru } from '../../../base/lru.ts'
import type { Scope } from '../../../base/visibility.ts'
import type { SearchDocument } from '../document.ts'
import { eachPosting } from '../index/codec.ts'
import { tallyFor } from '../index/columns.ts'
import { sortsByValue, tagOf } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import { type Concept, loadedVocabulary } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { makeFilter } from './filters.ts'

// Words for sorts of things in a language that no list knows. Example: three of ten temples are called "... Kovil", and four in five things
// called so are temples. Then "kovil" asks for temples.

/** The most documents that are looked at for one word, and how many are enough to see that there is nothing to learn. */
const MOST_READ = 64
const FIRST_READ = 8
/** A word is learned only if at least this many documents have it in their names. */
const LEAST_CALLED = 5
/** The share of these documents that must be of one sort, and have the word on the same side of their name. */
const LEAST_SHARE = 0.8
/** The share of all documents of the sort that must hold the word. A deity's name is in few of all temples, a word for temple in many. */
const LEAST_OF_SORT = 0.3

/** What was learned of recent words, for each corpus, or `nothing`. */
const learned = new WeakMap<Corpus, ReturnType<typeof lru<string, Concept | typeof nothing>>>()
const nothing = Symbol('nothing')

/** The sort of thing that a term stands for in the names of documents that the scope may read. Undefined if it is a name, or rare. */
export function learnedSort(corpus: Corpus, term: string, scope: Scope): Concept | undefined {
  const tally = tallyFor(scope)
  const held = corpus.terms.count(term, tally)
  if (held < LEAST_CALLED) return undefined
  const isOften = ({ as, label }: Concept) => {
    const all = as === 'sort' ? corpus.terms.count(tagOf({ as, label }), tally) : 0
    return all >= LEAST_CALLED && held >= all * LEAST_OF_SORT
  }
  const cache = learned.get(corpus) ?? lru<string, Concept | typeof nothing>(500)
  learned.set(corpus, cache)
  const key = `${corpus.changes} ${scope.signedIn} ${scope.everything} ${scope.own} ${term}`
  const cached = cache.get(key) ?? sortOfCalled(corpus, term, scope, isOften) ?? nothing
  cache.set(key, cached)
  return cached === nothing ? undefined : cached
}

function sortOfCalled(
  corpus: Corpus,
  term: string,
  scope: Scope,
  isOften: (concept: Concept) => boolean,
): Concept | undefined {
  const admits = makeFilter(corpus, { scope })
  const called = { all: 0, first: 0, last: 0 }
  const bySort = new Map<string, number>()
  for (const number of documentsOf(corpus, term)) {
    const side = sideOf(corpus.document(number), term)
    if (!side || !admits(number)) continue
    called.all += 1
    if (side !== 'inside') called[side] += 1
    for (const label of sortsByValue(corpus.document(number))) bySort.set(label, (bySort.get(label) ?? 0) + 1)
    if (called.all === FIRST_READ && Math.max(...bySort.values(), 0) < FIRST_READ / 2) return undefined
  }
  const least = called.all * LEAST_SHARE
  if (called.all < LEAST_CALLED || Math.max(called.first, called.last) < least) return undefined
  const [label, count] = [...bySort].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0])
  const concept = loadedVocabulary().concepts.find((it) => it.as === 'sort' && it.label === label)
  return concept && count >= least && isOften(concept) ? { ...concept, isName: true } : undefined
}

function documentsOf(corpus: Corpus, term: string): number[] {
  const numbers: number[] = []
  for (const list of corpus.postings(term))
    eachPosting(list, (number) => {
      if (numbers.length < MOST_READ && corpus.isAlive(number)) numbers.push(number)
    })
  return numbers
}

/**
 * Where the term stands in the first name that has it among several words. Ignores what follows a comma or a parenthesis. Undefined if
 * there is no such name.
 */
function sideOf({ title, names }: SearchDocument, term: string): 'first' | 'last' | 'inside' | undefined {
  for (const name of [title, ...names]) {
    const words = splitWords(name.replace(/[,(][\s\S]*$/, ''))
    const at = words.findIndex((word) => word.term === term)
    if (at >= 0 && words.length > 1) return at === words.length - 1 ? 'last' : at === 0 ? 'first' : 'inside'
  }
  return undefined
}
