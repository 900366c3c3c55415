import { type Lru, lru } from '../../../base/lru.ts'
import type { ColumnTally } from '../index/columns.ts'
import { nearbyTags, tagOf } from '../index/tags.ts'
import { ANY_VOICE, onsetOf, type Voice } from '../index/voice.ts'
import { genericTerms, sortTerms, toTerm, toWord, townTerms, type Word } from '../index/words.ts'
import type { Corpus } from './corpus.ts'
import type { QueryWord } from './question.ts'
import { otherSpellingsOf } from './spellings.ts'

/**
 * One way in which a document may hold a word of the question: by one term, or by several that must all be there.
 * `fit`: how well it fits; 1 is exact. `adds`: a document scores it beside another choice of the same word.
 */
export type Choice = { terms: readonly string[]; fit: number; adds?: boolean; voice?: Voice }

/**
 * A word with its choices, the best first. `weight`: how much it tells of a name. `rarity`: how rare it is in texts.
 */
export type WeightedWord = QueryWord & {
  weight: number
  rarity: number
  choices: readonly Choice[]
}

/**
 * Finds the terms, concepts and links of each word as written. The last word, if unfinished, also gets its completions.
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
    const beside = words.length === 2 ? joinedChoices(corpus, words, i, tally, true) : []
    return beside.length === 0 ? written : weigh(corpus, word, [...written.choices, ...beside])
  })
}

/** Words looked up lately, for each corpus. The limit counts choices. */
const wordCaches = new WeakMap<Corpus, Lru<string, WeightedWord>>()

const MOST_KEPT = 100_000

/**
 * Returns what `look` found for this word before, or calls it. `look` must depend only on the word, the corpus and
 * `how`.
 */
export function recallWord(corpus: Corpus, word: QueryWord, how: string, look: () => WeightedWord): WeightedWord {
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
 * The share of a question's weight that telling words have. A document that holds all of these holds the whole
 * question.
 */
export function tellingShare(written: readonly WeightedWord[]): number {
  const weightOfAll = (some: readonly WeightedWord[]) => some.reduce((sum, { weight }) => sum + weight, 0)
  const told = written.filter(({ aside }) => !aside)
  return told.length === 0 ? 1 : weightOfAll(told) / weightOfAll(written)
}

/** Whether any word tells something by itself. Joining words and single letters do not. */
export const anyTells = (words: readonly QueryWord[]): boolean =>
  words.some(({ raw, aside, begins }) => !aside && (begins || raw.length > 1))

/** Whether a word counts when texts are searched. Joining words do not. */
export const countsInText = ({ rarity }: WeightedWord): boolean => rarity > 0

/** Weighs a word. Each term keeps only its best choice, so that no document counts twice for one word. */
export function weigh(corpus: Corpus, asked: QueryWord, choices: readonly Choice[]): WeightedWord {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) {
    const key = `${choice.terms.join(' ')}${choice.voice === ANY_VOICE ? ' *' : ''}`
    if (!best.has(key)) best.set(key, choice)
  }
  return { ...asked, ...weightsOf(corpus, asked, [...best.values()]), choices: [...best.values()] }
}

/**
 * How much it tells that a document holds a word: the rarer it is, the more. Words for sorts of things and towns tell
 * less. A word that no document holds gets the rarity of its nearest spelling, or a middling one.
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

/**
 * The tag of a word's concept. A document with that tag counts as holding the word, even if it is not written there.
 */
const conceptChoices = (corpus: Corpus, { concept }: QueryWord, tally: ColumnTally): Choice[] =>
  concept
    ? [
        { terms: [tagOf(concept)], fit: 1.001 },
        ...visibleTerms(corpus, nearbyTags(concept), tally).map((tag) => ({ terms: [tag], fit: 0.6 })),
      ]
    : []

/**
 * The word as written. It fits less if it is only the beginning of a word. If it stands nowhere, words that sound
 * different fit too, but less: Whels, Bel.
 */
function exactChoices(
  { terms }: Corpus,
  { raw, known, term, begins, concept }: QueryWord,
  tally: ColumnTally,
): Choice[] {
  if (terms.count(term, tally) === 0) return []
  const adds = concept !== undefined
  const heard = { terms: [term], voice: toWord(raw).voice, fit: begins && !known ? 0.75 : 1, adds }
  return known ? [heard] : [heard, { ...heard, voice: ANY_VOICE, fit: MISHEARD }]
}

const MISHEARD = 0.5

/** Completions of an unfinished word: words that begin with its letters, and words that begin with its sound. */
function completionChoices(corpus: Corpus, { term, begins, known }: QueryWord, tally: ColumnTally): Choice[] {
  if (!begins) return []
  const begun = (each: string, least: number) => least + (0.25 * Math.min(term.length, each.length)) / each.length
  const written = corpus.words.beginning(begins.raw, MOST_COMPLETIONS, tally).map(toWord)
  const sounding = corpus.terms.beginning(begins.sound, MOST_COMPLETIONS, tally)
  const voice = known ? onsetOf(begins.raw) : ANY_VOICE
  return [
    ...written.map((each) => ({ terms: [each.term], voice: each.voice, fit: begun(each.term, COMPLETED) })),
    ...sounding.map((each) => ({ terms: [each], voice, fit: begun(each, COMPLETED - 0.25) })),
  ].filter(({ terms: [each = ''] }) => corpus.terms.count(each, tally) > 0)
}

/** The most completions of an unfinished word, and the most words that contain a given one. */
export const MOST_COMPLETIONS = 400

const COMPLETED = 0.7

/** A document that links to a thing of this name fits nearly as well as one that is called so. */
const LINKED_FIT = 0.9

/**
 * Whether some document holds the word, or one that begins with it, as typed or in another spelling of the whole word.
 */
export const isWritten = ({ choices }: WeightedWord): boolean => choices.some(({ fit }) => fit >= COMPLETED)

/**
 * Two neighbouring words that documents write as one: "maya devi" for Mayadevi. The joined word stands for either.
 * `exactly`: only if some document writes it so, letter for letter.
 */
export function joinedChoices(
  corpus: Corpus,
  all: readonly Word[],
  at: number,
  tally: ColumnTally,
  exactly = false,
): Choice[] {
  const pairs = [`${all[at - 1]?.raw ?? ''} ${all[at]?.raw}`, `${all[at]?.raw} ${all[at + 1]?.raw ?? ''}`]
  const found = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
    .filter((each) => !exactly || corpus.words.count(each, tally) > 0)
  const spelt = found.flatMap((each) => [toTerm(each), ...[...otherSpellingsOf(toWord(each).sound)].map(toTerm)])
  // A joined word that folds like one of its parts joins nothing: "pashupatinath t" is no other name.
  const apart = spelt.filter((each) => each !== all[at - 1]?.term && each !== all[at]?.term)
  return visibleTerms(corpus, new Set(apart), tally).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** Keeps the terms that stand in documents the caller may see. Hidden ones must not even crowd others out. */
export const visibleTerms = (corpus: Corpus, found: Iterable<string>, tally: ColumnTally): string[] =>
  [...found].filter((each) => corpus.terms.count(each, tally) > 0)
