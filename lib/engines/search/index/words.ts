import { once } from '../../../base/once.ts'
import { cut, plainWords, respell, wordSets as sets } from '../../matching/index.ts'
import { skeletonOf } from './grams.ts'
import { soundsApart, type Voice, voiceOf } from './voice.ts'

/**
 * A word.
 *
 * `raw`: as written, in plain letters. `sound`: one form for all its spellings.
 * `term`: the sound of its stem, under which documents are listed.
 * `tells`: its weight in a name, from 0 to 1. `aside`: it is a filler or stop word, such as "of" and "Shri".
 */
export type Word = {
  readonly raw: string
  readonly sound: string
  readonly term: string
  readonly voice: Voice
  /** Term and voice in one text. */
  readonly key: string
  /** See `skeletonOf`. */
  readonly skeleton: string | undefined
  readonly tells: number
  readonly aside: boolean
}

/** Splits a text into words, for documents and questions alike. */
export function splitWords(text: string): Word[] {
  return plainWords(text).map((raw) => toWord(cut(raw, LONGEST_WORD)))
}

/** The most letters of a word. A long text without spaces must not become one entry of the vocabulary. */
const LONGEST_WORD = 40

const wordCache = new Map<string, Word>()
/** Analyses a raw word. The result is cached, since most words occur again and respelling costs more than a lookup. */
export function toWord(raw: string): Word {
  const cached = wordCache.get(raw)
  if (cached !== undefined) return cached
  if (wordCache.size > 50_000) wordCache.clear()
  const single = singularOf(raw)
  const term = respell(single)
  const voice = voiceOf(single, term)
  const sound = respell(raw)
  const aside =
    stops().has(raw) || fillers().some((filler) => filler.sound === sound && !soundsApart(filler.voice, voice))
  const word = {
    raw,
    sound,
    term,
    voice,
    key: `${term}${String.fromCharCode(voice)}`,
    skeleton: skeletonOf(term),
    aside,
    tells: aside ? FILLER_WEIGHT : sortTerms().has(term) || townTerms().has(term) ? 0.4 : 1,
  }
  wordCache.set(raw, word)
  return word
}

/**
 * Folds a raw word to its term: without the ending of an English plural, then respelt. Other endings remain, since they may
 * be part of a name.
 */
const termFor = (raw: string): string => respell(singularOf(raw))

/**
 * Endings of English plurals, for words of four letters or more. The first pattern that matches is used. They match
 * monasteries, churches and temples, but not Ganas, chaos, Tirthas or Ramnagar.
 */
const plurals: readonly (readonly [RegExp, string])[] = [
  [/(?<=[a-z][^ae])ies$/, 'y'],
  [/(?<=ch|sh|ss|x)es$/, ''],
  [/(?<=[^aious])s$/, ''],
]

function singularOf(raw: string): string {
  const ending = raw.length < 4 ? undefined : plurals.find(([pattern]) => pattern.test(raw))
  return ending ? raw.replace(...ending) : raw
}

/**
 * Takes off Nepali case and plural endings: पाटनको, मन्दिरहरूमा. At least two letters remain, not counting signs of
 * vowels.
 */
export function stemOf(word: string): string {
  const stem = word.replace(nepaliEnding, '')
  return stem === word ? word : stemOf(stem)
}
const nepaliEnding =
  /(?<=^(?:[\u0904-\u0939][\u0900-\u0903\u093a-\u0963]*){2,})(?:हरू|हरु|को|का|की|मा|लाई|बाट|ले|सँग|संग|देखि|सम्म|भित्र)$/

/** The weight of a filler or stop word in a name. */
export const FILLER_WEIGHT = 0.1

export const toTerm = (raw: string): string => toWord(raw).term

const termsFor = (folded: Iterable<string>): ReadonlySet<string> =>
  new Set([...folded].flatMap((it) => [it, termFor(it)]))
/** Stop words as written: by sound "will" would be "wheel". */
const stops = once((): ReadonlySet<string> => new Set(plainWords(sets.stopWords)))
/** Words that cannot begin a question, as written. */
export const trailingWordSet = once((): ReadonlySet<string> => new Set(plainWords(sets.trailingWords)))
/** Filler words by sound and voice. "bhata" folds like "what", but sounds different. */
const fillers = once(() =>
  plainWords(sets.fillerWords).map((raw) => {
    const sound = respell(raw)
    return { sound, voice: voiceOf(raw, sound) }
  }),
)
/** Terms for sorts of things, for towns, and for words that many names share. */
export const sortTerms = once(() => termsFor(sets.sortWords()))
export const townTerms = once(() => termsFor(sets.townWords()))
export const genericTerms = once(() => termsFor(sets.genericWords()))
