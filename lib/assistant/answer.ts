import type { Say } from '../language/catalogue.ts'
import { cutAtWord } from '../matching/cut.ts'
import { extract } from './extract.ts'
import { askedFor, separate } from './nav.ts'
import type { Passage } from './passage.ts'
import { promptFor } from './prompt.ts'
import { complete, isConfigured } from './provider.ts'
import { type Message, questionIn, wordsOf } from './thread.ts'

export type Answer = {
  message: { role: 'assistant'; content: string }
  nav: string | null
  sources: { id: string; type: string; title: string; excerpt: string; url: string }[]
}

/** Said to who has not asked anything. */
const GREETING =
  'Ask me about the temples, monuments, deities, guthis, rituals, festivals, persons and places of the collection.'
const MOST_SOURCES = 24

/**
 * The assistant's next words in a conversation, with the records that they rest on. `find` gives those that fit some words
 * and that the caller may see. With a language model configured it answers from them; without one they are quoted, in words of `say`.
 */
export async function answer(
  messages: readonly Message[],
  find: (words: readonly string[]) => Promise<Passage[]>,
  say: Say,
): Promise<Answer> {
  const question = questionIn(messages)
  if (question === undefined) return replied(say(GREETING), null, [])
  const words = wordsOf(question)
  const passages = (words.length > 0 ? await find(words) : []).slice(0, MOST_SOURCES)
  const quoted = () => extract(question, words, passages, say)
  if (!isConfigured()) return replied(quoted(), askedFor(question, passages), passages)
  const { content, nav } = separate(await complete(promptFor(messages, passages)), passages)
  return replied(content || quoted(), nav, passages)
}

const replied = (content: string, nav: string | null, passages: readonly Passage[]): Answer => ({
  message: { role: 'assistant', content },
  nav,
  sources: passages.map(({ id, resource, title, text, url }) => ({
    id,
    type: `graph_${resource}`,
    title: cutAtWord(title, 200),
    excerpt: cutAtWord(text.replace(/\s+/g, ' ').trim(), 300),
    url,
  })),
})
