import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { events } from '../../deploy/routes.ts'
import { openApp, type Persona } from '../harness/app.ts'

const canary = {
  token: 'canary-token-7f3a',
  password: 'canary-password-91bc',
  email: 'canary-email-5d2e@example.org',
  note: 'canary-note-text-c04d',
  query: 'canary-query-text-88e1',
  cookie: 'canary-cookie-2b6f',
  path: 'canary-path-e9a0',
} as const
const values = Object.values(canary)

let written: string[] = []
const told: unknown[][] = []
// As deployed: what is written is what CloudWatch would keep. Before the routes are known, since the configuration is read once.
const app = await openApp({ env: { STAGE: 'dev', ALLOWED_HOSTS: 'localhost' } })
const made: { id: number; cultural_entity_id: string } = (
  await app.contributor.post('/cidoc/structures/', { body: { name: canary.note, note: canary.note } })
).body
beforeAll(() => {
  for (const stream of [process.stdout, process.stderr]) {
    const print = stream.write.bind(stream)
    vi.spyOn(stream, 'write').mockImplementation((text: string | Uint8Array) => {
      written.push(String(text))
      return String(text).startsWith('{"level"') || print(text)
    })
  }
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...items) => void told.push(items))
})
afterEach(() => {
  written = []
})

const body = {
  name: canary.note,
  note: canary.note,
  email: canary.email,
  username: canary.email,
  password: canary.password,
  refresh: canary.token,
  token: canary.token,
  reason: canary.note,
  feedback: canary.note,
  comments: canary.note,
  description: canary.note,
  verdict: 'request_changes',
  flag_type: 'other',
  existence_status: canary.note,
  coordinates: canary.note,
  assertion: { source_citation: canary.note, source_url: canary.note, data_quality_note: canary.note },
  messages: [{ role: 'user', content: canary.note }],
}
const query = {
  search: canary.query,
  q: canary.query,
  username: canary.query,
  ordering: canary.query,
  limit: canary.query,
}
const headers = {
  cookie: `session=${canary.cookie}`,
  'x-forwarded-for': canary.query,
  referer: `https://example.org/?q=${canary.query}`,
  'user-agent': canary.query,
  'if-none-match': `"${canary.query}"`,
  'idempotency-key': canary.token,
}

const declared = await Promise.all(
  Object.keys(events).map(async (name) => {
    const { routes }: { routes: object } = await import(`../../functions/${name}.ts`)
    return Object.keys(routes)
  }),
).then((all) => all.flat())

/** A path with what someone might write into it; ids where only ids lead further. */
const pathsOf = (pattern: string) => [
  pattern.replace(/\{\w+\}/g, canary.path),
  pattern
    .replace('{segment}', 'structures')
    .replace(/\{id\}/g, pattern.startsWith('/cidoc/{segment}') ? String(made.id) : made.cultural_entity_id)
    .replace(/\{\w+\}/g, made.cultural_entity_id),
]

function expectNothing(): void {
  const text = [...written, ...told.flat().map(String)].join('\n')
  for (const value of values) expect(text).not.toContain(value)
  expect(text).not.toMatch(/@(heritage\.test|example\.org)|Bearer |eyJ[\w-]{10}/)
}

/**
 * Sends a request with every canary to the path that leads furthest. Staff, whom nothing stops, also writes one into the path, and so does
 * whoever deletes.
 */
async function sendEverything(who: Persona, key: string): Promise<void> {
  const [method = '', pattern = ''] = key.split(' ')
  const [spoilt = '', good = ''] = pathsOf(pattern)
  for (const path of who === app.staff || method === 'DELETE' ? [spoilt, good] : [good]) {
    const sent = { query, headers, ...(!['GET', 'DELETE'].includes(method) && { body }) }
    // What would end the record ends the test of the next routes.
    if (method === 'DELETE' && path.includes(String(made.id))) continue
    await who.send(method, path, sent)
  }
  expect(written.filter((line) => line.includes('"message":"request"')).length).toBeGreaterThan(0)
}

describe.each(declared)('%s tells the log nothing that a caller sent', (key) => {
  test('from someone with a bad token, a contributor, and staff', async () => {
    for (const who of [app.as(canary.token), app.contributor, app.staff]) await sendEverything(who, key)
    expectNothing()
  })

  test('not even when the table fails with it in its message', async () => {
    const { db } = await import('../../lib/engines/table/client.ts')
    const error = Object.assign(new Error(values.join(' ')), { name: 'ValidationException', detail: canary.note })
    const broken = vi.spyOn(db, 'send').mockRejectedValue(error)
    try {
      await sendEverything(app.anon, key)
      await sendEverything(app.staff, key)
    } finally {
      broken.mockRestore()
    }
    expectNothing()
  })
})

test('tokens of every sort, given out and taken in, stay out of the log', async () => {
  const registered = await app.anon.post('/api/register/', {
    body: { email: canary.email, username: 'canary', password: canary.password },
  })
  expect(registered.status).toBe(201)
  const { body: pair } = await app.anon.post('/api/token/', {
    body: { email: canary.email, password: canary.password },
  })
  await app.as(pair.access).get('/data/user/me/')
  const { body: next } = await app.anon.post('/api/token/refresh/', { body: { refresh: pair.refresh } })
  await app.as(next.access).post('/data/blacklist/', { body: { refresh: next.refresh } })
  await app.as(pair.access).get('/data/user/me/')
  const text = written.join('\n')
  expect(text.match(/"message":"request"/g)?.length).toBe(6)
  for (const token of [pair.access, pair.refresh, next.access, next.refresh]) expect(text).not.toContain(token)
  expectNothing()
})

test('functions that nobody calls tell nothing of what they have read', async () => {
  const { handler: project } = await import('../../functions/projector.ts')
  const { handler: sweep } = await import('../../functions/sweeper.ts')
  const { marshall } = await import('@aws-sdk/util-dynamodb')
  const { queryAll } = await import('../../lib/engines/table/read.ts')
  const items = await queryAll(`ENTITY#${made.cultural_entity_id}`, '')
  const broken = { type: 'record', name: canary.note, email: canary.email }
  for (const item of [...items, broken])
    await project({ Records: [{ dynamodb: { NewImage: marshall(item), SequenceNumber: '1' } }] as never })
  await sweep()
  expect(written.join('')).toContain('"message":"projection"')
  expect(written.join('')).toContain('"message":"queue"')
  expectNothing()
})

test('a line holds nothing but the members that are allowed, whatever it is given', async () => {
  const { log } = await import('../../lib/base/telemetry/log.ts')
  const given = { level: 'info', message: 'test', email: canary.email, body: canary.note, headers }
  log(given as never)
  expect(Object.keys(JSON.parse(written[0] ?? ''))).toEqual(['level', 'message', 'timestamp', 'service'])
})
