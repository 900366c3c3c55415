import type { SearchDocument } from '../document.ts'
import { identifierTerms } from './identifiers.ts'
import { linkTerm } from './links.ts'
import { conceptNameTerms } from './names.ts'
import { tagsOf } from './tags.ts'
import { ANY_VOICE, type Voice } from './voice.ts'
import { splitWords, stemOf, type Word } from './words.ts'

/**
 * The impact of a term in one document, from 1 to 255. `name`: as part of its names and description. `text`: by BM25 over
 * all words. A term in words of two voices has two impacts.
 */
export type Impact = { term: string; voice: Voice; name: number; text: number }
/** The words and terms by which a document is found. `terms` include its tags, links and identifiers. */
export type Contents = { raws: Set<string>; terms: Set<string>; impacts: Impact[] }

/**
 * Computes the impacts of a document's terms by two models:
 *
 * 1. By name: a term weighs more in a name than in summary or text, and more in a short name than in a long one.
 * 2. By text: BM25 over the stems of all words. A word of a name counts several times.
 *
 * Both compare lengths with fixed lengths, not with the average of all documents. So a hidden document does not change
 * the weight of another one.
 */
export function contentsOf(document: SearchDocument): Contents {
  const names = [document.title, ...document.names].map(splitWords)
  const summary = splitWords(document.summary)
  const text = [...splitWords(document.text), ...splitWords(stemsIn(document.text))]
  const raws = new Set<string>()
  const words = new Map<string, Word>()
  for (const part of [...names, summary, text]) {
    for (const word of part) {
      raws.add(word.raw)
      words.set(word.key, word)
    }
  }
  const byText = bm25Of(names, text.length > summary.length ? text : summary)
  const byName = impactsByName(names, summary, text)
  const impacts = Array.from(words.values(), ({ term, voice, key }): Impact => {
    return { term, voice, name: byteOf(byName.get(key) ?? 0), text: byteOf(byText.get(key) ?? 0) }
  })
  for (const [tag, sure] of tagsOf(document, { names, summary, text })) {
    const byte = byteOf(TAGGED * sure)
    impacts.push({ term: tag, voice: ANY_VOICE, name: byte, text: byte })
  }
  for (const id of new Set(document.links?.map((link) => link.id))) {
    const byte = byteOf(TAGGED)
    impacts.push({ term: linkTerm(id), voice: ANY_VOICE, name: byte, text: byte })
  }
  for (const term of new Set(document.identifiers?.flatMap(identifierTerms)))
    impacts.push({ term, voice: ANY_VOICE, name: byteOf(TAGGED), text: byteOf(TAGGED) })
  for (const term of conceptNameTerms(document))
    impacts.push({ term, voice: ANY_VOICE, name: byteOf(TAGGED), text: byteOf(TAGGED) })
  return { raws, terms: new Set(impacts.map(({ term }) => term)), impacts }
}

const byteOf = (share: number) => Math.max(1, Math.round(share * 255))
/** The impact of a link, and of a tag that is certain, as a share of the greatest impact. */
export const TAGGED = 0.3

/** The stems of the Devanagari words that have a Nepali ending. */
const stemsIn = (text: string): string =>
  (text.match(/[\u0900-\u097f]+/g) ?? []).flatMap((word) => (stemOf(word) === word ? [] : [stemOf(word)])).join(' ')

/**
 * The impact of each term by name, from 0 to 1. Of several names the best is taken, so that many names are no advantage. The
 * parts are combined like independent chances: 1 - (1 - a)(1 - b).
 */
function impactsByName(names: readonly Word[][], summary: readonly Word[], text: readonly Word[]): Map<string, number> {
  const missed = new Map<string, number>()
  const parts = [
    { texts: names, weight: 0.9, length: 3 },
    { texts: [summary], weight: 0.3, length: 30 },
    { texts: [text], weight: 0.15, length: 200 },
  ]
  for (const { texts, weight, length } of parts) {
    const partImpacts = new Map<string, number>()
    for (const words of texts) {
      for (const [term, n] of countsIn(words)) {
        const impact = (weight * n) / (n + 0.6 * (0.3 + (0.7 * words.length) / length))
        partImpacts.set(term, Math.max(partImpacts.get(term) ?? 0, impact))
      }
    }
    for (const [term, impact] of partImpacts) missed.set(term, (missed.get(term) ?? 1) * (1 - impact))
  }
  return new Map([...missed].map(([term, miss]) => [term, 1 - miss]))
}

/**
 * The impact of each term by BM25, from 0 to 1: its count relative to the length. A word of a name counts as `NAME_COUNTS`
 * words of text.
 */
function bm25Of(names: readonly Word[][], text: readonly Word[]): Map<string, number> {
  const counts = countsIn(text)
  const inNames = new Map<string, number>()
  for (const name of names)
    for (const [term, n] of countsIn(name)) inNames.set(term, Math.max(inNames.get(term) ?? 0, n))
  for (const [term, n] of inNames) counts.set(term, (counts.get(term) ?? 0) + NAME_COUNTS * n)
  const length = text.length + NAME_COUNTS * Math.max(...names.map((name) => name.length))
  const norm = K1 * (1 - B + (B * length) / LENGTH)
  return new Map([...counts].map(([term, n]) => [term, n / (n + norm)]))
}

/** Parameters of BM25 (Robertson and Zaragoza 2009): saturation of counts, and the influence of length. */
const [K1, B] = [1.5, 0.6]
const NAME_COUNTS = 3
/** The length of an ordinary document, in words. */
const LENGTH = 100

function countsIn(words: readonly Word[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key } of words) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
