import { notFound } from '../../base/errors.ts'
import { createLinks, getObject, putObject } from '../../engines/bucket/index.ts'
import { type Drawing, drawImage } from '../../engines/media/index.ts'
import { canonicalRequest } from './request.ts'

/** The image of an answer: its bytes, or an address if they are too many for an answer. */
export type Drawn = { bytes: Uint8Array; type: string } | { location: string }

/** The most bytes of an image in an answer: in base64 they take a third more, and Lambda allows 6 MB. */
const LARGEST_ANSWER = 4_500_000

const types: Readonly<Record<Drawing['format'], string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }

/** A drawing of the image under a key. It comes from the bucket in one call, or is drawn and stored there. */
export async function renderImage(id: string, object_key: string, wanted: Drawing): Promise<Drawn> {
  const [key, type] = [derivativeKey(id, wanted), types[wanted.format]]
  const kept = await getObject(key)
  const bytes = kept?.bytes ?? (await drawAnew(object_key, key, wanted))
  if (bytes.length <= LARGEST_ANSWER) return { bytes, type }
  const link = await createLinks()
  return { location: await link(key, { type, disposition: 'inline' }) }
}

async function drawAnew(object_key: string, key: string, wanted: Drawing): Promise<Uint8Array> {
  const original = await getObject(object_key)
  if (!original) throw notFound()
  const bytes = await drawImage(original.bytes, wanted)
  await putObject(key, bytes, types[wanted.format])
  return bytes
}

/** The key of a drawing. A file never changes, so its drawings are never stale. */
export const derivativeKey = (id: string, wanted: Drawing): string =>
  `derivatives/${id}/${canonicalRequest(wanted).replaceAll('/', '_')}`
