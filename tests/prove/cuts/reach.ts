import type { Base } from '../base.ts'
import { background, faults, onceCalmly, prepared } from '../faults.ts'
import { jobs } from '../jobs.ts'
import { operations } from '../operations.ts'
import { races } from '../races.ts'
import { heard, isOwn, type Share } from '../report.ts'
import { cameBy, passed } from '../world/processes.ts'
import type { Mark } from '../world/sources.ts'
import type { World } from '../world/world.ts'
import type { Found } from './found.ts'

/**
 * A case by its part and its name; `base`: the world is made so. `troubled`: only where something fails; `refused`: it changes nothing.
 * `quiet`: it writes nothing behind the cut. `near`: it comes only by what the function of the cut has waited for before it.
 */
export type Case = {
  part: 'base' | 'faults' | 'background' | 'races'
  name: string
  troubled: boolean
  refused: boolean
  quiet: boolean
  near: boolean
}
/** Which cases come by a cut, by the number of the cut. */
export type Reached = readonly Case[][]

/** So many cases are named at most that come by a place only where something fails. */
const ENOUGH = 4

/** A mark at each cut, with its number, and behind these one at each wait that stands before any in the same function: before which. */
export function marksOf(cuts: readonly Found[]): { marks: Mark[]; near: ReadonlyMap<number, readonly number[]> } {
  const own = cuts.map(({ file, waited: from, to, both }) => ({ file, from, to: both?.[0].to ?? to }))
  const earlier = [...cuts.entries()].flatMap(([n, { file, before }]) => before.map((it) => ({ ...it, file, n })))
  const places = [...Map.groupBy(earlier, ({ file, from }) => `${file} ${from}`).values()]
  const near = new Map(places.map((each, i) => [cuts.length + i, each.map(({ n }) => n)]))
  return { marks: [...own, ...places.flatMap(([place]) => place ?? [])], near }
}

/** The same of several processes, each of which had some of the cases. */
export const joined = (all: readonly Reached[]): Case[][] =>
  (all[0] ?? []).map((_, n) => {
    const cases = all.flatMap((each) => each[n] ?? [])
    return cases.filter((it, i) => cases.findIndex(({ part, name }) => part === it.part && name === it.name) === i)
  })

/** A case that is done once with nothing going wrong. What changes nothing writes nothing behind what it comes by. */
type Calm = { part: Case['part']; name: string; refused: boolean; work: () => unknown }
const calmly = (world: World, base: Base, seed: number): readonly Calm[] => [
  ...operations.map((operation) => ({
    part: 'faults' as const,
    name: operation.name,
    refused: !operation.changes,
    work: () => onceCalmly({ world, base, operation, seed }),
  })),
  ...jobs.map((job) => ({
    part: 'background' as const,
    name: job.name,
    refused: false,
    work: () => prepared({ world, base, seed }, job),
  })),
]

/** What cases come by, while they are tried one after the other. */
function noting(near: ReadonlyMap<number, readonly number[]>, many: number) {
  const found: Case[][] = Array.from({ length: many }, () => [])
  const note = (it: Omit<Case, 'near' | 'quiet'>) => {
    const add = (n: number, how: Pick<Case, 'near' | 'quiet'>) => {
      const own = found[n] ?? []
      const known = own.find(({ part, name }) => it.part === part && it.name === name)
      // What one schedule shows counts for its kind.
      if (known) Object.assign(known, { near: known.near && how.near, quiet: known.quiet && how.quiet })
      else if (!it.troubled || own.length < ENOUGH) own.push({ ...it, ...how })
    }
    for (const n of passed) add(n, { near: false, quiet: !it.refused && !cameBy.has(n) })
    if (!it.troubled)
      for (const mark of passed) for (const n of near.get(mark) ?? []) add(n, { near: true, quiet: true })
    cameBy.clear()
    passed.clear()
  }
  return { found, note }
}

/** Where it is looked: which share of the cases a process has, and what it tells before each. */
type Site = { world: World; base: Base; seed: number; share: Share; begins: (name: string) => void }
/** What comes only of some orders of events is come by in some of so many. */
const SCHEDULES = 8
const until = Number.POSITIVE_INFINITY

/**
 * Which cases come by each of the cuts when nothing goes wrong. To be asked for before anything else is tried: how the world was made
 * is one of them.
 */
export async function reach(site: Site, cuts: readonly Found[]): Promise<Reached> {
  const { world, base, seed, share, begins } = site
  const { found, note } = noting(marksOf(cuts).near, cuts.length)
  note({ part: 'base', name: '', refused: false, troubled: false })
  for (const [i, { work, ...it }] of calmly(world, base, seed).entries()) {
    if (!isOwn(share, i)) continue
    begins(it.name)
    await Promise.resolve(work()).catch(() => undefined)
    note({ ...it, troubled: false })
  }
  heard.of = (_, name) => {
    begins(name)
    note({ part: 'races', name, refused: false, troubled: false })
  }
  await races(world, base, { seed, share, until, most: SCHEDULES })
  heard.of = () => undefined
  return found
}

/** What part of the faults is tried, of operations and of jobs, where a cut is come by in no calm case. */
const OF_OPERATIONS = 0.05
const OF_JOBS = 0.3

/** Which faults come by each of the cuts. */
export async function reachInTrouble(site: Site, cuts: readonly Found[]): Promise<Reached> {
  const { world, base, seed, share, begins } = site
  const { found, note } = noting(new Map(), cuts.length)
  passed.clear()
  cameBy.clear()
  heard.of = (part, name) => {
    begins(name)
    note({ part: part as Case['part'], name, refused: false, troubled: true })
  }
  await background(world, base, { seed, share, until, some: OF_JOBS })
  await faults(world, base, { seed, share, until, some: OF_OPERATIONS })
  heard.of = () => undefined
  return found
}
