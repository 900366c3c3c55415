import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { App } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { at, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

type Got = { headers: Record<string, string | string[] | undefined>; body: string }
let app: App
let server: Server
let got: Got[] = []
/** What the receiver answers, one after the other; then 204. */
let answers: (number | 'nothing')[] = []
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      const status = answers.shift() ?? 204
      if (status === 'nothing') return
      response.writeHead(status, { location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  app = await openProjects({
    REVIEW_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
    WEBHOOK_SECRET: 'a shared secret',
    LOG_LEVEL: 'silent',
  })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  got = []
  answers = []
})
afterEach(() => vi.restoreAllMocks())

/** A project that has just gone into review, heard of by the projector so many times. */
async function submitted(times = 1) {
  const slug = await projectIn(app, 'draft', await waitingRecords(app, 1), { title: 'गेट & gates' })
  const { id } = sure(200, await move(app.contributor, slug, 'in_review'))
  const { queryAll } = await import('../../../lib/engines/table/read.ts')
  const { applyEffects } = await import('../../../lib/domain/effects/apply.ts')
  const items = await queryAll(`PROJECT#${id}`, 'ACTIVITY#')
  for (let i = 0; i < times; i += 1) for (const after of items) await applyEffects({ before: undefined, after })
  return { id, slug }
}
/** Has whoever sets a time limit wait only so long, in milliseconds. Answers the limits that were wanted. */
function hurried(milliseconds: number): readonly number[] {
  const wanted: number[] = []
  const limit = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((given) => {
    wanted.push(given)
    return limit(milliseconds)
  })
  return wanted
}
const visit = async () => (await import('../../../functions/webhooks.ts')).handler()
const dead = async () => (await import('../../../lib/domain/webhooks/deliveries.ts')).listDeadDeliveries()
const nothing = { delivered: 0, failed: 0, dead: 0 }

describe('a project that goes into review', () => {
  test('is told to the receiver once, signed, however often it is heard', async () => {
    const { id, slug } = await submitted(3)
    expect(await visit()).toEqual({ ...nothing, delivered: 1 })
    expect(await visit()).toEqual(nothing)
    expect(got).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = got
    expect(JSON.parse(body)).toEqual({ project_id: id, slug, title: 'गेट & gates' })
    const signature = createHmac('sha256', 'a shared secret').update(body).digest('hex')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-signature': `sha256=${signature}`,
      'x-event': 'project.in_review',
      'x-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('is told of by no other move', async () => {
    const { slug } = await submitted()
    await visit()
    sure(200, await move(app.community, slug, 'approved'))
    const { queryAll } = await import('../../../lib/engines/table/read.ts')
    const { applyEffects } = await import('../../../lib/domain/effects/apply.ts')
    const { id } = sure(200, await app.contributor.get(at(slug)))
    const [latest] = (await queryAll(`PROJECT#${id}`, 'ACTIVITY#')).reverse()
    await applyEffects({ before: undefined, after: latest })
    expect(await visit()).toEqual(nothing)
  })
})

describe('a receiver that does not take it', () => {
  test('is asked again five times, later each time, with the same bytes; then it is given up', async () => {
    await submitted()
    answers = [500, 503, 404, 302, 400, 500, 204]
    expect(await visit()).toEqual({ ...nothing, failed: 1 })
    for (const [i, pause] of [30, 120, 600, 3600, 14_400].entries()) {
      app.tick(pause - 1)
      expect([i, await visit()]).toEqual([i, nothing])
      app.tick(1)
      expect([i, await visit()]).toEqual([i, i === 4 ? { ...nothing, dead: 1 } : { ...nothing, failed: 1 }])
    }
    app.tick(86_400)
    expect(await visit()).toEqual(nothing)
    expect(got).toHaveLength(6)
    expect(
      new Set(got.map((it) => `${it.body} ${it.headers['x-delivery-id']} ${it.headers['x-signature']}`)).size,
    ).toBe(1)
    expect(await dead()).toEqual([expect.objectContaining({ attempts: 6, last_error: 'answered 500', state: 'dead' })])
  })

  test('takes it in the end', async () => {
    await submitted()
    answers = [500]
    expect(await visit()).toEqual({ ...nothing, failed: 1 })
    app.tick(30)
    expect(await visit()).toEqual({ ...nothing, delivered: 1 })
  })

  test('and says nothing for five seconds has failed', async () => {
    await submitted()
    answers = ['nothing']
    const limits = hurried(100)
    expect(await visit()).toEqual({ ...nothing, failed: 1 })
    expect(limits).toEqual([5000])
    vi.restoreAllMocks()
    app.tick(30)
    expect(await visit()).toEqual({ ...nothing, delivered: 1 })
  })

  test('holds up no other delivery', async () => {
    const slow = await submitted()
    const quick = await submitted()
    answers = ['nothing']
    hurried(1500)
    expect(await visit()).toEqual({ delivered: 1, failed: 1, dead: 0 })
    expect(got.map((it) => JSON.parse(it.body).project_id).sort()).toEqual([slow.id, quick.id].sort())
    app.tick(30)
    await visit()
  })
})

test('two senders at once send it once', async () => {
  await submitted()
  const both = await Promise.all([visit(), visit()])
  expect(both.reduce((sum, it) => sum + it.delivered, 0)).toBe(1)
  expect(got).toHaveLength(1)
})

test('a sender that ends in the middle of an attempt is followed by another, and the attempt counts', async () => {
  await submitted()
  const { withFault } = await import('../../harness/faults.ts')
  // Alone, what hooks are to hear of, looked for, read, begun, sent; the word that it was delivered is never written.
  await withFault(5, 'killed', visit)
  expect(got).toHaveLength(1)
  expect(await visit()).toEqual(nothing)
  // As long as one visit may take.
  app.tick(60)
  expect(await visit()).toEqual({ ...nothing, delivered: 1 })
  expect(got.map((it) => it.headers['x-delivery-id'])[0]).toBe(got.map((it) => it.headers['x-delivery-id'])[1])
})

test('a delivery that ends its sender three times is given up, with a sentence; the others are sent', async () => {
  await submitted()
  const { withFault } = await import('../../harness/faults.ts')
  for (let death = 1; death <= 3; death += 1) {
    // The first write takes the lock, the second one the delivery. The process ends right after that.
    expect(await withFault(1, 'killed after', visit, 'every write')).toBe(true)
    app.tick(61)
  }
  // This one came later. It is sent at once, beside no other that may end its sender.
  await submitted()
  expect(await visit()).toEqual({ ...nothing, delivered: 1, dead: 1 })
  expect(got).toHaveLength(1)
  expect((await dead())[0]).toMatchObject({
    attempts: 3,
    last_error: 'The process that sent this ended three times.',
  })
  app.tick(86_400)
  expect(await visit()).toEqual(nothing)
})

describe('in production', () => {
  const secured = async <T>(work: () => Promise<T>): Promise<T> => {
    const { config } = await import('../../../lib/base/config.ts')
    config.secure = true
    try {
      return await work()
    } finally {
      config.secure = false
    }
  }
  const message = { id: 'x', event: 'project.in_review', body: '{}' }
  const sending = async (url: string) => {
    const { sendMessage } = await import('../../../lib/domain/webhooks/send.ts')
    return secured(() => sendMessage(url, message)).then(
      () => 'sent',
      (error: Error) => error.message,
    )
  }

  test('only https is spoken', async () => {
    expect(await sending('http://example.org/')).toBe('not https')
  })

  test.each([
    'https://127.0.0.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://localhost/',
  ])('%s is not connected to', async (url) => {
    expect(await sending(url)).toBe('not a public address')
    expect(got).toEqual([])
  })

  test.each([
    ['8.8.8.8', true],
    ['93.184.216.34', true],
    ['2606:4700:4700::1111', true],
    ['0.0.0.0', false],
    ['100.64.0.1', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['fe80::1', false],
    ['2001:db8::1', false],
    ['2002:7f00:1::', false],
    ['64:ff9b::7f00:1', false],
    ['::ffff:8.8.8.8', false],
    ['not an address', false],
  ])('%s is public: %s', async (address, expected) => {
    const { isPublic } = await import('../../../lib/domain/webhooks/send.ts')
    expect(isPublic(address)).toBe(expected)
  })

  test('a name is looked up for the connection itself, and refused where any address of it is not public', async () => {
    const { publicOnly } = await import('../../../lib/domain/webhooks/send.ts')
    const looked = await new Promise<unknown>((done) => publicOnly('localhost', {}, (error) => done(error?.message)))
    expect(looked).toBe('not a public address')
  })
})

test('a receiver in production must be https', async () => {
  const { parseConfig } = await import('../../../lib/base/config.ts')
  const env = {
    STAGE: 'prod',
    TABLE_NAME: 'heritage',
    SECRET_KEY: 'a-secret-key-of-32-bytes-or-more-for-this-test',
    ALLOWED_HOSTS: 'x',
  }
  expect(() => parseConfig({ ...env, REVIEW_WEBHOOK_URL: 'http://example.org/' })).toThrow(
    'REVIEW_WEBHOOK_URL must begin with https:',
  )
  expect(parseConfig({ ...env, REVIEW_WEBHOOK_URL: 'https://example.org/' }).REVIEW_WEBHOOK_URL).toBe(
    'https://example.org/',
  )
  expect(parseConfig(env).REVIEW_WEBHOOK_URL).toBe('')
})
