import type { GrammarRole, GrammarSide } from '../../../engines/search/index.ts'

/**
 * The phrases of a language, by what they ask for and then by the side on which they stand: `{ not: { before: 'without, except' } }`. Each
 * text lists phrases, with commas between them.
 */
export type LanguageGrammar = Readonly<Partial<Record<GrammarRole, Readonly<Partial<Record<GrammarSide, string>>>>>>
