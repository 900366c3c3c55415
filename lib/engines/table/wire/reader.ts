import { bytesOf, numberOf } from './attributes.ts'
import { orderMembers } from './shape.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_MAP = 123
const CLOSE_MAP = 125

/**
 * Reads DynamoDB's JSON once, from left to right: `{"S": "text"}` becomes the text itself, without an object between. Each method
 * reads one value and moves behind it. Fails with `SyntaxError` if the text is not DynamoDB's JSON.
 */
export class WireReader {
  readonly #text: string
  #at = 0
  /** The place of the next backslash, -1 if none is left. Most replies have none. */
  #escape: number

  constructor(text: string) {
    this.#text = text
    this.#escape = text.indexOf('\\')
  }

  /** Reads an item, with its attributes as values. */
  readonly item = (): Record<string, unknown> => orderMembers(this, this.#attribute)

  /** Reads a map. `one` gets a name and reads its value. */
  map(one: (name: string) => unknown): Record<string, unknown> {
    return orderMembers(this, one)
  }

  /** Reads a list. `one` reads each value. */
  list<T>(one: () => T): T[] {
    const all: T[] = []
    this.#expect(OPEN_LIST)
    while (this.#peek() !== CLOSE_LIST) {
      all.push(one())
      if (this.#peek() === COMMA) this.#at += 1
    }
    this.#at += 1
    return all
  }

  isList(): boolean {
    return this.#peek() === OPEN_LIST
  }

  /** Reads plain JSON. */
  readonly plain = (): unknown => {
    const code = this.#peek()
    if (code === QUOTE) return this.text()
    if (code === OPEN_LIST) return this.list(this.plain)
    if (code === OPEN_MAP) return this.map(this.plain)
    return this.#word()
  }

  /** Goes through the members of a map. `member` must read each value. */
  members(member: (name: string) => void): void {
    this.#expect(OPEN_MAP)
    while (this.#peek() !== CLOSE_MAP) {
      this.#peek()
      const name = this.text()
      this.#expect(COLON)
      member(name)
      if (this.#peek() === COMMA) this.#at += 1
    }
    this.#at += 1
  }

  /** Reads a text in quotes. */
  text(): string {
    if (this.#peek() !== QUOTE) throw this.#fault()
    const start = this.#at + 1
    if (this.#escape !== -1 && this.#escape < start) this.#escape = this.#text.indexOf('\\', start)
    const end = this.#endOfText(start)
    this.#at = end + 1
    const hasEscape = this.#escape !== -1 && this.#escape < end
    return hasEscape ? JSON.parse(this.#text.slice(start - 1, end + 1)) : this.#text.slice(start, end)
  }

  #endOfText(start: number): number {
    for (let end = this.#text.indexOf('"', start); end !== -1; end = this.#text.indexOf('"', end + 1)) {
      if (this.#escape === -1 || this.#escape > end) return end
      let before = end
      while (this.#text.charCodeAt(before - 1) === BACKSLASH && before > start) before -= 1
      if ((end - before) % 2 === 0) return end
    }
    throw this.#fault()
  }

  /** Reads an attribute: a map with one member, whose name is the type. */
  readonly #attribute = (): unknown => {
    this.#expect(OPEN_MAP)
    const type = this.#type()
    this.#expect(COLON)
    const value = this.#typed(type)
    this.#expect(CLOSE_MAP)
    return value
  }

  /** Reads the name of a type. Most have one letter, so no search for the closing quote is needed. */
  #type(): string {
    if (this.#peek() !== QUOTE || this.#text.charCodeAt(this.#at + 2) !== QUOTE) return this.text()
    this.#at += 3
    return this.#text.charAt(this.#at - 2)
  }

  #typed(type: string): unknown {
    switch (type) {
      case 'S':
        return this.text()
      case 'N':
        return numberOf(this.text())
      case 'BOOL':
        return this.#word()
      case 'NULL':
        this.#word()
        return null
      case 'M':
        return this.item()
      case 'L':
        return this.list(this.#attribute)
      case 'B':
        return bytesOf(this.text())
      case 'SS':
        return new Set(this.list(() => this.text()))
      case 'NS':
        return new Set(this.list(() => numberOf(this.text())))
      case 'BS':
        return new Set(this.list(() => bytesOf(this.text())))
    }
    throw this.#fault()
  }

  /** Reads a number, true, false or null. */
  #word(): unknown {
    this.#peek()
    const start = this.#at
    while (isOfWord(this.#text.charCodeAt(this.#at))) this.#at += 1
    const word = this.#text.slice(start, this.#at)
    return Object.hasOwn(words, word) ? words[word] : JSON.parse(word)
  }

  /** The next character that is not a blank. */
  #peek(): number {
    while (this.#text.charCodeAt(this.#at) <= 32) this.#at += 1
    return this.#text.charCodeAt(this.#at)
  }

  #expect(code: number): void {
    if (this.#peek() !== code) throw this.#fault()
    this.#at += 1
  }

  #fault(): SyntaxError {
    return new SyntaxError(`This is not DynamoDB's JSON, at ${this.#at}.`)
  }
}

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }
/** Behind the end of the text the code is NaN, which is false here. */
const isOfWord = (code: number) => code > 32 && code !== COMMA && code !== CLOSE_LIST && code !== CLOSE_MAP
