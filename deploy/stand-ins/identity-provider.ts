import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeJwt } from 'jose'
import {
  Events,
  type MutableResponse,
  type MutableToken,
  OAuth2Server,
  type TokenRequestIncomingMessage,
} from 'oauth2-mock-server'

export type IdentityProvider = { issuer: string; stop: () => Promise<void> }
type Claims = Readonly<Record<string, unknown>>

/**
 * Starts an OpenID provider on the loopback interface: discovery, JWKS, token, userinfo and introspection. A token request
 * names its user (`username`, an email address). Passwords are not checked.
 *
 * POST /token  grant_type=password|client_credentials  username=<email>  [client_id]  [scope=opaque]  [email_verified=false]
 */
export async function startIdp(port: number, clientId = 'heritage-local'): Promise<IdentityProvider> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  const issued = new Map<string, Claims>()

  server.service.on(Events.BeforeTokenSigning, (token: MutableToken, request: TokenRequestIncomingMessage) => {
    const { username, client_id = clientId } = request.body
    if (isEmail(username)) Object.assign(token.payload, claimsOf(username, request.body), { aud: client_id, client_id })
  })

  server.service.on(Events.BeforeResponse, (response: MutableResponse, request: TokenRequestIncomingMessage) => {
    const { username, scope = '' } = request.body
    if (response.body === '') return
    if (!isEmail(username)) {
      response.statusCode = 400
      response.body = { error: 'invalid_request', error_description: 'username must be an email address' }
      return
    }
    const signed = String(response.body.access_token)
    const token = scope.split(' ').includes('opaque') ? randomBytes(32).toString('base64url') : signed
    issued.set(token, decodeJwt(signed))
    response.body.access_token = token
  })

  server.service.on(Events.BeforeUserinfo, (response: MutableResponse, request: IncomingMessage) => {
    const claims = alive(issued.get(request.headers.authorization?.replace(/^Bearer /i, '') ?? ''))
    response.statusCode = claims ? 200 : 401
    response.body = claims ? pick(claims, userinfoClaims) : { error: 'invalid_token' }
  })

  // The mock leaves the body of an introspection unread. Discovery gives the address of this route instead.
  server.service.addRoute('POST', '/introspection', (request, response) => {
    const { body } = request
    const token = body && !Array.isArray(body) ? String(body.token) : ''
    const claims = alive(issued.get(token))
    const answer = claims ? { active: true, ...pick(claims, introspectionClaims) } : { active: false }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  server.service.on(Events.BeforeWellKnownOpenIdConfiguration, ({ body }: MutableResponse) => {
    if (body !== '') body.introspection_endpoint = `${server.issuer.url}/introspection`
  })

  await server.start(port, '127.0.0.1')
  const issuer = `http://127.0.0.1:${server.address().port}`
  server.issuer.url = issuer
  return { issuer, stop: () => server.stop() }
}

const userinfoClaims = ['sub', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'picture']
const introspectionClaims = ['iss', 'sub', 'aud', 'client_id', 'exp', 'iat', 'email', 'email_verified', 'scope']

/** A person has the same subject in every run. A request with `email_verified=false` gets an address that is not verified. */
function claimsOf(email: string, body: object): Claims {
  const name = email.slice(0, email.indexOf('@'))
  const [given = '', family = 'Heritage'] = name
    .split(/[._-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
  return {
    sub: createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 24),
    email,
    email_verified: !('email_verified' in body && String(body.email_verified) === 'false'),
    name: `${given} ${family}`,
    given_name: given,
    family_name: family,
    picture: `https://pictures.heritage.test/${encodeURIComponent(name)}.png`,
  }
}

const isEmail = (value: unknown): value is string => typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value)
const alive = (claims: Claims | undefined) => (claims && Number(claims.exp) * 1000 > Date.now() ? claims : undefined)
const pick = (claims: Claims, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => claims[name] !== undefined).map((name) => [name, claims[name]]))
