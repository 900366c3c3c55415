import { type Lru, lru } from '../../../base/lru.ts'
import type { Sight } from '../index/columns.ts'
import { tagOf } from '../index/tags.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { genericTerms, sortTerms, townTerms } from '../index/words.ts'
import {
  type Choice,
  completionChoices,
  conceptChoices,
  containingChoices,
  exactChoices,
  isWritten,
  joinedChoices,
  LINKED_FIT,
  nearConceptChoices,
  otherSpellingChoices,
  splitChoices,
  synonymChoices,
  visibleTerms,
  type WeightedWord,
  withConceptTags,
} from './choices.ts'
import type { Corpus } from './corpus.ts'
import { nearChoices } from './near.ts'
import type { QueryWord } from './question.ts'

/**
 * Looks words up as they are written: their terms, concepts and links. The unfinished last word also has its
 * completions.
 */
export function lookUpExactly(corpus: Corpus, words: readonly QueryWord[], sight: Sight): WeightedWord[] {
  return words.map((word, i) => {
    const written = recallWord(corpus, word, `written ${sight}`, () =>
      weigh(corpus, word, [
        ...conceptChoices(corpus, word, sight),
        ...visibleTerms(corpus, word.links ?? [], sight).map((link) => ({
          terms: [link],
          fit: LINKED_FIT,
          adds: true,
        })),
        ...exactChoices(corpus, word, sight),
        ...completionChoices(corpus, word, sight),
      ]),
    )
    // If documents write the two words of a question as one, that one is looked for as well: Devi than, Devithan.
    const beside = words.length === 2 ? joinedChoices(corpus, words, i, sight, true) : []
    return beside.length === 0 ? written : weigh(corpus, word, [...written.choices, ...beside])
  })
}

/**
 * What was found for words lately, for each corpus: most words come again in other questions. The limit counts choices.
 */
const wordCaches = new WeakMap<Corpus, Lru<string, WeightedWord>>()

const MOST_KEPT = 100_000

/** What `look` finds for a word, remembered. It must depend on nothing but the word, the corpus and `how`. */
function recallWord(corpus: Corpus, word: QueryWord, how: string, look: () => WeightedWord): WeightedWord {
  const known = wordCaches.get(corpus) ?? lru<string, WeightedWord>(MOST_KEPT, ({ choices }) => 1 + choices.length)
  wordCaches.set(corpus, known)
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

/**
 * The share of a question's weight that its telling words have. A document that holds these holds all that was asked.
 */
export function tellingShare(written: readonly WeightedWord[]): number {
  const weightOfAll = (some: readonly WeightedWord[]) => some.reduce((sum, { weight }) => sum + weight, 0)
  const told = written.filter(({ aside }) => !aside)
  return told.length === 0 ? 1 : weightOfAll(told) / weightOfAll(written)
}

/** Whether any word tells something by itself: joining words and single letters do not. */
export const anyTells = (words: readonly QueryWord[]): boolean =>
  words.some(({ raw, aside, begins }) => !aside && (begins || raw.length > 1))

/**
 * The share of a question that documents know, by what its words tell. A word that is written somewhere counts fully;
 * one that only near spellings stand for counts half or less.
 */
export function knownShare(wanted: readonly WeightedWord[]): number {
  const known = (it: WeightedWord) =>
    isWritten(it) ? 1 : it.choices.length > 0 ? (it.raw.length > 4 || wanted.length < 3 ? 0.5 : 0.25) : 0
  const [told, all] = wanted.reduce(([a, b], it) => [a + it.tells * known(it), b + it.tells], [0, 0])
  return told / all
}

/** Adds to each word what is spelt nearly so, contains it, means the same, or is written together or apart. */
export function lookUpNearly(
  corpus: Corpus,
  written: readonly WeightedWord[],
  sight: Sight,
  literal = false,
): WeightedWord[] {
  const long = written.filter(countsInText).length > SHORT
  return written.map((it, i) => {
    if (it.aside || (long && isWritten(it))) return it
    const nearly = recallWord(corpus, it, `nearly ${sight} ${literal}`, () => {
      const alike = nearChoices(corpus, it, sight)
      return weigh(corpus, it, [
        ...it.choices,
        ...otherSpellingChoices(corpus, it, sight),
        ...splitChoices(corpus, it, sight),
        ...(literal ? alike : withConceptTags(corpus, [...alike, ...nearConceptChoices(it)], sight)),
        ...containingChoices(corpus, it, sight),
        ...synonymChoices(corpus, it, sight),
      ])
    })
    const beside = joinedChoices(corpus, written, i, sight)
    return beside.length === 0 ? nearly : weigh(corpus, it, [...nearly.choices, ...beside])
  })
}

/** Whether a word counts when texts are searched: words that only join do not. */
export const countsInText = ({ rarity }: WeightedWord): boolean => rarity > 0

/** A question of more words is one for texts. What is written somewhere in it is looked for only as it is. */
const SHORT = 4

/** Weighs a word. Each term counts once, by its best fit, so that no document counts twice for one word. */
function weigh(corpus: Corpus, asked: QueryWord, choices: readonly Choice[]): WeightedWord {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) {
    const key = `${choice.terms.join(' ')}${choice.voice === ANY_VOICE ? ' *' : ''}`
    if (!best.has(key)) best.set(key, choice)
  }
  return { ...asked, ...weightsOf(corpus, asked, [...best.values()]), choices: [...best.values()] }
}

/**
 * How much it tells that a document holds a word: the rarer, the more; less if the word only names a sort of thing or a
 * town. A word that no document holds tells as much as its nearest spelling, or as a middling word.
 */
function weightsOf(
  corpus: Corpus,
  asked: QueryWord,
  choices: readonly Choice[],
): Pick<WeightedWord, 'weight' | 'rarity'> {
  const { term } = asked
  const from = corpus.terms.count(term, 'anon') > 0 ? term : (choices[0]?.terms[0] ?? '')
  const count = corpus.terms.count(from, 'anon')
  const rarity = Math.log(1 + corpus.anonymous / (count > 0 ? count : Math.sqrt(corpus.anonymous + 1)))
  const telling = tellingOf(asked, from)
  return { weight: (rarity + 0.1) * telling, rarity: asked.aside ? 0 : rarity }
}

const tellingOf = ({ aside, begins }: QueryWord, found: string): number =>
  aside
    ? begins
      ? 0.3
      : 0.1
    : sortTerms().has(found) || townTerms().has(found)
      ? 0.4
      : genericTerms().has(found)
        ? 0.8
        : 1
