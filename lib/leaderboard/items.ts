import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { clock } from '../clock.ts'
import { audiences } from '../permissions.ts'
import { decisionList, listsOf, revisionList, visibilities } from '../records/items.ts'
import { submissionList } from '../submissions/items.ts'
import { addNumbers, defineItem, putEntry, removeEntry, type Write } from '../table/item.ts'
import { type Key, key } from '../table/keys.ts'
import { type BoardName, boardNames, boards, placeOf } from './score.ts'
import { figures, type Tally } from './tally.ts'

/** The lists of a person whose sizes are the figures of the tally. */
export const tallies = {
  entities: (user) => visibilities.map((visibility) => listsOf.owner(user, visibility)),
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

/** A person's figures, kept by the projector from the sizes of the person's lists. */
export const Entry = v.object({
  user_id: v.string(),
  face: Profile,
  /** Whether the person has a page, and so a place on boards. */
  is_active: v.boolean(),
  tally: Figures,
  /** Where its rows are and how it is counted, so that both are found again when points are reckoned otherwise. */
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

/** A row of a list, with all that a page shows of it. Boards of one sort of work show its points alone. */
export const Row = v.object({ user_id: v.string(), face: Profile, tally: v.optional(Figures), points: v.number() })
export type Row = v.InferOutput<typeof Row>

/** The list of a board, or the part of the overall one that an institution has. */
export type List = { board: BoardName; institution?: string | undefined }
/** How keys name a list. */
export const nameOf = ({ board, institution }: List): string =>
  institution === undefined ? board : `${board}#IN#${institution}`

type Placed = { list: List; points: number; place: string; row: Row }
/** The boards whose rows show all figures. */
const full: readonly BoardName[] = ['overall', 'contributors', 'progress']

/** The lists in which a person has a place. */
function placesOf(it: Entry | undefined): Placed[] {
  if (!it) return []
  const { user_id, face, tally } = it
  return boardNames.flatMap((board) => {
    const position = it.standing[board]
    if (!position) return []
    const { points } = position
    const place = placeOf(position, face.username, user_id)
    const row = { user_id, face, points, ...(full.includes(board) && { tally }) }
    const { institution } = face
    return [
      { list: { board }, points, place, row },
      ...(board === 'overall' && institution !== '' ? [{ list: { board, institution }, points, place, row }] : []),
    ]
  })
}

/** A person's place in one list, if there is one. */
export const placeIn = (list: List, it: Entry): Placed | undefined =>
  placesOf(it).find((each) => nameOf(each.list) === nameOf(list))

/** The numbers of one item that change, by the item's key. */
type Numbers = Map<string, { at: Key; by: Record<string, number> }>

/** What follows when a person's figures go from one value to the next: rows, and how many have how many points. Guarded by the version of the entry. */
export function moves(old: Entry | undefined, next: Entry): { rows: Write[]; numbers: Numbers } {
  const [before, after] = [placesOf(old), placesOf(next)]
  const rowsOf = (all: readonly Placed[]) =>
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

/** As writes; what comes out even is left out. */
export const numberWrites = (numbers: Numbers): Write[] =>
  [...numbers.values()].flatMap(({ at, by }) => {
    const changed = Object.entries(by).filter(([, n]) => n !== 0)
    return changed.length > 0 ? [addNumbers(at, Object.fromEntries(changed))] : []
  })

/** The totals are spread over this many items. */
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

/** Counts a person at each node on the way down to the points, and in the institution. */
function count(numbers: Numbers, { list, points }: Placed, by: number): void {
  for (const { prefix, next } of wayTo(list.board, points))
    add(numbers, key.boardNode(nameOf(list), prefix), { [next]: by })
  if (list.institution !== undefined) add(numbers, key.institution(list.institution), { n: by })
}

function add(numbers: Numbers, at: Key, by: Readonly<Record<string, number>>): void {
  const place = `${at.pk} ${at.sk}`
  const there = numbers.get(place) ?? { at, by: {} }
  numbers.set(place, there)
  for (const [name, n] of Object.entries(by)) there.by[name] = (there.by[name] ?? 0) + n
}

/** The digits of points two by two: the node that counts them by their next two digits, and these. */
export function wayTo(board: BoardName, points: number): { prefix: string; next: string }[] {
  const { digits } = boards[board]
  const text = String(points).padStart(digits, '0')
  return Array.from({ length: digits / 2 }, (_, i) => ({
    prefix: text.slice(0, 2 * i),
    next: text.slice(2 * i, 2 * i + 2),
  }))
}
