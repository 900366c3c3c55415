import { runInvocation } from '../base/telemetry/invocation.ts'
import { refreshKeptState } from './kept-state.ts'
import { checkLayout } from './layout.ts'

type Called = { functionName?: string; awsRequestId?: string }

/**
 * Makes the handler of a function that answers no requests, such as a timed function or the projector. It fails with `unavailable` if
 * this version cannot read the layout of the table. Its log lines name the call.
 */
export const worker =
  <Given extends readonly unknown[], T>(work: (...given: Given) => Promise<T>) =>
  (...given: Given): Promise<T> =>
    runInvocation(given[1] as Called | undefined, async () => {
      await checkLayout()
      await refreshKeptState()
      return work(...given)
    })
