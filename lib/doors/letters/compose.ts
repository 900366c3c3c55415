import { config } from '../../base/config.ts'
import type { Say } from '../../base/language/catalogue.ts'
import { isOfWatches } from '../../domain/notifications/events.ts'
import type { VisibleNotification } from '../../domain/notifications/list.ts'
import { stopWatchingLink } from '../../domain/watches/links.ts'
import { cut } from '../../engines/matching/index.ts'
import type { User } from '../../platform/users/users.ts'
import { confirmLink, stopLink } from './links.ts'
import type { Mail } from './mail.ts'
import type { LetterSettings } from './settings.ts'
import { noticeIn, phrasesIn } from './words.ts'

/** The most notifications in a letter. */
const NOTICE_LIMIT = 30
/** The most letters of a subject. */
const SUBJECT_LENGTH = 150

/** A person who gets letters; `say` translates for them. */
type Recipient = { user: Pick<User, 'id' | 'email' | 'username' | 'first_name'>; settings: LetterSettings; say: Say }

/** Composes the letter about these notifications, newest first. The reader must be allowed to see all of them. */
export function composeLetter({ user, settings, say }: Recipient, notifications: readonly VisibleNotification[]): Mail {
  const words = phrasesIn(say)
  const stop = stopLink(settings.origin, user.id)
  const notices = notifications
    .slice(0, NOTICE_LIMIT)
    .map(({ message: { notice, detail }, about, on }) => noticeIn(say, notice, { detail, about, on }))
  const [first] = notices
  const tellsOfWatches = notifications.some(({ message: { notice } }) => isOfWatches(notice))
  const omitted = notifications.length - notices.length
  const subject = notifications.length === 1 && first ? first.message : words.manyNotices(notifications.length)
  const lines = notices.map(({ message, link }) => `- ${onOneLine(message)}${link ? `\n  ${dashboardLink(link)}` : ''}`)
  return {
    to: user.email,
    subject: cut(onOneLine(subject), SUBJECT_LENGTH),
    text: [
      words.greeting(onOneLine(user.first_name) || user.username),
      ...lines,
      ...(omitted > 0 ? [words.more(omitted)] : []),
      ...(tellsOfWatches ? [words.stopWatching(stopWatchingLink(settings.origin, user.id))] : []),
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

/** Composes the letter that asks whether an address is the reader's. It holds no text that a person wrote, since it may go to a stranger. */
export function composeConfirmationRequest({ user, settings, say }: Recipient): Mail {
  const words = phrasesIn(say)
  return {
    to: user.email,
    subject: words.question,
    text: words.ask(confirmLink(settings.origin, user.id, user.email)),
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** A text on one line: names of records may hold line breaks. */
const onOneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
/** The address of a page of the dashboard. Its origin is the first of `CORS_ORIGINS`. */
const dashboardLink = (link: string) => `${config.CORS_ORIGINS[0] ?? ''}${link}`
