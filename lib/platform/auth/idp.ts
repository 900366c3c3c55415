import * as v from 'valibot'
import { nowSeconds } from '../../base/clock.ts'
import { config } from '../../base/config.ts'
import { noneIf } from '../../base/errors.ts'
import type { Authenticator } from './authenticator.ts'
import { ISSUER } from './jwt.ts'
import { createVerifier, type Identification, ProviderAway, rememberIdentity, TIMEOUT_MS } from './provider.ts'
import { claimsOf } from './shape.ts'

const { IDP_CLIENT_ID, IDP_ISSUER, IDP_JWKS_URL, IDP_USERINFO_URL, IDP_TOKENINFO_URL, SECONDARY_ISSUER } = config

/**
 * Accepts tokens of the identity provider: an opaque access token that its userinfo endpoint accepts, or a JWT that its keys
 * verify. Accepts nothing without a client id. Fails with `ProviderAway` if the provider does not answer.
 */
export const identityProvider: Authenticator = async ({ token }) =>
  IDP_CLIENT_ID !== '' && token !== '' && mayBeTheirs(token) ? loadTokenOwner(token) : undefined

/**
 * With `IDP_ISSUER`, no JWT of another issuer is sent to the provider. Without it, each JWT is sent that is neither ours nor the secondary
 * issuer's.
 */
function mayBeTheirs(token: string): boolean {
  const claims = claimsOf(token)
  if (!claims) return IDP_USERINFO_URL !== ''
  if (issuers.includes(String(claims.iss))) return true
  return IDP_ISSUER === '' && claims.iss !== ISSUER && claims.iss !== SECONDARY_ISSUER && IDP_USERINFO_URL !== ''
}

// Google writes its issuer with and without the scheme.
const issuers = IDP_ISSUER === '' ? [] : [IDP_ISSUER, IDP_ISSUER.replace(/^https:\/\//, '')]
const verify = IDP_JWKS_URL === '' ? undefined : createVerifier(IDP_JWKS_URL, issuers, IDP_CLIENT_ID)

const identifyToken = async (token: string): Promise<Identification | undefined> =>
  issuers.includes(String(claimsOf(token)?.iss)) ? verify?.(token) : identifyByUserinfo(token)
// prove: memory
const loadTokenOwner = rememberIdentity('idp', identifyToken)

async function identifyByUserinfo(token: string): Promise<Identification | undefined> {
  const [claims, until] = await Promise.all([
    fetchJson(IDP_USERINFO_URL, { headers: { authorization: `Bearer ${token}`, accept: 'application/json' } }),
    IDP_TOKENINFO_URL === '' ? Number.POSITIVE_INFINITY : expiryForUs(token),
  ])
  return claims === undefined || until === undefined ? undefined : { claims, until }
}

const seconds = v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.finite())
const Tokeninfo = v.object({
  active: v.optional(v.literal(true)),
  aud: v.optional(v.union([v.string(), v.array(v.string())])),
  azp: v.optional(v.string()),
  client_id: v.optional(v.string()),
  exp: v.optional(seconds),
  expires_in: v.optional(seconds),
})

/** When the token expires, in seconds. Undefined if it was not issued to our client, or is expired. */
async function expiryForUs(token: string): Promise<number | undefined> {
  const document = v.safeParse(Tokeninfo, await fetchTokeninfo(token))
  if (!document.success) return undefined
  const { aud = [], azp, client_id, exp, expires_in } = document.output
  if (![...[aud].flat(), azp, client_id].includes(IDP_CLIENT_ID)) return undefined
  const until = exp ?? (expires_in === undefined ? Number.POSITIVE_INFINITY : nowSeconds() + expires_in)
  return until > nowSeconds() ? until : undefined
}

/** Fetches the tokeninfo document. Introspection takes a form by POST; some providers answer only a GET. */
async function fetchTokeninfo(token: string): Promise<unknown> {
  const body = new URLSearchParams({
    token,
    token_type_hint: 'access_token',
    access_token: token,
    client_id: IDP_CLIENT_ID,
  })
  const posted = await fetchJson(IDP_TOKENINFO_URL, { method: 'POST', body }).catch(noneIf(isProviderAway))
  if (posted !== undefined) return posted
  const url = new URL(IDP_TOKENINFO_URL)
  url.searchParams.set('access_token', token)
  return fetchJson(url.href, {})
}

/** The statuses by which a provider refuses a token, or the method of the call. No other status says anything about the token. */
const refusals = new Set([400, 401, 403, 405, 415, 422])

/** Fetches JSON. Undefined if the provider refuses. Fails with `ProviderAway` if the provider does not answer, fails, or throttles. */
// prove: identity-provider
async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  try {
    const reply = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (reply.status === 200) return await reply.json()
    await reply.body?.cancel()
    if (refusals.has(reply.status)) return undefined
  } catch (error) {
    // A call without a reply is treated like a reply with a status of 500.
    throw new ProviderAway(error instanceof Error && error.name === 'TimeoutError')
  }
  throw new ProviderAway()
}

const isProviderAway = (error: unknown) => error instanceof ProviderAway
