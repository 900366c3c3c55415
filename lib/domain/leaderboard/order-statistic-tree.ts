import { nowSeconds } from '../../base/clock.ts'
import { putItem } from '../../engines/table/immediate.ts'
import { getMany, itemAt, queryAll, type Stored } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type BoardList, listName, nodesAbove } from './items.ts'
import { type BoardName, boards } from './score.ts'

/**
 * A tree that counts people by points. A node counts people by two digits of their points: the root by the first two, its
 * children by the next two. A rank is a sum over one node for each pair of digits.
 *
 *   1,250 points have 8 digits on the board: 00 00 12 50
 *   N        { 00: 9 }            nine people below a million
 *   N00      { 00: 8, 01: 1 }     eight below 10,000; one from 10,000 on
 *   N0000    { 03: 6, 12: 2 }     six from 300 on; two from 1,200 on
 *   N000012  { 10: 1, 50: 1 }     one with 1,210 and one with 1,250
 *
 * Above 1,250 is one person (`01` of `N00`); above 1,210 are two.
 */
export type TreeRank = {
  /** People with more points. */
  above: number
  /** People with the same points. */
  equal: number
}

/** Fewer nodes than this are read strongly consistent. More are read eventually consistent, for half the read units. */
const CONSISTENT_BELOW = 60

/** Counts, for each number of points, the people who have more and those who have the same. One call for each 100 nodes. */
export async function loadRanks(
  board: BoardName,
  points: readonly number[],
  tree: string = board,
): Promise<Map<number, TreeRank>> {
  const paths = new Map(points.map((n) => [n, nodesAbove(board, n)]))
  const keys = [...paths.values()].flat().map(({ prefix }) => key.boardNode(tree, prefix))
  const found = await getMany(keys, keys.length < CONSISTENT_BELOW)
  return new Map(
    [...paths].map(([n, path]) => {
      const nodes = path.map(({ prefix, next }) => ({
        counts: countsIn(itemAt(found, key.boardNode(tree, prefix))),
        next,
      }))
      const above = nodes.reduce((sum, { counts, next }) => sum + sumOf(counts.filter(([digits]) => digits > next)), 0)
      const last = nodes.at(-1)
      return [n, { above, equal: sumOf(last?.counts.filter(([digits]) => digits === last.next) ?? []) }]
    }),
  )
}

/** Counts the people who have more points than this, and those who have the same. One call. */
export async function loadRank(board: BoardName, points: number, tree: string = board): Promise<TreeRank> {
  return (await loadRanks(board, [points], tree)).get(points) ?? { above: 0, equal: 0 }
}

/** The number of people in a list: the sum of the root. */
export const listSizeIn = (list: BoardList, found: ReadonlyMap<string, Stored>): number =>
  sumOf(countsIn(itemAt(found, rootOf(list))))

/** The key of a tree's root. */
export const rootOf = (list: BoardList) => key.boardNode(listName(list), '')

/**
 * Finds the points of the person at a position, counted from 0. Also counts the people above and those with equal points.
 * Undefined if the list is shorter. One call for each node of the path.
 */
export async function findPointsAt(
  list: BoardList,
  position: number,
): Promise<(TreeRank & { points: number }) | undefined> {
  let [prefix, above, equal] = ['', 0, 0]
  while (prefix.length < boards[list.board].digits) {
    const at = key.boardNode(listName(list), prefix)
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

/** The name of the stored tree of the end of a month. */
export const treeAt = (board: BoardName, month: string) => `${board}@${month}`

/**
 * The key of the item that marks a month's tree as complete. Until this item exists, the present tree is also the tree of the end of the
 * month.
 */
export const completionKey = (board: BoardName, month: string) => key.boardWhole(treeAt(board, month))

/** A month's tree is read only in the month after it. */
const TREE_LIFETIME_S = 70 * 86_400

/**
 * Copies the tree of a board at the end of a month, once. Until the copy is complete, nobody changes the tree in the new month.
 * So two processes that copy at the same time store the same numbers.
 */
export async function closeTree(board: BoardName, month: string): Promise<void> {
  const tree = treeAt(board, month)
  if (await isClosed(board, month)) return
  const { pk } = key.boardNode(board, '')
  const nodes = await queryAll(pk, 'N')
  // prove: month-closed
  if (await isClosed(board, month)) return
  const expires_at = nowSeconds() + TREE_LIFETIME_S
  for (const { type: _, ...node } of nodes)
    await putItem(key.boardNode(tree, String(node.sk).slice(1)), { ...node, expires_at })
  await putItem(key.boardWhole(tree), { expires_at })
}

async function isClosed(board: BoardName, month: string): Promise<boolean> {
  const at = completionKey(board, month)
  return itemAt(await getMany([at], true), at) !== undefined
}

type Counts = [digits: string, n: number][]

const countsIn = (node: Stored | undefined): Counts =>
  Object.entries(node ?? {}).flatMap(([name, n]): Counts => (/^\d\d$/.test(name) ? [[name, Number(n)]] : []))

const sumOf = (counts: Counts) => counts.reduce((sum, [, n]) => sum + n, 0)
