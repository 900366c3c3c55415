/**
 * In which folders of the bucket each file works, by what it calls; `*` is whatever is not named apart. A new caller of
 * lib/files/blobs.ts is a line here: without it nothing is packaged. What is said too narrowly fails in the first test
 * that comes by, since roles are enforced there.
 */
const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'lib/loose-files.ts': { deleteObject: ['imports', 'data-sources', 'profile-images', 'search'] },
  'lib/exports/listing.ts': { '*': ['exports'] },
  'lib/exports/table.ts': { '*': ['tables'] },
  'lib/exports/make.ts': { '*': ['exports'] },
  'lib/search/model/snapshot.ts': { '*': ['search'] },
  'lib/search/model/snapshot-health.ts': { '*': ['search'] },
  'functions/imports.ts': { '*': ['imports'] },
  'lib/imports/take-in.ts': { '*': ['imports'], uploadForm: ['uploads'], streamObject: ['uploads'] },
  'lib/imports/store.ts': { '*': ['imports'] },
  'lib/imports/read.ts': { '*': ['imports'] },
  'lib/imports/report.ts': { '*': ['imports'] },
  'functions/exports.ts': { '*': ['exports'] },
  'lib/projects/bucket.ts': { '*': ['snapshots'], 'copyObject from': ['assets'], 'copyObject to': ['pictures'] },
  'lib/projects/merge-sweep.ts': { '*': ['snapshots'] },
  'functions/projects.ts': { links: ['assets', 'thumbnails'] },
  'functions/assets.ts': {
    links: ['assets', 'thumbnails'],
    'copyObject from': ['assets'],
    'copyObject to': ['assets'],
    keep: ['assets'],
    uploadForm: ['uploads'],
    streamObject: ['uploads'],
  },
  'lib/pictures/intake.ts': {
    keep: ['pictures'],
    uploadForm: ['uploads'],
    streamObject: ['uploads'],
  },
  // The originals of pictures and of the images of projects; what is drawn of them.
  'lib/iiif/images.ts': {
    getObject: ['pictures', 'assets', 'derivatives'],
    putObject: ['derivatives'],
    links: ['derivatives'],
  },
  'lib/pictures/files.ts': { deleteObject: ['pictures', 'uploads'] },
  'functions/asset-files.ts': {
    getObject: ['assets'],
    putObject: ['thumbnails'],
    deleteObject: ['assets', 'thumbnails', 'uploads'],
  },
  'functions/ocr.ts': { '*': ['assets'] },
  'functions/sources.ts': { '*': ['data-sources'] },
  'functions/profile-images.ts': { '*': ['profile-images'] },
}

/** The folders in which a file calls a function of the bucket. Fails where that is not said. */
export function foldersOf(file: string, verb: string): readonly string[] {
  const found = folders[file]?.[verb] ?? folders[file]?.['*']
  if (!found) throw new Error(`${file} calls ${verb}: say in local/deploy/folders.ts in which folder of the bucket.`)
  return found
}
