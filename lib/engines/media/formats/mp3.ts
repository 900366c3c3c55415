import { checkForeign } from './foreign.ts'
import { parseFrame, type SoundFrame } from './mp3-frame.ts'
import { type CheckedFormat, CUT_SHORT, type Piece, type Source, UnfitFile } from './source.ts'

/**
 * Walks an MP3 frame by frame, from the tag to the last byte. Each frame begins at the end of the frame before it, and
 * all have one version and rate. Readers get the sound and the texts of its tag (title, performer, year). Pictures, the
 * rest of the tag, and an old tag at the end are dropped.
 */
export function checkMp3(source: Source): CheckedFormat {
  const { end: start, texts } = tagOf(source)
  const end = source.size - oldTagLength(source, start)
  let first: SoundFrame | undefined
  let frames = 0
  for (let at = start; at < end; frames += 1) {
    const frame = at + 4 <= end ? parseFrame(source.read(at, 4).readUInt32BE()) : undefined
    if (!frame || at + frame.length > end) throw new UnfitFile(frames > 0 ? AFTER : CUT_SHORT)
    if (first && (frame.version !== first.version || frame.rate !== first.rate)) throw new UnfitFile(AFTER)
    first ??= frame
    at += frame.length
  }
  if (frames < FEWEST_FRAMES) throw new UnfitFile('There is no sound in the file.')
  return { pieces: [...texts, { from: start, to: end }] }
}

const AFTER = 'There are bytes in the file that are no sound, or its last frame is cut short.'
const FEWEST_FRAMES = 3
const LARGEST_TAG = 16 * 1024 * 1024

type Tag = { end: number; texts: Piece[] }

/** Walks the tag before the sound (ID3v2) frame by frame. Its end may be padding of zeros. */
function tagOf(source: Source): Tag {
  const head = source.read(0, Math.min(10, source.size))
  if (head.toString('latin1', 0, 3) !== 'ID3') return { end: 0, texts: [] }
  const [version = 0, revision = 0, flags = 0] = head.subarray(3, 6)
  const size = synchsafe(head, 6)
  if (version < 2 || version > 4 || revision === 0xff || size === undefined || size > LARGEST_TAG)
    throw new UnfitFile(CUT_SHORT)
  const body = Buffer.from(source.read(10, size))
  const end = 10 + size + (flags & FOOTER && version === 4 ? 10 : 0)
  const plain = version >= 3 && (flags & ~FOOTER) === 0
  const pieces = version === 2 || !plain ? dropTag(body) : framesOf(body, version)
  return { end, texts: pieces.length > 0 ? [{ bytes: writeTag(pieces, version) }] : [] }
}

const FOOTER = 0x10

/** Drops a tag in an old or scrambled form, after a check that it hides no other file. */
function dropTag(body: Buffer): Buffer[] {
  checkForeign(body, { hold: 'pictures' })
  return []
}

function framesOf(body: Buffer, version: number): Buffer[] {
  const texts: Buffer[] = []
  let at = 0
  while (at < body.length && body[at] !== 0) {
    const name = body.toString('latin1', at, at + 4)
    const size = at + 10 > body.length ? undefined : version === 4 ? synchsafe(body, at + 4) : body.readUInt32BE(at + 4)
    if (size === undefined || !/^[A-Z][A-Z0-9]{3}$/.test(name) || at + 10 + size > body.length)
      throw new UnfitFile(CUT_SHORT)
    const frame = body.subarray(at, at + 10 + size)
    checkForeign(frame, name === 'APIC' ? { hold: 'pictures' } : {})
    if (/^(T|COMM$|USLT$)/.test(name) && frame.readUInt16BE(8) === 0) texts.push(frame)
    at += 10 + size
  }
  if (body.subarray(at).some((byte) => byte !== 0)) throw new UnfitFile(CUT_SHORT)
  return texts
}

function writeTag(frames: readonly Buffer[], version: number): Buffer {
  const size = frames.reduce((sum, { length }) => sum + length, 0)
  const head = Buffer.from(
    ['I', 'D', '3'].map((letter) => letter.charCodeAt(0)).concat(version, 0, 0, ...sevenBits(size)),
  )
  return Buffer.concat([head, ...frames])
}

const sevenBits = (size: number) => [21, 14, 7, 0].map((shift) => (size >>> shift) & 0x7f)

function synchsafe(bytes: Buffer, at: number): number | undefined {
  const four = bytes.subarray(at, at + 4)
  if (four.length < 4 || four.some((byte) => byte > 0x7f)) return undefined
  return four.reduce((sum, byte) => sum * 128 + byte, 0)
}

const OLD_TAG = 128
/** The length in bytes of the tag after the sound (ID3v1). 0 if the file has none. */
function oldTagLength(source: Source, start: number): number {
  if (source.size < start + OLD_TAG) return 0
  const tag = source.read(source.size - OLD_TAG, OLD_TAG)
  if (tag.toString('latin1', 0, 3) !== 'TAG') return 0
  checkForeign(tag)
  return OLD_TAG
}
