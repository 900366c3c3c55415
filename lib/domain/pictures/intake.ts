import { invalid } from '../../base/errors.ts'
import { streamObject, uploadForm } from '../../engines/bucket/index.ts'
import type { CheckedContent } from '../../engines/media/index.ts'
import {
  admitFile,
  type ContentType,
  contentTypeOfName,
  convertibleTypeOf,
  convertibleTypes,
  convertToPng,
  type FileClaim,
  memorySource,
  type Source,
  storeFile,
  typeFacts,
  UnfitFile,
  withSpool,
} from '../../engines/media/index.ts'
import { MAX_PICTURE_BYTES } from './files.ts'
import { type ImageFacts, type PictureFile, pictureObjectKey } from './items.ts'

/** The types of files that are stored as they are. */
const pictureTypes: readonly ContentType[] = ['image/jpeg', 'image/png', 'image/webp']

/** The accepted types of files, including those that are converted. */
const acceptedTypes: readonly string[] = [...pictureTypes, ...Object.keys(convertibleTypes)]

/** Seconds that a client may take to post a file to the bucket. */
const FORM_SECONDS = 3600

/** Returns the form by which a client posts the file to the bucket. */
export const uploadFormOf = ({ pending_key, announced }: PictureFile) =>
  uploadForm(pending_key ?? '', { type: announced.content_type, size: announced.size }, FORM_SECONDS)

/** The accepted endings of file names. Example: `.jpg`. */
export const pictureEndings: readonly string[] = [
  ...pictureTypes.flatMap((type) => typeFacts[type].endings),
  ...Object.values(convertibleTypes).flat(),
].map((ending) => `.${ending}`)

/** Returns the media type for the ending of a file name. Undefined for an ending that is not accepted. */
export const pictureTypeOf = (name: string): string | undefined =>
  pictureTypes.find((type) => type === contentTypeOfName(name)) ??
  Object.entries(convertibleTypes).find(([, endings]) =>
    endings.some((ending) => name.toLowerCase().endsWith(`.${ending}`)),
  )?.[0]

/** A picture file that passed all checks. `source` is a copy. The checks and the store both read it, so the stored bytes are the checked ones. */
export type CheckedPicture = { source: Source; checked: CheckedContent }

/**
 * Reads and checks a file. TIFF and AVIF become PNG here. Fails with `invalid` if it is no whole image of an accepted type, or if its name
 * or the client states another type.
 */
export async function readPictureFile(source: Source, claim: FileClaim): Promise<CheckedPicture> {
  const png = await convertPicture(source, claim).catch((error: unknown) => {
    throw error instanceof UnfitFile ? invalid({ file: [error.message] }) : error
  })
  const checked = await admitFile(png ?? source, png ? {} : claim, { types: pictureTypes, accepted: acceptedTypes })
  return { source: png ?? source, checked }
}

async function convertPicture(source: Source, { file_name, sent_as }: FileClaim): Promise<Source | undefined> {
  const type = convertibleTypeOf(source)
  if (!type) return undefined
  const endings = convertibleTypes[type].map((ending) => `.${ending}`).join(' or ')
  if (file_name !== undefined && pictureTypeOf(file_name) !== type)
    throw new UnfitFile(`The file is ${type}, and its name does not end in ${endings}.`)
  if (sent_as?.startsWith('image/') && sent_as !== type)
    throw new UnfitFile(`The file is ${type}, and was sent as something else.`)
  const png = memorySource(await convertToPng(source.read(0, source.size)))
  if (png.size > MAX_PICTURE_BYTES) throw new UnfitFile('The image is larger than 50 MB as a PNG. Send it as JPEG.')
  return png
}

/** Stores a checked file under the id of its picture. Returns its facts, with the size of the upright image. */
export async function storePicture({ id }: PictureFile, { source, checked }: CheckedPicture): Promise<ImageFacts> {
  const { content_type, width = 0, height = 0, orientation = 1 } = checked
  const facts = await storeFile(pictureObjectKey(id), source, checked)
  // EXIF orientations 5 to 8 turn the image by 90 degrees, so width and height change places.
  const isTurned = (orientation ?? 1) >= 5
  return { ...facts, content_type, width: isTurned ? height : width, height: isTurned ? width : height }
}

/** Reads, checks and stores the file that the client posted. Fails with `invalid` if it differs from the announcement. */
export async function storeUpload(held: PictureFile): Promise<ImageFacts> {
  const { announced, pending_key, file_name } = held
  const object = pending_key === null ? undefined : await streamObject(pending_key)
  if (!object) throw invalid({ file: ['The file has not been sent yet.'] })
  const facts = await withSpool(object.body, announced.size, async ({ source, sha256 }) => {
    if (source.size !== announced.size) throw notAsAnnounced('size')
    if (announced.sha256 !== null && announced.sha256 !== sha256) throw notAsAnnounced('checksum')
    return storePicture(held, await readPictureFile(source, { file_name, media_type: announced.content_type }))
  })
  if (!facts) throw notAsAnnounced('size')
  return facts
}

const notAsAnnounced = (what: 'size' | 'checksum') =>
  invalid({ file: [`The file is not the one that was announced: its ${what} differs.`] })
