/**
 * How a word sounds, where folding drops the difference: "Bell" and "Well" fold alike, but are different words.
 *
 * The lower two bits say how the word begins: 1 with b, 2 with w, 3 with v (which may be either) or another letter.
 * Each further bit stands for a stop, and is set if the stop is aspirated. In longer words only the first stop counts:
 * writers waver in the others, as in "Mandir" and "Mandhir".
 */
export type Voice = number

/** Fits every word of the same folding. */
export const ANY_VOICE: Voice = 0xffff

/** In terms of so many letters or fewer, every stop counts. */
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

/** Whether two words of one term are different words by how they sound. */
export const soundsApart = (a: Voice, b: Voice): boolean =>
  a !== b && a !== ANY_VOICE && b !== ANY_VOICE && (a >> 2 !== b >> 2 || (a & b & 3) === 0)
