import { makeBase } from './base.ts'
import { cells } from './cells.ts'
import { faultAt, faults } from './faults.ts'
import { fuzz } from './fuzz.ts'
import { violations } from './invariants/all.ts'
import { mutantAt, tryMutants } from './mutants.ts'
import { races } from './races.ts'
import { random } from './random.ts'
import { first, line, type Tally } from './report.ts'
import { sentSoFar } from './requests.ts'
import { openWorld } from './world/world.ts'

type Asked = {
  seed: number
  minutes: number
  only?: string | undefined
  at?: string | undefined
  short: boolean
  mutants: boolean
  cut?: string | undefined
}

/** Does what was asked for, and answers 0 where nothing was found wrong. */
export async function prove({ seed, minutes, only, at, short, mutants, cut }: Asked): Promise<number> {
  if (mutants) return tryMutants(seed)
  first.ends = cut !== undefined
  const began = Date.now()
  const world = await openWorld(cut === undefined ? undefined : mutantAt(Number(cut)))
  const base = await makeBase(world)
  const wrong = await world.run({ name: 'invariants', process: 1 }, () => violations(world, true))
  if (wrong.length > 0) throw new Error(`the world is wrong from its beginning: ${wrong.join('; ')}`)
  const end = began + minutes * 60_000
  /** So much of the time is over when a part that is not alone has to end. */
  const by = (share: number) => (only ? end : began + minutes * 60_000 * share)
  const kind = only === 'races' ? at : undefined
  const tallies: Tally[] = []
  const parts: Record<string, () => Promise<Tally>> = {
    faults: () =>
      at && only === 'faults'
        ? faultAt(world, base, at, seed)
        : faults(world, base, { seed, until: by(0.3), share: short ? 0.04 : 1 }),
    races: () => races(world, base, { seed, until: by(0.65), kind, most: Number.POSITIVE_INFINITY }),
    random: () => random(world, base, { seed, until: by(0.75) }),
    cells: () => cells(world, base, { seed, until: by(0.85), share: short ? 0.1 : 1 }),
    fuzz: () => fuzz(world, base, { seed, until: end, most: Number.POSITIVE_INFINITY }),
  }
  for (const [name, part] of Object.entries(parts)) {
    // A round of the random runs is longer than what the short form has for them.
    if (only ? only !== name : short && name === 'random') continue
    const it = await part()
    console.log(line(it))
    tallies.push(it)
  }
  console.log(
    `${sentSoFar.requests} requests, ${world.calls} calls of table, bucket and functions, ${Math.round((Date.now() - began) / 1000)} s, seed ${seed}`,
  )
  return tallies.some((it) => it.violations.length > 0) ? 1 : 0
}
