import type { LanguageGrammar } from './language.ts'

/** The few German phrases that visitors type. */
export const german: LanguageGrammar = {
  not: { leads: 'nicht in, nicht im, ohne, außer, ausserhalb von, außerhalb von, außerhalb' },
  near: { leads: 'nahe bei, in der nähe von, nahe, neben, bei' },
  before: { leads: 'vor' },
  after: { leads: 'nach' },
  between: { leads: 'zwischen' },
  and: { leads: 'und, bis' },
  in: { leads: 'im' },
  oldest: { alone: 'älteste, ältester, ältestes, ältesten' },
  newest: { alone: 'neueste, neuester, neuestes, neuesten' },
  noise: { alone: 'von, der, die, das, den, dem, ein, eine, wo ist, schöne, berühmte' },
}
