/**
 * What each function may ask of the table and of the folders of the bucket. `roles.ts` makes the roles from these rows. Nothing else
 * grants a function a right to the table or the bucket.
 *
 * 1. Tests run each function under its role. A denied request fails the run, even if the function goes on without it.
 * 2. A right that no test has used fails the run of all tests (`unusedUses`).
 * 3. `npm run rehearse` requires the same of the packages, strictly: each function must use each of its rights.
 */

type TableRight = keyof typeof tableActions
type Rights = {
  table?: readonly TableRight[]
  /** Folders of the bucket whose files the function reads, writes (`write`) and deletes (`remove`). */
  read?: readonly string[]
  write?: readonly string[]
  remove?: readonly string[]
  /** May list the bucket. Without this right S3 answers 403 for a missing file, not 404. */
  list?: true
}

const change: readonly TableRight[] = ['Get', 'BatchGet', 'Put', 'Update', 'Delete']

/** To identify the caller, and to write a user who comes for the first time. Each group whose routes look at the caller has these rights. */
const identify: Rights = { table: change }
/**
 * To search. A function that finds no snapshot builds one from the whole table, hence `Scan`. Then it deletes the oldest snapshot, or its
 * own if another process was faster.
 */
const search: Rights = {
  table: ['Query', 'Scan', 'BatchWrite'],
  read: ['search'],
  write: ['search'],
  remove: ['search'],
  list: true,
}
/** To answer a list as CSV or XLSX that is too large for an answer. The client fetches it from the bucket. */
const listAsTable: Rights = { read: ['tables'], write: ['tables'] }

/** Rights that several functions share, since the same code asks for all of them. */
const shared: readonly Rights[] = [identify, search, listAsTable]

/** Each function's rights: those that it shares, then its own. */
const policies: Readonly<Record<string, readonly Rights[]>> = {
  account: [identify, { table: ['Index'] }],
  assertions: [identify, search, listAsTable, { table: ['Index'] }],
  'asset-files': [
    {
      table: ['Get', 'BatchGet', 'Put'],
      read: ['assets'],
      write: ['thumbnails'],
      remove: ['assets', 'thumbnails', 'uploads'],
      list: true,
    },
  ],
  assets: [
    identify,
    listAsTable,
    { table: ['Query'], read: ['assets', 'thumbnails', 'uploads'], write: ['assets', 'uploads'], list: true },
  ],
  assistant: [identify, search],
  calendars: [identify],
  changes: [identify, { table: ['Query'] }],
  clusters: [identify, search, listAsTable, { table: ['Index'], read: ['graph'] }],
  comments: [identify, listAsTable, { table: ['Query', 'Index'] }],
  dispatcher: [],
  documents: [identify],
  entities: [identify, search, listAsTable, { table: ['Index'] }],
  exporter: [
    {
      table: ['Get', 'BatchGet', 'Put', 'Query', 'Index'],
      read: ['exports'],
      write: ['exports'],
      remove: ['exports'],
      list: true,
    },
  ],
  exports: [identify, { read: ['exports'], list: true }],
  flags: [identify, listAsTable, { table: ['Query', 'Index'] }],
  health: [{ table: ['Get', 'BatchGet', 'Put', 'Query', 'Index'], read: ['search'], list: true }],
  hooks: [identify, { table: ['Index'] }],
  iiif: [identify, { read: ['assets', 'derivatives', 'pictures'], write: ['derivatives'], list: true }],
  importer: [search, { table: [...change, 'Index'], read: ['imports'], write: ['imports'] }],
  imports: [
    identify,
    listAsTable,
    {
      table: ['Query', 'Index'],
      read: ['imports', 'uploads'],
      write: ['imports', 'uploads'],
      remove: ['imports'],
      list: true,
    },
  ],
  leaderboard: [identify, search, listAsTable, { table: ['Index'] }],
  letters: [{ table: ['Get', 'BatchGet', 'Put', 'Delete', 'Query', 'Index'] }],
  mcp: [identify, search],
  merger: [
    {
      table: [...change, 'BatchWrite', 'Query', 'Index'],
      read: ['assets', 'snapshots'],
      write: ['pictures', 'snapshots'],
      list: true,
    },
  ],
  notifications: [identify, listAsTable, { table: ['Query', 'Index'] }],
  oai: [identify, { table: ['Query'] }],
  ocr: [
    { table: ['Get', 'BatchGet', 'Put', 'Update', 'Query'], read: ['assets', 'scans'], write: ['scans'], list: true },
  ],
  pictures: [identify, { table: ['Query'], read: ['uploads'], write: ['pictures', 'uploads'], list: true }],
  'profile-images': [
    identify,
    { read: ['profile-images'], write: ['profile-images'], remove: ['profile-images'], list: true },
  ],
  projector: [{ table: [...change, 'Query'], read: ['graph'], write: ['graph'], remove: ['graph'], list: true }],
  projects: [
    identify,
    listAsTable,
    {
      table: ['BatchWrite', 'Query', 'Index'],
      read: ['assets', 'snapshots', 'thumbnails'],
      write: ['pictures', 'snapshots'],
      list: true,
    },
  ],
  queue: [identify, search, listAsTable, { table: ['Index'] }],
  reconcile: [identify, search],
  records: [identify, search, listAsTable, { table: ['Index'] }],
  registry: [identify, { table: ['Query', 'Index'] }],
  reviews: [
    identify,
    listAsTable,
    {
      table: ['BatchWrite', 'Query', 'Index'],
      read: ['assets', 'exports'],
      write: ['pictures', 'snapshots'],
      list: true,
    },
  ],
  revisions: [identify, listAsTable, { table: ['Query', 'Index'] }],
  roles: [identify, search, listAsTable, { table: ['Index'] }],
  scans: [
    identify,
    listAsTable,
    { table: ['Query', 'Index'], read: ['parts', 'scans', 'uploads'], write: ['scans', 'uploads'], list: true },
  ],
  search: [identify, search, listAsTable],
  sources: [
    identify,
    search,
    listAsTable,
    { table: ['ConditionCheck', 'Index'], read: ['data-sources'], write: ['data-sources'], remove: ['data-sources'] },
  ],
  submissions: [identify, listAsTable, { table: ['Query', 'Index'] }],
  sweeper: [
    search,
    {
      table: [...change, 'Index'],
      read: ['exports', 'snapshots'],
      write: ['account-exports', 'exports', 'snapshots'],
      remove: [
        'account-exports',
        'data-sources',
        'exports',
        'graph',
        'imports',
        'pictures',
        'profile-images',
        'snapshots',
        'uploads',
      ],
    },
  ],
  tokens: [identify],
  users: [identify, listAsTable, { table: ['Query', 'Index'], read: ['account-exports'] }],
  watches: [identify, search],
  webhooks: [{ table: ['Get', 'BatchGet', 'Put', 'Delete', 'Query', 'Index'] }],
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

/** A right is written as `action resource`. Example: `s3:PutObject Bucket/tables/*`. */
const usesIn = ({ table = [], read = [], write = [], remove = [], list }: Rights): string[] => [
  ...table.map((right) => tableActions[right]),
  ...read.map((folder) => `s3:GetObject Bucket/${folder}/*`),
  ...write.map((folder) => `s3:PutObject Bucket/${folder}/*`),
  ...remove.map((folder) => `s3:DeleteObject Bucket/${folder}/*`),
  ...(list ? ['s3:ListBucket Bucket'] : []),
]

export const identifiesCallers = (name: string): boolean => policies[name]?.includes(identify) ?? false

/** The rights that identifying a caller takes. */
export const identityRights: readonly string[] = usesIn(identify).sort()

/** The rights of a function, each once. Throws for a function without a row. */
export function usesOf(name: string): string[] {
  const policy = policies[name]
  if (!policy) throw new Error(`deploy/policies.ts has no row for ${name}.`)
  return [...new Set(policy.flatMap(usesIn))].sort()
}

/**
 * The rights that nothing needs, if `used` holds all uses. A use is written as `function action resource`.
 *
 * 1. A function must use each right of its own.
 * 2. A right that functions share must be used by one of them.
 * 3. A function that shares rights must use one of them that it has for no other reason. If it uses none, it needs none.
 */
export function unusedUses(used: ReadonlySet<string>): string[] {
  return Object.entries(policies).flatMap(([name, policy]) =>
    policy.flatMap((rights) => {
      const others = new Set(policy.filter((it) => it !== rights).flatMap(usesIn))
      const special = usesIn(rights).filter((use) => !others.has(use))
      const sharers = shared.includes(rights) ? functionsWith(rights) : [name]
      const isNeeded = special.some((use) => used.has(`${name} ${use}`))
      return special
        .filter((use) => !isNeeded || !sharers.some((sharer) => used.has(`${sharer} ${use}`)))
        .map((use) => `${name} ${use}`)
    }),
  )
}

const functionsWith = (rights: Rights): string[] =>
  Object.keys(policies).filter((name) => policies[name]?.includes(rights))

/**
 * Writes an action and a resource of AWS as the rows write a right. Example: `s3:GetObject arn:aws:s3:::files/tables/1` becomes
 * `s3:GetObject Bucket/tables/*`.
 */
export function useOf(action: string, resource: string): string {
  const [, index] = /:table\/[^/]+(\/index\/)?/.exec(resource) ?? []
  if (action.startsWith('dynamodb:')) return `${action} Table${index ? '/index' : ''}`
  const [, folder] = /^arn:aws:s3:::[^/]+\/([^/]+)\//.exec(resource) ?? []
  return `${action} Bucket${folder ? `/${folder}/*` : ''}`
}
