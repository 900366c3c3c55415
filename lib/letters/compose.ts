import { config } from '../config.ts'
import type { Say } from '../language/catalogue.ts'
import { cut } from '../matching/cut.ts'
import type { Shown } from '../notifications/list.ts'
import type { User } from '../users/users.ts'
import { confirmLink, stopLink } from './links.ts'
import type { Mail } from './mail.ts'
import type { Settings } from './settings.ts'
import { noticeIn, phrasesIn } from './words.ts'

/** Letters as they are sent. Pure: what may be told was decided when it was read. */

/** So many notices stand in a letter. */
const MOST_TOLD = 30
/** A subject is one line that is read at a glance. */
const LONGEST_SUBJECT = 150

type To = { user: Pick<User, 'id' | 'email' | 'username' | 'first_name'>; settings: Settings; say: Say }

/** The letter that tells these notices, of so many that arrived; newest first. */
export function letterOf({ user, settings, say }: To, told: readonly Shown[]): Mail {
  const words = phrasesIn(say)
  const stop = stopLink(settings.origin, user.id)
  const notices = told
    .slice(0, MOST_TOLD)
    .map(({ notification: { notice, detail }, about, on }) => noticeIn(say, notice, { detail, about, on }))
  const [first] = notices
  const left = told.length - notices.length
  const subject = told.length === 1 && first ? first.message : words.manyNotices(told.length)
  const lines = notices.map(({ message, link }) => `- ${plain(message)}${link ? `\n  ${addressOf(link)}` : ''}`)
  return {
    to: user.email,
    subject: cut(plain(subject), LONGEST_SUBJECT),
    text: [
      words.greeting(plain(user.first_name) || user.username),
      ...lines,
      ...(left > 0 ? [words.more(left)] : []),
      '-- ',
      words.foot(stop),
    ].join('\n\n'),
    headers: {
      // RFC 8058: a reader's program ends letters by a POST, without asking anything more.
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  }
}

/** The letter that asks whether an address is its reader's. Nothing of what anybody wrote is in it, since it may go to a stranger. */
export function questionOf({ user, settings, say }: To): Mail {
  const words = phrasesIn(say)
  return {
    to: user.email,
    subject: words.question,
    text: words.ask(confirmLink(settings.origin, user.id, user.email)),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** One line, whatever somebody has called something. */
const plain = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
/** A page of the dashboard, which is where browsers may come from. */
const addressOf = (link: string) => `${config.CORS_ORIGINS[0] ?? ''}${link}`
