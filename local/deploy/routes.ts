/**
 * What each function answers. A new root is one line here; `events` writes out every form of its path. A root that ends
 * in `/*` has nothing at the root itself, only below.
 */
const roots = {
  tokens: ['/api/token', '/api/register', '/data/register', '/data/blacklist', '/api/dev/*'],
  users: ['/api/user/*', '/user/username', '/data/testme', '/data/testthelogin', '/data/user/*'],
  'profile-images': ['/data/user/profile-image', '/data/user/{slug}/image'],
  registry: ['/cidoc/schema/registry'],
  records: ['/cidoc/*'],
  sources: ['/cidoc/data_sources', '/cidoc/data-sources'],
  assertions: ['/cidoc/assertions', '/cidoc/relationship-predicates'],
  clusters: ['/cidoc/entity-clusters', '/cidoc/entity_clusters'],
  entities: ['/data/cultural-entities'],
  search: ['/data/search', '/cidoc/search', '/cidoc/discovery'],
  assistant: ['/assistant/chat'],
  queue: ['/data/review-queue', '/data/contribution-queue'],
  reviews: ['/data/review-workspace/*', '/data/reviewer-dashboard', '/data/review-decisions-profile'],
  revisions: ['/data/revisions', '/data/entities/{entity_id}/*'],
  roles: ['/data/reviewer-roles', '/data/reviewer-applications', '/data/platform-admin/*'],
  activities: ['/data/activities'],
  comments: ['/data/comments', '/data/entities/{entity_id}/comments', '/data/reactions/*'],
  submissions: ['/data/submissions', '/data/submission-suggestions', '/data/moderations/*', '/data/form-submit'],
  flags: ['/data/review-flags'],
  notifications: ['/data/notifications'],
  exports: ['/data/exports'],
  documents: ['/schema', '/docs'],
  projects: ['/data/projects'],
  assets: ['/data/projects/{slug}/assets'],
  // Leaderboard, contributors, progression and the statistics are roots without anything below. They come by the rest of
  // the family, which the gateway takes last: written out they would be 36 of its 300 routes more.
  leaderboard: ['/data/*'],
  health: ['/', '/metrics', '/health'],
} as const satisfies Record<string, readonly string[]>

export type Event = { httpApi: string }

/** The gateway events of each function. Whatever matches none of them goes to `health`, which answers 404 as we do. */
export const events: Readonly<Record<string, readonly Event[]>> = Object.fromEntries(
  Object.entries(roots).map(([name, own]) => [
    name,
    [...own.flatMap(prefixed).flatMap(shapes).map(any), ...(name === 'health' ? [{ httpApi: '*' }] : [])],
  ]),
)

/** The prefixes that a family is served under. */
function prefixed(root: string): readonly string[] {
  if (root.startsWith('/data/')) {
    const rest = root.slice('/data'.length)
    return [`/data${rest}`, `/data/api${rest}`, `/api/v1/data${rest}`, `/api/v1/data/api${rest}`]
  }
  if (root.startsWith('/cidoc') || root.startsWith('/assistant')) return [root, `/api/v1${root}`]
  return [root]
}

// The gateway refuses a route that ends in a slash; the greedy one answers it, with an empty rest.
function shapes(path: string): readonly string[] {
  if (path === '/') return [path]
  if (path.endsWith('/*')) return [path.replace('/*', '/{proxy+}')]
  return [path, `${path}/{proxy+}`]
}

// Every method, OPTIONS and unknown ones too: CORS, 404 and 405 are ours to answer.
function any(path: string): Event {
  return { httpApi: `ANY ${path}` }
}
