import type { LanguageGrammar } from './language.ts'

/** The few French phrases that visitors type. */
export const french: LanguageGrammar = {
  not: { leads: 'sans, sauf, hors de, en dehors de' },
  near: { leads: 'près de, pres de, proche de, autour de, à côté de' },
  before: { leads: 'avant' },
  after: { leads: 'après' },
  between: { leads: 'entre' },
  and: { leads: 'et' },
  in: { leads: 'à, dans' },
  oldest: { alone: 'le plus ancien, la plus ancienne, les plus anciens' },
  noise: { alone: 'des, les, une, où est, beau, belle, célèbre' },
}
