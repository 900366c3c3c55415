import { describe, expect, test } from 'vitest'
import { canonical } from '../../lib/http/path.ts'
import { identifyingReach, reachOf } from '../../local/deploy/reach.ts'
import { roleId, roles } from '../../local/deploy/roles.ts'
import { events } from '../../local/deploy/routes.ts'
import { loadFunctions } from '../../local/deploy/stack.ts'
import { functionNames } from '../harness/functions.ts'

const gateway = Object.entries(events).flatMap(([name, own]) => own.map(({ httpApi }) => ({ name, route: httpApi })))
const declared = await Promise.all(
  Object.keys(events).map(async (name) => {
    const { routes } = await import(`../../functions/${name}.ts`)
    return Object.keys(routes).map((key) => ({ name, key }))
  }),
).then((all) => all.flat())
const root = process.cwd()
const reach = { functions: await reachOf(root, functionNames()), identifying: await identifyingReach(root) }

describe('serverless.yml and the route tables', () => {
  test('every function has a file, a role, events from the table, and nothing else is there', () => {
    const functions = loadFunctions()
    const files = functionNames()
    expect(Object.keys(functions).sort()).toEqual(files.sort())
    expect(Object.keys(roles('x', () => ({}), reach).Resources).sort()).toEqual(files.map(roleId).sort())
    for (const [name, { handler, role, events: own }] of Object.entries(functions)) {
      expect(handler).toBe(`functions/${name}.handler`)
      expect(role).toBe(roleId(name))
      if (name in events) expect(own).toBe(`\${file(local/deploy/serverless.cjs):events.${name}}`)
    }
    expect(Object.keys(events).sort()).toEqual(
      files.filter((name) => typeof functions[name]?.events === 'string').sort(),
    )
  })

  test.each(declared)('$name answers $key under every prefix, with and without the last slash', ({ name, key }) => {
    const pattern = key.slice(key.indexOf(' ') + 1)
    for (const path of forms(pattern)) {
      expect(`${path} -> ${receiver(path)}`).toBe(`${path} -> ${name}`)
      expect(canonical(path)).toBe(concrete(pattern))
    }
  })

  test('every gateway route leads to a route of its function', () => {
    const reached = new Set(
      declared.flatMap(({ key }) => forms(key.slice(key.indexOf(' ') + 1))).map((path) => matched(path)?.route),
    )
    const dead = gateway.filter(({ route }) => route !== '*' && !reached.has(route)).map(({ route }) => route)
    expect(dead).toEqual([])
  })
})

test('the service stays within the quotas of the gateway (300 routes) and of a stack (500 resources)', () => {
  expect(gateway.length).toBeLessThan(300)
  // Function, log group, role, integration and permission for each; table, bucket, policy, queue, API, stage and the like.
  expect(gateway.length + 5 * Object.keys(loadFunctions()).length + 20).toBeLessThan(500)
})

test('no role may do everything, or something with everything', () => {
  const text = JSON.stringify(
    roles('heritage-dev', () => ({ SECRET_KEY: 'ssm:/heritage-dev/secret-key' }), reach).Resources,
  )
  // The log streams of one group and the objects of one folder are all that a star stands for.
  expect(text.match(/"[^"]*\*[^"]*"/g)?.filter((it) => !/:log-stream:\*"$|^"\/[\w-]+\/\*"$/.test(it))).toEqual([])
})

test('an unknown path reaches the function that answers 404 as we do', () => {
  for (const path of ['/nothing', '/api/v2/data/activities/', '/cidocs/']) expect(receiver(path)).toBe('health')
  // It has the rest of this family.
  expect(receiver('/data/nothing/')).toBe('leaderboard')
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

function receiver(path: string): string | undefined {
  return (matched(path) ?? gateway.find(({ route }) => route === '*'))?.name
}

/** The route that the gateway picks: one that fits whole before a greedy one, and what is more specific first. */
function matched(path: string): { name: string; route: string } | undefined {
  const fitting = gateway.filter(({ route }) => route !== '*' && expression(route).test(path))
  return fitting.sort((a, b) => rank(b.route) - rank(a.route))[0]
}

function expression(route: string): RegExp {
  const path = route.slice('ANY '.length).replaceAll('.', '\\.')
  return new RegExp(`^${path.replace('{proxy+}', '.*').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function rank(route: string): number {
  const fixed = route.split('/').filter((part) => part !== '' && !part.startsWith('{')).length
  return (route.includes('{proxy+}') ? 0 : 1000) + fixed
}
