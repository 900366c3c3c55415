import { makeBase } from './base.ts'
import { cells } from './cells.ts'
import { mutantAt } from './cuts/mutants.ts'
import { background, faults, faultsAt } from './faults.ts'
import { fuzz } from './fuzz.ts'
import { violations } from './invariants/all.ts'
import { races } from './races.ts'
import { random } from './random.ts'
import { first, type Share, type Tally, type Violation, words } from './report.ts'
import { sentSoFar } from './requests.ts'
import { openWorld } from './world/open.ts'

export type Asked = {
  seed: number
  minutes: number
  only?: string | undefined
  at?: string | undefined
  short: boolean
  /** So many schedules of each kind of race, and so many requests of wild values, at most. */
  each: number
  requests: number
  /** What part of the faults and the cells is tried, the same ones each time. */
  some: number
  /** The number of a mutant. */
  cut?: string | undefined
}
export type Proved = { tallies: Tally[]; requests: number; calls: number }

/** When a part that is not alone has to end, as shares of the time. */
const ENDS = { faults: 0.33, background: 0.43, races: 0.66, random: 0.71, cells: 0.84, fuzz: 1 } as const
/** What the short form leaves out: a round of the random runs is longer than what it has for them. */
const LONG = new Set(['random'])

function saidAndOver(it: Violation): never {
  console.log(words(it))
  process.exit(1)
}

/** Tries its share of what was asked for. */
export async function prove(
  { seed, minutes, only, at, short, each, requests, some, cut }: Asked,
  share: Share,
): Promise<Proved> {
  if (cut !== undefined) first.ends = saidAndOver
  const world = await openWorld(cut === undefined ? {} : { cut: mutantAt(cut) })
  const base = await makeBase(world)
  const wrong = await world.run({ name: 'invariants', process: 1 }, () => violations(world, true))
  if (wrong.length > 0) throw new Error(`the world is wrong from its beginning: ${wrong.join('; ')}`)
  const began = Date.now()
  const by = (part: keyof typeof ENDS) => began + minutes * 60_000 * (only ? 1 : ENDS[part])
  const parts: Record<keyof typeof ENDS, () => Promise<Tally>> = {
    faults: () =>
      at?.includes('/') && only === 'faults'
        ? faultsAt(world, base, at, seed)
        : faults(world, base, { seed, until: by('faults'), some, share, only: at }),
    background: () => background(world, base, { seed, until: by('background'), some, share, only: at }),
    races: () =>
      races(world, base, { seed, until: by('races'), kind: only === 'races' ? at : undefined, most: each, share }),
    random: () => random(world, base, { seed, until: by('random'), share }),
    cells: () =>
      cells(world, base, {
        seed,
        until: by('cells'),
        some,
        share,
        only: only === 'cells' ? at : undefined,
      }),
    fuzz: () => fuzz(world, base, { seed, until: by('fuzz'), most: requests / share.of, share }),
  }
  const tallies: Tally[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (only ? only !== name : short && LONG.has(name)) continue
    tallies.push(await part())
  }
  return { tallies, requests: sentSoFar.requests, calls: world.calls }
}
