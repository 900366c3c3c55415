/**
 * What each function may ask of the table and of the folders of the bucket. `roles.ts` makes the roles from these rows. Nothing else
 * grants a right to the table or the bucket. Tests run functions under their roles, so a missing right fails the tests that need it.
 * `tests/contract/deployment.test.ts` compares each row with what the function's code can ask (`reach.ts`).
 */

type TableRight = keyof typeof tableActions
type Policy = {
  table: readonly TableRight[]
  /** Folders of the bucket whose files the function reads, writes (`write`) and deletes (`remove`). */
  read?: readonly string[]
  write?: readonly string[]
  remove?: readonly string[]
  /** May list the bucket. Without this right S3 answers 403 for a missing file, not 404. */
  list?: true
}

/** To identify the caller, and to change items. Each group behind the gateway has these. */
const change: readonly TableRight[] = ['Get', 'BatchGet', 'Put', 'Update', 'Delete']
/** To search. A function that finds no snapshot builds one from the whole table, hence `Scan`. */
const searching: readonly TableRight[] = ['Query', 'Scan', 'BatchWrite']
/** The folders from which the bucket's engine deletes files that no item names (`lib/engines/bucket/loose-files.ts`). */
const loose: readonly string[] = ['data-sources', 'imports', 'profile-images', 'search']

const policies: Readonly<Record<string, Policy>> = {
  activities: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  assertions: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  'asset-files': {
    table: ['Get', 'BatchGet', 'Put', 'Update'],
    read: ['assets'],
    write: ['thumbnails'],
    remove: ['assets', 'thumbnails', 'uploads'],
    list: true,
  },
  assets: {
    table: [...change, 'Query', 'Index'],
    read: ['assets', 'tables', 'thumbnails', 'uploads'],
    write: ['assets', 'tables', 'uploads'],
    list: true,
  },
  assistant: { table: [...change, ...searching], read: ['search'], write: ['search'], remove: [...loose], list: true },
  calendars: { table: [...change] },
  changes: { table: [...change, 'Query'] },
  clusters: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  comments: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  dispatcher: { table: [] },
  documents: { table: [...change] },
  entities: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  exporter: {
    table: ['Get', 'BatchGet', 'Put', 'Update', 'Query', 'Index'],
    read: ['exports'],
    write: ['exports'],
    remove: ['exports'],
    list: true,
  },
  exports: { table: [...change], read: ['exports'], list: true },
  flags: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  health: { table: [...change, 'Query', 'Index'], read: ['search'], list: true },
  hooks: { table: [...change, 'Index'] },
  iiif: { table: [...change], read: ['assets', 'derivatives', 'pictures'], write: ['derivatives'], list: true },
  importer: {
    table: [...change, ...searching, 'Index'],
    read: ['imports', 'search'],
    write: ['imports', 'search'],
    remove: [...loose],
    list: true,
  },
  imports: {
    table: [...change, 'Query', 'Index'],
    read: ['imports', 'tables', 'uploads'],
    write: ['imports', 'tables', 'uploads'],
    remove: [...loose],
    list: true,
  },
  keys: { table: [...change, 'Index'] },
  leaderboard: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  letters: { table: ['Get', 'BatchGet', 'Put', 'Update', 'Query', 'Index'] },
  merger: {
    table: [...change, 'BatchWrite', 'Query', 'Index'],
    read: ['assets', 'snapshots'],
    write: ['pictures', 'snapshots'],
    list: true,
  },
  notifications: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  oai: { table: [...change, 'Query'] },
  ocr: { table: ['Get', 'BatchGet', 'Put', 'Update', 'Query'], read: ['assets'], list: true },
  pictures: { table: [...change, 'Query'], read: ['uploads'], write: ['pictures', 'uploads'], list: true },
  'profile-images': {
    table: [...change],
    read: ['profile-images'],
    write: ['profile-images'],
    remove: [...loose],
    list: true,
  },
  projector: { table: [...change, 'Query'] },
  projects: {
    table: [...change, 'BatchWrite', 'Query', 'Index'],
    read: ['assets', 'snapshots', 'tables', 'thumbnails'],
    write: ['pictures', 'snapshots', 'tables'],
    list: true,
  },
  queue: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  reconcile: { table: [...change, ...searching], read: ['search'], write: ['search'], remove: [...loose], list: true },
  records: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  registry: { table: [...change] },
  reviews: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  revisions: { table: [...change, 'Query'], read: ['tables'], write: ['tables'] },
  roles: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  search: {
    table: [...change, ...searching],
    read: ['search', 'tables'],
    write: ['search', 'tables'],
    remove: [...loose],
    list: true,
  },
  sources: {
    table: [...change, ...searching, 'Index'],
    read: ['data-sources', 'search', 'tables'],
    write: ['data-sources', 'search', 'tables'],
    remove: [...loose],
    list: true,
  },
  submissions: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  sweeper: {
    table: [...change, ...searching, 'Index'],
    read: ['search', 'snapshots'],
    write: ['search'],
    remove: [...loose, 'pictures', 'snapshots', 'uploads'],
    list: true,
  },
  tokens: { table: [...change] },
  users: { table: [...change, 'Query', 'Index'], read: ['tables'], write: ['tables'] },
  webhooks: { table: ['Get', 'BatchGet', 'Put', 'Update', 'Query', 'Index'] },
}

const tableActions = {
  Get: 'dynamodb:GetItem Table',
  BatchGet: 'dynamodb:BatchGetItem Table',
  Put: 'dynamodb:PutItem Table',
  Update: 'dynamodb:UpdateItem Table',
  Delete: 'dynamodb:DeleteItem Table',
  ConditionCheck: 'dynamodb:ConditionCheckItem Table',
  BatchWrite: 'dynamodb:BatchWriteItem Table',
  Query: 'dynamodb:Query Table',
  Index: 'dynamodb:Query Table/index',
  Scan: 'dynamodb:Scan Table',
} as const

/** The rights that identifying a caller takes, as `action resource`. */
export const identityRights: readonly string[] = change.map((right) => tableActions[right]).sort()

/** The rights of a function, as `action resource`. Example: `s3:PutObject Bucket/tables/*`. Throws for a function without a row. */
export function usesOf(name: string): string[] {
  const policy = policies[name]
  if (!policy) throw new Error(`deploy/policies.ts has no row for ${name}.`)
  const { table, read = [], write = [], remove = [], list } = policy
  return [
    ...table.map((right) => tableActions[right]),
    ...read.map((folder) => `s3:GetObject Bucket/${folder}/*`),
    ...write.map((folder) => `s3:PutObject Bucket/${folder}/*`),
    ...remove.map((folder) => `s3:DeleteObject Bucket/${folder}/*`),
    ...(list ? ['s3:ListBucket Bucket'] : []),
  ].sort()
}
