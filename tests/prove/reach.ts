import { type Base, makeBase } from './base.ts'
import { type Found, foundCuts } from './cuts.ts'
import { background, faults, onceCalmly, prepared } from './faults.ts'
import { jobs } from './jobs.ts'
import { operations } from './operations.ts'
import { races } from './races.ts'
import { heard } from './report.ts'
import { openWorld } from './world/open.ts'
import { cameBy, passed } from './world/processes.ts'
import type { Mark } from './world/sources.ts'
import type { World } from './world/world.ts'

/**
 * A case by its part and its name; `base`: the world is made so. `troubled`: only where something fails; `refused`: it changes nothing.
 * `near`: it comes only by what the function of the cut has waited for before it.
 */
export type Case = {
  part: 'base' | 'faults' | 'background' | 'races'
  name: string
  troubled: boolean
  refused: boolean
  near: boolean
}
/** Which cases come by a cut and write something behind it, or are refused; `reads`: some come by, and none does either. */
export type Reached = { cases: Case[]; reads: boolean }

/** So many cases are named at most that come by a place only where something fails. */
const ENOUGH = 4
const ALONE = { at: 0, of: 1 }

/** A mark at each cut, with its number, and behind these one at each wait that stands before any in the same function: before which. */
function marksOf(cuts: readonly Found[]): { marks: Mark[]; near: ReadonlyMap<number, readonly number[]> } {
  const own = cuts.map(({ file, waited: from, to }) => ({ file, from, to }))
  const earlier = [...cuts.entries()].flatMap(([n, { file, before }]) => before.map((it) => ({ ...it, file, n })))
  const places = [...Map.groupBy(earlier, ({ file, from }) => `${file} ${from}`).values()]
  const near = new Map(places.map((each, i) => [cuts.length + i, each.map(({ n }) => n)]))
  return { marks: [...own, ...places.flatMap(([place]) => place ?? [])], near }
}

/** Everything that is done once, with nothing going wrong. What is refused writes nothing behind a check that refuses it. */
const calmly = (
  world: World,
  base: Base,
  seed: number,
): readonly (readonly [Case['part'], string, refused: boolean, () => unknown])[] => [
  ...operations.map(
    (operation) =>
      ['faults', operation.name, operation.gives >= 400, () => onceCalmly({ world, base, operation, seed })] as const,
  ),
  ...jobs.map((job) => ['background', job.name, false, () => prepared({ world, base, seed }, job)] as const),
]

/** How much of the faults is tried, of operations and of jobs, while some that is wanted is not come by. */
const DEEPER = [
  [0.02, 0.1],
  [0.2, 1],
] as const
const LONGEST_MS = 90_000

/**
 * Which cases come by each of the cuts that are found in the sources, by their numbers: when nothing goes wrong, and, where
 * one of those that are `wanted` is not come by then, in some of the faults.
 */
export async function reach(seed: number, wanted: readonly number[]): Promise<Reached[]> {
  const cuts = foundCuts()
  const { marks, near } = marksOf(cuts)
  const world = await openWorld({ marks })
  const found: Reached[] = cuts.map(() => ({ cases: [], reads: false }))
  const looked = new Set<number>()
  const note = (part: string, name: string, troubled: boolean, refused = false) => {
    for (const n of passed) looked.add(n)
    const add = (n: number, isNear: boolean) => {
      const own = found[n]?.cases ?? []
      const isNew = !own.some((it) => it.part === part && it.name === name)
      if (isNew && (!troubled || own.length < ENOUGH))
        own.push({ part: part as Case['part'], name, troubled, refused, near: isNear })
    }
    for (const n of refused ? passed : cameBy) add(n, false)
    if (!troubled) for (const mark of passed) for (const n of near.get(mark) ?? []) add(n, true)
    cameBy.clear()
    passed.clear()
  }
  const base = await makeBase(world)
  note('base', '', false)
  for (const [part, name, refused, work] of calmly(world, base, seed)) {
    await Promise.resolve(work()).catch(() => undefined)
    note(part, name, false, refused)
  }
  heard.of = (part, name) => note(part, name, part !== 'races')
  const some = { seed, until: Date.now() + LONGEST_MS, share: ALONE }
  await races(world, base, { ...some, most: 2 })
  for (const [ofOperations, ofJobs] of DEEPER) {
    if (!wanted.some((n) => found[n]?.cases.every((it) => it.near))) break
    await background(world, base, { ...some, some: ofJobs })
    await faults(world, base, { ...some, some: ofOperations })
  }
  heard.of = () => undefined
  for (const n of looked) if (found[n]?.cases.every((it) => it.near)) found[n].reads = true
  return found
}
