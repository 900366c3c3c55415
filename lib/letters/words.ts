import { type NoticeInput, type NoticeName, wordsOf } from '../notifications/events.ts'
import type { LetterLanguage } from './settings.ts'

/** What letters say besides the notices themselves, by language. */

export type Phrases = {
  oneNotice: (notice: string) => string
  manyNotices: (count: number) => string
  greeting: (name: string) => string
  more: (count: number) => string
  /** Below everything: why it comes, and how it ends. */
  foot: (link: string) => string
  confirmSubject: string
  confirm: (link: string) => string
}

export const phrases: Readonly<Record<LetterLanguage, Phrases>> = {
  en: {
    oneNotice: (notice) => notice,
    manyNotices: (count) => `${count} notices for you`,
    greeting: (name) => `Dear ${name},`,
    more: (count) => `And ${count} more, which you find where you sign in.`,
    foot: (link) => `You get this letter because you asked for letters. To stop them: ${link}`,
    confirmSubject: 'Is this your address?',
    confirm: (link) =>
      `Someone who uses this address, we think you, asked us for letters. If it was you, open this link within three days:\n\n${link}\n\nIf it was not, do nothing: no further letter comes.`,
  },
  ne: {
    oneNotice: (notice) => notice,
    manyNotices: (count) => `तपाईंका लागि ${inNepali(count)} सूचना`,
    greeting: (name) => `प्रिय ${name},`,
    more: (count) => `थप ${inNepali(count)} सूचना साइन इन गरेपछि हेर्न सकिन्छ।`,
    foot: (link) => `तपाईंले पत्र माग्नुभएकाले यो पत्र आएको हो। रोक्न: ${link}`,
    confirmSubject: 'के यो ठेगाना तपाईंको हो?',
    confirm: (link) =>
      `यो ठेगाना प्रयोग गर्ने कसैले, सम्भवतः तपाईंले, हामीसँग पत्र माग्नुभएको छ। तपाईं नै हो भने तीन दिनभित्र यो लिङ्क खोल्नुहोस्:\n\n${link}\n\nहोइन भने केही नगर्नुहोस्: अर्को पत्र आउने छैन।`,
  },
}

const inNepali = (count: number) => new Intl.NumberFormat('ne-NP-u-nu-deva').format(count)

/** A notice in a language. The one place from which letters have the words of notices. */
export const noticeIn = (_language: LetterLanguage, name: NoticeName, input: NoticeInput) => wordsOf(name, input)
