import { orUndo } from '../../base/errors.ts'
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
  if (!letter) return undefined
  const pause = pauses[letter.attempts]
  const giveBack = async () => pause !== undefined && inUnit(async (unit) => giveBackLetter(unit, letter, pause))
  // A letter that could not be composed was not sent, so it is due again.
  const mail = await orUndo(() => composeAccountLetter(letter), giveBack)
  if (!mail) return undefined
  const failure = await sendMail(mail)
  if (failure === undefined) return 'sent'
  if (failure === 'unknown') return 'unknown'
  await giveBack()
  return pause === undefined ? 'given_up' : 'refused'
}
