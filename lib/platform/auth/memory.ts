import { hash } from 'node:crypto'
import { lru } from '../../base/lru.ts'

/** Answers about tokens, kept in this process until a time in seconds. */
export type TokenMemory<T> = {
  get: (token: string) => T | undefined
  set: (token: string, answer: T, until: number) => void
}

/** A memory of at most `most` answers. Its keys are hashes, so that it holds no token. */
export function tokenMemory<T extends NonNullable<unknown>>(most: number): TokenMemory<T> {
  const kept = lru<string, T>(most)
  return {
    get: (token) => kept.get(hashToken(token)),
    set: (token, answer, until) => kept.set(hashToken(token), answer, until * 1000),
  }
}

/** A token's SHA-256: what memories and the table know it by. */
export const hashToken = (token: string) => hash('sha256', token, 'base64url')
