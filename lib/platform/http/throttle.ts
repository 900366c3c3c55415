import { nowSeconds } from '../../base/clock.ts'
import { config, type Rate, type RateName } from '../../base/config.ts'
import { isProblem, tooMany } from '../../base/errors.ts'
import { addBelowLimit } from '../../engines/table/immediate.ts'
import type { Key, UnitOfWork } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/**
 * A limit on the calls of a route, as the route declares it. `By` are the ways of counting that the sort of route allows. `Input` is the
 * argument of its handler.
 */
export type Throttle<By extends CountedBy = CountedBy, Input = never> = {
  /** The name of the count. Routes with the same scope share one count. */
  scope: string
  /** A variable of the environment, such as `RATE_UPLOADS`, or a fixed rate. */
  rate: RateName | Rate
} & (
  | {
      /** One hit for each call, also if it fails. It is counted before query and body are checked. */
      counts: 'every call'
      per: By
    }
  | {
      /** Hits for each call that succeeds. They are counted before the handler runs, and deducted again if it fails. */
      counts: 'every success'
      per: By | ((input: Input) => string)
      /** The number of hits; 1 by default. Its parameter needs a type: `({ subject }: { subject: Import }) => ...`. */
      hits?: (input: Input) => number
    }
  | {
      /** The hits of `count(scope, hits)`, which the handler calls. They are deducted again if the call fails. */
      counts: 'in the handler'
      /** `given`: the handler says whose hits they are. */
      per: By | ((input: Input) => string) | 'given'
      /** The hits stay if the call fails. The handler takes them back (`hits: -1`) where it succeeds. */
      isKept?: true
      /** If the rate is used up, `count` returns false, and the handler leaves out the limited work. */
      isOptional?: true
    }
)

/** Hits are counted by the client's address, by the caller or by the key. A function may count by another value, such as a project. */
export type CountedBy = 'address' | 'caller' | 'key'

/** The throttle of every route for calls with a key. */
export const keyThrottle = {
  scope: 'key',
  rate: 'RATE_KEYS',
  per: 'key',
  counts: 'every call',
} as const satisfies Throttle

/** The members of a handler's argument by which throttles count. */
type Call = { request: { address: string }; actor: { id: string; key?: { id: string } | undefined } | null }

/** Counts one call for each throttle of `every call`. Fails with `tooMany` if a rate is used up. */
export async function countCall(throttles: readonly Throttle[], call: Call): Promise<void> {
  for (const throttle of throttles) if (throttle.counts === 'every call') await addHits(throttle, call, 1)
}

/** Counts the hits of `every success`. They are deducted again if the unit is not committed. Fails with `tooMany` if a rate is used up. */
export async function countSuccess(unit: UnitOfWork, throttles: readonly Throttle[], call: Call): Promise<void> {
  for (const throttle of throttles)
    if (throttle.counts === 'every success')
      await addHitsOfUnit(unit, throttle, call, throttle.hits?.(call as never) ?? 1)
}

/**
 * Counts hits from within a handler. `scope` names a throttle that the route declares with `counts: 'in the handler'`. `whose` says
 * whose hits they are, for a throttle per `given`. Returns true if the hits were counted. If the rate is used up, it fails with
 * `tooMany`, or returns false for an optional throttle.
 */
export type CountHits<Scope extends string = string> = (scope: Scope, hits?: number, whose?: string) => Promise<boolean>

/** Creates the `count` of a handler. */
export const counterOf =
  (unit: UnitOfWork, throttles: readonly Throttle[], call: Call): CountHits =>
  async (scope, hits = 1, whose) => {
    const throttle = throttles.find((candidate) => candidate.scope === scope)
    if (throttle?.counts !== 'in the handler')
      throw new Error(`the route declares no throttle ${scope} for its handler`)
    try {
      await addHitsOfUnit(unit, throttle, call, hits, whose)
      return true
    } catch (error) {
      if (throttle.isOptional && isProblem(error, 'too_many')) return false
      throw error
    }
  }

/** Hits that were counted, and the item that holds their count. */
type CountedHits = { item: Key; limit: number; expires_at: number; hits: number }

/** Adds hits once, also if the unit of work is retried. They are deducted again if it is not committed, unless the throttle keeps them. */
async function addHitsOfUnit(
  unit: UnitOfWork,
  throttle: Throttle,
  call: Call,
  hits: number,
  whose?: string,
): Promise<void> {
  if (hits === 0) return
  const isKept = throttle.counts === 'in the handler' && throttle.isKept === true
  await unit.once(
    `throttle ${throttle.scope} ${whose ?? ''} ${hits}`,
    () => addHits(throttle, call, hits, whose),
    // prove: hits-given-back
    isKept ? undefined : ({ item, limit, expires_at }) => addBelowLimit(item, limit, expires_at, -hits),
  )
}

/**
 * Adds hits to the count of a throttle by one conditional update, which is exact across processes. Windows are fixed: each begins at
 * a multiple of the rate's period. Fails with `tooMany` if the rate is used up.
 */
async function addHits(throttle: Throttle, call: Call, hits: number, whose?: string): Promise<CountedHits> {
  const { limit, seconds } = typeof throttle.rate === 'string' ? config[throttle.rate] : throttle.rate
  const now = nowSeconds()
  const window = now - (now % seconds)
  const item = key.rate(throttle.scope, countKeyOf(throttle, call, whose), window)
  const expires_at = window + 2 * seconds
  if (!(await addBelowLimit(item, limit, expires_at, hits))) throw tooMany(window + seconds - now)
  return { item, limit, expires_at, hits }
}

function countKeyOf({ per, scope }: Throttle, call: Call, whose?: string): string {
  if (typeof per === 'function') return per(call as never)
  const countKey = { given: whose, address: call.request.address, caller: call.actor?.id, key: call.actor?.key?.id }[
    per
  ]
  if (countKey === undefined) throw new Error(`the throttle ${scope} counts by ${per}, and there is none`)
  return countKey
}
