import { checkForeign } from './foreign.ts'
import { UnfitFile } from './source.ts'

/** What readers get of a camera's notes: who, when and how, and never where. */
export type Exif = { orientation: number | undefined; kept: Buffer | undefined }

/**
 * Reads an EXIF block (a TIFF structure) and builds it anew from the entries below. Positions, previews, serial numbers
 * and what makers add are not among them. A block that cannot be read is left out: it is no part of the picture.
 */
export function rebuildExif(block: Buffer): Exif {
  try {
    return rebuild(block)
  } catch (error) {
    if (error instanceof RangeError || error instanceof UnfitFile) return { orientation: undefined, kept: undefined }
    throw error
  }
}

/** Description, make, model, orientation, resolution, software, time, artist, copyright. */
const outer = [0x10e, 0x10f, 0x110, 0x112, 0x11a, 0x11b, 0x128, 0x131, 0x132, 0x13b, 0x8298]
/** Exposure, aperture, speed, times with their zones, focal length, colour space, size. */
const inner = [0x829a, 0x829d, 0x8827, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x920a, 0xa001, 0xa002, 0xa003, 0xa405]
const EXIF = 0x8769
const ORIENTATION = 0x112
const SHORT = 3
const LONG = 4
const MOST_ENTRIES = 500
const LONGEST_VALUE = 255
/** Bytes of one value by its type: bytes, text, short, long, rational, -, undefined, -, signed long, signed rational. */
const widths: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8 }

type Entry = { tag: number; type: number; count: number; value: Buffer }
type Order = { u16: (from: Buffer, at: number) => number; u32: (from: Buffer, at: number) => number; little: boolean }

function rebuild(block: Buffer): Exif {
  const mark = block.subarray(0, 4).toString('latin1')
  if (mark !== 'II*\0' && mark !== 'MM\0*') return { orientation: undefined, kept: undefined }
  const order = orderOf(mark === 'II*\0')
  const first = entriesAt(block, order.u32(block, 4), order)
  const link = first.find(({ tag, type }) => tag === EXIF && type === LONG)
  const second = link ? entriesAt(block, order.u32(link.value, 0), order) : []
  const turned = first.find(({ tag, type, count }) => tag === ORIENTATION && type === SHORT && count === 1)
  const said = turned ? order.u16(turned.value, 0) : 0
  return {
    orientation: said >= 1 && said <= 8 ? said : undefined,
    kept: build(first.filter(among(outer)), second.filter(among(inner)), order),
  }
}

const among = (tags: readonly number[]) => (it: Entry) => tags.includes(it.tag) && isHarmless(it)

/** Text that a person could have typed, and short values of other types. */
function isHarmless({ type, value }: Entry): boolean {
  if (value.length > LONGEST_VALUE) return false
  if (type === 2 && /[^\P{Cc}\t\n\r\0]/u.test(value.toString('utf8'))) return false
  checkForeign(value)
  return true
}

const orderOf = (little: boolean): Order => ({
  u16: (from, at) => (little ? from.readUInt16LE(at) : from.readUInt16BE(at)),
  u32: (from, at) => (little ? from.readUInt32LE(at) : from.readUInt32BE(at)),
  little,
})

function entriesAt(block: Buffer, at: number, { u16, u32 }: Order): Entry[] {
  const many = u16(block, at)
  if (many > MOST_ENTRIES) return []
  return Array.from({ length: many }, (_, i) => at + 2 + 12 * i).flatMap((place) => {
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

/** A directory as it stands at a place: its entries by number, then the values that do not fit into them. */
function directory(entries: readonly Entry[], at: number, order: Order): Buffer {
  const sorted = [...entries].sort((a, b) => a.tag - b.tag)
  const values: Buffer[] = []
  let free = at + 2 + 12 * sorted.length + 4
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
  const made = Buffer.alloc(bytes)
  if (little) made.writeUIntLE(value, 0, bytes)
  else made.writeUIntBE(value, 0, bytes)
  return made
}
