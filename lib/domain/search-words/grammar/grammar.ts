import { type GrammarPhrase, grammarRoles, grammarSides } from '../../../engines/search/index.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { hindi } from './hindi.ts'
import type { LanguageGrammar } from './language.ts'
import { nepali } from './nepali.ts'

/** The grammar of questions in all languages. To add a language, add a file and name it in this list. */
export const grammar = (): GrammarPhrase[] => [english, nepali, hindi, german, french].flatMap(phrasesOf)

const phrasesOf = (language: LanguageGrammar): GrammarPhrase[] =>
  grammarRoles.flatMap((role) =>
    grammarSides.flatMap((side) => splitPhrases(language[role]?.[side]).map((phrase) => ({ role, side, phrase }))),
  )

const splitPhrases = (phrases = ''): string[] =>
  phrases
    .split(',')
    .map((phrase) => phrase.trim())
    .filter(Boolean)
