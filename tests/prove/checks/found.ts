import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, parseSync } from 'oxc-parser'
import { ROOT, type Span } from '../world/sources.ts'

/**
 * Every check of who may, found in the sources themselves: each part of a rule in `lib/platform/permissions.ts` that can refuse, each place
 * where somebody asks one of its rules, and what the pipeline refuses by them.
 */
const RULES = 'lib/platform/permissions.ts'
const PIPELINE = 'lib/platform/http/endpoint.ts'

/** `passes`: what stands there when the check is taken away. `rule`: a function is named there, whose answer it is. */
export type Check = Span & { file: string; name: string; passes: boolean; rule: boolean }
type Place = Omit<Check, 'file' | 'name'>

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && 'type' in it && 'start' in it
/** What is in a piece of a program, but for types. */
function* partsOf(it: Node): Iterable<Node> {
  for (const value of Object.values(it))
    for (const each of Array.isArray(value) ? value : [value])
      if (isNode(each) && (!each.type.startsWith('TS') || /Expression$/.test(each.type))) yield each
}
function* within(it: Node): Iterable<Node> {
  yield it
  for (const each of partsOf(it)) yield* within(each)
}

const allowed = ({ start: from, end: to }: Node): Place => ({ from, to, passes: true, rule: false })
const never = ({ start: from, end: to }: Node): Place => ({ from, to, passes: false, rule: false })

const isTrue = (it: Node) => it.type === 'Literal' && it.value === true
const isRefusal = (it: Node | null | undefined): boolean =>
  it?.type === 'ObjectExpression' &&
  it.properties.some(
    (each) => each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === 'refusal',
  )

/** What can refuse in an expression that says whether somebody may: itself, and each part without which it allows more. */
function refusing(it: Node): Place[] {
  if (it.type === 'ParenthesizedExpression') return refusing(it.expression)
  if (it.type === 'LogicalExpression' && it.operator === '&&') return [it.left, it.right].flatMap(refusing)
  if (it.type === 'LogicalExpression') return [allowed(it), ...[it.left, it.right].flatMap(jointly)]
  if (it.type === 'ConditionalExpression')
    return isTrue(it.alternate) || isTrue(it.consequent) ? [allowed(it)] : [allowed(it.test)]
  if (it.type === 'ObjectExpression')
    return isRefusal(it) ? [] : it.properties.flatMap((each) => (each.type === 'Property' ? refusing(each.value) : []))
  return isTrue(it) || isAlways(it) || it.type === 'Literal' ? [] : [allowed(it)]
}

/** Of one of several reasons to allow, what it takes. */
const jointly = (it: Node): Place[] =>
  it.type === 'ParenthesizedExpression'
    ? jointly(it.expression)
    : it.type === 'LogicalExpression' && it.operator === '&&'
      ? refusing(it)
      : []

const isAlways = (it: Node) => it.type === 'Identifier' && it.name === 'anyone'
const SAYS_MORE = /^TS(String|TypeReference|Array)/

/** Rules as functions: what they answer, but where it is a word or a list. */
function ofFunction(it: Node): Place[] {
  if (it.type !== 'ArrowFunctionExpression' || !isNode(it.body) || it.body.type === 'ArrowFunctionExpression') return []
  const says = it.returnType?.typeAnnotation
  const isRuling = says?.type === 'TSTypeReference' && 'name' in says.typeName && says.typeName.name === 'Ruling'
  return says && SAYS_MORE.test(says.type) && !isRuling ? [] : refusing(it.body)
}

const SORTS = /^(role|sees|changes)$/
/** Where a rule is named instead of written down. */
function ofName(it: Node): Place[] {
  const named =
    it.type === 'Property' && it.key.type === 'Identifier' && SORTS.test(it.key.name)
      ? [it.value]
      : it.type === 'ArrayExpression'
        ? it.elements.flatMap((each) => (each ? [each] : []))
        : []
  return named.flatMap((each) =>
    (each.type === 'Identifier' && !isAlways(each) && each.name !== 'everyone') || each.type === 'MemberExpression'
      ? [{ ...allowed(each), rule: true }]
      : [],
  )
}

/** Refusals of a function that goes through several conditions. */
const ofStatement = (it: Node): Place[] =>
  it.type === 'IfStatement' && it.consequent.type === 'ReturnStatement' && isRefusal(it.consequent.argument)
    ? [never(it.test)]
    : it.type === 'ReturnStatement' && it.argument?.type === 'LogicalExpression' && isRefusal(it.argument.right)
      ? [allowed(it.argument)]
      : []

/** What the pipeline refuses with a problem. */
const ofPipeline = (it: Node): Place[] =>
  it.type === 'IfStatement' && it.consequent.type === 'ThrowStatement' && /rule/.test(JSON.stringify(it.test))
    ? [never(it.test)]
    : []

/** The rules that others ask for, and what they answer where nothing is refused. */
const asked = (source: string): ReadonlyMap<string, boolean> =>
  new Map(
    [...source.matchAll(/^export (?:const|function) (may\w+|works\w+|has\w+|is\w+)/gm)].map(([, name = '']) => [
      name,
      name !== 'isCoarse',
    ]),
  )

const ofCall =
  (rules: ReadonlyMap<string, boolean>) =>
  (it: Node): Place[] => {
    if (it.type !== 'CallExpression' || it.callee.type !== 'Identifier') return []
    const passes = rules.get(it.callee.name)
    return passes === undefined ? [] : [{ from: it.start, to: it.end, passes, rule: false }]
  }

/** All of them, in the order of the files. */
export function foundChecks(): Check[] {
  const rules = asked(readFileSync(join(ROOT, RULES), 'utf8'))
  const files = globSync(['functions/**/*.ts', 'lib/**/*.ts'], { cwd: ROOT }).sort()
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    const all = [...within(parseSync(file, source).program)]
    const places =
      file === RULES
        ? all.flatMap((it) => [...ofFunction(it), ...ofName(it), ...ofStatement(it)])
        : all.flatMap((it) => [...ofCall(rules)(it), ...(file === PIPELINE ? ofPipeline(it) : [])])
    const each = [...new Map(places.map((it) => [`${it.from} ${it.to}`, it])).values()]
    return each.map((it) => ({ ...it, file, name: nameOf(file, source, it) }))
  })
}

function nameOf(file: string, source: string, { from, to }: Span): string {
  const line = source.slice(0, from).split('\n').length
  return `${file}:${line} ${source.slice(from, to).replace(/\s+/g, ' ')}`
}
