import { checkForeign } from './foreign.ts'
import { type Mp4Box, unplayedRanges } from './mp4-samples.ts'
import { type CheckedFormat, CUT_SHORT, type Piece, readBlocks, type Source, UnfitFile } from './source.ts'

/**
 * Walks an MP4 box by box to the last byte. Each box must be within the box around it. Bytes that no track plays must
 * not look like another file. Readers get a file of the same length, so that all offsets stay valid: notes, positions
 * and private boxes become zeros.
 */
export function checkMp4(source: Source): CheckedFormat {
  const top = [...walk(source, 0, source.size)]
  checkBrand(source, top[0])
  const moov = top.filter(({ type }) => type === 'moov')
  const media = top.filter(({ type }) => type === 'mdat')
  if (moov.length !== 1 || media.length === 0) throw new UnfitFile('The video has no picture or sound in it.')
  const all = top.flatMap((box) => [box, ...boxesWithin(source, box, 1)])
  if (all.length > MOST_BOXES) throw new UnfitFile('The file is built too intricately.')
  if (!all.some((box) => box.type === 'hdlr' && ['vide', 'soun'].includes(handlerOf(source, box))))
    throw new UnfitFile('The video has no picture or sound in it.')
  const blank = all.filter(({ type }) => blankTypes.has(type))
  for (const box of blank) for (const { block } of readOverlappingBlocks(source, box.body, box.end)) checkForeign(block)
  for (const gap of unplayedRanges(source, all, media))
    for (const { block } of readOverlappingBlocks(source, gap.from, gap.to)) checkForeign(block)
  return { pieces: blankBoxes(source, blank), ...pictureSize(source, all) }
}

const MOST_BOXES = 100_000
const DEEPEST_BOX = 12

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'mvex', 'moof', 'traf', 'mfra'])
/** The boxes that may be at the top level. */
const topLevel = new Set([
  'ftyp',
  'moov',
  'mdat',
  'free',
  'skip',
  'wide',
  'moof',
  'mfra',
  'sidx',
  'styp',
  'uuid',
  'meta',
  'udta',
  'emsg',
  'prft',
  'pdin',
  'ssix',
])
/** Boxes of notes and of free space. Readers get zeros instead. */
const blankTypes = new Set(['free', 'skip', 'wide', 'uuid', 'udta', 'meta', 'emsg'])

function* walk(source: Source, from: number, to: number): Generator<Mp4Box> {
  for (let at = from; at < to; ) {
    const box = boxAt(source, at, to)
    if (from === 0 && !topLevel.has(box.type))
      throw new UnfitFile('There are bytes in the file that are no part of a video.')
    yield box
    at = box.end
  }
}

function boxAt(source: Source, at: number, to: number): Mp4Box {
  const head = source.read(at, 8)
  const short = head.readUInt32BE(0)
  const type = head.toString('latin1', 4)
  const long = short === 1 ? source.read(at + 8, 8).readBigUInt64BE() : BigInt(short)
  const body = at + (short === 1 ? 16 : 8)
  const end = at + Number(long)
  // A size of 0 means "to the end of the file". It is refused here (`end < body`), since other bytes may follow the
  // video.
  if (end < body || end > to || !/^[\x20-\x7e\xa9]{4}$/.test(type)) throw new UnfitFile(CUT_SHORT)
  return { type, at, body, end }
}

function* boxesWithin(source: Source, box: Mp4Box, depth: number): Generator<Mp4Box> {
  if (!containers.has(box.type)) return
  if (depth > DEEPEST_BOX) throw new UnfitFile('The file is built too intricately.')
  for (const inner of walk(source, box.body, box.end)) {
    yield inner
    yield* boxesWithin(source, inner, depth + 1)
  }
}

const brands = /^(isom|iso[2-9a-c]|mp4[12]|avc1|M4V[ HP]|dash|mmp4|MSNV|3gp\d|hvc1|av01|f4v )$/

function checkBrand(source: Source, first: Mp4Box | undefined): void {
  if (first?.type !== 'ftyp' || first.end - first.body < 8 || first.end - first.at > 512) throw new UnfitFile(CUT_SHORT)
  const body = Buffer.from(source.read(first.body, first.end - first.body))
  checkForeign(body)
  const named = [0, ...Array.from({ length: body.length / 4 - 2 }, (_, i) => 8 + 4 * i)]
  if (body.length % 4 !== 0 || !named.some((at) => brands.test(body.toString('latin1', at, at + 4))))
    throw new UnfitFile('The video is not an MP4.')
}

function handlerOf(source: Source, { body, end }: Mp4Box): string {
  return end - body < 12 ? '' : source.read(body + 8, 4).toString('latin1')
}

/** The size of the largest picture of all tracks: two 16.16 fixed-point numbers at the end of a track header. */
function pictureSize(source: Source, all: readonly Mp4Box[]): { width?: number; height?: number } {
  const sizes = all
    .filter(({ type, body, end }) => type === 'tkhd' && end - body >= 84)
    .map(({ end }) => source.read(end - 8, 8))
    .map((fixed) => ({ width: fixed.readUInt32BE(0) >>> 16, height: fixed.readUInt32BE(4) >>> 16 }))
    .filter(({ width, height }) => width > 0 && height > 0)
  return sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? {}
}

const OVERLAP = 64
/**
 * Reads a range in blocks. Each block begins with the last 64 bytes of the block before it, so that no pattern is cut.
 */
function* readOverlappingBlocks(source: Source, from: number, to: number): Generator<{ block: Buffer }> {
  let tail = Buffer.alloc(0)
  for (const { block } of readBlocks(source, from, to)) {
    const joint = Buffer.concat([tail, block])
    yield { block: joint }
    tail = Buffer.from(joint.subarray(-OVERLAP))
  }
}

/** Returns the pieces of the file with these boxes replaced by `free` boxes of zeros, of the same size. */
function blankBoxes(source: Source, boxes: readonly Mp4Box[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const box of [...boxes].sort((a, b) => a.at - b.at)) {
    const head = Buffer.from(source.read(box.at, box.body - box.at))
    head.write('free', 4, 'latin1')
    pieces.push({ from: at, to: box.at }, { bytes: head }, ...zeros(box.end - box.body))
    at = box.end
  }
  return [...pieces, { from: at, to: source.size }].filter((piece) => !('to' in piece) || piece.from < piece.to)
}

const BLANK = Buffer.alloc(64 * 1024)
const zeros = (length: number): Piece[] =>
  Array.from({ length: Math.ceil(length / BLANK.length) }, (_, i) => ({
    bytes: BLANK.subarray(0, Math.min(BLANK.length, length - i * BLANK.length)),
  }))
