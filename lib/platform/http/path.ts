/**
 * Returns the canonical form of a path, such as `/data/x/`. The service also accepts `/data/api/x/`, `/api/v1/data/x/` and
 * `/api/v1/data/api/x/`, each with or without the last slash. Tables of routes use the canonical form.
 */
export function canonicalPath(path: string): string {
  const unversioned = path.replace(/^\/api\/v1(?=\/(data|cidoc|assistant)(\/|$))/, '')
  const plain = unversioned.replace(/^\/data\/api(?=\/|$)/, '/data')
  const slashed = plain.endsWith('/') ? plain : `${plain}/`
  const spelling = otherSpellings.find(([other]) => slashed.startsWith(other))
  return spelling ? spelling[1] + slashed.slice(spelling[0].length) : slashed
}

/** Roots of paths that have two spellings, the canonical one second. */
const otherSpellings = [
  ['/cidoc/data-sources/', '/cidoc/data_sources/'],
  ['/cidoc/entity_clusters/', '/cidoc/entity-clusters/'],
  ['/data/curator-alerts/', '/api/curator-alerts/'],
  ['/data/reconciled-links/', '/api/reconciled-links/'],
  ['/data/merge-requests/', '/merge-requests/'],
] as const

/** The route of a path with its parameters, or the methods that the path allows: none if no route has the path. */
export type Match<T> = { found: T; key: string; params: Record<string, string> } | { allow: string[] }

/**
 * Compiles a table with keys such as `GET /data/x/{id}/`. Returns a function that finds the route of a method and a path. A fixed
 * segment takes precedence over a parameter. Throws if two keys match the same paths.
 */
export function routeMatcher<T>(table: Readonly<Record<string, T>>): (method: string, path: string) => Match<T> {
  const routes = Object.entries(table).map(([key, found]) => {
    const [method = '', pattern = ''] = key.split(' ')
    const segments = pattern.split('/')
    const shape = segments.map((segment) => (segment.startsWith('{') ? '{}' : segment))
    return { key, method, segments, shape, found }
  })
  // The order is by segment, with '{}' last, so that /a/b/{x}/ comes before /a/{y}/c/.
  routes.sort((a, b) => (sortKeyOf(a.shape) < sortKeyOf(b.shape) ? -1 : 1))
  const names = new Set<string>()
  for (const { method, shape } of routes) {
    const name = `${method} ${shape.join('/')}`
    if (names.has(name)) throw new Error(`two routes answer ${name}`)
    names.add(name)
  }

  return (method, path) => {
    const sent = path.split('/')
    const candidates = routes.filter(
      ({ segments }) =>
        segments.length === sent.length &&
        segments.every((segment, i) => segment === sent[i] || (segment.startsWith('{') && sent[i] !== '')),
    )
    const route = candidates.find((candidate) => candidate.method === method)
    if (!route) return { allow: [...new Set(candidates.map((candidate) => candidate.method))].sort() }
    const params = Object.fromEntries(
      route.segments.flatMap((segment, i) =>
        segment.startsWith('{') ? [[segment.slice(1, -1), decodeSegment(sent[i] ?? '')]] : [],
      ),
    )
    return { found: route.found, key: route.key, params }
  }
}

const sortKeyOf = (shape: readonly string[]) =>
  shape.map((segment) => (segment === '{}' ? '\u{10ffff}' : segment)).join('/')

/** Decodes a segment. Malformed percent-encoding is left as it is: it is no valid id. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
