import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of these files. The same content gives the same bytes, so that a deployment sees what has not changed. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content, { level: 9 })
    const facts = describe(content, packed, name)
    const local = Buffer.concat([u32(0x04034b50), facts, name])
    const attributes = [u16(0), u16(0), u16(0), u32(READABLE_FILE), u32(offset)]
    directory.push(Buffer.concat([u32(0x02014b50), u16(MADE_ON_UNIX), facts, ...attributes, name]))
    parts.push(local, packed)
    offset += local.length + packed.length
  }
  const index = Buffer.concat(directory)
  const count = u16(directory.length)
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(index.length), u32(offset), u16(0)]
  return Buffer.concat([...parts, index, ...end])
}

/** What the local and the central header of a file have in common: deflated, names in UTF-8, dated 1 January 1980. */
function describe(content: Uint8Array, packed: Buffer, name: Buffer): Buffer {
  const head = [u16(20), u16(0x0800), u16(8), u16(0), u16(0x0021)]
  return Buffer.concat([
    ...head,
    u32(crc32(content)),
    u32(packed.length),
    u32(content.length),
    u16(name.length),
    u16(0),
  ])
}

const MADE_ON_UNIX = (3 << 8) | 20
const READABLE_FILE = (0o100644 << 16) >>> 0

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
