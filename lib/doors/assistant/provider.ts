import * as v from 'valibot'
import { config } from '../../base/config.ts'
import { badGateway, unavailable } from '../../base/errors.ts'
import { cut } from '../../engines/matching/index.ts'
import type { ChatMessage } from './thread.ts'

/** The most tokens of the model's message. */
const TOKEN_LIMIT = 1200
const TEMPERATURE = 0.25
/** Messages are cut to this length, in characters. */
const MESSAGE_LENGTH = 8000
/** The most bytes of a reply of the provider. A larger one is an error. */
const REPLY_SIZE = 262_144

const Completion = v.object({
  choices: v.tupleWithRest(
    [v.object({ message: v.object({ content: v.pipe(v.string(), v.trim(), v.nonEmpty()) }) })],
    v.any(),
  ),
})

/** Whether a language model is configured. */
export const hasProvider = (): boolean => config.ASSISTANT_BASE_URL !== ''

/**
 * Gets the next message of a conversation from an OpenAI-compatible endpoint. Fails with `unavailable` if no key is configured. Fails with
 * `badGateway` if the endpoint refuses, does not reply in time, or sends a reply that cannot be read.
 */
export async function completeChat(messages: readonly ChatMessage[]): Promise<string> {
  if (config.ASSISTANT_API_KEY === '') throw unavailable('The assistant is not configured.', 'language model')
  try {
    const reply = await fetch(`${config.ASSISTANT_BASE_URL.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${config.ASSISTANT_API_KEY}` },
      body: JSON.stringify({
        model: config.ASSISTANT_MODEL,
        messages,
        max_tokens: TOKEN_LIMIT,
        temperature: TEMPERATURE,
      }),
      // A redirect would send the key to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(config.ASSISTANT_TIMEOUT * 1000),
    })
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const { choices } = v.parse(Completion, JSON.parse(await readText(reply)))
    return cut(choices[0].message.content, MESSAGE_LENGTH)
  } catch {
    throw badGateway('The language model did not answer. Try again.', 'language model')
  }
}

/** Reads the body. Throws if it is too large. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > REPLY_SIZE) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
