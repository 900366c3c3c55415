import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { invalid } from '../errors.ts'
import { putObject, putStream } from './blobs.ts'
import { type Checked, checkContent } from './media/check.ts'
import { blocks, type Source, sizeOf, Unfit } from './media/source.ts'
import { type ContentType, contentTypes, typeFacts, typeNamed, typeOfName } from './media/types.ts'

/** What a client says of a file; `media_type` is a type or a class, `sent_as` the type of its part of a form. */
export type Claim = { file_name?: string | undefined; media_type?: string | undefined; sent_as?: string | undefined }

/**
 * The file as what it is. Fails with `invalid` when it is not wholly of one type that is taken, or of another one than
 * its name or the client says. `member` is the form's member that is told so.
 */
export async function admit(
  source: Source,
  claim: Claim,
  { member = 'file', types = contentTypes }: { member?: string; types?: readonly ContentType[] } = {},
): Promise<Checked> {
  const checked = await checkContent(source).catch((error) => {
    throw error instanceof Unfit ? invalid({ [member]: [error.message] }) : error
  })
  const { content_type } = checked
  if (!types.includes(content_type))
    throw invalid({ [member]: [`The file is ${content_type}. Send one of ${types.join(', ')}.`] })
  const { file_name, media_type, sent_as } = claim
  if (file_name !== undefined && typeOfName(file_name) !== content_type)
    throw invalid({
      [member]: [`The file is ${content_type}, and its name does not end in ${endingsOf(content_type)}.`],
    })
  if (sent_as && !unsaid.has(sent_as) && typeNamed(sent_as) !== content_type)
    throw invalid({ [member]: [`The file is ${content_type}, and was sent as something else.`] })
  if (media_type && media_type !== typeFacts[content_type].of && typeNamed(media_type) !== content_type)
    throw invalid({ media_type: [`The file is ${content_type}.`] })
  return checked
}

const unsaid = new Set(['application/octet-stream', 'binary/octet-stream'])
const endingsOf = (type: ContentType) => typeFacts[type].endings.map((it) => `.${it}`).join(' or ')

/** What is kept of a file. */
export type Kept = { size: number; sha256: string }

/** Up to here a file goes in one piece, which the client can send again when the bucket stumbles. */
const IN_ONE_PIECE = 5_000_000

/** Stores what readers get of a file under a key. */
export async function keep(key: string, source: Source, { pieces, content_type }: Checked): Promise<Kept> {
  const size = sizeOf(pieces)
  let hash = createHash('sha256')
  const bytes = function* () {
    hash = createHash('sha256')
    for (const piece of pieces) {
      const parts = 'bytes' in piece ? [{ block: piece.bytes }] : blocks(source, piece.from, piece.to)
      for (const { block } of parts) {
        hash.update(block)
        yield block
      }
    }
  }
  if (size <= IN_ONE_PIECE) await putObject(key, Buffer.concat([...bytes()]), content_type)
  else
    await putStream(
      key,
      () => Readable.from(bytes(), { objectMode: false, highWaterMark: 256 * 1024 }),
      size,
      content_type,
    )
  return { size, sha256: hash.digest('hex') }
}
