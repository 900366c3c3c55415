import { rebuildExif } from './exif.ts'
import { checkForeign } from './foreign.ts'
import {
  type CheckedFormat,
  CUT_SHORT,
  checkPixels,
  joinPieces,
  type Piece,
  type Source,
  sizeOfPieces,
  UnfitFile,
} from './source.ts'

/**
 * Walks a WebP chunk by chunk to the end that its header states. Readers get the picture, its colour profile and the
 * rebuilt EXIF block. XMP is dropped.
 */
export function checkWebp(source: Source): CheckedFormat {
  const head = source.read(0, 12)
  const claimedSize = head.readUInt32LE(4) + 8
  if (claimedSize < source.size) throw new UnfitFile('There are bytes after the end of the image.')
  if (claimedSize !== source.size || claimedSize % 2 !== 0) throw new UnfitFile(CUT_SHORT)
  const chunks = [...walk(source, 12, source.size)]
  const names = chunks.map(({ type }) => type).join(' ')
  if (!simple.test(names) && !extended.test(names)) throw new UnfitFile('The WebP is not built as one.')
  const canvas = chunks[0]?.type === 'VP8X' ? canvasOf(source, chunks[0]) : undefined
  let { width, height } = canvas ?? { width: 0, height: 0 }
  let orientation = 1
  const pieces: Piece[] = []
  let flags = canvas?.flags ?? 0
  for (const chunk of chunks) {
    const whole = { from: chunk.at, to: chunk.at + 8 + chunk.length + (chunk.length % 2) }
    if (chunk.type === 'VP8 ' || chunk.type === 'VP8L') {
      const size = pictureSize(source, chunk)
      if (canvas && (size.width !== canvas.width || size.height !== canvas.height)) throw new UnfitFile(CUT_SHORT)
      ;({ width, height } = size)
    }
    if (chunk.type === 'ANMF') checkAnimated(source, chunk)
    if (chunk.type === 'ICCP') checkForeign(bodyOf(source, chunk))
    if (chunk.type === 'XMP ') {
      checkForeign(bodyOf(source, chunk))
      flags &= ~XMP
    } else if (chunk.type === 'EXIF') {
      const { orientation: exifOrientation, rebuilt } = exifOf(bodyOf(source, chunk))
      orientation = exifOrientation ?? orientation
      if (rebuilt) pieces.push({ bytes: makeChunk('EXIF', rebuilt) })
      else flags &= ~EXIF
    } else pieces.push(whole)
  }
  if (canvas && flags !== canvas.flags) pieces[0] = { bytes: withFlags(source, flags) }
  checkPixels(width, height)
  return { pieces: withHeader(joinPieces(pieces)), width, height, orientation }
}

type Chunk = { type: string; at: number; length: number }
const EXIF = 0x08
const XMP = 0x04
const LONGEST_NOTE = 8 * 1024 * 1024
const MOST_CHUNKS = 100_000

const simple = /^(VP8 |VP8L)$/
/** The order of chunks by the format. Unknown chunks are refused, since they may contain any bytes. */
const extended = /^VP8X( ICCP)?(( ANIM( ANMF)+)| (ALPH VP8 |VP8 |VP8L))( EXIF)?( XMP )?( EXIF)?$/

function* walk(source: Source, from: number, to: number): Generator<Chunk> {
  let at = from
  for (let count = 0; at < to; count += 1) {
    const head = source.read(at, 8)
    const [type, length] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    const end = at + 8 + length + (length % 2)
    if (count === MOST_CHUNKS || end > to || (length % 2 === 1 && source.read(end - 1, 1)[0] !== 0))
      throw new UnfitFile(CUT_SHORT)
    yield { type, at, length }
    at = end
  }
}

function bodyOf(source: Source, { at, length }: Chunk): Buffer {
  if (length > LONGEST_NOTE) throw new UnfitFile(CUT_SHORT)
  return Buffer.from(source.read(at + 8, length))
}

function canvasOf(source: Source, chunk: Chunk) {
  const body = source.read(chunk.at + 8, chunk.length)
  if (body.length !== 10) throw new UnfitFile(CUT_SHORT)
  return { flags: body.readUInt32LE(0), width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 }
}

/** The size of the picture by its own header. */
function pictureSize(source: Source, { type, at, length }: Chunk): { width: number; height: number } {
  if (length < 10) throw new UnfitFile(CUT_SHORT)
  const body = source.read(at + 8, 10)
  if (type === 'VP8L') {
    const bits = body.readUInt32LE(1)
    // The three bits above the size are the version, which must be 0.
    if (body[0] !== 0x2f || bits >>> 29 !== 0) throw new UnfitFile(CUT_SHORT)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const tag = body.readUIntLE(0, 3)
  const isKeyFrame = (tag & 1) === 0 && body.readUIntBE(3, 3) === 0x9d012a
  if (!isKeyFrame || tag >>> 5 >= length) throw new UnfitFile(CUT_SHORT)
  return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff }
}

const FRAME_HEAD = 16
/** Checks a frame of a moving picture: one picture of the frame's size, with its transparency before it. */
function checkAnimated(source: Source, { at, length }: Chunk): void {
  if (length < FRAME_HEAD) throw new UnfitFile(CUT_SHORT)
  const head = source.read(at + 8, FRAME_HEAD)
  const inner = [...walk(source, at + 8 + FRAME_HEAD, at + 8 + length)]
  const picture = inner.at(-1)
  if (!picture || !/^(ALPH VP8 |VP8 |VP8L)$/.test(inner.map(({ type }) => type).join(' ')))
    throw new UnfitFile(CUT_SHORT)
  const { width, height } = pictureSize(source, picture)
  if (width !== head.readUIntLE(6, 3) + 1 || height !== head.readUIntLE(9, 3) + 1) throw new UnfitFile(CUT_SHORT)
}

/** Rebuilds the EXIF block. Some programs write the mark of JPEG's segment before it. */
function exifOf(body: Buffer) {
  checkForeign(body, { hold: 'JPEG' })
  return rebuildExif(body.toString('latin1', 0, 6) === 'Exif\0\0' ? body.subarray(6) : body)
}

function withFlags(source: Source, flags: number): Buffer {
  const chunk = Buffer.from(source.read(12, 18))
  chunk.writeUInt32LE(flags, 8)
  return chunk
}

function makeChunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

function withHeader(pieces: readonly Piece[]): Piece[] {
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + sizeOfPieces(pieces), 4)
  return [{ bytes: head }, ...pieces]
}
