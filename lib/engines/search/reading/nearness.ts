import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { splitWords, toWord } from '../index/words.ts'
import { makeFilter } from '../model/filters.ts'
import { findWhole } from '../model/find.ts'
import { namedFinder } from '../model/named.ts'
import { parseQuestion } from '../model/question.ts'
import { recordsOfSameThing } from '../model/same-thing.ts'
import { type Draft, endOfPart, keepWords, lookForPlace, type Unplaced } from './draft.ts'
import { type GrammarMatch, grammarAt, hasRole } from './grammar.ts'
import { isPartTakenBack, partOf } from './parts.ts'
import { findPlace, findPlaceLike, type NamedPlace } from './places.ts'
import { type Token, textOf } from './tokens.ts'

// "Near Patan", "within 2 km of Patan", "nearest museum to Patan", "Patan najik". A place is looked for as it is written, then in a near
// spelling, or as a part of the names of records that lie together. What is no place either is told: see `settleUnplaced`.

/** Reads "near" and what follows. */
export const readNear = (draft: Draft, at: number, { to }: GrammarMatch): number | undefined =>
  readPlaceNear(draft, at, to, undefined)

/** Reads a place from token `from` on, for a phrase that begins at `at`. */
export function readPlaceNear(
  draft: Draft,
  at: number,
  from: number,
  kilometres: number | undefined,
): number | undefined {
  const { tokens } = draft
  const start = hasRole(tokens[from]?.plain ?? '', 'noise') ? from + 1 : from
  const found = lookForAnyPlace(draft, tokens.slice(start, endOfPart(tokens, start)), 'leads')
  if (!found) return leaveUnplaced(draft, at, start, textOf(tokens.slice(at, from)))
  setNear(draft, found.place, kilometres, textOf(tokens.slice(at, start + found.size)))
  return start + found.size
}

/** "Nearest museum to Patan": a sort of thing, and then the place. */
export function readNearest(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const { tokens } = draft
  const end = tokens.findIndex((token, i) => i > to && placeJoins.has(token.plain))
  if (end < 0 || end - to > MOST_SORT_WORDS) return undefined
  const found = lookForAnyPlace(draft, tokens.slice(end + 1, endOfPart(tokens, end + 1)), 'leads')
  keepWords(draft, to, end)
  const phrase = [...tokens.slice(at, to), ...tokens.slice(end, end + 1)]
  if (!found) {
    const next = leaveUnplaced(draft, end, end + 1, textOf(tokens.slice(at, to)))
    if (next === undefined) draft.rest.splice(-(end - to))
    return next
  }
  const next = end + 1 + found.size
  setNear(draft, found.place, NEAR.farthest, textOf([...phrase, ...tokens.slice(end + 1, next)]))
  return next
}
/** The most words between "nearest" and "to". */
const MOST_SORT_WORDS = 3
/** The words between a distance, or a sort of thing, and a place. */
const placeJoins: ReadonlySet<string> = new Set(['of', 'from', 'to'])

/** "Patan najik": the place is at the end of the words before token `at`. */
export function readNearBehind(draft: Draft, at: number, to: number): number | undefined {
  const { rest, tokens } = draft
  const found = lookForAnyPlace(draft, rest, 'follows')
  if (found) {
    setNear(draft, found.place, undefined, textOf(rest.splice(-found.size)))
    return to
  }
  const last = rest.at(-1)
  if (!last || !mayBeUnplaced(draft, [last])) return undefined
  rest.pop()
  const phrase = textOf(tokens.slice(at, to))
  draft.unplaced.push({ phrase, words: [last], at: rest.length, text: `${last.typed} ${phrase}` })
  return to
}

/** Looks for a place as it is written, then in a near spelling. */
export function lookForAnyPlace(draft: Draft, tokens: readonly Token[], side: 'leads' | 'follows') {
  return lookForPlace(draft, tokens, side, (...part) => findPlace(...part) ?? findPlaceLike(...part))
}

/** "Near" without a distance means `times` the reach of the place, and at least `least` kilometres. "Nearest" means `farthest` at most. */
const NEAR = { least: 2, times: 1.5, farthest: 25 }

function setNear(draft: Draft, place: NamedPlace, kilometres: number | undefined, text: string): void {
  const { at, reach, label } = place
  const within = kilometres ?? Math.max(NEAR.least, reach * NEAR.times)
  draft.near = { ...at, within }
  draft.itself = recordsOf(draft, place)
  draft.order ??= 'distance'
  draft.interpreted.push(partOf('near', text, `${label}, ${within} km`))
}

/** The records that are a place, with other records of the same thing. */
function recordsOf({ corpus, question: { scope } }: Draft, { numbers }: NamedPlace): ReadonlySet<number> {
  const admits = makeFilter(corpus, { scope })
  return new Set(numbers.flatMap((number) => [number, ...recordsOfSameThing(corpus, number, admits)]))
}

/**
 * Keeps of the records that are the place only those of which the question does not ask for more than the place: of "stupa near chabahil" the
 * Chabahil Stupa is an answer.
 */
export function settleItself(draft: Draft): void {
  const { corpus, itself, rest, near, interpreted } = draft
  if (!itself || !near) return
  const typed = termsOf(interpreted.find(({ as }) => as === 'near')?.text ?? '')
  const asked = [...termsOf(textOf(rest))].filter((term) => !typed.has(term))
  const isAsked = (number: number) => corpus.names(number)[0]?.words.some(({ term }) => asked.includes(term)) === true
  draft.itself = new Set([...itself].filter((number) => !isAsked(number)))
}
const termsOf = (text: string): ReadonlySet<string> => new Set(splitWords(text).map(({ term }) => term))

/** The most words of what is no place, and of a question in which it is looked at. In a longer one "near" is a word of a sentence. */
const MOST_UNPLACED = 4
const MOST_QUESTION = 8

const mayBeUnplaced = ({ tokens }: Draft, words: readonly Token[]): boolean =>
  words.some(({ plain }) => !toWord(plain).aside) &&
  words.length <= MOST_UNPLACED &&
  tokens.filter(({ plain }) => !toWord(plain).aside).length <= MOST_QUESTION &&
  !/^\d/.test(words[0]?.plain ?? '')

/** Notes a part that begins at `at` as one whose words, from `start` on, are no place. Undefined if they are words of a sentence. */
function leaveUnplaced(draft: Draft, at: number, start: number, phrase: string): number | undefined {
  const { tokens, rest, unplaced } = draft
  const end = endOfWords(draft, start, endOfPart(tokens, start, NOTHING))
  const words = tokens.slice(start, end)
  if (!mayBeUnplaced(draft, words)) return undefined
  unplaced.push({ phrase, words, at: rest.length, text: textOf(tokens.slice(at, end)) })
  return end
}
const NOTHING: ReadonlySet<never> = new Set()

/** In "near the willows temples" the sort of thing at the end is what is asked for, if nothing stands before "near". */
function endOfWords({ tokens, rest }: Draft, from: number, to: number): number {
  if (rest.some(({ plain }) => !toWord(plain).aside && !hasRole(plain, 'noise'))) return to
  const last = findMentions(wordsOf(tokens.slice(from, to))).at(-1)
  return last?.concept.as === 'sort' && from + last.to + 1 === to && last.from > 0 ? from + last.from : to
}

const wordsOf = (tokens: readonly Token[]) => tokens.map(({ plain }) => toWord(plain))

/**
 * Settles the parts that ask for what is near something that is no place:
 *
 * 1. Words that some document does not hold as they are written are left out, with "near": nothing else is meant by them.
 * 2. If the question names a sort of thing, and things of this sort hold all the words, only these answer. It is told as words.
 * 3. If none does, the words are left out, too. So the rest of the question is answered.
 * 4. Without a sort of thing the words remain, and "near" is left out.
 */
export function settleUnplaced(draft: Draft): void {
  // From the last to the first, so that the places of the others in `rest` remain.
  for (const part of draft.unplaced.reverse()) settle(draft, part)
  const isNoted = draft.unplaced.length > 0 && draft.tests.length === 0 && !draft.near && !draft.years
  if (isNoted && draft.rest.every(({ plain }) => toWord(plain).aside || hasRole(plain, 'noise')))
    draft.isHopeless = true
}

function settle(draft: Draft, { phrase, words, at, text }: Unplaced): void {
  const { corpus, question, rest } = draft
  const typed = textOf(words)
  const tally = tallyFor(question.scope)
  const keep = () => rest.splice(at, 0, ...words)
  if (isPartTakenBack(question.without, 'words', text)) return void keep()
  const isHeld = splitWords(typed).every(({ raw, aside }) => aside || corpus.words.count(raw, tally) > 0)
  const holding = isHeld ? findHolders(draft, typed, true) : NO_DOCUMENTS
  const mentions = findMentions(wordsOf(rest), namedFinder(corpus, question.scope))
  if (holding.size > 0 && !mentions.some(({ concept }) => concept.as === 'sort')) {
    draft.leftOut.push(phrase)
    return void keep()
  }
  const asked = holding.size > 0 ? findHolders(draft, textOf(rest), false) : NO_DOCUMENTS
  const admits = makeFilter(corpus, { ...question, also: (number) => draft.tests.every((test) => test(number)) })
  if ([...asked].some((number) => holding.has(number) && admits(number))) {
    draft.tests.push((number) => holding.has(number))
    draft.interpreted.push(partOf('words', text, typed))
  } else draft.leftOut.push(phrase, ...words.filter(({ plain }) => !toWord(plain).aside).map((it) => it.typed))
}

/** The documents that hold all these words. With `literal` no word means anything but itself. */
function findHolders({ corpus, question: { scope } }: Draft, text: string, literal: boolean): ReadonlySet<number> {
  // The space says that the last word is whole.
  const words = `${text} `
  return new Set(
    findWhole(corpus, { text: words, scope, literal }, parseQuestion(corpus, words, tallyFor(scope))).numbers,
  )
}
const NO_DOCUMENTS: ReadonlySet<number> = new Set()

/** A distance at a token: "within 2 km of", "500 m from". `to` is the token after it. */
export function distanceAt(tokens: readonly Token[], at: number): { kilometres: number; to: number } | undefined {
  const from = hasRole(tokens[at]?.plain ?? '', 'within') ? at + 1 : at
  const joined = /^(\d+(?:\.\d+)?)([a-z]+)$/i.exec(tokens[from]?.typed ?? '')
  const [amount, unit, after] = joined
    ? [joined[1], joined[2], from + 1]
    : [tokens[from]?.typed, tokens[from + 1]?.plain, from + 2]
  const factor = kilometresOf[unit?.toLowerCase() ?? '']
  if (factor === undefined || !/^\d+(?:\.\d+)?$/.test(amount ?? '')) return undefined
  const joins = placeJoins.has(tokens[after]?.plain ?? '') || grammarAt(tokens, after)?.role === 'near'
  return joins ? { kilometres: Number(amount) * factor, to: after + 1 } : undefined
}
const kilometresOf: Readonly<Record<string, number>> = {
  km: 1,
  kms: 1,
  kilometer: 1,
  kilometers: 1,
  kilometre: 1,
  kilometres: 1,
  m: 0.001,
  meter: 0.001,
  meters: 0.001,
  metre: 0.001,
  metres: 0.001,
  mile: 1.609,
  miles: 1.609,
}
