import { setTimeout as pause } from 'node:timers/promises'

/** With what a process ends that a signal has stopped. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Stops when one of the signals comes; a second one ends the process at once. */
export function stopper() {
  const stop = new AbortController()
  let code = 0
  for (const [name, number] of Object.entries(signals))
    process.once(name, () => {
      code ||= number
      stop.abort()
    })
  const sleep = (ms: number) => pause(ms, undefined, { signal: stop.signal })
  return { signal: stop.signal, sleep, code: () => code }
}
