/**
 * The folders of the bucket in which each file works, by the function that it calls; `*` stands for every other function. A new file
 * that calls lib/engines/bucket/blobs.ts needs a line here, or the test of `policies.ts` fails. A folder too few is noticed as well:
 * tests run functions under their roles.
 */
const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'lib/engines/bucket/loose-files.ts': { deleteObject: ['imports', 'data-sources', 'profile-images', 'search'] },
  'lib/doors/exports/listing.ts': { '*': ['exports'] },
  'lib/doors/exports/table.ts': { '*': ['tables'] },
  'lib/doors/exports/make.ts': { '*': ['exports'] },
  'lib/engines/search/model/snapshot.ts': { '*': ['search'] },
  'lib/engines/search/model/snapshot-health.ts': { '*': ['search'] },
  'functions/imports.ts': { '*': ['imports'] },
  'lib/domain/imports/take-in.ts': { '*': ['imports'], uploadForm: ['uploads'], streamObject: ['uploads'] },
  'lib/domain/imports/store.ts': { '*': ['imports'] },
  'lib/domain/imports/read.ts': { '*': ['imports'] },
  'lib/domain/imports/report.ts': { '*': ['imports'] },
  'functions/exports.ts': { '*': ['exports'] },
  'lib/domain/projects/assets/depicted.ts': { 'copyObject from': ['assets'], 'copyObject to': ['pictures'] },
  'lib/domain/projects/snapshots.ts': { '*': ['snapshots'] },
  'lib/domain/projects/merge-sweep.ts': { '*': ['snapshots'] },
  'functions/projects.ts': { createLinks: ['assets', 'thumbnails'] },
  'functions/assets.ts': {
    createLinks: ['assets', 'thumbnails'],
    'copyObject from': ['assets'],
    'copyObject to': ['assets'],
    storeFile: ['assets'],
    uploadForm: ['uploads'],
    streamObject: ['uploads'],
  },
  'lib/domain/pictures/intake.ts': {
    storeFile: ['pictures'],
    uploadForm: ['uploads'],
    streamObject: ['uploads'],
  },
  // `pictures` and `assets` hold originals, `derivatives` what is drawn from them.
  'lib/doors/iiif/images.ts': {
    getObject: ['pictures', 'assets', 'derivatives'],
    putObject: ['derivatives'],
    createLinks: ['derivatives'],
  },
  'lib/domain/pictures/files.ts': { deleteObject: ['pictures', 'uploads'] },
  'functions/asset-files.ts': {
    getObject: ['assets'],
    putObject: ['thumbnails'],
    deleteObject: ['assets', 'thumbnails', 'uploads'],
  },
  'functions/ocr.ts': { '*': ['assets'] },
  'functions/sources.ts': { '*': ['data-sources'] },
  'functions/profile-images.ts': { '*': ['profile-images'] },
}

/** The folders in which `file` calls the function `verb` of the bucket. Throws if no line above says so. */
export function foldersOf(file: string, verb: string): readonly string[] {
  const found = folders[file]?.[verb] ?? folders[file]?.['*']
  if (!found) throw new Error(`${file} calls ${verb}: say in deploy/folders.ts in which folder of the bucket.`)
  return found
}
