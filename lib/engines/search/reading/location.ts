import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { isKnownWord } from '../model/near.ts'
import { type Draft, endOfPart, lookForPlace, lookForWrittenPlace } from './draft.ts'
import { hasRole } from './grammar.ts'
import { type Found, hasAny, isInPlace } from './places.ts'
import { asWords, isAside, type Token, textOf } from './tokens.ts'
import { areHeld, endOfPlainWords, leaveUnplaced } from './unplaced.ts'

// "In Boudha", "at Boudha", "Boudha ma": what is in a place. The place is a record, or its name has a slip. A place of the vocabulary
// without a slip stays words, as months do: tags find its documents. For words that are no place see `settleUnplaced`.

/** Reads a place from token `start` on, for a phrase that begins at `at` and ends before `to`. */
export function readPlaceIn(draft: Draft, at: number, to: number, start: number): number | undefined {
  const { tokens, rest } = draft
  const part = tokens.slice(start, endOfPart(tokens, start))
  // "In the time of" and "in the month of" name no place with a slip.
  const look = hasRole(tokens[to - 1]?.plain ?? '', 'in') ? lookForPlace : lookForWrittenPlace
  const found = look(draft, part, 'leads')
  if (!found) return leaveNoPlace(draft, at, to, start)
  if (!mayLimit(draft, found)) return undefined
  const end = start + found.size
  const [phrase, text] = [textOf(tokens.slice(at, to)), textOf(tokens.slice(at, end))]
  draft.unsettled.push({ phrase, words: tokens.slice(start, end), at: rest.length, text, found })
  return end
}

/** "Boudha ma": the place is at the end of the words before token `at`. */
export function readPlaceInBehind(draft: Draft, at: number, to: number): number | undefined {
  const { rest, tokens } = draft
  const found = lookForPlace(draft, rest, 'follows')
  if (!found || !mayLimit(draft, found)) return undefined
  const words = rest.splice(-found.size)
  const phrase = textOf(tokens.slice(at, to))
  draft.unsettled.push({ phrase, words, at: rest.length, text: `${textOf(words)} ${phrase}`, found })
  return to
}

/** Whether a place limits the answer. If nothing lies in the place, or the vocabulary knows it as a concept, its words are searched instead. */
const mayLimit = ({ corpus, question }: Draft, { place }: Found): boolean =>
  !(place.concept && !place.mended) && hasAny(corpus, question, isInPlace(corpus, place))

/**
 * Words that are no place and no concept of the vocabulary are left out beside a sort of thing: "gompas in zzqx" asks for gompas. Without a
 * sort, nothing answers a single unknown word.
 */
function leaveNoPlace(draft: Draft, at: number, to: number, start: number): number | undefined {
  const { tokens } = draft
  const part = tokens.slice(start, endOfPlainWords(tokens, start))
  if (part.length === 0 || findMentions(asWords(part)).length > 0) return undefined
  const sorts = findMentions(asWords(tokens)).filter(({ concept }) => concept.as === 'sort')
  const isNowhere = part.some((token) => isUnknown(draft, token))
  // "Festivals in aadi": only records name this month. The sort must stand right before: in the middle of a sentence such words ask for no
  // sort of thing.
  const followsSort = sorts.some((sort) => sort.to === at - 1)
  if (isNowhere ? sorts.length > 0 : followsSort && areHeld(draft, part))
    return leaveUnplaced(draft, at, start, textOf(tokens.slice(at, to)))
  if (!isNowhere || part.length > 1) return undefined
  draft.isHopeless = true
  draft.leftOut.push(textOf(part))
  return start + 1
}

/** The least fit of a spelling by which the name of a place counts as known. */
const PLACE_FIT = 0.6

/** Whether no document holds a word in a near spelling. */
const isUnknown = ({ corpus, question: { scope } }: Draft, token: Token): boolean =>
  !isAside(token) && !isKnownWord(corpus, token.typed, tallyFor(scope), PLACE_FIT)
