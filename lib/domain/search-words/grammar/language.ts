import type { GrammarRole, GrammarSide } from '../../../engines/search/index.ts'

/** The phrases of a language by what they ask for, with commas between them, and by where they stand beside their part. */
export type LanguageGrammar = Readonly<Partial<Record<GrammarRole, Readonly<Partial<Record<GrammarSide, string>>>>>>
