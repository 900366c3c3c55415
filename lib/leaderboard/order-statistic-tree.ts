import { nowSeconds } from '../clock.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, queryAll, type Stored } from '../table/read.ts'
import { write } from '../table/write.ts'
import { type List, nameOf, wayTo } from './items.ts'
import { type BoardName, boards } from './score.ts'

/**
 * How many people have how many points, as a tree: a node counts by two digits, the root by the first two, the node
 * beneath by the next two, so that what lies above any number of points is the sum of one small item per pair.
 *
 *   1 250 points of 8 digits: 00 00 12 50
 *   N        { 00: 9 }            everyone, below a million
 *   N00      { 00: 8, 01: 1 }     below 10,000; from 10,000
 *   N0000    { 03: 6, 12: 2 }     from 300; from 1,200
 *   N000012  { 10: 1, 50: 1 }     1,210; 1,250: three are above (two beside this one, one in the node above)
 */
export type TreeRank = { above: number; equal: number }

/** Nodes are read as they are this moment; of very many, as they were a moment ago, for half the units. */
const MANY = 60

/** How many people of a board have more than each of these points, and how many just as many. One call. */
export async function ranksIn(
  board: BoardName,
  points: readonly number[],
  tree: string = board,
): Promise<Map<number, TreeRank>> {
  const ways = new Map(points.map((each) => [each, wayTo(board, each)]))
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

/** As `standingsOf`, of one number of points. */
export async function rankIn(board: BoardName, points: number, tree: string = board): Promise<TreeRank> {
  return (await ranksIn(board, [points], tree)).get(points) ?? { above: 0, equal: 0 }
}

/** How many people are in a list, from its root. */
export const sizeIn = (list: List, found: ReadonlyMap<string, Stored>): number =>
  sumOf(countsIn(itemAt(found, rootOf(list))))

/** Where the root of a list's tree lies. */
export const rootOf = (list: List) => key.boardNode(nameOf(list), '')

/** The points of whoever is at a position, from 0, how many have more, and how many just as many; one call for each pair of digits. */
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

/** The tree of a board as it was at the end of a month. */
export const treeAt = (board: BoardName, month: string) => `${board}@${month}`

/** Whether a board's tree of the end of a month is kept: as long as nothing has changed since, the present one is that. */
export const wholeAt = (board: BoardName, month: string) => key.boardWhole(treeAt(board, month))

/** A month's tree is asked for in the month that follows. */
const KEPT_SECONDS = 70 * 86_400

/**
 * Keeps the tree of a board as it is, as that of the end of a month, unless that is kept already. Nobody changes the tree
 * in a new month before this is done: so whoever finds it not kept after reading has read the same as all others.
 */
export async function closeTree(board: BoardName, month: string): Promise<void> {
  const tree = treeAt(board, month)
  if (await isKept(board, month)) return
  const { pk } = key.boardNode(board, '')
  const nodes = await queryAll(pk, 'N')
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
