import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENT } from '../../../deploy/packages/built-document.ts'
import { canonicalPath, routeMatcher } from '../../../lib/platform/http/path.ts'
import type { Answer, App } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { withReadsFailing } from '../../harness/faults.ts'
import { sure } from '../../harness/make.ts'
import { photographs } from '../../harness/media-files.ts'
import { type Asked, named, type Operations, operationsOf } from '../../harness/operations.ts'
import { at, openProjects } from '../../harness/projects.ts'

/** Each operation of the API document that changes something: sent for real, each time anew. */

let app: App
let operations: Operations
let made: readonly string[]
beforeAll(async () => {
  app = await openProjects({
    RATE_UPLOADS: '10000/h',
    RATE_OCR: '10000/day',
    RATE_IMPORTS: '10000/day',
    RATE_SCANS: '10000/day',
    RATE_NOTES: '10000/h',
    RATE_NOTES_DAY: '10000/day',
  })
  const { creating, changing } = await operationsOf(app)
  operations = { ...creating, ...changing }
  made = Object.keys(creating)
})

type Operation = {
  description: string
  parameters: { name: string }[]
  responses: object
  security: object[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
type Schema = {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }
const { paths, components }: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
/** Whatever may be asked for besides reading, and may succeed. Kinds share their routes. */
const changes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method, { responses }]) => method !== 'get' && Object.keys(responses).some((it) => it < '300'))
    .map(([method, operation]) => ({ method: method.toUpperCase(), path: canonicalPath(path), operation })),
)
const makers = changes.filter(
  // Nobody is signed in who registers; a second time finds the name taken.
  ({ method, operation }) =>
    method === 'POST' &&
    '201' in operation.responses &&
    operation.security.every((it) => Object.keys(it).length > 0) &&
    // What is shown once may not be kept to be shown again.
    !/is shown once/.test(operation.description),
)
/** The route of an operation, as they are named here. */
const routeOf = ({ method, path }: { method: string; path: string }) => {
  const found = routeMatcher(Object.fromEntries(Object.keys(operations).map((it) => [it, it])))(method, path)
  return 'found' in found ? found.found : `${method} ${path}`
}
const routesOf = (some: readonly { method: string; path: string }[]) => [...new Set(some.map(routeOf))].sort()

const ask = (route: string, { who, path, body }: Asked, headers = {}): Promise<Answer> =>
  who.send(route.split(' ')[0] ?? '', path, { headers, ...(body && { body }) })
const anew = async (route: string): Promise<Asked> => {
  const make = operations[route]
  if (!make) throw new Error(`nobody asks for ${route}`)
  return make()
}

test('each operation that changes something is asked for here', () => {
  expect(routesOf(changes), 'add its sample call to tests/harness/operations.ts or operations-beside.ts').toEqual(
    Object.keys(operations).sort(),
  )
  expect(routesOf(makers).filter((it) => !made.includes(it))).toEqual([
    // Completing an upload twice gives the same asset, key or not: tests/domain/projects/asset-uploads.test.ts.
    'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/',
  ])
})

describe('half of a character, which nothing can store', () => {
  const HALF = 'a\ud800'
  /** Values with half of a character in each place of a schema: alone, in members and in lists. */
  function spoilt(schema: Schema, depth = 0): unknown[] {
    const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema
    if (depth > 6) return []
    if ($ref) return spoilt(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, depth)
    return [
      ...(depth === 0 ? [] : [HALF]),
      ...(depth === 1 ? [{ [HALF]: 1 }, { free: [{ text: HALF }] }] : []),
      ...Object.entries(properties).flatMap(([name, each]) => spoilt(each, depth + 1).map((it) => ({ [name]: it }))),
      ...(items ? spoilt(items, depth + 1).map((it) => [it]) : []),
      ...[...anyOf, ...oneOf, ...allOf].flatMap((each) => spoilt(each, depth)),
    ]
  }
  const bodied = changes.flatMap(({ method, path, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    const isOfKind = /^\/cidoc\/[a-z_]+\/\{id\}\/$/.test(path)
    // Kinds share their routes. A record of each kind is sent here, but only a person is changed.
    // The body of a confirmation has no text: its token is in the query.
    return schema && spoilt(schema).length > 0 && (method === 'POST' || !isOfKind || path.startsWith('/cidoc/persons/'))
      ? [{ method, path, schema }]
      : []
  })

  test('is looked for in every body', () => {
    expect(bodied.length).toBeGreaterThan(100)
  })

  /** The schema of a kind has hundreds of places, and one function looks into all bodies: some of them, from first to last, are enough. */
  const MOST = 6
  const some = <T>(all: readonly T[]): T[] =>
    all.filter((_, i) => i === 0 || Math.floor((i * MOST) / all.length) > Math.floor(((i - 1) * MOST) / all.length))

  test.each(bodied)('is refused with the name of the member: $method $path', async ({ method, path, schema }) => {
    const asked = await anew(routeOf({ method, path }))
    // A kind has members of its own. Its records share one route.
    const at = path.startsWith('/cidoc/') && !path.includes('{') ? path : asked.path
    const sample = asked.body instanceof FormData ? {} : asked.body
    const bodies = some([...new Set(spoilt(schema).map((it) => JSON.stringify(it)))])
    const wrong: string[] = []
    for (const text of bodies) {
      const body = JSON.parse(text)
      const { status, body: told } = await asked.who.send(method, at, { body: { ...sample, ...body } })
      const [member = ''] = Object.keys(body)
      if (status !== 400 || !Object.hasOwn(told, member)) wrong.push(`${text}: ${status} ${JSON.stringify(told)}`)
    }
    expect(wrong).toEqual([])
    expect(bodies.length).toBeGreaterThan(0)
  })
})

describe('a POST that makes something', () => {
  test('takes an Idempotency-Key, says the document of each', () => {
    const without = makers.filter(
      ({ operation }) => !operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
    )
    expect(without.map(({ path }) => path)).toEqual([])
    expect(makers.length).toBeGreaterThan(20)
  })

  test('makes it once for one key, and answers the same', { timeout: 120_000 }, async () => {
    const photograph = (await photographs())['image/png']
    for (const route of made) {
      const asked = await anew(route)
      const key = { 'idempotency-key': crypto.randomUUID() }
      const [first, second] = [await ask(route, asked, key), await ask(route, asked, key)]
      expect([route, first.status, second.status], first.text).toEqual([route, 201, 201])
      expect(second.body).toEqual(first.body)
      expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
      const isForm = asked.body instanceof FormData
      const other = isForm ? form({ file: fileOf(photograph, 'other.png') }) : { ...asked.body, x: 1 }
      const reused = await ask(route, { ...asked, body: other }, key)
      expect([reused.status, reused.headers['idempotent-replayed']]).toEqual(isForm ? [422, undefined] : [201, 'true'])
    }
  })

  test('of two at once makes one', async () => {
    const route = 'POST /data/entities/{entity_id}/comments/'
    const asked = await anew(route)
    const thread = asked.path
    const before = (await app.anon.get(thread)).body
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(route, asked, key)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const after = (await app.anon.get(thread)).body
    const replies = ({ results }: { results: { reply_count: number }[] }) =>
      results.reduce((sum, { reply_count }) => sum + reply_count, 0)
    expect(replies(after)).toBe(replies(before) + 1)
  })

  test('keeps replies larger than an item', async () => {
    const body = { name: named('Long'), description: 'ने'.repeat(4000), note: 'पा'.repeat(4000) }
    const key = { 'idempotency-key': crypto.randomUUID() }
    const asked = { who: app.contributor, path: '/cidoc/persons/', body }
    const [first, second] = [await ask('POST', asked, key), await ask('POST', asked, key)]
    expect([first.status, second.text]).toEqual([201, first.text])
  })
})

describe('no read after the commit can fail the answer', () => {
  /** What an operation answers when all goes well, and how many transactions it makes. */
  async function plainly(route: string) {
    const asked = await anew(route)
    const answers: Answer[] = []
    const commits = await withReadsFailing(Number.POSITIVE_INFINITY, async () => answers.push(await ask(route, asked)))
    const [answer] = answers
    expect([route, answer?.status], answer?.text).toEqual([route, expect.toBeOneOf([200, 201, 202, 204])])
    return { commits, answer }
  }
  const outline = (it: Answer | undefined) => `${it?.status} ${Object.keys(it?.body ?? {}).join()}`

  /** What an operation answers if each read after this many transactions fails, and how many it makes. */
  async function withoutReads(after: number, route: string) {
    const asked = await anew(route)
    const answers: Answer[] = []
    const commits = await withReadsFailing(after, async () => answers.push(await ask(route, asked)))
    return { commits, answer: answers[0] }
  }

  test('of any operation', { timeout: 240_000 }, async () => {
    const failed: string[] = []
    const silent: string[] = []
    for (const route of Object.keys(operations)) {
      // Most make one transaction. If no read after it is needed, none after the last is: the document says what a whole answer has.
      const first = await withoutReads(1, route)
      if (first.commits === 0) silent.push(route)
      if ((first.answer?.status ?? 500) < 300) continue
      const { commits, answer } = await plainly(route)
      const last = await withoutReads(commits, route)
      if (outline(last.answer) !== outline(answer)) failed.push(`${route}: ${last.answer?.status} ${last.answer?.text}`)
    }
    expect(failed).toEqual([])
    // What changes nothing here: who signs in or out, or asks.
    expect(
      silent.filter(
        (it) =>
          !/\/(token|refresh|login|logout|suggest-field|read-date|reconcile|chat|oai|mark_read|mark_all_read|mcp)\/$/.test(
            it,
          ),
      ),
    ).toEqual([])
  })

  test.each([
    ['POST /data/projects/{slug}/transition/', 'approved', 'merged'],
    ['POST /data/projects/{slug}/rollback-merge/', 'merged', 'needs_revision'],
  ])('%s: at whatever commit, it has happened or it has not', { timeout: 120_000 }, async (route, before, after) => {
    const commits = await withReadsFailing(Number.POSITIVE_INFINITY, async () => {
      await ask(route, await anew(route))
    })
    const ends = new Set<string>()
    for (let nth = 1; nth <= commits; nth += 1) {
      const asked = await anew(route)
      let answer: Answer | undefined
      await withReadsFailing(nth, async () => {
        answer = await ask(route, asked)
      })
      const [, , , slug = ''] = asked.path.split('/')
      const { state } = sure(200, await app.staff.get(at(slug)))
      expect([nth, answer?.status, state]).toEqual([nth, ...(state === after ? [200, after] : [500, before])])
      if (answer?.status === 200) expect(answer.body.state).toBe(after)
      ends.add(state)
    }
    expect([...ends].sort()).toEqual([after, before].sort())
  })
})
