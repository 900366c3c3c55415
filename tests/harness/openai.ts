import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the model has received. */
export type Asked = {
  path: string
  authorization: string | undefined
  body: { model: string; messages: { role: string; content: string }[]; max_tokens: number; temperature: number }
}
type Said = { status?: number; body?: unknown; text?: string; headers?: Record<string, string>; silent?: true }
export type Model = {
  url: string
  asked: Asked[]
  /** Sets the answer to later requests: a text of the assistant, or a whole reply, such as an error. */
  says: (words: string | Said) => void
  stop: () => Promise<void>
}

/** Starts a server with the chat completions endpoint of OpenAI, on a free port. It accepts this key only. */
export async function openModel(key: string): Promise<Model> {
  const asked: Asked[] = []
  let said: Said = {}
  const server = createServer(async (request, response) => {
    const { url = '', method, headers } = request
    const text = await textOf(request)
    const reply = (status: number, body: string, more: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body)
    if (method !== 'POST' || url !== '/v1/chat/completions') return reply(404, '{"error":{"message":"Unknown path"}}')
    if (headers.authorization !== `Bearer ${key}`) return reply(401, '{"error":{"message":"Incorrect API key"}}')
    asked.push({ path: url, authorization: headers.authorization, body: JSON.parse(text) })
    if (said.silent) return undefined
    return reply(said.status ?? 200, said.text ?? JSON.stringify(said.body), said.headers)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    says: (words) => {
      said = typeof words === 'string' ? { body: completion(words) } : words
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const completion = (content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1736935200,
  model: 'test',
  choices: [
    { index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop', logprobs: null },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
