import { countEdits } from '../../engines/matching/index.ts'

/** Puts likely spellings of one value together, such as Pagoda, pagoda and Pagado. */

/** Values with fewer or more letters are grouped only if their letters are equal. Then: the most edits between two spellings. */
const [LEAST_LETTERS, MOST_LETTERS] = [5, 40]
const MOST_EDITS = 2

/** A value of a column. `sure`: its meaning, if that is certain. A value joins no group whose first spelling surely means something else. */
export type Spelling = { value: string; rows: number; row: number; sure: string | undefined }

/**
 * Groups spellings. Each group begins with its most frequent spelling, and the others are close to that one. Numbers are grouped
 * only if they are equal. Its time grows with the number of values, not with its square.
 */
export function groupSpellings<T extends Spelling>(all: readonly T[]): T[][] {
  const groups: T[][] = []
  const byKey = new Map<string, number[]>()
  const frequent = all.toSorted((a, b) => b.rows - a.rows || a.row - b.row)
  for (const spelling of frequent) {
    const keys = keysOf(spelling.value)
    const near = new Set(keys.flatMap((key) => byKey.get(key) ?? []))
    const place = [...near].find((at) => isOneValue(groups[at]?.[0], spelling))
    if (place !== undefined) {
      groups[place]?.push(spelling)
      continue
    }
    for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), groups.length])
    groups.push([spelling])
  }
  return groups
}

const lettersOf = (value: string) =>
  value
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Mc}]/gu, '')

function isOneValue(head: Spelling | undefined, other: Spelling): boolean {
  if (!head || (head.sure !== undefined && other.sure !== undefined && head.sure !== other.sure)) return false
  const [a, b] = [lettersOf(head.value), lettersOf(other.value)]
  if (a === b) return true
  if (/\p{N}/u.test(a + b) || Math.min(a.length, b.length) < LEAST_LETTERS) return false
  return countEdits(a, b) <= MOST_EDITS
}

/** Only spellings that share a key are compared. Two spellings share a key if they differ in one letter, or only in the order of letters. */
function keysOf(value: string): string[] {
  const letters = lettersOf(value)
  if (letters.length < LEAST_LETTERS || letters.length > MOST_LETTERS) return [letters]
  const without = Array.from({ length: letters.length }, (_, i) => letters.slice(0, i) + letters.slice(i + 1))
  return [...new Set([letters, ...without, `sorted ${[...letters].sort().join('')}`])]
}
