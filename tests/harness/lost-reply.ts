import { db } from '../../lib/table/client.ts'

/** Does something while the reply to each transaction is lost that the table has carried out. */
export async function withLostReplies<T>(work: () => Promise<T>): Promise<T> {
  db.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      if (/^TransactWrite/.test(String(context.commandName))) throw new Error('socket hang up')
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
