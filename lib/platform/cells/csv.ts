/** One row of CSV (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = plain(value)
  const harmless = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Several values with semicolons between them, things that have a name by their name. */
export function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join('; ')
  if (typeof value === 'object' && value !== null) return 'name' in value ? String(value.name) : JSON.stringify(value)
  return String(value)
}
