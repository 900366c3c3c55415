import { nowSeconds } from '../clock.ts'
import type { Rate } from '../config.ts'
import { tooMany } from '../errors.ts'
import { key } from '../table/keys.ts'
import { addBelow } from '../table/write.ts'

/**
 * Counts one hit of `who` in a scope and fails with `tooMany` when the rate is used up. Exact across processes: one
 * conditional update. Windows are fixed: they begin at multiples of the rate's period.
 */
export async function throttle(scope: string, who: string, { limit, seconds }: Rate): Promise<void> {
  const at = nowSeconds()
  const window = at - (at % seconds)
  const taken = await addBelow(key.rate(scope, who, window), limit, window + 2 * seconds)
  if (!taken) throw tooMany(window + seconds - at)
}
