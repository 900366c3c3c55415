import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** An order to a reader: read one of the cached answers, or move its clock by seconds. */
type Order = { read: 'leaderboard' | 'queue-counts' } | { tick: number }
export type Told = { value: unknown; calls: number }
/** Another process on the same table, with its own cache or a shared one. */
export type Reader = {
  read: (what: 'leaderboard' | 'queue-counts') => Promise<Told>
  tick: (seconds: number) => Promise<unknown>
  stop: () => void
}

/** Starts a process that reads the same table. `env` is added to the environment of this process. */
export function openReader(env: Record<string, string> = {}): Reader {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, LOG_LEVEL: 'silent', ...env } })
  const ended = new Promise<never>((_, fail) => {
    child.once('exit', () => fail(new Error('the reader has ended')))
  })
  ended.catch(() => undefined)
  const answered = () =>
    new Promise<Told>((done, fail) => {
      child.once('message', (answer: { told: Told } | { error: string }) =>
        'error' in answer ? fail(new Error(answer.error)) : done(answer.told),
      )
    })
  const ask = (order: Order) => {
    const answer = answered()
    child.send(order)
    return Promise.race([answer, ended])
  }
  // One order at a time, so that each answer belongs to its order.
  let last: Promise<unknown> = Promise.resolve()
  const queued = (order: Order) => {
    const next = last.then(() => ask(order))
    last = next.catch(() => undefined)
    return next
  }
  return {
    read: (what) => queued({ read: what }),
    tick: (seconds) => queued({ tick: seconds }),
    stop: () => {
      child.kill()
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { clock } = await import('../../lib/base/clock.ts')
  const { measureCost } = await import('../../lib/base/telemetry/request-cost.ts')
  const board = await import('../../lib/domain/leaderboard/page.ts')
  const queue = await import('../../lib/domain/review/queue.ts')
  let time = Date.parse('2025-01-15T10:00:00.000Z')
  clock.now = () => new Date(time)
  const answers = {
    leaderboard: () => board.loadBoardPage({ board: 'overall' }, { limit: 20, offset: 0 }),
    'queue-counts': () => queue.countQueues(),
  }
  const follow = async (order: Order): Promise<Told> => {
    if ('tick' in order) {
      time += order.tick * 1000
      return { value: null, calls: 0 }
    }
    return measureCost(async (meter) => ({ value: await answers[order.read](), calls: meter.calls }))
  }
  process.on('message', (order: Order) => {
    follow(order).then(
      (told) => process.send?.({ told }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
