import { impossible } from '../../base/errors.ts'

/**
 * Reads JSON Lines as a table. Row 1 has the names of all members, in order of appearance; line 1 is row 2. A nested object
 * becomes columns ("assertion.confidence"); a list stays JSON. Fails at a line that is no object.
 */
export function* readJsonLines(text: string): Generator<[number, string[]]> {
  const names = new Map<string, number>()
  for (const { cells } of objectsIn(text))
    for (const name of cells.keys()) if (!names.has(name)) names.set(name, names.size)
  if (names.size === 0) return
  yield [1, [...names.keys()]]
  for (const { line, cells } of objectsIn(text)) {
    const row = Array.from({ length: names.size }, () => '')
    for (const [name, cell] of cells) row[names.get(name) ?? 0] = cell
    yield [line + 1, row]
  }
}

function* objectsIn(text: string): Generator<{ line: number; cells: Map<string, string> }> {
  let line = 0
  for (const { 0: content } of text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)) {
    line += 1
    if (content.trim() !== '') yield { line, cells: cellsOf(objectIn(content, line)) }
  }
}

function objectIn(content: string, line: number): object {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    throw impossible(`Line ${line} is not JSON.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw impossible(`Line ${line} is no object.`)
  return value
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
