import { type Group, groupRoots, isUnder, isVariable, type Root } from '../lib/platform/http/groups.ts'

export type Event = { httpApi: string }

/** Roots that known clients send without the last slash. A route of their own saves the second call, of the dispatcher. */
const slashless: readonly string[] = [
  '/data/api/testme',
  '/api/v1/data/contribution-queue',
  '/api/v1/data/reviewer-applications',
  '/api/v1/data/projects',
]

/**
 * Roots that known clients send in one spelling alone. Their other spellings go to the dispatcher, so that the gateway has room.
 */
export const sentAs: Readonly<Record<string, string>> = {
  '/data/organizations': '/data/api',
  '/data/public-contributions': '/data/api',
  '/data/shares': '/data/api',
  '/data/forks': '/data/api',
  '/data/schema-extension-proposals': '/data/api',
  '/data/tabular-import-jobs': '/api/v1/data',
  '/data/entity-proposals': '/api/v1/data',
  '/data/relationship-proposals': '/api/v1/data',
  '/data/ocr-documents': '/api/v1/data',
  '/data/ocr-chunk-uploads': '/api/v1/data',
}

/** Roots that few clients send, and seldom. All their spellings go to the dispatcher, so that the gateway has room. */
export const rareRoots: readonly string[] = [
  '/api/reconciled-links',
  '/api/password/reset',
  '/api/password/set',
  '/api/address/confirm',
  '/api/user/password',
  '/api/user/address',
  '/data/citations',
  '/data/testthelogin',
  '/data/blacklist',
  '/resource',
  '/ogc',
  '/robots.txt',
  '/sitemap.xml',
  '/sitemap',
  '/fragments',
  '/.well-known/void',
]

/**
 * The gateway's routes for each group, from its roots in lib/platform/http/groups.ts. They rely on what AWS's guide says: the gateway
 * takes the route that fits the whole path, then the most specific greedy route, then `$default`.
 *
 * The guide does not say whether `/data/x/` fits `/data/x` or `/data/x/{proxy+}`, and a route may not end in a slash. So whichever is
 * true, no route here takes another group's path. What fits no route goes to `rest`, the dispatcher, which calls the right group.
 */
export const events: Readonly<Record<Group, readonly Event[]>> = byGroup((root) =>
  rareRoots.includes(root.path) ? [] : [...whole(root).map(any), ...greedy(root).map(any)],
)

/** The route `$default`: what fits no route of a group. */
export const rest: readonly Event[] = [{ httpApi: '*' }]

/** Routes for the root itself: its spellings in `slashless`, or its only spelling, unless `sentAs` chose that one. */
function whole({ path }: Root): readonly string[] {
  const forms = formsOf(path, path)
  return forms.length === 1 && sentAs[path] === undefined ? forms : forms.filter((form) => slashless.includes(form))
}

/**
 * Greedy routes for what lies below the root. If other groups have roots below it, the route begins deeper than the deepest of these:
 * else their own paths with a last slash might fit it.
 */
function greedy(root: Root): readonly string[] {
  if (root.path === '/') return []
  const inside = groupRoots.filter(
    ({ group, segments }) =>
      group !== root.group && segments.length > root.segments.length && isUnder(root.segments, segments),
  )
  const deepest = inside.sort((a, b) => b.segments.length - a.segments.length)[0]?.segments ?? root.segments
  const between = deepest.slice(root.segments.length).map((part, i) => (isVariable(part) ? part : `{part${i + 1}}`))
  return formsOf([root.path, ...between, '{proxy+}'].join('/'), root.path)
}

/** A path with all its prefixes. `/api/v1/data/api` is left to the dispatcher, since no known client sends it. */
function formsOf(path: string, root: string): readonly string[] {
  if (path.startsWith('/data/')) {
    const below = path.slice('/data'.length)
    const only = sentAs[root]
    if (only !== undefined) return [`${only}${below}`]
    return [`/data${below}`, `/data/api${below}`, `/api/v1/data${below}`]
  }
  if (path.startsWith('/cidoc') || path.startsWith('/assistant')) return [path, `/api/v1${path}`]
  return [path]
}

// Every method, even OPTIONS and unknown ones: the service itself answers CORS, 404 and 405.
function any(path: string): Event {
  return { httpApi: `ANY ${path}` }
}

function byGroup(eventsOf: (root: Root) => readonly Event[]): Record<Group, readonly Event[]> {
  const all = Object.groupBy(groupRoots, ({ group }) => group)
  const made = Object.entries(all).map(([group, own = []]) => [group, own.flatMap(eventsOf)])
  return Object.fromEntries(made)
}
