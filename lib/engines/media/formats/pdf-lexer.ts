import { checkForeign } from './foreign.ts'
import { CUT_SHORT, type Source, UnfitFile } from './source.ts'

/** A value of a PDF. The contents of texts are not kept, since no check needs them. */
export type PdfValue =
  | { is: 'number'; number: number }
  | { is: 'name'; name: string }
  | { is: 'reference'; object: number }
  | { is: 'dictionary'; members: ReadonlyMap<string, PdfValue> }
  | { is: 'array'; items: readonly PdfValue[] }
  | { is: 'word'; word: string }
  | { is: 'text' }

const DEEPEST_VALUE = 60
const LONGEST_TOKEN = 1024
const LONGEST_TEXT = 4 * 1024 * 1024
const LONGEST_COMMENT = 4096
const isSpace = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9 || byte === 12 || byte === 0
const isDelimiter = (byte: number) => '()<>[]{}/%'.includes(String.fromCharCode(byte))

/** Reads a PDF token by token. Comments and texts, which may contain any bytes, must not look like another file. */
export class Lexer {
  readonly #source: Source
  at: number
  #block: Buffer = Buffer.alloc(0)
  #start = 0
  /** The end of the last end mark (%%EOF) so far. -1 if none was read. */
  endMark = -1

  constructor(source: Source, at: number) {
    this.#source = source
    this.at = at
  }

  /** Returns the byte at a position, -1 after the end of the file. */
  byte(at: number): number {
    if (at < this.#start || at >= this.#start + this.#block.length) {
      if (at >= this.#source.size) return -1
      this.#start = at
      this.#block = this.#source.read(at, Math.min(BLOCK, this.#source.size - at))
    }
    return this.#block[at - this.#start] ?? -1
  }

  /** Skips spaces and comments. */
  skip(): void {
    for (;;) {
      const byte = this.byte(this.at)
      if (isSpace(byte)) this.at += 1
      else if (byte === PERCENT) this.#comment()
      else return
    }
  }

  #comment(): void {
    const from = this.at
    while (this.byte(this.at) !== -1 && this.byte(this.at) !== 10 && this.byte(this.at) !== 13) this.at += 1
    if (this.at - from > LONGEST_COMMENT) throw new UnfitFile('The PDF has an over-long comment.')
    const comment = Buffer.from(this.#source.read(from, this.at - from))
    if (comment.toString('latin1').trimEnd() === '%%EOF') this.endMark = this.at
    else checkForeign(comment)
  }

  /** Reads a word of letters, digits and signs, such as `obj` or `12`. '' if no word begins here. */
  word(): string {
    this.skip()
    const from = this.at
    while (this.byte(this.at) !== -1 && !isSpace(this.byte(this.at)) && !isDelimiter(this.byte(this.at))) {
      this.at += 1
      if (this.at - from > LONGEST_TOKEN) throw new UnfitFile(CUT_SHORT)
    }
    return this.#source.read(from, this.at - from).toString('latin1')
  }

  whole(): number {
    const word = this.word()
    if (!/^\d{1,10}$/.test(word)) throw new UnfitFile(CUT_SHORT)
    return Number(word)
  }

  expect(keyword: string): void {
    if (this.word() !== keyword) throw new UnfitFile(CUT_SHORT)
  }

  /** Returns the next word and stays before it. */
  peek(): string {
    const { at } = this
    const word = this.word()
    this.at = at
    return word
  }

  value(depth = 0): PdfValue {
    if (depth > DEEPEST_VALUE) throw new UnfitFile('The file is built too intricately.')
    this.skip()
    const byte = this.byte(this.at)
    if (byte === SLASH) return { is: 'name', name: this.#name() }
    if (byte === PAREN) return this.#text()
    if (byte === BRACKET) return this.#array(depth)
    if (byte === LESS) return this.byte(this.at + 1) === LESS ? this.#dictionary(depth) : this.#hex()
    const word = this.word()
    if (word === '') throw new UnfitFile(CUT_SHORT)
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) return { is: 'word', word }
    return this.#reference(word) ?? { is: 'number', number: Number(word) }
  }

  /** Reads the rest of a reference such as `12 0 R`, whose first number is `word`. Undefined if it is only a number. */
  #reference(word: string): PdfValue | undefined {
    if (!/^\d{1,10}$/.test(word)) return undefined
    const { at } = this
    if (/^\d{1,5}$/.test(this.word()) && this.word() === 'R') return { is: 'reference', object: Number(word) }
    this.at = at
    return undefined
  }

  #name(): string {
    this.at += 1
    const from = this.at
    while (this.byte(this.at) !== -1 && !isSpace(this.byte(this.at)) && !isDelimiter(this.byte(this.at))) {
      this.at += 1
      if (this.at - from > LONGEST_TOKEN) throw new UnfitFile(CUT_SHORT)
    }
    return this.#source
      .read(from, this.at - from)
      .toString('latin1')
      .replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }

  #text(): PdfValue {
    const from = this.at
    let open = 0
    do {
      const byte = this.byte(this.at)
      if (byte === -1 || this.at - from > LONGEST_TEXT) throw new UnfitFile(CUT_SHORT)
      if (byte === BACKSLASH) this.at += 1
      else if (byte === PAREN) open += 1
      else if (byte === END_PAREN) open -= 1
      this.at += 1
    } while (open > 0)
    this.#checkText(from)
    return { is: 'text' }
  }

  #hex(): PdfValue {
    const from = this.at
    while (this.byte(this.at) !== MORE) {
      if (this.byte(this.at) === -1 || this.at - from > LONGEST_TEXT) throw new UnfitFile(CUT_SHORT)
      this.at += 1
    }
    this.at += 1
    this.#checkText(from)
    return { is: 'text' }
  }

  #checkText(from: number): void {
    checkForeign(Buffer.from(this.#source.read(from, Math.min(this.at, this.#source.size) - from)))
  }

  #array(depth: number): PdfValue {
    this.at += 1
    const items: PdfValue[] = []
    for (;;) {
      this.skip()
      if (this.byte(this.at) === END_BRACKET) break
      items.push(this.value(depth + 1))
    }
    this.at += 1
    return { is: 'array', items }
  }

  #dictionary(depth: number): PdfValue {
    this.at += 2
    const members = new Map<string, PdfValue>()
    for (;;) {
      this.skip()
      if (this.byte(this.at) === MORE && this.byte(this.at + 1) === MORE) break
      if (this.byte(this.at) !== SLASH) throw new UnfitFile(CUT_SHORT)
      const name = this.#name()
      members.set(name, this.value(depth + 1))
    }
    this.at += 2
    return { is: 'dictionary', members }
  }
}

const BLOCK = 64 * 1024
const [PERCENT, SLASH, PAREN, END_PAREN, BRACKET, END_BRACKET, LESS, MORE, BACKSLASH] = [
  0x25, 0x2f, 0x28, 0x29, 0x5b, 0x5d, 0x3c, 0x3e, 0x5c,
]
