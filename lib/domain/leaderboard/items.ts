import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { clock } from '../../base/clock.ts'
import { audiences } from '../../base/visibility.ts'
import { addNumbers, defineItem, type Key, putEntry, removeEntry, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { decisionList, listsOf, recordVisibilities, revisionList } from '../records/items.ts'
import { submissionList } from '../submissions/items.ts'
import { type BoardName, boardNames, boards, placeOf } from './score.ts'
import { figures, type Tally } from './tally.ts'

/** For each figure, the lists of a person whose sizes make it up. */
export const tallies = {
  entities: (user) => recordVisibilities.map((visibility) => listsOf.owner(user, visibility)),
  accepted_entities: (user) => audiences.map((audience) => listsOf.owner(user, audience)),
  rejected_entities: (user) => [listsOf.owner(user, 'rejected')],
  reviews: (user) => [decisionList(user)],
  revisions: (user) => [revisionList(user)],
  submissions: (user) => [submissionList(user)],
  accepted_submissions: (user) => [submissionList(user, 'accepted')],
  rejected_submissions: (user) => [submissionList(user, 'rejected')],
} as const satisfies Record<keyof Tally, (user: string) => readonly string[]>

const Profile = v.object({
  username: v.string(),
  full_name: v.string(),
  institution: v.string(),
  country: v.string(),
  profile_image: v.string(),
  avatar_url: v.string(),
  date_joined: v.string(),
})
/** How a person is shown on a board. */
export type Profile = v.InferOutput<typeof Profile>
const Figures = v.object(v.entriesFromList(figures, v.number()))

/** A person's figures. The projector computes them from the sizes of the person's lists. */
export const Entry = v.object({
  user_id: v.string(),
  face: Profile,
  /** Whether the account is active. Only active people are on boards. */
  is_active: v.boolean(),
  tally: Figures,
  /**
   * The points and the tie-breaker with which the stored rows were written. With them the old rows are found, even after points
   * are computed differently.
   */
  standing: v.partial(v.object(v.entriesFromList(boardNames, v.object({ points: v.number(), tie: v.number() })))),
  month: v.string(),
  closings: v.array(v.object({ month: v.string(), total: v.number(), approval_rate: v.number(), score: v.number() })),
  updated_at: v.string(),
  version: v.number(),
})
export type Entry = v.InferOutput<typeof Entry>
export const entry = defineItem({
  type: 'board',
  schema: Entry,
  key: (it: { user_id: string }) => key.board(it.user_id),
})

/** A row of a board, with all that a page shows. Boards of one sort of work have no figures, only points. */
export const Row = v.object({ user_id: v.string(), face: Profile, tally: v.optional(Figures), points: v.number() })
export type Row = v.InferOutput<typeof Row>

/** A whole board, or the part of `overall` that belongs to one institution. */
export type List = { board: BoardName; institution?: string | undefined }
/** The name of a list in keys. */
export const nameOf = ({ board, institution }: List): string =>
  institution === undefined ? board : `${board}#IN#${institution}`

type RowInList = { list: List; points: number; place: string; row: Row }
/** The boards whose rows show all figures. */
const fullBoards: readonly BoardName[] = ['overall', 'contributors', 'progress']

/** A person's rows in all lists. */
function placesOf(it: Entry | undefined): RowInList[] {
  if (!it) return []
  const { user_id, face, tally } = it
  return boardNames.flatMap((board) => {
    const position = it.standing[board]
    if (!position) return []
    const { points } = position
    const place = placeOf(position, face.username, user_id)
    const row = { user_id, face, points, ...(fullBoards.includes(board) && { tally }) }
    const { institution } = face
    return [
      { list: { board }, points, place, row },
      ...(board === 'overall' && institution !== '' ? [{ list: { board, institution }, points, place, row }] : []),
    ]
  })
}

/** A person's row in one list, if there is one. */
export const rowIn = (list: List, it: Entry): RowInList | undefined =>
  placesOf(it).find((each) => nameOf(each.list) === nameOf(list))

/** What to add to the numbers of items, by the key of the item. */
type Numbers = Map<string, { at: Key; by: Record<string, number> }>

/** Returns what changes with a person's figures: rows, and the counts in the trees. The entry's version guards all of it. */
export function rowChanges(old: Entry | undefined, next: Entry): { rows: Write[]; numbers: Numbers } {
  const [before, after] = [placesOf(old), placesOf(next)]
  const rowsOf = (all: readonly RowInList[]) =>
    new Map(
      all.map(({ list, place, row }) => [`${nameOf(list)} ${place}`, { at: key.boardRow(nameOf(list), place), row }]),
    )
  const [oldRows, newRows] = [rowsOf(before), rowsOf(after)]
  const rows = [
    ...[...oldRows].filter(([name]) => !newRows.has(name)).map(([, it]) => removeEntry(it.at)),
    ...[...newRows]
      .filter(([name, it]) => !isDeepStrictEqual(oldRows.get(name)?.row, it.row))
      .map(([, it]) => putEntry(it.at, it.row)),
  ]
  const numbers: Numbers = new Map()
  for (const it of before) count(numbers, it, -1)
  for (const it of after) count(numbers, it, 1)
  add(numbers, key.boardTotals(clock.random(TOTALS)), difference(totalsOf(old), totalsOf(next)))
  return { rows, numbers }
}

/** The writes of these numbers, without zeros. */
export const numberWrites = (numbers: Numbers): Write[] =>
  [...numbers.values()].flatMap(({ at, by }) => {
    const changed = Object.entries(by).filter(([, n]) => n !== 0)
    return changed.length > 0 ? [addNumbers(at, Object.fromEntries(changed))] : []
  })

/** Items over which the totals are spread, so that none of them is hot. */
export const TOTALS = 4

function totalsOf(it: Entry | undefined): Record<'score' | 'entities' | 'reviews', number> {
  const overall = it?.standing.overall
  if (!it || !overall) return { score: 0, entities: 0, reviews: 0 }
  return { score: overall.points, entities: it.tally.entities, reviews: it.tally.reviews }
}

const difference = (before: ReturnType<typeof totalsOf>, after: ReturnType<typeof totalsOf>) => ({
  score: after.score - before.score,
  entities: after.entities - before.entities,
  reviews: after.reviews - before.reviews,
})

/** Adds `by` to each node on the path to these points, and to the institution's count. */
function count(numbers: Numbers, { list, points }: RowInList, by: number): void {
  for (const { prefix, next } of nodesAbove(list.board, points))
    add(numbers, key.boardNode(nameOf(list), prefix), { [next]: by })
  if (list.institution !== undefined) add(numbers, key.institution(list.institution), { n: by })
}

function add(numbers: Numbers, at: Key, by: Readonly<Record<string, number>>): void {
  const place = `${at.pk} ${at.sk}`
  const there = numbers.get(place) ?? { at, by: {} }
  numbers.set(place, there)
  for (const [name, n] of Object.entries(by)) there.by[name] = (there.by[name] ?? 0) + n
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
