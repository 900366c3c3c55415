import { eachPosting } from '../index/codec.ts'
import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { makeFilter } from '../model/filters.ts'
import { findWhole } from '../model/find.ts'
import { belongingTo, documentsWith, namedFinder } from '../model/named.ts'
import { parseQuestion } from '../model/question.ts'
import type { Draft, Unsettled } from './draft.ts'
import { nearTo, setNear } from './nearness.ts'
import { isPartTakenBack, partOf } from './parts.ts'
import { type Found, hasAny, isInPlace, type NamedPlace } from './places.ts'
import { asWords, isAside, type Token, textOf } from './tokens.ts'
import { areHeld, isTelling } from './unplaced.ts'

// Parts that are settled once all others are read, since what they mean depends on what is asked for.

/** Settles the parts that ask for what is in a place, and the parts whose words are no place. */
export function settleParts(draft: Draft): void {
  // From the last to the first, so that each `at` of the others stays true in `rest`.
  for (const part of draft.unsettled.reverse()) {
    if (part.found) settlePlace(draft, part, part.found)
    else settleUnplaced(draft, part)
  }
  const isNoted = draft.unsettled.length > 0 && draft.tests.length === 0 && !draft.near && !draft.years
  if (isNoted && !draft.rest.some(isTelling)) draft.isHopeless = true
}

/**
 * Settles a part that asks for what is in a place: only what is there answers. If none of what is asked for is there, what is near the
 * place answers. If none is near either, a `mended` name is no place: see `settleUnplaced`.
 */
function settlePlace(draft: Draft, part: Unsettled, { place }: Found): void {
  const { corpus, question, rest } = draft
  const { at, words, text } = part
  if (['place', 'near'].some((as) => isPartTakenBack(question.without, as, text)))
    return void rest.splice(at, 0, ...words)
  const isThere = isInPlace(corpus, place)
  const saying = documentsSaying(draft, place, textOf(words))
  const test = (number: number) => isThere(number) || saying.has(number)
  const isAsked = askedFor(draft)
  const isSomeThere = !isAsked || hasAny(corpus, question, (number) => test(number) && isAsked(number))
  const mayWiden = !isSomeThere && !draft.near && !question.near
  if (mayWiden && hasAny(corpus, { ...question, near: nearTo(place) }, isAsked)) setNear(draft, place, undefined, text)
  else if (!isSomeThere && place.mended) settleUnplaced(draft, part)
  else {
    draft.tests.push(test)
    draft.interpreted.push(partOf('place', text, place.label))
  }
}

/** The documents that say that they are in a place: they have all words of its name, or link to a record of it. */
function documentsSaying(draft: Draft, { mended, numbers }: NamedPlace, typed: string): ReadonlySet<number> {
  const { corpus } = draft
  const saying = new Set(mended ? [] : findHolders(draft, typed, true))
  const lists = mended ? documentsWith(corpus, mended) : []
  for (const list of [...lists, belongingTo(corpus, { documents: numbers })])
    eachPosting(list, (number) => saying.add(number))
  return saying
}

/**
 * Makes a test of whether a document is asked for by the words that remain. Undefined if the words find no document, since they may have
 * slips.
 */
function askedFor(draft: Draft): ((number: number) => boolean) | undefined {
  const words = draft.rest.filter(isTelling)
  const asked = words.length > 0 ? findHolders(draft, wholeWords(words), false) : undefined
  if (asked?.size === 0) return undefined
  return (number) => (asked?.has(number) ?? true) && draft.tests.every((test) => test(number))
}

/**
 * Settles a part that asks for what is near something that is no place, or in it:
 *
 * 1. Words that some document does not hold as they are written are left out, with "near" or "in": nothing else is meant by them.
 * 2. If the question names a sort of thing, and things of this sort hold all the words, only these answer. It is told as words.
 * 3. If none does, the words are left out, too. So the rest of the question is answered.
 * 4. Without a sort of thing the words remain, and "near" is left out.
 */
function settleUnplaced(draft: Draft, { phrase, words, at, text }: Unsettled): void {
  const { corpus, question, rest } = draft
  const typed = textOf(words)
  const keep = () => rest.splice(at, 0, ...words)
  if (isPartTakenBack(question.without, 'words', text)) return void keep()
  const holding = areHeld(draft, words) ? findHolders(draft, wholeWords(words), true) : NO_DOCUMENTS
  const mentions = findMentions(asWords(rest), namedFinder(corpus, question.scope))
  if (holding.size > 0 && !mentions.some(({ concept }) => concept.as === 'sort')) {
    draft.leftOut.push(phrase)
    return void keep()
  }
  const asked = holding.size > 0 ? findHolders(draft, wholeWords(rest), false) : NO_DOCUMENTS
  const admits = makeFilter(corpus, { ...question, also: (number) => draft.tests.every((test) => test(number)) })
  if ([...asked].some((number) => holding.has(number) && admits(number))) {
    draft.tests.push((number) => holding.has(number))
    draft.interpreted.push(partOf('words', text, typed))
  } else draft.leftOut.push(phrase, ...words.filter((it) => !isAside(it)).map((it) => it.typed))
}

/** The documents that hold all these words. With `literal` no word means anything but itself. */
function findHolders({ corpus, question: { scope } }: Draft, text: string, literal: boolean): ReadonlySet<number> {
  return new Set(findWhole(corpus, { text, scope, literal }, parseQuestion(corpus, text, tallyFor(scope))).numbers)
}
/** The text of these words. The space says that the last one is whole. */
const wholeWords = (words: readonly Token[]) => `${textOf(words)} `
const NO_DOCUMENTS: ReadonlySet<number> = new Set()
