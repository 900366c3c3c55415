import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import {
  createBrotliCompress,
  createBrotliDecompress,
  createInflate,
  createZstdCompress,
  createZstdDecompress,
} from 'node:zlib'

/**
 * Simulated time. Nothing happens but at the moment of an event; between two events all that runs by itself runs to its
 * end. So the order of everything follows from the moments, and these from the seed.
 */
type Event = { at: number; order: number; run: () => void }

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  timeout: AbortSignal.timeout.bind(AbortSignal),
  now: performance.now.bind(performance),
  random: Math.random,
}

/**
 * What a process waits for that no event brings: files, hashes and compressed streams, which threads of Node see to. Until
 * it is there nothing else may happen.
 */
const outside = new Map<number, object>()
const HASHING = /REQUEST$/
const THREADS = /REQ|JOB/
createHook({
  init: (id, type, _, resource) => {
    if (THREADS.test(type)) outside.set(id, HASHING.test(type) ? resource : ALWAYS)
  },
  // What is done in its callback may begin anew.
  before: (id) => void outside.delete(id),
  trackPromises: false,
}).enable()
const ALWAYS = { ondone: true }

/** Whether threads are at work. What was hashed at once, without them, tells nobody when it is done. */
function isBusy(): boolean {
  for (const [id, it] of outside) if (!('ondone' in it)) outside.delete(id)
  return outside.size > 0
}

/** A stream that compresses is at work from each time that it is written to until it calls back. */
type Handle = { write: (...args: unknown[]) => unknown; getAsyncId: () => number }
for (const make of [
  createInflate,
  createBrotliCompress,
  createBrotliDecompress,
  createZstdCompress,
  createZstdDecompress,
]) {
  const { _handle: handle } = make() as unknown as { _handle: Handle }
  const prototype: Handle = Object.getPrototypeOf(handle)
  const { write } = prototype
  prototype.write = function (this: Handle, ...args) {
    outside.set(this.getAsyncId(), ALWAYS)
    return write.apply(this, args)
  }
}

const simulated = new AsyncLocalStorage<boolean>()
export const inSimulation = <T>(work: () => T): T => simulated.run(true, work)

/** No turn is longer where nothing happens. */
const LONGEST_TURN_MS = 50

/** So many events at most in one turn of the event loop. */
const A_TURN = 24

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
    await this.#pass(() => over)
    return ended
  }

  /**
   * One event after the other. Between two callbacks of one turn of the event loop Node runs all that is due by itself, so that a
   * turn, which asks the system for news, serves many events.
   */
  #pass(isOver: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let ended = false
    let [idle, last] = [0, real.now()]
    const one = () => {
      if (ended || isBusy()) return
      if (isOver()) {
        ended = true
        resolve()
        return
      }
      if (this.#next()) idle = 0
    }
    const turn = () => {
      if (ended) return
      // Whoever was stopped as a whole, or had no processor, has not been idle.
      idle += Math.min(real.now() - last, LONGEST_TURN_MS)
      last = real.now()
      // A module may still be on its way.
      if (idle > 10_000) {
        ended = true
        reject(new Error('nothing happens any more, and the work is not done'))
        return
      }
      for (let i = isBusy() ? 1 : A_TURN; i > 0; i -= 1) real.setImmediate(one)
      real.setImmediate(turn)
    }
    real.setImmediate(turn)
    return promise
  }

  /** The next event. Answers whether there was one. */
  #next(): boolean {
    const event = this.#pop()
    if (!event) return false
    this.now = Math.max(this.now, event.at)
    event.run()
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

/**
 * From here on timers, clocks and chance of what is simulated are those of this time; all others stay real. What a process has still
 * to do ends with it: `isDead` says so of the one that is at work.
 */
export function takeOver(current: () => Time, isDead: () => boolean, random: () => number): void {
  type Run = (...args: unknown[]) => void
  /** Calls back so much later, in the name of who asked for it; again and again where it is to beat. */
  const later = (run: Run, milliseconds: number, beats: boolean, args: unknown[]) => {
    let off: () => void = () => undefined
    const due = AsyncLocalStorage.bind(() => {
      if (isDead()) return
      if (beats) wait()
      run(...args)
    })
    const wait = () => {
      off = current().after(milliseconds, due)
    }
    wait()
    const handle = {
      off: () => off(),
      unref: () => handle,
      ref: () => handle,
      hasRef: () => false,
      refresh: () => handle,
    }
    return handle
  }
  const isSimulated = () => simulated.getStore() === true
  const none = (handle: { off?: () => void } | undefined) => typeof handle?.off !== 'function'
  Object.assign(globalThis, {
    setTimeout: (run: Run, milliseconds = 0, ...args: unknown[]) =>
      isSimulated() ? later(run, milliseconds, false, args) : real.setTimeout(run, milliseconds, ...args),
    setInterval: (run: Run, milliseconds = 0, ...args: unknown[]) =>
      isSimulated() ? later(run, Math.max(1, milliseconds), true, args) : real.setInterval(run, milliseconds, ...args),
    setImmediate: (run: Run, ...args: unknown[]) =>
      isSimulated() ? later(run, 0, false, args) : real.setImmediate(run, ...args),
    clearTimeout: (handle?: { off?: () => void }) =>
      none(handle) ? real.clearTimeout(handle as never) : handle?.off?.(),
    clearInterval: (handle?: { off?: () => void }) =>
      none(handle) ? real.clearInterval(handle as never) : handle?.off?.(),
  })
  const endsIn = (milliseconds: number): AbortSignal => {
    const time = new AbortController()
    later(() => time.abort(new DOMException('The time is over.', 'TimeoutError')), milliseconds, false, [])
    return time.signal
  }
  AbortSignal.timeout = (milliseconds) => (isSimulated() ? endsIn(milliseconds) : real.timeout(milliseconds))
  performance.now = () => (isSimulated() ? current().now : real.now())
  // So long does the SDK wait before it tries again.
  Math.random = () => (isSimulated() ? random() : real.random())
}
