import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { clock } from '../../base/clock.ts'
import { audiences } from '../../base/visibility.ts'
import { addNumbers, defineItem, type Key, putEntry, removeEntry, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type ForkTag, forkList, forkTagNames } from '../forks/items.ts'
import { decisionList, listsOf, recordVisibilities, revisionList } from '../records/items.ts'
import { submissionList } from '../submissions/items.ts'
import { type BoardName, boardNames, boards, rowPlace } from './score.ts'
import { type Figures, figureNames } from './tally.ts'

/** For each figure, the lists of a person. Their sizes make up the figure. */
export const figureLists = {
  entities: (user) => recordVisibilities.map((visibility) => listsOf.owner(user, visibility)),
  accepted_entities: (user) => audiences.map((audience) => listsOf.owner(user, audience)),
  rejected_entities: (user) => [listsOf.owner(user, 'rejected')],
  reviews: (user) => [decisionList(user)],
  revisions: (user) => [revisionList(user)],
  submissions: (user) => [submissionList(user)],
  accepted_submissions: (user) => [submissionList(user, 'accepted')],
  rejected_submissions: (user) => [submissionList(user, 'rejected')],
  forks: (user) => [forkList(user)],
  merged_forks: (user) => forkTagNames.map((tag) => forkList(user, 'merged', tag)),
  fork_points: (user) => forkTagNames.flatMap((tag) => takenForks(user, tag)),
} as const satisfies Record<keyof Figures, (user: string) => readonly string[]>

/** The lists of a person's forks with a tag that were merged or promoted. */
export const takenForks = (user: string, tag: ForkTag): readonly string[] => [
  forkList(user, 'merged', tag),
  forkList(user, 'promoted', tag),
]

const Profile = v.object({
  username: v.string(),
  full_name: v.string(),
  institution: v.string(),
  country: v.string(),
  profile_image: v.string(),
  avatar_url: v.string(),
  date_joined: v.string(),
})
/** The members of a person that a board shows. */
export type Profile = v.InferOutput<typeof Profile>
/** An entry that was stored before a figure was introduced has 0 for it, until it is updated. */
const StoredFigures = v.object(v.entriesFromList(figureNames, v.optional(v.number(), 0)))

/** A person's figures. The projector computes them from the sizes of the person's lists. */
export const BoardEntry = v.object({
  user_id: v.string(),
  face: Profile,
  /** Whether the account is active. Only active people are on boards. */
  is_active: v.boolean(),
  tally: StoredFigures,
  /**
   * The points and the tie-breaker of each stored row. From them the key of an old row is found, even after the rule for points has
   * changed.
   */
  standing: v.partial(v.object(v.entriesFromList(boardNames, v.object({ points: v.number(), tie: v.number() })))),
  month: v.string(),
  closings: v.array(v.object({ month: v.string(), total: v.number(), approval_rate: v.number(), score: v.number() })),
  updated_at: v.string(),
  version: v.number(),
})
export type BoardEntry = v.InferOutput<typeof BoardEntry>
export const boardEntry = defineItem({
  type: 'board',
  schema: BoardEntry,
  key: (it: { user_id: string }) => key.board(it.user_id),
})

/** A row of a board, with all members that a page shows. Boards of one sort of work have points, but no figures. */
export const BoardRow = v.object({
  user_id: v.string(),
  face: Profile,
  tally: v.optional(StoredFigures),
  points: v.number(),
})
export type BoardRow = v.InferOutput<typeof BoardRow>

/** A list of rows: a board of all people, or the part of `overall` that belongs to one institution. */
export type BoardList = { board: BoardName; institution?: string | undefined }
/** The name of a list in keys. */
export const listName = ({ board, institution }: BoardList): string =>
  institution === undefined ? board : `${board}#IN#${institution}`

type PlacedRow = { list: BoardList; points: number; place: string; row: BoardRow }
/** The boards whose rows show all figures. */
const fullBoards: readonly BoardName[] = ['overall', 'contributors', 'progress']

/** A person's rows in all lists. */
function placedRowsOf(entry: BoardEntry | undefined): PlacedRow[] {
  if (!entry) return []
  const { user_id, face, tally } = entry
  return boardNames.flatMap((board) => {
    const position = entry.standing[board]
    if (!position) return []
    const { points } = position
    const place = rowPlace(position, face.username, user_id)
    const row = { user_id, face, points, ...(fullBoards.includes(board) && { tally }) }
    const { institution } = face
    return [
      { list: { board }, points, place, row },
      ...(board === 'overall' && institution !== '' ? [{ list: { board, institution }, points, place, row }] : []),
    ]
  })
}

/** A person's row in one list. Undefined if the person is not in the list. */
export const findRow = (list: BoardList, entry: BoardEntry): PlacedRow | undefined =>
  placedRowsOf(entry).find((row) => listName(row.list) === listName(list))

/** Amounts to add to the counts of items, by the key of the item. */
type CountChanges = Map<string, { at: Key; by: Record<string, number> }>

/** Plans the changes of rows and of counts in the trees when a person's figures change. The entry's version guards them all. */
export function rowChanges(old: BoardEntry | undefined, next: BoardEntry): { rows: Write[]; counts: CountChanges } {
  const [before, after] = [placedRowsOf(old), placedRowsOf(next)]
  const rowsOf = (all: readonly PlacedRow[]) =>
    new Map(
      all.map(({ list, place, row }) => [
        `${listName(list)} ${place}`,
        { at: key.boardRow(listName(list), place), row },
      ]),
    )
  const [oldRows, newRows] = [rowsOf(before), rowsOf(after)]
  const rows = [
    ...[...oldRows].filter(([name]) => !newRows.has(name)).map(([, it]) => removeEntry(it.at)),
    ...[...newRows]
      .filter(([name, it]) => !isDeepStrictEqual(oldRows.get(name)?.row, it.row))
      .map(([, it]) => putEntry(it.at, it.row)),
  ]
  const counts: CountChanges = new Map()
  for (const row of before) countRow(counts, row, -1)
  for (const row of after) countRow(counts, row, 1)
  addCounts(counts, key.boardTotals(clock.random(TOTALS)), difference(totalsOf(old), totalsOf(next)))
  return { rows, counts }
}

/** An item whose amounts are all zero is not written. */
export const countWrites = (counts: CountChanges): Write[] =>
  [...counts.values()].flatMap(({ at, by }) => {
    const changed = Object.entries(by).filter(([, n]) => n !== 0)
    return changed.length > 0 ? [addNumbers(at, Object.fromEntries(changed))] : []
  })

/** Items over which the totals are spread, so that none of them is hot. */
export const TOTALS = 4

function totalsOf(entry: BoardEntry | undefined): Record<'score' | 'entities' | 'reviews', number> {
  const overall = entry?.standing.overall
  if (!entry || !overall) return { score: 0, entities: 0, reviews: 0 }
  return { score: overall.points, entities: entry.tally.entities, reviews: entry.tally.reviews }
}

const difference = (before: ReturnType<typeof totalsOf>, after: ReturnType<typeof totalsOf>) => ({
  score: after.score - before.score,
  entities: after.entities - before.entities,
  reviews: after.reviews - before.reviews,
})

/** Adds `by` to each node on the path to these points, and to the institution's count. */
function countRow(counts: CountChanges, { list, points }: PlacedRow, by: number): void {
  for (const { prefix, next } of nodesAbove(list.board, points))
    addCounts(counts, key.boardNode(listName(list), prefix), { [next]: by })
  if (list.institution !== undefined) addCounts(counts, key.institution(list.institution), { n: by })
}

function addCounts(counts: CountChanges, at: Key, by: Readonly<Record<string, number>>): void {
  const name = `${at.pk} ${at.sk}`
  const change = counts.get(name) ?? { at, by: {} }
  counts.set(name, change)
  for (const [member, n] of Object.entries(by)) change.by[member] = (change.by[member] ?? 0) + n
}

/** The nodes on the path to some points, from the root down. Each node counts by the next two digits. */
export function nodesAbove(board: BoardName, points: number): { prefix: string; next: string }[] {
  const { digits } = boards[board]
  const text = String(points).padStart(digits, '0')
  return Array.from({ length: digits / 2 }, (_, i) => ({
    prefix: text.slice(0, 2 * i),
    next: text.slice(2 * i, 2 * i + 2),
  }))
}
