import { cut } from '../../matching/cut.ts'
import { isDevanagari } from '../index/header.ts'
import { ANY, isApart, type Voice } from '../index/voice.ts'
import { stemOf, type Word, wordsOf } from '../index/words.ts'
import type { Wanted } from './lookup.ts'

/** About so many letters before the first word that is marked, and in all. */
const BEFORE = 40
const LENGTH = 200
/** A way in which a word may stand that fits less well is not marked. */
const FITS = 0.5

/**
 * A piece of the text that answers most of a question, in the script of the question where one of that script does: its
 * words between <mark> and </mark>, all else escaped for HTML. Undefined where no text holds any.
 */
export function snippetOf(
  texts: readonly string[],
  wanted: readonly Wanted[],
  devanagari: boolean,
): string | undefined {
  const terms = new Map<string, Asked>()
  for (const [word, { term, voice, rarity, choices }] of wanted.entries()) {
    if (rarity === 0) continue
    for (const it of choices) if (it.fit >= FITS) for (const each of it.terms) terms.set(each, { word, voice: ANY })
    terms.set(term, { word, voice })
  }
  let best = { text: '', marks: [] as Mark[], rank: 0 }
  for (const text of texts) {
    const marks = marksIn(text, terms)
    const rank = new Set(marks.map(({ word }) => word)).size * 2 + (isDevanagari(text) === devanagari ? 1 : 0)
    if (marks.length > 0 && rank > best.rank) best = { text, marks, rank }
  }
  return best.rank === 0 ? undefined : around(best.text, best.marks)
}

type Asked = { word: number; voice: Voice }
type Mark = { from: number; to: number; word: number }

function marksIn(text: string, terms: ReadonlyMap<string, Asked>): Mark[] {
  const askedBy = (word: Word | undefined) => {
    const asked = terms.get(word?.term ?? '')
    return word && asked && !isApart(asked.voice, word.voice) ? asked.word : undefined
  }
  return [...cut(text, LOOKED_AT).matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap(({ 0: it, index }) => {
    const word = askedBy(wordsOf(it)[0]) ?? askedBy(wordsOf(stemOf(it))[0])
    return word === undefined ? [] : [{ from: index, to: index + it.length, word }]
  })
}
/** Of a long text the beginning is looked at. */
const LOOKED_AT = 5000

/** The text from a little before the first of the marks, broken between words. */
function around(text: string, marks: readonly Mark[]): string {
  const first = marks[0]?.from ?? 0
  const from = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1
  const end =
    from + LENGTH >= text.length ? text.length : Math.max(marks[0]?.to ?? 0, text.lastIndexOf(' ', from + LENGTH))
  let [out, at] = [from > 0 ? '… ' : '', from]
  for (const mark of marks.filter((it) => it.from >= from && it.to <= end)) {
    out += `${escaped(text.slice(at, mark.from))}<mark>${escaped(text.slice(mark.from, mark.to))}</mark>`
    at = mark.to
  }
  return `${out}${escaped(text.slice(at, end))}${end < text.length ? ' …' : ''}`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)
