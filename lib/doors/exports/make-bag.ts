import { Zip, ZipPassThrough } from 'fflate'
import { startUpload, streamObject, type Upload } from '../../engines/bucket/index.ts'
import { filesOfBag, PAYLOAD } from './bag.ts'
import { type ExportedBag, type ExportListing, mediaTypes, ZIP } from './listing.ts'

const NAME = 'heritage'

/**
 * Packs the files of a run as one bag (RFC 8493) with a description (RO-Crate 1.1). Stores the bag as a ZIP in the folder of the run. Holds
 * one part of the upload in memory.
 */
export async function makeBag(
  folder: string,
  { files, made_at, licence }: Pick<ExportListing, 'files' | 'made_at' | 'licence'>,
): Promise<ExportedBag> {
  const beside = filesOfBag({
    name: 'Heritage records',
    description: 'All records that everyone may read, with the provenance of every value',
    made_at,
    licence,
    parts: files.map(({ name, bytes, sha256, kind, holds, format }) => ({
      ...{ path: name, bytes, sha256 },
      type: mediaTypes[format],
      description: `${kind}: ${holds}`,
    })),
  })

  const key = `${folder}/${NAME}.zip`
  const upload = startUpload(key, ZIP)
  const zip = zipTo(upload, made_at)
  for (const [path, text] of beside) await zip.add(`${NAME}/${path}`, [Buffer.from(text)])
  for (const { name, key: at } of files) {
    const stored = await streamObject(at)
    if (!stored) throw new Error(`${name} is missing from the bucket.`)
    await zip.add(`${NAME}/${PAYLOAD}/${name}`, stored.body)
  }
  await zip.end()
  return { name: `${NAME}.zip`, key, ...(await upload.end()) }
}

/** Writes a ZIP to an upload, piece by piece, without compressing it. Each entry has this time. fflate writes no file of more than 4 GB. */
function zipTo(upload: Upload, mtime: string) {
  let waiting: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    waiting.push(piece)
  })
  const flush = async () => {
    const pieces = waiting
    waiting = []
    for (const piece of pieces) await upload.write(piece)
  }
  return {
    add: async (path: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
      const entry = Object.assign(new ZipPassThrough(path), { mtime })
      zip.add(entry)
      for await (const piece of pieces) {
        entry.push(piece)
        await flush()
      }
      entry.push(new Uint8Array(), true)
      await flush()
    },
    end: async () => {
      zip.end()
      await flush()
    },
  }
}
