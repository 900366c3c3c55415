/**
 * The wings of lib from top to bottom, each with its rooms from top to bottom. A file imports its own room and rooms above it.
 * A room is a folder or a file: `lib/domain/records/` is `domain/records`, `lib/base/clock.ts` is `base/clock`.
 */
export const wings: Readonly<Record<string, readonly string[]>> = {
  base: [
    'language',
    'errors',
    'text',
    'visibility',
    'signing',
    'secrets',
    'config',
    'ids',
    'clock',
    'dependency',
    'deadline',
    'concurrency',
    'merge-sorted',
    'retry',
    'lru',
    'once',
    'omit',
    'shapes',
    'telemetry',
  ],
  engines: ['calendars', 'matching', 'table', 'bucket', 'ocr', 'media', 'search'],
  platform: ['table', 'permissions', 'cache', 'unit-of-work', 'name-index', 'users', 'auth', 'cells', 'http', 'health'],
  domain: [
    'search-words',
    'kinds',
    'names',
    'cell-text',
    'sources',
    'pictures',
    'records',
    'clusters',
    'review',
    'identity',
    'comments',
    'submissions',
    'webhooks',
    'projects',
    'notifications',
    'leaderboard',
    'feed',
    'hooks',
    'imports',
    'effects',
    'composition',
  ],
  doors: ['linked', 'discovery', 'iiif', 'activity-streams', 'oai', 'reconcile', 'assistant', 'exports', 'letters'],
}
/** All rooms from top to bottom; the functions come last. */
export const rooms: readonly string[] = [
  ...Object.entries(wings).flatMap(([wing, rooms]) => rooms.map((room) => `${wing}/${room}`)),
  'functions',
]
