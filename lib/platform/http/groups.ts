/**
 * The groups of endpoints. Each is one function, with the roots of its paths, without the last slash. The gateway gets all spellings of a path. If a path is
 * under two roots, the longer one wins. Between equally long roots, the one with fewer variables wins.
 */
const roots = {
  tokens: ['/api/token', '/api/register', '/data/register', '/data/blacklist', '/api/dev/login', '/api/dev/logout'],
  account: [
    ...['/api/password/reset', '/api/password/set', '/api/address/confirm'],
    ...['/api/user/password', '/api/user/address', '/api/user/sessions'],
  ],
  users: [
    '/api/user/keys',
    '/api/user/info',
    '/user/username',
    '/data/testme',
    '/data/testthelogin',
    '/data/user',
    '/data/organizations',
  ],
  'profile-images': ['/data/user/profile-image', '/data/user/{slug}/image'],
  registry: ['/cidoc/schema', '/cidoc/shapes', '/data/schema-extension-proposals'],
  calendars: ['/data/calendars'],
  records: ['/cidoc', '/resource', '/ogc'],
  sources: ['/cidoc/data_sources', '/cidoc/data-sources'],
  assertions: ['/cidoc/assertions', '/cidoc/relationship-predicates'],
  clusters: [
    '/cidoc/entity-clusters',
    '/cidoc/entity_clusters',
    '/cidoc/identity-summary',
    '/cidoc/identity-candidates',
    '/cidoc/kg',
    '/data/entity-proposals',
    '/data/relationship-proposals',
  ],
  entities: ['/data/cultural-entities'],
  reconcile: ['/data/reconcile', '/data/resolve'],
  search: ['/data/search', '/cidoc/search', '/cidoc/discovery', '/data/citations'],
  assistant: ['/assistant/chat'],
  queue: ['/data/review-queue', '/data/contribution-queue'],
  reviews: [
    '/data/review-workspace',
    '/data/reviewer-dashboard',
    '/data/review-decisions-profile',
    '/merge-requests',
    '/api/curator-alerts',
    '/api/reconciled-links',
  ],
  revisions: ['/data/activities', '/data/revisions', '/data/entities/{entity_id}'],
  roles: ['/data/reviewer-roles', '/data/reviewer-applications', '/data/platform-admin'],
  comments: ['/data/comments', '/data/entities/{entity_id}/comments', '/data/reactions', '/data/shares'],
  submissions: [
    '/data/submissions',
    '/data/submission-suggestions',
    '/data/moderations',
    '/data/form-submit',
    '/data/public-contributions',
    '/data/forks',
  ],
  flags: ['/data/review-flags'],
  scans: ['/data/ocr-documents', '/data/ocr-chunk-uploads'],
  notifications: ['/data/notifications'],
  exports: ['/data/exports', '/fragments', '/.well-known/void', '/robots.txt', '/sitemap.xml', '/sitemap'],
  changes: ['/data/changes'],
  oai: ['/data/oai'],
  hooks: ['/api/user/hooks'],
  watches: ['/data/watches'],
  mcp: ['/mcp'],
  imports: ['/data/imports', '/data/tabular-import-jobs'],
  pictures: ['/data/pictures', '/data/manifests'],
  iiif: ['/data/iiif'],
  documents: ['/schema', '/docs'],
  projects: ['/data/projects'],
  assets: ['/data/projects/{slug}/assets'],
  leaderboard: [
    '/data/leaderboard',
    '/data/contributors',
    '/data/progression',
    '/data/personal-stats',
    '/data/user-stats',
  ],
  health: ['/', '/metrics', '/health'],
} as const satisfies Record<string, readonly string[]>

export type Group = keyof typeof roots
export type Root = { group: Group; path: string; segments: readonly string[] }

/** The names of all groups, which are the names of their functions. */
export const groupNames = Object.keys(roots) as Group[]

/** The segments of a path, without the empty ones at its ends. */
const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

export const groupRoots: readonly Root[] = Object.entries(roots).flatMap(([group, own]) =>
  own.map((path) => ({ group: group as Group, path, segments: segmentsOf(path) })),
)

/** Finds the group of a canonical path. A path under no root goes to `health`, which answers 404. */
export function groupOf(path: string): Group {
  const sent = segmentsOf(path)
  const roots = groupRoots.filter(({ segments }) => segments.length > 0 && isUnder(segments, sent))
  return roots.sort(byPrecision)[0]?.group ?? 'health'
}

/** Whether a path is under a root. A variable segment of the root matches any segment. */
export const isUnder = (root: readonly string[], path: readonly string[]): boolean =>
  root.length <= path.length && root.every((part, i) => part === path[i] || isVariable(part))

export const isVariable = (part: string): boolean => part.startsWith('{')

const byPrecision = (a: Root, b: Root) => b.segments.length - a.segments.length || countWords(b) - countWords(a)
const countWords = ({ segments }: Root) => segments.filter((part) => !isVariable(part)).length
