import type { Images } from '../../../engines/table/index.ts'
import { nextTake, parse, put, withNextVersion } from '../../../engines/table/index.ts'
import { inUnit } from '../../../platform/unit-of-work.ts'
import { type Asset, asset, isReadable } from '../items.ts'
import { loadAsset } from './assets.ts'
import { upload } from './upload-items.ts'

/** The work after a change: `draw` the thumbnail of an image or a PDF, `clear` objects of the bucket, `read` the text of an asset. */
export type FileWork = { draw?: Asset; clear: string[]; read?: { project_id: string; id: string } }

/** Finds the work after a change of an asset or an upload. Objects that the asset still names are not cleared. */
export async function findFileWork({ before, after }: Images): Promise<FileWork> {
  const type = (after ?? before)?.type
  if (type === asset.type && after) {
    const it = parse(asset, after)
    // Only a new `ocr_since` is a new request. Other changes of a waiting asset are not.
    const isNewRequest = it.ocr_status === 'pending' && before?.ocr_since !== it.ocr_since
    return {
      clear: [],
      ...(!before && isReadable(it) && { draw: it }),
      ...(isNewRequest && { read: { project_id: it.project_id, id: it.id } }),
    }
  }
  if (!before || after) return { clear: [] }
  if (type === asset.type) {
    const it = parse(asset, before)
    return { clear: await unusedKeys(it, [it.object_key, it.thumbnail_key ?? thumbnailKey(it)]) }
  }
  if (type !== upload.type) return { clear: [] }
  const it = parse(upload, before)
  return { clear: await unusedKeys(it, [...it.object_keys, ...(it.pending_key ? [it.pending_key] : [])]) }
}

/** The key of an asset's thumbnail. */
export const thumbnailKey = ({ object_key }: Pick<Asset, 'object_key'>): string =>
  object_key.replace(/^assets\//, 'thumbnails/')

async function unusedKeys({ project_id, id }: { project_id: string; id: string }, keys: string[]): Promise<string[]> {
  const now = await loadAsset(project_id, id)
  return keys.filter((key) => key !== now?.object_key && key !== now?.thumbnail_key)
}

/**
 * Takes an asset to draw its thumbnail. Undefined if the thumbnail is drawn or given up, or the asset deleted. A file on which three
 * workers died is given up.
 */
export const beginThumbnail = ({ project_id, id }: Asset): Promise<Asset | undefined> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(project_id, id)
    if (!before || before.thumbnail_key !== null || before.thumbnail_error !== '') return undefined
    const thumbnail_takes = nextTake(before.thumbnail_takes)
    const changes = thumbnail_takes === undefined ? { thumbnail_error: WORKER_ENDED } : { thumbnail_takes }
    const next = withNextVersion<Asset>(before, changes)
    unit.add([put(asset, next, before)])
    return thumbnail_takes === undefined ? undefined : next
  })

const WORKER_ENDED = 'The process that drew this small ended three times. The file is probably too large for it.'

/** Stores the key of an asset's thumbnail; null if the file cannot be drawn. Returns whether the asset still exists. */
export const endThumbnail = ({ project_id, id }: Asset, thumbnail_key: string | null): Promise<boolean> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(project_id, id)
    if (!before) return false
    if (before.thumbnail_key === thumbnail_key && before.thumbnail_takes === 0) return true
    unit.add([put(asset, withNextVersion<Asset>(before, { thumbnail_key, thumbnail_takes: 0 }), before)])
    return true
  })
