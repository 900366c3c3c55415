import { type Lru, lru } from '../../lru.ts'
import type { Sight } from '../index/columns.ts'
import { tagOf } from '../index/tags.ts'
import { ANY } from '../index/voice.ts'
import { generics, sorts, towns } from '../index/words.ts'
import {
  type Choice,
  completions,
  exact,
  holding,
  isWritten,
  joined,
  LINKED,
  meaning,
  meant,
  nearConcepts,
  otherwise,
  seen,
  split,
  tagged,
  type Wanted,
} from './choices.ts'
import type { Corpus } from './corpus.ts'
import { near } from './near.ts'
import type { Asked } from './question.ts'

/** What stands in documents for the words as they were written; the unfinished last one also for what begins with it. */
export function asWritten(corpus: Corpus, words: readonly Asked[], sight: Sight): Wanted[] {
  return words.map((word, i) => {
    const written = kept(corpus, word, `written ${sight}`, () =>
      wanted(corpus, word, [
        ...tagged(corpus, word, sight),
        ...seen(corpus, word.links ?? [], sight).map((link) => ({ terms: [link], fit: LINKED, adds: true })),
        ...exact(corpus, word, sight),
        ...completions(corpus, word, sight),
      ]),
    )
    // A question of two words that documents have as one asks for that one as well: Devi than, Devithan.
    const beside = words.length === 2 ? joined(corpus, words, i, sight, true) : []
    return beside.length === 0 ? written : wanted(corpus, word, [...written.choices, ...beside])
  })
}

/** What was found for words lately, for each corpus: questions differ, but most of their words come again. So many choices at most. */
const found = new WeakMap<Corpus, Lru<string, Wanted>>()

const MOST_KEPT = 100_000

/** Answers what `look` finds for a word, which must depend on nothing but the word, the corpus and `how`. */
function kept(corpus: Corpus, word: Asked, how: string, look: () => Wanted): Wanted {
  const known = found.get(corpus) ?? lru<string, Wanted>(MOST_KEPT, ({ choices }) => 1 + choices.length)
  found.set(corpus, known)
  const { raw, whole, aside, syllabic, begins, swapped, concept, links = [] } = word
  const key = [
    corpus.changes,
    how,
    raw,
    whole,
    aside,
    syllabic,
    begins?.raw,
    concept && tagOf(concept),
    ...swapped,
    ...links,
  ].join(' ')
  const before = known.get(key)
  if (before) return before
  const wanted = look()
  known.set(key, wanted)
  return wanted
}

/** The share of a question's weight that is in words which tell something: who holds these holds all that was asked. */
export function telling(written: readonly Wanted[]): number {
  const weightOfAll = (some: readonly Wanted[]) => some.reduce((sum, { weight }) => sum + weight, 0)
  const told = written.filter(({ aside }) => !aside)
  return told.length === 0 ? 1 : weightOfAll(told) / weightOfAll(written)
}

/** Whether any word tells something by itself: joining words and single signs do not. */
export const anyTells = (words: readonly Asked[]): boolean =>
  words.some(({ raw, aside, begins }) => !aside && (begins || raw.length > 1))

/** The share of a question that documents know, by what its words tell: those that are written somewhere, and by half those that only something near is. */
export function knownOf(wanted: readonly Wanted[]): number {
  const known = (it: Wanted) =>
    isWritten(it) ? 1 : it.choices.length > 0 ? (it.raw.length > 4 || wanted.length < 3 ? 0.5 : 0.25) : 0
  const [told, all] = wanted.reduce(([a, b], it) => [a + it.tells * known(it), b + it.tells], [0, 0])
  return told / all
}

/** The same, and what is spelt nearly so, holds it, means the same, or is written together or apart. */
export function orNearly(corpus: Corpus, written: readonly Wanted[], sight: Sight, literal = false): Wanted[] {
  const long = written.filter(tellsOfText).length > SHORT
  return written.map((it, i) => {
    if (it.aside || (long && isWritten(it))) return it
    const nearly = kept(corpus, it, `nearly ${sight} ${literal}`, () => {
      const alike = near(corpus, it, sight)
      return wanted(corpus, it, [
        ...it.choices,
        ...otherwise(corpus, it, sight),
        ...split(corpus, it, sight),
        ...(literal ? alike : meant(corpus, [...alike, ...nearConcepts(it)], sight)),
        ...holding(corpus, it, sight),
        ...meaning(corpus, it, sight),
      ])
    })
    const beside = joined(corpus, written, i, sight)
    return beside.length === 0 ? nearly : wanted(corpus, it, [...nearly.choices, ...beside])
  })
}

/** Whether a word counts among those that a text is looked for by. */
export const tellsOfText = ({ rarity }: Wanted): boolean => rarity > 0

/** A question of more words is one for texts: what is written somewhere in it is looked for as it is. */
const SHORT = 4

/** Each term once, by its best fit, so that no document is counted twice for one word. */
function wanted(corpus: Corpus, asked: Asked, choices: readonly Choice[]): Wanted {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) {
    const key = `${choice.terms.join(' ')}${choice.voice === ANY ? ' *' : ''}`
    if (!best.has(key)) best.set(key, choice)
  }
  return { ...asked, ...weightsOf(corpus, asked, [...best.values()]), choices: [...best.values()] }
}

/**
 * How much it tells that a document holds a word: the rarer, the more; less where the word only says what sort of thing it
 * is. A word that no document holds tells as much as its nearest spelling, or as a middling word.
 */
function weightsOf(corpus: Corpus, asked: Asked, choices: readonly Choice[]): Pick<Wanted, 'weight' | 'rarity'> {
  const { term } = asked
  const from = corpus.terms.count(term, 'anon') > 0 ? term : (choices[0]?.terms[0] ?? '')
  const count = corpus.terms.count(from, 'anon')
  const rarity = Math.log(1 + corpus.anonymous / (count > 0 ? count : Math.sqrt(corpus.anonymous + 1)))
  const telling = tellingOf(asked, from)
  return { weight: (rarity + 0.1) * telling, rarity: asked.aside ? 0 : rarity }
}

const tellingOf = ({ aside, begins }: Asked, found: string): number =>
  aside ? (begins ? 0.3 : 0.1) : sorts().has(found) || towns().has(found) ? 0.4 : generics().has(found) ? 0.8 : 1
