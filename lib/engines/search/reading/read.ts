import { distanceInMetres } from '../../matching/index.ts'
import { tallyFor } from '../index/columns.ts'
import { findMentions } from '../index/tags.ts'
import { splitWords, toWord } from '../index/words.ts'
import type { Corpus } from '../model/corpus.ts'
import { findWhole } from '../model/find.ts'
import { isPlace, namedFinder } from '../model/named.ts'
import { parseQuestion } from '../model/question.ts'
import type { Interpreted, Near } from '../query.ts'
import { type GrammarRole, loadedVocabulary } from '../vocabulary.ts'
import {
  addPart,
  copyDraft,
  type Draft,
  endOfPart,
  keepWords,
  lookForPlace,
  lookForWrittenPlace,
  newDraft,
  type Question,
} from './draft.ts'
import { type GrammarMatch, grammarAt, hasRole } from './grammar.ts'
import { readPlaceIn, readPlaceInBehind } from './location.ts'
import { distanceAt, readNear, readNearBehind, readNearest, readPlaceNear, settleItself } from './nearness.ts'
import { isPartTakenBack, partOf } from './parts.ts'
import { isInPlace, type NamedPlace } from './places.ts'
import { settleParts } from './settle.ts'
import { asWords, isAside, type Token, textOf, tokensOf } from './tokens.ts'
import { type Age, ageAt, findSpan, findYears, type Years } from './years.ts'

/**
 * A question as the grammar reads it. `text`: the words that remain to be searched. `near`, `years` and `also` limit the
 * answer. `itself`: the records that are the place of `near`. `extremes`: superlatives; documents that hold one come first. `isHopeless`: it asks for a place that no document names.
 */
export type Reading = {
  text: string
  near?: Near
  itself?: ReadonlySet<number>
  years?: Years
  also?: (number: number) => boolean
  order?: 'oldest' | 'newest' | 'distance'
  extremes: readonly string[]
  interpreted: readonly Interpreted[]
  leftOut: readonly string[]
  isHopeless: boolean
}

/** Reads the part of a question that begins at token `at`. Returns the token after it, or undefined if the words mean nothing here. */
type ReadPart = (draft: Draft, at: number, match: GrammarMatch) => number | undefined

/**
 * Reads a question by the grammar: exclusions, nearness, places, times and orders become filters, and the other words remain.
 * Undefined if nothing in the question belongs to the grammar.
 */
export function readQuestion(corpus: Corpus, question: Question): Reading | undefined {
  const tokens = tokensOf(question.text)
  if (!tokens.some((_, at) => mayBeGrammar(tokens, at))) return undefined
  const draft = newDraft(corpus, question, tokens)
  const phrases = conceptPhrases(tokens)
  let at = 0
  for (const [from, to] of phrases) for (const token of tokens.slice(from, to)) draft.named.add(token)
  while (at < tokens.length) at = phrases.get(at) ? keepWords(draft, at, phrases.get(at) ?? at + 1) : readAt(draft, at)
  settleParts(draft)
  settleItself(draft)
  leaveOutNoise(draft)
  const { rest, tests, near, itself, years, order, extremes, interpreted, leftOut, isHopeless } = draft
  const limits = [near, years, order, tests[0]].some((limit) => limit !== undefined)
  // "Thulo" (biggest) alone may be a name: the question names nothing that could be the biggest.
  if (rest.length === tokens.length || (rest.length === 0 && !limits && !isHopeless)) return undefined
  // "Who" of "who was born before 1300" is no word to search for.
  const tells = !limits || splitWords(textOf(rest)).some(({ aside }) => !aside)
  return {
    text: tells ? textOf(rest) : '',
    extremes,
    interpreted,
    leftOut,
    isHopeless,
    ...(near && { near }),
    ...(itself && { itself }),
    ...(years && { years }),
    ...(order && { order }),
    ...(tests.length > 0 && { also: (number: number) => tests.every((test) => test(number)) }),
  }
}

/** Whether a part of the grammar may begin at a token. Most names have no such token. */
function mayBeGrammar(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]
  return token !== undefined && (token.minus || /^\d/.test(token.plain) || !!token.point || !!grammarAt(tokens, at))
}

/** Phrases of several words that name a concept, by their first token: "no longer standing" is a state, not an exclusion. */
function conceptPhrases(tokens: readonly Token[]): Map<number, number> {
  const mentions = findMentions(asWords(tokens))
  return new Map(mentions.flatMap(({ from, to }) => (to > from ? [[from, to + 1] as const] : [])))
}

/** Reads what begins at a token. A part that the question takes back is not read: its words remain. */
function readAt(draft: Draft, at: number): number {
  const { without } = draft.question
  if (!without?.length) return readPart(draft, at)
  const before = copyDraft(draft)
  const next = readPart(draft, at)
  const parts = draft.interpreted.slice(before.interpreted.length)
  if (!parts.some(({ as, text }) => isPartTakenBack(without, as, text))) return next
  Object.assign(draft, before)
  return keepWords(draft, at, next)
}

function readPart(draft: Draft, at: number): number {
  const { tokens } = draft
  const token = tokens[at]
  if (token?.minus) return exclude(draft, tokens.slice(at, at + 1), `-${token.typed}`, at + 1)
  if (token?.point) return readNear(draft, at, { role: 'near', side: 'leads', to: at }) ?? keepWords(draft, at, at + 1)
  const distance = distanceAt(tokens, at)
  if (distance) {
    const next = readPlaceNear(draft, at, distance.to, distance.kilometres)
    if (next !== undefined) return next
  }
  const age = ageAt(tokens, at)
  if (age?.isWhole) return readAge(draft, at, age)
  const match = grammarAt(tokens, at)
  const next =
    match && (match.side === 'follows' ? readFollowing(draft, at, match) : readers[match.role]?.(draft, at, match))
  if (next !== undefined) return next
  keepWords(draft, at, at + 1)
  // Of "in the month of" only "in" remains: a document of the month need not hold the word "month".
  return match?.role === 'in' ? match.to : at + 1
}

/** Reads a phrase that follows its part: the part is at the end of the words before the phrase. Example: "Patan najik". */
function readFollowing(draft: Draft, at: number, { role, to }: GrammarMatch): number | undefined {
  const { rest } = draft
  if (role === 'not' || role === 'near') dropParticles(rest)
  if (role === 'not') {
    const found = lookForWrittenPlace(draft, rest, 'follows')
    const part = rest.splice(-(found?.size ?? 1))
    return part.length === 0 ? undefined : exclude(draft, part, textOf(part), to)
  }
  if (role === 'near') return readNearBehind(draft, at, to)
  const years = findYears(rest.slice(-1))
  const span = years && spanOf(role, years.years)
  if (!span) return role === 'in' && to < draft.tokens.length ? readPlaceInBehind(draft, at, to) : undefined
  setYears(draft, span, role, textOf(rest.splice(-1)))
  return to
}

/** Drops the particles at the end of a part, such as "ko" in "Patan ko najik". */
function dropParticles(rest: Token[]): void {
  while (rest.length > 1 && toWord(rest.at(-1)?.plain ?? '').aside) rest.pop()
}

const readers: Partial<Record<GrammarRole, ReadPart>> = {
  not: readNot,
  near: readNear,
  nearest: readNearest,
  before: readTime,
  after: readTime,
  since: readTime,
  between: readBetween,
  bce: readBce,
  in: readIn,
  oldest: readOrder,
  newest: readOrder,
  extreme: readExtreme,
  made: readMade,
  lived: readLived,
  thing: readThing,
}

/** The most words that an exclusion names. "It is not likely that the flow can be determined" denies a sentence, and excludes nothing. */
const MOST_EXCLUDED = 6

function readNot(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const end = endOfPart(draft.tokens, to)
  const part = draft.tokens.slice(to, end).filter(({ plain }) => !hasRole(plain, 'in') && !hasRole(plain, 'and'))
  if (part.length === 0 || part.length > MOST_EXCLUDED) return undefined
  const whole = draft.tokens.slice(at, end)
  if (whole.some(({ plain }) => hasRole(plain, 'near'))) return excludeNear(draft, part, whole, end)
  const saysWhere = whole.some(({ plain }) => hasRole(plain, 'in'))
  return exclude(draft, part, textOf(whole), end, saysWhere)
}

/**
 * "Not near Patan" excludes a place, but no documents by their words. If the words name no place, nothing is excluded, and the words are
 * left out.
 */
function excludeNear(draft: Draft, part: readonly Token[], whole: readonly Token[], next: number): number {
  const named = part.filter(({ plain }) => !hasRole(plain, 'near'))
  const found = lookForPlace(draft, named, 'leads')
  if (found && found.size === named.length) excludePlace(draft, found.place, textOf(whole))
  else draft.leftOut.push(textOf(whole.filter((token) => !named.includes(token))), ...named.map(({ typed }) => typed))
  return next
}

function excludePlace(draft: Draft, place: NamedPlace, text: string): void {
  const isThere = isInPlace(draft.corpus, place)
  draft.tests.push((number) => !isThere(number))
  draft.interpreted.push({ ...partOf('place', text, place.label), excluded: true })
}

/**
 * Excludes what a part names: a place, or the documents that hold all of it. If the question has no other words, the last word of the part
 * says what is asked for: "no hindu temples" asks for temples. If it `saysWhere` ("not at"), the part is a place before it is anything else.
 * Returns `next`.
 */
function exclude(draft: Draft, part: readonly Token[], text: string, next: number, saysWhere = false): number {
  const { corpus, question } = draft
  const isOnlyPart = draft.rest.every((_, i) => isNoise(draft.rest, i)) && next === draft.tokens.length
  const [named, asked] = isOnlyPart && part.length > 1 ? [part.slice(0, -1), part.slice(-1)] : [part, []]
  draft.rest.push(...asked)
  const isOther = !saysWhere && isOtherConcept(draft, named)
  const look = saysWhere ? lookForPlace : lookForWrittenPlace
  const found = isOther ? undefined : look(draft, named, 'leads')
  if (found && found.size === named.length) {
    excludePlace(draft, found.place, text)
    return next
  }
  const words = textOf(named)
  const { scope } = question
  const { numbers, concepts } = findWhole(corpus, { text: words, scope }, parseQuestion(corpus, words, tallyFor(scope)))
  if (numbers.length === 0) {
    draft.leftOut.push(...named.map(({ typed }) => typed))
    return next
  }
  const excluded = new Set(numbers)
  draft.tests.push((number) => !excluded.has(number))
  const [concept] = concepts
  const { as, label } = concept?.concept ?? { as: 'words', label: words }
  draft.interpreted.push({ ...partOf(as, text, label), excluded: true })
  return next
}

/** Whether these words name a concept that is no place: "Durga" is a deity, though a temple may be called so, too. */
function isOtherConcept({ corpus, question }: Draft, tokens: readonly Token[]): boolean {
  const [mention] = findMentions(asWords(tokens), namedFinder(corpus, question.scope))
  return mention?.from === 0 && mention.to === tokens.length - 1 && !isPlace(mention.concept)
}

/** "More than 500 years old", "less than 500 years old". */
function readAge(draft: Draft, at: number, age: Age): number {
  const before = Math.max(0, draft.rest.length - 2)
  const isLess = grammarAt(draft.rest, before)?.role === 'within'
  if (isLess) draft.rest.length = before
  return setAge(draft, at, { ...age, role: isLess ? 'after' : age.role })
}

function setAge(draft: Draft, at: number, { year, role, to }: Age): number {
  const span = spanOf(role, { from: year, to: year })
  if (span) setYears(draft, span, role, textOf(draft.tokens.slice(at, to)))
  return to
}

function readTime(draft: Draft, at: number, { role, to }: GrammarMatch): number | undefined {
  const age = role === 'since' ? undefined : ageAt(draft.tokens, to)
  if (age) return setAge(draft, at, { ...age, role: role === 'after' ? 'after' : 'before' })
  // What was rebuilt after an earthquake was not made then, and "the 2015 earthquake" is an event.
  if (followsState(draft.tokens, at)) return undefined
  const found = findYears(draft.tokens.slice(to, endOfPart(draft.tokens, to)))
  const span = found && spanOf(role, found.years)
  if (!span) return undefined
  setYears(draft, span, role, textOf(draft.tokens.slice(at, to + found.size)))
  return to + found.size
}

function spanOf(role: GrammarRole, { from, to }: Years): Years | undefined {
  if (role === 'before') return { from: Number.NEGATIVE_INFINITY, to: from - 1 }
  if (role === 'after') return { from: to + 1, to: Number.POSITIVE_INFINITY }
  return role === 'since' ? { from, to: Number.POSITIVE_INFINITY } : { from, to }
}

function setYears(draft: Draft, years: Years, role: GrammarRole, text: string): void {
  const within = draft.years ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  draft.years = { from: Math.max(within.from, years.from), to: Math.min(within.to, years.to) }
  const ends = [years.from, years.to].filter(Number.isFinite).join(' to ')
  draft.interpreted.push(partOf('years', text, role === 'in' || role === 'between' ? ends : `${role} ${ends}`))
}

/** "Before Christ". After a number it belongs to a date: "300 BC". */
function readBce(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  if (/^\d+$/.test(draft.tokens[at - 1]?.plain ?? '')) return undefined
  setYears(draft, { from: Number.NEGATIVE_INFINITY, to: 0 }, 'before', textOf(draft.tokens.slice(at, to)))
  return to
}

function readBetween(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const found = findSpan(draft.tokens.slice(to, endOfPart(draft.tokens, to)))
  if (!found) return undefined
  setYears(draft, found.years, 'between', textOf(draft.tokens.slice(at, to + found.size)))
  return to + found.size
}

/** "In" before a year, else before a place. */
function readIn(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const { tokens } = draft
  const start = hasRole(tokens[to]?.plain ?? '', 'noise') ? to + 1 : to
  const isYear = !followsState(tokens, at) && /^\d{3,4}s?$/.test(tokens[start]?.plain ?? '')
  const found = isYear ? findYears(tokens.slice(start, start + 1)) : undefined
  if (!found) return readPlaceIn(draft, at, to, start)
  setYears(draft, found.years, 'in', textOf(tokens.slice(at, start + 1)))
  return start + 1
}

/** Whether a state stands right before a token. Then a year is not the year of making: what was destroyed in 2015 was not made in 2015. */
const followsState = (tokens: readonly Token[], at: number): boolean =>
  findMentions(asWords(tokens.slice(0, at))).some(({ concept, to }) => concept.as === 'state' && to === at - 1)

function readOrder(draft: Draft, at: number, { role, to }: GrammarMatch): number {
  draft.order = role === 'oldest' ? 'oldest' : 'newest'
  addPart(draft, at, to, 'order', draft.order)
  return to
}

function readExtreme(draft: Draft, at: number, { to }: GrammarMatch): number {
  const words = draft.tokens.slice(at, to)
  draft.extremes.push(...words.map(({ typed }) => typed))
  addPart(draft, at, to, 'order', textOf(words).toLowerCase())
  return to
}

/** "Built between 1700 and 1760" asks for things that were made, not for people who lived then. */
function readMade(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  return isTimeAt(draft.tokens, to) ? readThing(draft, at, { role: 'thing', side: 'alone', to }) : undefined
}
const isTimeAt = (tokens: readonly Token[], at: number): boolean => {
  const role = grammarAt(tokens, at)?.role
  return role !== undefined && timeRoles.has(role)
}
const timeRoles: ReadonlySet<GrammarRole> = new Set<GrammarRole>(['before', 'after', 'since', 'between', 'bce', 'in'])

/** "Born before 1300" asks for people. "Born in Patan" says where, and asks for words. */
function readLived(draft: Draft, at: number, { to }: GrammarMatch): number | undefined {
  const { tokens } = draft
  const time = isTimeAt(tokens, to) ? grammarAt(tokens, to) : undefined
  const isTime = time && (time.role === 'bce' || findYears(tokens.slice(time.to, endOfPart(tokens, time.to))))
  return isTime ? readResources(draft, at, to, PEOPLE) : undefined
}

/** "Buildings" asks for things that people made, of whatever sort. */
function readThing(draft: Draft, at: number, { to }: GrammarMatch): number {
  return readResources(draft, at, to, MADE)
}

function readResources(draft: Draft, at: number, to: number, value: string): number {
  const { corpus, tests } = draft
  const { resource } = corpus.columns
  const asked = resourcesOf(value) ?? []
  const numbers = new Set(corpus.labels.resource.texts.flatMap((text, i) => (asked.includes(text) ? [i] : [])))
  tests.push((number) => numbers.has(resource[number] ?? -1))
  addPart(draft, at, to, 'sort', value)
  return to
}
const MADE = 'made'
const PEOPLE = 'people'

/** The resources that a part of the sort `made` or `people` asks for. Undefined for another value. */
export function resourcesOf(value: string): readonly string[] | undefined {
  const { madeResources = [], peopleResources = [] } = loadedVocabulary()
  return { [MADE]: madeResources, [PEOPLE]: peopleResources }[value]
}

/** The keys by which a question takes back that it asks for things that people made. */
export const keysOfMade = ({ interpreted }: Reading): string[] =>
  interpreted.flatMap(({ as, value, key }) => (as === 'sort' && value === MADE ? [key] : []))

/** Leaves out praise and fillers if other words remain: "beautiful temples". */
function leaveOutNoise(draft: Draft): void {
  const telling = draft.rest.filter((token, i) => draft.named.has(token) || !isNoise(draft.rest, i))
  const others = splitWords(textOf(telling)).filter(({ aside }) => !aside)
  const limits = [draft.near, draft.years, draft.order, draft.tests[0]]
  if (others.length === 0 && limits.every((limit) => limit === undefined)) return
  const noise = draft.rest.filter((token) => !telling.includes(token))
  draft.rest = telling
  draft.leftOut.push(...noise.filter((it) => !isAside(it)).map(({ typed }) => typed))
}

/** Whether a token is part of a phrase that is praise or a filler. */
function isNoise(tokens: readonly Token[], at: number): boolean {
  for (let from = Math.max(0, at - 3); from <= at; from += 1) {
    const match = grammarAt(tokens, from)
    if (match?.role === 'noise' && match.to > at) return true
  }
  return false
}

/** The order of documents by a reading: the nearest, the oldest or the newest first; what has no year comes last. */
export function beforeIn(corpus: Corpus, order: NonNullable<Reading['order']>, near: Near | undefined) {
  const { lat, lng, from, to } = corpus.columns
  const last = (value: number) => (Number.isFinite(value) ? value : Number.POSITIVE_INFINITY)
  const placeOf: Record<typeof order, (number: number) => number> = {
    oldest: (number) => last(from[number] ?? Number.NaN),
    newest: (number) => last(-(to[number] ?? Number.NaN)),
    distance: (number) =>
      near ? distanceInMetres(near, { lat: lat[number] ?? Number.NaN, lng: lng[number] ?? Number.NaN }) : 0,
  }
  return placeOf[order]
}
