import type { Reply } from './actors.ts'

/** What goes over the wire, as bytes and texts. */
export const textOf = (body: unknown): string =>
  typeof body === 'string' ? body : body instanceof Uint8Array ? decoder.decode(body) : ''
const decoder = new TextDecoder()
export const json = (statusCode: number, body: unknown): Reply => ({
  statusCode,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(JSON.stringify(body ?? {})),
})
export async function bytesOf(body: unknown): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  return Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>))
}
