import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of these files. The same content gives the same bytes, so that a deployment sees what has not changed. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const entries = Object.entries(files)
  const contents: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const [path, content] of entries) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content, { level: LEVEL })
    const about = Buffer.concat([
      ...[two(VERSION), two(NAMES_IN_UTF8), two(DEFLATED), two(0), two(OLDEST)],
      ...[four(crc32(content)), four(packed.length), four(content.length), two(name.length), two(0)],
    ])
    const entry = Buffer.concat([four(FILE), about, name, packed])
    directory.push(four(LISTED), two(UNIX | VERSION), about, Buffer.alloc(6), four(READABLE_FILE), four(at), name)
    contents.push(entry)
    at += entry.length
  }
  const listed = Buffer.concat(directory)
  const many = two(entries.length)
  return Buffer.concat([...contents, listed, four(END), four(0), many, many, four(listed.length), four(at), two(0)])
}

function two(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function four(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** What stands before a file, before its line in the directory, and before the end. */
const [FILE, LISTED, END] = [0x04034b50, 0x02014b50, 0x06054b50]
const VERSION = 20
const NAMES_IN_UTF8 = 1 << 11
const DEFLATED = 8
/** The best takes twice the time of this one, and saves less than a thousandth. */
const LEVEL = 7
const UNIX = 3 << 8
/** A plain file with mode 0644, as Unix writes it: Lambda runs as a user who does not own the files. */
const READABLE_FILE = (0o100644 << 16) >>> 0
/** The first date that a zip can name. */
const OLDEST = (1 << 5) | 1
