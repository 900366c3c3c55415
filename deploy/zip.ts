import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A zip archive of these files. The same content gives the same bytes, so a deployment sees what has not changed. Node's own compression
 * takes a third of the time of one in JavaScript, and packages hold 100 MB.
 */
export function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const entries = Object.entries(files).map(([path, content]) => entryOf(path, content))
  const directory: Buffer[] = []
  let at = 0
  for (const { name, facts, packed } of entries) {
    directory.push(listing(name, facts, at))
    at += LOCAL_HEADER + name.length + packed.length
  }
  const listed = Buffer.concat(directory)
  return Buffer.concat([...entries.flatMap(partsOf), listed, endOf(entries.length, listed.length, at)])
}

/** A file of the archive: `facts` are the bytes about it that its own header and the directory share. */
type Entry = { name: Buffer; facts: Buffer; packed: Buffer }

function entryOf(path: string, content: Uint8Array): Entry {
  const name = Buffer.from(path)
  const packed = deflateRawSync(content)
  const facts = Buffer.alloc(FACTS)
  facts.writeUInt16LE(VERSION, 0)
  facts.writeUInt16LE(UTF8_NAME, 2)
  facts.writeUInt16LE(DEFLATED, 4)
  facts.writeUInt32LE(OLDEST, 6)
  facts.writeUInt32LE(crc32(content), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(content.length, 18)
  facts.writeUInt16LE(name.length, 22)
  return { name, facts, packed }
}

/** A file as it lies in the archive: its header, its name, its content. */
const partsOf = ({ name, facts, packed }: Entry): Buffer[] => [Buffer.from('PK\x03\x04'), facts, name, packed]

/** The line of the directory for a file that lies at this offset. */
function listing(name: Buffer, facts: Buffer, at: number): Buffer {
  const place = Buffer.alloc(14)
  place.writeUInt32LE(READABLE_FILE, 6)
  place.writeUInt32LE(at, 10)
  return Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([VERSION, UNIX]), facts, place, name])
}

/** What ends the archive: how many files the directory lists, how long it is and where it begins. */
function endOf(files: number, length: number, at: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(files, 8)
  end.writeUInt16LE(files, 10)
  end.writeUInt32LE(length, 12)
  end.writeUInt32LE(at, 16)
  return end
}

/** Lengths of the parts of fixed size, in bytes. */
const FACTS = 26
const LOCAL_HEADER = 4 + FACTS
const VERSION = 20
const UNIX = 3
const UTF8_NAME = 0x800
const DEFLATED = 8
/** A plain file with mode 0644, as Unix writes it: Lambda runs as a user who does not own the files. */
const READABLE_FILE = (0o100644 << 16) >>> 0
/** The first date that a zip can hold: the first of January 1980, at midnight. */
const OLDEST = ((1 << 5) | 1) << 16
