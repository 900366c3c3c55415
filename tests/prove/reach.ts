import { jobs } from './background.ts'
import { type Base, makeBase } from './base.ts'
import { foundCuts } from './cuts.ts'
import { onceCalmly, prepared } from './faults.ts'
import { operations } from './operations.ts'
import { kinds } from './race-kinds.ts'
import { scheduled } from './races.ts'
import { cameBy } from './world/processes.ts'
import { openWorld, type World } from './world/world.ts'

/** A case by its part and its name. */
export type Case = readonly [part: 'faults' | 'background' | 'races', name: string]

/** Everything that is done once, with nothing going wrong. */
const cases = (
  world: World,
  base: Base,
  seed: number,
): readonly (readonly [...Case, work: () => Promise<unknown>])[] => [
  ...operations.map(
    (operation) => ['faults', operation.name, () => onceCalmly({ world, base, operation, seed })] as const,
  ),
  ...jobs.map((job) => ['background', job.name, () => prepared({ world, base, seed }, job)] as const),
  ...kinds.map((kind) => ['races', kind.name, () => scheduled(world, base, kind, seed)] as const),
]

/** Which cases come by each of the cuts that are found in the sources, by their numbers. Cases are tried once each. */
export async function reach(seed: number): Promise<Case[][]> {
  const marks = foundCuts()
  const world = await openWorld({ marks })
  const base = await makeBase(world)
  const found: Case[][] = marks.map(() => [])
  for (const [part, name, work] of cases(world, base, seed)) {
    cameBy.clear()
    await work().catch(() => undefined)
    for (const n of cameBy) found[n]?.push([part, name])
  }
  return found
}
