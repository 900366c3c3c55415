import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../lib/platform/http/route.ts'
import { openApp } from '../harness/app.ts'
import { fileOf, form } from '../harness/asset-world.ts'
import { functionNames } from '../harness/functions.ts'
import { checkTable, csv } from '../harness/imports.ts'
import { sure } from '../harness/make.ts'
import { photographs } from '../harness/media-files.ts'
import { changeUser } from '../harness/people.ts'
import { addAsset, newProject } from '../harness/projects.ts'

/** What every route with a throttle promises: 429 with `Retry-After` once its rate is used up. */

const wide = ['TOKEN', 'REGISTER', 'DEV_LOGIN', 'PROJECTS', 'UPLOADS', 'OCR', 'IMPORTS', 'IMPORT_ROWS', 'ASSISTANT']
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
beforeAll(async () => {
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

/** A request that succeeds, made anew for each call. */
const requests: Record<string, () => Promise<{ path: string; body?: unknown }>> = {
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
const person = () => ({
  username: `rate${++made}`,
  email: `rate${made}@example.org`,
  password: 'a long password of 1768',
  ...{ first_name: 'A', last_name: 'B', organization: 'C', position: 'D', university_school: 'E' },
})

describe('a throttle of a route', () => {
  test.each(refusing)('$key answers 429 when $scope is used up', async ({ key, throttle }) => {
    const { config } = await import('../../lib/base/config.ts')
    const { limit } = typeof throttle.rate === 'string' ? { limit: 2 } : throttle.rate
    const next = requests[key]
    if (!next) throw new Error(`no request of ${key} is known here`)
    const [method = ''] = key.split(' ')
    // Windows of their own: neither what prepares the requests nor another route is counted in them.
    app.tick(60)
    const all = []
    for (let i = 0; i <= limit; i += 1) all.push(await next())
    const who = throttle.per === 'address' ? app.anon : app.contributor
    if (who === app.contributor) await who.get('/api/user/info')
    const wide = typeof throttle.rate === 'string' ? config[throttle.rate] : undefined
    if (typeof throttle.rate === 'string') config[throttle.rate] = { limit, seconds: 60 }
    try {
      const answers = []
      for (const { path, body } of all) answers.push(await who.send(method, path, { body }))
      expect(
        answers
          .slice(0, -1)
          .filter(({ status }) => status >= 300)
          .map(({ text }) => text),
      ).toEqual([])
      const last = answers.at(-1)
      expect(last?.status).toBe(429)
      expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    } finally {
      if (typeof throttle.rate === 'string' && wide) config[throttle.rate] = wide
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
