import { AsyncLocalStorage } from 'node:async_hooks'
import { config } from '../config.ts'

/** One call of a function, as its log lines name it. */
export type Invocation = {
  function_name: string | undefined
  function_request_id: string | undefined
  /** Whether it is the first call of this process. */
  cold_start: boolean
  /** Whether its debug lines are written. */
  isSampled: boolean
}
type Called = { functionName?: string; awsRequestId?: string }

const storage = new AsyncLocalStorage<Invocation>()
let isCold = true

/** Runs `work` as one call of a function. `LOG_SAMPLE_RATE` is the share of calls whose debug lines are written. */
export function runInvocation<T>(context: Called | undefined, work: () => T): T {
  const invocation = {
    function_name: context?.functionName,
    function_request_id: context?.awsRequestId,
    cold_start: isCold,
    isSampled: config.LOG_LEVEL === 'debug' || (config.LOG_SAMPLE_RATE > 0 && Math.random() < config.LOG_SAMPLE_RATE),
  }
  isCold = false
  return storage.run(invocation, work)
}

/** The present call of a function. Undefined outside of one, such as in a command. */
export const currentInvocation = (): Invocation | undefined => storage.getStore()
