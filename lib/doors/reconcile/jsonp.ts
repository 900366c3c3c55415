import type { endpoint } from '../../platform/http/endpoint.ts'
import { isCallback } from './queries.ts'

type Handler = ReturnType<typeof endpoint>

/**
 * Answers a GET with a `callback` by a script that calls this function with the JSON: section 2.2 of the Reconciliation Service API 0.2.
 * Any page can load such a script, so the request is treated as anonymous. Errors get the status 200, since browsers run no script with an
 * error status. Only 404 stays.
 */
export const withCallback =
  (handler: Handler): Handler =>
  async (event, context) => {
    const callback = new URLSearchParams(event.rawQueryString).get('callback') ?? ''
    if (event.requestContext.http.method !== 'GET' || !isCallback(callback)) return handler(event, context)
    const { authorization: _, 'accept-encoding': __, ...headers } = event.headers
    const { cookies: ___, ...anonymous } = event
    const result = await handler({ ...anonymous, headers: { ...headers, accept: 'application/json' } }, context)
    const { 'content-type': type, etag: ____, ...others } = result.headers ?? {}
    if (result.statusCode === 404 || !String(type).startsWith('application/json')) return result
    const script = `${callback}(${result.body ?? 'null'});`.replace(
      /[\u2028\u2029]/g,
      (it) => `\\u${it.charCodeAt(0).toString(16)}`,
    )
    return { ...result, statusCode: 200, headers: { ...others, 'content-type': SCRIPT }, body: script }
  }

/** The media type of a script. */
export const SCRIPT = 'text/javascript'
