import type { IncomingMessage, ServerResponse } from 'node:http'
import { OAuth2Server } from 'oauth2-mock-server'

/** The replies of the provider about one opaque token. A number is a status. */
export type Person = {
  userinfo?: object | number
  tokeninfo?: object | number
  /** Its tokeninfo is a document that refuses POST. */
  document?: boolean
}
export type Provider = {
  url: string
  env: Record<string, string>
  /** The valid opaque access tokens. */
  tokens: Map<string, Person>
  /** The paths of the requests that it received. */
  asked: string[]
  idToken: (claims: object, header?: object) => Promise<string>
  /** Stops the server: later requests find no listener. */
  stop: () => Promise<void>
}

/** The time at which the tests' clock stands still, in seconds. */
export const START = Date.parse('2025-01-15T10:00:00.000Z') / 1000

/** Starts a real OpenID provider on a free port. */
export async function openProvider(): Promise<Provider> {
  const server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  const tokens = new Map<string, Person>()
  const asked: string[] = []
  server.service.on('beforeUserinfo', (reply, request: IncomingMessage) => {
    asked.push('/userinfo')
    const said = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''))?.userinfo ?? 401
    reply.statusCode = typeof said === 'number' ? said : 200
    reply.body = typeof said === 'number' ? { error: 'invalid_token' } : { ...said }
  })
  const tell = (reply: ServerResponse, said: object | number) => {
    reply.statusCode = typeof said === 'number' ? said : 200
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(typeof said === 'number' ? {} : said))
  }
  server.service.addRoute('POST', '/tokeninfo', (request: IncomingMessage & { body?: unknown }, reply) => {
    asked.push('/tokeninfo')
    const known = tokens.get(String(Object(request.body).token))
    tell(reply, known?.document ? 405 : (known?.tokeninfo ?? { active: false }))
  })
  server.service.addRoute('GET', '/tokeninfo', (request: IncomingMessage, reply) => {
    asked.push('/tokeninfo')
    const token = new URL(request.url ?? '', 'http://localhost').searchParams.get('access_token') ?? ''
    tell(reply, tokens.get(token)?.tokeninfo ?? 400)
  })
  await server.start(undefined, '127.0.0.1')
  const url = server.issuer.url ?? ''
  return {
    url,
    env: {
      IDP_CLIENT_ID: 'heritage-test',
      IDP_ISSUER: url,
      IDP_USERINFO_URL: `${url}/userinfo`,
      IDP_TOKENINFO_URL: `${url}/tokeninfo`,
      IDP_JWKS_URL: `${url}/jwks`,
    },
    tokens,
    asked,
    idToken: (claims, header = {}) =>
      server.issuer.buildToken({
        scopesOrTransform: (head, payload) => {
          Object.assign(head, header)
          Object.assign(payload, { aud: 'heritage-test', iat: START, nbf: START, exp: START + 3600 }, claims)
        },
      }),
    stop: () => server.stop(),
  }
}
