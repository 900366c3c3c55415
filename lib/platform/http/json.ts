/**
 * Finds the first fault of a text that is not JSON (RFC 8259). Returns line and column, from 1, of the first character that does not fit,
 * or of the end. Undefined for JSON. Messages of `JSON.parse` name a place for some faults only, and quote the text.
 */
export function findJsonFault(text: string): { line: number; column: number } | undefined {
  const open: string[] = []
  let expected: Expected = 'value'
  let position = 0
  for (;;) {
    blanks.lastIndex = position
    blanks.test(text)
    position = blanks.lastIndex
    if (expected === 'end' && position === text.length) return undefined
    const token = tokens.find((candidate) => fits(candidate, expected, open.at(-1), text, position))
    if (!token) return placeOf(text, expected === 'end' ? position : faultInString(text, position))
    if (token.opens) open.push(token.opens)
    if (token.closes) open.pop()
    expected = token.next ?? (open.length === 0 ? 'end' : 'comma')
    position = token.form.lastIndex
  }
}

/** The next token of JSON. `first value` and `first key` may also be the closing bracket of an empty list or object. */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'
/** A token: its form, where it may be, and what it opens or closes. */
type Token = {
  form: RegExp
  at: readonly Expected[]
  inside?: '{' | '['
  opens?: '{' | '['
  closes?: true
  next?: Expected
}

const blanks = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar =
  /(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-]))/y
const values: readonly Expected[] = ['value', 'first value']
const tokens: readonly Token[] = [
  { form: scalar, at: values },
  { form: /\{/y, at: values, opens: '{', next: 'first key' },
  { form: /\[/y, at: values, opens: '[', next: 'first value' },
  { form: string, at: ['key', 'first key'], next: 'colon' },
  { form: /:/y, at: ['colon'], next: 'value' },
  { form: /,/y, at: ['comma'], inside: '{', next: 'key' },
  { form: /,/y, at: ['comma'], inside: '[', next: 'value' },
  { form: /\}/y, at: ['comma', 'first key'], inside: '{', closes: true },
  { form: /\]/y, at: ['comma', 'first value'], inside: '[', closes: true },
]

function fits(token: Token, expected: Expected, inside: string | undefined, text: string, position: number): boolean {
  token.form.lastIndex = position
  return token.at.includes(expected) && (token.inside === undefined || token.inside === inside) && token.form.test(text)
}

/** The position of a fault within a string that begins here, such as a bad escape. Any other fault is at its first character. */
function faultInString(text: string, position: number): number {
  const validPart = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
  validPart.lastIndex = position
  return validPart.test(text) && text[validPart.lastIndex] !== '"' ? validPart.lastIndex : position
}

function placeOf(text: string, position: number): { line: number; column: number } {
  const lines = text.slice(0, position).split('\n')
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}

/** The most levels of a value. DynamoDB stores 32, and the item around the value has some. */
const MOST_LEVELS = 24
const LONGEST_NAME = 255

/** Returns why the table cannot store a value unchanged, or undefined. Example: it is nested too deeply. */
export function storageFaultOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number') return numberFault(value)
  if (typeof value !== 'object' || value === null || value instanceof File) return undefined
  if (depth === MOST_LEVELS) return `This is nested more than ${MOST_LEVELS} levels deep.`
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value)) {
    if (!isList && (name === '' || name.length > LONGEST_NAME))
      return `Names of members have 1 to ${LONGEST_NAME} characters.`
    const fault = storageFaultOf(member, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Finds half of a character in a value: a lone surrogate, which UTF-8 has no bytes for. Returns the names from the value down to the
 * text. Undefined if there is none. Call `storageFaultOf` first, which refuses values that are nested too deeply.
 */
export function findHalfCharacter(value: unknown): string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : []
  if (typeof value !== 'object' || value === null || value instanceof File) return undefined
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) return []
    const path = findHalfCharacter(member)
    if (path) return [name, ...path]
  }
  return undefined
}

function numberFault(value: number): string | undefined {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'A number is too large to be kept exactly: send those beyond 9007199254740991 as text.'
  return value !== 0 && Math.abs(value) < 1e-130 ? 'A number is too small to be kept.' : undefined
}
