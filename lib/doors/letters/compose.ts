import { config } from '../../base/config.ts'
import type { Say } from '../../base/language/catalogue.ts'
import type { VisibleNotification } from '../../domain/notifications/list.ts'
import { cut } from '../../engines/matching/index.ts'
import type { User } from '../../platform/users/users.ts'
import { confirmLink, stopLink } from './links.ts'
import type { Mail } from './mail.ts'
import type { Settings } from './settings.ts'
import { noticeIn, phrasesIn } from './words.ts'

/** The most notifications in a letter. */
const MOST_TOLD = 30
/** The most letters of a subject. */
const LONGEST_SUBJECT = 150

type To = { user: Pick<User, 'id' | 'email' | 'username' | 'first_name'>; settings: Settings; say: Say }

/** The letter about these notifications, newest first. Pure: the caller has decided what the reader may see. */
export function letterOf({ user, settings, say }: To, told: readonly VisibleNotification[]): Mail {
  const words = phrasesIn(say)
  const stop = stopLink(settings.origin, user.id)
  const notices = told
    .slice(0, MOST_TOLD)
    .map(({ message: { notice, detail }, about, on }) => noticeIn(say, notice, { detail, about, on }))
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
      // RFC 8058: a mail program stops letters with one POST to this link.
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  }
}

/** The letter that asks whether an address is the reader's. It holds no text that anybody wrote, since it may go to a stranger. */
export function questionOf({ user, settings, say }: To): Mail {
  const words = phrasesIn(say)
  return {
    to: user.email,
    subject: words.question,
    text: words.ask(confirmLink(settings.origin, user.id, user.email)),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** A text on one line: names of records may hold line breaks. */
const plain = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
/** A page of the dashboard. Its origin is the first of `CORS_ORIGINS`. */
const addressOf = (link: string) => `${config.CORS_ORIGINS[0] ?? ''}${link}`
