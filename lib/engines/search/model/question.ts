import { cut, respellBeginning, swapSyllables } from '../../matching/index.ts'
import type { ColumnTally } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import { linkTerm } from '../index/links.ts'
import { memoize } from '../index/memoize.ts'
import { conceptOf, findMentions, type Mention, tagOf } from '../index/tags.ts'
import { ANY_VOICE } from '../index/voice.ts'
import { splitWords, stemOf, toTerm, toWord, trailingWordSet, type Word } from '../index/words.ts'
import type { Concept } from '../vocabulary.ts'
import type { Corpus } from './corpus.ts'
import { otherEndingsOf, otherSpellingsOf } from './spellings.ts'

/** The most words of a question. More do not make it better. */
const MOST_WORDS = 24

/**
 * A word of a question.
 *
 * `begins`: its letters and sound, if it may be unfinished.
 * `syllabic`: the question is in Devanagari, so a slip may be a whole syllable.
 * `others`: its other spellings. `ended`: it and its other spellings, with other endings.
 * `swapped`: it with two syllables swapped.
 */
export type QueryWord = Word & {
  begins?: Letters
  /** Whether some document holds it letter for letter. */
  known: boolean
  /** As it was typed, if an ending was taken off. */
  whole?: string
  syllabic: boolean
  others: ReadonlySet<string>
  ended: ReadonlySet<string>
  swapped: ReadonlySet<string>
  /** The concept that the word names, alone or as part of a phrase. */
  concept?: Concept
  /** Link terms of the records that the word names, alone or as part of a name. */
  links?: readonly string[]
}

type Letters = Pick<Word, 'raw' | 'sound'>

/** Reads a text into words. The last one counts as unfinished unless something follows it. */
export function parseQuestion(corpus: Corpus, asked: string, tally: ColumnTally): QueryWord[] {
  const text = withoutEndings(corpus, asked, tally)
  const typed = cut(text, 300)
  const seen = new Set<string>()
  const wholes = splitWords(cut(asked, 300))
  const words = splitWords(typed).flatMap((word, i) => {
    if (seen.has(word.raw)) return []
    seen.add(word.raw)
    const whole = wholes[i]?.raw
    return [whole === word.raw || whole === undefined ? word : { ...word, whole }]
  })
  const unfinished = words.length <= MOST_WORDS && /[\p{L}\p{N}\p{M}]$/u.test(text)
  const syllabic = isDevanagari(typed)
  const swaps = syllabic ? swapsIn(typed) : undefined
  return words.slice(0, MOST_WORDS).map((word, i) => {
    const last = unfinished && i === words.length - 1
    const swapped = swaps?.get(word.raw) ?? none
    // A word that no document holds as typed may be any word that folds alike.
    const known = corpus.words.count(word.raw, tally) > 0
    const voice = known ? word.voice : ANY_VOICE
    // "Than" cannot begin a question as a joining word, so there it is the word for a shrine. A joining word that is
    // typed alone may be the beginning of another word.
    const aside = word.aside && !(i === 0 && (last || trailingWordSet().has(word.raw)))
    return {
      ...word,
      aside,
      tells: word.aside && !aside ? 1 : word.tells,
      voice,
      known,
      ...spellingsOf(word.sound),
      syllabic,
      swapped,
      ...(last && { begins: beginningOf(word, typed) }),
    }
  })
}

/** Takes off Nepali endings where documents know the stem better: पाटनको becomes पाटन. */
function withoutEndings(corpus: Corpus, text: string, tally: ColumnTally): string {
  const count = (word: string) => corpus.terms.count(toTerm(plain(word)), tally)
  // A single word may be the beginning of a name: पाटनको कृष्ण मन्दिर.
  if (!/\s/.test(text.trim())) return text
  return text.replace(/[\u0900-\u097f]+/g, (word) => {
    const stem = stemOf(word)
    // A word that names a concept as it stands has no ending: तामा, copper.
    if (stem === word || conceptOf(toTerm(plain(word))) || count(word) * 4 > count(stem)) return word
    // A stem that neither stands in documents nor names a concept is no stem: दगुतले.
    return count(stem) > 0 || conceptOf(toTerm(plain(stem))) ? stem : word
  })
}

/** Whether a being stands right before a sort of thing. In "queen's pond" the queen is not what is asked for. */
const isWhose = ({ concept, to }: Mention, next: Mention | undefined): boolean =>
  concept.isOwner === true && next?.concept.as === 'sort' && next.from === to + 1

/** Short words with b get back their voice: "bell" must not name the concept of wells, even if no document holds it. */
const asHeard = (it: QueryWord): QueryWord =>
  it.term.length <= 4 && it.term.startsWith('b') ? { ...it, voice: toWord(it.raw).voice } : it

/** Finds the concepts that a question names, and marks the words that name them. */
export function findConcepts(
  corpus: Corpus,
  words: readonly QueryWord[],
  tally: ColumnTally,
): { words: QueryWord[]; concepts: Mention[] } {
  const concepts = findMentions(words.map(asHeard)).filter(
    (it, i, all) => corpus.terms.count(tagOf(it.concept), tally) > 0 && !isWhose(it, all[i + 1]),
  )
  if (concepts.length === 1 && concepts[0]?.concept.isName && words.filter((it) => !it.aside).length === 1)
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

/** Other spellings of a term, and other endings. Kept, since many words come in every other question. */
const spellingsOf = memoize((term: string) => {
  const others = otherSpellingsOf(term)
  return { others, ended: new Set(term.length > 3 ? [term, ...others].flatMap(otherEndingsOf) : []) }
}, 2000)

/** For each Devanagari word, in plain letters: what it may be with two syllables swapped. */
function swapsIn(typed: string): Map<string, ReadonlySet<string>> {
  const words = typed.match(/[\u0900-\u097f]+/g) ?? []
  return new Map(words.map((word) => [plain(word), new Set(swapSyllables(word).map(plain))]))
}

const plain = (word: string) => splitWords(word)[0]?.raw ?? ''

const none: ReadonlySet<string> = new Set()

/**
 * The beginning of an unfinished word. A final Devanagari consonant loses its silent a, since another vowel may follow.
 */
function beginningOf({ raw }: Word, typed: string): Letters {
  const letters = /[\u0915-\u0939]\u093c?$/.test(typed) ? raw.replace(/a$/, '') : raw
  return { raw: letters, sound: respellBeginning(letters) }
}

/** The most records that a question is taken to name. */
const MOST_NAMED = 4

/**
 * Finds the records that the question names, and adds their links to the words. So documents that link to such a record
 * hold these words, too. `numbers`: the documents whose names may be meant, the likeliest first.
 */
export function addLinks(
  corpus: Corpus,
  asked: readonly QueryWord[],
  numbers: readonly number[],
  tally: ColumnTally,
): readonly QueryWord[] {
  const links = new Map<QueryWord, string[]>()
  let named = 0
  for (const number of numbers) {
    const run = corpus.names(number).flatMap(({ words }) => runOf(words, asked))
    const link = run.length > 0 ? linkTerm(corpus.document(number).id) : ''
    if (link === '' || corpus.terms.count(link, tally) === 0) continue
    for (const word of new Set(run)) links.set(word, [...(links.get(word) ?? []), link])
    if (++named === MOST_NAMED) break
  }
  return links.size === 0 ? asked : asked.map((it) => ({ ...it, links: links.get(it) ?? [] }))
}

/**
 * The words of a question that are a whole name, one after the other. None if the name says only what sort of thing it
 * is.
 */
function runOf(name: readonly Word[], asked: readonly QueryWord[]): readonly QueryWord[] {
  if (name.length > asked.length || name.every(({ tells }) => tells < 1)) return []
  const from = asked.findIndex((_, i) => name.every(({ term }, j) => asked[i + j]?.term === term))
  return from < 0 ? [] : asked.slice(from, from + name.length)
}
