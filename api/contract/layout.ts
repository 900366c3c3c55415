import { isJson } from '../json.ts'

const WIDTH = 120

/**
 * Writes JSON with one line for each value that fits, so a change of a member is a change of one line. The members of the first `depth`
 * levels have lines of their own. `taken` is the number of characters before the value in its line.
 */
export function laidOut(value: unknown, depth = 2, indent = '', taken = 0): string {
  if (depth <= 0) {
    const line = inLine(value)
    if (taken + line.length < WIDTH) return line
  }
  const deeper = `${indent} `
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((each): [string, unknown] => ['', each])]
    : ['{', '}', Object.entries(isJson(value) ? value : {}).map(withKey)]
  if (parts.length === 0) return inLine(value)
  const lines = parts.map(
    ([key, each]) => `${deeper}${key}${laidOut(each, depth - 1, deeper, deeper.length + key.length)}`,
  )
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

const withKey = ([name, each]: [string, unknown]): [string, unknown] => [`${JSON.stringify(name)}: `, each]

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (!isJson(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${inLine(each)}`)
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}'
}
