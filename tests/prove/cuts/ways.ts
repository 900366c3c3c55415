import type { Node } from 'oxc-parser'
import { firstOf, type Marked, type Span, textOf, valueUnder } from '../world/markers.ts'

/** A way to break what stands under a marker: which part of the source goes, and what comes in its place. */
export type Way = (marked: Marked) => Span & { with: string }

const replaced = ({ start: from, end: to }: Node, text: string) => ({ from, to, with: text })

/** The statement, the member or the element is left out. */
export const leftOut: Way = ({ node, parent }) => {
  if (node.type === 'Property' || node.type === 'SpreadElement')
    return replaced(node, parent.type === 'ArrayExpression' ? '...[]' : '...{}')
  return replaced(node, ';')
}

/** Nobody waits for the call, and its failure is not heard of. */
export const notAwaited: Way = (marked) => {
  const wait = firstOf(marked, 'AwaitExpression')
  return replaced(wait, `void ${textOf(marked, wait.argument)}.catch(() => undefined)`)
}

/** A `ConditionExpression` that holds whatever is there. It still names all its values, as DynamoDB requires. */
export const alwaysTrue: Way = (marked) => {
  const condition = valueUnder(marked)
  const text = textOf(marked, condition)
  const always = `(${text.slice(1, -1)}) OR attribute_exists(pk) OR attribute_not_exists(pk)`
  return replaced(condition, `${text[0]}${always}${text[0]}`)
}

/** Of a `ConditionExpression` of two parts the second is left out. */
export const onlyFirstPart: Way = (marked) => {
  const condition = valueUnder(marked)
  const text = textOf(marked, condition)
  const [first] = text.slice(1, -1).split(' AND ')
  return replaced(condition, `${text[0]}${first}${text[0]}`)
}

/** Another value; `text` gets the source of the value that is given. */
export const valued =
  (text: (value: string) => string): Way =>
  (marked) =>
    replaced(valueUnder(marked), text(textOf(marked, valueUnder(marked))))

/** The function returns another value, where it returns one under the marker first. */
export const returning =
  (text: (value: string) => string): Way =>
  (marked) => {
    const { argument } = firstOf(marked, 'ReturnStatement')
    if (!argument) throw new Error(`${marked.file}: nothing is returned under the marker ${marked.marker}`)
    return replaced(argument, text(textOf(marked, argument)))
  }

/** One branch of `a ? b : c` is empty. */
export const emptied =
  (branch: 'consequent' | 'alternate'): Way =>
  (marked) =>
    replaced(firstOf(marked, 'ConditionalExpression')[branch], '{}')

/** Of a call of a method only the object is left: `all` of `all.filter(isNew)`. */
export const onlyObject: Way = (marked) => {
  const call = firstOf(marked, 'CallExpression')
  return replaced(call, objectOf(marked, call))
}

/** Another method of the same object is called, with nothing. */
export const callingInstead =
  (method: string): Way =>
  (marked) => {
    const call = firstOf(marked, 'CallExpression', firstStatement(marked.node))
    return replaced(call, `${objectOf(marked, call)}.${method}()`)
  }

/** Of a sum only what is added. */
export const onlyAdded: Way = (marked) => {
  const sum = firstOf(marked, 'BinaryExpression')
  return replaced(sum, textOf(marked, sum.right))
}

/** A number is read, and not raised. */
export const notRaised: Way = (marked) => {
  const raise = firstOf(marked, 'UpdateExpression')
  return replaced(raise, textOf(marked, raise.argument))
}

/** The first write of each group of writes is lost, unless `packs` is empty yet. */
export const firstWriteLost: Way = (marked) => {
  const packs = objectOf(marked, firstOf(marked, 'CallExpression'))
  const [member] = firstOf(marked, 'ArrayExpression').elements
  if (!member) throw new Error(`${marked.file}: nothing is in the list under the marker ${marked.marker}`)
  const group = textOf(marked, member)
  return replaced(member, `${packs}.length === 0 ? ${group} : { ...${group}, writes: ${group}.writes.slice(1) }`)
}

/** Where several are written together, puts lose their conditions. */
export const withoutConditions: Way = (marked) => {
  const call = firstOf(marked, 'AwaitExpression').argument
  const [writes] = call.type === 'CallExpression' ? call.arguments : []
  if (writes?.type !== 'CallExpression')
    throw new Error(`${marked.file}: no call takes the writes under the marker ${marked.marker}`)
  const pack = objectOf(marked, writes)
  return replaced(
    writes,
    `${textOf(marked, writes)}.map((it) => ${pack}.length > 1 && it.action.Put
      ? { ...it, action: { Put: { TableName: it.action.Put.TableName, Item: it.action.Put.Item } } }
      : it)`,
  )
}

/** What is done where the condition of an `if` holds, or the statement itself. */
const firstStatement = (node: Node): Node => (node.type === 'IfStatement' ? node.consequent : node)

function objectOf(marked: Marked, { callee }: Node & { type: 'CallExpression' }): string {
  if (callee.type !== 'MemberExpression')
    throw new Error(`${marked.file}: no method is called under the marker ${marked.marker}`)
  return textOf(marked, callee.object)
}
