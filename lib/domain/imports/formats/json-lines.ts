import { impossible } from '../../../base/errors.ts'

/** The name of the column that holds the text of lines without an object. Rows with a cell in it are refused. */
export const BAD_LINE = 'import:line'
/** The most characters that are kept of a line without an object. */
const KEPT_OF_LINE = 2000

/**
 * Reads JSON Lines as a table. Row 1 has the names of all members, in order of appearance; line 1 is row 2. A nested object
 * becomes columns ("assertion.confidence"); a list stays JSON. A line without an object is a row with its text in the column
 * `import:line`. Fails if no line has an object.
 */
export function* readJsonLines(text: string): Generator<[number, string[]]> {
  const names = new Map<string, number>()
  let bad: number | undefined
  let objects = 0
  for (const { line, cells } of linesIn(text)) {
    if (cells) objects += 1
    else bad ??= line
    for (const name of cells?.keys() ?? []) if (!names.has(name)) names.set(name, names.size)
  }
  if (bad !== undefined && objects === 0) throw impossible(`Line ${bad} has no object in JSON.`)
  if (names.size === 0) return
  const width = names.size + (bad === undefined ? 0 : 1)
  yield [1, [...names.keys(), ...(bad === undefined ? [] : [BAD_LINE])]]
  for (const { line, content, cells } of linesIn(text)) {
    const row = Array.from({ length: width }, () => '')
    if (cells) for (const [name, cell] of cells) row[names.get(name) ?? 0] = cell
    else row[names.size] = content.trim().slice(0, KEPT_OF_LINE).toWellFormed()
    yield [line + 1, row]
  }
}

type Line = { line: number; content: string; cells: Map<string, string> | undefined }

function* linesIn(text: string): Generator<Line> {
  let line = 0
  for (const { 0: content } of text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)) {
    line += 1
    if (content.trim() === '') continue
    const object = objectIn(content)
    yield { line, content, cells: object && cellsOf(object) }
  }
}

function objectIn(content: string): object | undefined {
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Levels of nested objects. Anything deeper stays JSON. */
const DEEPEST = 5

function cellsOf(object: object, before = '', depth = 1): Map<string, string> {
  const cells = new Map<string, string>()
  for (const [member, value] of Object.entries(object)) {
    const name = before + member
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < DEEPEST)
      for (const [inner, cell] of cellsOf(value, `${name}.`, depth + 1)) cells.set(inner, cell)
    else if (value !== null) cells.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  return cells
}
