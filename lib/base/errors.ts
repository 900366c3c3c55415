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

/** A service that requests need, as the log names it. */
export type Dependency = 'table' | 'bucket' | 'search' | 'identity provider' | 'language model' | 'function'

/** What is wrong with each member. Members of members are nested in the same way. */
export type Fields = { [member: string]: string[] | Fields }

/** A refusal with a reason for the caller. Any other error that is thrown becomes a 500 without a reason. */
export class Problem extends Error {
  readonly code: Code
  readonly detail: string
  readonly fields: Fields | undefined
  readonly headers: Record<string, string>
  /** Members of the body beside `detail`. */
  readonly also: Readonly<Record<string, unknown>>
  /** For the log: the service that failed. */
  readonly dependency: Dependency | undefined

  constructor(
    code: Code,
    detail: string,
    more: {
      fields?: Fields
      headers?: Record<string, string>
      also?: Readonly<Record<string, unknown>>
      dependency?: Dependency | undefined
    } = {},
  ) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.detail = detail
    this.fields = more.fields
    this.headers = more.headers ?? {}
    this.also = more.also ?? {}
    this.dependency = more.dependency
  }
}

/** Whether an error is a problem with this code. */
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

/** Runs `work`. If it fails, runs `undo`, whose own failure is ignored, and throws the failure of `work`. */
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
/** The request does not fit the stored state. */
export const impossible = (detail: string) => new Problem('invalid', detail)
/** The Host header names a host that is not of this service. */
export const badHost = () => new Problem('bad_host', 'This host is not served here.')
const denials = {
  none: { detail: 'Authentication credentials were not provided.', challenge: 'Bearer' },
  token: { detail: 'The token is malformed, expired or revoked.', challenge: 'Bearer error="invalid_token"' },
  dev_user: { detail: 'There is no development user of this address.', challenge: 'Bearer' },
} as const
/** Sentences for a person whom an identity provider confirms, but whose address belongs to the account of another sign-in. */
const linkRefusals = {
  another_subject:
    'The account with this address belongs to another sign-in of your provider. Staff can link it to yours: tell them the "sub" of your token.',
  weaker_provider:
    'The account with this address belongs to a sign-in of another provider. Sign in there, or ask staff to link it to this one.',
} as const
export type LinkRefusal = keyof typeof linkRefusals
/**
 * Why a request has no caller. `none`: no credentials. `token`: no authenticator accepts the token (RFC 6750). `dev_user`: the
 * development user is unknown. `provider_away`: the identity provider that must check the token does not answer. A `LinkRefusal`: the
 * account with the address belongs to another sign-in.
 */
export type Denial = keyof typeof denials | LinkRefusal | 'provider_away'
/**
 * The caller has to sign in: credentials are missing or invalid. With `provider_away` the problem is `unavailable`, and the caller may
 * try again. With a `LinkRefusal` it is `refused`, since another token of the same person would not help.
 */
export function signInNeeded(denial: Denial = 'none'): Problem {
  if (denial === 'provider_away')
    return unavailable(
      'The identity provider does not answer, so the token cannot be checked. Try again.',
      'identity provider',
    )
  if (denial === 'another_subject' || denial === 'weaker_provider') return forbidden(linkRefusals[denial])
  const { detail, challenge } = denials[denial]
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': challenge } })
}
/** The name or password is wrong, or the token is not valid any more. */
export const badCredentials = (detail = 'No active account found with the given credentials.') =>
  new Problem('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } })
/** The caller is signed in and is not allowed to do this. */
export const forbidden = (detail = 'You do not have permission to perform this action.') =>
  new Problem('refused', detail)
/** Fails with `refused` unless a rule allows the action. A rule may give the reason. */
export function checkAllowed(ruling: boolean | { refusal: string }): void {
  if (ruling !== true) throw ruling ? forbidden(ruling.refusal) : forbidden()
}
/** Absent, or not visible to this caller. No answer distinguishes the two. */
export const notFound = (more = '') => new Problem('not_found', `Not found.${more && ` ${more}`}`)
/** A thing that everyone could read was deleted. */
export const noLongerThere = () => new Problem('gone', 'This was deleted.')
/** The path exists, the method does not. */
export const methodNotAllowed = (method: string, allow: string[]) =>
  new Problem('method_not_allowed', `Method "${method}" not allowed.`, { headers: { allow: allow.join(', ') } })
/** The Accept header excludes all types that the route offers. */
export const notAcceptable = (offered: readonly string[]) =>
  new Problem('not_acceptable', `Not acceptable. There is ${offered.join(', ')}.`)
/** Another writer was faster, or the state does not permit the change. */
export const conflict = (detail = 'This has changed since it was read. Read it again and retry.') =>
  new Problem('conflict', detail)
/** A `conflict` whose body names the records that are in the way. */
export const conflictWith = (detail: string, conflicts: readonly object[]) =>
  new Problem('conflict', detail, { also: { conflicts } })
/** Another contribution is making a record that this contribution names. */
export const beingMade = () =>
  new Problem('being_made', 'A record that this one names is being made right now. Try again.')
/** A record that this contribution names is deleted at this moment. A second run finds it deleted. */
export const beingDeleted = () =>
  new Problem('being_made', 'A record that this one names is being deleted right now. Try again.')
/** Another request with the same Idempotency-Key is still running, or has just ended. */
export const inProgress = () => new Problem('in_progress', 'A request with this Idempotency-Key is being worked on.')
/** The resource existed once and is removed for good. */
export const goneForGood = (detail: string) => new Problem('gone', detail)
/** If-Match names an old version. */
export const preconditionFailed = () =>
  new Problem('precondition_failed', 'This has changed since the version named in If-Match.')
/** The body has more bytes than the route accepts. `also` contains members about another way to send them. */
export const tooLarge = (limit: number, also: Record<string, string> = {}) =>
  new Problem('too_large', `The body is larger than ${limit} bytes.`, { also })
/** The route does not read this content type. */
export const unsupportedMediaType = (expected: string) =>
  new Problem('unsupported_media_type', `Unsupported media type. Send ${expected}.`)
/** The Idempotency-Key was used for another request. */
export const keyReused = () =>
  new Problem('key_reused', 'This Idempotency-Key was sent with another request. Use a new one.')
/** The caller is throttled. The next attempt can succeed after `seconds`. */
export const tooMany = (seconds: number) =>
  new Problem('too_many', `Request was throttled. Expected available in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  })
/** A service that the answer needs does not respond. The caller may retry. `dependency` is for the log alone. */
export const unavailable = (detail?: string, dependency?: Dependency) =>
  new Problem('unavailable', detail ?? 'Temporarily unavailable. Try again.', {
    headers: { 'retry-after': '1' },
    dependency,
  })
/** A service that this service calls has refused, failed, or sent an unreadable answer. */
export const badGateway = (detail: string, dependency: Dependency) => new Problem('bad_gateway', detail, { dependency })
