import { once } from 'node:events'
import { crc32, createInflate, inflateSync } from 'node:zlib'
import { rebuildExif } from './exif.ts'
import { checkForeign } from './foreign.ts'
import {
  type CheckedFormat,
  CUT_SHORT,
  checkPixels,
  joinPieces,
  type Piece,
  readBlocks,
  type Source,
  UnfitFile,
} from './source.ts'

/**
 * Walks a PNG chunk by chunk and checks each checksum. Decompresses the picture without storing it. Its length must be exactly what its
 * width and height require. Readers get the chunks of the picture and the rebuilt EXIF block.
 */
export async function checkPng(source: Source): Promise<CheckedFormat> {
  const chunks = [...walk(source)]
  const [first, last] = [chunks[0], chunks.at(-1)]
  if (first?.type !== 'IHDR' || first.length !== 13 || last?.type !== 'IEND' || last.length !== 0)
    throw new UnfitFile(CUT_SHORT)
  const header = headerOf(source.read(first.at + 8, 13))
  checkOrder(chunks, header.colour)
  const pieces: Piece[] = [{ from: 0, to: SIGNATURE }]
  let orientation = 1
  for (const chunk of chunks) {
    const whole = { from: chunk.at, to: chunk.at + 12 + chunk.length }
    if (isPicture(chunk.type)) {
      if (!pictures.has(chunk.type)) checkForeign(bodyOf(source, chunk))
      if (chunk.type === 'iCCP') checkProfile(bodyOf(source, chunk))
      pieces.push(whole)
    } else if (chunk.type === 'eXIf') {
      checkForeign(bodyOf(source, chunk), { hold: 'JPEG' })
      const exif = rebuildExif(bodyOf(source, chunk))
      orientation = exif.orientation ?? orientation
      if (exif.rebuilt) pieces.push({ bytes: makeChunk('eXIf', exif.rebuilt) })
    } else checkForeign(bodyOf(source, chunk))
  }
  await checkData(source, chunks, header)
  return { pieces: joinPieces(pieces), width: header.width, height: header.height, orientation }
}

type Chunk = { type: string; at: number; length: number }
const SIGNATURE = 8
const MOST_CHUNKS = 200_000
/** The most bytes of a chunk other than a palette or picture data. */
const LONGEST_NOTE = 8 * 1024 * 1024

function* walk(source: Source): Generator<Chunk> {
  let at = SIGNATURE
  for (let count = 0; at < source.size; count += 1) {
    const head = source.read(at, 8)
    const length = head.readUInt32BE()
    const type = head.toString('latin1', 4)
    if (count === MOST_CHUNKS || !/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type)) throw new UnfitFile(CUT_SHORT)
    checkSum(source, at + 4, length + 4)
    yield { type, at, length }
    at += 12 + length
    if (type === 'IEND' && at !== source.size) throw new UnfitFile('There are bytes after the end of the image.')
  }
}

function checkSum(source: Source, from: number, length: number): void {
  let sum = 0
  for (const { block } of readBlocks(source, from, from + length)) sum = crc32(block, sum)
  if (source.read(from + length, 4).readUInt32BE() !== sum) throw new UnfitFile('A checksum in the file is wrong.')
}

/**
 * The most bytes that one check decompresses: 100 million pixels of 8 bits with transparency. It takes a second or two.
 */
const MOST_UNPACKED = 410_000_000

type Header = { width: number; height: number; depth: number; colour: number; interlaced: boolean }

function headerOf(body: Buffer): Header {
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
  const [depth = 0, colour = 0, packing = 0, filter = 0, interlace = 0] = body.subarray(8)
  if (!depths[colour]?.includes(depth) || packing !== 0 || filter !== 0 || interlace > 1) throw new UnfitFile(CUT_SHORT)
  checkPixels(width, height)
  const header = { width, height, depth, colour, interlaced: interlace === 1 }
  if (unpackedSize(header) > MOST_UNPACKED)
    throw new UnfitFile(`The image unpacks to more than ${MOST_UNPACKED} bytes.`)
  return header
}

/** The allowed bits of a sample, by colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
/** Samples of a pixel, by colour type. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Chunks of the picture that are not searched for other files. The format leaves them no room, but their length is not checked. */
const pictures = new Set([
  'IHDR',
  'IDAT',
  'IEND',
  'acTL',
  'fcTL',
  'fdAT',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'pHYs',
  'sBIT',
])
/** Chunks of colours, which have room for other bytes and are searched for other files. */
const colours = new Set(['PLTE', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'hIST'])
const isPicture = (type: string) => pictures.has(type) || colours.has(type)

/**
 * Checks the order of chunks: no unknown critical chunk, one palette before the picture, one colour profile at most, and the picture
 * in one run.
 */
function checkOrder(chunks: readonly Chunk[], colour: number): void {
  const critical = chunks.map(({ type }) => type).filter((type) => /^[A-Z]/.test(type))
  const order = colour === 3 ? /^IHDR PLTE( IDAT)+ IEND$/ : /^IHDR( PLTE)?( IDAT)+ IEND$/
  if (!order.test(critical.join(' '))) throw new UnfitFile(CUT_SHORT)
  if (chunks.filter(({ type }) => type === 'iCCP').length > 1) throw new UnfitFile(CUT_SHORT)
  const run = chunks.map(({ type }) => type).join(' ')
  if (/IDAT (?:\w{4} )*?(?!IDAT)\w{4} IDAT/.test(run.replace(/(?:IDAT )+/g, 'IDAT '))) throw new UnfitFile(CUT_SHORT)
  for (const { type, length } of chunks) {
    const most = type === 'PLTE' ? 768 : type === 'IDAT' || type === 'fdAT' ? Number.POSITIVE_INFINITY : LONGEST_NOTE
    if (length > most || (type === 'PLTE' && length % 3 !== 0)) throw new UnfitFile(CUT_SHORT)
  }
}

/** The most bytes of a colour profile, unpacked. The largest in use, those of printers, have some 3 MB. */
const MOST_PROFILE_BYTES = 4 * 1024 * 1024

/**
 * Checks that a colour profile stays small when a viewer unpacks it. The chunk holds the name of the profile, a zero, a byte for the
 * method, and the profile. A damaged profile is kept, since viewers ignore it.
 */
function checkProfile(body: Buffer): void {
  const packed = body.subarray(body.indexOf(0) + 2)
  try {
    inflateSync(packed, { maxOutputLength: MOST_PROFILE_BYTES })
  } catch (error) {
    if (Object(error).code === 'ERR_BUFFER_TOO_LARGE')
      throw new UnfitFile(`The colour profile of the image unpacks to more than ${MOST_PROFILE_BYTES} bytes.`)
  }
}

const bodyOf = (source: Source, { at, length }: Chunk) => Buffer.from(source.read(at + 8, length))

/** Decompresses the picture block by block. Fails if it is longer or shorter than its width and height require. */
async function checkData(source: Source, chunks: readonly Chunk[], header: Header): Promise<void> {
  const expected = unpackedSize(header)
  const inflate = createInflate({ chunkSize: 256 * 1024 })
  let unpacked = 0
  inflate.on('data', (block: Buffer) => {
    unpacked += block.length
    if (unpacked > expected) inflate.destroy(new UnfitFile('The image unpacks to more than its size says.'))
  })
  const ended = once(inflate, 'end')
  ended.catch(() => undefined)
  let packed = 0
  try {
    for (const { type, at, length } of chunks) {
      if (type !== 'IDAT') continue
      for (const { block } of readBlocks(source, at + 8, at + 8 + length)) {
        packed += block.length
        // If the data is damaged, the stream emits an error and does not call back.
        await Promise.race([ended, new Promise((done) => inflate.write(block, done))])
      }
    }
    inflate.end()
    await ended
  } catch (error) {
    throw error instanceof UnfitFile ? error : new UnfitFile(CUT_SHORT)
  } finally {
    inflate.destroy()
  }
  if (unpacked !== expected || inflate.bytesWritten !== packed) throw new UnfitFile(CUT_SHORT)
}

/** The bytes of all rows, each with one byte for its filter. An interlaced picture consists of seven small ones. */
function unpackedSize({ width, height, depth, colour, interlaced }: Header): number {
  const bits = depth * (samples[colour] ?? 1)
  const rows = (across: number, down: number) => (across === 0 ? 0 : down * (1 + Math.ceil((across * bits) / 8)))
  if (!interlaced) return rows(width, height)
  return passes.reduce(
    (sum, { x, y, dx, dy }) => sum + rows(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
    0,
  )
}

const passes = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
]

function makeChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [head, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  head.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([head, named, sum])
}
