/** Bytes that can be read at any position: from memory, or from a file through a window. */
export type Source = {
  readonly size: number
  /** Returns `length` bytes from `at` on. Fails with `UnfitFile` if the source has fewer. */
  read: (at: number, length: number) => Buffer
}

/** The file is refused. `message` is a sentence for the sender. */
export class UnfitFile extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnfitFile'
  }
}

export const CUT_SHORT = 'The file is cut short or damaged.'

export function memorySource(bytes: Uint8Array): Source {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    size: all.length,
    read: (at, length) => {
      checkRange(at, length, all.length)
      return all.subarray(at, at + length)
    },
  }
}

/**
 * Makes a source that keeps the four windows of 64 KB that were used last. So a reader may go back and forth between
 * four positions. `fill` reads the bytes at a position into a buffer.
 */
export function windowedSource(size: number, fill: (into: Buffer, at: number) => void): Source {
  const windows: { start: number; view: Buffer }[] = []
  return {
    size,
    read: (at, length) => {
      checkRange(at, length, size)
      const index = windows.findIndex(({ start, view }) => at >= start && at + length <= start + view.length)
      const [open] = index < 0 ? [] : windows.splice(index, 1)
      const window = open ?? { start: at, view: Buffer.allocUnsafe(Math.max(length, Math.min(WINDOW, size - at))) }
      if (!open) fill(window.view, at)
      // The window that was used last comes first. The fifth is dropped.
      windows.unshift(window)
      windows.splice(WINDOWS)
      return window.view.subarray(at - window.start, at - window.start + length)
    },
  }
}

// prove: file-window
const WINDOW = 64 * 1024
const WINDOWS = 4

/**
 * Limits the reads of a source, and the bytes of all reads together. Beyond the limits, `read` fails with `UnfitFile`.
 */
export function limitReads(source: Source): Source {
  let reads = MOST_READS
  let bytes = 4 * source.size + 1_048_576
  return {
    size: source.size,
    read: (at, length) => {
      reads -= 1
      bytes -= length
      if (reads < 0 || bytes < 0) throw new UnfitFile('The file is built too intricately.')
      return source.read(at, length)
    },
  }
}

/** Twice the reads of 50 MB of the shortest sound frames. */
const MOST_READS = 4_000_000

function checkRange(at: number, length: number, size: number): void {
  if (at < 0 || length < 0 || at + length > size) throw new UnfitFile(CUT_SHORT)
}

/** Reads a range in blocks of 64 KB. */
export function* readBlocks(source: Source, from: number, to: number): Generator<{ at: number; block: Buffer }> {
  for (let at = from; at < to; at += WINDOW) yield { at, block: source.read(at, Math.min(WINDOW, to - at)) }
}

/** A part of the file that readers get: a range of the file that was sent, or bytes that replace a part of it. */
export type Piece = { from: number; to: number } | { bytes: Buffer }

/** The result of checking a file as one format: the pieces that readers get, and the size of the picture, if any. */
export type CheckedFormat = {
  pieces: Piece[]
  width?: number
  height?: number
  /** The orientation by EXIF: 1 is upright, 6 is rotated to the right. */
  orientation?: number
}

/** Joins ranges that touch each other. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last && 'to' in last && 'from' in piece && last.to === piece.from)
      joined[joined.length - 1] = { ...last, to: piece.to }
    else if ('bytes' in piece || piece.from < piece.to) joined.push(piece)
  }
  return joined
}

/** The bytes of all pieces together. */
export const sizeOfPieces = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : piece.to - piece.from), 0)

const MOST_PIXELS = 100_000_000
const LONGEST_SIDE = 30_000

/** Fails with `UnfitFile` if a picture has no size, or is too large to be decoded in memory. */
export function checkPixels(width: number, height: number): void {
  if (width < 1 || height < 1) throw new UnfitFile('The image has no width or height.')
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height > MOST_PIXELS)
    throw new UnfitFile('The image has more than 100 million pixels, or a side of more than 30,000.')
}
