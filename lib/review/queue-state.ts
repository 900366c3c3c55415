import { clock } from '../clock.ts'
import { leaseIn } from '../records/leases.ts'
import { byAge, lists, madeUpOf } from '../records/queue-entry.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, walk } from '../table/read.ts'

/** The oldest unclaimed entry is looked for among this many of the oldest. */
const LOOKED_AT = 50

/** How much waits for review, for how long the oldest, and for how long the oldest that nobody has claimed; in seconds. */
export async function queueState(): Promise<{ waiting: number; queue_age_s: number; oldest_unclaimed_s: number }> {
  const runs = await Promise.all(
    madeUpOf.all.lists.map((list) => walk({ ...lists.created(list), forward: true, limit: LOOKED_AT }, 1)),
  )
  const oldest = runs
    .flat()
    .map((item) => parse(byAge, item))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(0, LOOKED_AT)
  const size = [lists.size('all')]
  const found = await getMany([...countKeys(size), ...oldest.map((it) => key.lease(it.entity_id))])
  return {
    waiting: sumOf(size, found),
    queue_age_s: ageOf(oldest[0]),
    oldest_unclaimed_s: ageOf(oldest.find((it) => !leaseIn(found, it.entity_id))),
  }
}

const ageOf = (it: { created_at: string } | undefined): number =>
  it ? Math.max(0, Math.round((clock.now().getTime() - Date.parse(it.created_at)) / 1000)) : 0
