import { readdirSync, readFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/**
 * Who may import whom. A layer is a folder under lib/ or one file there; `functions` is a layer of its own. What a
 * layer imports must be named beside it, and packages are imported by those who are named beside them, and nobody else.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  functions: [
    'http',
    'search',
    'assistant',
    'kinds',
    'domain',
    'store',
    'search',
    'views',
    'linked',
    'blobs',
    'files',
    'media',
    'pictures',
    'reading',
    'webhook',
    'auth',
    'errors',
    'config',
    'log',
    'clock',
    'permissions',
    'metrics',
    'meter',
    'documents',
    'cache/cached',
    'exports',
    'table/stream',
    'table/read',
    'table/large',
  ],
  http: [
    'search/ask',
    'auth',
    'kinds/index',
    'kinds/resources',
    'domain/status',
    'domain/short-id',
    'permissions',
    'errors',
    'config',
    'log',
    'meter',
    'store/requests',
  ],
  views: ['kinds', 'domain', 'permissions', 'store', 'files/names', 'blobs', 'search/ask', 'assistant/passage'],
  linked: ['kinds', 'domain', 'permissions', 'store', 'views'],
  assistant: ['kinds', 'domain', 'config', 'errors'],
  store: ['cache', 'search', 'table', 'domain', 'kinds', 'permissions', 'errors', 'clock', 'config'],
  search: ['permissions', 'errors', 'domain', 'clock', 'config', 'log', 'blobs', 'table', 'store/documents'],
  auth: ['store', 'permissions', 'errors', 'config', 'clock'],
  table: ['domain', 'errors', 'config', 'clock', 'meter'],
  kinds: [],
  domain: [],
  permissions: [],
  errors: [],
  config: ['secrets'],
  secrets: [],
  meter: [],
  clock: ['domain'],
  cache: ['clock', 'config', 'log', 'meter', 'table'],
  log: ['config', 'measures', 'meter'],
  measures: [],
  blobs: ['config', 'presign'],
  presign: [],
  // What files are: pure, but for the source that they are read from.
  media: [],
  files: ['blobs', 'media', 'errors', 'clock'],
  pictures: [],
  reading: [],
  webhook: ['config'],
  exports: ['blobs', 'clock', 'config', 'kinds', 'store', 'views'],
  metrics: ['clock', 'table/read'],
  documents: [],
}

const packages: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-dynamodb': ['table'],
  '@aws-sdk/lib-dynamodb': ['table'],
  '@aws-sdk/util-dynamodb': ['table'],
  '@aws-sdk/client-s3': ['blobs'],
  '@middy/core': ['http'],
  sharp: ['pictures'],
  'tesseract.js': ['reading'],
  iovalkey: ['cache'],
  jose: ['auth'],
  // Types only: the shapes of events.
  'aws-lambda': ['http', 'functions', 'table'],
  valibot: ['functions', 'http', 'kinds', 'store', 'table', 'config', 'auth', 'search', 'assistant', 'exports'],
}

const root = fileURLToPath(new URL('../', import.meta.url))
const sources = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name))

/** `lib/store/records.ts` is `store/records` in the layer `store`. */
const nameOf = (file: string) => file.replace(/^lib\//, '').replace(/\.ts$/, '')
const layerOf = (file: string) => (file.startsWith('functions/') ? 'functions' : (nameOf(file).split('/')[0] ?? ''))
const importsOf = (file: string) =>
  [
    ...readFileSync(`${root}${file}`, 'utf8').matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
/** A file of this project that an import means, from its root. */
const fileOf = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier)

const files = [...sources('functions'), ...sources('lib')]
const edges = files.flatMap((from) => importsOf(from).map((specifier) => ({ from, specifier })))
const inner = edges
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ from, specifier }) => ({ from, to: fileOf(from, specifier) }))

test('the table of layers names every layer there is', () => {
  expect([...new Set(files.map(layerOf))].sort()).toEqual(Object.keys(layers).sort())
})

test('a layer imports only those beside it in the table', () => {
  const wrong = inner.filter(({ from, to }) => {
    if (!to.startsWith('lib/') || layerOf(from) === layerOf(to)) return false
    const allowed = layers[layerOf(from)] ?? []
    return !allowed.includes(layerOf(to)) && !allowed.includes(nameOf(to))
  })
  expect(wrong).toEqual([])
})

test('the table allows nothing that nobody needs', () => {
  const idle = Object.entries(layers).flatMap(([layer, allowed]) =>
    allowed
      .filter(
        (one) => !inner.some(({ from, to }) => layerOf(from) === layer && [layerOf(to), nameOf(to)].includes(one)),
      )
      .map((one) => `${layer} -> ${one}`),
  )
  expect(idle).toEqual([])
})

test('groups do not import each other, and nothing else imports them', () => {
  const among = ['local', 'tests'].flatMap(sources)
  // What lies in functions/GROUP/ is a part of functions/GROUP.ts, and of no other.
  const groupOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '')
  const across = inner.filter(
    ({ from, to }) => to.startsWith('functions/') && !(from.startsWith('functions/') && groupOf(from) === groupOf(to)),
  )
  expect(across).toEqual([])
  // Those who may are there: the rule above is not about an empty set.
  const users = among.filter((file) => importsOf(file).some((specifier) => specifier.includes('functions/')))
  expect(users.length).toBeGreaterThan(0)
})

test('lib and functions import nothing of local or tests', () => {
  const outside = inner.filter(
    ({ to }) => !to.startsWith('lib/') && !to.startsWith('functions/') && to !== 'package.json',
  )
  expect(outside).toEqual([])
})

describe('packages', () => {
  const outer = edges.filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))

  test('are imported only by the layers that the table names', () => {
    expect(outer.filter(({ from, specifier }) => !packages[specifier]?.includes(layerOf(from)))).toEqual([])
  })

  test('of the table are all in use', () => {
    expect(Object.keys(packages).filter((name) => !outer.some(({ specifier }) => specifier === name))).toEqual([])
  })
})

test('domain rules and kinds know no clock, no chance, no environment', () => {
  const rules = files.filter((file) => /^lib\/(domain|kinds)\//.test(file))
  const impure = rules.filter((file) =>
    /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env|randomUUID/.test(readFileSync(`${root}${file}`, 'utf8')),
  )
  expect(impure.map((file) => relative('.', file))).toEqual([])
})

test('only the clock asks for the time and for chance in the store and the table', () => {
  const places = files.filter((file) => /^lib\/(store|table|views)\//.test(file))
  expect(
    places.filter((file) =>
      /\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID/.test(readFileSync(`${root}${file}`, 'utf8')),
    ),
  ).toEqual([])
})

describe('SQLite', () => {
  const users = files.filter((file) => importsOf(file).includes('node:sqlite'))

  test('is imported by the search model alone', () => {
    expect(users.map(layerOf)).toEqual(users.map(() => 'search'))
    expect(users.length).toBeGreaterThan(0)
  })

  test('is in no bundle that only tells search of changes', () => {
    const reached = new Set(['functions/projector.ts'])
    for (const file of reached) for (const { from, to } of inner) if (from === file) reached.add(to)
    expect(users.filter((file) => reached.has(file))).toEqual([])
    expect(reached).toContain('lib/search/log.ts')
  })
})
