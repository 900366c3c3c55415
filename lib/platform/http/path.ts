/**
 * One name for each path. The service answers /data/x/, /data/api/x/, both under /api/v1/, and all of them
 * without the last slash. Route tables use the canonical form: /data/x/.
 */
export function canonical(path: string): string {
  const unversioned = path.replace(/^\/api\/v1(?=\/(data|cidoc|assistant)(\/|$))/, '')
  const plain = unversioned.replace(/^\/data\/api(?=\/|$)/, '/data')
  const slashed = plain.endsWith('/') ? plain : `${plain}/`
  return twins.reduce((it, [other, one]) => (it.startsWith(other) ? one + it.slice(other.length) : it), slashed)
}

/** Two spellings of one resource. */
const twins = [
  ['/cidoc/data-sources/', '/cidoc/data_sources/'],
  ['/cidoc/entity_clusters/', '/cidoc/entity-clusters/'],
] as const

export type Match<T> = { found: T; key: string; params: Record<string, string> } | { allow: string[] }

/** Compiles a table of `METHOD /path/{param}/`. Fixed segments win over params; two equal keys are an error. */
export function matcher<T>(table: Readonly<Record<string, T>>): (method: string, path: string) => Match<T> {
  const routes = Object.entries(table).map(([key, found]) => {
    const [method = '', pattern = ''] = key.split(' ')
    const segments = pattern.split('/')
    const shape = segments.map((part) => (part.startsWith('{') ? '{}' : part))
    return { key, method, segments, shape, found }
  })
  // Compared segment by segment, '{}' last, so that /a/b/{x}/ comes before /a/{y}/c/.
  routes.sort((a, b) => (order(a.shape) < order(b.shape) ? -1 : 1))
  const seen = new Set<string>()
  for (const { method, shape } of routes) {
    const name = `${method} ${shape.join('/')}`
    if (seen.has(name)) throw new Error(`two routes answer ${name}`)
    seen.add(name)
  }

  return (method, path) => {
    const segments = path.split('/')
    const here = routes.filter(
      (route) =>
        route.segments.length === segments.length &&
        route.segments.every((part, i) => part === segments[i] || (part.startsWith('{') && segments[i] !== '')),
    )
    const route = here.find((candidate) => candidate.method === method)
    if (!route) return { allow: [...new Set(here.map((candidate) => candidate.method))].sort() }
    const params = Object.fromEntries(
      route.segments.flatMap((part, i) =>
        part.startsWith('{') ? [[part.slice(1, -1), decode(segments[i] ?? '')]] : [],
      ),
    )
    return { found: route.found, key: route.key, params }
  }
}

const order = (shape: readonly string[]) => shape.map((part) => (part === '{}' ? '\u{10ffff}' : part)).join('/')

/** A segment as it was meant; one that is not valid percent-encoding stays as it is and matches no id. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
