import { cut, respellBeginning, swapSyllables } from '../../matching/index.ts'
import { type ColumnTally, tallyFor } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import { linkTerm } from '../index/links.ts'
import { memoize } from '../index/memoize.ts'
import { conceptOf, type FindNamed, findMentions, type Mention, nearbyTags, tagOf } from '../index/tags.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { splitWords, stemOf, toTerm, toWord, trailingWordSet, type Word } from '../index/words.ts'
import type { SearchQuery } from '../query.ts'
import { hasRole } from '../reading/grammar.ts'
import { areWordsTakenBack } from '../reading/parts.ts'
import type { Concept } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { namedFinder } from './named.ts'
import { otherEndingsOf, otherSpellingsOf } from './spellings.ts'

/** The most words of a question. Further words are ignored. */
const MOST_WORDS = 24

/** How a word of a question is looked up. Documents with its other spellings count for less. */
export type QueryWord = Word & {
  /** The letters and the sound of the word, if it may be unfinished. */
  begins?: Letters
  /** Whether a document contains the word letter for letter. */
  known: boolean
  /** The word as typed, if it lost an ending. */
  whole?: string
  /** Whether the question is in Devanagari. Then a slip may be a whole syllable. */
  syllabic: boolean
  /** Other spellings of the word. */
  others: ReadonlySet<string>
  /** The word and its other spellings, with other endings. */
  ended: ReadonlySet<string>
  /** The word with two syllables swapped. */
  swapped: ReadonlySet<string>
  /** The concept that the word names, alone or as part of a phrase. */
  concept?: Concept
  /** Link terms of the records that the word names, alone or as part of a name. */
  links?: readonly string[]
}

type Letters = Pick<Word, 'raw' | 'sound'>

/**
 * Reads a text into words, each once, 24 at most. The last word typed counts as unfinished if the text ends with a letter, digit or vowel
 * sign. Exceptions: a month after "in", and texts of more than 24 words.
 */
export function parseQuestion(corpus: Corpus, question: string, tally: ColumnTally): QueryWord[] {
  const text = withoutEndings(corpus, question, tally)
  const typed = cut(text, 300)
  const seen = new Set<string>()
  const wholes = splitWords(cut(question, 300))
  const words = splitWords(typed).flatMap((word, i) => {
    if (seen.has(word.raw)) return []
    seen.add(word.raw)
    const whole = wholes[i]?.raw
    return [whole === word.raw || whole === undefined ? word : { ...word, whole }]
  })
  const lastTyped = splitWords(typed).at(-1)?.raw
  const unfinished = words.length <= MOST_WORDS && /[\p{L}\p{N}\p{M}]$/u.test(text)
  const syllabic = isDevanagari(typed)
  const swaps = syllabic ? swapsIn(typed) : undefined
  return words.slice(0, MOST_WORDS).map((word, i) => {
    const last = unfinished && word.raw === lastTyped
    const swapped = swaps?.get(word.raw) ?? NO_WORDS
    // A word that no document contains as typed may be any word that folds alike.
    const known = corpus.words.count(word.raw, tally) > 0
    const voice = known ? word.voice : ANY_VOICE
    // "Than" at the beginning of a question is not a joining word but the word for a shrine. A joining word that is typed alone may be
    // the beginning of another word.
    const aside = word.aside && !(i === 0 && (last || trailingWordSet().has(word.raw))) && !isMonthAt(words, i)
    return {
      ...word,
      aside,
      tells: word.aside && !aside ? 1 : word.tells,
      voice,
      known,
      ...spellingsOf(word.sound),
      syllabic,
      swapped,
      ...(last && !isMonthAt(words, i) && { begins: beginningOf(word, typed) }),
    }
  })
}

/**
 * Removes Nepali endings if at least four times as many documents contain the stem as the word: पाटनको becomes पाटन. In other scripts a
 * word that no document contains becomes its longest beginning that some document contains. A text of one word stays.
 */
function withoutEndings(corpus: Corpus, text: string, tally: ColumnTally): string {
  const count = (word: string) => corpus.terms.count(toTerm(plain(word)), tally)
  // A single word may be the beginning of a name: पाटनको कृष्ण मन्दिर.
  if (!/\s/.test(text.trim())) return text
  const known = (word: string) => corpus.words.count(plain(word), tally) > 0
  return text
    .replace(otherScripts, (word) => (known(word) ? word : (beginningsOf(word).find(known) ?? word)))
    .replace(/[\u0900-\u097f]+/g, (word) => {
      const stem = stemOf(word)
      // A word that names a concept as written has no ending: तामा, copper.
      if (stem === word || conceptOf(toTerm(plain(word))) || count(word) * 4 > count(stem)) return word
      // A stem that no document contains and that names no concept is not a stem: दगुतले.
      return count(stem) > 0 || conceptOf(toTerm(plain(stem))) ? stem : word
    })
}

/** Words of scripts whose endings no list knows. */
const otherScripts = /(?:(?![\p{Script=Latin}\p{Script=Devanagari}\p{Script=Inherited}])[\p{L}\p{M}])+/gu

/** The beginnings of a word that may be the word without its ending, the longest first: at least three letters, and half of it. */
function beginningsOf(word: string): string[] {
  const letters = [...word]
  const least = Math.max(SHORTEST_STEM, Math.ceil(letters.length / 2))
  return Array.from({ length: Math.max(0, letters.length - least) }, (_, i) =>
    letters.slice(0, letters.length - 1 - i).join(''),
  )
}
const SHORTEST_STEM = 3

/** Whether an owner comes right before a sort of record. A search for "queen's pond" is for a pond, not for the queen. */
const isOwnerOfNext = ({ concept, to }: Mention, next: Mention | undefined): boolean =>
  concept.isOwner === true && next?.concept.as === 'sort' && next.from === to + 1

/** Gives a short word that begins with b its voice again: "bell" must not name the concept of wells, even if no document contains "bell". */
const withOwnVoice = (word: QueryWord): QueryWord =>
  word.term.length <= 4 && word.term.startsWith('b') ? { ...word, voice: toWord(word.raw).voice } : word

/** Whether the word at `at` is a month here, although it is a stop word elsewhere: "may" in "festivals in may". */
const isMonthAt = (words: readonly Word[], at: number): boolean =>
  conceptOf(words[at]?.term ?? '')?.as === 'month' && hasRole(words[at - 1]?.raw ?? '', 'in')

/** Whether any document belongs to a concept, or to one that overlaps with it. */
export const hasDocuments = (corpus: Corpus, concept: Concept, tally: ColumnTally): boolean =>
  concept.documents !== undefined ||
  [tagOf(concept), ...nearbyTags(concept)].some((tag) => corpus.terms.count(tag, tally) > 0)

/** Who asks, what is taken back, and the function that finds names for this question. */
type Asking = Pick<SearchQuery, 'scope' | 'without'> & { findNamed?: FindNamed | undefined }

/**
 * Finds the concepts that a question names, and marks the words that name them. With `evenNames`, a single word may be a concept that is a
 * name, too.
 */
export function findConcepts(
  corpus: Corpus,
  words: readonly QueryWord[],
  { scope, without, findNamed = namedFinder(corpus, scope) }: Asking,
  evenNames = false,
): { words: QueryWord[]; concepts: Mention[] } {
  const tally = tallyFor(scope)
  const isTakenBack = ({ from, to }: Mention) => {
    const run = words.slice(from, to + 1)
    return [run.map(({ raw }) => raw), run.map(({ raw, whole = raw }) => whole)].some((said) =>
      areWordsTakenBack(without, said),
    )
  }
  const concepts = findMentions(words.map(withOwnVoice), findNamed).filter(
    (it, i, all) => hasDocuments(corpus, it.concept, tally) && !isOwnerOfNext(it, all[i + 1]) && !isTakenBack(it),
  )
  if (
    !evenNames &&
    concepts.length === 1 &&
    concepts[0]?.concept.isName &&
    words.filter((it) => !it.aside).length === 1
  )
    return { words: [...words], concepts: [] }
  const conceptAt = (at: number) => concepts.find(({ from, to }) => from <= at && at <= to)?.concept
  return {
    concepts,
    words: words.map((it, i) => {
      const concept = it.aside ? undefined : conceptAt(i)
      return concept ? { ...it, concept } : it
    }),
  }
}

/** Other spellings of a term, and other endings. Cached, since many questions share their words. */
const spellingsOf = memoize((term: string) => {
  const others = otherSpellingsOf(term)
  return { others, ended: new Set(term.length > 3 ? [term, ...others].flatMap((it) => otherEndingsOf(it)) : []) }
}, 2000)

/** Maps each Devanagari word to its forms with two syllables swapped. All in plain letters. */
function swapsIn(typed: string): Map<string, ReadonlySet<string>> {
  const words = typed.match(/[\u0900-\u097f]+/g) ?? []
  return new Map(words.map((word) => [plain(word), swapsOf(word)]))
}

/** The forms of a word with two syllables swapped. Cached, since a question is read more than once. */
const swapsOf = memoize((word: string): ReadonlySet<string> => new Set(swapSyllables(word).map(plain)), 2000)

const plain = (word: string) => splitWords(word)[0]?.raw ?? ''

const NO_WORDS: ReadonlySet<string> = new Set()

/**
 * The beginning of an unfinished word. A final Devanagari consonant loses its silent a, since another vowel may follow.
 */
function beginningOf({ raw }: Word, typed: string): Letters {
  const letters = /[\u0915-\u0939]\u093c?$/.test(typed) ? raw.replace(/a$/, '') : raw
  return { raw: letters, sound: respellBeginning(letters) }
}

/** The most records that a question may name. */
const MOST_NAMED = 4

/**
 * Finds the records that the question names, and adds their links to the words. So documents that link to such a record match these words,
 * too. `numbers` are the documents that the question may name, the likeliest first.
 */
export function addLinks(
  corpus: Corpus,
  queryWords: readonly QueryWord[],
  numbers: readonly number[],
  tally: ColumnTally,
): readonly QueryWord[] {
  const links = new Map<QueryWord, string[]>()
  let named = 0
  for (const number of numbers) {
    const run = corpus.names(number).flatMap(({ words }) => runOf(words, queryWords))
    const link = run.length > 0 ? linkTerm(corpus.document(number).id) : ''
    if (link === '' || corpus.terms.count(link, tally) === 0) continue
    for (const word of new Set(run)) links.set(word, [...(links.get(word) ?? []), link])
    if (++named === MOST_NAMED) break
  }
  return links.size === 0 ? queryWords : queryWords.map((it) => ({ ...it, links: links.get(it) ?? [] }))
}

/**
 * The consecutive words of a question that are a whole name. Empty if the question does not contain the name, or the name consists of
 * generic words.
 */
function runOf(name: readonly Word[], queryWords: readonly QueryWord[]): readonly QueryWord[] {
  if (name.length > queryWords.length || name.every(({ tells }) => tells < 1)) return []
  const from = queryWords.findIndex((_, i) => name.every(({ term }, j) => queryWords[i + j]?.term === term))
  return from < 0 ? [] : queryWords.slice(from, from + name.length)
}
