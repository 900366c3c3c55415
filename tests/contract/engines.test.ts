import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { kinds } from '../../lib/domain/kinds/index.ts'
import { wings } from './plan.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const text = (file: string) => readFileSync(`${root}${file}`, 'utf8')
const sources = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name))
const importsOf = (file: string): string[] =>
  [
    ...text(file).matchAll(
      /^(?:import|export)\b(?! type)[^'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
    ),
  ].map(([, one, other, third]) => posix.join(posix.dirname(file), one ?? other ?? third ?? ''))
/** Code without its comments. */
const codeOf = (file: string) =>
  text(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(?<=^|\s)\/\/.*$/gm, '')

const engines = (wings.engines ?? []).map((name) => `lib/engines/${name}`)
const engineOf = (file: string) => engines.find((it) => file.startsWith(`${it}/`))

test('an engine imports lib/base, and engines above it in tests/contract/plan.ts', () => {
  const wrong = engines.flatMap((engine, at) =>
    sources(engine).flatMap((file) =>
      importsOf(file)
        .filter((to) => {
          const other = engineOf(to)
          return other ? engines.indexOf(other) > at : !to.startsWith('lib/base/')
        })
        .map((to) => `${file} imports ${to}`),
    ),
  )
  expect(wrong).toEqual([])
})

/** Kinds whose keys are words of any service ('event', 'period', 'source') tell nothing. */
const plain = [
  'person',
  'location',
  'event',
  'source',
  'structure',
  'production',
  'calendar',
  'period',
  'assertion',
  'entity',
]
const heritage = [
  ...Object.values(kinds).flatMap(({ key, segment }) => [key, segment.replaceAll('-', '_')]),
  ...['heritage', 'cidoc', 'reviewer', 'submission'],
].filter((word) => !plain.includes(word) && !plain.some((it) => word === `${it}s`))
/** What names and dates of Nepal look like is what these two are about. */
const languages = ['lib/engines/matching', 'lib/engines/calendars']

test('an engine says no word of heritage: what is said there belongs to lib/domain, handed in by lib/domain/composition.ts', () => {
  expect(heritage.length).toBeGreaterThan(40)
  const word = new RegExp(`(?<![A-Za-z])(?:${heritage.join('|')})(?![A-Za-z])`, 'i')
  const said = engines
    .filter((engine) => !languages.includes(engine))
    .flatMap(sources)
    .flatMap((file) => {
      const found = word.exec(codeOf(file))
      return found ? [`${file}: ${found[0]}`] : []
    })
  expect(said).toEqual([])
})

test('the port of search is filled wherever search is asked: the function imports lib/domain/composition.ts', () => {
  const next = new Map([...sources('functions'), ...sources('lib')].map((file) => [file, importsOf(file)]))
  const reachedFrom = (file: string) => {
    const reached = new Set([file])
    for (const one of reached) for (const to of next.get(one) ?? []) reached.add(to)
    return reached
  }
  // An index tells of all that an engine has; what is taken of it says more.
  const asks = (file: string) =>
    !file.startsWith('lib/engines/') &&
    /import \{[^}]*\b(?:openSearchModel|openSearchModelIfAny|rebuildSearch|compactIfDue)\b[^}]*\} from '[^']*engines\/search\/index\.ts'/.test(
      text(file),
    )
  const asking = sources('functions').filter((file) => [...reachedFrom(file)].some(asks))
  expect(asking.length).toBeGreaterThan(15)
  expect(asking.filter((file) => !reachedFrom(file).has('lib/domain/composition.ts'))).toEqual([])
})

/** What lib/engines/table/wire and lib/engines/bucket reach into. An update is a change of its own: raise the version here in package.json, then run tests/engines. */
const pinned = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/util-dynamodb',
  '@smithy/core',
  '@smithy/signature-v4',
]
test.each(pinned)(
  '%s, which an engine uses from within, has one exact version in package.json, and that one is installed',
  (name) => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(text('package.json'))
    const installed: { version: string } = JSON.parse(text(`node_modules/${name}/package.json`))
    expect(dependencies[name]).toBe(installed.version)
  },
)
