/** A service that requests need, as the log names it. */
type Dependency = 'table' | 'bucket'

const failed = new WeakMap<object, Dependency>()

/** Notes which dependency a call failed at, and throws the error again: for `catch`. */
export const failedAt =
  (dependency: Dependency) =>
  (error: unknown): never => {
    if (typeof error === 'object' && error !== null) failed.set(error, dependency)
    throw error
  }

/** Codes of Node.js for a connection that does not come about, or breaks. */
const networkCodes = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

type Failure = { name?: string; code?: unknown; $metadata?: { httpStatusCode?: number } }

/** The dependency that a call could not reach, or that failed by itself. Undefined for any other error. A later call may succeed. */
export function dependencyAway(error: unknown): Dependency | undefined {
  const dependency = typeof error === 'object' && error !== null ? failed.get(error) : undefined
  const { name, code, $metadata }: Failure = Object(error)
  const isAway = networkCodes.has(String(code)) || name === 'TimeoutError' || ($metadata?.httpStatusCode ?? 0) >= 500
  return isAway ? dependency : undefined
}
