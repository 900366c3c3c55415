import { appendFileSync } from 'node:fs'

/** Prints rows as a Markdown table of aligned columns; onto the page of all measurements, too, where one is being made. */
export function print(title: string, rows: readonly Record<string, string | number>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name]).replaceAll('|', '\\|')))]
  const widths = names.map((_, i) => Math.max(3, ...cells.map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = cells
  say(`**${title}**`)
  say([head, rule, ...body].map(line).join('\n'))
}

/** A paragraph beside the tables. */
export function say(text: string): void {
  const paragraph = `\n${text.trim()}\n`
  process.stdout.write(paragraph)
  if (process.env.BENCH_PAGE) appendFileSync(process.env.BENCH_PAGE, paragraph)
}

/** Prints calls and units of each row, by size, side by side. The rows are the same at each size. */
export function printCosts<K extends string>(
  title: string,
  name: K,
  sizes: readonly number[],
  results: readonly (readonly (Record<K, string> & { calls: number; units: number })[])[],
): void {
  const [first = []] = results
  print(
    title,
    first.map((row, i) => ({
      [name]: row[name],
      ...Object.fromEntries(
        sizes.map((size, at) => [`at ${size}`, `${results[at]?.[i]?.calls} / ${results[at]?.[i]?.units}`]),
      ),
    })),
  )
}
