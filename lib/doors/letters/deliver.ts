import { later, now } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import type { Say } from '../../base/language/catalogue.ts'
import { sayIn } from '../../base/language/say.ts'
import {
  type BegunLetter,
  beginLetter,
  dueInboxes,
  listForLetter,
  postponeLetter,
  remindReviewers,
} from '../../domain/notifications/letters.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { loadUser, type User } from '../../platform/users/users.ts'
import { letterOf, questionOf } from './compose.ts'
import { type Failure, type Mail, sendMail } from './mail.ts'
import { listWaitingForQuestion, loadSettings, obstacleOf, type Settings, takeQuestion } from './settings.ts'

/** Counts of letters. `refused` ones are due again; `unknown` ones got no answer and are not sent again. */
export type Sent = { sent: number; refused: number; given_up: number; unknown: number }

/** The pause after each refusal, in seconds. After the last one the letter is given up. */
const pauses = [60, 600, 3600, 14_400] as const
/** The number of letters that are sent at once. */
const AT_ONCE = 5

/**
 * One run: first letters that ask for confirmation, then letters that are due, `LETTERS_PER_MINUTE` in all. Each is sent at most once: it
 * is taken before it is sent, and only a refused one is due again.
 */
export async function deliverLetters(): Promise<Sent> {
  const result: Sent = { sent: 0, refused: 0, given_up: 0, unknown: 0 }
  if (config.LETTERS_SENDER === '') return result
  const most = config.LETTERS_PER_MINUTE
  const asked = (await listWaitingForQuestion(now(), most)).map(
    ({ user_id }) =>
      () =>
        ask(user_id),
  )
  await remindReviewers(most)
  const due = (await dueInboxes(now(), most)).map((user_id) => () => tell(user_id))
  const work = [...asked, ...due].slice(0, most)
  const failed: unknown[] = []
  for (let start = 0; start < work.length; start += AT_ONCE) {
    const some = await Promise.allSettled(work.slice(start, start + AT_ONCE).map((each) => each()))
    for (const each of some) {
      if (each.status === 'rejected') failed.push(each.reason)
      else if (each.value) result[each.value] += 1
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, 'letters')
  return result
}

type End = keyof Sent | undefined

/** The reader of a letter; undefined if they want none any more. */
async function readerOf(user_id: string): Promise<{ user: User; settings: Settings; say: Say } | undefined> {
  const [user, settings] = await Promise.all([loadUser(user_id), loadSettings(user_id)])
  if (!user?.is_active || settings.mode === 'off') return undefined
  return { user, settings, say: await sayIn(settings.language ?? user.language ?? 'en') }
}

/** Sends the letter that is due to a person, with what they may see at this moment. */
async function tell(user_id: string): Promise<End> {
  const begun = await beginLetter(user_id, now())
  if (!begun) return undefined
  let mail: Mail | undefined
  try {
    mail = await mailFor(user_id, begun)
  } catch (error) {
    // The letter was not sent, so it may be due again.
    await postponeLetter(user_id, begun, later(pauses[0]))
    throw error
  }
  if (!mail) return undefined
  const failure = await sendMail(mail)
  if (failure !== 'refused') return ended(failure)
  const pause = pauses[begun.attempts]
  if (pause === undefined) return 'given_up'
  await postponeLetter(user_id, begun, later(pause))
  return 'refused'
}

/** The letter; undefined if there is nothing to tell, or the reader gets no letters. */
async function mailFor(user_id: string, begun: BegunLetter): Promise<Mail | undefined> {
  const reader = await readerOf(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user)) return undefined
  const { notifications } = await listForLetter(actorOf(reader.user), begun)
  return notifications.length > 0 ? letterOf(reader, notifications) : undefined
}

/** Sends the letter that asks a person to confirm the address. */
async function ask(user_id: string): Promise<End> {
  if (!(await inUnit((unit) => takeQuestion(unit, user_id)))) return undefined
  const reader = await readerOf(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user) !== 'unconfirmed') return undefined
  const failure = await sendMail(questionOf(reader))
  if (failure !== 'refused') return ended(failure)
  await inUnit((unit) => takeQuestion(unit, user_id, later(pauses[0])))
  return 'refused'
}

const ended = (failure: Failure | undefined): End => (failure === undefined ? 'sent' : 'unknown')
