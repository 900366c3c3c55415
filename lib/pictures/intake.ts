import { invalid } from '../errors.ts'
import { admit, type Claim, keep } from '../files/admit.ts'
import { streamObject, uploadForm } from '../files/blobs.ts'
import type { Source } from '../files/media/source.ts'
import type { ContentType } from '../files/media/types.ts'
import { spooled } from '../files/spool.ts'
import { type Facts, objectKey, type PictureFile } from './items.ts'

/** How the file of a picture comes in: it is read once from beginning to end, and what is checked is what is kept. */

/** The types of files that can be pictures. */
export const pictureTypes: readonly ContentType[] = ['image/jpeg', 'image/png', 'image/webp']

/** How long a client may take to send a file to the bucket. */
const FORM_SECONDS = 3600

/** What a client posts, and where, to send the file. */
export const formFor = ({ pending_key, announced }: PictureFile) =>
  uploadForm(pending_key ?? '', { type: announced.content_type, size: announced.size }, FORM_SECONDS)

/** Reads a file that has come with the request. Fails with `invalid` when it is no whole image of a type that is taken. */
export const checkedImage = (source: Source, claim: Claim) => admit(source, claim, { types: pictureTypes })

/** Stores what readers get of a checked file; answers what is known of it. */
export async function store(
  { id }: PictureFile,
  source: Source,
  checked: Awaited<ReturnType<typeof checkedImage>>,
): Promise<Facts> {
  const { content_type, width = 0, height = 0, orientation = 1 } = checked
  const kept = await keep(objectKey(id), source, checked)
  // The fifth to the eighth orientation turn the image by a quarter.
  const [w, h] = (orientation ?? 1) >= 5 ? [height, width] : [width, height]
  return { ...kept, content_type, width: w, height: h }
}

/** Takes in what the client has put into the bucket. Fails with `invalid` where it is not what was announced. */
export async function storeSent(held: PictureFile): Promise<Facts> {
  const { announced, pending_key, file_name } = held
  const sent = pending_key === null ? undefined : await streamObject(pending_key)
  if (!sent) throw invalid({ file: ['The file has not been sent yet.'] })
  const facts = await spooled(sent.body, announced.size, async ({ source, sha256 }) => {
    if (source.size !== announced.size) throw otherFile('size')
    if (announced.sha256 !== null && announced.sha256 !== sha256) throw otherFile('checksum')
    return store(held, source, await checkedImage(source, { file_name, media_type: announced.content_type }))
  })
  if (!facts) throw otherFile('size')
  return facts
}

const otherFile = (what: 'size' | 'checksum') =>
  invalid({ file: [`The file is not the one that was announced: its ${what} differs.`] })
