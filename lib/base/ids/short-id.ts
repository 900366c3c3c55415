import { createHash } from 'node:crypto'

/* Ids of eleven letters and digits. The wire has them for comments and legacy submissions. */

/** Whether a text has the form of a short id. */
export const isShortId = (text: string): boolean => /^[0-9A-Za-z]{11}$/.test(text)

/**
 * A number as a short id that does not show the number. The factor has no divisor in common with 62. So each number below 62^11 has its own
 * id, from which the number can be computed.
 */
export const shortIdOf = (number: number): string => toBase62((BigInt(number) * FACTOR) % ALL)

/** The number of a short id. Undefined if it is larger than the largest exact integer. */
export function shortIdNumber(id: string): number | undefined {
  if (!isShortId(id)) return undefined
  const number = (fromBase62(id) * INVERSE) % ALL
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number)
}

/** Reads a number from its digits or its short id; eleven digits are a short id. Undefined if the text is neither. */
export function parseNumberOrShortId(text: string): number | undefined {
  if (isShortId(text)) return shortIdNumber(text) || undefined
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The short id of a text. The same text always has the same id. */
export const shortDigest = (text: string): string =>
  toBase62(BigInt(`0x${createHash('sha256').update(text).digest('hex')}`) % ALL)

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 11
const ALL = 62n ** 11n
// The golden section of 62^11 as a whole number, which has no common divisor with 62^11. So ids of neighbouring numbers differ much.
const FACTOR = 32_160_363_160_257_795_053n
// The inverse of FACTOR modulo ALL. By Euler's theorem FACTOR^phi(ALL) is 1, so FACTOR^(phi(ALL) - 1) is the inverse. phi(ALL) counts the
// numbers below ALL that share no divisor with ALL: ALL / 62 * 30.
const INVERSE = power(FACTOR, (ALL / 62n) * 30n - 1n)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let [square, rest] = [base % ALL, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % ALL)
    if (rest & 1n) result = (result * square) % ALL
  return result
}

function toBase62(number: bigint): string {
  let text = ''
  for (let rest = number; text.length < LENGTH; rest /= 62n) text = LETTERS.charAt(Number(rest % 62n)) + text
  return text
}

const fromBase62 = (id: string) => [...id].reduce((sum, letter) => sum * 62n + BigInt(LETTERS.indexOf(letter)), 0n)
