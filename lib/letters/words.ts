import type { Say } from '../language/catalogue.ts'
import { phrase } from '../language/phrase.ts'
import { type NoticeInput, type NoticeName, wordsOf } from '../notifications/events.ts'

/** What letters say besides the notices themselves; `say` has it in the language of the reader. */
export const phrasesIn = (say: Say) => ({
  manyNotices: (count: number) => say(phrase(`${count} notices for you`)),
  greeting: (name: string) => say(phrase(`Dear ${name},`)),
  more: (count: number) => say(`And ${count} more, which you find where you sign in.`),
  /** Below everything: why it comes, and how it ends. */
  foot: (link: string) =>
    `${say('You get this letter because you asked for letters.')} ${say(phrase('To stop them:'))} ${link}`,
  question: say('Is this your address?'),
  ask: (link: string) =>
    [
      say('Someone who uses this address, we think you, asked us for letters.'),
      `${say('If it was you, open this link within three days:')}\n\n${link}`,
      say('If it was not, do nothing: no further letter comes.'),
    ].join('\n\n'),
})

/** A notice in the language of its reader. The one place from which letters have the words of notices. */
export const noticeIn = (say: Say, name: NoticeName, input: NoticeInput) => wordsOf(name, input, say)
