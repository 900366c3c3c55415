import * as v from 'valibot'
import { config } from '../config.ts'
import { badGateway, unavailable } from '../errors.ts'
import { cut } from '../matching/cut.ts'
import type { Message } from './thread.ts'

const MOST_TOKENS = 1200
const TEMPERATURE = 0.25
/** An answer is cut to this many letters; a reply of more bytes than this is not read at all. */
const MOST_LETTERS = 8000
const MOST_BYTES = 262_144

const Completion = v.object({
  choices: v.tupleWithRest(
    [v.object({ message: v.object({ content: v.pipe(v.string(), v.trim(), v.nonEmpty()) }) })],
    v.any(),
  ),
})

/** Whether answers are to come from a language model. */
export const isConfigured = (): boolean => config.ASSISTANT_BASE_URL !== ''

/**
 * What an OpenAI-compatible endpoint says next in a conversation. Fails with `unavailable` when it is named without a key, and with
 * `badGateway` when it refuses, does not answer in time, or answers what cannot be read.
 */
export async function complete(messages: readonly Message[]): Promise<string> {
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
      // The key goes where it was meant to go, and nowhere else.
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

/** The body, as far as there is not too much of it. */
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
