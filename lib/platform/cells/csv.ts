/**
 * One row of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front. So does a formula behind `;`, `|` or
 * a tab, where a spreadsheet may begin a cell if it guesses the delimiter. Numbers stay as they are.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = cellText(value)
  const harmless = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text
  const guarded = harmless.replace(/([;|\t]\s*)(?=[=+\-@＝＋－＠])/g, "$1'")
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** The text of a value in one cell. It may still look like a formula: `csvLine` guards against that. */
export function cellText(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellText).join('; ')
  if (typeof value === 'object' && value !== null) return 'name' in value ? String(value.name) : JSON.stringify(value)
  return String(value)
}
