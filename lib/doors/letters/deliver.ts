import { later, now } from '../../base/clock.ts'
import { mapAtOnce } from '../../base/concurrency.ts'
import { config } from '../../base/config.ts'
import { orUndo } from '../../base/errors.ts'
import type { Say } from '../../base/language/catalogue.ts'
import { sayIn } from '../../base/language/say.ts'
import {
  type BegunLetter,
  beginLetter,
  listDueInboxes,
  listForLetter,
  postponeLetter,
  remindReviewers,
} from '../../domain/notifications/letters.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { loadUser, type User } from '../../platform/users/users.ts'
import { listDueLetters } from './account-letters.ts'
import { composeConfirmationRequest, composeLetter } from './compose.ts'
import { sendAccountLetter } from './deliver-account.ts'
import { type Mail, type SendFailure, sendMail } from './mail.ts'
import {
  type LetterSettings,
  listUnconfirmed,
  loadSettings,
  obstacleOf,
  postponeConfirmationRequest,
  takeConfirmationRequest,
} from './settings.ts'

/** Counts of letters. `refused` ones are due again; `unknown` ones got no reply and are not sent again. */
export type LetterCounts = { sent: number; refused: number; given_up: number; unknown: number }

/** Seconds before the next attempt, by the number of earlier refusals. The fifth refusal gives a letter up. */
const pauses = [60, 600, 3600, 14_400] as const
/** Letters that are sent in parallel. */
const LETTERS_AT_ONCE = 5

/**
 * Sends letters about accounts, then letters that ask for confirmation, then letters that are due, `LETTERS_PER_MINUTE` in all. Each is sent at most once: it is
 * taken before it is sent, and only a refused letter is due again. Fails with all errors once every letter was tried.
 */
export async function deliverLetters(): Promise<LetterCounts> {
  const counts: LetterCounts = { sent: 0, refused: 0, given_up: 0, unknown: 0 }
  if (config.LETTERS_SENDER === '') return counts
  const limit = config.LETTERS_PER_MINUTE
  // Letters about accounts go first: people wait for one to get back into their account.
  const own = (await listDueLetters(now(), limit)).map((letter) => () => sendAccountLetter(letter, pauses))
  const requests = (await listUnconfirmed(now(), limit)).map(
    ({ user_id }) =>
      () =>
        sendConfirmationRequest(user_id),
  )
  await remindReviewers(limit)
  const letters = (await listDueInboxes(now(), limit)).map((user_id) => () => sendLetter(user_id))
  const errors: unknown[] = []
  await mapAtOnce([...own, ...requests, ...letters].slice(0, limit), LETTERS_AT_ONCE, async (send) => {
    try {
      const result = await send()
      if (result) counts[result] += 1
    } catch (error) {
      errors.push(error)
    }
  })
  if (errors.length > 0) throw new AggregateError(errors, 'letters')
  return counts
}

/** Undefined if no letter was to be sent. */
type SendResult = keyof LetterCounts | undefined

/** Loads the reader of a letter. Undefined if they want no letters any more. */
async function loadReader(user_id: string): Promise<{ user: User; settings: LetterSettings; say: Say } | undefined> {
  const [user, settings] = await Promise.all([loadUser(user_id), loadSettings(user_id)])
  if (!user?.is_active || settings.mode === 'off') return undefined
  return { user, settings, say: await sayIn(settings.language ?? user.language ?? 'en') }
}

/** Sends the letter that is due to a person, with the notifications that they may see at this moment. */
async function sendLetter(user_id: string): Promise<SendResult> {
  const begun = await beginLetter(user_id, now())
  if (!begun) return undefined
  const mail = await orUndo(
    () => composeDueLetter(user_id, begun),
    () => postponeLetter(user_id, begun, later(pauses[0])),
  )
  if (!mail) return undefined
  const failure = await sendMail(mail)
  if (failure !== 'refused') return resultOf(failure)
  const pause = pauses[begun.attempts]
  if (pause === undefined) return 'given_up'
  await postponeLetter(user_id, begun, later(pause))
  return 'refused'
}

/** Composes the letter that is due. Undefined if there are no notifications, or if the reader gets no letters. */
async function composeDueLetter(user_id: string, begun: BegunLetter): Promise<Mail | undefined> {
  const reader = await loadReader(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user)) return undefined
  const { notifications } = await listForLetter(actorOf(reader.user), begun)
  return notifications.length > 0 ? composeLetter(reader, notifications) : undefined
}

/** Sends the letter that asks a person to confirm the address. */
async function sendConfirmationRequest(user_id: string): Promise<SendResult> {
  const refusals = await inUnit((unit) => takeConfirmationRequest(unit, user_id))
  if (refusals === undefined) return undefined
  const pause = pauses[refusals]
  const giveBack = async () =>
    pause !== undefined && inUnit((unit) => postponeConfirmationRequest(unit, user_id, later(pause)))
  const mail = await orUndo(() => composeRequest(user_id), giveBack)
  if (!mail) return undefined
  const failure = await sendMail(mail)
  if (failure !== 'refused') return resultOf(failure)
  await giveBack()
  return pause === undefined ? 'given_up' : 'refused'
}

/** Composes the letter that asks for confirmation. Undefined if the address needs none, or if the reader wants no letters any more. */
async function composeRequest(user_id: string): Promise<Mail | undefined> {
  const reader = await loadReader(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user) !== 'unconfirmed') return undefined
  return composeConfirmationRequest(reader)
}

const resultOf = (failure: SendFailure | undefined): SendResult => (failure === undefined ? 'sent' : 'unknown')
