import type { Say } from '../../base/language/catalogue.ts'
import { cutAtWord } from '../../engines/matching/index.ts'
import { quoteSentences } from './extract.ts'
import { pageToOpen, separateNavigation } from './nav.ts'
import type { Passage } from './passage.ts'
import { promptFor } from './prompt.ts'
import { completeChat, hasProvider } from './provider.ts'
import { type Message, questionIn, wordsOf } from './thread.ts'

export type Answer = {
  message: { role: 'assistant'; content: string }
  nav: string | null
  sources: { id: string; type: string; title: string; excerpt: string; url: string }[]
}

/** The answer if no question was asked. */
const GREETING =
  'Ask me about the temples, monuments, deities, guthis, rituals, festivals, persons and places of the collection.'
const MOST_SOURCES = 24

/**
 * The assistant's answer in a conversation, with its sources. `find` returns records that fit some words and that the caller may see. A
 * language model answers from them, if one is configured. Otherwise they are quoted, with phrases of `say`.
 */
export async function answerQuestion(
  messages: readonly Message[],
  find: (words: readonly string[]) => Promise<Passage[]>,
  say: Say,
): Promise<Answer> {
  const question = questionIn(messages)
  if (question === undefined) return replied(say(GREETING), null, [])
  const words = wordsOf(question)
  const passages = (words.length > 0 ? await find(words) : []).slice(0, MOST_SOURCES)
  const quoted = () => quoteSentences(question, words, passages, say)
  if (!hasProvider()) return replied(quoted(), pageToOpen(question, passages), passages)
  const { content, nav } = separateNavigation(await completeChat(promptFor(messages, passages)), passages)
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
