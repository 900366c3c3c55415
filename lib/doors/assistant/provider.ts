import * as v from 'valibot'
import { config } from '../../base/config.ts'
import { badGateway, unavailable } from '../../base/errors.ts'
import { cut } from '../../engines/matching/index.ts'
import type { Message } from './thread.ts'

const MOST_TOKENS = 1200
const TEMPERATURE = 0.25
/** An answer is cut to so many letters. A reply with more bytes is an error. */
const MOST_LETTERS = 8000
const MOST_BYTES = 262_144

const Completion = v.object({
  choices: v.tupleWithRest(
    [v.object({ message: v.object({ content: v.pipe(v.string(), v.trim(), v.nonEmpty()) }) })],
    v.any(),
  ),
})

/** Whether a language model is configured. */
export const hasProvider = (): boolean => config.ASSISTANT_BASE_URL !== ''

/**
 * The next message of an OpenAI-compatible endpoint in a conversation. Throws `unavailable` if the endpoint is configured without a key.
 * Throws `badGateway` if it refuses, does not answer in time, or its answer cannot be read.
 */
export async function completeChat(messages: readonly Message[]): Promise<string> {
  if (config.ASSISTANT_API_KEY === '') throw unavailable('The assistant is not configured.')
  try {
    const reply = await fetch(`${config.ASSISTANT_BASE_URL.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${config.ASSISTANT_API_KEY}` },
      body: JSON.stringify({
        model: config.ASSISTANT_MODEL,
        messages,
        max_tokens: MOST_TOKENS,
        temperature: TEMPERATURE,
      }),
      // A redirect would send the key to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(config.ASSISTANT_TIMEOUT * 1000),
    })
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const { choices } = v.parse(Completion, JSON.parse(await textOf(reply)))
    return cut(choices[0].message.content, MOST_LETTERS)
  } catch {
    throw badGateway('The language model did not answer. Try again.')
  }
}

/** Reads the body. Throws if it is too large. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
