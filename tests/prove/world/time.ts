import { AsyncLocalStorage, createHook } from 'node:async_hooks'

/**
 * Simulated time. Nothing happens but at the moment of an event; between two events all that runs by itself runs to its
 * end. So the order of everything follows from the moments, and these from the seed.
 */
type Event = { at: number; order: number; run: () => void }

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
}

/** What a process waits for that no event brings: files and hashes. Until it is there nothing else may happen. */
const outside = new Set<number>()
const THREADS = /REQ|JOB|ZLIB/
createHook({
  init: (id, type) => {
    if (THREADS.test(type)) outside.add(id)
  },
  after: (id) => void outside.delete(id),
  destroy: (id) => void outside.delete(id),
  trackPromises: false,
}).enable()

const simulated = new AsyncLocalStorage<boolean>()
export const inSimulation = <T>(work: () => T): T => simulated.run(true, work)

export class Time {
  now = 0
  #events: Event[] = []
  #order = 0

  /** Lets something happen so many milliseconds from now; answers how it is called off. */
  after(milliseconds: number, run: () => void): () => void {
    const event = { at: this.now + Math.max(0, milliseconds), order: this.#order++, run }
    this.#push(event)
    return () => {
      event.run = () => undefined
    }
  }

  /** Moves on, while nothing is going on. */
  advance(milliseconds: number): void {
    this.now += milliseconds
  }

  /** Whatever was to happen will not. */
  clear(): void {
    this.#events = []
  }

  /** Lets time pass until the work is done. Fails when nothing can happen any more and it is not. */
  async until<T>(work: Promise<T>): Promise<T> {
    let over = false
    const ended = work.finally(() => {
      over = true
    })
    ended.catch(() => undefined)
    await quiet()
    while (!over) {
      if ((await this.step()) || over) continue
      await this.#outside(() => over)
    }
    return ended
  }

  /** Nothing is due: a module may still be on its way. Fails after some real seconds. */
  async #outside(isOver: () => boolean): Promise<void> {
    const until = real.now() + 10_000
    while (this.#events.length === 0 && !isOver()) {
      if (real.now() > until) throw new Error('nothing happens any more, and the work is not done')
      await turn()
    }
  }

  /** The next event, and all that follows at once. Answers whether there was one. */
  async step(): Promise<boolean> {
    const event = this.#pop()
    if (!event) return false
    this.now = Math.max(this.now, event.at)
    event.run()
    await quiet()
    return true
  }

  #push(event: Event): void {
    const heap = this.#events
    let i = heap.push(event) - 1
    while (i > 0) {
      const up = (i - 1) >> 1
      const parent = heap[up]
      if (!parent || !isBefore(event, parent)) break
      heap[i] = parent
      i = up
    }
    heap[i] = event
  }

  #pop(): Event | undefined {
    const heap = this.#events
    const first = heap[0]
    const last = heap.pop()
    if (!last || heap.length === 0) return first
    let i = 0
    for (;;) {
      const [left, right] = [heap[2 * i + 1], heap[2 * i + 2]]
      const below = left && right && isBefore(right, left) ? 2 * i + 2 : 2 * i + 1
      const child = heap[below]
      if (!child || !isBefore(child, last)) break
      heap[i] = child
      i = below
    }
    heap[i] = last
    return first
  }
}

const isBefore = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Until nothing runs by itself any more. */
async function quiet(): Promise<void> {
  await turn()
  while (outside.size > 0) await turn()
}
const turn = () => new Promise<void>((done) => real.setImmediate(done))

/** From here on timers and clocks of what is simulated are those of this time; all others stay real. */
export function takeOver(current: () => Time): void {
  const patched = ((run: (...args: unknown[]) => void, milliseconds = 0, ...args: unknown[]) => {
    if (!simulated.getStore()) return real.setTimeout(run, milliseconds, ...args)
    const off = current().after(milliseconds, () => run(...args))
    const handle = { off, unref: () => handle, ref: () => handle, hasRef: () => false, refresh: () => handle }
    return handle
  }) as typeof globalThis.setTimeout
  globalThis.setTimeout = patched
  globalThis.clearTimeout = ((handle?: { off?: () => void }) =>
    handle?.off ? handle.off() : real.clearTimeout(handle as never)) as typeof globalThis.clearTimeout
  performance.now = () => (simulated.getStore() ? current().now : real.now())
}
