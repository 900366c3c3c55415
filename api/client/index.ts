import createClient, { type Client, type FetchResponse, type MaybeOptionalInit, type Middleware } from 'openapi-fetch'
import type { components, paths } from './schema.js'

export type { components, paths }
/** A named shape of the API document, such as `Shape<'Structure'>`. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name]

export type Options = {
  /** Where the service is, such as `https://heritage.example.org`. */
  baseUrl: string
  /** An access token, or a function that returns one. It is called for each request. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Instead of the global one. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * What the service answers when it refuses a call: `{ detail }`, or the reasons of each member, such as
 * `{ name: ['This field is required.'] }`. The client never throws it: it is `error` beside `data`.
 */
export type HeritageError = Shape<'Detail'> | Shape<'BadRequest'> | Shape<'TooLarge'>

/** The body of an upload by its path, such as `Upload<'/api/v1/data/pictures/'>`: the members of the form, or a FormData. */
export type Upload<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'multipart/form-data': infer Form } } }
}
  ? Form
  : never

/** The client reads JSON alone. */
type Media = 'application/json'

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Each in M]: object } ? Path : never
}[keyof paths]
type Init<Path extends keyof paths, M extends Method> = MaybeOptionalInit<paths[Path], M>
/** The body is no type parameter: then TypeScript would accept unknown members. */
type Call<M extends Method> = <Path extends PathWith<M>>(
  url: Path,
  ...init: undefined extends Init<Path, M> ? [Init<Path, M>?] : [Init<Path, M>]
) => Promise<FetchResponse<paths[Path][M] & Record<string, unknown>, object, Media>>
export type HeritageClient = { [M in Method as Uppercase<M>]: Call<M> } & Pick<Client<paths, Media>, 'use' | 'eject'>

/** One thing in a request that is doubtful, such as a date nobody can read. */
export type Warning = Shape<'Warning'>

/** The warnings in an answer: coordinates or dates that are doubtful. */
export const warningsOf = (data: object | undefined): Warning[] => (data as { warnings?: Warning[] })?.warnings ?? []

/**
 * Creates a client of the heritage knowledge service. Every path, parameter, body and answer has its type. The service
 * refuses members that it does not know. Each POST has an idempotency key, so a repeated one creates nothing twice.
 */
export function createHeritageClient({ baseUrl, token, fetch }: Options): HeritageClient {
  const client = createClient<paths, Media>({ baseUrl, bodySerializer: serialize, ...(fetch && { fetch }) })
  client.use(careful)
  if (token !== undefined) client.use(signRequests(token))
  return client as HeritageClient
}

/** A body with a file goes as a form, every other one as JSON. */
function serialize(body: unknown): FormData | URLSearchParams | string {
  if (body instanceof FormData || body instanceof URLSearchParams) return body
  const members = Object.entries(body ?? {})
  if (!members.some(([, value]) => value instanceof Blob)) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of members) {
    if (value instanceof Blob) form.append(name, value)
    else if (value !== undefined && value !== null) form.append(name, String(value))
  }
  return form
}

const careful: Middleware = {
  onRequest: ({ request }) => {
    if (!request.headers.has('prefer')) request.headers.set('prefer', 'handling=strict')
    if (request.method === 'POST' && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', crypto.randomUUID())
    return request
  },
}

function signRequests(token: NonNullable<Options['token']>): Middleware {
  return {
    onRequest: async ({ request }) => {
      const access = typeof token === 'string' ? token : await token()
      if (access) request.headers.set('authorization', `Bearer ${access}`)
      return request
    },
  }
}
