import { crc32 } from 'node:zlib'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { waitFor } from './beside.ts'
import { signpost } from './signpost.ts'
import { ask, formOf, good } from './speaker.ts'

const PLACE = '/api/v1/data/ocr-chunk-uploads/'
/** The bytes of a part, as the dashboard sends them. */
const PART = 6 * 1024 * 1024
const ORIGIN = 'http://localhost:3000'
type Bucket = { name: string; endpoint: string }

/**
 * Somebody sends a scanned document of 13 MB as the dashboard does: three parts as forms, one after the other. No function could take one. Others, and
 * parts that are too many, are refused in the words of the service, and nothing of theirs is stored. Returns what went wrong.
 */
export async function largeParts(origins: readonly string[], { endpoint, name }: Bucket): Promise<string[]> {
  const failed: string[] = []
  const check = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      failed.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
  }
  const picture = await largePicture()
  for (const origin of origins) {
    const dev = await tokenOf(origin, 'dev')
    const announced = {
      filename: 'register.png',
      byte_size: picture.length,
      media_type: 'image',
      description: 'पञ्जिका',
    }
    const send = (method: string, path: string, token: string, body?: unknown, headers = {}) =>
      ask(origin, method, `${PLACE}${path}`, {
        body,
        headers: { origin: ORIGIN, ...(token && { authorization: `Bearer ${token}` }), ...headers },
      })
    const { body: begun } = good(await send('POST', '', dev, announced))
    check('the largest part', begun.max_chunk_bytes, PART)
    const append = (bytes: Uint8Array, token = dev, headers = {}) =>
      send('POST', `${begun.id}/append/`, token, partForm(bytes), headers)

    const stranger = await tokenOf(origin, 'other')
    const first = picture.subarray(0, PART)
    check('no token', (await append(first, '')).status, 401)
    check('a stranger', (await append(first, stranger)).body, { detail: 'Not found.' })
    check('nothing of that is stored', await keysIn(endpoint, name, `parts/${begun.id}/`), [])
    await preflight(origin, `${PLACE}${begun.id}/append/`, check)

    for (let at = 0; at < picture.length; at += PART) {
      const end = Math.min(at + PART, picture.length)
      // The answer to the second part is lost, and its sender repeats it under the key of the request.
      const headers = at === PART ? { 'idempotency-key': `part-${begun.id}` } : {}
      const part = picture.subarray(at, end)
      if (at === PART) good(await append(part, dev, headers))
      const { body, allowed: cors } = good(await append(part, dev, headers))
      check(`the part that ends at ${end}`, body, { ...begun, bytes_written: end })
      check('who may read the answer', cors, ORIGIN)
    }
    const beyond = await append(first)
    check(
      'a part too many',
      [beyond.status, beyond.body],
      [400, { detail: `With this part the file would be larger than ${picture.length} bytes.` }],
    )
    check('the stored parts', (await keysIn(endpoint, name, `parts/${begun.id}/`)).length, 3)
    check('the folder of what is refused', await keysIn(endpoint, name, 'refused/'), [])

    const { body: made } = good(await send('POST', `${begun.id}/complete/`, dev))
    const headers = { authorization: `Bearer ${dev}` }
    const at = `/data/ocr-documents/${made.uploaded_document_id}/`
    const read = await waitFor(() => ask(origin, 'GET', at, { headers }))
    check('the document', [read.status, read.user_safe_error], ['completed', ''])
  }
  return failed
}

/** A browser asks first. The same function answers as at any other address. */
async function preflight(
  origin: string,
  path: string,
  check: (what: string, found: unknown, wanted: unknown) => void,
): Promise<void> {
  const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
  const answers = await Promise.all(
    [path, '/data/flags/'].map((each) => fetch(`${origin}${each}`, { method: 'OPTIONS', headers })),
  )
  const [here, elsewhere] = answers.map(({ status, headers: told }) => [
    status,
    ...[...told].filter(([name]) => name.startsWith('access-control-')).sort(),
  ])
  check('the preflight', here, elsewhere)
}

const partForm = (bytes: Uint8Array) => formOf({ chunk: new File([new Uint8Array(bytes)], 'part.bin') })

async function tokenOf(origin: string, username: string): Promise<string> {
  const { body } = good(await ask(origin, 'POST', '/api/token/', { body: { username, password: 'heritage-local' } }))
  return String(body.access)
}

/** The keys of the bucket with this prefix. */
async function keysIn(endpoint: string, Bucket: string, Prefix: string): Promise<string[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const s3 = new S3Client({ endpoint, forcePathStyle: true, region: 'us-east-1', credentials })
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
  return Contents.map(({ Key = '' }) => Key)
}

/** A picture with words and 13 MB of notes, which readers do not get. Their checksums fail if parts change places. */
async function largePicture(): Promise<Buffer> {
  const picture = Buffer.from(await (await signpost()).arrayBuffer())
  const notes = [0, 1].map((n) => note(`${n} `.padEnd(6.5 * 1024 * 1024 + n, `line ${n} of a note. `)))
  const end = picture.length - 12
  return Buffer.concat([picture.subarray(0, end), ...notes, picture.subarray(end)])
}

/** A private chunk of a PNG. */
function note(text: string): Buffer {
  const body = Buffer.from(`noTe${text}`)
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
