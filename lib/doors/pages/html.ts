import { escapeHtml } from '../../base/text.ts'

/** HTML that may be sent as it is. Only the functions of this file make it, so no text that anybody sent becomes markup. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type { Html }

/** What a template takes. A text is escaped, HTML stays, a list is joined, and an absent part becomes an empty text. */
export type Part = string | number | Html | readonly Part[] | null | undefined | false

/** A template of HTML. It escapes texts, between tags as well as in quoted attributes. `Html` stays as it is. */
export const html = (literals: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(literals.map((literal, i) => literal + (i < parts.length ? textOf(parts[i]) : '')).join(''))

/** Markup that stands in this code. Never call it with a text that anybody sent. */
export const ownMarkup = (text: string): Html => new Html(text)

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return part.map(textOf).join('')
}

const escapeText = (text: string) => escapeHtml(plainText(text)).replaceAll("'", '&#39;')

/** Control characters, and characters that change the direction of text: with them, one name could look like another. */
const UNSAFE = /(?![\n\t])\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** A text without `UNSAFE` characters. The joiners of Devanagari stay. */
const plainText = (text: string): string => text.replace(UNSAFE, '')

/** JSON inside of a page. No text in it can end the block, or begin another. */
export const jsonBlock = (type: string, value: unknown): Html =>
  html`<script type="${type}">${new Html(JSON.stringify(value, cleanMember).replace(/[<>&\u2028\u2029]/g, asEscape))}</script>`

const cleanMember = (_name: string, value: unknown) => (typeof value === 'string' ? plainText(value) : value)
const asEscape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

/** An address that a page may link to: HTTP or HTTPS, without a user name. Undefined for any other text. */
export function webAddress(text: string): string | undefined {
  const plain = plainText(text).trim()
  if (!/^https?:\/\/[^\s<>"{}|\\^`]+$/iu.test(plain) || !URL.canParse(plain)) return undefined
  return new URL(plain).username === '' ? plain : undefined
}
