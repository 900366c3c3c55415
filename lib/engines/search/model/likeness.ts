import { countEdits, countEditsToPrefix, respell } from '../../matching/index.ts'
import { isDevanagari, normaliseTyped, type PlainName } from '../index/header.ts'
import { soundsApart } from '../index/voice.ts'
import { FILLER_WEIGHT, toWord, townTerms, type Word } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { WeightedWord } from './lookup.ts'

/**
 * Makes a function that compares the names of a document with a question, from 0 to 1. The best name counts. The name
 * as typed gives 1, another spelling a little less, another script less again. Words that only one side has cost
 * likeness, common words little.
 */
export function nameLikeness(wanted: readonly WeightedWord[], typed: string) {
  const asked = questionFor(wanted)
  const script = isDevanagari(typed)
  const both = script && /[a-z]/i.test(typed)
  const letters = normaliseTyped(typed)
  return (names: readonly PlainName[]): number => {
    let best = 0
    for (const [i, name] of names.entries()) {
      const share = (i === 0 ? 1 : 0.99) * (both || name.devanagari === script ? 1 : OTHER_SCRIPT)
      if (share <= best) continue
      const here = likeness(asked, name, letters) * share
      if (here > best) best = here
    }
    return best
  }
}

const OTHER_SCRIPT = 0.9

/**
 * A question, prepared for comparing many names. `fits`: how well a word of a name answers each word of the question.
 */
type Question = {
  wanted: readonly WeightedWord[]
  total: number
  plain: string
  joined: Joined
  fits: (word: Word) => readonly number[]
}

type Joined = { raw: string; sounds: string }
const NOT_JOINED: Joined = { raw: '', sounds: '' }

function questionFor(wanted: readonly WeightedWord[]): Question {
  const known = new Map<Word, readonly number[]>()
  const last = wanted.at(-1)
  // A single letter at the end begins another word. It is no part of the word before it.
  const runsOn = wanted.length > 1 && last?.begins !== undefined && last.raw.length === 1
  return {
    wanted,
    total: wanted.reduce((sum, { weight }) => sum + weight, 0),
    plain: wanted.map(({ raw }) => raw).join(' '),
    joined: runsOn ? NOT_JOINED : { raw: joinedUp(wanted, 'raw'), sounds: joinedUp(wanted, 'sound') },
    fits: (word) => {
      const found =
        known.get(word) ?? wanted.map((each) => wordFit(each, word, wanted.length > 1 ? MEANT : MEANT_ALONE))
      known.set(word, found)
      return found
    },
  }
}

function likeness(question: Question, { plain, words, written }: PlainName, letters: string): number {
  // How like the beginning of the name is to the letters as typed. Names that only sound alike score less.
  const spelt = () => closeness(written.slice(0, letters.length), letters)
  if (plain === '') return 0
  if (plain === question.plain) return 0.97 + 0.03 * spelt()
  const fits = words.map(question.fits)
  const used = words.map(() => false)
  let [answered, last, inOrder, whole] = [0, -1, true, true]
  for (let each = 0; each < question.wanted.length; each += 1) {
    let [fit, at] = [0, -1]
    for (let i = 0; i < words.length; i += 1) {
      const here = fits[i]?.[each] ?? 0
      if (here > fit && !(used[i] && here < 0.95)) [fit, at] = [here, i]
    }
    answered += fit * (question.wanted[each]?.weight ?? 0)
    if (fit < 0.3 && tellsMore(question.wanted[each], words)) whole = false
    // This word of the name is used already: it says nothing about the order.
    if (at >= 0 && used[at]) continue
    if (at <= last) inOrder = false
    if (at >= 0) [last, used[at]] = [at, true]
  }
  const generic = !whole && words.every(({ tells }) => tells < 1)
  let [told, met] = [0, 0]
  for (let i = 0; i < words.length; i += 1) {
    const tells = words[i]?.tells ?? 0
    told += tells
    if (used[i]) met += tells
  }
  const begins = plain.startsWith(question.plain) ? 0.11 + 0.03 * spelt() : 0
  const apart = (answered / question.total) * (0.68 + 0.12 * (met / told) + (inOrder ? 0.06 : 0) + begins)
  // A name such as "Temple" is no answer to a question for temples in some town.
  return Math.max(generic ? apart * GENERIC : apart, together(question.joined, words))
}

/** Whether a name without this word is another name. A town among several words only says where the thing is. */
const tellsMore = (it: WeightedWord | undefined, words: readonly Word[]): boolean =>
  it !== undefined && !it.aside && !(words.length > 1 && townTerms().has(it.term))

/** The factor for a name of sorts and towns alone that answers only a part of the question. */
const GENERIC = 0.4

function wordFit(
  { raw, whole, voice, sound, skeleton, term, begins, others, ended, swapped }: WeightedWord,
  word: Word,
  meant: number,
): number {
  if (word.raw === raw || word.raw === whole) return 1
  if (word.sound === sound && soundsApart(voice, word.voice)) return APART
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
  return synonymsOf(term).has(word.term) ? meant : 0
}

/**
 * How well a synonym answers a word: beside other words, and alone. Beside others it counts more than a word that only
 * looks alike.
 */
const [MEANT, MEANT_ALONE] = [0.7, 0.5]
/** How well a word answers one that folds alike but sounds different. */
const APART = 0.6

/**
 * Compares a name and a question written without spaces, and without words that tell nothing: "Mayadevi" with "Maya
 * Devi", "Shri Ram Mandir" with "Ram Mandir".
 */
function together(asked: Joined, words: readonly Word[]): number {
  if (asked.raw.length < 4) return 0
  const length = joinedLength(words)
  if (Math.abs(asked.raw.length - length) > 3) return 0
  const [a, b] = [asked.raw, joinedUp(words, 'raw')]
  const [x, y] = [respell(a), respell(b)]
  if (x === y) return 0.9 + 0.06 * closeness(a, b)
  // A vowel that is silent at the end of a word is not silent within a joined one: Shiva Mandir, Shivmandir.
  if (asked.sounds === joinedUp(words, 'sound')) return 0.84 + 0.06 * closeness(a, b)
  const longer = Math.max(x.length, y.length)
  const most = Math.min(SLIPS, longer / 4)
  const apart = countEdits(x, y, most)
  return apart <= most ? 0.9 * (1 - apart / longer) + 0.03 * closeness(a, b) : 0
}

/** Joined names may differ by so many letters. With more, one of their words is another word. */
const SLIPS = 3

/** Joins words, or their sounds, without those that tell nothing. */
function joinedUp(words: readonly Word[], by: 'raw' | 'sound'): string {
  const told = words.filter(({ tells }) => tells > FILLER_WEIGHT)
  return (told.length > 0 ? told : words).map((word) => word[by]).join('')
}

/** The length of `joinedUp(words, 'raw')`, without joining them: few names are as long as the question. */
function joinedLength(words: readonly Word[]): number {
  let [told, all] = [0, 0]
  for (const { raw, tells } of words) {
    all += raw.length
    if (tells > FILLER_WEIGHT) told += raw.length
  }
  return told > 0 ? told : all
}

/** How alike two texts are, from 0 to 1; 0 if that is less than `least`. */
export function closeness(a: string, b: string, least = 0): number {
  if (a === b) return 1
  const longer = Math.max(a.length, b.length)
  const most = (1 - least) * longer
  const apart = countEdits(a, b, most)
  return apart > most ? 0 : 1 - apart / longer
}
