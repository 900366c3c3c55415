import { escapeHtml } from '../../../base/text.ts'
import { cut } from '../../matching/index.ts'
import { isDevanagari } from '../index/header.ts'
import { memoize } from '../index/memoize.ts'
import { ANY_VOICE, soundsApart, type Voice } from '../index/voice.ts'
import { splitWords, stemOf, type Word } from '../index/words.ts'
import type { WeightedWord } from './lookup.ts'

/** The most letters of a snippet before its first mark. */
const BEFORE = 40
/** The most letters of a snippet. */
const LENGTH = 200
/** The least fit of a choice whose words are marked. */
const LEAST_FIT = 0.5

/**
 * Makes a function that finds the passage with the most words of a question. Among equals it prefers the script of the question. The words are
 * between <mark> and </mark>, and all text is escaped for HTML. Undefined if no text contains a word.
 */
export function snippetFinder(queryWords: readonly WeightedWord[], devanagari: boolean) {
  const terms = new Map<string, MarkedTerm>()
  for (const [word, { term, voice, rarity, choices }] of queryWords.entries()) {
    if (rarity === 0) continue
    for (const choice of choices)
      if (choice.fit >= LEAST_FIT) for (const other of choice.terms) terms.set(other, { word, voice: ANY_VOICE })
    terms.set(term, { word, voice })
  }
  const most = 2 * new Set(Array.from(terms.values(), ({ word }) => word)).size + 1
  return (texts: readonly string[]): string | undefined => {
    let best = { text: '', marks: [] as Mark[], rank: 0 }
    for (const text of texts) {
      if (best.rank === most) break
      const marks = marksIn(text, terms)
      const rank = new Set(marks.map(({ word }) => word)).size * 2 + (isDevanagari(text) === devanagari ? 1 : 0)
      if (marks.length > 0 && rank > best.rank) best = { text, marks, rank }
    }
    return best.rank === 0 ? undefined : passageOf(best.text, best.marks)
  }
}

type MarkedTerm = { word: number; voice: Voice }
type Mark = { from: number; to: number; word: number }

function marksIn(text: string, terms: ReadonlyMap<string, MarkedTerm>): Mark[] {
  const matchingWord = (word: Word | undefined) => {
    const marked = terms.get(word?.term ?? '')
    return word && marked && !soundsApart(marked.voice, word.voice) ? marked.word : undefined
  }
  const marks: Mark[] = []
  for (const { 0: written, index } of cut(text, MOST_LETTERS).matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const { whole, stem } = analyseWord(written)
    const word = matchingWord(whole) ?? matchingWord(stem)
    if (word !== undefined) marks.push({ from: index, to: index + written.length, word })
  }
  return marks
}
/** Analyses a word of a text, and its stem without Nepali endings. Cached, since texts share most of their words. */
const analyseWord = memoize(
  (written: string) => ({ whole: splitWords(written)[0], stem: splitWords(stemOf(written))[0] }),
  20_000,
)
/** The most letters of a text that are searched for words. */
const MOST_LETTERS = 5000

/** Cuts the passage from a little before the first mark, between words. */
function passageOf(text: string, marks: readonly Mark[]): string {
  const first = marks[0]?.from ?? 0
  const from = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1
  const end =
    from + LENGTH >= text.length ? text.length : Math.max(marks[0]?.to ?? 0, text.lastIndexOf(' ', from + LENGTH))
  let [out, at] = [from > 0 ? '… ' : '', from]
  for (const mark of marks.filter((it) => it.from >= from && it.to <= end)) {
    out += `${escapeHtml(text.slice(at, mark.from))}<mark>${escapeHtml(text.slice(mark.from, mark.to))}</mark>`
    at = mark.to
  }
  return `${out}${escapeHtml(text.slice(at, end))}${end < text.length ? ' …' : ''}`
}
