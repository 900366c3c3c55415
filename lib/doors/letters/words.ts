import type { Say } from '../../base/language/catalogue.ts'
import { phrase } from '../../base/language/languages.ts'
import { type NoticeInput, type NoticeName, writeNotice } from '../../domain/notifications/events.ts'

/** The phrases of letters around the notifications. `say` translates them for the reader. */
export const phrasesIn = (say: Say) => ({
  manyNotices: (count: number) => say(phrase(`${count} notices for you`)),
  greeting: (name: string) => say(phrase(`Dear ${name},`)),
  more: (count: number) => say(`And ${count} more, which you find where you sign in.`),
  /** The foot: why the letter comes, and how to stop letters. */
  foot: (link: string) =>
    `${say('You get this letter because you asked for letters.')} ${say(phrase('To stop them:'))} ${link}`,
  /** Under the notices of things that the reader watches. */
  stopWatching: (link: string) => `${say(phrase('To stop watching all that you watch:'))} ${link}`,
  question: say('Is this your address?'),
  ask: (link: string) =>
    [
      say('Someone who uses this address, we think you, asked us for letters.'),
      `${say('If it was you, open this link within three days:')}\n\n${link}`,
      say('If it was not, do nothing: no further letter comes.'),
    ].join('\n\n'),
})

/** A notification in the reader's language. Letters take the words of notifications from here only. */
export const noticeIn = (say: Say, name: NoticeName, input: NoticeInput) => writeNotice(name, input, say)
