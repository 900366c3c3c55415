import { createHash } from 'node:crypto'
import { nowSeconds } from '../clock.ts'

/** Answers about tokens, kept in this process until a time in seconds. Holds at most `most`; the oldest go first. */
export type BoundedMap<T> = {
  get: (token: string) => T | undefined
  set: (token: string, answer: T, until: number) => void
}

/** A memory whose keys are hashes, so that no token lies about in it. */
export function memory<T>(most: number): BoundedMap<T> {
  const kept = new Map<string, { answer: T; until: number }>()
  return {
    get: (token) => {
      const hash = hashOf(token)
      const hit = kept.get(hash)
      if (hit && hit.until > nowSeconds()) return hit.answer
      kept.delete(hash)
      return undefined
    },
    set: (token, answer, until) => {
      const [oldest] = kept.keys()
      if (kept.size >= most && oldest !== undefined) kept.delete(oldest)
      kept.set(hashOf(token), { answer, until })
    },
  }
}

/** A token's SHA-256: what memories and the table know it by. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')
