// The types of files that are accepted.

export { sniffType } from './formats/check.ts'
export {
  type ContentType,
  contentTypeOfName,
  contentTypes,
  findContentType,
  mediaClasses,
  typeFacts,
} from './formats/types.ts'

// To check a file to its last byte, and to store the bytes that readers get.

export { admitFile, type FileClaim, storeFile } from './admit.ts'
export type { CheckedContent } from './formats/check.ts'
export { memorySource, readBlocks, type Source, UnfitFile } from './formats/source.ts'
export { withSpool } from './spool.ts'

// To make other images of an image.

export { convertibleTypeOf, convertibleTypes, convertToPng, isHeicName, NO_HEIC } from './developing.ts'
export { type Drawing, drawImage, Undrawable } from './drawing.ts'
export { makePdfThumbnail, makeThumbnail } from './thumbnails.ts'

// Names of files for people.

export { contentDisposition, displayName } from './names.ts'
