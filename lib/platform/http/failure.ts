import { dependencyAway } from '../../base/dependency.ts'
import { type Code, Problem, unavailable } from '../../base/errors.ts'
import { isThrottle } from '../../engines/table/index.ts'
import { Reply } from './reply.ts'

const statuses: Record<Code, number> = {
  malformed: 400,
  invalid: 400,
  bad_host: 400,
  unauthenticated: 401,
  refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  being_made: 409,
  in_progress: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  key_reused: 422,
  too_many: 429,
  unavailable: 503,
  bad_gateway: 502,
}

/**
 * Makes the reply for anything thrown. An unexpected error is 500, without details. If table or bucket cannot be reached, or throttle, it
 * is 503, since a later request may succeed.
 */
export function failureReply(thrown: unknown): Reply {
  const mayPass = !(thrown instanceof Problem) && (isThrottle(thrown) || dependencyAway(thrown) !== undefined)
  const error = mayPass ? unavailable() : thrown
  if (!(error instanceof Problem)) return new Reply(500, { detail: 'Internal server error.' })
  return new Reply(statuses[error.code], error.fields ?? { detail: error.detail, ...error.also }, error.headers)
}
