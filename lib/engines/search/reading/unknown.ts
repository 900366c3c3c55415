import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { stemOf } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { isKnownWord } from '../model/near.ts'
import { hasDocuments, type QueryWord } from '../model/question.ts'
import type { Question } from './draft.ts'
import { areWordsTakenBack } from './parts.ts'
import { asWords, isAside, textOf, tokensOf } from './tokens.ts'

// Words that no document holds in any good spelling. Beside a sort of thing they may be left out: "temples zzzqqq" asks for temples. As the
// name of one thing they are all that is asked for: the Eiffel Tower is not just any tower.

/** The least fit of a spelling by which a word counts as known. */
const KNOWN_FIT = 0.4
/** The same for a word of a name. In a word of three letters another letter makes another word: "taj" is no spelling of "tah". */
const KNOWN_NAME_FIT = 0.45

/**
 * The question without the words that no document holds in any spelling, if it names a concept besides: "temple zzzqqq" asks for temples.
 * Undefined if every word is known, or if more words are unknown than are concepts.
 */
export function withoutUnknown(
  corpus: Corpus,
  { text, scope }: Question,
): { text: string; leftOut: string[] } | undefined {
  const tokens = tokensOf(text)
  const tally = tallyFor(scope)
  // "Winter", where no document says anything of a month, is unknown here, too.
  const mentions = findMentions(asWords(tokens)).filter(
    ({ concept }) => concept.as !== 'month' || hasDocuments(corpus, concept, tally),
  )
  const isNamed = (at: number) => mentions.some(({ from, to }) => from <= at && at <= to)
  const unknown = tokens.filter(
    (token, i) => !isNamed(i) && !isAside(token) && !isKnownWord(corpus, token.plain, tally, KNOWN_FIT),
  )
  if (unknown.length === 0 || mentions.length < unknown.length) return undefined
  return {
    text: textOf(tokens.filter((token) => !unknown.includes(token))),
    leftOut: unknown.map(({ typed }) => typed),
  }
}

/**
 * The words that name one thing, if all of them are unknown: "Eiffel" of "Eiffel Tower", "Liberty" of "Statue of Liberty". Undefined if the
 * question also names a place, a deity or a time, or asks for several things. `words`: the words of the question.
 */
export function unknownName(
  corpus: Corpus,
  { text, scope, without, findNamed }: Question,
  words: readonly QueryWord[],
): string[] | undefined {
  const [sort, ...others] = findMentions(words, findNamed)
  if (sort?.concept.as !== 'sort' || others.length > 0) return undefined
  const thing = words.slice(sort.from, sort.to + 1)
  const isTakenBack = areWordsTakenBack(
    without,
    thing.map(({ raw }) => raw),
  )
  if (isTakenBack || thing.some(({ sound, term, whole }) => sound !== term || whole !== undefined)) return undefined
  const [from, to] = sort.from > 0 ? [0, sort.from] : [sort.to + 2, words[sort.to + 1]?.raw === 'of' ? words.length : 0]
  const tokens = tokensOf(text)
  const named = words.flatMap(({ aside, raw }, i) => (!aside && from <= i && i < to ? [tokens[i]?.typed ?? raw] : []))
  const isHeld = words.some(({ aside, known }, i) => !aside && known && from <= i && i < to)
  if (isHeld) return undefined
  const tally = tallyFor(scope)
  const isKnown = (typed: string) => isKnownWord(corpus, typed, tally, KNOWN_NAME_FIT, true)
  const areUnknown = named.every((typed) => !isKnown(typed) && !isKnown(stemOf(typed)))
  // A question of repeated words has fewer words than tokens.
  return named.length > 0 && tokens.length === words.length && areUnknown ? named : undefined
}
