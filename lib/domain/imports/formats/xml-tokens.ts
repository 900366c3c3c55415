/** XML read piece by piece, so that a part of hundreds of megabytes is never held whole. */

export type Attributes = ReadonlyMap<string, string>

/** Receives the elements and texts of a document while it is read. An empty element is opened and closed. */
export type XmlListener = {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(text: string): void
}

/** The most characters of one tag, text or comment, so that no piece of the document is kept without end. */
const LONGEST_TOKEN = 1024 * 1024

/** Why a document is not read: it is no XML, declares entities, has too long a tag or text, or too many levels. */
export class XmlFault extends Error {
  readonly reason: 'malformed' | 'doctype' | 'too_long'
  constructor(reason: XmlFault['reason']) {
    super(reason)
    this.name = 'XmlFault'
    this.reason = reason
  }
}

/** Reports the elements and texts of a document to a listener, piece by piece. Throws an `XmlFault`. */
export class XmlReader {
  readonly #listener: XmlListener
  #rest = ''
  /** Pieces behind the rest that have not been looked at. */
  #waiting: string[] = []
  #waitingLength = 0
  /** The names of the elements that are open. */
  readonly #open: string[] = []

  constructor(listener: XmlListener) {
    this.#listener = listener
  }

  /**
   * Reads the next piece. A tag or text that ends in a later piece waits for it. If n characters wait, they are read
   * again only after n more have come, so the time is linear in the length.
   */
  take(piece: string): void {
    this.#waiting.push(piece)
    this.#waitingLength += piece.length
    if (this.#waitingLength >= this.#rest.length) this.#read()
  }

  #read(): void {
    const text = this.#rest + this.#waiting.join('')
    this.#waiting = []
    this.#waitingLength = 0
    let at = 0
    for (let end = this.#readOne(text, at); end > at; end = this.#readOne(text, at)) at = end
    this.#rest = text.slice(at)
    if (this.#rest.length > LONGEST_TOKEN) throw new XmlFault('too_long')
  }

  /** Reads what waits. Fails if the document is not complete. */
  end(): void {
    this.#read()
    if (this.#open.length > 0 || this.#rest.trim() !== '') throw new XmlFault('malformed')
  }

  /** Reads the tag, text or passage at a place. Returns the place behind it, or the same place if it is not complete yet. */
  #readOne(text: string, at: number): number {
    if (at >= text.length) return at
    if (text[at] !== '<') return this.#readText(text, at)
    const mark = text[at + 1]
    return mark === '!' || mark === '?' ? this.#readPassage(text, at) : this.#readTag(text, at)
  }

  #readPassage(text: string, at: number): number {
    for (const [start, finish] of passages) {
      if (!text.startsWith(start, at)) continue
      const end = text.indexOf(finish, at + start.length)
      if (end < 0) return at
      if (start === CDATA) this.#listener.text(text.slice(at + start.length, end))
      return end + finish.length
    }
    if (isPassageBegun(text, at)) return at
    throw new XmlFault('doctype')
  }

  #readText(text: string, at: number): number {
    const end = text.indexOf('<', at)
    // A text without its end waits, since it may be cut within an entity.
    if (end < 0) return at
    if (this.#open.length > 0) this.#listener.text(resolveEntities(text.slice(at, end)))
    return end
  }

  #readTag(text: string, at: number): number {
    const end = endOfTag(text, at)
    if (end < 0) return at
    const isClosing = text[at + 1] === '/'
    const isEmpty = text[end - 1] === '/'
    const inside = text.slice(at + (isClosing ? 2 : 1), isEmpty ? end - 1 : end)
    const name = /^[^\s=<>"'/]+/.exec(inside)?.[0]
    if (name === undefined) throw new XmlFault('malformed')
    if (!isClosing) {
      this.#open.push(name)
      this.#listener.open(name, attributesIn(inside.slice(name.length)))
    }
    if (isClosing || isEmpty) {
      if (this.#open.pop() !== name) throw new XmlFault('malformed')
      this.#listener.close(name)
    }
    if (this.#open.length > DEEPEST) throw new XmlFault('too_long')
    return end + 1
  }
}

/** The most levels of nested elements. */
const DEEPEST = 1000
const CDATA = '<![CDATA['
/** Passages besides tags and texts, by start and end. CDATA is reported as text. */
const passages = [
  ['<!--', '-->'],
  [CDATA, ']]>'],
  ['<?', '?>'],
] as const

/** Whether the start of a comment or another passage may stand here, cut off by the end of the text so far. */
const isPassageBegun = (text: string, at: number): boolean =>
  passages.some(([start]) => text.length - at < start.length && start.startsWith(text.slice(at)))

/** The place of the ">" that ends a tag. A ">" between quotation marks does not end it. Below 0 if the end is not there yet. */
function endOfTag(text: string, at: number): number {
  let end = text.indexOf('>', at)
  for (let from = at; ; ) {
    const quote = nextQuote(text, from)
    if (end < 0 || quote < 0 || quote > end) return end
    const closing = text.indexOf(text.charAt(quote), quote + 1)
    if (closing < 0) return -1
    from = closing + 1
    if (end < from) end = text.indexOf('>', from)
  }
}

const quoteMark = /["'>]/g
/** The place of the next quotation mark before the next ">". Below 0 if there is none. */
function nextQuote(text: string, from: number): number {
  quoteMark.lastIndex = from
  const found = quoteMark.exec(text)
  return found === null || found[0] === '>' ? -1 : found.index
}

function attributesIn(text: string): Attributes {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(name, resolveEntities(double ?? single ?? ''))
  return attributes
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Replaces the five entities of XML, and numbers such as `&#2325;`, by characters. No document may declare further entities. */
const resolveEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
        if (name !== undefined) return entities[name.toLowerCase()] ?? whole
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
        return code > 0x10ffff ? '' : String.fromCodePoint(code)
      })
    : text
