import type { SearchDocument } from '../document.ts'
import { linkTerm } from './links.ts'
import { tagsOf } from './tags.ts'
import { ANY_VOICE, type Voice } from './voice.ts'
import { splitWords, stemOf, type Word } from './words.ts'

/**
 * How much a term says of a document, from 1 to 255. `name`: as part of its names and description. `text`: by BM25 over
 * all words. A term that stands in words of two voices has two impacts.
 */
export type Impact = { term: string; voice: Voice; name: number; text: number }
/** What a document is found by. `terms` include its tags and links. */
export type Contents = { raws: Set<string>; terms: Set<string>; impacts: Impact[] }

/**
 * Computes the impacts of a document's terms by two models:
 *
 * 1. By name: a term says more in a name than in summary or text, and more in a short name than in a long one.
 * 2. By text: BM25 over the stems of all words. A word of a name counts several times.
 *
 * Both compare lengths with fixed ones, not with the average of all documents. So no hidden document changes the weight
 * of another.
 */
export function contentsOf(it: SearchDocument): Contents {
  const names = [it.title, ...it.names].map(splitWords)
  const [summary, text] = [splitWords(it.summary), [...splitWords(it.text), ...splitWords(stemsIn(it.text))]]
  const raws = new Set<string>()
  const words = new Map<string, Word>()
  for (const some of [...names, summary, text]) {
    for (const word of some) {
      raws.add(word.raw)
      words.set(word.key, word)
    }
  }
  const byText = bm25Of(names, text.length > summary.length ? text : summary)
  const byName = saidByName(names, summary, text)
  const impacts = Array.from(words.values(), ({ term, voice, key }): Impact => {
    return { term, voice, name: byteOf(byName.get(key) ?? 0), text: byteOf(byText.get(key) ?? 0) }
  })
  for (const [tag, sure] of tagsOf(it, { names, summary, text })) {
    const byte = byteOf(TAGGED * sure)
    impacts.push({ term: tag, voice: ANY_VOICE, name: byte, text: byte })
  }
  for (const id of new Set(it.links?.map((link) => link.id))) {
    const byte = byteOf(TAGGED)
    impacts.push({ term: linkTerm(id), voice: ANY_VOICE, name: byte, text: byte })
  }
  return { raws, terms: new Set(impacts.map(({ term }) => term)), impacts }
}

const byteOf = (share: number) => Math.max(1, Math.round(share * 255))
/** The impact of a link or a sure tag, as a share of the greatest. */
const TAGGED = 0.3

const stemsIn = (text: string): string =>
  (text.match(/[\u0900-\u097f]+/g) ?? []).flatMap((word) => (stemOf(word) === word ? [] : [stemOf(word)])).join(' ')

/** How much each term says by name, from 0 to 1. Of several names the best counts: having many is no merit. */
function saidByName(names: readonly Word[][], summary: readonly Word[], text: readonly Word[]): Map<string, number> {
  const missed = new Map<string, number>()
  const parts = [
    { texts: names, weight: 0.9, length: 3 },
    { texts: [summary], weight: 0.3, length: 30 },
    { texts: [text], weight: 0.15, length: 200 },
  ]
  for (const { texts, weight, length } of parts) {
    const said = new Map<string, number>()
    for (const words of texts) {
      for (const [term, n] of countsIn(words)) {
        const says = (weight * n) / (n + 0.6 * (0.3 + (0.7 * words.length) / length))
        said.set(term, Math.max(said.get(term) ?? 0, says))
      }
    }
    for (const [term, says] of said) missed.set(term, (missed.get(term) ?? 1) * (1 - says))
  }
  return new Map([...missed].map(([term, miss]) => [term, 1 - miss]))
}

/**
 * BM25 of each term, from 0 to 1: how often it comes, against the length. A name counts as `NAME_COUNTS` words of text.
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

const K1 = 1.5
const B = 0.6
const NAME_COUNTS = 3
/** The length of an ordinary document, in words. */
const LENGTH = 100

function countsIn(words: readonly Word[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key } of words) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
