import { setTimeout as sleep } from 'node:timers/promises'
import { makeByRank } from '../../deploy/stand-ins/people.ts'
import type { Answer, App, Persona, Sent } from './app.ts'

/** The seeded people as callers of a running service. The same tests can call it as they call handlers. */
export function openRemoteApp(origin: string): App {
  const persona = (identity: () => Record<string, string>): Persona => {
    const send = (method: string, path: string, sent?: Sent) => request(origin, method, path, identity(), sent)
    return {
      get: (path, sent) => send('GET', path, sent),
      post: (path, sent) => send('POST', path, sent),
      put: (path, sent) => send('PUT', path, sent),
      patch: (path, sent) => send('PATCH', path, sent),
      delete: (path, sent) => send('DELETE', path, sent),
      send,
    }
  }
  const seeded = (username: string) => persona(() => ({ 'x-dev-user': `${username}@heritage.test` }))
  const ofRank = makeByRank(seeded)
  return {
    anon: persona(() => ({})),
    contributor: seeded('dev'),
    other: seeded('other'),
    community: ofRank.community_reviewer,
    domain: ofRank.domain_expert,
    curator: ofRank.expert_curator,
    ofRank,
    staff: seeded('staff'),
    as: (token) => persona(() => ({ authorization: `Bearer ${token}` })),
    with: (headers) => persona(() => headers),
    tick: () => {
      throw new Error('The clock of a running service cannot be moved.')
    },
    cost: async (answer) => (await answer).cost,
  }
}

async function request(
  origin: string,
  method: string,
  path: string,
  identity: Record<string, string>,
  { body, query = {}, headers = {} }: Sent = {},
): Promise<Answer> {
  const url = new URL(path, origin)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const isForm = body instanceof FormData
  const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
  const payload = body === undefined || isForm ? body : JSON.stringify(body)
  const answer = await fetch(url, {
    ...{ method, redirect: 'manual', headers: { ...type, ...identity, ...headers } },
    ...(payload !== undefined && { body: payload }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = bytes.toString()
  const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    cookies: answer.headers.getSetCookie(),
    body: isJson ? JSON.parse(text) : undefined,
    ...{ text, bytes, cost: { calls: 0, units: 0 } },
  }
}

/** The heap in use of a Node process after a forced garbage collection, in MiB. SIGUSR1 opens its inspector on this port. */
export async function heapAfterCollection(pid: number, inspectorPort: number): Promise<number> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await inspectorOf(inspectorPort))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  let calls = 0
  const call = (method: string) =>
    new Promise<{ usedSize?: number }>((resolve) => {
      const id = ++calls
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data))
        if (answer.id === id) resolve(answer.result)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  // The second collection frees the objects that finalizers released in the first.
  await call('HeapProfiler.collectGarbage')
  await call('HeapProfiler.collectGarbage')
  const { usedSize = 0 } = await call('Runtime.getHeapUsage')
  socket.close()
  return usedSize / 2 ** 20
}

async function inspectorOf(port: number): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await fetch(`http://127.0.0.1:${port}/json`).then(
      (answer) => answer.json(),
      () => undefined,
    )
    if (Array.isArray(found)) return found[0].webSocketDebuggerUrl
    await sleep(50)
  }
  throw new Error(`No inspector listens on port ${port}.`)
}
