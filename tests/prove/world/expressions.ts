/**
 * DynamoDB's expressions, as far as the service uses them; every other form throws, so that nothing is let through that
 * the real table would understand in another way. Values are as on the wire: `{ S: 'text' }`.
 */
export type Value = Readonly<Record<string, unknown>>
export type Item = Readonly<Record<string, Value>>
export type Words = {
  ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined
  ExpressionAttributeValues?: Readonly<Record<string, Value>> | undefined
}
type Path = readonly string[]
type Operand = { path: Path } | { value: string }
export type Condition =
  | { op: 'and' | 'or'; sides: readonly Condition[] }
  | { op: 'exists' | 'missing'; path: Path }
  | { op: 'begins'; path: Path; value: Operand }
  | { op: '=' | '<' | '>' | '<=' | '>=' | '<>'; left: Operand; right: Operand }
  | { op: 'between'; left: Operand; from: Operand; to: Operand }
  | { op: 'in'; left: Operand; among: readonly Operand[] }

const TOKEN = /\s*(<=|>=|<>|[=<>(),.+]|[#:]?[A-Za-z_][\w]*)/y

class Tokens {
  #at = 0
  readonly #all: string[] = []
  constructor(text: string) {
    TOKEN.lastIndex = 0
    for (let end = 0; end < text.trimEnd().length; end = TOKEN.lastIndex) {
      const found = TOKEN.exec(text)
      if (!found?.[1]) throw new Error(`the simulated table does not know the expression: ${text}`)
      this.#all.push(found[1])
    }
  }
  peek = (): string => this.#all[this.#at] ?? ''
  next = (): string => this.#all[this.#at++] ?? ''
  take(word: string): boolean {
    if (this.peek().toUpperCase() !== word) return false
    this.#at += 1
    return true
  }
  expect(word: string): void {
    if (!this.take(word)) throw new Error(`the simulated table expected ${word} and found ${this.peek()}`)
  }
}

function path(tokens: Tokens): Path {
  const parts = [tokens.next()]
  while (tokens.take('.')) parts.push(tokens.next())
  if (parts.some((part) => !/^#?\w+$/.test(part))) throw new Error(`no path: ${parts.join('.')}`)
  return parts
}

const operand = (tokens: Tokens): Operand =>
  tokens.peek().startsWith(':') ? { value: tokens.next() } : { path: path(tokens) }

function either(tokens: Tokens): Condition {
  const sides = [both(tokens)]
  while (tokens.take('OR')) sides.push(both(tokens))
  return sides.length === 1 && sides[0] ? sides[0] : { op: 'or', sides }
}

function both(tokens: Tokens): Condition {
  const sides = [single(tokens)]
  while (tokens.take('AND')) sides.push(single(tokens))
  return sides.length === 1 && sides[0] ? sides[0] : { op: 'and', sides }
}

const FUNCTIONS = { attribute_exists: 'exists', attribute_not_exists: 'missing', begins_with: 'begins' } as const
const isFunction = (name: string): name is keyof typeof FUNCTIONS => name in FUNCTIONS
const COMPARED = ['=', '<', '>', '<=', '>=', '<>'] as const

function single(tokens: Tokens): Condition {
  if (tokens.take('(')) {
    const inner = either(tokens)
    tokens.expect(')')
    return inner
  }
  const name = tokens.peek()
  return isFunction(name) ? called(tokens, name) : compared(tokens)
}

function called(tokens: Tokens, name: keyof typeof FUNCTIONS): Condition {
  tokens.next()
  tokens.expect('(')
  const at = path(tokens)
  const op = FUNCTIONS[name]
  if (op === 'begins') tokens.expect(',')
  const condition: Condition = op === 'begins' ? { op, path: at, value: operand(tokens) } : { op, path: at }
  tokens.expect(')')
  return condition
}

function compared(tokens: Tokens): Condition {
  const left = operand(tokens)
  if (tokens.take('BETWEEN')) {
    const from = operand(tokens)
    tokens.expect('AND')
    return { op: 'between', left, from, to: operand(tokens) }
  }
  if (tokens.take('IN')) {
    tokens.expect('(')
    const among = [operand(tokens)]
    while (tokens.take(',')) among.push(operand(tokens))
    tokens.expect(')')
    return { op: 'in', left, among }
  }
  const word = tokens.next()
  const op = COMPARED.find((each) => each === word)
  if (!op) throw new Error(`the simulated table does not know the comparison ${word}`)
  return { op, left, right: operand(tokens) }
}

/** Something read once from its text. */
function parsed<T>(read: (tokens: Tokens) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found) return found
    const tokens = new Tokens(text)
    const made = read(tokens)
    if (tokens.peek() !== '') throw new Error(`the simulated table does not know the end of: ${text}`)
    known.set(text, made)
    return made
  }
}

export const conditionOf = parsed(either)

const nameOf = (part: string, words: Words): string => {
  if (!part.startsWith('#')) return part
  const name = words.ExpressionAttributeNames?.[part]
  if (name === undefined) throw new Invalid(`An expression attribute name used in expression is not defined: ${part}`)
  return name
}

/** What the table answers with a ValidationException. */
export class Invalid extends Error {}

function at(item: Item | undefined, to: Path, words: Words): Value | undefined {
  let here: Value | undefined = item && { M: item }
  for (const part of to) {
    const members = here?.M as Item | undefined
    here = members?.[nameOf(part, words)]
  }
  return here
}

const valueAt = (it: Operand, item: Item | undefined, words: Words): Value | undefined => {
  if ('path' in it) return at(item, it.path, words)
  const value = words.ExpressionAttributeValues?.[it.value]
  if (value === undefined)
    throw new Invalid(`An expression attribute value used in expression is not defined: ${it.value}`)
  return value
}

/** Below, equal or above, of two texts or two numbers; undefined for others, which no order relates. */
function order(a: Value | undefined, b: Value | undefined): number | undefined {
  if (typeof a?.S === 'string' && typeof b?.S === 'string') return compareText(a.S, b.S)
  if (typeof a?.N === 'string' && typeof b?.N === 'string') return Number(a.N) - Number(b.N)
  return undefined
}

/** As the table orders keys: by the bytes of UTF-8. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  // Where no surrogates are, units of UTF-16 are in the order of UTF-8.
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
const SURROGATE = /[\ud800-\udfff]/

const same = (a: Value | undefined, b: Value | undefined): boolean =>
  a !== undefined && b !== undefined && (order(a, b) === 0 || JSON.stringify(a) === JSON.stringify(b))

const ORDERS: Readonly<Record<string, (n: number) => boolean>> = {
  '<': (n) => n < 0,
  '>': (n) => n > 0,
  '<=': (n) => n <= 0,
  '>=': (n) => n >= 0,
}

/** Whether a condition holds of an item, or of none. */
export function holds(it: Condition, item: Item | undefined, words: Words): boolean {
  const value = (side: Operand) => valueAt(side, item, words)
  switch (it.op) {
    case 'and':
      return it.sides.every((side) => holds(side, item, words))
    case 'or':
      return it.sides.some((side) => holds(side, item, words))
    case 'exists':
      return at(item, it.path, words) !== undefined
    case 'missing':
      return at(item, it.path, words) === undefined
    case 'begins': {
      const [text, start] = [at(item, it.path, words)?.S, value(it.value)?.S]
      return typeof text === 'string' && typeof start === 'string' && text.startsWith(start)
    }
    case 'between': {
      const [from, to] = [order(value(it.left), value(it.from)), order(value(it.left), value(it.to))]
      return from !== undefined && to !== undefined && from >= 0 && to <= 0
    }
    case 'in':
      return it.among.some((each) => same(value(it.left), value(each)))
    case '=':
      return same(value(it.left), value(it.right))
    case '<>':
      return !same(value(it.left), value(it.right))
    default: {
      const n = order(value(it.left), value(it.right))
      return n !== undefined && (ORDERS[it.op]?.(n) ?? false)
    }
  }
}

type Term = Operand | { unless: Path; otherwise: Operand }
type Update = {
  set: readonly { path: Path; terms: readonly Term[] }[]
  remove: readonly Path[]
  add: readonly { path: Path; value: Operand }[]
}

const term = (tokens: Tokens): Term => {
  if (tokens.peek() !== 'if_not_exists') return operand(tokens)
  tokens.next()
  tokens.expect('(')
  const unless = path(tokens)
  tokens.expect(',')
  const otherwise = operand(tokens)
  tokens.expect(')')
  return { unless, otherwise }
}

export const updateOf = parsed((tokens): Update => {
  const [set, remove, add]: [Update['set'][number][], Path[], Update['add'][number][]] = [[], [], []]
  const clauses: Readonly<Record<string, () => void>> = {
    SET: () => {
      const to = path(tokens)
      tokens.expect('=')
      const terms = [term(tokens)]
      while (tokens.take('+')) terms.push(term(tokens))
      set.push({ path: to, terms })
    },
    REMOVE: () => void remove.push(path(tokens)),
    ADD: () => void add.push({ path: path(tokens), value: operand(tokens) }),
  }
  while (tokens.peek() !== '') {
    const word = tokens.next().toUpperCase()
    const clause = clauses[word]
    if (!clause) throw new Error(`the simulated table does not know the clause ${word}`)
    do clause()
    while (tokens.take(','))
  }
  return { set, remove, add }
})

const number = (it: Value | undefined): number => {
  if (typeof it?.N !== 'string') throw new Invalid('An operand in the update expression has an incorrect data type')
  return Number(it.N)
}

/** The item after an update, on what was there before, and the names of what was written. */
export function updated(it: Update, old: Item | undefined, key: Item, words: Words): { next: Item; names: string[] } {
  const next: Record<string, Value> = { ...key, ...old }
  const own = (to: Path) => {
    const [first = '', ...deeper] = to
    if (deeper.length > 0) throw new Error('the simulated table writes no members of maps')
    return nameOf(first, words)
  }
  const termOf = (each: Term): Value | undefined =>
    'unless' in each ? (at(old, each.unless, words) ?? valueAt(each.otherwise, old, words)) : valueAt(each, old, words)
  const names: string[] = []
  for (const { path: to, terms } of it.set) {
    const values = terms.map(termOf)
    const [first] = values
    if (first === undefined) throw new Invalid('The provided expression refers to an attribute that does not exist')
    const sum = terms.length > 1 ? { N: String(values.reduce((all, each) => all + number(each), 0)) } : first
    names.push(own(to))
    next[own(to)] = sum
  }
  for (const { path: to, value } of it.add) {
    const name = own(to)
    names.push(name)
    next[name] = sumOf(old?.[name], valueAt(value, old, words))
  }
  for (const to of it.remove) delete next[own(to)]
  return { next, names }
}

/** What adding gives: a sum, or a set with further members. */
function sumOf(old: Value | undefined, more: Value | undefined): Value {
  if (!more?.SS) return { N: String((old ? number(old) : 0) + number(more)) }
  return { SS: [...new Set([...textsOf(old), ...textsOf(more)])] }
}
const textsOf = (set: Value | undefined): string[] => (Array.isArray(set?.SS) ? set.SS.map(String) : [])

/** What is at these paths of an item; members of maps stay in their maps. */
const pathsOf = parsed((tokens) => {
  const paths = [path(tokens)]
  while (tokens.take(',')) paths.push(path(tokens))
  return paths
})
export function projected(expression: string, item: Item, words: Words): Item {
  const only: Record<string, Value> = {}
  for (const to of pathsOf(expression)) {
    const [first = '', ...deeper] = to
    if (deeper.length > 0) throw new Error('the simulated table reads no members of maps')
    const name = nameOf(first, words)
    if (name in only)
      throw new Invalid('Two document paths overlap with each other; must remove or rewrite one of these paths')
    const value = item[name]
    if (value) only[name] = value
  }
  return only
}

const pieces = (text: string): string[] => text.match(/[#:][A-Za-z_]\w*/g) ?? []

/** Fails where a name or value is declared and no expression uses it, as the table does. */
export function checkUsed(words: Words, expressions: readonly (string | undefined)[]): void {
  const used = new Set(expressions.flatMap((text) => (text === undefined ? [] : pieces(text))))
  for (const [what, declared] of [
    ['Names', words.ExpressionAttributeNames],
    ['Values', words.ExpressionAttributeValues],
  ] as const) {
    const idle = Object.keys(declared ?? {}).filter((name) => !used.has(name))
    if (idle.length > 0)
      throw new Invalid(
        `Value provided in ExpressionAttribute${what} unused in expressions: keys: {${idle.join(', ')}}`,
      )
  }
}
