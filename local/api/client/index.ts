import createClient, { type Client, type FetchResponse, type MaybeOptionalInit, type Middleware } from 'openapi-fetch'
import type { components, paths } from './schema.js'

export type { components, paths }
/** A named shape of the API document, such as `Shape<'Structure'>`. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name]

export type Options = {
  /** Where the service is, such as `https://heritage.example.org`. */
  baseUrl: string
  /** An access token, or how to come by one; asked anew for each request. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Instead of the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/** What the client reads; other representations of the same are for those who ask for them by `Accept`. */
type Media = 'application/json'

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Each in M]: object } ? Path : never
}[keyof paths]
type Init<Path extends keyof paths, M extends Method> = MaybeOptionalInit<paths[Path], M>
/** Not generic in what is sent, since a member that there is not would pass then. */
type Call<M extends Method> = <Path extends PathWith<M>>(
  url: Path,
  ...init: undefined extends Init<Path, M> ? [Init<Path, M>?] : [Init<Path, M>]
) => Promise<FetchResponse<paths[Path][M] & Record<string, unknown>, object, Media>>
export type HeritageClient = { [M in Method as Uppercase<M>]: Call<M> } & Pick<Client<paths, Media>, 'use' | 'eject'>

/** What a request says that is doubtful; see `warningsOf`. */
export type Warning = Shape<'Warning'>

/** What the service warns of in an answer: coordinates or dates that are doubtful. */
export const warningsOf = (data: object | undefined): Warning[] => (data as { warnings?: Warning[] })?.warnings ?? []

/**
 * A client of the heritage knowledge service: every path, parameter, body and answer has its type. What the service does
 * not know is refused, not dropped; a POST that is sent again, as it is, makes nothing twice.
 */
export function createHeritageClient({ baseUrl, token, fetch }: Options): HeritageClient {
  const client = createClient<paths, Media>({ baseUrl, ...(fetch && { fetch }) })
  client.use(careful)
  if (token !== undefined) client.use(signed(token))
  return client as HeritageClient
}

const careful: Middleware = {
  onRequest: ({ request }) => {
    if (!request.headers.has('prefer')) request.headers.set('prefer', 'handling=strict')
    if (request.method === 'POST' && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID())
    return request
  },
}

function signed(token: NonNullable<Options['token']>): Middleware {
  return {
    onRequest: async ({ request }) => {
      const access = typeof token === 'string' ? token : await token()
      if (access) request.headers.set('authorization', `Bearer ${access}`)
      return request
    },
  }
}
