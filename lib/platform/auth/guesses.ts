import { hash } from 'node:crypto'
import { asciiLowerCase } from '../../engines/matching/index.ts'

/**
 * The limit of wrong passwords for one account. A route that takes a password declares this throttle. A person who mistypes stays below
 * the limit. A program that guesses does not.
 */
export const guesses = {
  scope: 'guess',
  rate: { limit: 20, seconds: 3600 },
  per: 'given',
  counts: 'in the handler',
  isKept: true,
} as const

/** The `count` of a route with this throttle. */
export type CountGuesses = (scope: 'guess', hits: number, whose: string) => Promise<boolean>

/**
 * Counts an attempt to give the password of an account. `who` is the id of the account, or the given name if no account has it. So nobody
 * can tell which accounts exist. The count stays if the request fails. Fails with `tooMany` if all attempts are used up.
 */
export const countGuess = (count: CountGuesses, who: string): Promise<boolean> => count('guess', 1, digestOfName(who))

/** Takes the count of an attempt back: the password was right. */
export const forgiveGuess = (count: CountGuesses, who: string): Promise<boolean> =>
  count('guess', -1, digestOfName(who))

/** The digest under which an account, a name or an address is counted. A count may outlast the account, so it holds no name. */
export const digestOfName = (who: string): string => hash('sha256', asciiLowerCase(who), 'base64url')
