import type { Say } from '../../base/language/catalogue.ts'
import { cutAtWord } from '../../engines/matching/index.ts'
import { quoteSentences } from './extract.ts'
import { pageToOpen, separateNavigation } from './nav.ts'
import type { Passage } from './passage.ts'
import { buildPrompt } from './prompt.ts'
import { completeChat, hasProvider } from './provider.ts'
import { type ChatMessage, questionIn, searchWords } from './thread.ts'

export type AssistantReply = {
  message: { role: 'assistant'; content: string }
  nav: string | null
  sources: { id: string; type: string; title: string; excerpt: string; url: string }[]
}

/** The reply to a conversation without a question. */
const GREETING =
  'Ask me about the temples, monuments, deities, guthis, rituals, festivals, persons and places of the collection.'
/** The most records that a reply rests on. */
const SOURCE_LIMIT = 24

/**
 * The assistant's next message in a conversation, with its sources. `find` returns records that fit the words and that the caller may see.
 * A language model writes the message from these records, if one is configured. Otherwise the records are quoted, with phrases of `say`.
 */
export async function answerQuestion(
  messages: readonly ChatMessage[],
  find: (words: readonly string[]) => Promise<Passage[]>,
  say: Say,
): Promise<AssistantReply> {
  const question = questionIn(messages)
  if (question === undefined) return replyWith(say(GREETING), null, [])
  const words = searchWords(question)
  const passages = (words.length > 0 ? await find(words) : []).slice(0, SOURCE_LIMIT)
  const quote = () => quoteSentences(question, words, passages, say)
  if (!hasProvider()) return replyWith(quote(), pageToOpen(question, passages), passages)
  const { content, nav } = separateNavigation(await completeChat(buildPrompt(messages, passages)), passages)
  return replyWith(content || quote(), nav, passages)
}

const replyWith = (content: string, nav: string | null, passages: readonly Passage[]): AssistantReply => ({
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
