import { countEdits, countEditsToPrefix, respell } from '../../matching/index.ts'
import { isDevanagari, normaliseTyped, type PlainName } from '../index/header.ts'
import { soundsApart } from '../index/voice.ts'
import { FILLER_WEIGHT, toWord, townTerms, type Word } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { WeightedWord } from './lookup.ts'
import type { QueryWord } from './question.ts'

/**
 * Makes a function that compares the names of a document with a question. It returns the likeness of the best name, from 0 to 1. 1 is the
 * name as typed. Another spelling scores a little less, another script less again. Each word that only the name or only the question has
 * lowers the likeness, a filler or common word only a little.
 */
export function nameLikeness(queryWords: readonly WeightedWord[], typed: string, fits = wordFits(queryWords)) {
  const question = questionFor(queryWords, fits)
  const script = isDevanagari(typed)
  const both = script && /[a-z]/i.test(typed)
  const letters = normaliseTyped(typed)
  return (names: readonly PlainName[]): number => {
    let best = 0
    for (const [i, name] of names.entries()) {
      const share = (i === 0 ? 1 : 0.99) * (both || name.devanagari === script ? 1 : OTHER_SCRIPT)
      if (share <= best) continue
      const here = likeness(question, name, letters) * share
      if (here > best) best = here
    }
    return best
  }
}

/** The factor for a name in another script than the question. */
const OTHER_SCRIPT = 0.9

/** How well a word of a name fits each word of a question, from 0 to 1. */
export type WordFits = (word: Word) => readonly number[]

/**
 * Makes the function that returns the fits of a word. They depend on the spelling of the words alone, not on their weights. So all passes over
 * the words of one question share one function, which compares each word of the names once.
 */
export function wordFits(queryWords: readonly QueryWord[]): WordFits {
  const cache = new Map<Word, readonly number[]>()
  const synonymFit = queryWords.length > 1 ? SYNONYM_FIT : SYNONYM_FIT_ALONE
  return (word) => {
    const known = cache.get(word)
    if (known) return known
    const fits = queryWords.map((queryWord) => wordFit(queryWord, word, synonymFit))
    cache.set(word, fits)
    return fits
  }
}

/** A question, prepared for the comparison with many names. */
type Question = {
  queryWords: readonly WeightedWord[]
  total: number
  plain: string
  joined: Joined
  fits: WordFits
}

type Joined = { raw: string; respelt: string; sounds: string }
const NOT_JOINED: Joined = { raw: '', respelt: '', sounds: '' }

function questionFor(queryWords: readonly WeightedWord[], fits: WordFits): Question {
  const last = queryWords.at(-1)
  // A single letter at the end begins another word. It is not part of the word before it.
  const runsOn = queryWords.length > 1 && last?.begins !== undefined && last.raw.length === 1
  return {
    queryWords,
    total: queryWords.reduce((sum, { weight }) => sum + weight, 0),
    plain: queryWords.map(({ raw }) => raw).join(' '),
    joined: runsOn ? NOT_JOINED : joinedOf(queryWords),
    fits,
  }
}

function joinedOf(queryWords: readonly WeightedWord[]): Joined {
  const raw = joinWords(queryWords, 'raw')
  return { raw, respelt: respell(raw), sounds: joinWords(queryWords, 'sound') }
}

function likeness(question: Question, { plain, words, written }: PlainName, letters: string): number {
  // The likeness of the beginning of the name and the letters as typed. A name that only sounds alike scores less.
  const spellingLikeness = () => closeness(written.slice(0, letters.length), letters)
  if (plain === '') return 0
  if (plain === question.plain) return 0.97 + 0.03 * spellingLikeness()
  const fits = words.map(question.fits)
  const used = words.map(() => false)
  let [covered, last, inOrder, whole] = [0, -1, true, true]
  for (let q = 0; q < question.queryWords.length; q += 1) {
    let [fit, place] = [0, -1]
    for (let i = 0; i < words.length; i += 1) {
      const here = fits[i]?.[q] ?? 0
      if (here > fit && !(used[i] && here < 0.95)) [fit, place] = [here, i]
    }
    covered += fit * (question.queryWords[q]?.weight ?? 0)
    if (fit < 0.3 && isDistinctive(question.queryWords[q], words)) whole = false
    // A word of the name that is used twice does not change the order.
    if (place >= 0 && used[place]) continue
    if (place <= last) inOrder = false
    if (place >= 0) [last, used[place]] = [place, true]
  }
  const generic = !whole && words.every(({ tells }) => tells < 1)
  let [nameWeight, usedWeight] = [0, 0]
  for (let i = 0; i < words.length; i += 1) {
    const tells = words[i]?.tells ?? 0
    nameWeight += tells
    if (used[i]) usedWeight += tells
  }
  const begins = plain.startsWith(question.plain) ? 0.11 + 0.03 * spellingLikeness() : 0
  const byWords = (covered / question.total) * (0.68 + 0.12 * (usedWeight / nameWeight) + (inOrder ? 0.06 : 0) + begins)
  // The name "Temple" must not match a question for temples in a town.
  return Math.max(generic ? byWords * GENERIC : byWords, joinedLikeness(question.joined, words))
}

/** Whether a name without this word is another name. A town among several words is only the place of the record. */
const isDistinctive = (word: WeightedWord | undefined, words: readonly Word[]): boolean =>
  word !== undefined && !word.aside && !(words.length > 1 && townTerms().has(word.term))

/** The factor for a name of generic words and towns alone that lacks a distinctive word of the question. */
const GENERIC = 0.4

/** How well a word of a name fits a word of the question, from 0 to 1. */
function wordFit(
  { raw, whole, voice, sound, skeleton, term, begins, others, ended, swapped }: QueryWord,
  word: Word,
  synonymFit: number,
): number {
  if (word.raw === raw || word.raw === whole) return 1
  if (word.sound === sound && soundsApart(voice, word.voice)) return OTHER_VOICE_FIT
  if (word.sound === sound)
    return begins ? 0.8 + 0.17 * closeness(raw, word.raw) : 0.9 + 0.07 * closeness(raw, word.raw)
  if (others.has(word.sound)) return 0.86 + 0.07 * closeness(raw, word.raw)
  const met = (0.15 * Math.min(sound.length, word.sound.length)) / word.sound.length
  if (begins && word.raw.startsWith(begins.raw)) return 0.8 + met
  if (begins && word.sound.startsWith(begins.sound)) return 0.55 + met
  if (word.term === term && !soundsApart(toWord(raw).voice, word.voice)) return 0.85
  const near = sound.length > 2 && Math.abs(sound.length - word.sound.length) <= 3
  const sounding = near ? closeness(sound, word.sound, 0.4) : 0
  const written = sounding > 0.4 ? closeness(raw, word.raw, sounding < 0.6 ? 0.6 : 0) : 0
  const alike = Math.max(written, sounding)
  if (alike >= 0.6) return 0.9 * alike + 0.05 * written
  if (swapped.has(word.raw)) return 0.8
  if (ended.has(word.sound)) return 0.75
  if (begins && begins.raw.length > 4 && word.raw.length > begins.raw.length) {
    const most = Math.floor(begins.raw.length / 4)
    const begun = 1 - countEditsToPrefix(begins.raw, word.raw, 2, most) / begins.raw.length
    if (begun >= 0.75) return 0.75 * begun
  }
  if (skeleton !== undefined && skeleton === word.skeleton) return 0.6
  if (raw.length > 3 && word.raw.includes(raw) && !townTerms().has(term))
    return 0.5 + (0.3 * raw.length) / word.raw.length
  if (raw.length > 3 && word.raw.length > 3 && raw.startsWith(word.raw)) return 0.5
  return synonymsOf(term).has(word.term) ? synonymFit : 0
}

/** The fit of a synonym in a question of several words. It is higher than that of a word with the same skeleton. */
const SYNONYM_FIT = 0.7
/** The fit of a synonym of the only word of a question. */
const SYNONYM_FIT_ALONE = 0.5
/** The fit of a word that folds alike but sounds different. */
const OTHER_VOICE_FIT = 0.6

/**
 * Compares a name and a question without their spaces and filler words: "Mayadevi" with "Maya Devi", "Shri Ram Mandir" with "Ram Mandir".
 * Returns 0 if they differ too much.
 */
function joinedLikeness(joined: Joined, words: readonly Word[]): number {
  if (joined.raw.length < 4) return 0
  const length = joinedLength(words)
  if (Math.abs(joined.raw.length - length) > 3) return 0
  const [a, b] = [joined.raw, joinWords(words, 'raw')]
  const [x, y] = [joined.respelt, respell(b)]
  if (x === y) return 0.9 + 0.06 * closeness(a, b)
  // Within a joined word, the silent vowel at the end of its first part may be missing: Shiva Mandir, Shivmandir.
  if (joined.sounds === joinWords(words, 'sound')) return 0.84 + 0.06 * closeness(a, b)
  const longer = Math.max(x.length, y.length)
  const most = Math.min(MOST_EDITS, longer / 4)
  const edits = countEdits(x, y, most)
  return edits <= most ? 0.9 * (1 - edits / longer) + 0.03 * closeness(a, b) : 0
}

/** The most edits between joined names. With more edits, one of their words is another word. */
const MOST_EDITS = 3

/** Joins the words of a name, or their sounds, without filler words. If all are filler words, joins all. */
function joinWords(words: readonly Word[], member: 'raw' | 'sound'): string {
  const telling = words.filter(({ tells }) => tells > FILLER_WEIGHT)
  return (telling.length > 0 ? telling : words).map((word) => word[member]).join('')
}

/** The length of `joinWords(words, 'raw')`. It is computed first, since few names are as long as the question. */
function joinedLength(words: readonly Word[]): number {
  let [telling, all] = [0, 0]
  for (const { raw, tells } of words) {
    all += raw.length
    if (tells > FILLER_WEIGHT) telling += raw.length
  }
  return telling > 0 ? telling : all
}

/** The likeness of two texts, from 0 to 1: 1 minus edits per letter of the longer text. Returns 0 if it is below `least`. */
export function closeness(a: string, b: string, least = 0): number {
  if (a === b) return 1
  const longer = Math.max(a.length, b.length)
  const most = (1 - least) * longer
  const edits = countEdits(a, b, most)
  return edits > most ? 0 : 1 - edits / longer
}
