import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
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
type Event = { at: number; order: number; run: (() => void) | undefined }

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
  setInterval: globalThis.setInterval,
  sleep: promises.setTimeout,
  clearInterval: globalThis.clearInterval,
  timeout: AbortSignal.timeout.bind(AbortSignal),
  now: performance.now.bind(performance),
  date: Date.now.bind(Date),
  random: Math.random,
  randomBytes: crypto.randomBytes,
}

/** When simulated time begins, in milliseconds since 1970. */
export const BASE = Date.parse('2025-01-15T10:00:00.000Z')

const simulated = new AsyncLocalStorage<boolean>()
export const inSimulation = <T>(work: () => T): T => simulated.run(true, work)

/** A timer by which a busy machine would change what happens, with where it was set. */
let stray: Error | undefined

/**
 * What a process waits for that no event brings: files, hashes and compressed streams, which threads of Node see to. Until
 * it is there nothing else may happen.
 */
const outside = new Set<number>()
/** `generic` are those of packages in C++, such as the one that draws pictures. */
const THREADS = /REQ|JOB|^generic$/
createHook({
  init: (id, type, _, resource) => {
    if (THREADS.test(type)) begun(id, resource)
    // Whatever the door by which it came in.
    if (type === 'Timeout' && simulated.getStore())
      stray ??= new Error('a timer of the real clock is set in simulated time')
  },
  // What is done in its callback may begin anew.
  before: (id) => void outside.delete(id),
  trackPromises: false,
}).enable()

/** What is hashed or signed at once, without threads, answers with a list and tells nobody when it is done. */
type Job = { run?: (...args: unknown[]) => unknown }
function begun(id: number, job: Job): void {
  outside.add(id)
  const { run } = job
  if (!run) return
  job.run = (...args) => {
    const answer = run.apply(job, args)
    if (Array.isArray(answer)) outside.delete(id)
    return answer
  }
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
    outside.add(this.getAsyncId())
    return write.apply(this, args)
  }
}

/** No turn is longer where nothing happens. */
const LONGEST_TURN_MS = 50

/** What has more events than this goes on for good: a hundred people at once come to a tenth of them. */
const MOST_EVENTS = 2_000_000

/** So many events at most in one turn of the event loop. */
const A_TURN = 24

export class Time {
  now = 0
  /** So many events happen at most until some work is done. */
  most = MOST_EVENTS
  #events: Event[] = []
  #order = 0

  /** The moment that clocks tell, in milliseconds since 1970. */
  date = (): number => BASE + Math.floor(this.now)

  /** Lets something happen so many milliseconds from now; answers how it is called off. */
  after(milliseconds: number, run: () => void): () => void {
    const event: Event = { at: this.now + Math.max(0, milliseconds), order: this.#order++, run }
    this.#push(event)
    return () => {
      event.run = undefined
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
    let [ended, events] = [false, 0]
    let [idle, last] = [0, real.now()]
    const fail = (error: Error) => {
      ended = true
      reject(error)
    }
    const one = () => {
      if (ended || outside.size > 0) return
      if (isOver()) {
        ended = true
        resolve()
        return
      }
      if (!this.#next()) return
      idle = 0
      events += 1
      if (events > this.most) fail(new Error('it comes to no end'))
    }
    const turn = () => {
      if (ended) return
      if (stray) {
        fail(stray)
        stray = undefined
        return
      }
      // Whoever was stopped as a whole, or had no processor, has not been idle.
      idle += Math.min(real.now() - last, LONGEST_TURN_MS)
      last = real.now()
      // A module may still be on its way.
      if (idle > 10_000) return fail(new Error('nothing happens any more, and the work is not done'))
      for (let i = outside.size > 0 ? 1 : A_TURN; i > 0; i -= 1) real.setImmediate(one)
      real.setImmediate(turn)
    }
    real.setImmediate(turn)
    return promise
  }

  /** The next event that was not called off. Answers whether there was one. */
  #next(): boolean {
    for (let event = this.#pop(); event; event = this.#pop()) {
      if (!event.run) continue
      this.now = Math.max(this.now, event.at)
      event.run()
      return true
    }
    return false
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
  const own = {
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
  }
  Object.assign(globalThis, own)
  // Packages ask for timers by their module, too.
  Object.assign(timers, own)
  Object.assign(promises, {
    setTimeout: <T>(milliseconds = 0, value?: T, options?: object) =>
      isSimulated()
        ? new Promise((done) => later(() => done(value), milliseconds, false, []))
        : real.sleep(milliseconds, value, options),
  })
  const endsIn = (milliseconds: number): AbortSignal => {
    const time = new AbortController()
    later(() => time.abort(new DOMException('The time is over.', 'TimeoutError')), milliseconds, false, [])
    return time.signal
  }
  AbortSignal.timeout = (milliseconds) => (isSimulated() ? endsIn(milliseconds) : real.timeout(milliseconds))
  // Secrets and the salt of passwords are stored.
  Object.assign(crypto, {
    randomBytes: (size: number) =>
      isSimulated()
        ? Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)))
        : real.randomBytes(size),
  })
  syncBuiltinESMExports()
  performance.now = () => (isSimulated() ? current().now : real.now())
  Date.now = () => (isSimulated() ? current().date() : real.date())
  globalThis.Date = new Proxy(Date, {
    construct: (type, args, of) => Reflect.construct(type, args.length === 0 ? [Date.now()] : args, of),
  })
  // So long does the SDK wait before it tries again.
  Math.random = () => (isSimulated() ? random() : real.random())
}
