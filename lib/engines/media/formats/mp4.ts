import { checkForeign } from './foreign.ts'
import { type Box, unplayedRanges } from './mp4-samples.ts'
import { type CheckedFile, CUT_SHORT, type Piece, readBlocks, type Source, UnfitFile } from './source.ts'

/**
 * Walks an MP4 box by box, each in the bounds of the one around it, to the last byte. What no track plays, in the media
 * or between boxes, must not look like another file. Readers get a file of the same length, so that every offset holds:
 * where notes, positions and private boxes were are zeros.
 */
export function checkMp4(source: Source): CheckedFile {
  const top = [...walk(source, 0, source.size)]
  checkBrand(source, top[0])
  const moov = top.filter(({ type }) => type === 'moov')
  const media = top.filter(({ type }) => type === 'mdat')
  if (moov.length !== 1 || media.length === 0) throw new UnfitFile('The video has no picture or sound in it.')
  const all = top.flatMap((box) => [box, ...inside(source, box, 1)])
  if (all.length > MOST_BOXES) throw new UnfitFile('The file is built too intricately.')
  if (!all.some((box) => box.type === 'hdlr' && ['vide', 'soun'].includes(handlerOf(source, box))))
    throw new UnfitFile('The video has no picture or sound in it.')
  const blank = all.filter(({ type }) => hidden.has(type))
  for (const box of blank) for (const { block } of overlapping(source, box.body, box.end)) checkForeign(block)
  for (const gap of unplayedRanges(source, all, media))
    for (const { block } of overlapping(source, gap.from, gap.to)) checkForeign(block)
  return { pieces: blankBoxes(source, blank), ...pictureSize(source, all) }
}

const MOST_BOXES = 100_000
const DEEPEST = 12

/** Boxes that hold boxes. */
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf', 'edts', 'mvex', 'moof', 'traf', 'mfra'])
/** Boxes at the top, and nothing else there. */
const outer = new Set([
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
/** Boxes of notes and of room to spare. Readers get them blank. */
const hidden = new Set(['free', 'skip', 'wide', 'uuid', 'udta', 'meta', 'emsg'])

function* walk(source: Source, from: number, to: number): Generator<Box> {
  for (let at = from; at < to; ) {
    const box = boxAt(source, at, to)
    if (from === 0 && !outer.has(box.type))
      throw new UnfitFile('There are bytes in the file that are no part of a video.')
    yield box
    at = box.end
  }
}

function boxAt(source: Source, at: number, to: number): Box {
  const head = source.read(at, 8)
  const short = head.readUInt32BE(0)
  const type = head.toString('latin1', 4)
  // 0 means "to the end", where anything may have been appended.
  const long = short === 1 ? source.read(at + 8, 8).readBigUInt64BE() : BigInt(short)
  const body = at + (short === 1 ? 16 : 8)
  const end = at + Number(long)
  if (end < body || end > to || !/^[\x20-\x7e\xa9]{4}$/.test(type)) throw new UnfitFile(CUT_SHORT)
  return { type, at, body, end }
}

function* inside(source: Source, box: Box, depth: number): Generator<Box> {
  if (!containers.has(box.type)) return
  if (depth > DEEPEST) throw new UnfitFile('The file is built too intricately.')
  for (const inner of walk(source, box.body, box.end)) {
    yield inner
    yield* inside(source, inner, depth + 1)
  }
}

const brands = /^(isom|iso[2-9a-c]|mp4[12]|avc1|M4V[ HP]|dash|mmp4|MSNV|3gp\d|hvc1|av01|f4v )$/

function checkBrand(source: Source, first: Box | undefined): void {
  if (first?.type !== 'ftyp' || first.end - first.body < 8 || first.end - first.at > 512) throw new UnfitFile(CUT_SHORT)
  const body = Buffer.from(source.read(first.body, first.end - first.body))
  checkForeign(body)
  const named = [0, ...Array.from({ length: body.length / 4 - 2 }, (_, i) => 8 + 4 * i)]
  if (body.length % 4 !== 0 || !named.some((at) => brands.test(body.toString('latin1', at, at + 4))))
    throw new UnfitFile('The video is not an MP4.')
}

function handlerOf(source: Source, { body, end }: Box): string {
  return end - body < 12 ? '' : source.read(body + 8, 4).toString('latin1')
}

/** The largest picture of any track: 16.16 fixed point at the end of its header. */
function pictureSize(source: Source, all: readonly Box[]): { width?: number; height?: number } {
  const sizes = all
    .filter(({ type, body, end }) => type === 'tkhd' && end - body >= 84)
    .map(({ end }) => source.read(end - 8, 8))
    .map((it) => ({ width: it.readUInt32BE(0) >>> 16, height: it.readUInt32BE(4) >>> 16 }))
    .filter(({ width, height }) => width > 0 && height > 0)
  return sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? {}
}

const OVERLAP = 64
/** Windows of a range, each with the end of the one before it, so that nothing hides on a seam. */
function* overlapping(source: Source, from: number, to: number): Generator<{ block: Buffer }> {
  let tail = Buffer.alloc(0)
  for (const { block } of readBlocks(source, from, to)) {
    const joint = Buffer.concat([tail, block])
    yield { block: joint }
    tail = Buffer.from(joint.subarray(-OVERLAP))
  }
}

/** The file with these boxes turned into empty room of the same size. */
function blankBoxes(source: Source, boxes: readonly Box[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const box of [...boxes].sort((a, b) => a.at - b.at)) {
    const head = Buffer.from(source.read(box.at, box.body - box.at))
    head.write('free', 4, 'latin1')
    pieces.push({ from: at, to: box.at }, { bytes: head }, ...zeros(box.end - box.body))
    at = box.end
  }
  return [...pieces, { from: at, to: source.size }].filter((it) => !('to' in it) || it.from < it.to)
}

const BLANK = Buffer.alloc(64 * 1024)
const zeros = (length: number): Piece[] =>
  Array.from({ length: Math.ceil(length / BLANK.length) }, (_, i) => ({
    bytes: BLANK.subarray(0, Math.min(BLANK.length, length - i * BLANK.length)),
  }))
