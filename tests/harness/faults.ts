/** A fault of one call to the table or the bucket. */
export type Fault =
  /** The process ends before the call is made. */
  | 'killed'
  /** The call succeeds, then the process ends. */
  | 'killed after'
  /** This call alone fails; the process goes on. */
  | 'failed'
  /** This call succeeds, but its reply is lost. The process goes on. */
  | 'reply lost'

/** Where a test tries a fault at call after call, the next one is so many calls further. With `EVERY_CALL=1` it is the next call. */
export const strideOf = (calls: number): number => (process.env.EVERY_CALL ? 1 : calls)
/** What most tests take: one in six calls. On the simulated table `npm run prove` tries every fault at every call of every operation. */
export const STRIDE = strideOf(6)
/** The first call of a fault. Each fault has others: a sixth of them for one, another sixth for the next. */
const firstOf = (call: number) => call % STRIDE

/**
 * Faults that together leave every possible state. The end of a process before a call leaves the state of its end after the previous call.
 * A read changes nothing, so its lost reply equals a failed call.
 */
export const faults: readonly { fault: Fault; hits: 'every call' | 'every write'; from: number }[] = [
  { fault: 'killed after', hits: 'every write', from: firstOf(0) },
  { fault: 'failed', hits: 'every call', from: firstOf(2) },
  { fault: 'reply lost', hits: 'every write', from: firstOf(4) },
]

/** Runs work in which call `nth` (from 0) to the table or the bucket has this fault. Returns false if the work made fewer calls. */
export async function withFault(
  nth: number,
  fault: Fault,
  work: () => Promise<unknown>,
  hits: 'every call' | 'every write' = 'every call',
): Promise<boolean> {
  const [{ db }, { s3 }] = await Promise.all([
    import('../../lib/engines/table/client.ts'),
    import('../../lib/engines/bucket/blobs.ts').then((it) => it.bucket()),
  ])
  let calls = 0
  const dead = () => Object.assign(new Error('the process has ended'), { name: 'Ended' })
  const meddle =
    (next: (args: never) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
    async (args: never): Promise<unknown> => {
      if (hits === 'every write' && calls <= nth && READS.test(commandName)) return next(args)
      const turn = calls
      calls += 1
      const ends = fault === 'killed' || fault === 'killed after'
      if (turn < nth || (turn > nth && !ends)) return next(args)
      if (turn === nth && (fault === 'killed after' || fault === 'reply lost')) await next(args)
      throw dead()
    }
  // The types of the two clients differ, though their middleware stacks work alike.
  const options = { step: 'initialize', name: 'fault', priority: 'high' } as const
  db.middlewareStack.add(meddle as never, options)
  s3.middlewareStack.add(meddle as never, options)
  try {
    await work().catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'Ended')) throw error
    })
  } finally {
    db.middlewareStack.remove('fault')
    s3.middlewareStack.remove('fault')
  }
  return calls > nth
}

/**
 * Runs work whose process ends after these milliseconds: no later call reaches the table or the bucket. Returns true if that stopped the
 * work, false if the work was finished before.
 */
export async function withDeathAfter(milliseconds: number, work: () => Promise<unknown>): Promise<boolean> {
  const [{ db }, { s3 }] = await Promise.all([
    import('../../lib/engines/table/client.ts'),
    import('../../lib/engines/bucket/blobs.ts').then((it) => it.bucket()),
  ])
  const end = performance.now() + milliseconds
  const dead = () => performance.now() >= end
  const meddle = (next: (args: never) => Promise<unknown>) => async (args: never) => {
    if (dead()) throw Object.assign(new Error('the process has ended'), { name: 'Ended' })
    return next(args)
  }
  const options = { step: 'initialize', name: 'death', priority: 'high' } as const
  db.middlewareStack.add(meddle as never, options)
  s3.middlewareStack.add(meddle as never, options)
  let killed = false
  try {
    await work().catch((error: unknown) => {
      if (!dead()) throw error
      killed = true
    })
  } finally {
    db.middlewareStack.remove('death')
    s3.middlewareStack.remove('death')
  }
  return killed
}

const READS = /^(Get|BatchGet|TransactGet|Query|Scan|Head|List)/

/**
 * Runs work in which every read of the table fails after `after` transactions have been committed. With `Infinity` no read fails. Returns the
 * number of transactions.
 */
export async function withReadsFailing(after: number, work: () => Promise<unknown>): Promise<number> {
  const { db } = await import('../../lib/engines/table/client.ts')
  let committed = 0
  const meddle =
    (next: (args: never) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
    async (args: never): Promise<unknown> => {
      if (committed >= after && READS.test(commandName)) throw new Error('the read has failed')
      const answer = await next(args)
      if (commandName.startsWith('TransactWrite')) committed += 1
      return answer
    }
  db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'fault', priority: 'high' })
  try {
    await work()
  } finally {
    db.middlewareStack.remove('fault')
  }
  return committed
}

/**
 * Runs work in which `many` queries see half of a transaction: the items for which `isLate` holds are absent. In DynamoDB a query may see
 * that. The emulator shows all items of a transaction at once.
 */
export async function withTornQueries(
  many: number,
  isLate: (item: Record<string, unknown>) => boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  const { db } = await import('../../lib/engines/table/client.ts')
  let torn = 0
  const meddle =
    (next: (args: never) => Promise<{ output: { Items?: Record<string, unknown>[] } }>) => async (args: never) => {
      const answer = await next(args)
      const { Items = [] } = answer.output
      if (torn >= many || !Items.some(isLate)) return answer
      torn += 1
      return { ...answer, output: { ...answer.output, Items: Items.filter((item) => !isLate(item)) } }
    }
  db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'torn', priority: 'high' })
  try {
    await work()
  } finally {
    db.middlewareStack.remove('torn')
  }
  if (torn === 0) throw new Error('no query saw half of a transaction')
}

/** Runs work in which the replies to the first `attempts` of each write of the table are lost. The table has carried them out, and the SDK retries. */
export async function withRepliesLost<T>(attempts: number, work: () => Promise<T>): Promise<T> {
  const { db } = await import('../../lib/engines/table/client.ts')
  type Attempt = { request: { headers: Record<string, string> } }
  const meddle =
    (next: (args: Attempt) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
    async (args: Attempt) => {
      const [, attempt] = /attempt=(\d+)/.exec(args.request.headers['amz-sdk-request'] ?? '') ?? []
      if (attempt === undefined) throw new Error('nothing says which attempt this is')
      if (Number(attempt) > attempts || READS.test(commandName)) return next(args)
      await next(args).catch(() => undefined)
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
    }
  db.middlewareStack.add(meddle as never, { step: 'deserialize', name: 'lost', priority: 'low' })
  try {
    return await work()
  } finally {
    db.middlewareStack.remove('lost')
  }
}
