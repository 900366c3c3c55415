/** How a call to the table or the bucket goes wrong. */
export type Fault =
  /** The process ends before the call is made. */
  | 'killed'
  /** The call does what it does, then the process ends. */
  | 'killed after'
  /** This call alone fails; the process goes on. */
  | 'failed'
  /** This call does what it does, and its reply is lost; the process goes on. */
  | 'reply lost'

/**
 * Those that between them leave every state that there can be. Being killed before a call is being killed after the one
 * before it. A read changes nothing: the process may as well end before it, and its lost reply is a failed call.
 */
export const faults: readonly { fault: Fault; hits: 'every call' | 'every write' }[] = [
  { fault: 'killed after', hits: 'every write' },
  { fault: 'failed', hits: 'every call' },
  { fault: 'reply lost', hits: 'every write' },
]

/** Runs work whose nth call (from 0) to the table or the bucket goes wrong so. Answers whether it came to that. */
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
  // The SDK tells the clients' types apart; what is used of them is the same.
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

/** Runs work whose process ends after so many milliseconds: no further call reaches the table or the bucket. Answers whether it came to that. */
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
 * Runs work in which every read of the table fails once so many transactions are committed. Answers how many there were:
 * with `Infinity` nothing fails.
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
 * Runs work in which so many queries see one half of a transaction: these items are not there yet. The emulator puts a
 * transaction in place at once; DynamoDB promises that of single items alone.
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
  if (torn === 0) throw new Error('no query saw one half')
}

/** Runs work in which each write of the table is done, or refused, and the replies to its first attempts are lost: the SDK makes so many again. */
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
