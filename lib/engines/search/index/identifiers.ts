import { plainWords } from '../../matching/index.ts'

/** The term of an identifier. No word begins with `=`. */
export const identifierTerm = (letters: string): string => `=${letters}`

/** The most parts of an identifier that are looked up together, from its end: `way/112563248` of `osm:way/112563248`. */
const MOST_PARTS = 3

/**
 * The terms by which a document is found by its identifier: the whole in plain letters, and its last parts. A part without a digit
 * is no term by itself. Example: `osm:way/112563248` gives `osmway112563248`, `way112563248` and `112563248`.
 */
export function identifierTerms(identifier: string): string[] {
  const parts = plainWords(identifier)
  const ends = Array.from({ length: Math.min(MOST_PARTS, parts.length) }, (_, i) => parts.slice(-1 - i).join(''))
  return [...new Set([...ends, parts.join('')])].filter((it) => /\d/.test(it) && it.length > 2).map(identifierTerm)
}
