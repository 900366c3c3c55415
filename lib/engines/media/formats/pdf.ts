import { checkForeign } from './foreign.ts'
import { Lexer, type PdfValue } from './pdf-lexer.ts'
import { type CheckedFormat, CUT_SHORT, readBlocks, type Source, UnfitFile } from './source.ts'

/**
 * Walks a PDF from its header to its last end mark: objects, tables and trailers, with only spaces and short comments
 * between them. Tables must point at objects, and `startxref` at a table. Images of a PDF may be whole files of other
 * types. An encrypted PDF is refused, since it cannot be checked. Readers get the file as it was sent.
 */
export function checkPdf(source: Source): CheckedFormat {
  const header = /^%PDF-(1\.[0-7]|2\.0)[\r\n\t ]/.exec(source.read(0, Math.min(16, source.size)).toString('latin1'))
  if (!header) throw new UnfitFile(CUT_SHORT)
  const lexer = new Lexer(source, 8)
  const seen: Seen = { objects: new Map(), tables: new Map(), promised: [], startxref: -1, roots: 0 }
  for (let parts = 0; ; parts += 1) {
    lexer.skip()
    if (lexer.at === source.size) break
    if (parts > MOST_PARTS) throw new UnfitFile('The file is built too intricately.')
    part(source, lexer, seen)
  }
  checkEnd(source, lexer)
  checkTables(seen)
  return { pieces: [{ from: 0, to: source.size }] }
}

type Seen = {
  /** The positions of each object, by its number. An object may occur again, and a table may point at each of its positions. */
  objects: Map<number, Set<number>>
  tables: Map<number, { before: number | undefined; entries: readonly Entry[] }>
  /** Lengths of streams, each with the number of the object that must hold this length. */
  promised: { object: number; length: number }[]
  startxref: number
  roots: number
  numbers?: Map<number, number>
}
type Entry = { object: number; at: number }

const MOST_PARTS = 500_000
const MOST_ENTRIES = 1_000_000

function part(source: Source, lexer: Lexer, seen: Seen): void {
  const at = lexer.at
  const word = lexer.word()
  if (word === 'xref') {
    table(lexer, seen, at)
    return
  }
  if (word === 'startxref') {
    seen.startxref = lexer.whole()
    const before = lexer.endMark
    lexer.skip()
    if (lexer.endMark === before) throw new UnfitFile(CUT_SHORT)
    return
  }
  if (!/^\d{1,10}$/.test(word)) throw new UnfitFile('There are bytes in the PDF that are no part of it.')
  lexer.whole()
  lexer.expect('obj')
  object(source, lexer, seen, Number(word), at)
}

function object(source: Source, lexer: Lexer, seen: Seen, number: number, at: number): void {
  const places = seen.objects.get(number) ?? new Set()
  seen.objects.set(number, places.add(at))
  const value: PdfValue = lexer.peek() === 'endobj' ? { is: 'word', word: 'null' } : lexer.value()
  if (value.is === 'number') {
    seen.numbers ??= new Map()
    seen.numbers.set(number, value.number)
  }
  const word = lexer.word()
  if (word === 'endobj') return
  if (word !== 'stream' || value.is !== 'dictionary') throw new UnfitFile(CUT_SHORT)
  stream(source, lexer, seen, value.members)
  lexer.expect('endstream')
  lexer.expect('endobj')
  if (nameIn(value.members, 'Type') === 'XRef') trailer(seen, at, value.members, [])
}

const nameIn = (members: ReadonlyMap<string, PdfValue>, name: string) => {
  const value = members.get(name)
  return value?.is === 'name' ? value.name : undefined
}

function stream(source: Source, lexer: Lexer, seen: Seen, members: ReadonlyMap<string, PdfValue>): void {
  if (lexer.byte(lexer.at) === 13) lexer.at += 1
  if (lexer.byte(lexer.at) !== 10) throw new UnfitFile(CUT_SHORT)
  lexer.at += 1
  const from = lexer.at
  const length = members.get('Length')
  if (length?.is === 'number') lexer.at = from + length.number
  else if (length?.is === 'reference') {
    lexer.at = endOfStream(source, from)
    seen.promised.push({ object: length.object, length: lexer.at - from })
  } else throw new UnfitFile(CUT_SHORT)
  if (lexer.at > source.size || lexer.at < from) throw new UnfitFile(CUT_SHORT)
  checkStream(source, members, from, lexer.at)
}

/** Finds the `endstream` before `endobj`, for a stream with its length in another object, which may come later. */
function endOfStream(source: Source, from: number): number {
  let tail = Buffer.alloc(0)
  for (const { at, block } of readBlocks(source, from, source.size)) {
    const joint = Buffer.concat([tail, block])
    const match = /endstream[\r\n \t]+endobj/.exec(joint.toString('latin1'))
    if (match) return at - tail.length + match.index
    tail = Buffer.from(joint.subarray(-32))
  }
  throw new UnfitFile(CUT_SHORT)
}

/**
 * Checks the first bytes of a compressed stream against its filter. An uncompressed stream must not look like another
 * file, except for a picture.
 */
function checkStream(source: Source, members: ReadonlyMap<string, PdfValue>, from: number, to: number): void {
  const filter = members.get('Filter')
  const first = filter?.is === 'array' ? filter.items[0] : filter
  const name = first?.is === 'name' ? first.name : undefined
  const head = source.read(from, Math.min(2, to - from))
  if (
    name === 'FlateDecode' &&
    to > from &&
    (head.length < 2 || head.readUInt16BE() % 31 !== 0 || ((head[0] ?? 0) & 15) !== 8)
  )
    throw new UnfitFile(CUT_SHORT)
  if (name === 'DCTDecode' && to > from && (head.length < 2 || head.readUInt16BE() !== 0xffd8))
    throw new UnfitFile(CUT_SHORT)
  if (name === undefined && nameIn(members, 'Subtype') !== 'Image')
    checkForeign(Buffer.from(source.read(from, Math.min(to - from, SEARCHED_BYTES))), { hold: 'pictures' })
}

/** The bytes of an uncompressed stream that are searched for other files. */
const SEARCHED_BYTES = 64 * 1024

/** Reads a cross-reference table in the classic form, and the trailer after it. */
function table(lexer: Lexer, seen: Seen, at: number): void {
  const entries: Entry[] = []
  while (lexer.peek() !== 'trailer') {
    const first = lexer.whole()
    const count = lexer.whole()
    if (entries.length + count > MOST_ENTRIES) throw new UnfitFile('The file is built too intricately.')
    for (let i = 0; i < count; i += 1) {
      const offset = lexer.whole()
      lexer.whole()
      const used = lexer.word()
      if (used === 'n') entries.push({ object: first + i, at: offset })
      else if (used !== 'f') throw new UnfitFile(CUT_SHORT)
    }
  }
  lexer.expect('trailer')
  const value = lexer.value()
  if (value.is !== 'dictionary') throw new UnfitFile(CUT_SHORT)
  trailer(seen, at, value.members, entries)
}

function trailer(seen: Seen, at: number, members: ReadonlyMap<string, PdfValue>, entries: readonly Entry[]): void {
  if (members.has('Encrypt')) throw new UnfitFile('The PDF is encrypted. Send one that everybody can open.')
  if (members.get('Root')?.is === 'reference') seen.roots += 1
  const before = members.get('Prev')
  seen.tables.set(at, { before: before?.is === 'number' ? before.number : undefined, entries })
}

/** At most eight spaces, tabs or ends of line may follow the last end mark. A file without an end mark fails, too. */
function checkEnd(source: Source, lexer: Lexer): void {
  const rest = lexer.endMark < 0 ? 'x' : source.read(lexer.endMark, source.size - lexer.endMark).toString('latin1')
  if (!/^[\r\n \t]{0,8}$/.test(rest)) throw new UnfitFile('There are bytes after the end of the PDF.')
}

/** Follows the tables from the last to the first, and the entries of each table to its objects. */
function checkTables({ objects, tables, promised, startxref, roots, numbers }: Seen): void {
  if (roots === 0) throw new UnfitFile(CUT_SHORT)
  const unvisited = new Map(tables)
  for (let at: number | undefined = startxref; at !== undefined; ) {
    const visited = unvisited.get(at)
    if (!visited || !unvisited.delete(at)) throw new UnfitFile(CUT_SHORT)
    at = visited.before
  }
  for (const { entries } of tables.values())
    for (const { object, at } of entries) if (at !== 0 && !objects.get(object)?.has(at)) throw new UnfitFile(CUT_SHORT)
  for (const { object, length } of promised) {
    const claimed = numbers?.get(object)
    // The claimed length leaves out an end of line before `endstream`.
    if (claimed === undefined || claimed > length || claimed < length - 2) throw new UnfitFile(CUT_SHORT)
  }
}
