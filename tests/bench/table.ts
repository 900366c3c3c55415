/** Prints rows as a table of aligned columns. */
export function print(title: string, rows: readonly Record<string, string | number>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))]
  const widths = names.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  process.stdout.write(`\n${title}\n`)
  for (const row of cells) process.stdout.write(`  ${line(row)}\n`)
}
