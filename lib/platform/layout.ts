import * as v from 'valibot'
import { unavailable } from '../base/errors.ts'
import { log } from '../base/telemetry/log.ts'
import { withoutMeter } from '../base/telemetry/request-cost.ts'
import { defineItem, get } from '../engines/table/index.ts'
import { key } from './table/keys.ts'

/** The layout to which this version migrates a table: the one after the last step of `lib/domain/migrations`. */
export const LAYOUT = 4
/** The oldest layout that this version reads. A table without a stamp has this one. */
export const OLDEST_LAYOUT = 2

/** The item that says in which layout the items of the table are. */
const Stamp = v.object({
  layout: v.number(),
  /** The step that is under way, forward or back. */
  task: v.nullable(
    v.object({
      /** The layout to which the step leads. */
      step: v.number(),
      direction: v.picklist(['forward', 'back']),
      /** Where the next lot begins. Null: at the beginning. */
      position: v.nullable(v.string()),
      /** Items that this pass has changed. A pass that changes none is the last. */
      changed: v.number(),
      /** Items that all passes have changed. */
      total: v.number(),
      began_at: v.string(),
    }),
  ),
  version: v.number(),
})
export type Stamp = v.InferOutput<typeof Stamp>
export const stampItem = defineItem({ type: 'layout', schema: Stamp, key: (_: object) => key.layout() })

/** The stamp of the table. Undefined if it has none. One call. */
export const loadStamp = (): Promise<Stamp | undefined> => get(stampItem, {})

/** Why this version cannot work on a table of this layout. Undefined if it can. */
export function whyUnreadable(layout: number): string | undefined {
  const reads = `This version reads layouts ${OLDEST_LAYOUT} to ${LAYOUT}`
  if (layout > LAYOUT)
    return `The table has layout ${layout}, which a newer version has made. ${reads}: deploy the newer version, or let it undo its step (npm run migrate -- undo).`
  if (layout < OLDEST_LAYOUT)
    return `The table has layout ${layout}. ${reads}: deploy a version in between first, and migrate with it (npm run migrate).`
  return undefined
}

// prove: memory
let checked: Promise<void> | undefined

/**
 * Fails with `unavailable` if the table has a layout that this version does not read. The reason is an error line of the log. A process
 * reads the stamp once, and again after a refusal. If the stamp cannot be read, this request passes, and the next one reads it. The call
 * is in the cost of no request.
 */
export function checkLayout(): Promise<void> {
  checked ??= withoutMeter(loadStamp).then(checkStamp, () => {
    checked = undefined
  })
  return checked
}

function checkStamp(stamp: Stamp | undefined): void {
  const reason = stamp && whyUnreadable(stamp.layout)
  if (!reason) return
  checked = undefined
  log({ level: 'error', message: 'layout', error: reason })
  throw unavailable(undefined, 'table')
}
