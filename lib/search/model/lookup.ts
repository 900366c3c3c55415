import { type Lru, lru } from '../../lru.ts'
import { cut } from '../../matching/cut.ts'
import { syllablesSwapped } from '../../matching/devanagari.ts'
import { edits, editsOfBeginning } from '../../matching/edits.ts'
import { respellBeginning } from '../../matching/fold.ts'
import { beings, type Concept } from '../concepts.ts'
import type { Sight } from '../index/columns.ts'
import { gramsOf, tellingPiecesOf } from '../index/grams.ts'
import { isDevanagari } from '../index/header.ts'
import { memoize } from '../index/memoize.ts'
import { conceptOf, conceptTerms, type Mention, mentionsIn, nearTo, tagOf } from '../index/tags.ts'
import { ANY, onsetOf, type Voice } from '../index/voice.ts'
import { followers, generics, sorts, stemOf, termOf, towns, type Word, wordOf, wordsOf } from '../index/words.ts'
import { synonymsOf } from '../synonyms.ts'
import type { Corpus, Words } from './corpus.ts'
import { otherEndingsOf, otherSpellingsOf } from './spellings.ts'

/**
 * A way in which a word that was asked for may stand in a document: one term, or several that must all be there, in words of a
 * voice. `adds`: it says something beside what another choice says.
 */
export type Choice = { terms: readonly string[]; fit: number; adds?: boolean; voice?: Voice }
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
/** A word that was asked for, how much it tells of a name and how rare it is, and its choices, the best first. */
export type Wanted = Asked & {
  weight: number
  rarity: number
  choices: readonly Choice[]
}

/** More words make no better question. */
const MOST_WORDS = 24
/** So many completions of an unfinished word are looked at, and so many near spellings of a word. */
const MOST_COMPLETIONS = 400
const MOST_NEAR = 24

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
    const aside = word.aside && !(i === 0 && (last || followers.has(word.raw)))
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

/** What stands in documents for the words as they were written; the unfinished last one also for what begins with it. */
export function asWritten(corpus: Corpus, words: readonly Asked[], sight: Sight): Wanted[] {
  return words.map((word, i) => {
    const written = kept(corpus, word, `written ${sight}`, () =>
      wanted(corpus, word, [
        ...tagged(corpus, word, sight),
        ...seen(corpus, word.links ?? [], sight).map((link) => ({ terms: [link], fit: LINKED, adds: true })),
        ...exact(corpus, word, sight),
        ...completions(corpus, word, sight),
      ]),
    )
    // A question of two words that documents have as one asks for that one as well: Devi than, Devithan.
    const beside = words.length === 2 ? joined(corpus, words, i, sight, true) : []
    return beside.length === 0 ? written : wanted(corpus, word, [...written.choices, ...beside])
  })
}

/** What was found for words lately, for each corpus: questions differ, but most of their words come again. So many choices at most. */
const found = new WeakMap<Corpus, Lru<string, Wanted>>()
const MOST_KEPT = 100_000

/** Answers what `look` finds for a word, which must depend on nothing but the word, the corpus and `how`. */
function kept(corpus: Corpus, word: Asked, how: string, look: () => Wanted): Wanted {
  const known = found.get(corpus) ?? lru<string, Wanted>(MOST_KEPT, ({ choices }) => 1 + choices.length)
  found.set(corpus, known)
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

/** The share of a question's weight that is in words which tell something: who holds these holds all that was asked. */
export function telling(written: readonly Wanted[]): number {
  const weightOfAll = (some: readonly Wanted[]) => some.reduce((sum, { weight }) => sum + weight, 0)
  const told = written.filter(({ aside }) => !aside)
  return told.length === 0 ? 1 : weightOfAll(told) / weightOfAll(written)
}

/** Whether any word tells something by itself: joining words and single signs do not. */
export const anyTells = (words: readonly Asked[]): boolean =>
  words.some(({ raw, aside, begins }) => !aside && (begins || raw.length > 1))

/** Whether a word, or one that begins with it, stands in documents letter for letter or in another spelling of all of it. */
export const isWritten = ({ choices }: Wanted): boolean => choices.some(({ fit }) => fit >= COMPLETED)

/** The share of a question that documents know, by what its words tell: those that are written somewhere, and by half those that only something near is. */
export function knownOf(wanted: readonly Wanted[]): number {
  const known = (it: Wanted) =>
    isWritten(it) ? 1 : it.choices.length > 0 ? (it.raw.length > 4 || wanted.length < 3 ? 0.5 : 0.25) : 0
  const [told, all] = wanted.reduce(([a, b], it) => [a + it.tells * known(it), b + it.tells], [0, 0])
  return told / all
}

/** The same, and what is spelt nearly so, holds it, means the same, or is written together or apart. */
export function orNearly(corpus: Corpus, written: readonly Wanted[], sight: Sight, literal = false): Wanted[] {
  const long = written.filter(tellsOfText).length > SHORT
  return written.map((it, i) => {
    if (it.aside || (long && isWritten(it))) return it
    const nearly = kept(corpus, it, `nearly ${sight} ${literal}`, () => {
      const alike = near(corpus, it, sight)
      return wanted(corpus, it, [
        ...it.choices,
        ...otherwise(corpus, it, sight),
        ...split(corpus, it, sight),
        ...(literal ? alike : meant(corpus, [...alike, ...nearConcepts(it)], sight)),
        ...holding(corpus, it, sight),
        ...meaning(corpus, it, sight),
      ])
    })
    const beside = joined(corpus, written, i, sight)
    return beside.length === 0 ? nearly : wanted(corpus, it, [...nearly.choices, ...beside])
  })
}

/** Whether a word counts among those that a text is looked for by. */
export const tellsOfText = ({ rarity }: Wanted): boolean => rarity > 0
/** A question of more words is one for texts: what is written somewhere in it is looked for as it is. */
const SHORT = 4

/** Each term once, by its best fit, so that no document is counted twice for one word. */
function wanted(corpus: Corpus, asked: Asked, choices: readonly Choice[]): Wanted {
  const sorted = [...choices].sort((a, b) => b.fit - a.fit || (a.terms.join() < b.terms.join() ? -1 : 1))
  const best = new Map<string, Choice>()
  for (const choice of sorted) {
    const key = `${choice.terms.join(' ')}${choice.voice === ANY ? ' *' : ''}`
    if (!best.has(key)) best.set(key, choice)
  }
  return { ...asked, ...weightsOf(corpus, asked, [...best.values()]), choices: [...best.values()] }
}

/**
 * How much it tells that a document holds a word: the rarer, the more; less where the word only says what sort of thing it
 * is. A word that no document holds tells as much as its nearest spelling, or as a middling word.
 */
function weightsOf(corpus: Corpus, asked: Asked, choices: readonly Choice[]): Pick<Wanted, 'weight' | 'rarity'> {
  const { term } = asked
  const from = corpus.terms.count(term, 'anon') > 0 ? term : (choices[0]?.terms[0] ?? '')
  const count = corpus.terms.count(from, 'anon')
  const rarity = Math.log(1 + corpus.anonymous / (count > 0 ? count : Math.sqrt(corpus.anonymous + 1)))
  const telling = tellingOf(asked, from)
  return { weight: (rarity + 0.1) * telling, rarity: asked.aside ? 0 : rarity }
}

const tellingOf = ({ aside, begins }: Asked, found: string): number =>
  aside ? (begins ? 0.3 : 0.1) : sorts.has(found) || towns.has(found) ? 0.4 : generics.has(found) ? 0.8 : 1

/** Whatever is listed under the concept of a word holds the word, be it written there or not. */
const tagged = (corpus: Corpus, { concept }: Asked, sight: Sight): Choice[] =>
  concept
    ? [
        { terms: [tagOf(concept)], fit: 1.001 },
        ...seen(corpus, nearTo(concept), sight).map((tag) => ({ terms: [tag], fit: 0.6 })),
      ]
    : []

/**
 * A beginning that only sounds like a whole word tells less than the word as it is written, and so does a word that stands
 * nowhere for one that sounds apart: Whels, Bel.
 */
function exact({ terms }: Corpus, { raw, known, term, begins, concept }: Asked, sight: Sight): Choice[] {
  if (terms.count(term, sight) === 0) return []
  const adds = concept !== undefined
  const heard = { terms: [term], voice: wordOf(raw).voice, fit: begins && !known ? 0.75 : 1, adds }
  return known ? [heard] : [heard, { ...heard, voice: ANY, fit: MISHEARD }]
}
const MISHEARD = 0.5

/** Words that begin with the letters, and those that only begin with their sound. */
function completions(corpus: Corpus, { term, begins, known }: Asked, sight: Sight): Choice[] {
  if (!begins) return []
  const begun = (each: string, least: number) => least + (0.25 * Math.min(term.length, each.length)) / each.length
  const written = corpus.words.beginning(begins.raw, MOST_COMPLETIONS, sight).map(wordOf)
  const sounding = corpus.terms.beginning(begins.sound, MOST_COMPLETIONS, sight)
  const voice = known ? onsetOf(begins.raw) : ANY
  return [
    ...written.map((each) => ({ terms: [each.term], voice: each.voice, fit: begun(each.term, COMPLETED) })),
    ...sounding.map((each) => ({ terms: [each], voice, fit: begun(each, COMPLETED - 0.25) })),
  ].filter(({ terms: [each = ''] }) => corpus.terms.count(each, sight) > 0)
}
const COMPLETED = 0.7
/** What is linked to a thing of the name holds the name nearly as well as what is called so. */
const LINKED = 0.9

/** The other spellings of a name, and the name with an ending that it may have or lack. */
function otherwise(corpus: Corpus, { others, ended }: Asked, sight: Sight): Choice[] {
  const fitting = (found: Iterable<string>, fit: number) =>
    seen(corpus, found, sight).map((each) => ({ terms: [each], fit }))
  return [...fitting(new Set([...others].map(termOf)), 0.9), ...fitting(new Set([...ended].map(termOf)), 0.75)]
}

/** How many edits make another word of one of so many letters: none of two, one of up to seven, two of more; a syllable is several letters. */
const mostEdits = (letters: number, syllabic: boolean) =>
  letters < 3 ? 0 : (letters < 8 ? 1 : 2) + (syllabic && letters > 4 ? 1 : 0)

/** What the near spelling of a word that is there as it was typed is worth. */
const DOUBTED = 0.6

/** Words that are spelt nearly so. Slips happen to the word as it was written; other spellings of a name show in its term. */
function near(corpus: Corpus, it: Wanted, sight: Sight): Choice[] {
  const { raw, term, known, begins, syllabic, swapped } = it
  const close = (found: Iterable<string>, to: string) =>
    [...found].flatMap((each) => {
      const most = mostEdits(to.length, syllabic)
      const apart = edits(to, each, most)
      const fit = 0.9 * (1 - apart / Math.max(to.length, each.length)) ** 2
      return each !== to && apart <= most ? [{ terms: [termOf(each)], fit }] : []
    })
  const found = [
    ...close(spelledLike(corpus.words, raw, syllabic, sight), raw),
    ...(term.length > 3 ? close(spelledLike(corpus.terms, term, syllabic, sight), term) : []),
    ...boned(corpus, it, sight),
    ...[...swapped].map((each) => ({ terms: [termOf(each)], fit: 0.6 })),
    ...(begins && !isWritten(it) ? nearlyBegun(corpus, begins.raw, sight) : []),
  ]
  return found
    .filter(({ terms: [each] }) => each !== term && corpus.terms.count(each ?? '', sight) > 0)
    .sort((a, b) => b.fit - a.fit || ((a.terms[0] ?? '') < (b.terms[0] ?? '') ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((choice) => (known ? { ...choice, fit: choice.fit * DOUBTED } : choice))
    .concat(slipOf(corpus, it, sight))
}

/** Words with the same consonants. */
function boned(corpus: Corpus, { skeleton }: Word, sight: Sight): Choice[] {
  const found = skeleton === undefined ? [] : corpus.terms.sharing([skeleton], 1, MOST_NEAR, sight)
  return found.map((each) => ({ terms: [each], fit: BONED }))
}
const BONED = 0.55

/** A word that folds like another one which comes so many times more often may be that one with a slip: Baktapur, Bhaktapur. */
const OFTENER = 8
const slipOf = (corpus: Corpus, { raw, term, known }: Wanted, sight: Sight): Choice[] =>
  known && corpus.terms.count(term, sight) > OFTENER * corpus.words.count(raw, sight)
    ? [{ terms: [term], voice: ANY, fit: 0.9 * DOUBTED }]
    : []

/** Sorts of things, places and times that a word which is written nowhere may mean. */
const nearConcepts = (it: Wanted): Choice[] =>
  isWritten(it) || it.raw.length < 5
    ? []
    : conceptTerms
        .filter((term) => Math.abs(term.length - it.term.length) <= 1 && edits(it.term, term, 1) <= 1)
        .map((term) => ({ terms: [term], fit: 0.6 }))

/** Choices, and what they are understood as: a sort of thing may be misspelt, too. */
const meant = (corpus: Corpus, choices: readonly Choice[], sight: Sight): Choice[] =>
  choices.flatMap((choice) => {
    const concept = conceptOf(choice.terms[0] ?? '')
    const tags = concept ? seen(corpus, [tagOf(concept)], sight) : []
    return [...tags.map((tag) => ({ terms: [tag], fit: choice.fit })), { ...choice, adds: tags.length > 0 }]
  })

/** Candidates from a vocabulary. Short words have too few pieces in common: their neighbours are spelt out instead. */
function spelledLike(words: Words, text: string, syllabic: boolean, sight: Sight): Set<string> {
  const most = mostEdits(text.length, syllabic)
  if (most === 0) return new Set()
  const spelt = (each: string) => words.count(each, sight) > 0
  if (text.length <= 4) return new Set([...neighbours(text)].filter(spelt))
  const grams = gramsOf(text)
  const least = Math.max(2, grams.length - 3 * most)
  return new Set([...[...swaps(text)].filter(spelt), ...words.sharing(grams, least, 300, sight)])
}

/** Words that begin nearly so. Of fewer than five letters too many do. */
function nearlyBegun(corpus: Corpus, letters: string, sight: Sight): Choice[] {
  if (letters.length < 5) return []
  const grams = gramsOf(letters).slice(0, -1)
  const most = mostEdits(letters.length, false)
  return corpus.words.sharing(grams, Math.max(2, grams.length - 4 * most), 300, sight).flatMap((each) => {
    const apart = editsOfBeginning(letters, each, most, most)
    const fit = 0.75 * (1 - apart / letters.length) ** 2
    return apart <= most ? [{ terms: [termOf(each)], fit }] : []
  })
}

/** Words that hold the letters somewhere within. A name that holds those of a town is another place: Dhungepatan. */
function holding(corpus: Corpus, { raw, term }: Word, sight: Sight): Choice[] {
  if (raw.length < 4 || towns.has(term)) return []
  const pieces = tellingPiecesOf(raw)
  const found = corpus.words
    .sharing(pieces, pieces.length, MOST_COMPLETIONS, sight)
    .filter((each) => each.includes(raw))
  return seen(corpus, new Set(found.map(termOf)), sight)
    .filter((each) => each !== term)
    .map((each) => ({ terms: [each], fit: 0.3 + 0.4 * Math.min(1, raw.length / each.length) }))
}

function meaning(corpus: Corpus, { term }: Word, sight: Sight): Choice[] {
  return seen(corpus, synonymsOf(term), sight).map((each) => ({ terms: [each], fit: 0.5 }))
}

/** Two words that are one in documents: "maya devi" for Mayadevi. Either of them stands for both. */
function joined(corpus: Corpus, all: readonly Word[], at: number, sight: Sight, exactly = false): Choice[] {
  const pairs = [`${all[at - 1]?.raw ?? ''} ${all[at]?.raw}`, `${all[at]?.raw} ${all[at + 1]?.raw ?? ''}`]
  const found = pairs
    .filter((pair) => !pair.startsWith(' ') && !pair.endsWith(' '))
    .map((pair) => pair.replace(' ', ''))
    .filter((each) => !exactly || corpus.words.count(each, sight) > 0)
  const spelt = found.flatMap((each) => [termOf(each), ...[...otherSpellingsOf(wordOf(each).sound)].map(termOf)])
  // What folds away at the seam joins nothing: "pashupatinath t" is no Pashupatinath.
  const apart = spelt.filter((each) => each !== all[at - 1]?.term && each !== all[at]?.term)
  return seen(corpus, new Set(apart), sight).map((each) => ({ terms: [each], fit: 0.9 }))
}

/** One word that is two in documents: "mayadevi" for Maya Devi. */
function split(corpus: Corpus, { raw }: Word, sight: Sight): Choice[] {
  if (raw.length < 5) return []
  const known = (term: string) => corpus.terms.count(term, sight) > 0
  const spelt = (term: string) => (known(term) ? term : [...otherSpellingsOf(term)].map(termOf).find(known))
  return Array.from({ length: raw.length - 3 }, (_, i) => i + 2).flatMap((at) => {
    const first = spelt(termOf(raw.slice(0, at)))
    const second = first === undefined ? undefined : spelt(termOf(raw.slice(at)))
    return first === undefined || second === undefined ? [] : [{ terms: [first, second], fit: 0.85 }]
  })
}

/** Only words of documents that the caller may see: others must not even crowd them out. */
const seen = (corpus: Corpus, found: Iterable<string>, sight: Sight): string[] =>
  [...found].filter((each) => corpus.terms.count(each, sight) > 0)

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** Every text that is one edit away. */
function* neighbours(term: string): Iterable<string> {
  yield* swaps(term)
  for (let i = 0; i <= term.length; i += 1) {
    const [before, after] = [term.slice(0, i), term.slice(i)]
    if (after) yield before + after.slice(1)
    for (const letter of letters) {
      yield before + letter + after
      if (after) yield before + letter + after.slice(1)
    }
  }
}

/** Every text with two neighbours the other way round: these share few pieces with it. */
function* swaps(term: string): Iterable<string> {
  for (let i = 1; i < term.length; i += 1) yield term.slice(0, i - 1) + term[i] + term[i - 1] + term.slice(i + 1)
}
