import { createHash } from 'node:crypto'

/** Ids of eleven letters and digits, as the wire has them for comments and legacy submissions. */

/** Whether a text can be such an id at all. */
export const isShortId = (text: string): boolean => /^[0-9A-Za-z]{11}$/.test(text)

/**
 * A number as a short id that does not show the number, and is none but its own: multiplication by a number without a
 * common divisor with 62 turns all short ids round among themselves. So neither of the two has to be stored to be found
 * by the other.
 */
export const shortIdOf = (number: number): string => written((BigInt(number) * FACTOR) % ALL)

/** The number behind a short id; undefined where there is none that numbers can hold. */
export function numberOf(id: string): number | undefined {
  if (!isShortId(id)) return undefined
  const number = (read(id) * INVERSE) % ALL
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number)
}

/** The number that a text names, by its digits or by its short id; undefined for what is neither. */
export function numberNamed(text: string): number | undefined {
  if (isShortId(text)) return numberOf(text) || undefined
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The short id of a text: the same text always has the same one. */
export const shortDigest = (text: string): string =>
  written(BigInt(`0x${createHash('sha256').update(text).digest('hex')}`) % ALL)

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 11
const ALL = 62n ** 11n
// The golden section of all, or the next number without a divisor in common: what follows each other lies far apart.
const FACTOR = 32_160_363_160_257_795_053n
// What undoes the factor. Of the numbers below 62^11, 62^11 / 2 * 30 / 31 share no divisor with it, and a power of that
// many is 1; one factor less is the inverse.
const INVERSE = power(FACTOR, (ALL / 62n) * 30n - 1n)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let [square, rest] = [base % ALL, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % ALL)
    if (rest & 1n) result = (result * square) % ALL
  return result
}

function written(number: bigint): string {
  let text = ''
  for (let rest = number; text.length < LENGTH; rest /= 62n) text = LETTERS.charAt(Number(rest % 62n)) + text
  return text
}

const read = (id: string) => [...id].reduce((sum, letter) => sum * 62n + BigInt(LETTERS.indexOf(letter)), 0n)
