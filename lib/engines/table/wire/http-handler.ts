import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols'
import { SILENT } from '../../../base/dependency.ts'
import { Circuit, type Ending } from './circuit.ts'

const kept = { keepAlive: true, maxSockets: 50 }

type Options = { abortSignal?: AbortSignal | { aborted: boolean } }
type Answer = { response: HttpResponse }

/**
 * Sends the SDK's requests over connections that stay open, and returns the whole body: replies of the table are short, so none
 * is streamed. A broken connection fails with an error that the SDK retries, and so does one that is silent for `silenceMs`.
 * After two silent requests in a row the next ones fail at once for two seconds, without being sent: see `circuit.ts`.
 */
export class HttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' }
  readonly #plain = new PlainAgent(kept)
  readonly #secure = new SecureAgent(kept)
  readonly #circuit: Circuit
  readonly #silenceMs: number

  constructor({ silenceMs, pauseMs = 2000 }: { silenceMs: number; pauseMs?: number }) {
    this.#silenceMs = silenceMs
    this.#circuit = new Circuit({ silences: 2, pauseMs, now: () => performance.now() })
  }

  async handle(request: HttpRequest, { abortSignal }: Options = {}): Promise<Answer> {
    if (abortSignal?.aborted) throw abortError()
    if (!this.#circuit.begin()) throw silentError()
    let ending: Ending = 'failed'
    try {
      const answer = await this.#send(request, abortSignal)
      ending = 'heard'
      return answer
    } catch (error) {
      if (isSilence(error)) ending = 'silent'
      throw error
    } finally {
      this.#circuit.end(ending)
    }
  }

  #send(request: HttpRequest, abortSignal: Options['abortSignal']): Promise<Answer> {
    const isSecure = request.protocol === 'https:'
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const { hostname, port, method, path, headers } = request
    const place = { host: hostname, port, method, path, headers }
    const sent = isSecure
      ? secureRequest({ ...place, agent: this.#secure })
      : plainRequest({ ...place, agent: this.#plain })
    const fail = (error: NodeJS.ErrnoException) => reject(asRetryable(error))
    sent.once('error', fail)
    sent.once('response', (answer) => collect(answer, (body) => resolve({ response: responseOf(answer, body) }), fail))
    endIfSilent(sent, this.#silenceMs)
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

/**
 * Ends a request when `silenceMs` pass without a byte. The time to connect counts. If this process was busy itself, it first reads what has
 * arrived.
 */
function endIfSilent(sent: ClientRequest, silenceMs: number): void {
  let heard = 0
  let timer = setTimeout(look, silenceMs)
  function look(): void {
    // The network is read between a timer and an immediate.
    setImmediate(() => {
      const read = sent.socket?.bytesRead ?? 0
      if (sent.destroyed) return
      if (read === heard || sent.socket?.connecting) return void sent.destroy(silence())
      heard = read
      timer = setTimeout(look, silenceMs)
    })
  }
  // A connection that stays open has read the replies of earlier requests.
  sent.once('socket', (socket) => {
    heard = socket.bytesRead
  })
  sent.once('close', () => clearTimeout(timer))
}

const silence = () => Object.assign(new Error('Nothing was heard.'), { code: 'ETIMEDOUT', [ours]: true })
const ours = Symbol('silence')
const isSilence = (error: unknown) => typeof error === 'object' && error !== null && ours in error
const silentError = () =>
  Object.assign(new Error('The table has not answered for a while, so it is not asked.'), { code: SILENT })

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
