import { toWire } from './attributes.ts'
import { WireReader } from './reader.ts'

/** The body of a request or a reply. Members that hold attributes are named in this file; all others pass unchanged. */
type Body = Readonly<Record<string, unknown>>
type Convert = (value: never) => unknown
type Shape = Readonly<Record<string, Convert>>

const each =
  (convert: Convert): Convert =>
  (all: readonly never[]) =>
    all.map(convert)
const convertMembers =
  (shape: Shape): Convert =>
  (body: Body) =>
    convertBody(shape, body)

function convertBody(shape: Shape, body: Body): Body {
  const made: Record<string, unknown> = { ...body }
  for (const name in shape) {
    const [convert, value] = [shape[name], body[name]]
    if (convert && value !== undefined && value !== null) made[name] = convert(value as never)
  }
  return made
}

const read = convertMembers({ Keys: each(toWire) })
const write = each(
  convertMembers({ PutRequest: convertMembers({ Item: toWire }), DeleteRequest: convertMembers({ Key: toWire }) }),
)
/** A batch holds, by table, keys to read or requests to write. */
const batch: Convert = (tables: Readonly<Record<string, never>>) =>
  Object.fromEntries(Object.entries(tables).map(([table, it]) => [table, (Array.isArray(it) ? write : read)(it)]))

const one: Shape = { Key: toWire, Item: toWire, ExpressionAttributeValues: toWire }
const action = convertMembers(one)
const parts = convertMembers({ Put: action, Update: action, Delete: action, ConditionCheck: action, Get: action })
const asked: Shape = { ...one, ExclusiveStartKey: toWire, RequestItems: batch, TransactItems: each(parts) }

/** The JSON of a request, with attributes in DynamoDB's notation. */
export const requestBody = (given: object): string => JSON.stringify(convertBody(asked, given as Body))

/** The members of a reply, with attributes as values. */
export function answerIn(body: Uint8Array): Body {
  if (body.byteLength === 0) return {}
  const reader = new WireReader(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  return reader.map((name) => (answered[name] ?? plain)(reader))
}

type Read = (from: WireReader) => unknown
const plain: Read = (from) => from.plain()
const item: Read = (from) => from.item()
const items: Read = (from) => from.list(from.item)
const withItems =
  (names: Readonly<Record<string, Read>>): Read =>
  (from) =>
    from.map((name) => (names[name] ?? plain)(from))

const unread = withItems({ Keys: items })
const unwritten = withItems({ PutRequest: withItems({ Item: item }), DeleteRequest: withItems({ Key: item }) })

const answered: Readonly<Record<string, Read>> = {
  Item: item,
  Items: items,
  Attributes: item,
  LastEvaluatedKey: item,
  // A batch replies by table, a transaction in order.
  Responses: (from) => (from.isList() ? from.list(() => withItems({ Item: item })(from)) : from.map(() => items(from))),
  UnprocessedKeys: (from) => from.map(() => unread(from)),
  UnprocessedItems: (from) => from.map(() => from.list(() => unwritten(from))),
}
