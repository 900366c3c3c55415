import { hash } from 'node:crypto'
import { lru } from '../../base/lru.ts'

/** Values by token, remembered in this process until a time in seconds. */
export type TokenMemory<T> = {
  get: (token: string) => T | undefined
  set: (token: string, answer: T, until: number) => void
}

/** Creates a memory of at most `most` values. Its keys are hashes, so it holds no token. */
export function tokenMemory<T extends NonNullable<unknown>>(most: number): TokenMemory<T> {
  const kept = lru<string, T>(most)
  return {
    get: (token) => kept.get(hashToken(token)),
    set: (token, answer, until) => kept.set(hashToken(token), answer, until * 1000),
  }
}

/** The SHA-256 of a token, under which memories and the table store it. */
export const hashToken = (token: string) => hash('sha256', token, 'base64url')
