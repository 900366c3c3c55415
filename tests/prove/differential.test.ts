import { beforeAll, expect, test } from 'vitest'
import { createTestTable } from '../harness/emulator.ts'
import { dice } from './world/chance.ts'
import type { Item } from './world/expressions.ts'
import { Refused, Table } from './world/table.ts'

/** The simulated table does what the emulator does, for random commands of the kinds that the service sends. */
const TableName = `test-differential-${process.pid}-${Date.now()}`
beforeAll(() => createTestTable(TableName))

type Outcome = { answer?: Record<string, unknown>; error?: string; reasons?: readonly string[]; old?: unknown }
const shortType = (type: unknown) => String(type).replace(/^.*#/, '')
const codesOf = (reasons: unknown): string[] =>
  Array.isArray(reasons) ? reasons.map((each) => String(Object(each).Code)) : []

async function emulated(command: string, input: object): Promise<Outcome> {
  const response = await fetch(process.env.DYNAMODB_ENDPOINT ?? '', {
    method: 'POST',
    headers: {
      'x-amz-target': `DynamoDB_20120810.${command}`,
      'content-type': 'application/x-amz-json-1.0',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20250115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20250115T100000Z',
    },
    body: JSON.stringify(input),
  })
  const body = (await response.json()) as Record<string, unknown>
  if (response.ok) return { answer: body }
  return { error: shortType(body.__type), reasons: codesOf(body.CancellationReasons), old: body.Item }
}

function simulated(table: Table, command: string, input: object): Outcome {
  try {
    let answer: unknown
    for (const step of table.steps(command, input)) answer = step(now)
    return { answer: answer as Record<string, unknown> }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { error: error.type, reasons: codesOf(error.members.CancellationReasons), old: error.members.Item }
  }
}
/** Each command at a time of its own, so that no key has too much to do in a second. */
let now = 0

/** What of an answer the service reads, in an order of its own where the table promises none. */
function readable(command: string, { answer, error, reasons, old }: Outcome): unknown {
  if (error !== undefined)
    return {
      error,
      ...(error === 'TransactionCanceledException' && { reasons }),
      ...(old !== undefined && { old: sorted(old) }),
    }
  const { Item, Items, Attributes, Responses, LastEvaluatedKey } = answer ?? {}
  const found = Responses ? Object.values(Responses).flat() : Items
  const items = Array.isArray(found) ? found.map(sorted) : undefined
  return {
    Item: Item && sorted(Item),
    Attributes: Attributes && sorted(Attributes),
    items: command === 'BatchGetItem' || command === 'Scan' ? items?.sort() : items,
    more: LastEvaluatedKey && sorted(LastEvaluatedKey),
  }
}
const sorted = (it: unknown): string =>
  JSON.stringify(it, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  )

const { below, pick, happens } = dice(20250115)
const s = (text: string) => ({ S: text })
const n = (number: number) => ({ N: String(number) })
const Key = () => ({ pk: s(`P${below(4)}`), sk: s(pick(['HEAD', 'HEAD#A', 'HEAD#B', 'X', 'é', 'zz'])) })
const index = () => pick(['gsi1', 'gsi2', 'gsi3', 'gsi4'] as const)
const item = (key: Item = Key()): Item => {
  const at = index()
  return {
    ...key,
    type: s(pick(['record', 'flag'])),
    version: n(1 + below(3)),
    ...(happens(0.6) && { [`${at}_pk`]: s(`L${below(3)}`), [`${at}_sk`]: s(`${below(9)}`) }),
    ...(happens(0.3) && { holder: s(pick(['me', 'you'])), expires_at: n(below(100)) }),
    ...(happens(0.2) && { staged_by: s('T'), 'staged#T': { M: { '=a': n(below(5)) } } }),
    ...(happens(0.3) && { n: n(below(20)), list: { L: [s('a'), n(1)] }, yes: { BOOL: true }, none: { NULL: true } }),
  }
}

/** The conditions of lib/engines/table. */
const conditions: readonly (() => object)[] = [
  () => ({}),
  () => ({ ConditionExpression: 'attribute_not_exists(pk)' }),
  () => ({ ConditionExpression: 'attribute_exists(pk)' }),
  () => ({
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': n(1 + below(3)) },
  }),
  () => ({
    ConditionExpression: '#type = :type',
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: { ':type': s('flag') },
  }),
  () => ({
    ConditionExpression: 'attribute_not_exists(pk) OR holder = :me OR expires_at <= :now',
    ExpressionAttributeValues: { ':me': s('me'), ':now': n(below(100)) },
  }),
  () => ({
    ConditionExpression: 'attribute_not_exists(pk) OR expires_at < :now',
    ExpressionAttributeValues: { ':now': n(below(100)) },
  }),
  () => ({ ConditionExpression: 'staged_by = :id', ExpressionAttributeValues: { ':id': s('T') } }),
]
/** Its updates. */
const updates: readonly (() => object)[] = [
  () => ({
    UpdateExpression: 'ADD #n :by',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':by': n(below(7) - 3) },
    ReturnValues: 'UPDATED_NEW',
  }),
  () => ({
    UpdateExpression: 'ADD #n :one, #held :held SET #last = :token',
    ExpressionAttributeNames: { '#n': 'n', '#held': 'held', '#last': 'last' },
    ExpressionAttributeValues: { ':one': n(1), ':held': { SS: [pick(['b', 'c']), 'a'] }, ':token': s('one') },
  }),
  () => ({
    UpdateExpression: 'SET #n = :to',
    ConditionExpression: 'attribute_not_exists(#n) OR #n < :to',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':to': n(below(20)) },
  }),
  () => ({
    UpdateExpression: 'ADD #n :one SET expires_at = :expires',
    ConditionExpression: 'attribute_not_exists(#n) OR #n < :limit',
    ExpressionAttributeNames: { '#n': 'n' },
    ExpressionAttributeValues: { ':one': n(1), ':limit': n(10), ':expires': n(below(100)) },
  }),
  () => ({
    UpdateExpression: 'ADD #n :by SET expires_at = :expires, #last = :token',
    ConditionExpression:
      '(attribute_not_exists(#n) OR #n <= :limit) AND (attribute_not_exists(#last) OR #last <> :token)',
    ExpressionAttributeNames: { '#n': 'n', '#last': 'last' },
    ExpressionAttributeValues: {
      ':by': n(below(5) - 2),
      ':limit': n(10),
      ':expires': n(below(100)),
      ':token': s(pick(['one', 'two'])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }),
  () => ({
    UpdateExpression: 'REMOVE staged_by, staged_as',
    ConditionExpression: 'staged_by = :id',
    ExpressionAttributeValues: { ':id': s('T') },
  }),
  () => ({
    UpdateExpression: 'SET #staged = :adds',
    ExpressionAttributeNames: { '#staged': 'staged#T' },
    ExpressionAttributeValues: { ':adds': { M: { '=a': n(2) } } },
  }),
  () => ({
    UpdateExpression: 'SET #n0 = if_not_exists(#n0, :none) + #staged.#n0 REMOVE #staged',
    ConditionExpression: 'attribute_exists(#staged)',
    ExpressionAttributeNames: { '#staged': 'staged#T', '#n0': '=a' },
    ExpressionAttributeValues: { ':none': n(0) },
  }),
]
const several = <T>(most: number, make: () => T): T[] => Array.from({ length: 1 + below(most) }, make)
const distinct = (keys: readonly Item[]) => [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]

/** Without what a transaction does not have, or tells in another way. */
const actionOf = (): object => {
  const {
    ReturnValues: _,
    ReturnValuesOnConditionCheckFailure: __,
    ...update
  } = pick(updates)() as { ReturnValues?: string; ReturnValuesOnConditionCheckFailure?: string }
  const given = pick(conditions)() as { ConditionExpression?: string }
  return pick<() => object>([
    () => ({ Put: { TableName, Item: item(), ...given } }),
    () => ({ Delete: { TableName, Key: Key(), ...given } }),
    () => ({ Update: { TableName, Key: Key(), ...update } }),
    () => ({
      ConditionCheck: {
        TableName,
        Key: Key(),
        ...('ConditionExpression' in given ? given : { ConditionExpression: 'attribute_exists(pk)' }),
      },
    }),
  ])()
}

const commands: Readonly<Record<string, () => object>> = {
  PutItem: () => ({ TableName, Item: item(), ...pick(conditions)() }),
  DeleteItem: () => ({ TableName, Key: Key(), ...pick(conditions)() }),
  UpdateItem: () => ({ TableName, Key: Key(), ...pick(updates)() }),
  GetItem: () => ({ TableName, Key: Key(), ConsistentRead: true }),
  BatchGetItem: () => ({
    RequestItems: {
      [TableName]: { Keys: happens(0.9) ? distinct(several(6, Key)) : several(3, Key), ConsistentRead: true },
    },
  }),
  BatchWriteItem: () => ({
    RequestItems: {
      [TableName]: distinct(several(4, Key)).map((key) =>
        happens(0.7) ? { PutRequest: { Item: item(key) } } : { DeleteRequest: { Key: key } },
      ),
    },
  }),
  TransactWriteItems: () => ({ TransactItems: several(4, actionOf) }),
  Query: () => {
    const limit = { ScanIndexForward: happens(0.5), ...(happens(0.5) && { Limit: 1 + below(4) }) }
    const pk = s(`P${below(4)}`)
    if (happens(0.5))
      return {
        TableName,
        ...limit,
        ConsistentRead: true,
        ...(happens(0.3) && { ProjectionExpression: 'sk' }),
        ...pick([
          { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } },
          {
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':pk': pk, ':prefix': s('HEAD') },
          },
          {
            KeyConditionExpression: 'pk = :pk AND sk > :sk',
            ExpressionAttributeValues: { ':pk': pk, ':sk': s('HEAD#A') },
          },
          {
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
            ExpressionAttributeValues: { ':pk': pk, ':from': s('HEAD#'), ':to': s('Y') },
          },
        ]),
      }
    const IndexName = index()
    const shown = happens(0.5)
    return {
      TableName,
      IndexName,
      ...limit,
      ...(shown && { ProjectionExpression: '#m0,#m1,#sk' }),
      KeyConditionExpression: '#pk = :pk AND #sk < :beyond',
      FilterExpression: '#only0 = :only0',
      ExpressionAttributeNames: {
        '#pk': `${IndexName}_pk`,
        '#sk': `${IndexName}_sk`,
        '#only0': 'type',
        ...(shown && { '#m0': 'pk', '#m1': 'list' }),
      },
      ExpressionAttributeValues: { ':pk': s(`L${below(3)}`), ':beyond': s('7'), ':only0': s('record') },
    }
  },
  Scan: () => ({
    TableName,
    ConsistentRead: true,
    FilterExpression: '#type IN (:type0, :type1)',
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: { ':type0': s('flag'), ':type1': s('other') },
  }),
}

test('2,000 random commands, one after the other, come to the same as at the emulator', async () => {
  const table = new Table()
  const done = new Map<string, number>()
  for (let i = 0; i < 2000; i += 1) {
    const command = pick(Object.keys(commands))
    const input = commands[command]?.() ?? {}
    now += 1000
    const theirs = readable(command, await emulated(command, input))
    const ours = readable(command, simulated(table, command, input))
    expect(ours, `${i} ${command} ${JSON.stringify(input)}`).toEqual(theirs)
    done.set(command, (done.get(command) ?? 0) + 1)
  }
  // Each kind was among them.
  expect([...done.keys()].sort()).toEqual(Object.keys(commands).sort())
})

test('an expression of a form that the service does not use is refused, not guessed at', () => {
  const table = new Table()
  const put = { TableName, Item: item() }
  for (const ConditionExpression of ['size(pk) > :n', 'NOT attribute_exists(pk)', 'contains(pk, :n)'])
    expect(
      () => simulated(table, 'PutItem', { ...put, ConditionExpression, ExpressionAttributeValues: { ':n': n(1) } }),
      ConditionExpression,
    ).toThrow()
})
