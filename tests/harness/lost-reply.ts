import { AsyncLocalStorage } from 'node:async_hooks'
import { db } from '../../lib/engines/table/client.ts'

/** Runs work in which the reply to each transaction that writes an item of this type is lost. The table has carried it out. */
export async function withLostReplies<T>(type: string, work: () => Promise<T>): Promise<T> {
  db.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      if (writing(type)(args.input)) throw new Error('socket hang up')
      return result
    },
    { step: 'initialize', name: 'lost reply' },
  )
  try {
    return await work()
  } finally {
    db.middlewareStack.remove('lost reply')
  }
}

/** Matches the calls of a transaction that writes an item of this type. */
export const writing = (type: string) => (input: object) => typesIn(input).includes(type)
/** Matches the calls that read several items, one of them under a key with this id. */
export const reading = (id: string) => (input: object) =>
  'RequestItems' in input && JSON.stringify(input.RequestItems).includes(id)

/** Runs work and, just before its first call for which `isSuch` holds, `faster`: the change of another request that is faster. */
export async function withSomebodyFaster<T>(
  isSuch: (input: object) => boolean,
  faster: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const apart = AsyncLocalStorage.snapshot()
  let left = 1
  db.middlewareStack.add(
    (next) => async (args) => {
      if (left > 0 && isSuch(args.input)) {
        left -= 1
        await apart(faster)
      }
      return next(args)
    },
    { step: 'initialize', name: 'somebody faster' },
  )
  try {
    return await work()
  } finally {
    db.middlewareStack.remove('somebody faster')
  }
}

type Action = { Put?: { Item?: Record<string, unknown> } }
const typesIn = (input: object): unknown[] =>
  'TransactItems' in input && Array.isArray(input.TransactItems)
    ? input.TransactItems.map(({ Put }: Action) => Put?.Item?.type)
    : []
