/** XML 1.0 as text: every value is escaped here, and what no XML may hold is left out. */

declare const written: unique symbol
/** XML that only `element` makes. */
export type Xml = string & { readonly [written]: true }

/** An element with its attributes; those that are undefined are left out. Text among its children is escaped. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly (Xml | { text: string })[] = [],
): Xml {
  const said = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([each, value]) => ` ${each}="${escaped(value ?? '')}"`)
    .join('')
  const inner = children.map((it) => (typeof it === 'string' ? it : escaped(it.text))).join('')
  return (inner === '' ? `<${name}${said}/>` : `<${name}${said}>${inner}</${name}>`) as Xml
}

/** An element that holds text. */
export const textElement = (name: string, text: string, attributes?: Readonly<Record<string, string>>): Xml =>
  element(name, attributes, [{ text }])

/** A whole document. */
export const documentOf = (root: Xml): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    // A reader of XML makes a line feed of a carriage return unless it is named.
    .replace(/\r/g, '&#13;')
    .replace(/[&<>"']/g, (sign) => (sign in signs ? (signs[sign] ?? '') : sign))
