import { asideWords, plainWords, respell, sortWords, townWords } from '../../matching/fold.ts'
import type { Document } from '../document.ts'

/** A word as written, in plain letters, the term that stands for all of its spellings, and how much it tells of what a thing is called. */
export type Word = { readonly raw: string; readonly term: string; readonly tells: number }

/** The words of a text, in order. The same for what is indexed and for what is asked. */
export function wordsOf(text: string): Word[] {
  return plainWords(text).map((raw) => wordOf(raw.slice(0, LONGEST)))
}

/** Longer words are no names; a text without spaces must not become one entry of a vocabulary. */
const LONGEST = 40

const words = new Map<string, Word>()
/** A raw word, the same object each time as long as it is remembered. Respelling costs more than looking up, and most words come again. */
export function wordOf(raw: string): Word {
  const known = words.get(raw)
  if (known !== undefined) return known
  if (words.size > 50_000) words.clear()
  const term = respell(raw)
  const word = { raw, term, tells: asideWords.has(term) ? ASIDE : sortWords.has(term) || townWords.has(term) ? 0.4 : 1 }
  words.set(raw, word)
  return word
}

/** What a word tells that joins, asks or honours. */
export const ASIDE = 0.1

export const termOf = (raw: string): string => wordOf(raw).term

/** What a document is found by: its raw words, and its terms with how much each says of it, from 1 to 255. */
export type Contents = { raws: Set<string>; impacts: Map<string, number> }

/**
 * BM25 by parts: a term in a name says more than one in the summary or the text, more in a short name than in a long one, and
 * repeating it adds less each time. Lengths are held against fixed ones, not against the average of what is stored: so what a
 * document weighs depends on nothing but itself, and a hidden one cannot move the others.
 */
export function contentsOf(it: Document): Contents {
  const raws = new Set<string>()
  const misses = new Map<string, number>()
  const add = (words: readonly Word[], weight: number, length: number, among: Map<string, number>) => {
    const counts = new Map<string, number>()
    for (const { raw, term } of words) {
      raws.add(raw)
      counts.set(term, (counts.get(term) ?? 0) + 1)
    }
    for (const [term, n] of counts) {
      const says = (weight * n) / (n + 0.6 * (0.3 + (0.7 * words.length) / length))
      among.set(term, Math.max(among.get(term) ?? 0, says))
    }
  }
  // Of several names the one that fits best counts; having many is no merit.
  const parts = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()] as const
  for (const name of [it.title, ...it.names]) add(wordsOf(name), weights.name, 3, parts[0])
  add(wordsOf(it.summary), weights.summary, 30, parts[1])
  add(wordsOf(it.text), weights.text, 200, parts[2])
  for (const part of parts) for (const [term, says] of part) misses.set(term, (misses.get(term) ?? 1) * (1 - says))
  const impacts = new Map([...misses].map(([term, missed]) => [term, Math.max(1, Math.round((1 - missed) * 255))]))
  return { raws, impacts }
}

const weights = { name: 0.9, summary: 0.3, text: 0.15 }
