import { commitPlan } from '../../commit.ts'
import { amended, parse, put } from '../../table/item.ts'
import type { Images } from '../../table/stream.ts'
import { type Asset, asset, isReadable } from '../items.ts'
import { loadAsset } from './assets.ts'
import { upload } from './upload-items.ts'

/** What is to be done after a change: the image that needs a thumbnail, objects of no more use, the image that waits to be read. */
export type FileWork = { draw?: Asset; clear: string[]; read?: { project_id: string; id: string } }

/** Reads a change of an asset or of an upload. What an asset still has, or has again, is not cleared away. */
export async function fileWork({ before, after }: Images): Promise<FileWork> {
  const type = (after ?? before)?.type
  if (type === asset.type && after) {
    const it = parse(asset, after)
    // Other changes of an asset that waits are no new request.
    const asksAnew = it.ocr_status === 'pending' && before?.ocr_since !== it.ocr_since
    return {
      clear: [],
      ...(!before && isReadable(it) && { draw: it }),
      ...(asksAnew && { read: { project_id: it.project_id, id: it.id } }),
    }
  }
  if (!before || after) return { clear: [] }
  if (type === asset.type) {
    const it = parse(asset, before)
    return { clear: await unused(it, [it.object_key, it.thumbnail_key ?? thumbnailKey(it)]) }
  }
  if (type !== upload.type) return { clear: [] }
  const it = parse(upload, before)
  return { clear: await unused(it, [...it.object_keys, ...(it.pending_key ? [it.pending_key] : [])]) }
}

/** Where the thumbnail of an asset lies. */
export const thumbnailKey = ({ object_key }: Pick<Asset, 'object_key'>): string =>
  object_key.replace(/^assets\//, 'thumbnails/')

async function unused({ project_id, id }: { project_id: string; id: string }, keys: string[]): Promise<string[]> {
  const now = await loadAsset(project_id, id)
  return keys.filter((key) => key !== now?.object_key && key !== now?.thumbnail_key)
}

/** Notes an asset's thumbnail; answers whether there is an asset to have one. */
export const hang = ({ project_id, id }: Asset, thumbnail_key: string): Promise<boolean> =>
  commitPlan(async () => {
    const before = await loadAsset(project_id, id)
    if (!before) return { result: false, writes: [] }
    if (before.thumbnail_key === thumbnail_key) return { result: true, writes: [] }
    return { result: true, writes: [put(asset, amended<Asset>(before, { thumbnail_key }), before)] }
  })
