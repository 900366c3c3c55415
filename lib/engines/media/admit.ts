import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { invalid } from '../../base/errors.ts'
import { putObject, putStream } from '../bucket/index.ts'
import { type CheckedContent, checkContent } from './formats/check.ts'
import { readBlocks, type Source, sizeOfPieces, UnfitFile } from './formats/source.ts'
import { type ContentType, contentTypeOfName, contentTypes, findContentType, typeFacts } from './formats/types.ts'

/**
 * What a client claims about a file. `media_type` is a type or a class such as `image`. `sent_as` is the content type
 * of its part of the form.
 */
export type FileClaim = {
  file_name?: string | undefined
  media_type?: string | undefined
  sent_as?: string | undefined
}

/**
 * Checks a file to its last byte. Fails with `invalid` if the whole file is not of one accepted type, or if its name or
 * the client claims another type. `types` may be stored. `accepted` is what an error message lists: `types`, and
 * types that the caller converts before this check. The error is on `member`, or on `media_type` if that is wrong.
 */
export async function admitFile(
  source: Source,
  claim: FileClaim,
  {
    member = 'file',
    types = contentTypes,
    accepted = types,
  }: { member?: string; types?: readonly ContentType[]; accepted?: readonly string[] } = {},
): Promise<CheckedContent> {
  const checked = await checkContent(source, accepted).catch((error) => {
    throw error instanceof UnfitFile ? invalid({ [member]: [error.message] }) : error
  })
  const { content_type } = checked
  if (!types.includes(content_type))
    throw invalid({ [member]: [`The file is ${content_type}. Send one of ${accepted.join(', ')}.`] })
  const { file_name, media_type, sent_as } = claim
  if (file_name !== undefined && contentTypeOfName(file_name) !== content_type)
    throw invalid({
      [member]: [`The file is ${content_type}, and its name does not end in ${endingsOf(content_type)}.`],
    })
  if (sent_as && !vagueTypes.has(sent_as) && findContentType(sent_as) !== content_type)
    throw invalid({ [member]: [`The file is ${content_type}, and was sent as something else.`] })
  if (media_type && media_type !== typeFacts[content_type].of && findContentType(media_type) !== content_type)
    throw invalid({ media_type: [`The file is ${content_type}.`] })
  return checked
}

const vagueTypes = new Set(['application/octet-stream', 'binary/octet-stream'])
const endingsOf = (type: ContentType) => typeFacts[type].endings.map((ending) => `.${ending}`).join(' or ')

export type StoredFile = { size: number; sha256: string }

/** Files of up to this many bytes are sent from memory. So the S3 client can repeat a failed call. */
// prove: one-piece
const MOST_IN_MEMORY = 5_000_000

/** Stores the bytes of a file that readers get. Costs one S3 call. */
export async function storeFile(
  key: string,
  source: Source,
  { pieces, content_type }: CheckedContent,
): Promise<StoredFile> {
  const size = sizeOfPieces(pieces)
  let hash = createHash('sha256')
  const bytes = function* () {
    hash = createHash('sha256')
    for (const piece of pieces) {
      const parts = 'bytes' in piece ? [{ block: piece.bytes }] : readBlocks(source, piece.from, piece.to)
      for (const { block } of parts) {
        hash.update(block)
        yield block
      }
    }
  }
  if (size <= MOST_IN_MEMORY) await putObject(key, Buffer.concat([...bytes()]), content_type)
  else
    await putStream(
      key,
      () => Readable.from(bytes(), { objectMode: false, highWaterMark: 256 * 1024 }),
      size,
      content_type,
    )
  return { size, sha256: hash.digest('hex') }
}
