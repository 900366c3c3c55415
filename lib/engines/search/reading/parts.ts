import { plainWords } from '../../matching/index.ts'
import type { Interpreted } from '../query.ts'

// An answer shows what was understood of its question in parts, each with a key. A question that names such keys takes these parts back:
// their words are searched as words.

/** The key of a part of a question: what it was read as, and its words. Example: `place:patan`, `near:near-the-pond`. */
const partKey = (as: string, text: string): string => `${as}:${plainWords(text).join('-')}`

/** A part of a question as the answer shows it. */
export const partOf = (as: string, text: string, value: string): Interpreted => ({
  key: partKey(as, text),
  text,
  as,
  value,
})

/** Whether a part that was read as `as` is taken back by one of these keys. */
export function isPartTakenBack(keys: readonly string[] | undefined, as: string, text: string): boolean {
  return keys?.some((key) => key.startsWith(`${as}:`) && holdsAll(key, plainWords(text))) === true
}

/** Whether all these words, in plain letters, are words of one part that is taken back. */
export const areWordsTakenBack = (keys: readonly string[] | undefined, words: readonly string[]): boolean =>
  keys?.some((key) => holdsAll(key, words)) === true

function holdsAll(key: string, words: readonly string[]): boolean {
  const held = key.slice(key.indexOf(':') + 1).split('-')
  return words.length > 0 && words.every((word) => held.includes(word))
}
