import { describe, expect, test } from 'vitest'
import { callerOf, NotSignedIn, type Send, Unsure } from '../../../local/commands/import/client.ts'

type Step = { status: number; headers?: Record<string, string>; body?: unknown } | Error

function scripted(...steps: Step[]) {
  const calls: string[] = []
  const waits: number[] = []
  const sent: Record<string, string>[] = []
  const send: Send = async (url, { method, headers }) => {
    calls.push(`${method} ${new URL(url).pathname} ${headers.authorization ?? '-'}`)
    sent.push(headers)
    const step = steps.shift()
    if (!step) throw new Error('Nothing more was expected.')
    if (step instanceof Error) throw step
    return new Response(JSON.stringify(step.body ?? {}), { status: step.status, headers: step.headers ?? {} })
  }
  const settings = { base: 'http://x', send, sleep: async (ms: number) => void waits.push(ms) }
  return { calls, waits, sent, settings }
}

describe('a caller', () => {
  test('waits as long as it is told', async () => {
    const { settings, waits } = scripted(
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': '2' } },
      { status: 200, body: { a: 1 } },
    )
    expect(await callerOf({ token: 't' }, settings).get('/a/')).toMatchObject({ status: 200, body: { a: 1 } })
    expect(waits).toEqual([7000, 2000])
  })

  test('reads again when no answer comes', async () => {
    const { settings, calls } = scripted(new Error('reset'), { status: 502 }, { status: 200 })
    expect((await callerOf({ token: 't' }, settings).get('/a/')).status).toBe(200)
    expect(calls).toHaveLength(3)
  })

  test('does not change again when it cannot tell whether the first took effect', async () => {
    for (const step of [new Error('reset'), { status: 503 }]) {
      const { settings, calls } = scripted(step)
      await expect(callerOf({ token: 't' }, settings).patch('/a/', {})).rejects.toBeInstanceOf(Unsure)
      expect(calls).toHaveLength(1)
    }
  })

  test('makes something again under the same key, and another thing under another', async () => {
    const { settings, sent } = scripted(new Error('reset'), { status: 503 }, { status: 201 }, { status: 201 })
    const caller = callerOf({ token: 't' }, settings)
    expect([(await caller.post('/a/', {})).status, (await caller.post('/a/', {})).status]).toEqual([201, 201])
    const keys = sent.map((headers) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0], keys[0], expect.not.stringMatching(String(keys[0]))])
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(sent.every(({ prefer }) => prefer === 'handling=strict')).toBe(true)
  })

  test('is unsure when no try was answered', async () => {
    const { settings, calls } = scripted(...Array.from({ length: 6 }, () => new Error('reset')))
    await expect(callerOf({ token: 't' }, settings).post('/a/', {})).rejects.toBeInstanceOf(Unsure)
    expect(calls).toHaveLength(6)
  })

  test('signs in once, and again when its token is over', async () => {
    const { settings, calls } = scripted(
      { status: 200, body: { access: 'one' } },
      { status: 200 },
      { status: 401 },
      { status: 200, body: { access: 'two' } },
      { status: 200 },
    )
    const caller = callerOf({ email: 'a@b.test' }, settings)
    await caller.get('/a/')
    await caller.get('/a/')
    expect(calls).toEqual([
      'POST /api/dev/login/ -',
      'GET /a/ Bearer one',
      'GET /a/ Bearer one',
      'POST /api/dev/login/ -',
      'GET /a/ Bearer two',
    ])
  })

  test('says so when it cannot sign in', async () => {
    const { settings } = scripted({ status: 403, body: { detail: 'No.' } })
    const caller = callerOf({ email: 'a@b.test' }, settings)
    await expect(caller.get('/a/')).rejects.toEqual(new NotSignedIn('a@b.test cannot sign in (403): No.'))
  })
})
