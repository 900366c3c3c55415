import { jobs } from './background.ts'
import { type Base, makeBase } from './base.ts'
import { foundCuts } from './cuts.ts'
import { background, faults, onceCalmly, prepared } from './faults.ts'
import { operations } from './operations.ts'
import { races } from './races.ts'
import { heard } from './report.ts'
import { cameBy } from './world/processes.ts'
import { openWorld, type World } from './world/world.ts'

/** A case by its part and its name; `troubled`: only where something fails. */
export type Case = { part: 'faults' | 'background' | 'races'; name: string; troubled: boolean }

/** So many cases are named at most that come by a place only where something fails. */
const ENOUGH = 4
const ALONE = { at: 0, of: 1 }

/** Everything that is done once, with nothing going wrong. */
const calmly = (
  world: World,
  base: Base,
  seed: number,
): readonly (readonly [Case['part'], string, () => unknown])[] => [
  ...operations.map(
    (operation) => ['faults', operation.name, () => onceCalmly({ world, base, operation, seed })] as const,
  ),
  ...jobs.map((job) => ['background', job.name, () => prepared({ world, base, seed }, job)] as const),
]

/**
 * Which cases come by each of the cuts that are found in the sources, by their numbers: when nothing goes wrong, and, where
 * one of those that are `wanted` is not come by then, in some of the faults and the schedules.
 */
export async function reach(seed: number, wanted: readonly number[]): Promise<Case[][]> {
  const marks = foundCuts()
  const world = await openWorld({ marks })
  const found: Case[][] = marks.map(() => [])
  const base = await makeBase(world)
  for (const [part, name, work] of calmly(world, base, seed)) {
    cameBy.clear()
    await Promise.resolve(work()).catch(() => undefined)
    for (const n of cameBy) found[n]?.push({ part, name, troubled: false })
  }
  const note = (part: string, name: string) => {
    const troubled = part !== 'races'
    for (const n of cameBy) {
      const own = found[n] ?? []
      const isNew = !own.some((it) => it.part === part && it.name === name)
      if (isNew && (!troubled || own.length < ENOUGH)) own.push({ part: part as Case['part'], name, troubled })
    }
    cameBy.clear()
  }
  cameBy.clear()
  heard.of = note
  const some = { seed, until: Date.now() + 120_000, share: ALONE }
  await races(world, base, { ...some, most: 2 })
  // Faults take longer than all the rest: they are tried where something is come by in no other way.
  for (const each of DEEPER) {
    if (!wanted.some((n) => found[n]?.length === 0)) break
    await faults(world, base, { ...some, some: each })
    await background(world, base, { ...some, some: each })
  }
  heard.of = () => undefined
  return found
}
const DEEPER = [0.03, 0.3] as const
