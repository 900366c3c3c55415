import { cut } from '../../matching/cut.ts'
import { syllablesSwapped } from '../../matching/devanagari.ts'
import { respellBeginning } from '../../matching/fold.ts'
import { beings, type Concept } from '../concepts.ts'
import type { Sight } from '../index/columns.ts'
import { isDevanagari } from '../index/header.ts'
import { memoize } from '../index/memoize.ts'
import { conceptOf, type Mention, mentionsIn, tagOf } from '../index/tags.ts'
import { ANY } from '../index/voice.ts'
import { followers, stemOf, termOf, type Word, wordOf, wordsOf } from '../index/words.ts'
import type { Corpus } from './corpus.ts'
import { otherEndingsOf, otherSpellingsOf } from './spellings.ts'

/** More words make no better question. */
const MOST_WORDS = 24

/**
 * A word of a question. `begins`: what words begin with that it may be the beginning of; `syllabic`: a slip in it is one of
 * a syllable; `others` and `ended`: its other spellings, and it and these with other endings; `swapped`: it with two syllables
 * the other way round.
 */
export type Asked = Word & {
  begins?: Letters
  /** It is there letter for letter. */
  known: boolean
  /** It as it was typed, with an ending that was taken off. */
  whole?: string
  syllabic: boolean
  others: ReadonlySet<string>
  ended: ReadonlySet<string>
  swapped: ReadonlySet<string>
  /** What the word, or the phrase that it is part of, is understood as. */
  concept?: Concept
  /** The links of records that the word, or the name that it is part of, names. */
  links?: readonly string[]
}

type Letters = Pick<Word, 'raw' | 'sound'>

/** The words of a question. The last one counts as unfinished unless something follows it. */
export function questionOf(corpus: Corpus, asked: string, sight: Sight): Asked[] {
  const text = withoutEndings(corpus, asked, sight)
  const typed = cut(text, 300)
  const seen = new Set<string>()
  const wholes = wordsOf(cut(asked, 300))
  const words = wordsOf(typed).flatMap((word, i) => {
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
    // What stands nowhere as it was typed may be any word that is folded so.
    const known = corpus.words.count(word.raw, sight) > 0
    const voice = known ? word.voice : ANY
    // What cannot begin a question and does is another word, and so is a word by itself.
    const aside = word.aside && !(i === 0 && (last || followers().has(word.raw)))
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

/** A question without the endings of Nepali, where the word that is left is better known: पाटनको, पाटन. */
function withoutEndings(corpus: Corpus, text: string, sight: Sight): string {
  const count = (word: string) => corpus.terms.count(termOf(plain(word)), sight)
  // A word by itself may be how a name begins: पाटनको कृष्ण मन्दिर.
  if (!/\s/.test(text.trim())) return text
  return text.replace(/[\u0900-\u097f]+/g, (word) => {
    const stem = stemOf(word)
    // What names something as it stands has no ending: तामा, copper.
    if (stem === word || conceptOf(termOf(plain(word))) || count(word) * 4 > count(stem)) return word
    // What neither stands somewhere nor names anything is no stem: दगुतले.
    return count(stem) > 0 || conceptOf(termOf(plain(stem))) ? stem : word
  })
}

/** Whether a sort of being stands right before a sort of thing: it says whose, as in a queen's pond, and is not what is asked for. */
const isWhose = ({ concept, to }: Mention, next: Mention | undefined): boolean =>
  beings.has(concept.label) && next?.concept.as === 'sort' && next.from === to + 1

/** A word that stands nowhere may be any that is folded so. But a short one with b names nothing with w: a bell is no well. */
const asHeard = (it: Asked): Asked =>
  it.term.length <= 4 && it.term.startsWith('b') ? { ...it, voice: wordOf(it.raw).voice } : it

/** What a question is understood as, told by its words. */
export function understood(
  corpus: Corpus,
  words: readonly Asked[],
  sight: Sight,
): { words: Asked[]; concepts: Mention[] } {
  const concepts = mentionsIn(words.map(asHeard)).filter(
    (it, i, all) => corpus.terms.count(tagOf(it.concept), sight) > 0 && !isWhose(it, all[i + 1]),
  )
  // A deity's name alone is a name.
  if (concepts.length === 1 && concepts[0]?.concept.as === 'deity' && words.filter((it) => !it.aside).length === 1)
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

/** Other spellings, and other endings, of a term: many words come in every other question. */
const spellingsOf = memoize((term: string) => {
  const others = otherSpellingsOf(term)
  return { others, ended: new Set(term.length > 3 ? [term, ...others].flatMap(otherEndingsOf) : []) }
}, 2000)

/** The Devanagari words of a text, in plain letters, each with what it may be with its syllables swapped. */
function swapsIn(typed: string): Map<string, ReadonlySet<string>> {
  const words = typed.match(/[\u0900-\u097f]+/g) ?? []
  return new Map(words.map((word) => [plain(word), new Set(syllablesSwapped(word).map(plain))]))
}

const plain = (word: string) => wordsOf(word)[0]?.raw ?? ''

const none: ReadonlySet<string> = new Set()

/** The vowel that a consonant of Devanagari carries may turn out to be another one. */
function beginningOf({ raw }: Word, typed: string): Letters {
  const letters = /[\u0915-\u0939]\u093c?$/.test(typed) ? raw.replace(/a$/, '') : raw
  return { raw: letters, sound: respellBeginning(letters) }
}
