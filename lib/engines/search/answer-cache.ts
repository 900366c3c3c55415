import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'

/**
 * Makes a cache of answers. Each answer is kept for `seconds` under the question and the state of the model. When
 * documents change, so does the state: a kept answer is never out of date.
 */
export function answerCache<T extends object>(seconds: number, most = 500) {
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
