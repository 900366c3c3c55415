/**
 * Where a text stops to be JSON (RFC 8259): the line and column, both from 1, of the first character that cannot stand
 * there, or of the end. Undefined for JSON. The runtime's own message names a place for some faults only, and quotes
 * what was sent.
 */
export function faultIn(text: string): { line: number; column: number } | undefined {
  const open: string[] = []
  let wanted: Wanted = 'value'
  let at = 0
  for (;;) {
    blank.lastIndex = at
    blank.test(text)
    at = blank.lastIndex
    if (wanted === 'end' && at === text.length) return undefined
    const kind = kinds.find((each) => takes(each, wanted, open.at(-1), text, at))
    if (!kind) return placeOf(text, wanted === 'end' ? at : within(text, at))
    if (kind.opens) open.push(kind.opens)
    if (kind.closes) open.pop()
    wanted = kind.next ?? (open.length === 0 ? 'end' : 'comma')
    at = kind.form.lastIndex
  }
}

/** What has to come next; `first` is a value or key, or the end of what has just begun. */
type Wanted = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'
type Kind = { form: RegExp; at: readonly Wanted[]; in?: '{' | '['; opens?: '{' | '['; closes?: true; next?: Wanted }

const blank = /[ \t\n\r]*/y
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar =
  /(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-]))/y
const values: readonly Wanted[] = ['value', 'first value']
const kinds: readonly Kind[] = [
  { form: scalar, at: values },
  { form: /\{/y, at: values, opens: '{', next: 'first key' },
  { form: /\[/y, at: values, opens: '[', next: 'first value' },
  { form: string, at: ['key', 'first key'], next: 'colon' },
  { form: /:/y, at: ['colon'], next: 'value' },
  { form: /,/y, at: ['comma'], in: '{', next: 'key' },
  { form: /,/y, at: ['comma'], in: '[', next: 'value' },
  { form: /\}/y, at: ['comma', 'first key'], in: '{', closes: true },
  { form: /\]/y, at: ['comma', 'first value'], in: '[', closes: true },
]

function takes(kind: Kind, wanted: Wanted, inside: string | undefined, text: string, at: number): boolean {
  kind.form.lastIndex = at
  return kind.at.includes(wanted) && (kind.in === undefined || kind.in === inside) && kind.form.test(text)
}

/** Of a string or word that is cut off or broken the place inside of it. */
function within(text: string, at: number): number {
  const begun = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y
  begun.lastIndex = at
  return begun.test(text) && text[begun.lastIndex] !== '"' ? begun.lastIndex : at
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** Deeper than this the table stores nothing: its limit is 32, and what holds a value needs some. */
const DEEPEST = 24
const LONGEST_NAME = 255

/** Why a value cannot be stored as it was sent, or undefined: it is nested too deeply, or a number is too large. */
export function unstorable(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number') return numberFault(value)
  if (typeof value !== 'object' || value === null || value instanceof File) return undefined
  if (depth === DEEPEST) return `This is nested more than ${DEEPEST} levels deep.`
  const isList = Array.isArray(value)
  for (const [name, each] of Object.entries(value)) {
    if (!isList && (name === '' || name.length > LONGEST_NAME))
      return `Names of members have 1 to ${LONGEST_NAME} characters.`
    const fault = unstorable(each, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

function numberFault(it: number): string | undefined {
  if (Math.abs(it) > Number.MAX_SAFE_INTEGER)
    return 'A number is too large to be kept exactly: send those beyond 9007199254740991 as text.'
  return it !== 0 && Math.abs(it) < 1e-130 ? 'A number is too small to be kept.' : undefined
}
