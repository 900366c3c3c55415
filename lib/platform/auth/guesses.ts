import { hash } from 'node:crypto'
import { invalid } from '../../base/errors.ts'
import { asciiLowerCase } from '../../engines/matching/index.ts'
import { verifyPassword } from '../users/password.ts'
import type { User } from '../users/users.ts'

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

/**
 * Checks the password that a signed-in user gives once more. A right one is no guess. Fails with `invalid` for `member` if it is wrong, and
 * with `tooMany` if all attempts are used up.
 */
export async function checkPassword(
  count: CountGuesses,
  { id, password }: Pick<User, 'id' | 'password'>,
  given: string,
  member: string,
): Promise<void> {
  await countGuess(count, id)
  if (!(await verifyPassword(given, password))) throw invalid({ [member]: ['This is not your password.'] })
  await forgiveGuess(count, id)
}

/** The digest under which an account, a name or an address is counted. A count may outlast the account, so it holds no name. */
export const digestOfName = (who: string): string => hash('sha256', asciiLowerCase(who), 'base64url')
