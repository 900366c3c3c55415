import type { Write } from '../../lib/engines/table/item.ts'

/** A few parts are put in place at once, as a merge does that somebody waits for. */
const MOST_WAITED_FOR = 3
const MOST_WRITES = 200

/**
 * Any writes as one large transaction, as merges make them, part by part: all of them, or none; the `last` ones in the very transaction
 * that switches. To be called when the table is configured.
 */
export async function commitLarge(id: string, writes: readonly Write[], last: readonly Write[]): Promise<void> {
  const [{ runUnit }, { beginStaging, switchOrCallOff }, { settle }, { stageCounters, stagePart }] = await Promise.all([
    import('../../lib/engines/table/unit-of-work.ts'),
    import('../../lib/engines/table/two-phase/commit.ts'),
    import('../../lib/engines/table/two-phase/settle.ts'),
    import('../../lib/engines/table/two-phase/stage.ts'),
  ])
  const parts = Array.from({ length: Math.ceil(writes.length / MOST_WRITES) }, (_, i) =>
    writes.slice(i * MOST_WRITES, (i + 1) * MOST_WRITES),
  )
  await runUnit(async (unit) => {
    await beginStaging(unit, id)
    for (const [i, part] of parts.entries()) await stagePart(id, i + 1, async () => part)
    await stageCounters(id)
    unit.add(last)
    unit.commitBy((added) => switchOrCallOff(id, added))
  })
  if (parts.length <= MOST_WAITED_FOR) await settle(id).catch(() => undefined)
}
