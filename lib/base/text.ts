/** The words for true and false in queries, forms, settings and imported files. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off'].map((word) => [word, false] as const),
])

/** Reads a word for true or false, in any letter case. Undefined if the text is neither. */
export const parseBoolean = (text: string): boolean | undefined => booleans.get(text.trim().toLowerCase())

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for HTML, between tags or in double quotes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)
