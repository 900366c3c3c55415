import { notFound } from '../errors.ts'
import { getObject, links, putObject } from '../files/blobs.ts'
import { type Drawing, drawn } from '../files/drawing.ts'
import { canonicalRequest } from './request.ts'

/** An image that is answered: its bytes, or where they can be read because an answer holds no more. */
export type Drawn = { bytes: Uint8Array; type: string } | { location: string }

/** What fits into an answer, in base64. */
const LARGEST_ANSWER = 4_500_000

const types: Readonly<Record<Drawing['format'], string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }

/** A drawing of the image under a key: from the cache, which is one call to the bucket, else drawn and kept there. */
export async function imageOf(id: string, object_key: string, wanted: Drawing): Promise<Drawn> {
  const [key, type] = [derivativeKey(id, wanted), types[wanted.format]]
  const kept = await getObject(key)
  const bytes = kept?.bytes ?? (await drawAnew(object_key, key, wanted))
  if (bytes.length <= LARGEST_ANSWER) return { bytes, type }
  const link = await links()
  return { location: await link(key, { type, disposition: 'inline' }) }
}

async function drawAnew(object_key: string, key: string, wanted: Drawing): Promise<Uint8Array> {
  const original = await getObject(object_key)
  if (!original) throw notFound()
  const bytes = await drawn(original.bytes, wanted)
  await putObject(key, bytes, types[wanted.format])
  return bytes
}

/** Where a drawing is kept. What is drawn of a file never changes, so nothing here is ever stale. */
export const derivativeKey = (id: string, wanted: Drawing): string =>
  `derivatives/${id}/${canonicalRequest(wanted).replaceAll('/', '_')}`
