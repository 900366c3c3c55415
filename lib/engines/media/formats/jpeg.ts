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
 * Walks a JPEG from its first marker to its last byte. Readers get the parts of the picture: tables, frame, scans,
 * colour profile and the rebuilt EXIF block. Comments and all other metadata are dropped.
 */
export function checkJpeg(source: Source): CheckedFormat {
  const pieces: Piece[] = []
  const state: State = { tables: new Set(), scans: 0 }
  if (source.read(0, 2).readUInt16BE() !== SOI) throw new UnfitFile(CUT_SHORT)
  pieces.push({ from: 0, to: 2 })
  let at = 2
  for (;;) {
    const marker = source.read(at, 2).readUInt16BE()
    if (marker === EOI) break
    const length = source.read(at + 2, 2).readUInt16BE()
    if (length < 2) throw new UnfitFile(CUT_SHORT)
    const body = Buffer.from(source.read(at + 4, length - 2))
    const end = at + 2 + length
    const rule = rules[marker] ?? ((marker & 0xfff0) === APP0 ? leaveOut : undefined)
    if (!rule) throw new UnfitFile('The JPEG has a segment that photographs do not have.')
    pieces.push(...rule(body, { from: at, to: end }, state))
    at = end
    if (marker === SOS) {
      const next = endOfScan(source, at)
      pieces.push({ from: at, to: next })
      at = next
    }
  }
  if (state.scans === 0 || !state.frame) throw new UnfitFile('The JPEG has no picture in it.')
  if (at + 2 !== source.size) throw new UnfitFile('There are bytes after the end of the image.')
  pieces.push({ from: at, to: at + 2 })
  const { width, height } = state.frame
  return { pieces: joinPieces(pieces), width, height, orientation: state.orientation ?? 1 }
}

type State = {
  frame?: { width: number; height: number; components: Set<number> }
  tables: Set<string>
  scans: number
  orientation?: number
}
type Rule = (body: Buffer, whole: { from: number; to: number }, state: State) => Piece[]

const SOI = 0xffd8
const EOI = 0xffd9
const SOS = 0xffda
const APP0 = 0xffe0
const MOST_SCANS = 200

/** Reads the size and the components of the picture from the frame segment. A JPEG has one, before its first scan. */
const frame: Rule = (body, whole, state) => {
  if (state.frame || body.length < 6) throw new UnfitFile(CUT_SHORT)
  const [precision, height, width, count] = [body[0], body.readUInt16BE(1), body.readUInt16BE(3), body[5] ?? 0]
  if ((precision !== 8 && precision !== 12) || count < 1 || count > 4 || body.length !== 6 + 3 * count)
    throw new UnfitFile(CUT_SHORT)
  checkPixels(width, height)
  const components = new Set(Array.from({ length: count }, (_, i) => body[6 + 3 * i] ?? 0))
  if (components.size !== count) throw new UnfitFile(CUT_SHORT)
  state.frame = { width, height, components }
  return [whole]
}

const scan: Rule = (body, whole, state) => {
  const count = body[0] ?? 0
  const ids = Array.from({ length: count }, (_, i) => body[1 + 2 * i] ?? -1)
  const areKnown = ids.every((id) => state.frame?.components.has(id))
  if (!state.frame || count < 1 || body.length !== 4 + 2 * count || !areKnown || state.tables.size < 2)
    throw new UnfitFile(CUT_SHORT)
  state.scans += 1
  // A decoder goes over the whole picture once for each scan.
  if (state.scans > MOST_SCANS) throw new UnfitFile('The image has too many passes.')
  return [whole]
}

/** A rule for segments of tables: the tables together must be exactly as long as the segment. */
const tables =
  (name: string, lengthOf: (body: Buffer, at: number) => number): Rule =>
  (body, whole, state) => {
    let at = 0
    while (at < body.length) at += lengthOf(body, at)
    if (at !== body.length) throw new UnfitFile(CUT_SHORT)
    state.tables.add(name)
    return [whole]
  }

const quantisation = tables('quantisation', (body, at) => ((body[at] ?? 0) >> 4 ? 129 : 65))
const huffman = tables('huffman', (body, at) => 17 + body.subarray(at + 1, at + 17).reduce((sum, n) => sum + n, 0))

const interval: Rule = (body, whole) => {
  if (body.length !== 2) throw new UnfitFile(CUT_SHORT)
  return [whole]
}

/** Keeps the JFIF header and drops its preview. */
const jfif: Rule = (body, whole, state) => {
  if (body.subarray(0, 5).toString('latin1') !== 'JFIF\0' || body.length < 14) return leaveOut(body, whole, state)
  checkForeign(body)
  if (body.length === 14) return [whole]
  return [{ bytes: segment(APP0, Buffer.concat([body.subarray(0, 12), Buffer.alloc(2)])) }]
}

/** Rebuilds EXIF, without its preview and positions. Drops XMP, which has the same marker. */
const exif: Rule = (body, whole, state) => {
  if (body.subarray(0, 6).toString('latin1') !== 'Exif\0\0') return leaveOut(body, whole, state)
  checkForeign(body, { hold: 'JPEG' })
  const { orientation, rebuilt } = rebuildExif(body.subarray(6))
  if (state.orientation !== undefined) return []
  if (orientation !== undefined) state.orientation = orientation
  return rebuilt ? [{ bytes: segment(0xffe1, Buffer.concat([body.subarray(0, 6), rebuilt])) }] : []
}

const profile: Rule = (body, whole, state) => {
  checkForeign(body)
  return body.subarray(0, 12).toString('latin1') === 'ICC_PROFILE\0' ? [whole] : leaveOut(body, whole, state)
}

/** Keeps the Adobe segment, which names the colour transformation. */
const adobe: Rule = (body, whole, state) =>
  body.length === 12 && body.subarray(0, 5).toString('latin1') === 'Adobe' ? [whole] : leaveOut(body, whole, state)

/** Drops the notes of image editors, which may include a preview. */
const photoshop: Rule = (body) => {
  checkForeign(body, { hold: 'JPEG' })
  return []
}

const leaveOut: Rule = (body) => {
  checkForeign(body)
  return []
}

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(marker, 0)
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/**
 * Rules by marker. Only baseline, extended and progressive frames have one: no browser shows arithmetic, lossless or
 * hierarchical frames.
 */
const rules: Readonly<Record<number, Rule>> = {
  65472: frame,
  65473: frame,
  65474: frame,
  65476: huffman,
  65498: scan,
  65499: quantisation,
  65501: interval,
  [APP0]: jfif,
  65505: exif,
  65506: profile,
  65517: photoshop,
  65518: adobe,
  65534: leaveOut,
}

/** Finds the marker that ends a scan. Within a scan, the byte FF occurs only before 00 and in restart markers. */
function endOfScan(source: Source, from: number): number {
  for (const { at, block } of readBlocks(source, from, source.size)) {
    for (let i = block.indexOf(0xff); i >= 0; i = block.indexOf(0xff, i + 1)) {
      const next = i + 1 < block.length ? block[i + 1] : at + i + 1 < source.size ? source.read(at + i + 1, 1)[0] : -1
      if (next === undefined || next === -1) throw new UnfitFile(CUT_SHORT)
      if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at + i
    }
  }
  throw new UnfitFile(CUT_SHORT)
}
