import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AwaitExpression, type Node, parseSync } from 'oxc-parser'
import { type Dice, dice } from '../world/chance.ts'
import { childrenOf, nodesIn } from '../world/markers.ts'
import { ROOT, type Span, type Switch } from '../world/sources.ts'

/**
 * Every condition of a write, every wait whose result nobody uses, every sum with a number, every comparison of sizes and every two waits
 * in a row, found in the sources themselves: those that the compiler would let go. In the place of a condition stands one that always
 * holds, in the place of a wait a call that nobody waits for, and that takes its time. Nothing is added, a comparison says the opposite, and
 * the second of two waits comes first.
 */
const ROOMS = ['functions/**/*.ts', 'lib/**/*.ts']
/** Waits for a moment, and for files that a process keeps to itself: nothing is written. */
const NO_WRITE = /^(sleep|pause|rm|rename|mkdir|symlink|pipeline|Promise)$/
/** What the world has not: a cache server, the wire to an identity provider, the reader of images and of PDFs as pictures. Tests of their own ask these. */
const NOT_THERE = /^lib\/(platform\/cache\/redis|platform\/auth\/idp|engines\/ocr\/(engine|pdf-pages))\.ts$/
const CONDITION = 'ConditionExpression'

export type Found = Switch & { name: string }
type Place = Omit<Found, 'file' | 'name'>

/** A node and all that is in it, in their order, without the bodies of functions in it. */
function* ownOf(node: Node): Iterable<Node> {
  yield node
  for (const child of childrenOf(node)) if (!FUNCTION.test(child.type)) yield* ownOf(child)
}
const FUNCTION = /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/

const isNamed = (it: Node | null | undefined, name: string) => it?.type === 'Identifier' && it.name === name

/** The last name of what is called: `send` of `db.send(command)`. */
function calledIn(it: Node): string | undefined {
  if (it.type === 'ChainExpression') return calledIn(it.expression)
  if (it.type === 'NewExpression') return calledIn(it.callee)
  if (it.type === 'CallExpression') {
    const { callee } = it
    // What follows upon a failure is no call of its own.
    return callee.type === 'MemberExpression' && isNamed(callee.property, 'catch')
      ? calledIn(callee.object)
      : calledIn(callee)
  }
  if (it.type === 'MemberExpression') return calledIn(it.property)
  return it.type === 'Identifier' ? it.name : undefined
}

/** Functions of a file whose first parameter is a condition. */
const makersIn = (all: readonly Node[]): Set<string> =>
  new Set(
    all.flatMap((it) =>
      it.type === 'VariableDeclarator' &&
      it.id.type === 'Identifier' &&
      it.init?.type === 'ArrowFunctionExpression' &&
      isNamed(it.init.params[0], CONDITION)
        ? [it.id.name]
        : [],
    ),
  )

/** Where a condition is written down. */
function conditionIn(it: Node, makers: ReadonlySet<string>): Node | undefined {
  if (it.type === 'Property' && isNamed(it.key, CONDITION)) return it.value
  if (it.type === 'VariableDeclarator' && isNamed(it.id, CONDITION)) return it.init ?? undefined
  if (it.type === 'CallExpression' && it.callee.type === 'Identifier' && makers.has(it.callee.name))
    return it.arguments[0]
  return undefined
}

function conditionsIn(source: string, all: readonly Node[]): Place[] {
  const makers = makersIn(all)
  return all.flatMap((it): Place[] => {
    const condition = conditionIn(it, makers)
    if (condition?.type !== 'Literal' && condition?.type !== 'TemplateLiteral') return []
    const { start: from, end: to } = condition
    const quote = source[from] ?? ''
    const always = `(${source.slice(from + 1, to - 1)}) OR attribute_exists(pk) OR attribute_not_exists(pk)`
    return [{ from, to, with: `${quote}${always}${quote}`, sort: 'condition', waited: from, before: [] }]
  })
}

type Wait = { statement: Node; waits: AwaitExpression }
/** A wait that is a statement of its own, or that a function ends with. */
function waitIn(statement: Node): Wait | undefined {
  const isStatement = statement.type === 'ExpressionStatement' || statement.type === 'ReturnStatement'
  const waits = isStatement ? ('expression' in statement ? statement.expression : statement.argument) : null
  return waits?.type === 'AwaitExpression' && !NO_WRITE.test(calledIn(waits.argument) ?? '')
    ? { statement, waits }
    : undefined
}

/** What ends with the block that it stands in. */
const isOfBlock = (it: Node) => it.type === 'VariableDeclaration' && /using$/.test(it.kind)

/** Where something is done yet when what stands there has failed, or has ended; elsewhere a promise is as good as what it comes to. */
const seenThrough = (own: readonly Node[]): readonly Span[] =>
  own.flatMap((it) => {
    if (it.type === 'BlockStatement' && it.body.some(isOfBlock)) return [{ from: it.start, to: it.end }]
    if (it.type !== 'TryStatement') return []
    const { block, handler, finalizer } = it
    return [block, ...(handler && finalizer ? [handler] : [])].map(({ start: from, end: to }) => ({ from, to }))
  })

/** The waits of one function, but for what is in functions of its own. */
function waitsIn(source: string, own: readonly Node[]): Place[] {
  const all = own.flatMap((it) => (it.type === 'AwaitExpression' ? [it] : []))
  const seen = seenThrough(own)
  return own.flatMap((it): Place[] => {
    const found = waitIn(it)
    if (!found) return []
    const { start: from, end: to, argument } = found.waits
    const what = source.slice(argument.start, argument.end)
    const earlier = all.filter(({ end }) => end <= from)
    const before = earlier.map((each) => ({ from: each.argument.start, to: each.argument.end }))
    const place = { from, to, waited: argument.start, before }
    if (it.type !== 'ReturnStatement')
      return [{ ...place, with: `void (globalThis as any).proved.apart(async () => (${what}))`, sort: 'wait' }]
    return seen.some((span) => span.from < from && to < span.to) ? [{ ...place, with: what, sort: 'return' }] : []
  })
}

const isNumber = (it: Node) => it.type === 'Literal' && typeof it.value === 'number'
const SUM = /^[+-]=?$/
const COMPARISON = /^[<>]=?$/

/** The number that is added or taken away. */
function addedIn(it: Node): Node | undefined {
  const isSum = (it.type === 'BinaryExpression' || it.type === 'AssignmentExpression') && SUM.test(it.operator)
  return isSum ? [it.right, it.left].find(isNumber) : undefined
}

/** Sums with a number, and comparisons of sizes, of one function: what stands outside of any is reckoned once, when a module is loaded. */
function arithmeticIn(source: string, own: readonly Node[]): Place[] {
  return own.flatMap((it): Place[] => {
    const added = addedIn(it)
    if (added) return [{ ...spanOf(added), with: '0', sort: 'sum', waited: added.start, before: [] }]
    if (it.type !== 'BinaryExpression' || !COMPARISON.test(it.operator)) return []
    const opposite = `!(${source.slice(it.start, it.end)})`
    return [{ ...spanOf(it), with: opposite, sort: 'comparison', waited: it.start, before: [] }]
  })
}
const spanOf = ({ start: from, end: to }: Node): Span => ({ from, to })

/** Two waits of which one follows the other at once. */
function ordersIn(source: string, own: readonly Node[]): Place[] {
  const rows = own.flatMap((it) => (it.type === 'BlockStatement' ? [it.body] : []))
  return rows.flatMap((row) =>
    row.flatMap((statement, i): Place[] => {
      const both = [row[i - 1], statement].map((it) =>
        it?.type === 'ExpressionStatement' ? waitIn(it)?.waits : undefined,
      )
      const [first, second] = both.map((it) => it && { ...spanOf(it), text: source.slice(it.start, it.end) })
      if (!(first && second && both[0])) return []
      const swapped = `${second.text}\n${source.slice(first.to, second.from)}\n${first.text}`
      const place = { from: first.from, to: second.to, waited: both[0].argument.start, before: [] }
      return [{ ...place, with: swapped, sort: 'order', both: [first, second] }]
    }),
  )
}

function placesIn(source: string, all: readonly Node[]): Place[] {
  const [program] = all
  const functions = all.filter(({ type }) => FUNCTION.test(type)).map((it) => [...ownOf(it)])
  const waits = [...(program ? [[...ownOf(program)]] : []), ...functions].flatMap((own) => waitsIn(source, own))
  const others = functions.flatMap((own) => [...arithmeticIn(source, own), ...ordersIn(source, own)])
  return [...conditionsIn(source, all), ...waits, ...others].sort((a, b) => a.from - b.from)
}

const lineOf = (source: string, at: number) => source.slice(0, at).split('\n').length
const SAID = {
  condition: 'minds no condition',
  wait: 'waits for nothing',
  return: 'waits for nothing',
  sum: 'adds nothing',
  comparison: 'says the opposite',
  order: 'comes second',
} as const
/** What is asked of the tests of a room, too: where the world is not changed by it, an answer may be. */
export const isArithmetic = ({ sort }: Found): boolean => ['sum', 'comparison', 'order'].includes(sort)

function inFile(file: string): Found[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return placesIn(source, [...nodesIn(parseSync(file, source).program)]).map((it) => ({
    ...it,
    file,
    name: `${file}:${lineOf(source, it.from)} ${SAID[it.sort]}`,
  }))
}

/** All of them, in the order of the files. */
export const foundCuts = (): Found[] =>
  globSync(ROOMS, { cwd: ROOT })
    .sort()
    .filter((file) => !NOT_THERE.test(file))
    .flatMap(inFile)

/** Whether a cut is one of those that are asked for, by file, file and line or sort, which are divided by `|`. */
const isAsked = ({ name, file, sort }: Found, asked: string): boolean =>
  asked.split('|').some((it) => it === file || it === sort || name.startsWith(`${it} `))

/** So many of them by chance, or of those that are asked for, each once, with their numbers. */
export function someCuts(many: number, seed: number, asked?: string): [number, Found][] {
  const left = [...foundCuts().entries()].filter(([, it]) => asked === undefined || isAsked(it, asked))
  const chance: Dice = dice(seed)
  return Array.from({ length: Math.min(many, left.length) }, () => left.splice(chance.below(left.length), 1)).flat()
}
