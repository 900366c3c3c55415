import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The rooms of lib from top to bottom: each imports only what stands above it, and the functions, at the bottom, all. */
const order: readonly string[] = [
  'language',
  'errors',
  'booleans',
  'permissions',
  'signing',
  'secrets',
  'config',
  'ids',
  'clock',
  'ending',
  'lru',
  'once',
  'html',
  'calendars',
  'matching',
  'kinds',
  'ops',
  'files',
  'table',
  'loose-files',
  'cache',
  'search',
  'names',
  'commit',
  'users',
  'auth',
  'http',
  'sources',
  'pictures',
  'records',
  'discovery',
  'clusters',
  'review',
  'comments',
  'submissions',
  'projects',
  'notifications',
  'letters',
  'leaderboard',
  'linked',
  'iiif',
  'changes',
  'oai',
  'hooks',
  'reconcile',
  'assistant',
  'exports',
  'imports',
  'health',
  'effects',
  'functions',
]

/** Packages, and the rooms that may import them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'bikram-sambat': ['calendars'],
  negotiator: ['language'],
  '@aws-sdk/client-dynamodb': ['table'],
  '@aws-sdk/lib-dynamodb': ['table'],
  '@aws-sdk/util-dynamodb': ['table'],
  '@aws-sdk/client-s3': ['files'],
  '@aws-sdk/client-lambda': ['ops'],
  '@aws-sdk/client-sesv2': ['letters'],
  '@smithy/signature-v4': ['signing', 'files', 'table'],
  '@smithy/core/checksum': ['signing'],
  '@smithy/core/protocols': ['files', 'table'],
  '@smithy/core/endpoints': ['table'],
  '@smithy/core/schema': ['table'],
  '@middy/core': ['http'],
  '@middy/http-json-body-parser': ['http'],
  sharp: ['files'],
  'iiif-processor/calculator': ['iiif'],
  'spdx-license-ids/index.json': ['pictures'],
  'tesseract.js': ['files'],
  iovalkey: ['cache'],
  jose: ['auth'],
  'csv-parse': ['imports'],
  yauzl: ['imports'],
  'hucre/xlsx': ['imports', 'exports'],
  // Types only: the shapes of events.
  'aws-lambda': ['http', 'functions', 'table'],
}
/** valibot reads what comes from outside in every room. */
const everywhere = ['valibot']

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name))

/** `lib/records/write.ts` is in the room `records`, `lib/clock.ts` is a room by itself. */
const roomOf = (file: string) =>
  file.startsWith('functions/')
    ? 'functions'
    : (file
        .replace(/^lib\//, '')
        .replace(/\.ts$/, '')
        .split('/')[0] ?? '')
type Import = { specifier: string; isType: boolean }
const importsOf = (file: string): Import[] =>
  [
    ...readFileSync(`${root}${file}`, 'utf8').matchAll(
      /^(?:import|export)( type)?\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map((match) => ({ specifier: match[2] ?? match[3] ?? match[4] ?? '', isType: match[1] !== undefined }))
const fileOf = (from: string, specifier: string) => posix.join(posix.dirname(from), specifier)

const files = [...sources('functions'), ...sources('lib')]
const edges = files.flatMap((from) => importsOf(from).map((it) => ({ from, ...it })))
const inner = edges
  .filter(({ specifier }) => specifier.startsWith('.'))
  .map(({ from, specifier, isType }) => ({ from, to: fileOf(from, specifier), isType }))
const next = new Map(files.map((file) => [file, inner.filter(({ from }) => from === file)]))

/** All that a file leads to, at run time. */
function reachedFrom(file: string): Set<string> {
  const reached = new Set([file])
  for (const one of reached) for (const { to, isType } of next.get(one) ?? []) if (!isType) reached.add(to)
  return reached
}

test('the order names every room there is', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual([...order].sort())
})

test('a room imports only what stands above it, types included', () => {
  const upward = inner.filter(
    ({ from, to }) => to.startsWith('lib/') && order.indexOf(roomOf(to)) > order.indexOf(roomOf(from)),
  )
  expect(upward).toEqual([])
})

test('no circle of files, types included', () => {
  const state = new Map<string, 'open' | 'done'>()
  const circles: string[][] = []
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      circles.push([...path.slice(path.indexOf(file)), file])
      return
    }
    state.set(file, 'open')
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  expect(circles).toEqual([])
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
  const users = among.filter((file) => readFileSync(`${root}${file}`, 'utf8').includes('functions/'))
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

  test('are imported only by the rooms that the table names', () => {
    const wrong = outer.filter(
      ({ from, specifier }) => !everywhere.includes(specifier) && !packages[specifier]?.includes(roomOf(from)),
    )
    expect(wrong).toEqual([])
  })

  test('of the table are all in use', () => {
    expect(Object.keys(packages).filter((name) => !outer.some(({ specifier }) => specifier === name))).toEqual([])
  })
})

const withText = (pattern: RegExp, among: readonly string[]) =>
  among.filter((file) => pattern.test(readFileSync(`${root}${file}`, 'utf8')))

test('rules know no clock, no chance, no environment', () => {
  const rules = files.filter((file) => /^lib\/(ids|matching|kinds)\/|^lib\/records\/rules\//.test(file))
  expect(withText(/\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env|randomUUID|\/clock\.ts'/, rules)).toEqual([])
})

test('only the clock asks for the time and for chance where things are stored and shown', () => {
  const platform = ['clock', 'secrets', 'ops', 'files', 'http', 'health', 'search', 'auth', 'config']
  const slices = files.filter((file) => file.startsWith('lib/') && !platform.includes(roomOf(file)))
  expect(withText(/\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID/, slices)).toEqual([])
})

test('no file makes a formatter or a segmenter as it loads: each costs a start some milliseconds', () => {
  expect(withText(/^(export )?const .*[=(] ?new Intl\./m, files)).toEqual([])
  // Those that are made when they are first asked for are seen.
  expect(withText(/new Intl\./, files).length).toBeGreaterThan(0)
})

describe('search', () => {
  const users = files.filter((file) => importsOf(file).some(({ specifier }) => specifier === 'node:sqlite'))

  test('alone imports SQLite', () => {
    expect(users.map(roomOf)).toEqual(users.map(() => 'search'))
    expect(users.length).toBeGreaterThan(0)
  })

  test('brings SQLite into no bundle that only tells it of changes', () => {
    const reached = reachedFrom('functions/projector.ts')
    expect(users.filter((file) => reached.has(file))).toEqual([])
    expect(reached).toContain('lib/search/log.ts')
  })

  test('is told what items say by every function that may build a model from the table', () => {
    const builders = sources('functions').filter((file) => reachedFrom(file).has('lib/search/model/rebuild.ts'))
    expect(builders.length).toBeGreaterThan(0)
    expect(builders.filter((file) => !reachedFrom(file).has('lib/effects/search-documents.ts'))).toEqual([])
  })
})
