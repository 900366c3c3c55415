// Which types of files are taken.

export { sniffType } from './formats/check.ts'
export {
  type ContentType,
  contentTypeOfName,
  contentTypes,
  findContentType,
  mediaClasses,
  typeFacts,
} from './formats/types.ts'

// To check a file to its last byte, and to store what readers get of it.

export { admitFile, type FileClaim, storeFile } from './admit.ts'
export type { CheckedContent } from './formats/check.ts'
export { memorySource, readBlocks, type Source, UnfitFile } from './formats/source.ts'
export { withSpool } from './spool.ts'

// To make other images of an image.

export { convertibleTypeOf, convertibleTypes, convertToPng, isHeicName, NO_HEIC } from './developing.ts'
export { type Drawing, drawImage, Undrawable } from './drawing.ts'
export { makePdfThumbnail, makeThumbnail } from './thumbnails.ts'

// How a file is named for people.

export { contentDisposition, displayName } from './names.ts'
