import type { Write } from '../../lib/engines/table/item.ts'

/** Parts of a commit that are settled at once, as in a merge for which a request waits. */
const MOST_PARTS_SETTLED = 3
const MOST_WRITES_OF_PART = 200

/**
 * Writes all of `writes` in one two-phase commit, part by part, as a merge does. The writes `last` are in the transaction that switches.
 * The environment must name the table before the call.
 */
export async function commitLarge(id: string, writes: readonly Write[], last: readonly Write[]): Promise<void> {
  const [{ runUnit }, { beginStaging, switchOrCallOff }, { settle }, { stageCounters, stagePart }] = await Promise.all([
    import('../../lib/engines/table/unit-of-work.ts'),
    import('../../lib/engines/table/two-phase/commit.ts'),
    import('../../lib/engines/table/two-phase/settle.ts'),
    import('../../lib/engines/table/two-phase/stage.ts'),
  ])
  const parts = Array.from({ length: Math.ceil(writes.length / MOST_WRITES_OF_PART) }, (_, i) =>
    writes.slice(i * MOST_WRITES_OF_PART, (i + 1) * MOST_WRITES_OF_PART),
  )
  await runUnit(async (unit) => {
    await beginStaging(unit, id)
    for (const [i, part] of parts.entries()) await stagePart(id, i + 1, async () => part)
    await stageCounters(id)
    unit.add(last)
    unit.commitBy((added) => switchOrCallOff(id, added))
  })
  if (parts.length <= MOST_PARTS_SETTLED) await settle(id).catch(() => undefined)
}
