import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import type { Route } from '../../lib/platform/http/route.ts'
import { openApp, type Persona } from '../harness/app.ts'
import { fileOf, form } from '../harness/asset-world.ts'
import { checkTable, csv, readTable } from '../harness/imports.ts'
import { publish, sure } from '../harness/make.ts'
import { photographs } from '../harness/media-files.ts'
import { changeUser } from '../harness/people.ts'
import { addAsset, newProject } from '../harness/projects.ts'

/** What every route with a throttle promises: 429 with `Retry-After` once its rate is used up. */

const wide = [
  ...['TOKEN', 'REGISTER', 'DEV_LOGIN', 'PROJECTS', 'UPLOADS', 'OCR', 'IMPORTS', 'IMPORT_ROWS', 'SCANS', 'NOTES'],
  ...['NOTES_DAY', 'ASSISTANT'],
]
const app = await openApp({ env: Object.fromEntries(wide.map((name) => [`RATE_${name}`, '100000/day'])) })
const { declarationOf } = await import('../../lib/platform/http/endpoint.ts')
const loaded = await Promise.all(
  functionNames().map(async (name): Promise<object> => (await import(`../../functions/${name}.ts`)).routes ?? {}),
)
/**
 * Every throttle of a route, but for those without which the request goes on, and that of wrong passwords: a request that succeeds
 * takes its hit back (tests/platform/users/account.test.ts).
 */
const refusing = loaded
  .flatMap((routes) => Object.entries(routes) as [string, Route][])
  .flatMap(([key, route]) => (declarationOf(route).throttles ?? []).map((throttle) => ({ key, throttle })))
  .filter(({ throttle }) => !('isOptional' in throttle) && !('isKept' in throttle))
  .map(({ key, throttle }) => ({ key, scope: throttle.scope, throttle }))

let picture: Buffer
let media: number
/** A project of its own for OCR, which is counted by project. */
let scanned: string
/** The review identity of a public record. */
let temple: string
/** A caller with a key that may propose. */
let machine: Persona
beforeAll(async () => {
  temple = (await publish(app, 'structures', { name: 'Nyatapola' })).cultural_entity_id
  const asked = await app.contributor.post('/api/user/keys/', { body: { name: 'Machine', scopes: ['propose'] } })
  machine = app.as(sure(201, asked).token)
  picture = Buffer.from((await photographs())['image/png'])
  const slug = await newProject(app.contributor)
  const body = form({ file: fileOf(picture, 'a.png') })
  media = sure(201, await app.contributor.post(`/data/projects/${slug}/assets/upload/`, { body })).media
  scanned = await newProject(app.contributor)
})

let made = 0
const announced = (file_name: string) => ({ file_name, size: 10 })
const inProject = async (rest: string, body: unknown) => ({
  path: `/data/projects/${await newProject(app.contributor)}/assets/${rest}`,
  body,
})

type Request = {
  path: string
  body?: unknown
  /** The sender, if it is another than the throttle counts by itself. */
  who?: Persona
  /** Takes back what a call has made, so that the next one succeeds. */
  undo?: (made: { id: string }) => Promise<void>
  /** Whether an answer tells that the rate is used up, if a protocol tells it within 200. */
  isRefused?: (text: string) => boolean
}

/** A request that succeeds, made anew for each call. */
const requests: Record<string, () => Promise<Request>> = {
  'POST /api/token/': async () => ({ path: '/api/token/', body: { username: 'dev', password: 'heritage-local' } }),
  'POST /api/token/refresh/': async () => {
    const body = { username: 'dev', password: 'heritage-local' }
    return {
      path: '/api/token/refresh/',
      body: { refresh: sure(200, await app.anon.post('/api/token/', { body })).refresh },
    }
  },
  'POST /api/register/': async () => ({ path: '/api/register/', body: person() }),
  'POST /data/register/': async () => ({ path: '/data/register/', body: person() }),
  'POST /api/dev/login/': async () => ({ path: '/api/dev/login/', body: { email: 'dev@heritage.test' } }),
  'POST /assistant/chat/': async () => ({
    path: '/assistant/chat/',
    body: { messages: [{ role: 'user', content: 'Which temples are there?' }] },
  }),
  'POST /data/projects/': async () => ({ path: '/data/projects/', body: { slug: `rate-${++made}`, title: 'Rate' } }),
  'POST /data/projects/{slug}/assets/': () => inProject('', { media }),
  'POST /data/projects/{slug}/assets/upload/': () => inProject('upload/', form({ file: fileOf(picture, 'a.png') })),
  'POST /data/projects/{slug}/assets/uploads/': () => inProject('uploads/', announced('a.png')),
  'POST /data/projects/{slug}/assets/{id}/start-ocr/': async () => ({
    path: `/data/projects/${scanned}/assets/${await addAsset(scanned)}/start-ocr/`,
  }),
  'POST /data/pictures/': async () => ({ path: '/data/pictures/', body: form({ file: fileOf(picture, 'a.png') }) }),
  'POST /data/pictures/uploads/': async () => ({ path: '/data/pictures/uploads/', body: announced('a.png') }),
  'POST /data/imports/': async () => ({
    path: '/data/imports/',
    body: form({ file: new File(['Name\nNyatapola'], 'table.csv') }),
  }),
  'POST /data/imports/uploads/': async () => ({ path: '/data/imports/uploads/', body: announced('table.csv') }),
  'POST /data/imports/{id}/run/': async () => {
    const table = csv([['Name'], [`Temple of rate ${++made}`]])
    return { path: `/data/imports/${(await checkTable(app.contributor, 'table.csv', table)).id}/run/`, body: {} }
  },
  'POST /data/imports/{id}/check/': async () => {
    const { id } = await readTable(app.contributor, 'table.csv', csv([['Name'], [`Temple of rate ${++made}`]]))
    return { path: `/data/imports/${id}/check/` }
  },
  'POST /data/tabular-import-jobs/': async () => ({
    path: '/data/tabular-import-jobs/',
    body: form({ file: new File(['Name\nNyatapola'], 'table.csv') }),
  }),
  'POST /data/shares/': async () => ({ path: '/data/shares/', body: { entity_id: temple, platform: 'copy_link' } }),
  'POST /data/schema-extension-proposals/': async () => ({
    path: '/data/schema-extension-proposals/',
    body: { title: `Add kind ${++made}`, proposed_yaml: 'classes: {}' },
  }),
  'POST /data/entity-proposals/': async () => ({
    path: '/data/entity-proposals/',
    body: { canonical_label: `Thing ${++made}`, type_scope: 'structure' },
  }),
  'POST /data/relationship-proposals/': async () => ({
    path: '/data/relationship-proposals/',
    body: { predicate: 'near' },
  }),
  'POST /data/ocr-documents/upload/': async () => ({ path: '/data/ocr-documents/upload/', body: scan() }),
  'POST /data/ocr-documents/{id}/retry/': async () => {
    const { beginReading, failReading } = await import('../../lib/domain/scans/reading.ts')
    const sent = await app.contributor.post('/data/ocr-documents/upload/', { body: scan() })
    const id = sure(201, sent).uploaded_document_id
    const begun = await beginReading(id)
    if (!begun) throw new Error('somebody else reads it')
    await failReading(begun, 'The image cannot be read.')
    return { path: `/data/ocr-documents/${id}/retry/` }
  },
  'POST /data/ocr-chunk-uploads/': async () => ({
    path: '/data/ocr-chunk-uploads/',
    body: { filename: 'page.png', byte_size: 64 },
  }),
  'POST /data/public-contributions/': async () => ({
    path: '/data/public-contributions/',
    body: { entity_name: 'Nyatapola', content: `Note of rate ${++made}` },
  }),
  'POST /data/organizations/': async () => ({
    path: '/data/organizations/',
    body: { name: `Guthi of rate ${++made}` },
  }),
  // One watch, begun and stopped: a person has at most fifty.
  'POST /data/watches/': async () => ({
    path: '/data/watches/',
    body: { what: 'kind', about: 'structure' },
    undo: async ({ id }) => void sure(204, await app.contributor.delete(`/data/watches/${id}/`)),
  }),
  'POST /data/citations/': async () => ({ path: '/data/citations/', body: { of: '/cidoc/structures/' } }),
  'POST /mcp/': async () => ({ path: '/mcp/', body: await proposal(), who: machine, isRefused: isToolThrottled }),
  // One address within a test, another one in the next.
  'POST /api/password/reset/': async () => {
    const { clock } = await import('../../lib/base/clock.ts')
    return { path: '/api/password/reset/', body: { email: `at-${clock.now().getTime()}@example.org` } }
  },
  'POST /api/user/address/': async () => ({
    path: '/api/user/address/',
    body: { email: `moved-${++made}@example.org`, password: 'heritage-local' },
  }),
  'POST /api/user/address/verify/': async () => {
    const { id } = sure(200, await app.contributor.get('/api/user/info/'))
    await changeUser(id, () => ({ email_verified: false }))
    return { path: '/api/user/address/verify/' }
  },
  'POST /data/user/me/export/': async () => ({ path: '/data/user/me/export/' }),
  'PUT /data/notifications/letters/': async () => ({
    path: '/data/notifications/letters/',
    body: { mode: 'daily', hour: ++made % 24 },
  }),
}
/** A call of the tool that proposes a value, whose errors are results of the tool. */
const proposal = async () => ({
  jsonrpc: '2.0',
  id: ++made,
  method: 'tools/call',
  params: {
    name: 'propose_value',
    arguments: {
      id: (await publish(app, 'structures', { name: `Temple of rate ${made}` })).cultural_entity_id,
      property: 'note',
      value: `Note of rate ${made}`,
      source_type: 'published',
      source_citation: 'Slusser, Nepal Mandala, 1982, p. 140',
    },
  },
})
const isToolThrottled = (text: string) => text.includes('"isError":true') && text.includes('Request was throttled')
const scan = () => form({ file: fileOf(picture, 'page.png'), standalone_ingestion: 'true' })
const person = () => ({
  username: `rate${++made}`,
  email: `rate${made}@example.org`,
  password: 'a long password of 1768',
  ...{ first_name: 'A', last_name: 'B', organization: 'C', position: 'D', university_school: 'E' },
})

/** The most hits that a rate allows here. Rates of hundreds are counted alike, with hundreds of requests. */
const FEW = 2

/** Lets a throttle allow only a few hits. Returns how many, and the function that gives it back its own rate. */
async function lower({ rate }: (typeof refusing)[number]['throttle']): Promise<{ limit: number; restore: () => void }> {
  const { config } = await import('../../lib/base/config.ts')
  if (typeof rate === 'string') {
    const own = config[rate]
    config[rate] = { limit: FEW, seconds: 60 }
    return { limit: FEW, restore: () => Object.assign(config, { [rate]: own }) }
  }
  const { limit: own } = rate
  const limit = Math.min(own, FEW)
  Object.assign(rate, { limit })
  return { limit, restore: () => Object.assign(rate, { limit: own }) }
}

describe('a throttle of a route', () => {
  test.each(refusing)('$key answers 429 when $scope is used up', async ({ key, throttle }) => {
    const next = requests[key]
    if (!next) throw new Error(`no request of ${key} is known here`)
    const [method = ''] = key.split(' ')
    // Windows of their own: neither what prepares the requests nor another route is counted in them.
    app.tick(60)
    const all = []
    for (let i = 0; i <= FEW; i += 1) all.push(await next())
    const who = throttle.per === 'address' ? app.anon : app.contributor
    if (who === app.contributor) await who.get('/api/user/info')
    const { limit, restore } = await lower(throttle)
    try {
      const answers = []
      for (const { path, body, who: sender = who, undo } of all.slice(0, limit + 1)) {
        const answer = await sender.send(method, path, { body })
        answers.push(answer)
        if (answer.status < 300) await undo?.(answer.body)
      }
      const isRefused = all[0]?.isRefused
      expect(
        answers
          .slice(0, -1)
          .filter(({ status, text }) => status >= 300 || (isRefused && text.includes('"isError":true')))
          .map(({ text }) => text),
      ).toEqual([])
      const last = answers.at(-1)
      if (isRefused) {
        expect(last?.text).toSatisfy(isRefused)
        return
      }
      expect(last?.status).toBe(429)
      expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    } finally {
      restore()
    }
  })
})

test('hits are counted by the pipeline alone, so that no route counts what it does not declare', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const files = ['functions', 'lib'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const using = (word: RegExp) =>
    files.filter((name) => name.endsWith('.ts') && word.test(readFileSync(`${root}${name}`, 'utf8'))).sort()
  expect(using(/\bimport \{[^}]*\} from '[^']*\/throttle\.ts'/)).toEqual(['lib/platform/http/endpoint.ts'])
  expect(using(/\baddBelowLimit\(/)).toEqual(['lib/engines/table/write.ts', 'lib/platform/http/throttle.ts'])
})
