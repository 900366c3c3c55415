/** A reply that is not simply "200 with this value as JSON". The route's `answer` declares which statuses and bodies fit it. */
export class Reply<Status extends number = number, Body = unknown> {
  readonly status: Status
  /** JSON, text or bytes; undefined for a reply without a body. */
  readonly body: Body
  readonly headers: Record<string, string>
  readonly cookies: string[]

  constructor(status: Status, body: Body, headers: Record<string, string> = {}, cookies: string[] = []) {
    this.status = status
    this.body = body
    this.headers = headers
    this.cookies = cookies
  }
}

/** Text or bytes of a media type other than JSON. */
export type Content = string | Uint8Array

declare const written: unique symbol
/** A value that is written out as JSON already. */
export type JsonText<Value> = string & { readonly [written]: Value }
/** Writes a value out as JSON, and keeps its type for the check against the route's answer. */
export const jsonText = <Value>(value: Value) => JSON.stringify(value) as JsonText<Value>

/** 201 with the view of what was created. */
export const replyCreated = <Body>(body: Body, headers: Record<string, string> = {}): Reply<201, Body> =>
  new Reply(201, body, headers)
/** 204, without a body. */
export const replyNoContent = (): Reply<204, undefined> => new Reply(204, undefined)
/** 303 to another address. */
export const replySeeOther = (location: string): Reply<303, undefined> => new Reply(303, undefined, { location })
/** 200 with text or bytes of a media type other than JSON. */
export const replyContent = <Body extends Content>(
  body: Body,
  type: string,
  headers: Record<string, string> = {},
): Reply<200, Body> => new Reply(200, body, { 'content-type': type, ...headers })
