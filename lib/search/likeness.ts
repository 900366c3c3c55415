import { edits, editsOfBeginning } from '../domain/edits.ts'
import { asideWords, sortWords } from '../domain/fold.ts'
import { isDevanagari, type PlainName } from './face.ts'
import type { Wanted } from './lookup.ts'
import { synonymsOf } from './synonyms.ts'
import { termOf, type Word } from './words.ts'

/**
 * How well the names of a document answer a question, from 0 to 1, by the name that answers it best. 1 is the name as it was
 * typed; the same name in another spelling comes close, in another script next; what either side has beyond the other costs,
 * common words little. `spelt` tells from 0 to 1 how far a name begins letter for letter as was typed.
 */
export function likenessOf(
  wanted: readonly Wanted[],
  typed: string,
  names: readonly PlainName[],
  spelt: (name: number) => number,
): number {
  const asked = wanted.map(({ raw }) => raw).join(' ')
  const script = isDevanagari(typed)
  const both = script && /[a-z]/i.test(typed)
  let best = 0
  for (const [i, { words, devanagari }] of names.entries()) {
    const share = (i === 0 ? 1 : 0.99) * (both || devanagari === script ? 1 : OTHER_SCRIPT)
    const here = likeness(wanted, asked, words, () => spelt(i)) * share
    if (here > best) best = here
  }
  return best
}

const OTHER_SCRIPT = 0.9

function likeness(wanted: readonly Wanted[], asked: string, written: string, spelt: () => number): number {
  if (written === '') return 0
  if (written === asked) return 0.97 + 0.03 * spelt()
  const words = written.split(' ').map((raw) => ({ raw, term: termOf(raw) }))
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0)
  const used = new Set<number>()
  let [answered, last, inOrder] = [0, -1, true]
  for (const each of wanted) {
    let [fit, at] = [0, -1]
    for (const [i, word] of words.entries()) {
      const here = wordFit(each, word)
      if (here > fit && !(used.has(i) && here < 0.95)) [fit, at] = [here, i]
    }
    answered += fit * each.weight
    if (at >= 0) used.add(at)
    if (at <= last) inOrder = false
    if (at >= 0) last = at
  }
  const told = words.reduce((sum, word) => sum + tellsOf(word), 0)
  const met = words.reduce((sum, word, i) => sum + (used.has(i) ? tellsOf(word) : 0), 0)
  const begins = written.startsWith(asked) ? 0.11 + 0.03 * spelt() : 0
  const apart = (answered / total) * (0.68 + 0.12 * (met / told) + (inOrder ? 0.06 : 0) + begins)
  return Math.max(apart, together(wanted, words))
}

const tellsOf = ({ term }: Word) => (asideWords.has(term) ? 0.1 : sortWords.has(term) ? 0.4 : 1)

function wordFit({ raw, term, begins, others, ended }: Wanted, word: Word): number {
  if (word.raw === raw) return 1
  if (word.term === term) return begins ? 0.8 + 0.17 * closeness(raw, word.raw) : 0.9 + 0.07 * closeness(raw, word.raw)
  if (others.has(word.term)) return 0.86 + 0.07 * closeness(raw, word.raw)
  const met = (0.15 * Math.min(term.length, word.term.length)) / word.term.length
  if (begins && word.raw.startsWith(begins.raw)) return 0.8 + met
  if (begins && word.term.startsWith(begins.term)) return 0.6 + met
  const near = term.length > 2 && Math.abs(term.length - word.term.length) <= 3
  const sounding = near ? closeness(term, word.term) : 0
  const written = sounding > 0.4 ? closeness(raw, word.raw) : 0
  const alike = Math.max(written, sounding)
  if (alike >= 0.6) return 0.9 * alike + 0.05 * written
  if (ended.has(word.term)) return 0.75
  if (begins && begins.raw.length > 4 && word.raw.length > begins.raw.length) {
    const begun = 1 - editsOfBeginning(begins.raw, word.raw, 2) / begins.raw.length
    if (begun >= 0.75) return 0.75 * begun
  }
  if (raw.length > 3 && word.raw.includes(raw)) return 0.5 + (0.3 * raw.length) / word.raw.length
  if (raw.length > 3 && word.raw.length > 3 && raw.startsWith(word.raw)) return 0.5
  return synonymsOf(term).has(word.term) ? 0.5 : 0
}

/** Names that differ in where words end, or in words that tell nothing: Mayadevi, Maya Devi; Shri Ram Mandir, Ram Mandir. */
function together(wanted: readonly Wanted[], words: readonly Word[]): number {
  const whole = (all: readonly Word[]) => {
    const told = all.filter(({ term }) => !asideWords.has(term))
    return (told.length > 0 ? told : all).map(({ raw }) => raw).join('')
  }
  const [a, b] = [whole(wanted), whole(words)]
  if (Math.abs(a.length - b.length) > 3 || a.length < 4) return 0
  const [x, y] = [termOf(a), termOf(b)]
  if (x === y) return 0.93 + 0.03 * closeness(a, b)
  const alike = closeness(x, y)
  return alike >= 0.75 ? 0.9 * alike + 0.03 * closeness(a, b) : 0
}

/** How alike two texts are, from 0 to 1. */
export const closeness = (a: string, b: string) => 1 - edits(a, b) / Math.max(a.length, b.length)
