import { clock } from '../../base/clock.ts'
import { countKeys, getMany, parse, sumOf, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { leaseIn } from '../records/leases.ts'
import { queueByAge, queueLists, queueParts } from '../records/queue-entry.ts'

/** How many of the oldest entries are searched for an unclaimed one. */
const LOOKED_AT = 50

/** How many records wait, how long the oldest waits, and how long the oldest unclaimed one waits. In seconds. */
export async function queueState(): Promise<{ waiting: number; queue_age_s: number; oldest_unclaimed_s: number }> {
  const runs = await Promise.all(
    queueParts.all.lists.map((list) => walk({ ...queueLists.created(list), forward: true, limit: LOOKED_AT }, 1)),
  )
  const oldest = runs
    .flat()
    .map((item) => parse(queueByAge, item))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(0, LOOKED_AT)
  const size = [queueLists.size('all')]
  const found = await getMany([...countKeys(size), ...oldest.map((it) => key.lease(it.entity_id))])
  return {
    waiting: sumOf(size, found),
    queue_age_s: ageOf(oldest[0]),
    oldest_unclaimed_s: ageOf(oldest.find((it) => !leaseIn(found, it.entity_id))),
  }
}

const ageOf = (it: { created_at: string } | undefined): number =>
  it ? Math.max(0, Math.round((clock.now().getTime() - Date.parse(it.created_at)) / 1000)) : 0
