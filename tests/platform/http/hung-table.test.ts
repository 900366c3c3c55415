import { subscribe } from 'node:diagnostics_channel'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { HttpEvent, HttpResult } from '../../../lib/platform/http/shell.ts'
import { eventOf } from '../../harness/app.ts'

/** A table that takes connections and says nothing, and what it has seen. */
const sockets = new Set<Socket>()
const seen = { connections: 0, requests: 0 }
const table = createServer((socket) => {
  sockets.add(socket)
  seen.connections += 1
  socket.on('data', (bytes) => {
    // The process has started when it still answered.
    if (String(bytes).includes('"LAYOUT"')) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
      return
    }
    seen.requests += 1
  })
  socket.on('error', () => undefined)
})

/** What this process has connected to the table, and the most that was open at one time. */
const opened: Socket[] = []
let mostOpen = 0
subscribe('net.client.socket', (message) => {
  opened.push((message as { socket: Socket }).socket)
  mostOpen = Math.max(mostOpen, opened.filter(({ destroyed }) => !destroyed).length)
})

let handler: (event: HttpEvent, context: never) => Promise<HttpResult>
const lines: { message: string; level: string; route?: string }[] = []
beforeAll(async () => {
  await new Promise<void>((done) => table.listen(0, '127.0.0.1', done))
  const address = table.address()
  const port = typeof address === 'object' ? address?.port : 0
  Object.assign(process.env, {
    STAGE: 'local',
    SECRET_KEY: 'test-only-secret-key-of-32-bytes-or-more',
    TABLE_NAME: 'hung',
    BUCKET_NAME: 'hung',
    DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ENDPOINT: 'http://127.0.0.1:1',
    TABLE_TIMEOUT: '1',
    LOG_LEVEL: 'info',
  })
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  handler = (await import('../../../functions/records.ts')).handler
  await (await import('../../../lib/platform/layout.ts')).checkLayout()
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  table.close()
})

const context = { getRemainingTimeInMillis: () => 14_000 } as never
const ask = async () => handler(await eventOf('GET', '/cidoc/structures/', {}, {}), context)
const askManyTimes = (count: number) => Promise.all(Array.from({ length: count }, ask))
/** The requests that the log tells of since the last call. */
const requestLines = () => lines.splice(0).filter(({ message }) => message === 'request')
const away = [503, '{"detail":"Temporarily unavailable. Try again."}']

describe('a table that takes calls and says nothing', () => {
  test('two hundred requests at once share fifty connections, and are 503 after one call each', async () => {
    const replies = await askManyTimes(200)
    expect(replies.map(({ statusCode, body }) => [statusCode, body])).toEqual(replies.map(() => away))
    expect(replies[0]?.headers?.['retry-after']).toBe('1')
    expect(mostOpen).toBe(50)
    const told = requestLines()
    expect(told).toHaveLength(200)
    for (const line of told) expect(line).toMatchObject({ level: 'ERROR', status: 503, dependency: 'table', faults: 1 })
    expect(told).toContainEqual(expect.objectContaining({ calls: 1, retries: 1, error: expect.any(String) }))
  })

  test('what comes then fails without a call', async () => {
    const before = { ...seen }
    const replies = await askManyTimes(500)
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => 503))
    // One call may have been let through, to find out whether the table answers again.
    expect(seen.requests - before.requests).toBeLessThanOrEqual(1)
    expect(seen.connections - before.connections).toBeLessThanOrEqual(1)
    for (const line of requestLines()) expect(line).toMatchObject({ level: 'ERROR', dependency: 'table' })
  })
})
