/** The names of failures. Statuses and bodies belong to lib/platform/http/failure.ts. */
export type Code =
  | 'malformed'
  | 'invalid'
  | 'bad_host'
  | 'unauthenticated'
  | 'refused'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'being_made'
  | 'in_progress'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'key_reused'
  | 'too_many'
  | 'unavailable'
  | 'bad_gateway'

/** What is wrong, by member. If a member has members itself, by these. */
export type Fields = { [member: string]: string[] | Fields }

/** A refusal with a reason for the caller; anything else thrown is an opaque 500. */
export class Problem extends Error {
  readonly code: Code
  readonly detail: string
  readonly fields: Fields | undefined
  readonly headers: Record<string, string>
  /** Members that stand beside `detail`. */
  readonly also: Record<string, string>

  constructor(
    code: Code,
    detail: string,
    more: { fields?: Fields; headers?: Record<string, string>; also?: Record<string, string> } = {},
  ) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.detail = detail
    this.fields = more.fields
    this.headers = more.headers ?? {}
    this.also = more.also ?? {}
  }
}

/** Whether an error is a problem of this sort. */
export const isProblem = (error: unknown, code: Code): boolean => error instanceof Problem && error.code === code
/** Whether another writer was faster, or the state did not permit the change. */
export const isConflict = (error: unknown): boolean => isProblem(error, 'conflict')
/** For `catch`: a failure for which `fits` is true becomes undefined, any other is thrown again. */
export const noneIf =
  (fits: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!fits(error)) throw error
  }

/** Whether work succeeded. False if it failed with `conflict`. Any other failure is thrown. */
export const isDone = async (work: Promise<unknown>): Promise<boolean> =>
  (await work.then(() => true).catch(noneIf(isConflict))) ?? false

/**
 * Does some work. If it fails, `undo` takes back what it began, as far as it can. The failure of the work is thrown.
 */
export async function orUndo<T>(work: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo().catch(() => undefined)
    throw error
  }
}

/** The body or a header cannot be read at all. */
export const malformedInput = (detail: string) => new Problem('malformed', detail)
/** Members that break a rule, each with its sentences. */
export const invalid = (fields: Fields) => new Problem('invalid', 'Invalid input.', { fields })
/** A rule about the whole object is broken. */
export const invalidObject = (detail: string) => invalid({ non_field_errors: [detail] })
/** The request does not fit what is there. */
export const impossible = (detail: string) => new Problem('invalid', detail)
/** The Host header names a host that is not ours. */
export const badHost = () => new Problem('bad_host', 'This host is not served here.')
const denials = {
  none: { detail: 'Authentication credentials were not provided.', challenge: 'Bearer' },
  token: { detail: 'The token is malformed, expired or revoked.', challenge: 'Bearer error="invalid_token"' },
  dev_user: { detail: 'There is no development user of this address.', challenge: 'Bearer' },
} as const
/** Why a caller is nobody: no credentials, a token that no one accepts (RFC 6750), an unknown development user. */
export type Denial = keyof typeof denials
/** The caller has to sign in, and has not, or not validly. */
export const signInNeeded = (denial: Denial = 'none') =>
  new Problem('unauthenticated', denials[denial].detail, {
    headers: { 'www-authenticate': denials[denial].challenge },
  })
/** Wrong name or password, or a token that is no longer good. */
export const badCredentials = (detail = 'No active account found with the given credentials.') =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } })
/** The caller is known and may not do this. */
export const forbidden = (detail = 'You do not have permission to perform this action.') =>
  new Problem('refused', detail)
/** Fails with `refused` unless a rule allows it; a rule may say why it does not. */
export function checkAllowed(ruling: boolean | { refusal: string }): void {
  if (ruling !== true) throw ruling ? forbidden(ruling.refusal) : forbidden()
}
/** Absent, or not visible to this caller. No answer says which of the two. */
export const notFound = (more = '') => new Problem('not_found', `Not found.${more && ` ${more}`}`)
/** The path exists, the method does not. */
export const methodNotAllowed = (method: string, allow: string[]) =>
  new Problem('method_not_allowed', `Method "${method}" not allowed.`, { headers: { allow: allow.join(', ') } })
/** The Accept header excludes everything that could be answered. */
export const notAcceptable = (offered: readonly string[]) =>
  new Problem('not_acceptable', `Not acceptable. There is ${offered.join(', ')}.`)
/** Someone else was faster, or the state does not permit it. */
export const conflict = (detail = 'This has changed since it was read. Read it again and retry.') =>
  new Problem('conflict', detail)
/** Another contribution makes a record that this one names. */
export const beingMade = () =>
  new Problem('being_made', 'A record that this one names is being made right now. Try again.')
/** Another request under the same Idempotency-Key has not come to its end, or has just done so. */
export const inProgress = () => new Problem('in_progress', 'A request with this Idempotency-Key is being worked on.')
/** It was here once and will not come back. */
export const goneForGood = (detail: string) => new Problem('gone', detail)
/** If-Match names a version that is no longer the current one. */
export const preconditionFailed = () =>
  new Problem('precondition_failed', 'This has changed since the version named in If-Match.')
/** More bytes than this route takes; `also` tells where they may go instead. */
export const tooLarge = (limit: number, also: Record<string, string> = {}) =>
  new Problem('too_large', `The body is larger than ${limit} bytes.`, { also })
/** A content type that this route does not read. */
export const unsupportedMediaType = (wanted: string) =>
  new Problem('unsupported_media_type', `Unsupported media type. Send ${wanted}.`)
/** An Idempotency-Key that has named another request. */
export const keyReused = () =>
  new Problem('key_reused', 'This Idempotency-Key was sent with another request. Use a new one.')
/** Throttled; `seconds` until the next try can succeed. */
export const tooMany = (seconds: number) =>
  new Problem('too_many', `Request was throttled. Expected available in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
/** A part that the answer needs does not respond; the caller may retry. */
export const unavailable = (detail = 'Temporarily unavailable. Try again.') =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '1' } })
/** A service that ours asks has refused, failed, or answered what cannot be read. */
export const badGateway = (detail: string) => new Problem('bad_gateway', detail)
