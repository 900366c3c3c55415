import { notFound } from '../../base/errors.ts'
import { createLinks, getObject, putObject } from '../../engines/bucket/index.ts'
import { type Drawing, drawImage } from '../../engines/media/index.ts'
import { drawingKey } from './request.ts'

/** The image of an answer: its bytes, or its address if it is too large for an answer. */
export type RenderedImage = { bytes: Uint8Array; type: string } | { location: string }

/** The most bytes of an image in an answer. In base64 they take a third more, and Lambda allows 6 MB. */
const MAX_ANSWER_BYTES = 4_500_000

const types: Readonly<Record<Drawing['format'], string>> = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' }

/** Loads a stored drawing, or draws the image under `object_key` and stores the drawing. A large one becomes a link. Fails with `notFound` if both are absent. */
export async function renderImage(id: string, object_key: string, drawing: Drawing): Promise<RenderedImage> {
  const [key, type] = [derivativeKey(id, drawing), types[drawing.format]]
  const stored = await getObject(key)
  const bytes = stored?.bytes ?? (await drawAndStore(object_key, key, drawing))
  if (bytes.length <= MAX_ANSWER_BYTES) return { bytes, type }
  const link = await createLinks()
  return { location: await link(key, { type, disposition: 'inline' }) }
}

async function drawAndStore(object_key: string, key: string, drawing: Drawing): Promise<Uint8Array> {
  const original = await getObject(object_key)
  if (!original) throw notFound()
  const bytes = await drawImage(original.bytes, drawing)
  await putObject(key, bytes, types[drawing.format])
  return bytes
}

/** The key of a drawing. A file never changes, so its drawings are never stale. */
export const derivativeKey = (id: string, drawing: Drawing): string =>
  `derivatives/${id}/${drawingKey(drawing).replaceAll('/', '_')}`
