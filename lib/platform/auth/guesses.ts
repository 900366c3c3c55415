import { hash } from 'node:crypto'
import { asciiLowerCase } from '../../engines/matching/index.ts'

/**
 * Wrong passwords for one account. A route that takes a password declares this throttle. What a person mistypes stays below it, what a
 * program tries does not.
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
 * Counts an attempt to give the password of an account. `who` is the account, or a name that no account has: nobody can tell one from
 * the other. The count stays if the request fails. Fails with `tooMany` if all attempts are used up.
 */
export const countGuess = (count: CountGuesses, who: string): Promise<boolean> => count('guess', 1, digestOfName(who))

/** Takes the count of an attempt back: the password was right. */
export const forgiveGuess = (count: CountGuesses, who: string): Promise<boolean> =>
  count('guess', -1, digestOfName(who))

/** The name of an account or an address as counts hold it: a count outlasts what it names. */
export const digestOfName = (who: string): string => hash('sha256', asciiLowerCase(who), 'base64url')
