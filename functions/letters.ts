import { log } from '../lib/base/telemetry/log.ts'
import { deliverLetters, type LetterCounts } from '../lib/doors/letters/deliver.ts'
import { withLock } from '../lib/engines/table/immediate.ts'
import { worker } from '../lib/platform/worker.ts'

/** The time limit of the function, in seconds. */
const LONGEST_S = 60

/** Runs every minute. Sends the letters that are due. */
export const handler = worker(async (): Promise<LetterCounts> => {
  // Only one visit runs at a time, so that the limit of letters a minute holds.
  const result = (await withLock('letters', LONGEST_S, deliverLetters)) ?? {
    sent: 0,
    refused: 0,
    given_up: 0,
    unknown: 0,
  }
  const failed = result.refused + result.given_up + result.unknown
  if (result.sent + failed > 0)
    log({
      level: result.given_up + result.unknown > 0 ? 'error' : 'info',
      message: 'letters',
      count: result.sent,
      letter_failures: failed,
    })
  return result
})
