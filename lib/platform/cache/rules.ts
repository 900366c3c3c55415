import { isDeepStrictEqual } from 'node:util'
import type { Write } from '../../engines/table/index.ts'

/** The sorts of cached answers, and their lifetime. The table has a version of each sort. */
export const cacheTtls = {
  leaderboard: { seconds: 120 },
  'queue-counts': { seconds: 30 },
} as const satisfies Record<string, { seconds: number }>
export type CacheName = keyof typeof cacheTtls

/** Seconds for which a process remembers what it read. */
export const REMEMBERED_SECONDS = 30

/**
 * The parts into which remembered records are divided. Each has a stamp in the item of versions, which changes with the part. A page
 * depends on the parts from which it was made, so a contribution that waits makes no public page stale.
 */
export const parts = {
  /** All parts at once. */
  all: 'records',
  /** Published records of all kinds, and the sizes of their lists. */
  published: 'rows',
  /** Published records of one kind. */
  publishedOf: (kind: string) => `rows ${kind}`,
  /** Records that are not published, of all kinds. */
  withheld: 'withheld',
  /** The names of things of one kind, as rows show them. */
  names: (kind: string) => `names ${kind}`,
  people: 'names person',
} as const

/** The sorts that a change of an item makes stale, by the item's type. Use `staleAfter` where the change itself is known. */
export const invalidatedBy: Readonly<Record<string, readonly (CacheName | typeof parts.all)[]>> = {
  submission: ['leaderboard'],
  record: ['leaderboard', 'queue-counts', parts.all],
  source: [parts.all],
  claims: [parts.all],
  username: [parts.all],
  decision: ['leaderboard', 'queue-counts'],
  flag: ['queue-counts'],
  revision: ['leaderboard'],
  board: ['leaderboard'],
}

type Image = Readonly<Record<string, unknown>>
type Change = Pick<Write, 'type' | 'replaces' | 'action'>

/** The sorts and parts that a write makes stale. A new item makes no names stale, since no remembered row can show it. */
export function staleAfter({ type = '', replaces, action }: Change): string[] {
  const sorts = invalidatedBy[type] ?? []
  if (!sorts.includes(parts.all)) return [...sorts]
  const [before, after] = [replaces?.(), action.Put?.Item]
  const changed = type === 'record' ? partsOfRecord(before, after) : before ? (partsNamedBy[type] ?? []) : []
  return [...sorts.filter((name) => name !== parts.all), ...changed]
}

/** The parts that change with an item that is replaced or deleted, by its type. A username is replaced when its person takes another one. */
const partsNamedBy: Readonly<Record<string, readonly string[]>> = {
  source: [parts.names('data_source')],
  claims: [parts.names('assertion')],
  username: [parts.people],
}

function partsOfRecord(before: Image | undefined, after: Image | undefined): string[] {
  const images = [before, after].filter((it) => it !== undefined)
  const rows = images.flatMap((it) =>
    it.public === true ? [parts.published, parts.publishedOf(String(it.kind))] : [parts.withheld],
  )
  const isNamedAnew = before !== undefined && naming.some((name) => !isDeepStrictEqual(before[name], after?.[name]))
  return isNamedAnew ? [...rows, parts.names(String(before.kind))] : rows
}

/** The members of a record that decide which name other records show for it, and to whom. */
const naming = ['name', 'public', 'status', 'access_tier', 'deleted_at', 'contributor_id', 'batch']
