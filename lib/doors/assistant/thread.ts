import { fold } from '../../engines/matching/index.ts'

/** One message of the conversation. */
export type ChatMessage = { role: 'user' | 'assistant' | 'system'; content: string }

/** The user's last message. Undefined if there is none. */
export const questionIn = (messages: readonly ChatMessage[]): string | undefined =>
  messages.findLast(({ role }) => role === 'user')?.content

/** Characters of a question that are searched. */
const SEARCHED_LENGTH = 400

/** The words of a question by which a record could be found. If there are none ("What is this?"), all of its words. */
export function searchWords(question: string): string[] {
  const words = question
    .slice(0, SEARCHED_LENGTH)
    .split(/[^\p{L}\p{M}\p{N}'’-]+/u)
    .filter((word) => fold(word) !== '')
  const contentWords = words.filter((word) => !questionWords.has(word.toLowerCase()))
  return [...new Set(contentWords.length > 0 ? contentWords : words)].slice(0, WORD_LIMIT)
}

/** Words of a question that are searched. */
const WORD_LIMIT = 24

/** Words of questions, in English and Nepali, that say nothing of a record. */
const questionWords: ReadonlySet<string> = new Set(
  `a about all also an and any anything are as at be been but by can could did do does for from give had has have how i in
  information into is it its know kindly let like list many me more most much my named near of on or our please say see show
  some tell than that the their them there these they thing this those to up us was we were what when where which who whom
  whose why will with would you your called located built made find explain describe history story
  को का की के हो छ छन् कहाँ कहां कहिले किन कसले कुन कति मा बारे बारेमा भन बताउ बताउनुहोस् र यो त्यो मलाई`
    .split(/\s+/)
    .filter(Boolean),
)
