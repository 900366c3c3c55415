import { lru } from '../../base/lru.ts'
import { getRange } from '../bucket/index.ts'
import type { Part, SortedLines } from './write.ts'

/** Bytes of blocks and directories that a process keeps. Objects never change, so what is kept stays right. */
const KEPT = 8 << 20
const kept = lru<string, { value: unknown; size: number }>(KEPT, ({ size }) => size)

/** Reads a part, from memory if the process still keeps it. Fails if the object is gone. */
async function partAs<T>({ key }: SortedLines, [, , at, size]: Part, read: (text: string) => T): Promise<T> {
  const name = `${key} ${at}`
  const known = kept.get(name)
  if (known) return known.value as T
  const value = read(await getRange(key, at, size))
  kept.set(name, { value, size: 2 * size })
  return value
}
const asLines = (text: string) => text.slice(0, -1).split('\n')
const asDirectory = (text: string) => JSON.parse(text) as Part[]

/** The last part for which `isBelow` holds. */
function lastPart(parts: readonly Part[], isBelow: (part: Part) => boolean): Part | undefined {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const part = parts[middle]
    if (part && isBelow(part)) low = middle + 1
    else high = middle
  }
  return parts[low - 1]
}

/** How many lines are before `text` in the order. */
async function countBefore(of: SortedLines, text: string): Promise<number> {
  const isBelow = ([begin]: Part) => begin <= text
  const part = lastPart(of.top, isBelow)
  const block = part && lastPart(await partAs(of, part, asDirectory), isBelow)
  if (!block) return 0
  const lines = await partAs(of, block, asLines)
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return block[1] + low
}

/**
 * Finds the lines that begin with `prefix`: the number of the first line, and the number after the last. Makes at most four reads of the
 * bucket.
 */
export async function findPrefix(of: SortedLines, prefix: string): Promise<{ from: number; to: number }> {
  if (prefix === '') return { from: 0, to: of.lines }
  const behind = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
  const from = await countBefore(of, prefix)
  return { from, to: await countBefore(of, behind) }
}

/** Reads the lines with the numbers `from` to `to`, without `to` itself. */
export async function readLines(of: SortedLines, from: number, to: number): Promise<string[]> {
  const found: string[] = []
  for (let at = from; at < to; ) {
    const isBelow = ([, before]: Part) => before <= at
    const part = lastPart(of.top, isBelow)
    const block = part && lastPart(await partAs(of, part, asDirectory), isBelow)
    const own = block ? (await partAs(of, block, asLines)).slice(at - block[1], to - block[1]) : []
    if (own.length === 0) break
    found.push(...own)
    at += own.length
  }
  return found
}
