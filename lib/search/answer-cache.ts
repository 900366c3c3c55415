import { clock } from '../clock.ts'
import { lru } from '../lru.ts'

/**
 * Answers of one sort that this process has given, each under the state of the model that gave it and what was asked; for so
 * many seconds. Whatever changes the model changes its state, so nothing kept is ever out of date.
 */
export function keeper<T extends object>(seconds: number, most = 500) {
  const kept = lru<string, T>(most)
  return async (state: string, asked: unknown, work: () => Promise<T>): Promise<{ value: T; hit: boolean }> => {
    const key = `${state} ${JSON.stringify(asked)}`
    const found = kept.get(key)
    if (found) return { value: found, hit: true }
    const until = clock.now().getTime() + seconds * 1000
    const value = await work()
    kept.set(key, value, until)
    return { value, hit: false }
  }
}
