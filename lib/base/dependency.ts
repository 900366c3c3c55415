import { type Dependency, Problem } from './errors.ts'

const failed = new WeakMap<object, Dependency>()

/** Notes which dependency a call failed at, and throws the error again: for `catch`. */
export const failedAt =
  (dependency: Dependency) =>
  (error: unknown): never => {
    if (typeof error === 'object' && error !== null) failed.set(error, dependency)
    throw error
  }

/** The code of a call that was not made, since the service has not answered for a while. */
export const SILENT = 'ESILENT'

/** Codes of Node.js for a connection that does not come about, or breaks; and the one above. */
const networkCodes = new Set([
  SILENT,
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
  return isUnreachable(error) ? calledAt(error) : undefined
}

/** Whether a call had no reply, or one that says that the service failed by itself. */
export function isUnreachable(error: unknown): boolean {
  const { name, code, $metadata }: Failure = Object(error)
  return networkCodes.has(String(code)) || name === 'TimeoutError' || ($metadata?.httpStatusCode ?? 0) >= 500
}

const calledAt = (error: unknown) => (typeof error === 'object' && error !== null ? failed.get(error) : undefined)

/** The dependency to which a failure of a request is due, for its log line. `isThrottle` tells whether the dependency refused for a while. */
export function dependencyBehind(error: unknown, isThrottle: boolean): Dependency | undefined {
  if (error instanceof Problem) return error.dependency
  return isThrottle ? calledAt(error) : dependencyAway(error)
}
