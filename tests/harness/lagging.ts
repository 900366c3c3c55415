type Args = { input: { ConsistentRead?: boolean } }
type Context = { commandName?: string }
type Next = (args: Args) => Promise<unknown>

/**
 * Runs `read`, then `change`, then `read` again. In the second read each query that is not strongly consistent returns its earlier result,
 * as if its index lagged. The indexes of the emulator never lag. Returns both results of `read`.
 */
export async function readBehind<T>(read: () => Promise<T>, change: () => Promise<unknown>): Promise<[T, T]> {
  const { db } = await import('../../lib/engines/table/client.ts')
  const answers = new Map<string, unknown>()
  let repeated = 0
  const noting = async (asked: string, answer: Promise<unknown>) => {
    answers.set(asked, await answer)
    return answer
  }
  const repeating = async (asked: string, next: () => Promise<unknown>) => {
    if (!answers.has(asked)) return next()
    repeated += 1
    return answers.get(asked)
  }
  const during = async (answer: (asked: string, next: () => Promise<unknown>) => Promise<unknown>) => {
    const meddle =
      (next: Next, { commandName }: Context) =>
      (args: Args) =>
        commandName === 'QueryCommand' && !args.input.ConsistentRead
          ? answer(JSON.stringify(args.input), () => next(args))
          : next(args)
    db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'lagging', priority: 'high' })
    return read().finally(() => db.middlewareStack.remove('lagging'))
  }
  const before = await during((asked, next) => noting(asked, next()))
  await change()
  const after = await during(repeating)
  if (repeated === 0) throw new Error('no query that may lag was asked twice')
  return [before, after]
}
