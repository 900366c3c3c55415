import * as fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestTable } from '../../harness/emulator.ts'
import { withRepliesLost } from '../../harness/faults.ts'

type Modules = {
  item: typeof import('../../../lib/engines/table/item.ts')
  read: typeof import('../../../lib/engines/table/read.ts')
  transact: typeof import('../../../lib/engines/table/transact.ts')
  write: typeof import('../../../lib/engines/table/write.ts')
  client: typeof import('../../../lib/engines/table/client.ts')
  errors: typeof import('../../../lib/base/errors.ts')
}
let table: Modules
beforeAll(async () => {
  process.env.TABLE_NAME = `test-table-${process.pid}`
  await createTestTable(process.env.TABLE_NAME)
  table = {
    item: await import('../../../lib/engines/table/item.ts'),
    read: await import('../../../lib/engines/table/read.ts'),
    transact: await import('../../../lib/engines/table/transact.ts'),
    write: await import('../../../lib/engines/table/write.ts'),
    client: await import('../../../lib/engines/table/client.ts'),
    errors: await import('../../../lib/base/errors.ts'),
  }
  const { clock } = await import('../../../lib/base/clock.ts')
  // Waiting between attempts is not what is tested here.
  const chance = clock.random
  clock.random = (below) => (below > 40 ? 0 : chance(below))
  const { provideCountLayout } = await import('../../../lib/engines/table/counters.ts')
  provideCountLayout(() => undefined)
})

const Stone = v.object({ id: v.string(), color: v.string(), version: v.number() })
type Stone = v.InferOutput<typeof Stone>
const listOf = (color: string) => `STONES#${color}`
const stones = () =>
  table.item.defineItem({
    type: 'stone',
    schema: Stone,
    key: ({ id }: { id: string }) => ({ pk: `STONE#${id}`, sk: 'HEAD' }),
    indexes: (it) => ({ gsi1: { pk: listOf(it.color), sk: it.id } }),
    counted: (it) => [listOf(it.color), listOf('all')],
  })
const make = (id: string, color = 'red', version = 1): Stone => ({ id, color, version })
const put = (next: Stone, old?: Stone, otherwise?: Parameters<typeof table.item.put>[3]) =>
  table.item.put(stones(), next, old, otherwise)
/** How many there are in a list, by its counter. */
const sizeOf = async (list: string) => {
  const { countKeys, sumOf } = await import('../../../lib/engines/table/counters.ts')
  return sumOf([list], await table.read.getMany(countKeys([list])))
}
const load = (id: string) => table.read.get(stones(), { id })
const code = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

/** Stands between the client and the table for the calls of one command. */
type Meddle = (
  next: (args: object) => Promise<{ output: object }>,
  args: { input: object },
) => Promise<{ output: object }>
function meddle(command: string, step: 'initialize' | 'deserialize', how: Meddle) {
  const stack = table.client.db.middlewareStack
  const middleware =
    (next: (args: object) => Promise<{ output: object }>, context: { commandName?: string }) =>
    (args: { input: object }) =>
      context.commandName === command ? how(next, args) : next(args)
  // The SDK's types tell the steps apart; what is used here of their arguments and results is the same.
  stack.add(middleware as never, { step: step as 'initialize', name: 'meddle', priority: 'low' })
}
afterEach(() => {
  table.client.db.middlewareStack.remove('meddle')
})

describe('a transaction', () => {
  test('writes all or nothing', async () => {
    await table.transact.transact([put(make('a1')), put(make('a2'))])
    expect(await code(table.transact.transact([put(make('a3')), put(make('a2'))]))).toBe('conflict')
    expect(await load('a3')).toBeUndefined()
  })

  test('fails with the word of the condition that did not hold', async () => {
    const { invalid, forbidden } = table.errors
    await table.transact.transact([put(make('b1'))])
    const taken = put(make('b1'), undefined, () => invalid({ slug: ['Taken.'] }))
    expect(await code(table.transact.transact([put(make('b2'), undefined, forbidden), taken]))).toBe('invalid')
    expect(await code(table.transact.transact([put(make('b3')), put(make('b1'), undefined, forbidden)]))).toBe(
      'refused',
    )
  })

  test('writes over exactly the version that was read', async () => {
    await table.transact.transact([put(make('c'))])
    await table.transact.transact([put(make('c', 'red', 2), make('c'))])
    expect(await code(table.transact.transact([put(make('c', 'blue', 2), make('c'))]))).toBe('conflict')
    expect(await code(table.transact.transact([table.item.remove(stones(), make('c'))]))).toBe('conflict')
    expect(await load('c')).toEqual(make('c', 'red', 2))
    await table.transact.transact([table.item.remove(stones(), make('c', 'red', 2))])
    expect(await load('c')).toBeUndefined()
    expect(await code(table.transact.transact([put(make('c', 'red', 3), make('c', 'red', 2))]))).toBe('conflict')
  })

  test('of more actions than the table takes is an error, and writes nothing', async () => {
    const many = Array.from({ length: 100 }, (_, i) => put(make(`d${i}`)))
    expect(await code(table.transact.transact(many))).toBe('102 actions in one transaction')
    expect(await load('d0')).toBeUndefined()
  })
})

describe('when the table is busy', () => {
  /** The table says that other transactions stand in the way, or that it has no room, so many times. */
  function conflicts(times: number, Code = 'TransactionConflict') {
    const tokens: unknown[] = []
    meddle('TransactWriteItemsCommand', 'initialize', async (next, args) => {
      tokens.push('ClientRequestToken' in args.input && args.input.ClientRequestToken)
      if (tokens.length > times) return next(args)
      const { TransactionCanceledException } = await import('@aws-sdk/client-dynamodb')
      throw new TransactionCanceledException({
        message: 'busy',
        $metadata: {},
        CancellationReasons: [{ Code: 'None' }, { Code }],
      })
    })
    return tokens
  }

  test('a transaction is tried again, under one token', async () => {
    const tokens = conflicts(2)
    await table.transact.transact([put(make('e'))])
    expect(tokens).toHaveLength(3)
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(await load('e')).toEqual(make('e'))
  })

  test.each([
    ['TransactionConflict', 14],
    ['ThrottlingError', 8],
    ['ProvisionedThroughputExceeded', 8],
  ])('for too long, a transaction fails as unavailable: %s', async (reason, attempts) => {
    const tokens = conflicts(1000, reason)
    expect(await code(table.transact.transact([put(make('f'))]))).toBe('unavailable')
    expect(tokens).toHaveLength(attempts)
    table.client.db.middlewareStack.remove('meddle')
    expect(await load('f')).toBeUndefined()
  })

  test('a condition that fails beside transactions of others is told when these have ended', async () => {
    const { forbidden } = table.errors
    let calls = 0
    const first = put(make('j1'), undefined, forbidden)
    meddle('TransactWriteItemsCommand', 'initialize', async (next, args) => {
      calls += 1
      if (calls > 1) return next(args)
      // Of two items that others make one is in place, and the other will be in a moment.
      table.client.db.middlewareStack.remove('meddle')
      await table.transact.transact([put(make('j1')), put(make('j2'))])
      const { TransactionCanceledException } = await import('@aws-sdk/client-dynamodb')
      throw new TransactionCanceledException({
        message: 'busy',
        $metadata: {},
        CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'ConditionalCheckFailed' }],
      })
    })
    expect(await code(table.transact.transact([first, put(make('j2'))]))).toBe('refused')
  })

  test('a failed condition is not tried again', async () => {
    await table.transact.transact([put(make('g'))])
    let calls = 0
    meddle('TransactWriteItemsCommand', 'initialize', (next, args) => {
      calls += 1
      return next(args)
    })
    expect(await code(table.transact.transact([put(make('g'))]))).toBe('conflict')
    expect(calls).toBe(1)
  })

  test('a write whose reply is lost is asked for again under the same token, and done once', async () => {
    const before = await sizeOf(listOf('lost'))
    let calls = 0
    meddle('TransactWriteItemsCommand', 'deserialize', async (next, args) => {
      calls += 1
      const result = await next(args)
      if (calls === 1) throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
      return result
    })
    // On absence: a second write would fail.
    await table.transact.transact([put(make('h', 'lost'))])
    expect(calls).toBe(2)
    table.client.db.middlewareStack.remove('meddle')
    expect(await load('h')).toEqual(make('h', 'lost'))
    expect([before, await sizeOf(listOf('lost'))]).toEqual([0, 1])
  })

  test('keys that were not processed are asked for again', async () => {
    const ids = Array.from({ length: 130 }, (_, i) => `i${i}`)
    for (let start = 0; start < ids.length; start += 65)
      await table.transact.transact(ids.slice(start, start + 65).map((id) => put(make(id))))
    let calls = 0
    meddle('BatchGetItemCommand', 'initialize', async (next, args) => {
      calls += 1
      const { TableName } = table.client
      const asked = v.parse(
        v.object({ RequestItems: v.record(v.string(), v.looseObject({ Keys: v.array(v.unknown()) })) }),
        args.input,
      )
      const { Keys = [], ...more } = asked.RequestItems[TableName] ?? {}
      const half = Math.ceil(Keys.length / 2)
      const result = await next({
        ...args,
        input: { RequestItems: { [TableName]: { ...more, Keys: Keys.slice(0, half) } } },
      })
      const left = Keys.slice(half)
      return {
        ...result,
        output: { ...result.output, UnprocessedKeys: left.length > 0 ? { [TableName]: { ...more, Keys: left } } : {} },
      }
    })
    const found = await table.read.getMany(ids.map((id) => stones().key({ id })))
    expect([...found.values()].map((it) => it.id).sort()).toEqual(ids.sort())
    expect(calls).toBeGreaterThan(10)
  })

  test('keys that are never processed end as unavailable', async () => {
    let calls = 0
    meddle('BatchGetItemCommand', 'initialize', async (next, args) => {
      calls += 1
      const result = await next(args)
      const asked = v.parse(v.object({ RequestItems: v.unknown() }), args.input)
      return { ...result, output: { ...result.output, Responses: {}, UnprocessedKeys: asked.RequestItems } }
    })
    expect(await code(table.read.getMany([stones().key({ id: 'a1' })]))).toBe('unavailable')
    expect(calls).toBe(8)
  })
})

describe('counters', () => {
  const colors = ['red', 'green', 'blue']
  const operation = fc.record({
    id: fc.constantFrom('x1', 'x2', 'x3', 'x4', 'x5'),
    what: fc.constantFrom('paint', 'paint', 'remove'),
    color: fc.constantFrom(...colors),
  })
  const apply = async (run: number, { id: name, what, color }: { id: string; what: string; color: string }) => {
    const id = `${run}${name}`
    const old = await load(id)
    const next = { id, color: `${run}${color}`, version: (old?.version ?? 0) + 1 }
    if (what === 'remove') return old && table.transact.transact([table.item.remove(stones(), old)])
    return table.transact.transact([put(next, old)])
  }

  test('say what a recount says, whatever several writers do at once', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { maxLength: 8 }), { minLength: 3, maxLength: 3 }),
        async (writers) => {
          run += 1
          const here = run
          const before = await sizeOf(listOf('all'))
          await Promise.all(
            writers.map(async (operations) => {
              // Who loses a race goes on with the next; whatever was refused must not have been counted.
              for (const one of operations)
                expect(await code(Promise.resolve(apply(here, one)))).toMatch(/^(done|conflict)$/)
            }),
          )
          let all = 0
          for (const color of colors) {
            const pk = listOf(`${here}${color}`)
            const recount = (await table.read.walk({ index: 'gsi1', pk, forward: true, limit: 100 })).length
            all += recount
            expect(await sizeOf(pk)).toBe(recount)
          }
          expect(await sizeOf(listOf('all'))).toBe(before + all)
        },
      ),
      { numRuns: 12 },
    )
  })

  test('are not touched by a transaction that leaves them as they are', async () => {
    await table.transact.transact([put(make('k', 'same'))])
    const { db } = table.client
    let actions = 0
    db.middlewareStack.add(
      (next, context) => (args) => {
        if (
          context.commandName === 'TransactWriteItemsCommand' &&
          'TransactItems' in args.input &&
          Array.isArray(args.input.TransactItems)
        )
          actions = args.input.TransactItems.length
        return next(args)
      },
      { step: 'initialize', name: 'meddle' },
    )
    await table.transact.transact([put(make('k', 'same', 2), make('k', 'same'))])
    expect(actions).toBe(1)
  })

  test('of entries count a repeated effect once', async () => {
    const key = { pk: 'ENTRY#x', sk: 'a' }
    const { addCounted, removeCounted } = table.item
    const size = () => sizeOf('ENTRIES')
    await table.transact.transact([addCounted(key, {}, 'ENTRIES')])
    expect(await code(table.transact.transact([addCounted(key, {}, 'ENTRIES')]))).toBe('conflict')
    expect(await size()).toBe(1)
    await table.transact.transact([removeCounted(key, 'ENTRIES')])
    expect(await code(table.transact.transact([removeCounted(key, 'ENTRIES')]))).toBe('conflict')
    expect(await size()).toBe(0)
  })
})

describe('a number', () => {
  test('is given to one only, however many ask at once', async () => {
    const key = { pk: 'SEQUENCE#t', sk: 'HEAD' }
    const given = await Promise.all(Array.from({ length: 30 }, () => table.write.addToNumber(key)))
    expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
  })

  test('stays below its limit, however many ask at once', async () => {
    const key = { pk: 'RATE#t', sk: '0' }
    const given = await Promise.all(Array.from({ length: 30 }, () => table.write.addBelowLimit(key, 10, 1)))
    expect(given.filter(Boolean)).toHaveLength(10)
  })

  test('counts once below its limit, however often the reply is lost', async () => {
    const at = { pk: 'RATE#lost', sk: '0' }
    const counted = (lost: number, by = 1) => withRepliesLost(lost, () => table.write.addBelowLimit(at, 3, 1, by))
    const so = async (isTaken: boolean) => [isTaken, await table.write.addToNumber(at, 0)]
    expect(await so(await counted(0))).toEqual([true, 1])
    expect(await so(await counted(2))).toEqual([true, 2])
    // The last place, and none.
    expect(await so(await counted(1))).toEqual([true, 3])
    expect(await so(await counted(1))).toEqual([false, 3])
    expect(await so(await counted(3, -2))).toEqual([true, 1])
  })

  test('counts once where all four replies are lost and it is not known whether it has counted', async () => {
    const at = { pk: 'RATE#unknown', sk: '0' }
    await expect(withRepliesLost(4, () => table.write.addBelowLimit(at, 8, 1))).rejects.toThrow('socket hang up')
    expect(await table.write.addToNumber(at, 0)).toBe(1)
  })
})
