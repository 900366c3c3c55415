import { clock } from '../../base/clock.ts'
import { countKeys, getMany, parse, sumOf, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { leaseIn } from '../records/leases.ts'
import { queueByAge, queueLists, queueParts } from '../records/queue-entry.ts'

/** How many of the oldest entries are searched for one that nobody has claimed. */
const OLDEST_READ = 50

/** Counts the waiting records. Returns, in seconds, the age of the oldest one and of the oldest one that nobody has claimed. */
export async function loadQueueState(): Promise<{ waiting: number; queue_age_s: number; oldest_unclaimed_s: number }> {
  const runs = await Promise.all(
    queueParts.all.lists.map((list) => walk({ ...queueLists.created(list), forward: true, limit: OLDEST_READ }, 1)),
  )
  const oldest = runs
    .flat()
    .map((item) => parse(queueByAge, item))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(0, OLDEST_READ)
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
