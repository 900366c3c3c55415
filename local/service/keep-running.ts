import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A child process that is started again whenever it ends by itself. */
export type Kept = {
  /** The process that runs now. Between two processes it waits for the next one. */
  current: () => Promise<ChildProcess>
  /** Ends the process for good. */
  stop: () => Promise<void>
}

type Way = {
  /** Names the process in the sentence that says why it ended, such as `The process that answers requests`. */
  what: string
  /** Starts the process once more. */
  begin: () => ChildProcess
  /** How much heap it may take, in MB. */
  heapMb: number
  say?: (sentence: string) => void
  /** The pause before the first restart, in milliseconds. Each further one is twice as long, until `longestMs`. */
  shortestMs?: number
  longestMs?: number
  /** A process that ran this long was healthy: the next pause is the shortest again. */
  healthyMs?: number
}

/** The exit code of a process that asks for a restart without a pause, because the routes have changed. */
export const NEW_ROUTES = 75

/** Watches over a process that runs already. When it ends, says why in one sentence and starts it again after a pause. */
export function keepRunning(first: ChildProcess, way: Way): Kept {
  const { what, begin, heapMb, say = console.error } = way
  const { shortestMs = 1000, longestMs = 60_000, healthyMs = 60_000 } = way
  const stopping = new AbortController()
  let pause = shortestMs
  let child = first
  let running = Promise.resolve(first)

  const watch = () => {
    const began = performance.now()
    const onEnd = () => {
      if (stopping.signal.aborted) return
      if (performance.now() - began >= healthyMs) pause = shortestMs
      const isAsked = child.exitCode === NEW_ROUTES
      const rest = isAsked ? 0 : pause
      if (isAsked) say(`${what} starts again with the new routes.`)
      else say(`${what} ${reasonOf(child, heapMb)}. It starts again in ${pause / 1000} s.`)
      running = sleep(rest, undefined, { signal: stopping.signal }).then(() => {
        child = begin()
        watch()
        return child
      })
      // Callers of `current` get this rejection. Without callers it must not count as unhandled.
      running.catch(() => undefined)
      if (!isAsked) pause = Math.min(pause * 2, longestMs)
    }
    if (hasEnded(child)) onEnd()
    else child.once('exit', onEnd)
  }
  watch()
  return {
    current: () => running,
    stop: async () => {
      stopping.abort()
      await endProcess(child)
    },
  }
}

/** Asks a process to end, and kills it after five seconds. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exit
  clearTimeout(patience)
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** V8 aborts when its heap is full. A shell reports that as 134. */
function reasonOf({ exitCode, signalCode }: ChildProcess, heapMb: number): string {
  if (signalCode === 'SIGABRT' || exitCode === 134) return `ran out of memory (it may take ${heapMb} MB)`
  return signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`
}
