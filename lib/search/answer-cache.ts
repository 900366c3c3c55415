import { clock } from '../clock.ts'

/**
 * Answers of one sort that this process has given, each under the state of the model that gave it and what was asked; for so
 * many seconds. Whatever changes the model changes its state, so nothing kept is ever out of date.
 */
export function keeper<T>(seconds: number, most = 500) {
  const kept = new Map<string, { value: T; until: number }>()
  return async (state: string, asked: unknown, work: () => Promise<T>): Promise<{ value: T; hit: boolean }> => {
    const at = clock.now().getTime()
    const key = `${state} ${JSON.stringify(asked)}`
    const found = kept.get(key)
    if (found && found.until > at) return { value: found.value, hit: true }
    const value = await work()
    kept.delete(key)
    const oldest = kept.size >= most ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, { value, until: at + seconds * 1000 })
    return { value, hit: false }
  }
}
