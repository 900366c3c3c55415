import { nowSeconds } from '../../base/clock.ts'
import { config, type Rate, type RateName } from '../../base/config.ts'
import { isProblem, tooMany } from '../../base/errors.ts'
import { addBelowLimit } from '../../engines/table/immediate.ts'
import type { Key, UnitOfWork } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/**
 * How often something may be done, as a route declares it. `Who` are the callers that this kind of route knows, `Checked` is what
 * was checked before the handler runs.
 */
export type Throttle<Who extends Counted = Counted, Checked = never> = {
  /** The count. Routes that name the same scope share one. */
  scope: string
  /** A variable of the environment, such as `RATE_UPLOADS`, or a rate that nobody configures. */
  rate: RateName | Rate
} & (
  | {
      /** One hit for each call, whatever becomes of it: counted before query and body are looked at. */
      counts: 'every call'
      per: Who
    }
  | {
      /** Hits for each call that succeeds. They are counted before the handler runs, and given back when it fails. */
      counts: 'every success'
      per: Who | ((checked: Checked) => string)
      /** 1 where this is missing. Its parameter needs a type: `({ subject }: { subject: Import }) => ...`. */
      hits?: (checked: Checked) => number
    }
  | {
      /** Hits when the handler calls `count(scope, hits)`: it knows how many. Given back when the call fails. */
      counts: 'in the handler'
      per: Who | ((checked: Checked) => string)
      /** When the rate is used up, `count` returns false and the request goes on without what is limited. */
      isOptional?: true
    }
)

/** Whose hits are counted together, beside what a function picks out of the request, such as a project. */
export type Counted = 'address' | 'caller' | 'key'

/** The throttle of every route: so often a machine may call with one key. */
export const ofKeys = { scope: 'key', rate: 'RATE_KEYS', per: 'key', counts: 'every call' } as const satisfies Throttle

/** What throttles look at: the request, whoever calls, and what was checked. */
type Call = { request: { address: string }; actor: { id: string; key?: { id: string } | undefined } | null }

/** Counts one call. Fails with `tooMany` when the rate of one of these throttles is used up. */
export async function countCall(throttles: readonly Throttle[], call: Call): Promise<void> {
  for (const throttle of throttles) if (throttle.counts === 'every call') await addHits(throttle, call, 1)
}

/** Counts a call that will have succeeded when this unit is committed. Fails with `tooMany`. */
export async function countSuccess(unit: UnitOfWork, throttles: readonly Throttle[], call: Call): Promise<void> {
  for (const throttle of throttles)
    if (throttle.counts === 'every success')
      await addHitsOfUnit(unit, throttle, call, throttle.hits?.(call as never) ?? 1)
}

/**
 * What a handler counts by. `scope` is that of a throttle that the route declares as counted in the handler. Returns whether
 * the hits were counted. Fails with `tooMany` where they were not, unless the throttle is optional.
 */
export type Count<Scope extends string = string> = (scope: Scope, hits?: number) => Promise<boolean>

/** Makes the `count` of a handler. */
export const counterOf =
  (unit: UnitOfWork, throttles: readonly Throttle[], call: Call): Count =>
  async (scope, hits = 1) => {
    const throttle = throttles.find((it) => it.scope === scope)
    if (throttle?.counts !== 'in the handler')
      throw new Error(`the route declares no throttle ${scope} for its handler`)
    try {
      await addHitsOfUnit(unit, throttle, call, hits)
      return true
    } catch (error) {
      if (throttle.isOptional && isProblem(error, 'too_many')) return false
      throw error
    }
  }

/** Hits that have been counted: where, and until when that is kept. */
type Hits = { place: Key; limit: number; expires_at: number; hits: number }

/** Adds hits once however often the unit runs. A unit that is not committed gives them back. */
async function addHitsOfUnit(unit: UnitOfWork, throttle: Throttle, call: Call, hits: number): Promise<void> {
  if (hits === 0) return
  await unit.once(
    `throttle ${throttle.scope}`,
    () => addHits(throttle, call, hits),
    // prove: hits-given-back
    ({ place, limit, expires_at }) => addBelowLimit(place, limit, expires_at, -hits),
  )
}

/**
 * Adds hits to the count of a throttle. Fails with `tooMany` when the rate is used up. Exact across processes: one conditional
 * update. Windows are fixed: they begin at multiples of the rate's period.
 */
async function addHits(throttle: Throttle, call: Call, hits: number): Promise<Hits> {
  const { limit, seconds } = typeof throttle.rate === 'string' ? config[throttle.rate] : throttle.rate
  const at = nowSeconds()
  const window = at - (at % seconds)
  const place = key.rate(throttle.scope, countedBy(throttle, call), window)
  const expires_at = window + 2 * seconds
  if (!(await addBelowLimit(place, limit, expires_at, hits))) throw tooMany(window + seconds - at)
  return { place, limit, expires_at, hits }
}

function countedBy({ per, scope }: Throttle, call: Call): string {
  if (typeof per === 'function') return per(call as never)
  const who = { address: call.request.address, caller: call.actor?.id, key: call.actor?.key?.id }[per]
  if (who === undefined) throw new Error(`the throttle ${scope} counts by ${per}, and there is none`)
  return who
}
