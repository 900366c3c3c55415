import { splitWords } from '../index/words.ts'
import { makeFilter } from '../model/filters.ts'
import { recordsOfSameThing } from '../model/same-thing.ts'
import type { Near } from '../query.ts'
import { type Draft, endOfPart, keepWords, lookForPlace } from './draft.ts'
import { type GrammarMatch, grammarAt, hasRole } from './grammar.ts'
import { partOf } from './parts.ts'
import type { NamedPlace } from './places.ts'
import { type Token, textOf } from './tokens.ts'
import { leaveUnplaced, mayBeUnplaced } from './unplaced.ts'

// "Near Patan", "within 2 km of Patan", "nearest museum to Patan", "Patan najik". For words that are no place see `settleUnplaced`.

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
  const found = lookForPlace(draft, tokens.slice(start, endOfPart(tokens, start)), 'leads')
  if (!found) return leaveUnplaced(draft, at, start, textOf(tokens.slice(at, from)))
  setNear(draft, found.place, kilometres, textOf(tokens.slice(at, start + found.size)))
  return start + found.size
}

/** "Nearest museum to Patan": a sort of thing, and then the place. */
export function readNearest(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const { tokens } = draft
  const end = tokens.findIndex((token, i) => i > to && placeJoins.has(token.plain))
  if (end < 0 || end - to > MOST_SORT_WORDS) return undefined
  const found = lookForPlace(draft, tokens.slice(end + 1, endOfPart(tokens, end + 1)), 'leads')
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
  const found = lookForPlace(draft, rest, 'follows')
  if (found) {
    setNear(draft, found.place, undefined, textOf(rest.splice(-found.size)))
    return to
  }
  const last = rest.at(-1)
  if (!last || !mayBeUnplaced(draft, [last])) return undefined
  rest.pop()
  const phrase = textOf(tokens.slice(at, to))
  draft.unsettled.push({ phrase, words: [last], at: rest.length, text: `${last.typed} ${phrase}` })
  return to
}

/** "Near" without a distance means `times` the reach of the place, and at least `least` kilometres. "Nearest" means `farthest` at most. */
const NEAR = { least: 2, times: 1.5, farthest: 25 }

/** What counts as near a place. */
export const nearTo = ({ at, reach }: NamedPlace, kilometres = Math.max(NEAR.least, reach * NEAR.times)): Near => ({
  ...at,
  within: kilometres,
})

/** Limits the answer to what is near a place, the nearest first, and adds that to `interpreted`. `text`: the words that ask for it. */
export function setNear(draft: Draft, place: NamedPlace, kilometres: number | undefined, text: string): void {
  const near = nearTo(place, kilometres)
  draft.near = near
  draft.itself = recordsOf(draft, place)
  draft.order ??= 'distance'
  draft.interpreted.push(partOf('near', text, `${place.label}, ${near.within} km`))
}

/** The records that are a place, with other records of the same thing. */
function recordsOf({ corpus, question: { scope } }: Draft, { numbers }: NamedPlace): ReadonlySet<number> {
  const admits = makeFilter(corpus, { scope })
  return new Set(numbers.flatMap((number) => [number, ...recordsOfSameThing(corpus, number, admits)]))
}

/**
 * Drops from `itself` the records that the question asks for by more than the place. The Chabahil Stupa is an answer to "stupa near
 * chabahil".
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
