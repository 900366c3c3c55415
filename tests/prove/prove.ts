import { makeBase } from './base.ts'
import { faultAt, faults } from './faults.ts'
import { violations } from './invariants/all.ts'
import { races } from './races.ts'
import { line, type Tally } from './report.ts'
import { sentSoFar } from './requests.ts'
import { openWorld } from './world/world.ts'

type Asked = { seed: number; minutes: number; only?: string | undefined; at?: string | undefined; short: boolean; mutants: boolean; cut?: string | undefined }

/** Does what was asked for, and answers 0 where nothing was found wrong. */
export async function prove({ seed, minutes, only, at, short }: Asked): Promise<number> {
  const began = Date.now()
  const world = await openWorld()
  const base = await makeBase(world)
  const wrong = await world.run({ name: 'invariants', process: 1 }, () => violations(world, true))
  if (wrong.length > 0) throw new Error(`the world is wrong from its beginning: ${wrong.join('; ')}`)
  const end = began + minutes * 60_000
  const tallies: Tally[] = []
  const parts = {
    faults: () => (at && only === 'faults' ? faultAt(world, base, at, seed) : faults(world, base, { seed, until: only ? end : began + minutes * 30_000, share: short ? 0.05 : 1 })),
    races: () => races(world, base, { seed, until: end, kind: only === 'races' ? at : undefined, most: short ? 4 : Number.POSITIVE_INFINITY }),
  }
  for (const [name, part] of Object.entries(parts)) {
    if (only && only !== name) continue
    const it = await part()
    console.log(line(it))
    tallies.push(it)
  }
  console.log(`${sentSoFar.requests} requests, ${world.calls} calls of table, bucket and functions, ${Math.round((Date.now() - began) / 1000)} s, seed ${seed}`)
  return tallies.some((it) => it.violations.length > 0) ? 1 : 0
}
