import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { splitWords } from '../index/words.ts'
import { type Draft, endOfPart } from './draft.ts'
import { hasRole } from './grammar.ts'
import { asWords, isAside, type Token, textOf } from './tokens.ts'

// "Near the willows", "in zzqx": what follows is no place. Such a part is noted, and settled once all others are read: see `settle.ts`.

/**
 * The most words of a part that is no place, and of a question that may have such a part. In a longer question "near" is a word of a
 * sentence.
 */
const MOST_UNPLACED = 4
const MOST_QUESTION = 8

/** Whether these words may be an unknown place, rather than words of a sentence. */
export const mayBeUnplaced = ({ tokens }: Draft, words: readonly Token[]): boolean =>
  !words.every(isAside) &&
  words.length <= MOST_UNPLACED &&
  tokens.filter((it) => !isAside(it)).length <= MOST_QUESTION &&
  !/^\d/.test(words[0]?.plain ?? '')

/** Notes a part that begins at `at` as one whose words, from `start` on, are no place. Undefined if they are words of a sentence. */
export function leaveUnplaced(draft: Draft, at: number, start: number, phrase: string): number | undefined {
  const { tokens, rest, unsettled } = draft
  const end = endOfWords(draft, start, endOfPlainWords(tokens, start))
  const words = tokens.slice(start, end)
  if (!mayBeUnplaced(draft, words)) return undefined
  unsettled.push({ phrase, words, at: rest.length, text: textOf(tokens.slice(at, end)) })
  return end
}
/** The end of the words from a token on. Any phrase of the grammar ends them. */
export const endOfPlainWords = (tokens: readonly Token[], from: number): number => endOfPart(tokens, from, new Set())

/** Whether a token asks for something: it is neither aside nor a filler, such as "beautiful". */
export const isTelling = (token: Token): boolean => !isAside(token) && !hasRole(token.plain, 'noise')

/** Whether some document holds each of these words as it is written. */
export function areHeld({ corpus, question: { scope } }: Draft, words: readonly Token[]): boolean {
  const tally = tallyFor(scope)
  return splitWords(textOf(words)).every(({ raw, aside }) => aside || corpus.words.count(raw, tally) > 0)
}

/** In "near the willows temples" the sort of thing at the end is what is asked for, if nothing stands before "near". */
function endOfWords({ tokens, rest }: Draft, from: number, to: number): number {
  if (rest.some(isTelling)) return to
  const last = findMentions(asWords(tokens.slice(from, to))).at(-1)
  return last?.concept.as === 'sort' && from + last.to + 1 === to && last.from > 0 ? from + last.from : to
}
