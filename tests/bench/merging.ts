import { withCapacity } from '../harness/capacity.ts'
import { withDeathAfter } from '../harness/faults.ts'
import { linkAll, move, signedIn, waiting } from './projects.ts'
import { print } from './tools/table.ts'

const P = '/data/projects/'
/** How many records, and what the table takes: `MERGE=10000,4000,1000,20` are records, units a second in all, under one key, and the seconds after which the worker is killed. */
const [records = 10_000, total = 4000, key = 1000, seconds = 20] = (process.env.MERGE ?? '')
  .split(',')
  .filter(Boolean)
  .map(Number)

/** A merge, and its rollback, on a table that takes only so much, by a worker that is killed again and again. */
export async function benchMerging(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'silent', RATE_PROJECTS: '100000/h' } })
  const { mergeLimits } = await import('../../lib/domain/projects/merge.ts')
  mergeLimits.waitedForMs = 0
  const [dev, reviewer, expert] = await Promise.all(['dev', 'reviewer', 'expert'].map((name) => signedIn(app, name)))
  if (!dev || !reviewer || !expert) throw new Error('nobody is there')
  await dev.post(P, { body: { slug: 'large', title: 'Large', abstract: 'A project made to be measured.', tags: [] } })
  await linkAll('large', await waiting(records), 1)
  await move(dev, 'large', 'in_review')
  await move(reviewer, 'large', 'approved')
  const rows: Record<string, string | number>[] = []
  const until = async (action: string, begin: () => Promise<{ status: number }>, end: string) => {
    const { status } = await begin()
    if (status !== 202) throw new Error(`${action}: ${status}`)
    rows.push({ action, records, ...(await finished(() => dev.get(`${P}large/`), end, app.tick)) })
  }
  await until('merge', () => move(expert, 'large', 'merged'), 'merged')
  await until('roll back', () => expert.post(`${P}large/rollback-merge/`), 'needs_revision')
  print(
    `Merging on a table of ${total} write units a second, ${key} under one key, by a worker that is killed every ${seconds} s`,
    rows,
  )
}

async function finished(
  read: () => Promise<{ body: { state: string; merge: { done: number } | null } }>,
  end: string,
  tick: (seconds: number) => void,
) {
  const { handler } = await import('../../functions/merger.ts')
  const { recoverStaged } = await import('../../lib/engines/table/two-phase/commit.ts')
  const began = performance.now()
  let kills = 0
  const spent = await withCapacity({ total, key }, async () => {
    for (let state = ''; state !== end; ) {
      if (await withDeathAfter(seconds * 1000, () => handler())) kills += 1
      // Its lease is over.
      tick(61)
      const { body } = await read()
      state = body.state
      process.stderr.write(
        `${((performance.now() - began) / 1000).toFixed(0)} s: ${state}, ${body.merge?.done ?? records}\n`,
      )
    }
    while (await withDeathAfter(seconds * 1000, () => recoverStaged())) kills += 1
  })
  const inIndexes = [...spent.units].filter(([name]) => name !== 'table').reduce((sum, [, units]) => sum + units, 0)
  return {
    seconds: Math.round((performance.now() - began) / 1000),
    kills,
    throttled: spent.throttled,
    'table units a record': Math.round((spent.units.get('table') ?? 0) / records),
    'index units a record': Math.round(inIndexes / records),
    'hottest key, units/s': spent.hottest,
  }
}
