import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols'

/** Options of the SDK's own handler. A connection without any reply for 300 seconds is closed. */
const kept = { keepAlive: true, maxSockets: 50, timeout: 300_000 }

type Options = { abortSignal?: AbortSignal | { aborted: boolean } }

/**
 * Sends the SDK's requests over connections that stay open, and returns the whole body: replies of the table are short, so none
 * is streamed. A broken connection fails with the error that the SDK tries again.
 */
export class HttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' }
  readonly #plain = new PlainAgent(kept)
  readonly #secure = new SecureAgent(kept)

  async handle(request: HttpRequest, { abortSignal }: Options = {}): Promise<{ response: HttpResponse }> {
    const isSecure = request.protocol === 'https:'
    const { promise, resolve, reject } = Promise.withResolvers<{ response: HttpResponse }>()
    if (abortSignal?.aborted) throw abortError()
    const { hostname, port, method, path, headers } = request
    const place = { host: hostname, port, method, path, headers }
    const sent = isSecure
      ? secureRequest({ ...place, agent: this.#secure })
      : plainRequest({ ...place, agent: this.#plain })
    const fail = (error: NodeJS.ErrnoException) => reject(asRetryable(error))
    sent.once('error', fail)
    sent.once('timeout', () => sent.destroy(Object.assign(new Error('Nothing was heard.'), { code: 'ETIMEDOUT' })))
    sent.once('response', (answer) => collect(answer, (body) => resolve({ response: responseOf(answer, body) }), fail))
    if (abortSignal instanceof AbortSignal) stopOn(abortSignal, sent, reject)
    sent.end(request.body)
    return promise
  }

  destroy(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }

  updateHttpClientConfig(): void {}
  httpHandlerConfigs(): object {
    return {}
  }
}

function collect(answer: IncomingMessage, done: (body: Uint8Array) => void, fail: (error: Error) => void): void {
  const parts: Buffer[] = []
  answer.on('data', (part: Buffer) => parts.push(part))
  answer.once('end', () => done(parts.length === 1 ? (parts[0] ?? none) : Buffer.concat(parts)))
  answer.once('error', fail)
}

const none = new Uint8Array()

/** Node gives names in lower case, and only `set-cookie` as a list. */
const responseOf = ({ statusCode = 0, headers }: IncomingMessage, body: Uint8Array) =>
  new HttpResponse({ statusCode, headers: headers as Record<string, string>, body })

function stopOn(signal: AbortSignal, sent: ClientRequest, reject: (error: Error) => void): void {
  const stop = () => {
    sent.destroy()
    reject(abortError())
  }
  signal.addEventListener('abort', stop, { once: true })
  sent.once('close', () => signal.removeEventListener('abort', stop))
}

const abortError = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' })

/** Names a broken connection `TimeoutError`, since the SDK retries errors of that name. */
const asRetryable = (error: NodeJS.ErrnoException) =>
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(error.code ?? '')
    ? Object.assign(error, { name: 'TimeoutError' })
    : error
