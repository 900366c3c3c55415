import type { Point } from '../../matching/index.ts'
import { plainWords, readAngle } from '../../matching/index.ts'
import { toWord, type Word } from '../index/words.ts'

/**
 * A word of a question, as typed and in plain letters. `breaks`: a comma or a semicolon stands before it. `minus`: a minus sign
 * stands right before it. `point`: it is a pair of coordinates.
 */
export type Token = { typed: string; plain: string; breaks: boolean; minus: boolean; point?: Point }

/** A pair of degrees with decimals, latitude first: `27.67,85.42`, `N27.67 E85.42`, `27.67° N, 85.42° E`. */
const PAIR =
  /(?<![\d.])([NS]?)\s?(-?\d{1,2}\.\d{1,15})°?\s?([NS]?)\s*[,;\s]\s*([EW]?)\s?(-?\d{1,3}\.\d{1,15})°?\s?([EW]?)(?![\d.])/i
/** Degrees, minutes and seconds, latitude first: `27°40'12"N 85°25'20"E`. The seconds may be left out. */
const SEXAGESIMAL =
  /(?<!\d)(\d{1,2})\s?°\s?(\d{1,2}(?:\.\d+)?)\s?['′’]\s?(?:(\d{1,2}(?:\.\d+)?)\s?(?:["″”]|''))?\s?([NS])\s*[,;\s]?\s*(\d{1,3})\s?°\s?(\d{1,2}(?:\.\d+)?)\s?['′’]\s?(?:(\d{1,2}(?:\.\d+)?)\s?(?:["″”]|''))?\s?([EW])/i
/** Degrees that say what they are, in either order: `lat 27.67 lon 85.42`, `longitude: 85.42, latitude: 27.67`. */
const LABELLED =
  /(?<!\p{L})(lat|latitude|lon|lng|long|longitude)\s?[:=]?\s?(-?\d{1,3}\.\d{1,15})°?\s*[,;&\s]\s*(lat|latitude|lon|lng|long|longitude)\s?[:=]?\s?(-?\d{1,3}\.\d{1,15})/iu

type ReadPoint = (found: RegExpExecArray) => Point

/** The notations of coordinates, each with the function that reads it. */
const notations: readonly (readonly [RegExp, ReadPoint])[] = [
  [
    SEXAGESIMAL,
    ([, degrees, minutes, seconds, north, eastDegrees, eastMinutes, eastSeconds, east]) => ({
      lat: readAngle(degrees, minutes, seconds, north),
      lng: readAngle(eastDegrees, eastMinutes, eastSeconds, east),
    }),
  ],
  [
    LABELLED,
    ([, first = '', one, second = '', other]) => {
      const isLatitude = (label: string) => label.toLowerCase().startsWith('la')
      if (isLatitude(first) === isLatitude(second)) return { lat: Number.NaN, lng: Number.NaN }
      return isLatitude(first) ? { lat: Number(one), lng: Number(other) } : { lat: Number(other), lng: Number(one) }
    },
  ],
  [
    PAIR,
    ([, north, lat, northAfter, east, lng, eastAfter]) => ({
      lat: readAngle(lat, '0', '0', north || northAfter),
      lng: readAngle(lng, '0', '0', east || eastAfter),
    }),
  ],
]

/** The point that coordinates in a text name. Undefined if the text has none within the globe. */
function pairIn(text: string): { point: Point; from: number; to: number; typed: string } | undefined {
  for (const [notation, read] of notations) {
    const found = notation.exec(text)
    if (!found) continue
    const point = read(found)
    const [typed] = found
    // What is no number passes neither test.
    if (Math.abs(point.lat) <= 90 && Math.abs(point.lng) <= 180)
      return { point, from: found.index, to: found.index + typed.length, typed: typed.trim() }
  }
  return undefined
}

/** Splits a question into tokens. A pair of coordinates is one token; only the first pair is read. */
export function tokensOf(text: string): Token[] {
  const pair = /\d\D+\d/.test(text) ? pairIn(text) : undefined
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

/** Tokens as the words of the index. */
export const asWords = (tokens: readonly Token[]): Word[] => tokens.map(({ plain }) => toWord(plain))

/** Whether a token is a word that says nothing by itself, such as "of". */
export const isAside = ({ plain }: Token): boolean => toWord(plain).aside
