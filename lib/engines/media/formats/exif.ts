import { checkForeign } from './foreign.ts'
import { UnfitFile } from './source.ts'

/**
 * What is kept of an EXIF block. `rebuilt` is the block that readers get: author, time and settings, never the
 * position. Undefined if nothing is left.
 */
export type Exif = { orientation: number | undefined; rebuilt: Buffer | undefined }

/**
 * Reads an EXIF block (a TIFF structure) and builds a new one from the entries below. So positions, previews, serial
 * numbers and makers' notes are dropped. A block that cannot be read is dropped, since the picture does not need it.
 */
export function rebuildExif(block: Buffer): Exif {
  try {
    return rebuild(block)
  } catch (error) {
    if (error instanceof RangeError || error instanceof UnfitFile) return { orientation: undefined, rebuilt: undefined }
    throw error
  }
}

/**
 * Tags of the first directory: description, make, model, orientation, resolution, software, time, artist, copyright.
 */
const outerTags = [0x10e, 0x10f, 0x110, 0x112, 0x11a, 0x11b, 0x128, 0x131, 0x132, 0x13b, 0x8298]
/** Tags of the EXIF directory: exposure, aperture, speed, times with their zones, focal length, colour space, size. */
const innerTags = [
  0x829a, 0x829d, 0x8827, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x920a, 0xa001, 0xa002, 0xa003, 0xa405,
]
/** The tag of the link to the EXIF directory. */
const EXIF = 0x8769
const ORIENTATION = 0x112
/** Types of values: 16 bits and 32 bits. */
const [SHORT, LONG] = [3, 4]
const MOST_ENTRIES = 500
const LONGEST_VALUE = 255
/** Bytes of one value, by the number of its type. Types that are not listed are dropped. */
const widths: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

type Entry = { tag: number; type: number; count: number; value: Buffer }
type Order = {
  u16: (from: Buffer, offset: number) => number
  u32: (from: Buffer, offset: number) => number
  little: boolean
}

function rebuild(block: Buffer): Exif {
  const mark = block.subarray(0, 4).toString('latin1')
  if (mark !== 'II*\0' && mark !== 'MM\0*') return { orientation: undefined, rebuilt: undefined }
  const order = orderOf(mark === 'II*\0')
  const first = entriesAt(block, order.u32(block, 4), order)
  const link = first.find(({ tag, type }) => tag === EXIF && type === LONG)
  const second = link ? entriesAt(block, order.u32(link.value, 0), order) : []
  const rotation = first.find(({ tag, type, count }) => tag === ORIENTATION && type === SHORT && count === 1)
  const orientation = rotation ? order.u16(rotation.value, 0) : 0
  return {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : undefined,
    rebuilt: build(first.filter(isAmong(outerTags)), second.filter(isAmong(innerTags)), order),
  }
}

const isAmong = (tags: readonly number[]) => (entry: Entry) => tags.includes(entry.tag) && isHarmless(entry)

/** Whether a value is short and, if it is a text, has no control characters but tab, line ends and NUL. Fails if it looks like another file. */
function isHarmless({ type, value }: Entry): boolean {
  if (value.length > LONGEST_VALUE) return false
  if (type === 2 && /[^\P{Cc}\t\n\r\0]/u.test(value.toString('utf8'))) return false
  checkForeign(value)
  return true
}

const orderOf = (little: boolean): Order => ({
  u16: (from, offset) => (little ? from.readUInt16LE(offset) : from.readUInt16BE(offset)),
  u32: (from, offset) => (little ? from.readUInt32LE(offset) : from.readUInt32BE(offset)),
  little,
})

function entriesAt(block: Buffer, start: number, { u16, u32 }: Order): Entry[] {
  const count = u16(block, start)
  if (count > MOST_ENTRIES) return []
  return Array.from({ length: count }, (_, i) => start + 2 + 12 * i).flatMap((place) => {
    const [tag, type, count] = [u16(block, place), u16(block, place + 2), u32(block, place + 4)]
    const length = (widths[type] ?? 0) * count
    const from = length <= 4 ? place + 8 : u32(block, place + 8)
    return length > 0 && from + length <= block.length
      ? [{ tag, type, count, value: block.subarray(from, from + length) }]
      : []
  })
}

function build(first: readonly Entry[], second: readonly Entry[], order: Order): Buffer | undefined {
  if (first.length + second.length === 0) return undefined
  const start = 8
  const next = start + lengthOf(first.length + (second.length > 0 ? 1 : 0), first)
  const link = { tag: EXIF, type: LONG, count: 1, value: numberBytes(next, 4, order) }
  const main = directory(second.length > 0 ? [...first, link] : first, start, order)
  const head = [Buffer.from(order.little ? 'II*\0' : 'MM\0*', 'latin1'), numberBytes(start, 4, order)]
  return Buffer.concat([...head, main, ...(second.length > 0 ? [directory(second, next, order)] : [])])
}

const even = (length: number) => length + (length % 2)
const lengthOf = (entries: number, valued: readonly Entry[]) =>
  2 + 12 * entries + 4 + valued.reduce((sum, { value }) => sum + (value.length > 4 ? even(value.length) : 0), 0)

/** Writes a directory that begins at `start`: the entries by tag, then the values that do not fit into an entry. */
function directory(entries: readonly Entry[], start: number, order: Order): Buffer {
  const sorted = [...entries].sort((a, b) => a.tag - b.tag)
  const values: Buffer[] = []
  let free = start + 2 + 12 * sorted.length + 4
  const rows = sorted.map(({ tag, type, count, value }) => {
    const row = Buffer.alloc(4)
    if (value.length <= 4) value.copy(row)
    else {
      numberBytes(free, 4, order).copy(row)
      const padded = Buffer.alloc(even(value.length))
      value.copy(padded)
      values.push(padded)
      free += padded.length
    }
    return Buffer.concat([numberBytes(tag, 2, order), numberBytes(type, 2, order), numberBytes(count, 4, order), row])
  })
  return Buffer.concat([numberBytes(sorted.length, 2, order), ...rows, Buffer.alloc(4), ...values])
}

function numberBytes(value: number, bytes: 2 | 4, { little }: Order): Buffer {
  const written = Buffer.alloc(bytes)
  if (little) written.writeUIntLE(value, 0, bytes)
  else written.writeUIntBE(value, 0, bytes)
  return written
}
