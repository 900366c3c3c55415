import { type Group, groupRoots, isUnder, isVariable, type Root } from '../../lib/http/groups.ts'

export type Event = { httpApi: string }

/** Sent without the last slash by clients there are, and worth a route of their own: what has none is dispatched. */
const slashless: readonly string[] = [
  '/data/api/testme',
  '/api/v1/data/contribution-queue',
  '/api/v1/data/reviewer-applications',
  '/api/v1/data/projects',
]

/**
 * The gateway events of each group, from its roots in lib/http/groups.ts. They ask of the gateway what its guide says and no
 * more: a path that fits whole, then the greedy route that says most, then `$default`. Whether `/data/x/` fits `/data/x` or
 * `/data/x/{proxy+}` it does not say, and a route may not end in a slash itself. So no route here would take another group's
 * path on either reading: what fits none reaches `rest`, and the dispatcher there hands it to the group that has it.
 */
export const events: Readonly<Record<Group, readonly Event[]>> = byGroup((root) => [
  ...whole(root).map(any),
  ...greedy(root).map(any),
])

/** Whatever fits no route of a group. */
export const rest: readonly Event[] = [{ httpApi: '*' }]

/** The root itself. Those that have one form only get a route for it, the others where clients send it. */
function whole({ path }: Root): readonly string[] {
  const forms = formsOf(path)
  return forms.length === 1 ? forms : forms.filter((form) => slashless.includes(form))
}

/**
 * What lies below the root. Where other groups have roots down there, only what lies deeper than the deepest of these: its
 * own path with a last slash would fit a greedy route above it.
 */
function greedy(root: Root): readonly string[] {
  if (root.path === '/') return []
  const inside = groupRoots.filter(
    ({ group, segments }) =>
      group !== root.group && segments.length > root.segments.length && isUnder(root.segments, segments),
  )
  const deepest = inside.sort((a, b) => b.segments.length - a.segments.length)[0]?.segments ?? root.segments
  const between = deepest.slice(root.segments.length).map((part, i) => (isVariable(part) ? part : `{part${i + 1}}`))
  return formsOf([root.path, ...between, '{proxy+}'].join('/'))
}

/** The prefixes that a family is served under. Both of the first at once, `/api/v1/data/api`, which no client sends, is dispatched. */
function formsOf(path: string): readonly string[] {
  if (path.startsWith('/data/')) {
    const below = path.slice('/data'.length)
    return [`/data${below}`, `/data/api${below}`, `/api/v1/data${below}`]
  }
  if (path.startsWith('/cidoc') || path.startsWith('/assistant')) return [path, `/api/v1${path}`]
  return [path]
}

// Every method, OPTIONS and unknown ones too: CORS, 404 and 405 are ours to answer.
function any(path: string): Event {
  return { httpApi: `ANY ${path}` }
}

function byGroup(eventsOf: (root: Root) => readonly Event[]): Record<Group, readonly Event[]> {
  const all = Object.groupBy(groupRoots, ({ group }) => group)
  const made = Object.entries(all).map(([group, own = []]) => [group, own.flatMap(eventsOf)])
  return Object.fromEntries(made)
}
