import { isConflict } from '../errors.ts'

/** Does what others may overtake anew each time they do. Unlike a plan, all of it may fail with `conflict`. */
export async function persistently<T>(work: () => Promise<T>, attempts: number): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
  }
}

/** A thing as it was read, once, and from then on as it is: for plans, which are made anew when others were faster. */
export function asRead<T>(read: T, load: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let first: T | undefined = read
  return async () => {
    const it = first ?? (await load())
    first = undefined
    return it
  }
}
