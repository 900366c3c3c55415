import createClient, { type Client, type Middleware } from 'openapi-fetch'
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
type Media = 'application/json' | `text/${string}`

/** A client of the heritage knowledge service: every path, parameter, body and answer has its type. */
export function createHeritageClient({ baseUrl, token, fetch }: Options): Client<paths, Media> {
  const client = createClient<paths, Media>({ baseUrl, ...(fetch && { fetch }) })
  if (token !== undefined) client.use(signed(token))
  return client
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
