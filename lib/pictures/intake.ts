import { invalid } from '../errors.ts'
import { admit, type Claim, keep } from '../files/admit.ts'
import { streamObject, uploadForm } from '../files/blobs.ts'
import { develop, developed, developedType } from '../files/developing.ts'
import type { Checked } from '../files/media/check.ts'
import { inMemory, type Source, Unfit } from '../files/media/source.ts'
import { type ContentType, typeFacts, typeOfName } from '../files/media/types.ts'
import { spooled } from '../files/spool.ts'
import { LARGEST_PICTURE } from './files.ts'
import { type Facts, objectKey, type PictureFile } from './items.ts'

/** How the file of a picture comes in: it is read once from beginning to end, and what is checked is what is kept. */

/** The types of files that are kept as pictures. */
const pictureTypes: readonly ContentType[] = ['image/jpeg', 'image/png', 'image/webp']

/** How long a client may take to send a file to the bucket. */
const FORM_SECONDS = 3600

/** What a client posts, and where, to send the file. */
export const formFor = ({ pending_key, announced }: PictureFile) =>
  uploadForm(pending_key ?? '', { type: announced.content_type, size: announced.size }, FORM_SECONDS)

/** The endings of the names of files that can be pictures. */
export const pictureEndings: readonly string[] = [
  ...pictureTypes.flatMap((type) => typeFacts[type].endings),
  ...Object.values(developed).flat(),
].map((it) => `.${it}`)

/** What a file is by its name: one of the types that can be pictures. */
export const pictureTypeOf = (name: string): string | undefined =>
  pictureTypes.find((type) => type === typeOfName(name)) ??
  Object.entries(developed).find(([, endings]) => endings.some((it) => name.toLowerCase().endsWith(`.${it}`)))?.[0]

/** A file that is taken: what is kept of it comes from this source. */
export type Taken = { source: Source; checked: Checked }

/**
 * Reads a file. One of a type that is drawn anew (lib/files/developing.ts) is from here on its PNG. Fails with `invalid`
 * when it is no whole image of a type that is taken, or of another one than its name or the client says.
 */
export async function takeIn(source: Source, claim: Claim): Promise<Taken> {
  const png = await pngOf(source, claim).catch((error: unknown) => {
    throw error instanceof Unfit ? invalid({ file: [error.message] }) : error
  })
  const checked = await admit(png ?? source, png ? {} : claim, { types: pictureTypes })
  return { source: png ?? source, checked }
}

async function pngOf(source: Source, { file_name, sent_as }: Claim): Promise<Source | undefined> {
  const type = developedType(source)
  if (!type) return undefined
  const endings = developed[type].map((it) => `.${it}`).join(' or ')
  if (file_name !== undefined && pictureTypeOf(file_name) !== type)
    throw new Unfit(`The file is ${type}, and its name does not end in ${endings}.`)
  if (sent_as?.startsWith('image/') && sent_as !== type)
    throw new Unfit(`The file is ${type}, and was sent as something else.`)
  const png = inMemory(await develop(source.read(0, source.size)))
  if (png.size > LARGEST_PICTURE) throw new Unfit('The image is larger than 50 MB as a PNG. Send it as JPEG.')
  return png
}

/** Stores what readers get of a checked file; answers what is known of it. */
export async function store({ id }: PictureFile, { source, checked }: Taken): Promise<Facts> {
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
    return store(held, await takeIn(source, { file_name, media_type: announced.content_type }))
  })
  if (!facts) throw otherFile('size')
  return facts
}

const otherFile = (what: 'size' | 'checksum') =>
  invalid({ file: [`The file is not the one that was announced: its ${what} differs.`] })
