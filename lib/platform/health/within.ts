import { runWithSignal } from '../../base/deadline.ts'

/**
 * Answers what `ask` does, or undefined when it fails or takes longer.
 * Its calls are aborted when the time is over, since a function that has answered cannot end them any more.
 */
export async function runWithin<T>(milliseconds: number, ask: () => Promise<T>): Promise<T | undefined> {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), milliseconds)
  const over = new Promise<undefined>((done) => time.signal.addEventListener('abort', () => done(undefined)))
  const asked = runWithSignal(time.signal, ask)
  return Promise.race([asked.catch(() => undefined), over]).finally(() => clearTimeout(timer))
}
