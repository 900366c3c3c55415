import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'

/**
 * Makes a cache of answers. Each answer is kept for `seconds` under the query and the state of the model. The state
 * changes with the documents, so a cached answer is never out of date.
 */
export function answerCache<T extends object>(seconds: number, most = 500) {
  const answers = lru<string, T>(most)
  return async (state: string, query: unknown, work: () => Promise<T>): Promise<{ value: T; hit: boolean }> => {
    const key = `${state} ${JSON.stringify(query)}`
    const cached = answers.get(key)
    if (cached) return { value: cached, hit: true }
    const until = clock.now().getTime() + seconds * 1000
    const value = await work()
    answers.set(key, value, until)
    return { value, hit: false }
  }
}
