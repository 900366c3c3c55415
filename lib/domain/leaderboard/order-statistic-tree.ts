import { nowSeconds } from '../../base/clock.ts'
import { getMany, itemAt, queryAll, type Stored, write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type List, nameOf, nodesAbove } from './items.ts'
import { type BoardName, boards } from './score.ts'

/**
 * How many people have how many points, as a tree. A node counts people by two digits of their points: the root by the
 * first two, its children by the next two. A rank is a sum over one node for each pair of digits.
 *
 *   1,250 points have 8 digits on the board: 00 00 12 50
 *   N        { 00: 9 }            nine people below a million
 *   N00      { 00: 8, 01: 1 }     eight below 10,000; one from 10,000 on
 *   N0000    { 03: 6, 12: 2 }     six from 300 on; two from 1,200 on
 *   N000012  { 10: 1, 50: 1 }     one with 1,210 and one with 1,250
 *
 * Above 1,250 is one person (`01` of `N00`); above 1,210 are two.
 */
export type TreeRank = { above: number; equal: number }

/** Fewer nodes than this are read strongly consistent. More are read eventually consistent, for half the read units. */
const MANY = 60

/** For each number of points, how many people have more, and how many have the same. One call. */
export async function ranksIn(
  board: BoardName,
  points: readonly number[],
  tree: string = board,
): Promise<Map<number, TreeRank>> {
  const ways = new Map(points.map((each) => [each, nodesAbove(board, each)]))
  const keys = [...ways.values()].flat().map(({ prefix }) => key.boardNode(tree, prefix))
  const found = await getMany(keys, keys.length < MANY)
  return new Map(
    [...ways].map(([each, way]) => {
      const nodes = way.map(({ prefix, next }) => ({
        counts: countsIn(itemAt(found, key.boardNode(tree, prefix))),
        next,
      }))
      const above = nodes.reduce((sum, { counts, next }) => sum + sumOf(counts.filter(([it]) => it > next)), 0)
      const last = nodes.at(-1)
      return [each, { above, equal: sumOf(last?.counts.filter(([it]) => it === last.next) ?? []) }]
    }),
  )
}

/** The same for one number of points. */
export async function rankIn(board: BoardName, points: number, tree: string = board): Promise<TreeRank> {
  return (await ranksIn(board, [points], tree)).get(points) ?? { above: 0, equal: 0 }
}

/** How many people are in a list: the sum of the root. */
export const sizeIn = (list: List, found: ReadonlyMap<string, Stored>): number =>
  sumOf(countsIn(itemAt(found, rootOf(list))))

/** The key of a tree's root. */
export const rootOf = (list: List) => key.boardNode(nameOf(list), '')

/**
 * The points at a position, counted from 0, with how many people have more and how many the same. One call for each node of the
 * path.
 */
export async function pointsAt(list: List, position: number): Promise<(TreeRank & { points: number }) | undefined> {
  let [prefix, above, equal] = ['', 0, 0]
  while (prefix.length < boards[list.board].digits) {
    const at = key.boardNode(nameOf(list), prefix)
    const counts = countsIn(itemAt(await getMany([at], true), at)).sort(([a], [b]) => (a > b ? -1 : 1))
    let next: string | undefined
    for (const [digits, n] of counts) {
      if (above + n > position) {
        next = digits
        equal = n
        break
      }
      above += n
    }
    if (next === undefined) return undefined
    prefix += next
  }
  return { points: Number(prefix), above, equal }
}

/** The name of the tree that is kept of the end of a month. */
export const treeAt = (board: BoardName, month: string) => `${board}@${month}`

/** The item that says that a month's tree is complete. Until it exists, the present tree is also that of the end of the month. */
export const wholeAt = (board: BoardName, month: string) => key.boardWhole(treeAt(board, month))

/** A month's tree is read only in the month after it. */
const KEPT_SECONDS = 70 * 86_400

/**
 * Copies the tree of a board as it is at the end of a month, unless that is done. Nobody changes the tree in a new month before
 * it is done. So two processes that copy at once copy the same numbers.
 */
export async function closeTree(board: BoardName, month: string): Promise<void> {
  const tree = treeAt(board, month)
  if (await isKept(board, month)) return
  const { pk } = key.boardNode(board, '')
  const nodes = await queryAll(pk, 'N')
  // prove: month-closed
  if (await isKept(board, month)) return
  const expires_at = nowSeconds() + KEPT_SECONDS
  for (const { type: _, ...node } of nodes)
    await write(key.boardNode(tree, String(node.sk).slice(1)), { ...node, expires_at })
  await write(key.boardWhole(tree), { expires_at })
}

async function isKept(board: BoardName, month: string): Promise<boolean> {
  const at = wholeAt(board, month)
  return itemAt(await getMany([at], true), at) !== undefined
}

type Counts = [digits: string, n: number][]

const countsIn = (node: Stored | undefined): Counts =>
  Object.entries(node ?? {}).flatMap(([name, n]): Counts => (/^\d\d$/.test(name) ? [[name, Number(n)]] : []))

const sumOf = (counts: Counts) => counts.reduce((sum, [, n]) => sum + n, 0)
