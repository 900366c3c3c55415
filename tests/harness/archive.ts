import { crc32, deflateRawSync } from 'node:zlib'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const DEFLATED = 8

/** Writes a ZIP archive of these parts. A library in JavaScript takes seconds for hundreds of megabytes, and Node's own code does not. */
export function archive(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content as Uint8Array)
    const packed = deflateRawSync(bytes, { level: 1 })
    const about = fields(
      [2, 20],
      [2, 0],
      [2, DEFLATED],
      [4, 0],
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
    )
    const names = fields([2, Buffer.byteLength(name)], [2, 0])
    locals.push(fields([4, LOCAL]), about, names, Buffer.from(name), packed)
    const place = fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset])
    centrals.push(fields([4, CENTRAL], [2, 20]), about, names, place, Buffer.from(name))
    offset = lengthOf(locals)
  }
  const many = Object.keys(parts).length
  const end = fields([4, END], [2, 0], [2, 0], [2, many], [2, many], [4, lengthOf(centrals)], [4, offset], [2, 0])
  return Buffer.concat([...locals, ...centrals, end])
}

const lengthOf = (buffers: readonly Buffer[]) => buffers.reduce((sum, { length }) => sum + length, 0)

/** Numbers of two or four bytes, one after the other. */
function fields(...numbers: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    numbers.map(([size, value]) => {
      const field = Buffer.alloc(size)
      field.writeUIntLE(value, 0, size)
      return field
    }),
  )
}
