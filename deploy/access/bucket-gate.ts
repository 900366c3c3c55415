import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AccessRecord, deniedObject, type Roles, refusal } from './judge.ts'
import type { Need } from './policy.ts'
import { bucketIn, listing, needsOfObject, signerOfRequest } from './requests.ts'

/** The members of a Koa context that the gate uses. The S3 emulator is a Koa application. */
export type Exchange = {
  req: IncomingMessage
  method: string
  path: string
  query: { [name: string]: string }
  url: string
  status: number
  body: unknown
  set: (headers: { [name: string]: string }) => void
}
export type Middleware = (exchange: Exchange, next: () => Promise<void>) => Promise<void>

/**
 * Stands before the S3 emulator. The signer of a request, of a presigned address or of a form must have the right to it. What is allowed
 * goes on, signed with the one account that the emulator knows. `rolesAt` gives the roles for the bucket of that name.
 */
export const bucketGate =
  (rolesAt: (bucket: string) => Roles, record: AccessRecord): Middleware =>
  async (exchange, next) => {
    const { req, method, path, query } = exchange
    if (method === 'OPTIONS') return next()
    const roles = rolesAt(bucketIn(path))
    const form = isForm(exchange) ? await formIn(req) : undefined
    const headers = signedHeaders(req)
    const signer = form?.signer ?? signerOfRequest({ headers, query })
    const refused = refusal(roles, signer, needsOfObject({ method, path, query, headers }, form?.key), record)
    if (refused) return deny(exchange, signer, refused)
    asTheAccount(exchange)
    try {
      await next()
    } catch (error) {
      const missing = Object(error).code === 'NoSuchKey' || Object(error).status === 404
      const untold = missing && method !== 'DELETE' ? refusal(roles, signer, [listing(path)], record) : undefined
      if (!untold) throw error
      deny(exchange, signer, untold)
    }
  }

/** The headers that say who signed, and which object is copied. */
const signedHeaders = ({ headers }: IncomingMessage) => ({
  authorization: headers.authorization,
  'x-amz-copy-source': [headers['x-amz-copy-source']].flat()[0],
})

function deny(exchange: Exchange, signer: string | undefined, need: Need): void {
  const { status, headers, body } = deniedObject(signer, need)
  exchange.status = status
  exchange.set(headers)
  exchange.body = body
}

/** Replaces the signer: the emulator refuses access keys that are not its own. */
function asTheAccount(exchange: Exchange): void {
  const { req } = exchange
  if (req.headers.authorization)
    req.headers.authorization = req.headers.authorization.replace(/Credential=[^/]+/, 'Credential=S3RVER')
  exchange.url = exchange.url.replace(/(X-Amz-Credential=)[^%/&]+/, '$1S3RVER')
}

const isForm = ({ req, method }: Exchange) =>
  method === 'POST' && (req.headers['content-type'] ?? '').startsWith('multipart/form-data')

/** The most bytes that the fields of a form take. They come before the file. */
const MOST_FIELDS = 64 << 10

/** Who signed a form, and for which key. Puts the bytes that it read back into the request. */
async function formIn(request: IncomingMessage): Promise<{ signer: string | undefined; key: string }> {
  let read = Buffer.alloc(0)
  while (read.length < MOST_FIELDS && !read.includes('name="file"') && !request.readableEnded) {
    const chunk: Buffer | null = request.read()
    if (chunk) read = Buffer.concat([read, chunk])
    else if (!(await more(request))) break
  }
  if (read.length > 0) request.unshift(read)
  const text = read.toString('latin1')
  const field = (name: string) =>
    new RegExp(`name="${name}"\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^\\r]*)`, 'i').exec(text)?.[1]
  return { signer: field('x-amz-credential')?.split('/')[0], key: field('key') ?? '' }
}

/** Waits until more can be read (true) or the request has ended (false). */
const more = (request: IncomingMessage): Promise<boolean> =>
  Promise.race([once(request, 'readable').then(() => true), once(request, 'end').then(() => false)])
