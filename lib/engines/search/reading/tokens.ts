import type { Point } from '../../matching/index.ts'
import { plainWords } from '../../matching/index.ts'

/**
 * A word of a question, as typed and in plain letters. `breaks`: a comma or a semicolon stands before it. `minus`: a minus sign
 * stands right before it. `point`: it is a pair of coordinates.
 */
export type Token = { typed: string; plain: string; breaks: boolean; minus: boolean; point?: Point }

/** A pair of degrees with decimals, latitude first: `27.67,85.42`, `N27.67 E85.42`, `27.67° N, 85.42° E`. */
const PAIR =
  /(?<![\d.])([NS]?)\s?(-?\d{1,2}\.\d{1,15})°?\s?([NS]?)\s*[,;\s]\s*([EW]?)\s?(-?\d{1,3}\.\d{1,15})°?\s?([EW]?)(?![\d.])/i

/** The point that a pair of coordinates names. Undefined if the text has none within the globe. */
function pairIn(text: string): { point: Point; from: number; to: number; typed: string } | undefined {
  const found = PAIR.exec(text)
  if (!found) return undefined
  const [typed, north = '', lat = '', northAfter = '', east = '', lng = '', eastAfter = ''] = found
  const signed = (degrees: string, letters: string, negative: string) =>
    letters.toUpperCase().includes(negative) ? -Number(degrees) : Number(degrees)
  const point = { lat: signed(lat, north + northAfter, 'S'), lng: signed(lng, east + eastAfter, 'W') }
  if (Math.abs(point.lat) > 90 || Math.abs(point.lng) > 180) return undefined
  return { point, from: found.index, to: found.index + typed.length, typed: typed.trim() }
}

/** Splits a question into tokens. A pair of coordinates is one token; only the first pair is read. */
export function tokensOf(text: string): Token[] {
  const pair = pairIn(text)
  if (!pair) return wordsOf(text)
  const token: Token = { typed: pair.typed, plain: '', breaks: false, minus: false, point: pair.point }
  return [...wordsOf(text.slice(0, pair.from)), token, ...wordsOf(text.slice(pair.to))]
}

const WORD =
  /([,;]\s*)?(?:(?<=^|[\s,;(])(-)(?=\p{L}))?([\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}.'’/:_]*(?:-[\p{L}\p{M}\p{N}]+)*)/gu

const wordsOf = (text: string): Token[] =>
  [...text.matchAll(WORD)].map(([, comma, minus, typed = '']) => ({
    typed,
    plain: plainWords(typed).join(' '),
    breaks: comma !== undefined,
    minus: minus !== undefined,
  }))

/** The tokens as typed, with a space between. */
export const textOf = (tokens: readonly Token[]): string => tokens.map(({ typed }) => typed).join(' ')
