import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { loadStack } from '../../deploy/stack.ts'
import { freePort } from '../../deploy/stand-ins/free-port.ts'
import { canonicalPath, routeMatcher } from '../../lib/platform/http/path.ts'
import { HEAP_MB } from '../../local/service/functions.ts'
import type { Answer, App } from '../harness/app.ts'
import { remoteSteps } from '../harness/imports.ts'
import { type LocalService, startService } from '../harness/local-service.ts'
import { type Operations, operationsOf } from '../harness/operations.ts'
import { heapAfterCollection, openRemoteApp } from '../harness/remote-app.ts'

/**
 * `npm start` as a client uses it that calls every operation. One round loads all that is ever loaded. `npm run endure` plays ten, prints the
 * heap after each, and compares them; `.ci/night` calls it.
 */

const ROUNDS = Number(process.env.ENDURANCE_ROUNDS ?? 1)
const hasProc = process.platform === 'linux'
if (!hasProc) console.warn('skipped: the memory of the functions, since their process is found through /proc')

type Document = { paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>> }

let service: LocalService
let app: App
let operations: Operations
let inspectorPort: number
beforeAll(async () => {
  inspectorPort = await freePort()
  const rates = [
    'PROJECTS',
    'UPLOADS',
    'OCR',
    'IMPORTS',
    'TOKEN',
    'REGISTER',
    'DEV_LOGIN',
    'ASSISTANT',
    'SCANS',
    'NOTES',
    'NOTES_DAY',
  ]
  service = await startService({
    ...Object.fromEntries(rates.map((name) => [`RATE_${name}`, '100000/min'])),
    // Only a process that is woken listens there, and only the one that serves is woken.
    NODE_OPTIONS: `--inspect-port=${inspectorPort}`,
  })
  // Some things are put into the table as no client can: helpers of the tests write to the table of this service.
  Object.assign(process.env, service.settings, loadStack(service.settings).environment)
  app = openRemoteApp(service.origin)
  const { creating, changing } = await operationsOf(app, remoteSteps)
  operations = { ...creating, ...changing }
}, 240_000)
afterAll(() => service?.stop())

/** The process that answers requests, below the one of `npm start`. */
function servingProcess(): number {
  const rows = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(service.pid)], { encoding: 'utf8' })
  return Number.parseInt(rows.split('\n').find((row) => row.includes('serverless')) ?? '', 10)
}

/** Reads a path. Detailed health alone is asked up to five times more: it answers 503 while a part of the service is too slow, as on a busy machine. */
async function readPatiently(path: string): Promise<Answer> {
  const tries = path === '/health/detailed/' ? 5 : 0
  for (let n = 0; n < tries; n += 1) {
    const answer = await app.staff.get(path)
    if (answer.status !== 503) return answer
    await sleep(1000)
  }
  return app.staff.get(path)
}

/** Every read of the document, with an id that its list shows where there is one. */
async function readAll(document: Document): Promise<string[]> {
  const failed: string[] = []
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!methods.get) continue
    const at = await withIds(path)
    const { status, text } = await readPatiently(at)
    if (status >= 500) failed.push(`GET ${at}: ${status} ${text.slice(0, 200)}`)
  }
  return failed
}

/** These succeed for nobody any more. */
const refused = [
  'POST /api/v1/data/form-submit/',
  'POST /api/v1/data/submissions/',
  'POST /api/v1/data/submissions/form-submit/',
  'PUT /api/v1/data/submissions/{id}/',
  'PATCH /api/v1/data/submissions/{id}/',
  'DELETE /api/v1/data/submissions/{id}/',
]

const ids = new Map<string, string>()
async function withIds(path: string): Promise<string> {
  const at = path.indexOf('{')
  if (at < 0) return path
  const list = path.slice(0, at)
  if (!ids.has(list)) {
    const { body } = await app.staff.get(list)
    const [one] = body?.results ?? (Array.isArray(body) ? body : [])
    ids.set(list, String(one?.id ?? one?.slug ?? one?.entity_id ?? '1'))
  }
  return path.replace(/\{[^}]+\}/, ids.get(list) ?? '1').replaceAll(/\{[^}]+\}/g, '1')
}

async function changeAll(): Promise<string[]> {
  const failed: string[] = []
  for (const route of refused) {
    const [method = '', path = ''] = route.split(' ')
    const { status } = await app.contributor.send(method, path.replace('{id}', '1'), { body: {} })
    if (status >= 500) failed.push(`${route}: ${status}`)
  }
  for (const [route, make] of Object.entries(operations)) {
    const { who, path, body } = await make()
    const { status, text } = await who.send(route.split(' ')[0] ?? '', path, body && { body })
    if (status >= 300) failed.push(`${route}: ${status} ${text.slice(0, 200)}`)
  }
  return failed
}

test('all that the document has is called here', () => {
  const { paths }: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
  const find = routeMatcher(Object.fromEntries(Object.keys(operations).map((it) => [it, it])))
  const changes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((it) => it !== 'get')
      .map((method) => ({ method: method.toUpperCase(), path })),
  )
  const missing = changes.filter(({ method, path }) => !('found' in find(method, canonicalPath(path))))
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual(refused)
})

test.skipIf(!hasProc)(
  `every operation leaves the process alive and half of its heap free (rounds: ${ROUNDS})`,
  {
    timeout: 1_800_000,
  },
  async () => {
    const document: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
    const pid = servingProcess()
    const heaps: number[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      expect([...(await changeAll()), ...(await readAll(document))]).toEqual([])
      expect(servingProcess(), service.output()).toBe(pid)
      heaps.push(await heapAfterCollection(pid, inspectorPort))
      if (process.env.HEAPS) console.info(`round ${round}: ${heaps.at(-1)?.toFixed(1)} MB`)
    }
    expect(service.output()).not.toContain('It starts again')
    expect(Math.max(...heaps)).toBeLessThan(HEAP_MB / 2)
    // The first loads what is loaded once. Of few rounds the last two are compared, of many the largest of several.
    if (ROUNDS < 2) return
    const [early, late] = ROUNDS < 10 ? [heaps.slice(-2, -1), heaps.slice(-1)] : [heaps.slice(2, 5), heaps.slice(7)]
    expect(Math.max(...late), heaps.join()).toBeLessThan(Math.max(...early) * 1.1)
  },
)
