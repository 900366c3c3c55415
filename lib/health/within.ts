import { endingWith } from '../ending.ts'

/**
 * What is asked, or undefined when it fails or takes longer. Its calls end with its time: nothing is left under way, which a
 * function that has answered could not end any more.
 */
export async function within<T>(milliseconds: number, ask: () => Promise<T>): Promise<T | undefined> {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), milliseconds)
  const over = new Promise<undefined>((done) => time.signal.addEventListener('abort', () => done(undefined)))
  const asked = endingWith(time.signal, ask)
  return Promise.race([asked.catch(() => undefined), over]).finally(() => clearTimeout(timer))
}
