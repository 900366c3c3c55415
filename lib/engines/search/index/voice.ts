/**
 * The sounds of a word that folding drops: "Bell" and "Well" fold alike, but are different words.
 *
 * The lower two bits are the beginning of the word: 1 for b, 2 for w, 3 for v (which may be either) or another letter.
 * Each further bit is a stop, set if the stop is aspirated. Of longer words a stop has a bit only if it begins the word,
 * since writers vary later ones, as in "Mandir" and "Mandhir".
 */
export type Voice = number

/** Fits every word of the same folding. */
export const ANY_VOICE: Voice = 0xffff

/** The most letters of a short term. In a short term every stop has a bit. */
const SHORT = 5
const MOST_STOPS = 8
const onsets: Readonly<Record<string, number>> = { b: 1, w: 2 }

/** The voice of a word in plain letters that is listed under `term`. */
export function voiceOf(raw: string, term: string): Voice {
  if (term.length > SHORT) return onsetOf(raw)
  const letters = raw.replaceAll('f', 'ph').replace(/([a-gi-z])\1+/g, '$1')
  const stops = letters.match(/chh?|[bdgjkpqtvwz]h?/g) ?? []
  const aspirated = (stop: string) => stop.endsWith('h') && stop !== 'ch'
  const bits = stops.slice(0, MOST_STOPS).reduce((sum, stop, i) => sum | (aspirated(stop) ? 1 << i : 0), 0)
  return (onsets[raw[0] ?? ''] ?? 3) | (bits << 2)
}

/** The voice of a long word that begins with these letters. */
export const onsetOf = (raw: string): Voice => (onsets[raw[0] ?? ''] ?? 3) | (/^(?:[bdgjkpt]h|f)/.test(raw) ? 4 : 0)

/** Whether two words of one term are different words by their sound. */
export const soundsApart = (a: Voice, b: Voice): boolean =>
  a !== b && a !== ANY_VOICE && b !== ANY_VOICE && (a >> 2 !== b >> 2 || (a & b & 3) === 0)
