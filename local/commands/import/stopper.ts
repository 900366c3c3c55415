import { setTimeout as pause } from 'node:timers/promises'

/** The exit code after each signal. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** A signal stops the run in order. A second one ends the process at once. */
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
