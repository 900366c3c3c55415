/**
 * What folding drops and ears hear: words that fold alike and differ in it are different words, as Bell and Well, Dhara and
 * Dara, Bagh and Bag. The lower two bits say how a word begins: 1 with b, 2 with w, 3 with v, which stands for either, or
 * with another letter. Above them a bit for each stop: set where it is aspirated. Writers are sure of the first stop only,
 * in longer words the others waver: Mandir, Mandhir.
 */
export type Voice = number

/** The voice of what may be any word that folds so. */
export const ANY: Voice = 0xffff

/** In terms of so many letters every stop counts. */
const SHORT = 5
const MOST_STOPS = 8
const onsets: Readonly<Record<string, number>> = { b: 1, w: 2 }

/** The voice of a word in plain letters that stands under a term. */
export function voiceOf(raw: string, term: string): Voice {
  if (term.length > SHORT) return onsetOf(raw)
  const letters = raw.replaceAll('f', 'ph').replace(/([a-gi-z])\1+/g, '$1')
  const stops = letters.match(/chh?|[bdgjkpqtvwz]h?/g) ?? []
  const aspirated = (stop: string) => stop.endsWith('h') && stop !== 'ch'
  const bits = stops.slice(0, MOST_STOPS).reduce((sum, stop, i) => sum | (aspirated(stop) ? 1 << i : 0), 0)
  return (onsets[raw[0] ?? ''] ?? 3) | (bits << 2)
}

/** The same of a longer word that begins so. */
export const onsetOf = (raw: string): Voice => (onsets[raw[0] ?? ''] ?? 3) | (/^(?:[bdgjkpt]h|f)/.test(raw) ? 4 : 0)

/** Whether two words that fold alike are different ones. */
export const isApart = (a: Voice, b: Voice): boolean =>
  a !== b && a !== ANY && b !== ANY && (a >> 2 !== b >> 2 || (a & b & 3) === 0)
