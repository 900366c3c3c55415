import type { GrammarRole, GrammarSide } from '../../../engines/search/index.ts'

/**
 * The phrases of a language, by what they ask for and then by where they stand. They stand before the words that they concern (`leads`),
 * after them (`follows`), or `alone`. Each text lists phrases, with commas between them. Example: `{ not: { leads: 'without, except' } }`.
 */
export type LanguageGrammar = Readonly<Partial<Record<GrammarRole, Readonly<Partial<Record<GrammarSide, string>>>>>>
