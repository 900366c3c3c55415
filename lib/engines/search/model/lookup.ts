import { type Lru, lru } from '../../../base/lru.ts'
import type { Postings } from '../index/codec.ts'
import type { ColumnTally } from '../index/columns.ts'
import { nearbyTags, tagOf } from '../index/tags.ts'
import { ANY_VOICE, onsetOf, type Voice } from '../index/voice.ts'
import { genericTerms, sortTerms, toTerm, toWord, townTerms, type Word } from '../index/words.ts'
import type { Corpus } from './corpus.ts'
import { belongingTo } from './named.ts'
import type { QueryWord } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * One way in which a document may contain a word of the question: by one term, or by several terms together. `fit` is 1 for an exact match,
 * else less. With `adds`, a document gets the score of this choice in addition to another choice of the word. `postings`: its documents, if
 * they are not those of a term.
 */
export type Choice = {
  terms: readonly string[]
  fit: number
  adds?: boolean
  voice?: Voice
  postings?: Postings
}

/** A word with its choices, the best first. `weight` is its weight in names, `rarity` its weight in texts. Both are higher for rarer words. */
export type WeightedWord = QueryWord & {
  weight: number
  rarity: number
  choices: readonly Choice[]
}

/**
 * Finds the terms, concepts and links of each word as written. If the last word is unfinished, its completions are added.
 */
export function lookUpExactly(corpus: Corpus, words: readonly QueryWord[], tally: ColumnTally): WeightedWord[] {
  return words.map((word, i) => {
    const written = recallWord(corpus, word, `written ${tally}`, () =>
      weigh(corpus, word, [
        ...conceptChoices(corpus, word, tally),
        ...visibleTerms(corpus, word.links ?? [], tally).map((link) => ({
          terms: [link],
          fit: LINKED_FIT,
          adds: true,
        })),
        ...exactChoices(corpus, word, tally),
        ...completionChoices(corpus, word, tally),
      ]),
    )
    // Documents may write two words as one: "Devi than" as "Devithan".
    const joined = words.length === 2 ? joinedChoices(corpus, words, i, tally, true) : []
    return joined.length === 0 ? written : weigh(corpus, word, [...written.choices, ...joined])
  })
}

/** Words that were looked up recently, for each corpus. */
const wordCaches = new WeakMap<Corpus, Lru<string, WeightedWord>>()
/** The size of a word in the cache: one, one for each choice, and one for each 64 documents that a choice holds itself. */
const sizeOf = ({ choices }: WeightedWord): number =>
  choices.reduce((sum, { postings }) => sum + 1 + Math.ceil((postings?.lows.length ?? 0) / 64), 1)
/** The most choices in the cache of a corpus. */
const MOST_CACHED = 100_000

/**
 * Returns the cached result of `look` for this word, or calls it. The result must depend only on the word, the corpus and `how`.
 */
export function recallWord(corpus: Corpus, word: QueryWord, how: string, look: () => WeightedWord): WeightedWord {
  const cache = wordCaches.get(corpus) ?? lru<string, WeightedWord>(MOST_CACHED, sizeOf)
  wordCaches.set(corpus, cache)
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
    concept?.documents?.join(),
    ...swapped,
    ...links,
  ].join(' ')
  const cached = cache.get(key)
  if (cached) return cached
  const weighted = look()
  cache.set(key, weighted)
  return weighted
}

/**
 * The share of a question's weight in its telling words, which are all but joining words. A document with all telling words contains the
 * whole question.
 */
export function tellingShare(written: readonly WeightedWord[]): number {
  const weightOf = (words: readonly WeightedWord[]) => words.reduce((sum, { weight }) => sum + weight, 0)
  const telling = written.filter(({ aside }) => !aside)
  return telling.length === 0 ? 1 : weightOf(telling) / weightOf(written)
}

/** Whether any word is neither a joining word nor a single letter. A letter that may be unfinished is a word, too. */
export const anyTells = (words: readonly QueryWord[]): boolean =>
  words.some(({ raw, aside, begins }) => !aside && (begins || raw.length > 1))

/** Whether a word has weight in texts. Joining words have none. */
export const countsInText = ({ rarity }: WeightedWord): boolean => rarity > 0

/** Weighs a word. Each term keeps only its best choice, so that no document counts twice for one word. */
export function weigh(corpus: Corpus, word: QueryWord, choices: readonly Choice[]): WeightedWord {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) {
    const key = `${choice.terms.join(' ')}${choice.voice === ANY_VOICE ? ' *' : ''}`
    if (!best.has(key)) best.set(key, choice)
  }
  return { ...word, ...weightsOf(corpus, word, [...best.values()]), choices: [...best.values()] }
}

/**
 * The weights of a word: the rarer it is, the higher. Generic words and towns weigh less. A word that no document contains gets the rarity
 * of its nearest spelling, or a middling rarity.
 */
function weightsOf(
  corpus: Corpus,
  word: QueryWord,
  choices: readonly Choice[],
): Pick<WeightedWord, 'weight' | 'rarity'> {
  const { term } = word
  const from = corpus.terms.count(term, 'anon') > 0 ? term : (choices[0]?.terms[0] ?? '')
  const count = corpus.terms.count(from, 'anon')
  const rarity = Math.log(1 + corpus.anonymous / (count > 0 ? count : Math.sqrt(corpus.anonymous + 1)))
  return { weight: (rarity + 0.1) * termFactor(word, from), rarity: word.aside ? 0 : rarity }
}

/** The factor of a word's weight: 1, or less if the word is a joining word, or its term a sort, a town or generic. */
function termFactor({ aside, begins }: QueryWord, term: string): number {
  if (aside) return begins ? 0.3 : 0.1
  if (sortTerms().has(term) || townTerms().has(term)) return 0.4
  return genericTerms().has(term) ? 0.8 : 1
}

/**
 * The choices for the concept of a word: its tag, its documents, and the tags of concepts that overlap with it. Such a document matches
 * even if it does not contain the word.
 */
const conceptChoices = (corpus: Corpus, { concept }: QueryWord, tally: ColumnTally): Choice[] =>
  concept
    ? [
        { terms: [tagOf(concept)], fit: 1.001 },
        ...(concept.documents
          ? [{ terms: [`${tagOf(concept)}~`], fit: 1, postings: belongingTo(corpus, concept) }]
          : []),
        ...visibleTerms(corpus, nearbyTags(concept), tally).map((tag) => ({ terms: [tag], fit: 0.6 })),
      ]
    : []

/**
 * The choices for a word as written. If no document contains it, words that fold alike but sound different fit, too, but less: Wells for
 * "Whels". Then the word itself fits less if it may be unfinished.
 */
function exactChoices(
  { terms }: Corpus,
  { raw, known, term, begins, concept }: QueryWord,
  tally: ColumnTally,
): Choice[] {
  if (terms.count(term, tally) === 0) return []
  const adds = concept !== undefined
  const choice = { terms: [term], voice: toWord(raw).voice, fit: begins && !known ? 0.75 : 1, adds }
  return known ? [choice] : [choice, { ...choice, voice: ANY_VOICE, fit: OTHER_VOICE_FIT }]
}

/** The fit of a word that folds alike but sounds different. */
const OTHER_VOICE_FIT = 0.5

/** Completions of an unfinished word: words that begin with its letters, and words that begin with its sound. */
function completionChoices(corpus: Corpus, { term, begins, known }: QueryWord, tally: ColumnTally): Choice[] {
  if (!begins) return []
  const fitOf = (completion: string, least: number) =>
    least + (0.25 * Math.min(term.length, completion.length)) / completion.length
  const written = corpus.words.beginning(begins.raw, MOST_COMPLETIONS, tally).map(toWord)
  // Of "qqq" one sound is left, with which hundreds of words begin.
  const saysLittle = begins.sound.length * 2 < begins.raw.length
  const sounding = saysLittle ? [] : corpus.terms.beginning(begins.sound, MOST_COMPLETIONS, tally)
  const voice = known ? onsetOf(begins.raw) : ANY_VOICE
  return [
    ...written.map((each) => ({ terms: [each.term], voice: each.voice, fit: fitOf(each.term, COMPLETION_FIT) })),
    ...sounding.map((each) => ({ terms: [each], voice, fit: fitOf(each, COMPLETION_FIT - 0.25) })),
  ].filter(({ terms: [each = ''] }) => corpus.terms.count(each, tally) > 0)
}

/** The most completions of an unfinished word, and the most words that contain it as a part. */
export const MOST_COMPLETIONS = 400

/** The least fit of a completion by letters. By sound it may be 0.25 less. */
const COMPLETION_FIT = 0.7

/** The fit of a link to a record of this name: nearly that of the name itself. */
const LINKED_FIT = 0.9

/**
 * Whether some document holds the word, a completion of it as typed, or another spelling of the whole word. A word that only sounds alike is
 * not enough.
 */
export const isWritten = ({ choices }: WeightedWord): boolean => choices.some(({ fit }) => fit >= COMPLETION_FIT)

/**
 * Two neighbouring words that documents write as one: "maya devi" for Mayadevi. The joined word is a choice of both. With `exactly`, a
 * document must contain the joined word letter for letter.
 */
export function joinedChoices(
  corpus: Corpus,
  words: readonly Word[],
  place: number,
  tally: ColumnTally,
  exactly = false,
): Choice[] {
  const [before, word, after] = [words[place - 1], words[place], words[place + 1]]
  const pairs = [`${before?.raw ?? ''} ${word?.raw}`, `${word?.raw} ${after?.raw ?? ''}`]
  const joinedWords = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
    .filter((joined) => !exactly || corpus.words.count(joined, tally) > 0)
  const terms = joinedWords.flatMap((joined) => [
    toTerm(joined),
    ...[...otherSpellingsOf(toWord(joined).sound)].map(toTerm),
  ])
  // A joined word that folds like one of its parts is not another word: "pashupatinath t".
  const newTerms = terms.filter((term) => term !== before?.term && term !== word?.term)
  return visibleTerms(corpus, new Set(newTerms), tally).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** Keeps the terms that documents of this tally contain. So terms of hidden documents do not take the place of others in public answers. */
export const visibleTerms = (corpus: Corpus, terms: Iterable<string>, tally: ColumnTally): string[] =>
  [...terms].filter((each) => corpus.terms.count(each, tally) > 0)
