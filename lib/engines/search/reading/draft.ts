import type { FindNamed } from '../index/tags.ts'
import type { Corpus } from '../model/corpus.ts'
import type { Filters } from '../model/filters.ts'
import type { Interpreted, Near, SearchQuery } from '../query.ts'
import type { GrammarRole } from '../vocabulary.ts'
import { grammarAt } from './grammar.ts'
import { partOf } from './parts.ts'
import { type Found, findPlace, findPlaceLike, type Side } from './places.ts'
import { type Token, textOf } from './tokens.ts'
import type { Years } from './years.ts'

export type Question = Filters & Pick<SearchQuery, 'text' | 'without'> & { findNamed?: FindNamed }
type Test = (number: number) => boolean

/** What has been read of a question so far. `rest`: tokens that are searched as words. */
export type Draft = {
  corpus: Corpus
  question: Question
  tokens: readonly Token[]
  rest: Token[]
  /** Tokens of phrases that name one concept by several words. */
  named: Set<Token>
  tests: Test[]
  interpreted: Interpreted[]
  leftOut: string[]
  extremes: string[]
  /** How many places were looked for. */
  places: number
  /** Parts that say where, and are settled once the others are read. */
  unsettled: Unsettled[]
  near?: Near
  /** The records that are the place of `near`. */
  itself?: ReadonlySet<number>
  years?: Years
  order?: 'oldest' | 'newest' | 'distance'
  isHopeless: boolean
}

/**
 * A part such as "in Boudha", or "near the willows", where nothing has this name. `phrase`: the words for near or in. `words`: the other
 * words. `at`: the index in `rest` at which they stood.
 */
export type Unsettled = { phrase: string; words: readonly Token[]; at: number; text: string; found?: Found }

/** A draft of which nothing has been read. */
export const newDraft = (corpus: Corpus, question: Question, tokens: readonly Token[]): Draft => ({
  corpus,
  question,
  tokens,
  rest: [],
  named: new Set(),
  tests: [],
  interpreted: [],
  leftOut: [],
  extremes: [],
  places: 0,
  unsettled: [],
  isHopeless: false,
})

/** Copies the members of a draft that reading a part may change. `Object.assign` restores them. */
export function copyDraft({ rest, tests, interpreted, leftOut, extremes, unsettled, ...others }: Draft) {
  const { near, itself, years, order, isHopeless } = others
  const lists = { rest: [...rest], tests: [...tests], interpreted: [...interpreted], leftOut: [...leftOut] }
  return { ...lists, extremes: [...extremes], unsettled: [...unsettled], near, itself, years, order, isHopeless }
}

/** Keeps tokens as words. Returns the token after them. */
export function keepWords(draft: Draft, from: number, to: number): number {
  draft.rest.push(...draft.tokens.slice(from, to))
  return to
}

export const addPart = (draft: Draft, from: number, to: number, as: string, value: string) =>
  draft.interpreted.push(partOf(as, textOf(draft.tokens.slice(from, to)), value))

/** The end of the part that begins at a token: a comma, a minus sign or another phrase of the grammar ends it. */
export function endOfPart(tokens: readonly Token[], from: number, inside = insideParts): number {
  for (let at = from; at < tokens.length; at += 1) {
    if (at > from && (tokens[at]?.breaks || tokens[at]?.minus)) return at
    const role = grammarAt(tokens, at)?.role
    if (role && !inside.has(role)) return at
  }
  return tokens.length
}
const insideParts: ReadonlySet<GrammarRole> = new Set<GrammarRole>([
  ...(['and', 'in', 'noise', 'made', 'within', 'lived', 'age'] as const),
])

/** The most places of a question that are looked for. Each look compares the names of records, so many would take long. */
const MOST_PLACES = 4

/** Looks for a place in a part as it is written. Undefined also if `MOST_PLACES` were looked for already. */
export function lookForWrittenPlace(draft: Draft, tokens: readonly Token[], side: Side): Found | undefined {
  draft.places += 1
  return draft.places > MOST_PLACES ? undefined : findPlace(draft.corpus, tokens, draft.question.scope, side)
}

/**
 * Looks for a place in a part that says where: "near", "in", "not at". First the words as written, then with a slip. Then as a part of
 * names of records that lie together ("Boudha" of "Great stupa of Boudha"). Only then may the words mean anything else, such as a deity.
 */
export function lookForPlace(draft: Draft, tokens: readonly Token[], side: Side): Found | undefined {
  const written = lookForWrittenPlace(draft, tokens, side)
  if (written || draft.places > MOST_PLACES) return written
  return findPlaceLike(draft.corpus, tokens, draft.question.scope, side)
}
