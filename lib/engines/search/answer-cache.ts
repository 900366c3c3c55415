import { clock } from '../../base/clock.ts'
import { lru } from '../../base/lru.ts'

/** The most bytes of all answers. */
const MOST_BYTES = 16 * 1024 * 1024
/** Bytes in memory for a letter of JSON, measured: an answer is many small objects and texts. */
const BYTES_PER_LETTER = 12
const sizeOf = (answer: object) => BYTES_PER_LETTER * JSON.stringify(answer).length

/**
 * Makes a cache of answers. Each answer is kept for `seconds` under the query and the state of the model. The state
 * changes with the documents, so a cached answer is never out of date.
 */
export function answerCache<T extends object>(seconds: number) {
  const answers = lru<string, T>(MOST_BYTES, sizeOf)
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
