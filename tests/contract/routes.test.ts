import { describe, expect, test } from 'vitest'
import { functionNames } from '../../deploy/function-names.ts'
import { roleId, roles } from '../../deploy/roles.ts'
import { events, rareRoots, rest, sentAs } from '../../deploy/routes.ts'
import { loadFunctions } from '../../deploy/stack.ts'
import { groupOf, groupRoots } from '../../lib/platform/http/groups.ts'
import { canonicalPath } from '../../lib/platform/http/path.ts'

const gateway = Object.entries({ ...events, dispatcher: rest }).flatMap(([name, own]) =>
  own.map(({ httpApi }) => ({ name, route: httpApi })),
)
const declared = await Promise.all(
  Object.keys(events).map(async (name) => {
    const { routes } = await import(`../../functions/${name}.ts`)
    return Object.keys(routes).map((key) => ({ name, key }))
  }),
).then((all) => all.flat())

describe('serverless.yml and the route tables', () => {
  test('every function has a file, a role, events from the table, and nothing else is there', () => {
    const functions = loadFunctions()
    const files = functionNames()
    expect(Object.keys(functions).sort()).toEqual(files.sort())
    expect(Object.keys(roles('x', () => ({}), functionNames()).Resources).sort()).toEqual(files.map(roleId).sort())
    for (const [name, { handler, role, events: own }] of Object.entries(functions)) {
      expect(handler).toBe(`functions/${name}.handler`)
      expect(role).toBe(roleId(name))
      if (name in events || name === 'dispatcher') expect(own).toBe(`\${file(deploy/serverless.cjs):events.${name}}`)
    }
    expect([...Object.keys(events), 'dispatcher'].sort()).toEqual(
      files.filter((name) => typeof functions[name]?.events === 'string').sort(),
    )
  })

  test.each(declared)('$name answers $key under every prefix, with and without the last slash', ({ name, key }) => {
    const pattern = key.slice(key.indexOf(' ') + 1)
    for (const path of forms(pattern)) {
      for (const [kind, read] of readings)
        expect(`${kind}: ${path} -> ${receiver(path, read)}`).toBe(`${kind}: ${path} -> ${name}`)
      expect(canonicalPath(path)).toBe(concrete(pattern))
    }
  })

  test('every gateway route leads to a route of its function', () => {
    const paths = declared.flatMap(({ key }) => forms(key.slice(key.indexOf(' ') + 1)))
    const reached = new Set(readings.flatMap(([, read]) => paths.map((path) => matched(path, read)?.route)))
    const dead = gateway.filter(({ route }) => route !== '*' && !reached.has(route)).map(({ route }) => route)
    expect(dead).toEqual([])
  })

  test('every root is declared for both families, and versioned, or in the one spelling that is sent; the rest is dispatched', () => {
    const routes = gateway.map(({ route }) => route)
    for (const [path, prefix] of Object.entries(sentAs))
      expect(routes.filter((route) => route.includes(`${path.slice('/data'.length)}/`))).toEqual([
        `ANY ${prefix}${path.slice('/data'.length)}/{proxy+}`,
      ])
    const everywhere = groupRoots.filter(
      (it) => /^\/(data|cidoc|assistant)\//.test(it.path) && !(it.path in sentAs) && !rareRoots.includes(it.path),
    )
    for (const { group, path } of everywhere)
      for (const form of prefixed(path).filter((it) => !it.startsWith('/api/v1/data/api/')))
        expect([group, form, routes.some((route) => route.startsWith(`ANY ${form}/`))]).toEqual([group, form, true])
  })

  test('what is looked at most goes straight to its function where the gateway lets a greedy route have an empty rest', () => {
    for (const path of ['/data/api/notifications/unread_count/', '/data/api/notifications/', '/api/user/info'])
      expect([path, matched(path, lenient)?.name]).toEqual([path, groupOf(canonicalPath(path))])
    for (const path of [
      '/cidoc/structures/7/',
      '/cidoc/structures/',
      '/api/v1/cidoc/search/',
      '/data/api/review-queue/',
    ])
      expect([path, matched(path, lenient)?.name]).toEqual([path, groupOf(canonicalPath(path))])
    // And these on any reading.
    for (const path of ['/cidoc/structures/7/', '/api/v1/cidoc/schema/registry/', '/data/api/testme', '/metrics'])
      for (const [, read] of readings)
        expect([path, matched(path, read)?.name]).toEqual([path, groupOf(canonicalPath(path))])
  })
})

test('the service stays within the quotas of the gateway (300 routes) with room for ten more groups of two roots', () => {
  expect(gateway.length).toBeLessThanOrEqual(220)
  expect(gateway.length + 10 * 2 * 3).toBeLessThanOrEqual(300)
})

test('no role may do everything, or something with everything', () => {
  const text = JSON.stringify(
    roles('heritage-dev', () => ({ SECRET_KEY: 'ssm:/heritage-dev/secret-key' }), functionNames()).Resources,
  )
  // The log streams of one group and the objects of one folder are all that a star stands for.
  expect(text.match(/"[^"]*\*[^"]*"/g)?.filter((it) => !/:log-stream:\*"$|^"\/[\w-]+\/\*"$/.test(it))).toEqual([])
})

test('an unknown path reaches the function that answers 404 as all do', () => {
  for (const path of ['/nothing', '/api/v2/data/activities/', '/cidocs/', '/data/nothing/', '/data/api/'])
    for (const [, read] of readings) expect([path, receiver(path, read)]).toEqual([path, 'health'])
})

/** All forms of a route's path, its parameters filled in. */
function forms(pattern: string): string[] {
  const path = concrete(pattern)
  const other = path.replace(
    /^\/cidoc\/(data_sources|entity-clusters)\//,
    (_, name: keyof typeof twins) => `/cidoc/${twins[name]}/`,
  )
  return [...new Set([path, other])]
    .flatMap(prefixed)
    .flatMap((each) => (each === '/' ? [each] : [each, each.slice(0, -1)]))
}

const twins = { data_sources: 'data-sources', 'entity-clusters': 'entity_clusters' }

function prefixed(path: string): string[] {
  const rest = path.replace(/^\/data(?=\/)/, '')
  if (path.startsWith('/data/')) return [path, `/data/api${rest}`, `/api/v1${path}`, `/api/v1/data/api${rest}`]
  if (path.startsWith('/cidoc/') || path.startsWith('/assistant/')) return [path, `/api/v1${path}`]
  return [path]
}

function concrete(pattern: string): string {
  return pattern.replace(/\{\w+\}/g, '7a')
}

/** What becomes of a path: the function that the gateway's route leads to, or the one that the dispatcher hands it to. */
function receiver(path: string, read: Reading): string {
  const { name } = matched(path, read) ?? { name: 'dispatcher' }
  return name === 'dispatcher' ? groupOf(canonicalPath(path)) : name
}

/** Whether a route fits a path: the guide says it of paths without a last slash and leaves the others open. */
type Reading = (route: string, path: string) => boolean

const strict: Reading = (route, path) => expression(route, '.+').test(path)
const lenient: Reading = (route, path) => expression(route, '.*').test(path)
const readings: readonly [string, Reading][] = [
  ['a greedy route has a rest', strict],
  ['the rest may be empty', lenient],
  ['the last slash is taken off first', (route, path) => strict(route, path.replace(/(?<=.)\/$/, ''))],
  [
    'a route fits with a last slash, too',
    (route, path) => strict(route, path) || strict(route, path.replace(/(?<=.)\/$/, '')),
  ],
]

/** The route that the gateway picks: one that fits whole before a greedy one, and what is more specific first. */
function matched(path: string, fits: Reading): { name: string; route: string } | undefined {
  const fitting = gateway.filter(({ route }) => route !== '*' && fits(route, path))
  return fitting.sort((a, b) => (rank(a.route) < rank(b.route) ? -1 : 1))[0]
}

function expression(route: string, rest: string): RegExp {
  const path = route.slice('ANY '.length).replaceAll('.', '\\.')
  return new RegExp(`^${path.replace('{proxy+}', rest).replace(/\{\w+\}/g, '[^/]+')}$`)
}

/** Less is better, segment by segment: a word, a variable, a greedy one. */
function rank(route: string): string {
  const parts = route.split('/').slice(1)
  const kinds = parts.map((part) => (part === '{proxy+}' ? '2' : part.startsWith('{') ? '1' : '0'))
  return `${route.includes('{proxy+}') ? 'greedy' : 'a whole'} ${kinds.join('')}`
}
