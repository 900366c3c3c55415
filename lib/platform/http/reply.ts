/** An answer other than "200 and this value as JSON". */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Record<string, string>
  readonly cookies: string[]

  constructor(status: number, body?: unknown, headers: Record<string, string> = {}, cookies: string[] = []) {
    this.status = status
    this.body = body
    this.headers = headers
    this.cookies = cookies
  }
}

/** 201 with the new thing. */
export const replyCreated = (body: unknown, headers: Record<string, string> = {}) => new Reply(201, body, headers)
/** 204, nothing to say. */
export const replyNoContent = () => new Reply(204)
/** Text or bytes of another type than JSON. */
export const replyContent = (body: string | Uint8Array, type: string, headers: Record<string, string> = {}) =>
  new Reply(200, body, { 'content-type': type, ...headers })
