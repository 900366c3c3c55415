import { checkForeign } from './foreign.ts'
import { Lexer, type PdfValue } from './pdf-lexer.ts'
import { type CheckedFile, CUT_SHORT, readBlocks, type Source, UnfitFile } from './source.ts'

/**
 * Walks a PDF from its header to its last end mark: objects, tables and trailers, one after another, with nothing
 * between them but spaces and short comments. Tables must point at objects, the end at a table. A PDF may hold whole
 * files of other types as images; it may not be encrypted, since then nobody could look into it. It is served as sent.
 */
export function checkPdf(source: Source): CheckedFile {
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
  /** Where each object begins, by its number. A number may come again: tables may point at any of its places. */
  objects: Map<number, Set<number>>
  tables: Map<number, { before: number | undefined; entries: readonly Entry[] }>
  /** Lengths of streams that an object elsewhere has to confirm. */
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

/** Where `endstream` stands before `endobj`. For streams whose length is in an object that may come later. */
function endOfStream(source: Source, from: number): number {
  let tail = Buffer.alloc(0)
  for (const { at, block } of readBlocks(source, from, source.size)) {
    const joint = Buffer.concat([tail, block])
    const found = /endstream[\r\n \t]+endobj/.exec(joint.toString('latin1'))
    if (found) return at - tail.length + found.index
    tail = Buffer.from(joint.subarray(-32))
  }
  throw new UnfitFile(CUT_SHORT)
}

/**
 * A packed stream must begin as its packing does. One that is not packed must not look like another file, pictures
 * aside.
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
    checkForeign(Buffer.from(source.read(from, Math.min(to - from, LOOKED_AT))), { hold: 'pictures' })
}

const LOOKED_AT = 64 * 1024

/** A table of the classic form, and the trailer behind it. */
function table(lexer: Lexer, seen: Seen, at: number): void {
  const entries: Entry[] = []
  while (lexer.peek() !== 'trailer') {
    const first = lexer.whole()
    const many = lexer.whole()
    if (entries.length + many > MOST_ENTRIES) throw new UnfitFile('The file is built too intricately.')
    for (let i = 0; i < many; i += 1) {
      const place = lexer.whole()
      lexer.whole()
      const used = lexer.word()
      if (used === 'n') entries.push({ object: first + i, at: place })
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

/** The end mark is the last thing in the file, but for the end of its line. */
function checkEnd(source: Source, lexer: Lexer): void {
  const rest = lexer.endMark < 0 ? 'x' : source.read(lexer.endMark, source.size - lexer.endMark).toString('latin1')
  if (!/^[\r\n \t]{0,8}$/.test(rest)) throw new UnfitFile('There are bytes after the end of the PDF.')
}

/** Follows the tables from the last back to the first, and from each to its objects. */
function checkTables({ objects, tables, promised, startxref, roots, numbers }: Seen): void {
  if (roots === 0) throw new UnfitFile(CUT_SHORT)
  const left = new Map(tables)
  for (let at: number | undefined = startxref; at !== undefined; ) {
    const found = left.get(at)
    if (!found || !left.delete(at)) throw new UnfitFile(CUT_SHORT)
    at = found.before
  }
  for (const { entries } of tables.values())
    for (const { object, at } of entries) if (at !== 0 && !objects.get(object)?.has(at)) throw new UnfitFile(CUT_SHORT)
  for (const { object, length } of promised) {
    const said = numbers?.get(object)
    // An end of line before `endstream` is not counted.
    if (said === undefined || said > length || said < length - 2) throw new UnfitFile(CUT_SHORT)
  }
}
