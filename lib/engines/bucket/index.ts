// Objects: put, get, copy, delete, list.

export {
  copyObject,
  deleteObject,
  getObject,
  getRange,
  listKeys,
  objectSize,
  pingBucket,
  putFile,
  putObject,
  putStream,
  startUpload,
  streamObject,
  type Upload,
} from './blobs.ts'

// Addresses for browsers: to read one object, and to put one.

export { createLinks, type Links, uploadForm } from './blobs.ts'

// Objects that no item names, not yet or no longer.

export { forgetLooseFile, keepLooseUntil, markLoose, storeInUnit, sweepLooseFiles, withFile } from './loose-files.ts'
