import type { GrammarPhrase, GrammarRole, GrammarSide } from '../../../engines/search/index.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { hindi } from './hindi.ts'
import { nepali } from './nepali.ts'

/** The phrases of a language by what they ask for, with commas between them, and by where they stand beside their part. */
export type LanguageGrammar = Readonly<Partial<Record<GrammarRole, Readonly<Partial<Record<GrammarSide, string>>>>>>

/** The grammar of questions in all languages. Another language is another file, and its line here. */
export const grammar = (): GrammarPhrase[] => [english, nepali, hindi, german, french].flatMap(phrasesOf)

const isRole = (name: string): name is GrammarRole => name !== ''
const phrasesOf = (language: LanguageGrammar): GrammarPhrase[] =>
  Object.entries(language).flatMap(([role, sides]) =>
    (['leads', 'follows', 'alone'] as const).flatMap((side) =>
      (sides[side] ?? '')
        .split(',')
        .map((phrase) => phrase.trim())
        .filter((phrase) => phrase !== '' && isRole(role))
        .map((phrase) => ({ role: role as GrammarRole, side, phrase })),
    ),
  )
