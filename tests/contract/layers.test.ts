import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { rooms as order } from './plan.ts'

/** Packages, and the rooms that may import them. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'bikram-sambat': ['engines/calendars'],
  negotiator: ['base/language', 'platform/http'],
  '@aws-sdk/client-dynamodb': ['engines/table'],
  '@aws-sdk/lib-dynamodb': ['engines/table'],
  '@aws-sdk/util-dynamodb': ['engines/table'],
  '@aws-sdk/client-s3': ['engines/bucket'],
  '@aws-sdk/client-lambda': ['base/telemetry'],
  '@aws-sdk/client-sesv2': ['doors/letters'],
  '@smithy/signature-v4': ['base/signing', 'engines/bucket', 'engines/table'],
  '@smithy/core/checksum': ['base/signing'],
  '@smithy/core/protocols': ['engines/bucket', 'engines/table'],
  '@smithy/core/endpoints': ['engines/table'],
  '@smithy/core/schema': ['engines/table'],
  '@middy/core': ['platform/http'],
  '@middy/http-json-body-parser': ['platform/http'],
  sharp: ['engines/media'],
  'iiif-processor/calculator': ['doors/iiif'],
  'spdx-license-ids/index.json': ['domain/pictures'],
  'tesseract.js': ['engines/ocr'],
  iovalkey: ['platform/cache'],
  jose: ['platform/auth'],
  yaml: ['domain/extensions'],
  'csv-parse': ['domain/imports'],
  '@zxcvbn-ts/language-common/src/passwords.json': ['platform/users'],
  'csv-parse/sync': ['domain/imports'],
  yauzl: ['domain/imports'],
  fflate: ['doors/exports'],
  'hucre/xlsx': ['domain/imports', 'doors/exports'],
  '@modelcontextprotocol/sdk/server/index.js': ['doors/mcp'],
  '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js': ['doors/mcp'],
  '@modelcontextprotocol/sdk/types.js': ['doors/mcp'],
  '@valibot/to-json-schema': ['doors/mcp'],
  // Types only: the shapes of events.
  'aws-lambda': ['platform/http', 'functions', 'engines/table'],
}
/** Every room checks with valibot what comes from outside. */
const everywhere = ['valibot']

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name))

const roomOf = (file: string) => {
  if (!file.startsWith('lib/')) return file.split('/')[0] ?? ''
  const [, wing, room = ''] = file.split('/')
  return `${wing}/${room.replace(/\.ts$/, '')}`
}
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

test('the plan names every room there is (a new room gets its line in tests/contract/plan.ts)', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual([...order].sort())
})

test('a room imports only rooms above it, types included', () => {
  const upward = inner.filter(
    ({ from, to }) => to.startsWith('lib/') && order.indexOf(roomOf(to)) > order.indexOf(roomOf(from)),
  )
  expect(upward).toEqual([])
})

/**
 * Further entries: what writes without a request's unit of work, from which tests/contract/writes.test.ts keeps handlers away; and what folds a
 * name to its meaning, which a start need not load.
 */
const FURTHER = [
  'lib/engines/table/immediate.ts',
  'lib/engines/table/two-phase/index.ts',
  'lib/engines/search/synonyms.ts',
]
test('an engine is imported through its index.ts alone', () => {
  const past = inner.filter(
    ({ from, to }) =>
      to.startsWith('lib/engines/') &&
      roomOf(from) !== roomOf(to) &&
      to !== `lib/${roomOf(to)}/index.ts` &&
      !FURTHER.includes(to),
  )
  expect(past).toEqual([])
})

/** Who may look into the engine of search: its own tests and benches, and what counts its memory and holds its rule on readers. */
const insideSearch =
  /^tests\/(engines\/search\/|bench\/search\/|harness\/search-model\.ts|contract\/(memory|visibility)\.test|platform\/health\/)/
test('nobody outside of search imports how it works: all others ask the port', () => {
  const inner = ['functions', 'lib', 'local', 'deploy', 'api', 'tests'].flatMap(sources).flatMap((from) =>
    importsOf(from)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => ({ from, to: fileOf(from, specifier) }))
      .filter(({ to }) => /^lib\/engines\/search\/[^/]+\//.test(to) && !from.startsWith('lib/engines/search/')),
  )
  expect(inner.filter(({ from }) => !insideSearch.test(from))).toEqual([])
  expect(inner.length).toBeGreaterThan(0)
})

test('no files import each other in a circle, types included', () => {
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

test('functions do not import each other, and lib imports none of them', () => {
  const among = ['local', 'tests'].flatMap(sources)
  // What lies in functions/GROUP/ is a part of functions/GROUP.ts, and of no other.
  const groupOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '')
  const across = inner.filter(
    ({ from, to }) => to.startsWith('functions/') && !(from.startsWith('functions/') && groupOf(from) === groupOf(to)),
  )
  expect(across).toEqual([])
  // Others do import functions, so the rule above is not about an empty set.
  const users = among.filter((file) => readFileSync(`${root}${file}`, 'utf8').includes('functions/'))
  expect(users.length).toBeGreaterThan(0)
})

test('lib and functions import nothing of deploy, api, local or tests', () => {
  const outside = inner.filter(
    ({ to }) => !to.startsWith('lib/') && !to.startsWith('functions/') && to !== 'package.json',
  )
  expect(outside).toEqual([])
})

describe('packages', () => {
  const outer = edges.filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))

  test('are imported only by the rooms that `packages` names (tests/contract/layers.test.ts)', () => {
    const wrong = outer.filter(
      ({ from, specifier }) => !everywhere.includes(specifier) && !packages[specifier]?.includes(roomOf(from)),
    )
    expect(wrong).toEqual([])
  })

  test('that `packages` names are all in use', () => {
    expect(Object.keys(packages).filter((name) => !outer.some(({ specifier }) => specifier === name))).toEqual([])
  })
})

const withText = (pattern: RegExp, among: readonly string[]) =>
  among.filter((file) => pattern.test(readFileSync(`${root}${file}`, 'utf8')))

test('a query of search has no function: another engine is asked over the network', () => {
  const query = readFileSync(`${root}lib/engines/search/query.ts`, 'utf8')
  const questions = [...query.matchAll(/export type \w+Query = \{[\s\S]*?^\}/gm)].map(([text]) => text)
  expect(questions.length).toBeGreaterThan(2)
  expect(questions.filter((text) => text.includes('=>'))).toEqual([])
})

test('rules know no clock, no chance, no environment', () => {
  const rules = files.filter((file) =>
    /^lib\/(base\/ids|engines\/matching|domain\/kinds|domain\/records\/rules)\//.test(file),
  )
  expect(rules.length).toBeGreaterThan(60)
  expect(withText(/\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env|randomUUID|\/clock\.ts'/, rules)).toEqual([])
})

test('only the clock asks for the time and for chance where records are stored and shown', () => {
  const others = [
    'base/clock',
    'base/secrets',
    'base/config',
    'base/telemetry',
    'engines/bucket',
    'engines/media',
    'engines/ocr',
    'engines/search',
    'platform/http',
    'platform/health',
    'platform/auth',
  ]
  const slices = files.filter((file) => file.startsWith('lib/') && !others.includes(roomOf(file)))
  expect(withText(/\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID/, slices)).toEqual([])
})

test('no file makes a formatter or a segmenter as it loads: each costs a start some milliseconds', () => {
  expect(withText(/^(export )?const .*[=(] ?new Intl\./m, files)).toEqual([])
  // The pattern sees those that are made when they are first asked for.
  expect(withText(/new Intl\./, files).length).toBeGreaterThan(0)
})

test('SQLite is imported by the search engine alone', () => {
  const users = files.filter((file) => importsOf(file).some(({ specifier }) => specifier === 'node:sqlite'))
  expect(users.map(roomOf)).toEqual(users.map(() => 'engines/search'))
  expect(users.length).toBeGreaterThan(0)
})
