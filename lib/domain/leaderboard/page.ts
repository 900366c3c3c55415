import * as v from 'valibot'
import type { PageRequest } from '../../engines/table/index.ts'
import { getMany, itemAt, itemIn, nthKey, type Stored, walkTable } from '../../engines/table/index.ts'
import { cacheAnswer } from '../../platform/cache/cached.ts'
import { key } from '../../platform/table/keys.ts'
import { entry, type List, nameOf, Row, rowIn, TOTALS } from './items.ts'
import { pointsAt, rankIn, ranksIn, rootOf, sizeIn } from './order-statistic-tree.ts'
import { type BoardName, orderOf } from './score.ts'
import { findPeople } from './search.ts'

/** What the client asks of a board. */
export type Asked = List & { search?: string | undefined }
export type Ranked = Row & { rank: number }
export type Board = {
  count: number
  /** Where the page begins. An offset beyond the end leads to the last page. */
  offset: number
  results: Ranked[]
  first?: string | undefined
  last?: string | undefined
  institutions: string[]
  totals: { contributors: number; score: number; entities: number; reviews: number }
}

/**
 * One page of a board, best first, with everyone's rank among all. The answer is cached until one of its items changes. A miss
 * costs about five calls, however many people there are.
 */
export async function loadBoardPage(asked: Asked, place: PageRequest): Promise<Board> {
  const key = JSON.stringify([asked.board, asked.institution, asked.search, place.limit, place.offset, place.from])
  return (await cacheAnswer('leaderboard', key, () => pageNow(asked, place))).value
}

async function pageNow(asked: Asked, place: PageRequest): Promise<Board> {
  const list: List = { board: asked.board, institution: asked.institution }
  const [found, institutions] = await Promise.all([
    getMany([rootOf(list), rootOf({ board: 'overall' }), ...totalKeys()], true),
    institutionsNow(),
  ])
  const rows = asked.search ? await search(list, asked.search, place) : await listPage(list, sizeIn(list, found), place)
  return { ...rows, institutions, totals: totalsIn(found) }
}

type BoardPage = Pick<Board, 'count' | 'offset' | 'results' | 'first' | 'last'>

/** A page of a list: at its offset, or next to the row that a `next` or `previous` link names. */
async function listPage(list: List, count: number, { limit, offset: wanted, from }: PageRequest): Promise<BoardPage> {
  const offset = offsetWithin(count, limit, wanted)
  const rows = from && offset === wanted ? await rowsFrom(list, limit, from) : await rowsAt(list, count, limit, offset)
  const [first, last] = [rows.at(0), rows.at(-1)].map((it) => it?.place)
  return { count, offset, results: await withRanks(list, rows), first, last }
}

/** An offset within the list: beyond the end, that of the last page. */
const offsetWithin = (count: number, limit: number, offset: number) =>
  offset < count ? offset : Math.max(0, Math.floor((count - 1) / limit)) * limit

type Placed = Row & { place: string }

async function rowsFrom(list: List, limit: number, { side, at }: NonNullable<PageRequest['from']>): Promise<Placed[]> {
  const forward = side === 'after'
  const items = await walkTable({ pk: pkOf(list), forward, limit, beyond: at })
  return rowsOf(forward ? items : items.reverse())
}

/** Offsets up to here are reached by reading rows. For larger ones the points at the offset are looked up first. */
const NEAR = 100

/** The rows at an offset. They are read from the nearer end, or from the first row with the same points. */
async function rowsAt(list: List, count: number, limit: number, offset: number): Promise<Placed[]> {
  const pk = pkOf(list)
  if (offset <= NEAR)
    return rowsOf(
      (await walkTable({ pk, forward: true, limit: offset + limit, consistent: offset === 0 })).slice(offset),
    )
  const rest = count - offset
  if (rest <= NEAR + limit) {
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
async function placeBefore(list: List, offset: number): Promise<string | undefined> {
  const pk = pkOf(list)
  const { points, above, equal } = (await pointsAt(list, offset)) ?? { points: undefined, above: 0, equal: Infinity }
  const [before, behind] = [offset - above, above + equal - offset]
  const order = points === undefined ? undefined : orderOf(points)
  if (before === 0) return order
  return before <= behind + 1
    ? nthKey({ pk, forward: true, beyond: order }, before)
    : nthKey({ pk, forward: false, beyond: `${order}~` }, behind + 1)
}

/** The people whose names match, with their places on this board. */
async function search(list: List, text: string, { limit, offset: wanted }: PageRequest): Promise<BoardPage> {
  const ids = await findPeople(text)
  const found = await getMany(ids.map((id) => key.board(id)))
  const rows = ids
    .flatMap((id) => {
      const of = itemIn(found, entry, { user_id: id })
      const it = of && rowIn(list, of)
      return it ? { ...it.row, place: it.place } : []
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1))
  const offset = offsetWithin(rows.length, limit, wanted)
  const results = await withEachRank(list.board, rows.slice(offset, offset + limit))
  return { count: rows.length, offset, results }
}

/** The ranks of consecutive rows. On a whole board the rank of the first row gives those of the others. */
async function withRanks(list: List, rows: readonly Placed[]): Promise<Ranked[]> {
  const [first] = rows
  if (!first) return []
  if (list.institution !== undefined) return withEachRank(list.board, rows)
  const { above, equal } = await rankIn(list.board, first.points)
  const others = rows.findIndex((it) => it.points !== first.points)
  let rank = above + 1
  return rows.map((row, i) => {
    if (i > 0 && row.points !== rows[i - 1]?.points) rank = above + equal + 1 + (i - others)
    return rankedRow(row, rank)
  })
}

/** The rank of each row among everyone on the board. */
async function withEachRank(board: BoardName, rows: readonly Placed[]): Promise<Ranked[]> {
  const standings = await ranksIn(board, [...new Set(rows.map((it) => it.points))])
  return rows.map((row) => rankedRow(row, (standings.get(row.points)?.above ?? 0) + 1))
}

const rankedRow = ({ place: _, ...row }: Placed, rank: number): Ranked => ({ ...row, rank })

/** Institutions listed at most, in alphabetical order. A client may ask for any other one too. */
const MOST_INSTITUTIONS = 500

async function institutionsNow(): Promise<string[]> {
  const { pk } = key.institution('')
  const items = await walkTable({ pk, forward: true, limit: MOST_INSTITUTIONS, consistent: false })
  return items.filter((it) => Number(it.n) > 0).map((it) => String(it.sk))
}

const totalKeys = () => Array.from({ length: TOTALS }, (_, shard) => key.boardTotals(shard))

function totalsIn(found: ReadonlyMap<string, Stored>): Board['totals'] {
  const items = totalKeys().map((at) => itemAt(found, at))
  const sum = (name: string) => items.reduce((all, it) => all + Number(it?.[name] ?? 0), 0)
  return {
    contributors: sizeIn({ board: 'overall' }, found),
    score: sum('score'),
    entities: sum('entities'),
    reviews: sum('reviews'),
  }
}

const pkOf = (list: List) => key.boardRow(nameOf(list), '').pk

const rowsOf = (items: readonly Stored[]): Placed[] =>
  items.map((item) => ({ ...v.parse(Row, item), place: String(item.sk) }))
