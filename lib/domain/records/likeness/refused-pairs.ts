import { hash } from 'node:crypto'
import { getMany, itemAt } from '../../../engines/table/index.ts'
import { key } from '../../../platform/table/keys.ts'

/** The id of the identity candidate of two records. It is the same in either order, so a pair is asked once. */
export function pairId(a: string, b: string): string {
  const digits = hash('sha256', [a, b].sort().join('/'))
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `5${digits.slice(13, 16)}`,
    `a${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}

/** Returns the ids in `others` of records that a reviewer has judged to be about another thing. One call, or none without `others`. */
export async function findRefused(entity_id: string, others: readonly string[]): Promise<string[]> {
  const keyOfPair = (other: string) => key.candidate(pairId(entity_id, other))
  const found = await getMany(others.map(keyOfPair))
  return others.filter((other) => itemAt(found, keyOfPair(other))?.status === 'rejected')
}
