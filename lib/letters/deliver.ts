import { later, now } from '../clock.ts'
import { config } from '../config.ts'
import type { Say } from '../language/catalogue.ts'
import { sayIn } from '../language/say.ts'
import {
  type BegunLetter,
  beginLetter,
  dueInboxes,
  inLetter,
  postponeLetter,
  remindReviewers,
} from '../notifications/letters.ts'
import { actorOf } from '../users/actor.ts'
import { load as loadUser, type User } from '../users/users.ts'
import { letterOf, questionOf } from './compose.ts'
import { type Failure, type Mail, sendMail } from './mail.ts'
import { load, obstacleOf, type Settings, takeQuestion, waitingForQuestion } from './settings.ts'

/**
 * Sends what is due. Each letter is sent at most once: it is taken before it is sent, and only one that was certainly not taken by
 * the mail service is due again. Where no answer came nobody can tell, and it is not sent again; its notices stand in the inbox.
 */

/** What came of letters: sent; certainly not taken, and due again or given up; without an answer. */
export type Sent = { sent: number; refused: number; given_up: number; unknown: number }

/** The pause after each refusal, in seconds. After the last of them the letter is given up. */
const pauses = [60, 600, 3600, 14_400] as const
/** So many go out at a time. */
const AT_ONCE = 5

/** One visit: the questions first, then letters, as many in all as may go out in a minute. */
export async function deliverLetters(): Promise<Sent> {
  const result: Sent = { sent: 0, refused: 0, given_up: 0, unknown: 0 }
  if (config.LETTERS_SENDER === '') return result
  const most = config.LETTERS_PER_MINUTE
  const asked = (await waitingForQuestion(now(), most)).map(
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

/** Whom a letter goes to now; undefined of who gets none any more. */
async function readerOf(user_id: string): Promise<{ user: User; settings: Settings; say: Say } | undefined> {
  const [user, settings] = await Promise.all([loadUser(user_id), load(user_id)])
  if (!user?.is_active || settings.mode === 'off') return undefined
  return { user, settings, say: await sayIn(settings.language ?? user.language ?? 'en') }
}

/** Sends the letter that is due to someone, with what they may see at this moment. */
async function tell(user_id: string): Promise<End> {
  const begun = await beginLetter(user_id, now())
  if (!begun) return undefined
  let mail: Mail | undefined
  try {
    mail = await mailFor(user_id, begun)
  } catch (error) {
    // It was not even written: nothing keeps it from being due again.
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

/** The letter; undefined where there is nothing to tell, or nobody to tell it to. */
async function mailFor(user_id: string, begun: BegunLetter): Promise<Mail | undefined> {
  const reader = await readerOf(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user)) return undefined
  const { shown } = await inLetter(actorOf(reader.user), begun)
  return shown.length > 0 ? letterOf(reader, shown) : undefined
}

/** Sends the letter that asks whether an address is someone's. */
async function ask(user_id: string): Promise<End> {
  if (!(await takeQuestion(user_id))) return undefined
  const reader = await readerOf(user_id)
  if (!reader || obstacleOf(reader.settings, reader.user) !== 'unconfirmed') return undefined
  const failure = await sendMail(questionOf(reader))
  if (failure !== 'refused') return ended(failure)
  await takeQuestion(user_id, later(pauses[0]))
  return 'refused'
}

const ended = (failure: Failure | undefined): End => (failure === undefined ? 'sent' : 'unknown')
