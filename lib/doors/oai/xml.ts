/** Writes XML 1.0. Every value is escaped here, and characters that XML forbids are left out. */

declare const written: unique symbol
/** A text of XML. Only `element` makes it, so an unescaped text cannot get in. */
export type Xml = string & { readonly [written]: true }

/** An element. Undefined attributes are left out; text among the children is escaped. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly (Xml | { text: string })[] = [],
): Xml {
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([each, value]) => ` ${each}="${escapeXml(value ?? '')}"`)
    .join('')
  const inner = children.map((it) => (typeof it === 'string' ? it : escapeXml(it.text))).join('')
  return (inner === '' ? `<${name}${attributeText}/>` : `<${name}${attributeText}>${inner}</${name}>`) as Xml
}

/** An element with a text. `element` escapes it. */
export const textElement = (name: string, text: string, attributes?: Readonly<Record<string, string>>): Xml =>
  element(name, attributes, [{ text }])

/** The document with this root, as it is sent. */
export const xmlDocument = (root: Xml): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    // A parser of XML turns a carriage return into a line feed, unless it is written like this.
    .replace(/\r/g, '&#13;')
    .replace(/[&<>"']/g, (sign) => (sign in signs ? (signs[sign] ?? '') : sign))
