/** Bytes that can be read at any place, however many there are: from memory, or from a file through a window. */
export type Source = {
  readonly size: number
  /** `length` bytes from `at` on. Fails with `UnfitFile` where there are fewer. */
  read: (at: number, length: number) => Buffer
}

/** The file is not what it should be; `message` is a sentence for the sender. */
export class UnfitFile extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnfitFile'
  }
}

export const CUT_SHORT = 'The file is cut short or damaged.'

/** Bytes in memory as a source. */
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
 * A source behind a few windows. They move along with the reader, who may go back and forth between as many places.
 * `fill` reads the bytes at a place into a buffer.
 */
export function windowedSource(size: number, fill: (into: Buffer, at: number) => void): Source {
  const windows: { start: number; view: Buffer }[] = []
  return {
    size,
    read: (at, length) => {
      checkRange(at, length, size)
      const index = windows.findIndex(({ start, view }) => at >= start && at + length <= start + view.length)
      const [known] = index < 0 ? [] : windows.splice(index, 1)
      const window = known ?? { start: at, view: Buffer.allocUnsafe(Math.max(length, Math.min(WINDOW, size - at))) }
      if (!known) fill(window.view, at)
      // The one that was used last comes first, and the last of them goes.
      windows.unshift(window)
      windows.splice(WINDOWS)
      return window.view.subarray(at - window.start, at - window.start + length)
    },
  }
}

// prove: file-window
const WINDOW = 64 * 1024
const WINDOWS = 4

/** The source with a budget of reads, and of bytes, since bytes may be read again. Fails with `UnfitFile` beyond. */
export function limitReads(source: Source): Source {
  let steps = MOST_STEPS
  let bytes = 4 * source.size + 1_048_576
  return {
    size: source.size,
    read: (at, length) => {
      steps -= 1
      bytes -= length
      if (steps < 0 || bytes < 0) throw new UnfitFile('The file is built too intricately.')
      return source.read(at, length)
    },
  }
}

/** 50 MB of the shortest sound frames take two million reads. */
const MOST_STEPS = 4_000_000

function checkRange(at: number, length: number, size: number): void {
  if (at < 0 || length < 0 || at + length > size) throw new UnfitFile(CUT_SHORT)
}

/** All bytes of a range, a window at a time. */
export function* readBlocks(source: Source, from: number, to: number): Generator<{ at: number; block: Buffer }> {
  for (let at = from; at < to; at += WINDOW) yield { at, block: source.read(at, Math.min(WINDOW, to - at)) }
}

/** A part of what readers get: a range of what was sent, or bytes in the place of another. */
export type Piece = { from: number; to: number } | { bytes: Buffer }

/** What a container's check has found. */
export type CheckedFile = {
  pieces: Piece[]
  width?: number
  height?: number
  /** As EXIF counts them: 1 upright, 6 turned to the right, and so on. */
  orientation?: number
}

/** Joins neighbouring ranges that touch. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const made: Piece[] = []
  for (const piece of pieces) {
    const last = made.at(-1)
    if (last && 'to' in last && 'from' in piece && last.to === piece.from)
      made[made.length - 1] = { ...last, to: piece.to }
    else if ('bytes' in piece || piece.from < piece.to) made.push(piece)
  }
  return made
}

/** How many bytes the pieces have together. */
export const sizeOfPieces = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + ('bytes' in piece ? piece.bytes.length : piece.to - piece.from), 0)

const MOST_PIXELS = 100_000_000
const LONGEST_SIDE = 30_000

/** Fails with `UnfitFile` if a picture has no size, or is so large that unpacking it fills the memory. */
export function checkPixels(width: number, height: number): void {
  if (width < 1 || height < 1) throw new UnfitFile('The image has no width or height.')
  if (width > LONGEST_SIDE || height > LONGEST_SIDE || width * height > MOST_PIXELS)
    throw new UnfitFile('The image has more than 100 million pixels, or a side of more than 30,000.')
}
