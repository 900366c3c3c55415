import { EventEmitter } from 'node:events'

/** Stands for `node:http` and `node:https` where messages are sent to hooks: who receives them is part of the simulated world. */
type Web = (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<number>

export function request(url: URL, { headers }: { headers: Record<string, string> }): EventEmitter {
  const web: Web = Object(globalThis).proved.web
  const sent = new EventEmitter()
  const end = (body: string) => {
    web(String(url), headers, body).then(
      (statusCode) => sent.emit('response', { statusCode, destroy: () => undefined }),
      (error: unknown) => sent.emit('error', error),
    )
  }
  return Object.assign(sent, { end })
}
