import { inUnit } from '../../platform/unit-of-work.ts'
import { type AccountLetter, giveBackLetter, takeLetter } from './account-letters.ts'
import { composeAccountLetter } from './compose-account.ts'
import { sendMail } from './mail.ts'

/** Sends a letter about an account, at most once. Returns undefined if there is nothing to say any more. */
export async function sendAccountLetter(
  { id }: AccountLetter,
  pauses: readonly number[],
): Promise<'sent' | 'refused' | 'given_up' | 'unknown' | undefined> {
  const letter = await inUnit((unit) => takeLetter(unit, id))
  const mail = letter && (await composeAccountLetter(letter))
  if (!letter || !mail) return undefined
  const failure = await sendMail(mail)
  if (failure === undefined) return 'sent'
  const pause = pauses[letter.attempts]
  if (failure === 'unknown' || pause === undefined) return failure === 'unknown' ? 'unknown' : 'given_up'
  await inUnit((unit) => giveBackLetter(unit, letter, pause))
  return 'refused'
}
