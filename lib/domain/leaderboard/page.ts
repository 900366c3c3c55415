import * as v from 'valibot'
import type { PageRequest } from '../../engines/table/index.ts'
import { getMany, itemAt, itemIn, nthKey, type Stored, walkTable } from '../../engines/table/index.ts'
import { cacheAnswer } from '../../platform/cache/cached.ts'
import { key } from '../../platform/table/keys.ts'
import { type BoardList, BoardRow, boardEntry, findRow, listName, TOTALS } from './items.ts'
import { findPointsAt, listSizeIn, loadRank, loadRanks, rootOf } from './order-statistic-tree.ts'
import { type BoardName, orderOf } from './score.ts'
import { findPeople } from './search.ts'

export type BoardRequest = BoardList & { search?: string | undefined }
export type RankedRow = BoardRow & { rank: number }
export type Board = {
  count: number
  /** The offset of the page. An offset beyond the end leads to the last page. */
  offset: number
  results: RankedRow[]
  first?: string | undefined
  last?: string | undefined
  institutions: string[]
  totals: { contributors: number; score: number; entities: number; reviews: number }
}

/**
 * One page of a board, best first, with everyone's rank among all. The answer is cached until one of its items changes. A miss
 * costs about five calls, however many people there are.
 */
export async function loadBoardPage(request: BoardRequest, place: PageRequest): Promise<Board> {
  const { board, institution, search } = request
  const key = JSON.stringify([board, institution, search, place.limit, place.offset, place.from])
  return (await cacheAnswer('leaderboard', key, () => loadUncachedPage(request, place))).value
}

async function loadUncachedPage({ board, institution, search }: BoardRequest, place: PageRequest): Promise<Board> {
  const list: BoardList = { board, institution }
  const [found, institutions] = await Promise.all([
    getMany([rootOf(list), rootOf({ board: 'overall' }), ...totalKeys()], true),
    listInstitutions(),
  ])
  const rows = search ? await searchBoard(list, search, place) : await listPage(list, listSizeIn(list, found), place)
  return { ...rows, institutions, totals: totalsIn(found) }
}

type BoardPage = Pick<Board, 'count' | 'offset' | 'results' | 'first' | 'last'>

/** Reads a page of a list: at its offset, or next to the row that a `next` or `previous` link names. */
async function listPage(
  list: BoardList,
  count: number,
  { limit, offset: requested, from }: PageRequest,
): Promise<BoardPage> {
  const offset = offsetWithin(count, limit, requested)
  const rows =
    from && offset === requested ? await rowsFrom(list, limit, from) : await rowsAt(list, count, limit, offset)
  return {
    count,
    offset,
    results: await addRanks(list, rows),
    first: rows.at(0)?.place,
    last: rows.at(-1)?.place,
  }
}

/** The offset itself, or that of the last page if it is beyond the end. */
const offsetWithin = (count: number, limit: number, offset: number) =>
  offset < count ? offset : Math.max(0, Math.floor((count - 1) / limit)) * limit

/** A row and its sort key. */
type RowWithPlace = BoardRow & { place: string }

async function rowsFrom(
  list: BoardList,
  limit: number,
  { side, at }: NonNullable<PageRequest['from']>,
): Promise<RowWithPlace[]> {
  const forward = side === 'after'
  const items = await walkTable({ pk: pkOf(list), forward, limit, beyond: at })
  return rowsOf(forward ? items : items.reverse())
}

/** Offsets up to this one are reached by reading rows. For larger ones the points at the offset are looked up first. */
const NEAR_OFFSET = 100

/** Reads the rows at an offset, from the nearer end or from the first row with the same points. */
async function rowsAt(list: BoardList, count: number, limit: number, offset: number): Promise<RowWithPlace[]> {
  const pk = pkOf(list)
  if (offset <= NEAR_OFFSET)
    return rowsOf(
      (await walkTable({ pk, forward: true, limit: offset + limit, consistent: offset === 0 })).slice(offset),
    )
  const rest = count - offset
  if (rest <= NEAR_OFFSET + limit) {
    const items = await walkTable({ pk, forward: false, limit: rest })
    return rowsOf(items.reverse().slice(0, limit))
  }
  const beyond = await placeBefore(list, offset)
  return rowsOf(await walkTable({ pk, forward: true, limit, beyond, consistent: false }))
}

/**
 * The sort key of the row before an offset. The tree finds the points there, so only rows with equal points are skipped, from
 * their nearer end. Of these only keys are read, about 5,000 with each call.
 */
async function placeBefore(list: BoardList, offset: number): Promise<string | undefined> {
  const pk = pkOf(list)
  const { points, above, equal } = (await findPointsAt(list, offset)) ?? {
    points: undefined,
    above: 0,
    equal: Infinity,
  }
  const before = offset - above
  const behind = above + equal - offset
  const order = points === undefined ? undefined : orderOf(points)
  if (before === 0) return order
  return before <= behind + 1
    ? nthKey({ pk, forward: true, beyond: order }, before)
    : nthKey({ pk, forward: false, beyond: `${order}~` }, behind + 1)
}

/** Finds people by name. Those who are on this board are listed in its order, with their ranks. */
async function searchBoard(
  list: BoardList,
  text: string,
  { limit, offset: requested }: PageRequest,
): Promise<BoardPage> {
  const ids = await findPeople(text)
  const found = await getMany(ids.map((id) => key.board(id)))
  const rows = ids
    .flatMap((id) => {
      const entry = itemIn(found, boardEntry, { user_id: id })
      const placed = entry && findRow(list, entry)
      return placed ? { ...placed.row, place: placed.place } : []
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1))
  const offset = offsetWithin(rows.length, limit, requested)
  const results = await addEachRank(list.board, rows.slice(offset, offset + limit))
  return { count: rows.length, offset, results }
}

/** Adds ranks to consecutive rows. On a board of all people one rank is read, and the others are counted from it. */
async function addRanks(list: BoardList, rows: readonly RowWithPlace[]): Promise<RankedRow[]> {
  const [first] = rows
  if (!first) return []
  if (list.institution !== undefined) return addEachRank(list.board, rows)
  const { above, equal } = await loadRank(list.board, first.points)
  const firstLower = rows.findIndex((it) => it.points !== first.points)
  let rank = above + 1
  return rows.map((row, i) => {
    if (i > 0 && row.points !== rows[i - 1]?.points) rank = above + equal + 1 + (i - firstLower)
    return rankedRow(row, rank)
  })
}

/** Adds to each row its rank among everyone on the board. Rows with equal points share one look-up. */
async function addEachRank(board: BoardName, rows: readonly RowWithPlace[]): Promise<RankedRow[]> {
  const ranks = await loadRanks(board, [...new Set(rows.map((it) => it.points))])
  return rows.map((row) => rankedRow(row, (ranks.get(row.points)?.above ?? 0) + 1))
}

const rankedRow = ({ place: _, ...row }: RowWithPlace, rank: number): RankedRow => ({ ...row, rank })

/** The most institutions that are listed, in alphabetical order. `?institution=` takes any other one, too. */
const MOST_INSTITUTIONS = 500

async function listInstitutions(): Promise<string[]> {
  const { pk } = key.institution('')
  const items = await walkTable({ pk, forward: true, limit: MOST_INSTITUTIONS, consistent: false })
  return items.filter((it) => Number(it.n) > 0).map((it) => String(it.sk))
}

const totalKeys = () => Array.from({ length: TOTALS }, (_, shard) => key.boardTotals(shard))

function totalsIn(found: ReadonlyMap<string, Stored>): Board['totals'] {
  const items = totalKeys().map((at) => itemAt(found, at))
  const sum = (name: string) => items.reduce((all, it) => all + Number(it?.[name] ?? 0), 0)
  return {
    contributors: listSizeIn({ board: 'overall' }, found),
    score: sum('score'),
    entities: sum('entities'),
    reviews: sum('reviews'),
  }
}

const pkOf = (list: BoardList) => key.boardRow(listName(list), '').pk

const rowsOf = (items: readonly Stored[]): RowWithPlace[] =>
  items.map((item) => ({ ...v.parse(BoardRow, item), place: String(item.sk) }))
