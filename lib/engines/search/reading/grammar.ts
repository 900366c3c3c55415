import { once } from '../../../base/once.ts'
import { plainWords } from '../../matching/index.ts'
import { type GrammarRole, type GrammarSide, loadedVocabulary } from '../vocabulary.ts'
import type { Token } from './tokens.ts'

/** A phrase of the grammar at one place of a question. `to` is the token after it. */
export type GrammarMatch = { role: GrammarRole; side: GrammarSide; to: number }

type Phrase = { role: GrammarRole; side: GrammarSide; words: readonly string[] }

/** The phrases of all languages by their first word, the longest first. */
const phrasesByWord = once(() => {
  const byWord = new Map<string, Phrase[]>()
  for (const { role, side, phrase } of loadedVocabulary().grammar ?? []) {
    const words = plainWords(phrase)
    const first = words[0]
    if (first === undefined) continue
    byWord.set(first, [...(byWord.get(first) ?? []), { role, side, words }])
  }
  for (const phrases of byWord.values()) phrases.sort((a, b) => b.words.length - a.words.length)
  return byWord
})

/** Finds the longest phrase of the grammar that begins at token `at`. Undefined if there is none. */
export function grammarAt(tokens: readonly Token[], at: number): GrammarMatch | undefined {
  const phrases = phrasesByWord().get(tokens[at]?.plain ?? '') ?? []
  const found = phrases.find(({ words }) => words.every((word, i) => tokens[at + i]?.plain === word))
  return found && { role: found.role, side: found.side, to: at + found.words.length }
}

/** Whether a word has this role of the grammar by itself. */
export const hasRole = (plain: string, role: GrammarRole): boolean =>
  (phrasesByWord().get(plain) ?? []).some((it) => it.role === role && it.words.length === 1)
