import { type Dependency, Problem } from './errors.ts'

const failed = new WeakMap<object, Dependency>()

/** For `catch`: notes at which dependency a call failed, and throws the error again. */
export const failedAt =
  (dependency: Dependency) =>
  (error: unknown): never => {
    if (typeof error === 'object' && error !== null) failed.set(error, dependency)
    throw error
  }

/** The code of a call that was not made, since the service has not answered for a while. */
export const SILENT = 'ESILENT'

/** `SILENT`, and the codes of Node.js for a connection that cannot be made, or breaks. */
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

/**
 * The dependency that a call could not reach, or that answered with a status of 500 or more. A later call may succeed. Undefined for any
 * other error.
 */
export function dependencyAway(error: unknown): Dependency | undefined {
  return isUnreachable(error) ? calledAt(error) : undefined
}

/** Whether a call had no reply, or a reply with a status of 500 or more. */
export function isUnreachable(error: unknown): boolean {
  const { name, code, $metadata }: Failure = Object(error)
  return networkCodes.has(String(code)) || name === 'TimeoutError' || ($metadata?.httpStatusCode ?? 0) >= 500
}

const calledAt = (error: unknown) => (typeof error === 'object' && error !== null ? failed.get(error) : undefined)

/** The dependency that made a request fail, for its log line. `isThrottle` says whether the dependency throttled the call. */
export function dependencyBehind(error: unknown, isThrottle: boolean): Dependency | undefined {
  if (error instanceof Problem) return error.dependency
  return isThrottle ? calledAt(error) : dependencyAway(error)
}
