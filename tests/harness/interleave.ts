import { AsyncResource } from 'node:async_hooks'

type Next = (args: object) => Promise<unknown>

/**
 * Runs `work`, and all of `other` just before call `nth` (from 0) of the work to the table. Returns what the work returned, and whether
 * it made so many calls. Calling it with 0, 1, 2 and so on puts `other` into each gap between two calls.
 */
export async function interleave<T>(
  nth: number,
  work: () => Promise<T>,
  other: () => Promise<unknown>,
): Promise<{ result: T; isHit: boolean }> {
  const { db } = await import('../../lib/engines/table/client.ts')
  // `other` is another request: it must not see what the work has not stored yet.
  const apart = AsyncResource.bind(other)
  let calls = 0
  let isHit = false
  const meddle = (next: Next) => async (args: object) => {
    if (!isHit && calls++ === nth) {
      isHit = true
      await apart()
    }
    return next(args)
  }
  db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'interleave', priority: 'high' })
  try {
    return { result: await work(), isHit }
  } finally {
    db.middlewareStack.remove('interleave')
  }
}
