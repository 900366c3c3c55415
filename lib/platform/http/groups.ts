/**
 * Which function answers what: each with the roots of its paths, in the canonical form without the last slash. A new group is
 * one line here. Of two roots that a path lies under the longer one has it, and of equally long ones the one with the words.
 */
const roots = {
  tokens: ['/api/token', '/api/register', '/data/register', '/data/blacklist', '/api/dev/login', '/api/dev/logout'],
  keys: ['/api/user/keys'],
  users: ['/api/user/info', '/user/username', '/data/testme', '/data/testthelogin', '/data/user'],
  'profile-images': ['/data/user/profile-image', '/data/user/{slug}/image'],
  registry: ['/cidoc/schema'],
  calendars: ['/data/calendars'],
  records: ['/cidoc'],
  sources: ['/cidoc/data_sources', '/cidoc/data-sources'],
  assertions: ['/cidoc/assertions', '/cidoc/relationship-predicates'],
  clusters: ['/cidoc/entity-clusters', '/cidoc/entity_clusters'],
  entities: ['/data/cultural-entities'],
  reconcile: ['/data/reconcile', '/data/resolve'],
  search: ['/data/search', '/cidoc/search', '/cidoc/discovery'],
  assistant: ['/assistant/chat'],
  queue: ['/data/review-queue', '/data/contribution-queue'],
  reviews: ['/data/review-workspace', '/data/reviewer-dashboard', '/data/review-decisions-profile'],
  revisions: ['/data/revisions', '/data/entities/{entity_id}'],
  roles: ['/data/reviewer-roles', '/data/reviewer-applications', '/data/platform-admin'],
  activities: ['/data/activities'],
  comments: ['/data/comments', '/data/entities/{entity_id}/comments', '/data/reactions'],
  submissions: ['/data/submissions', '/data/submission-suggestions', '/data/moderations', '/data/form-submit'],
  flags: ['/data/review-flags'],
  notifications: ['/data/notifications'],
  exports: ['/data/exports'],
  changes: ['/data/changes'],
  oai: ['/data/oai'],
  hooks: ['/api/user/hooks'],
  imports: ['/data/imports'],
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

/** All groups, by their function's name. */
export const groupNames = Object.keys(roots) as Group[]

/** A path without its slashes at both ends, cut at the others. */
const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** Every root with the group that has it. */
export const groupRoots: readonly Root[] = Object.entries(roots).flatMap(([group, own]) =>
  own.map((path) => ({ group: group as Group, path, segments: segmentsOf(path) })),
)

/** The group that answers a path in its canonical form. What lies under no root has `health`, which answers 404 as all do. */
export function groupOf(path: string): Group {
  const given = segmentsOf(path)
  const fitting = groupRoots.filter(({ segments }) => segments.length > 0 && isUnder(segments, given))
  return fitting.sort(byPrecision)[0]?.group ?? 'health'
}

/** Whether a root, or the beginning of one, has what lies at these segments. */
export const isUnder = (root: readonly string[], given: readonly string[]): boolean =>
  root.length <= given.length && root.every((part, i) => part === given[i] || isVariable(part))

export const isVariable = (part: string): boolean => part.startsWith('{')

const byPrecision = (a: Root, b: Root) => b.segments.length - a.segments.length || words(b) - words(a)
const words = ({ segments }: Root) => segments.filter((part) => !isVariable(part)).length
