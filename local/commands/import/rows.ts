import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import * as v from 'valibot'

const needsId = 'A row needs an id, by which a second run knows it.'

/** A row of a file: a globally unique id, a kind, and any other members. */
const Row = v.looseObject({
  id: v.pipe(v.optional(v.string(needsId), ''), v.trim(), v.minLength(1, needsId)),
  kind: v.optional(v.string('A row needs a kind.'), ''),
})
export type Row = v.InferOutput<typeof Row>

/** One line of a file: a row, or why it is not one. */
export type Offered = { file: string; line: number; text: string } & ({ row: Row } | { fault: string })

/** The lines of JSON Lines files, without blank ones. Fails if a file cannot be read. */
export async function readFiles(paths: readonly string[]): Promise<Offered[]> {
  const files = await Promise.all(
    paths.map(async (path) => readExchangeLines(basename(path), await readFile(path, 'utf8'))),
  )
  return files.flat()
}

/** The lines of a text in JSON Lines. */
export function readExchangeLines(file: string, content: string): Offered[] {
  return content
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((text, index) => ({ file, line: index + 1, text }))
    .filter(({ text }) => text.trim() !== '')
    .map((at) => ({ ...at, ...read(at.text) }))
}

/** Rows from memory, as if a file held them. */
export function offer(file: string, rows: readonly Row[]): Offered[] {
  return rows.map((row, index) => ({ file, line: index + 1, text: JSON.stringify(row), row }))
}

function read(text: string): { row: Row } | { fault: string } {
  try {
    const result = v.safeParse(Row, JSON.parse(text))
    return result.success ? { row: result.output } : { fault: result.issues[0].message }
  } catch {
    return { fault: 'The line is not JSON.' }
  }
}
