import { cut } from '../../matching/cut.ts'
import * as sets from '../../matching/fold.ts'
import { plainWords, respell } from '../../matching/fold.ts'
import { once } from '../../once.ts'
import { skeletonOf } from './grams.ts'
import { isApart, type Voice, voiceOf } from './voice.ts'

/**
 * A word as written, in plain letters; the sound that stands for all of its spellings; the term under which it is listed,
 * which is the sound of its stem; and how much it tells of what a thing is called.
 */
export type Word = {
  readonly raw: string
  readonly sound: string
  readonly term: string
  readonly voice: Voice
  /** The term and the voice as one text. */
  readonly key: string
  /** Its consonants, where they tell something. */
  readonly skeleton: string | undefined
  readonly tells: number
  readonly aside: boolean
}

/** The words of a text, in order. The same for what is indexed and for what is asked. */
export function wordsOf(text: string): Word[] {
  return plainWords(text).map((raw) => wordOf(cut(raw, LONGEST)))
}

/** Longer words are no names; a text without spaces must not become one entry of a vocabulary. */
const LONGEST = 40

const words = new Map<string, Word>()
/** A raw word, the same object each time as long as it is remembered. Respelling costs more than looking up, and most words come again. */
export function wordOf(raw: string): Word {
  const known = words.get(raw)
  if (known !== undefined) return known
  if (words.size > 50_000) words.clear()
  const single = singularOf(raw)
  const term = respell(single)
  const voice = voiceOf(single, term)
  const sound = respell(raw)
  const aside = stops().has(raw) || asides().some((it) => it.sound === sound && !isApart(it.voice, voice))
  const word = {
    raw,
    sound,
    term,
    voice,
    key: `${term}${String.fromCharCode(voice)}`,
    skeleton: skeletonOf(term),
    aside,
    tells: aside ? ASIDE : sorts().has(term) || towns().has(term) ? 0.4 : 1,
  }
  words.set(raw, word)
  return word
}

/** English plurals go first, then what spellings leave open. Names bear no more: what else ends a word may be its own. */
const termFor = (raw: string): string => respell(singularOf(raw))

/** The first that fits a word of four letters or more: monasteries, churches, temples; not Ganas, chaos, Tirthas or Ramnagar. */
const plurals: readonly (readonly [RegExp, string])[] = [
  [/(?<=[a-z][^ae])ies$/, 'y'],
  [/(?<=ch|sh|ss|x)es$/, ''],
  [/(?<=[^aious])s$/, ''],
]

function singularOf(raw: string): string {
  const ending = raw.length < 4 ? undefined : plurals.find(([pattern]) => pattern.test(raw))
  return ending ? raw.replace(...ending) : raw
}

/** A word of Nepali without the endings that say whose, where, to whom or how many: पाटनको, मन्दिरहरूमा. Never less than two letters, signs of vowels aside. */
export function stemOf(word: string): string {
  const stem = word.replace(nepaliEnding, '')
  return stem === word ? word : stemOf(stem)
}
const nepaliEnding =
  /(?<=^(?:[\u0904-\u0939][\u0900-\u0903\u093a-\u0963]*){2,})(?:हरू|हरु|को|का|की|मा|लाई|बाट|ले|सँग|संग|देखि|सम्म|भित्र)$/

/** What a word tells that joins, asks or honours. */
export const ASIDE = 0.1

export const termOf = (raw: string): string => wordOf(raw).term

const termsFor = (folded: Iterable<string>): ReadonlySet<string> =>
  new Set([...folded].flatMap((it) => [it, termFor(it)]))
/** As they are written: "while" sounds like "wheel". */
const stops = once((): ReadonlySet<string> => new Set(plainWords(sets.stopWords)))
/** Those that cannot begin a question, as they are written. */
export const followers = once((): ReadonlySet<string> => new Set(plainWords(sets.followers)))
/** As they sound, but for what sounds apart: "bhata" is folded as "what" is. */
const asides = once(() =>
  plainWords(sets.asides).map((raw) => {
    const sound = respell(raw)
    return { sound, voice: voiceOf(raw, sound) }
  }),
)
/** The terms of words that say what sort of thing it is, that name a town, or that many names share. */
export const sorts = once(() => termsFor(sets.sortWords()))
export const towns = once(() => termsFor(sets.townWords()))
export const generics = once(() => termsFor(sets.genericWords()))
