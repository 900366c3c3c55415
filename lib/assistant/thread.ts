import { fold } from '../matching/fold.ts'

/** One thing that was said, by whom. */
export type Message = { role: 'user' | 'assistant' | 'system'; content: string }

/** What the user says last; undefined when the user has said nothing. */
export const questionIn = (messages: readonly Message[]): string | undefined =>
  messages.findLast((it) => it.role === 'user')?.content

/** How many letters of a question are looked for: what follows is a story around it. */
const LOOKED_FOR = 400

/** The words of a question that a record could be found by; all of its words when it consists of asking alone. */
export function wordsOf(question: string): string[] {
  const words = question
    .slice(0, LOOKED_FOR)
    .split(/[^\p{L}\p{M}\p{N}'’-]+/u)
    .filter((word) => fold(word) !== '')
  const telling = words.filter((word) => !asking.has(word.toLowerCase()))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, MOST_WORDS)
}

const MOST_WORDS = 24

/** Words that ask, in English and Nepali, and say nothing of what is asked about. */
const asking: ReadonlySet<string> = new Set(
  `a about all also an and any anything are as at be been but by can could did do does for from give had has have how i in
  information into is it its know kindly let like list many me more most much my named near of on or our please say see show
  some tell than that the their them there these they thing this those to up us was we were what when where which who whom
  whose why will with would you your called located built made find explain describe history story
  को का की के हो छ छन् कहाँ कहां कहिले किन कसले कुन कति मा बारे बारेमा भन बताउ बताउनुहोस् र यो त्यो मलाई`
    .split(/\s+/)
    .filter(Boolean),
)
