import type { Base } from '../base.ts'
import { begin, once, ways } from '../faults.ts'
import { jobs } from '../jobs.ts'
import { operations } from '../operations.ts'
import { send } from '../requests.ts'
import type { Behind } from '../world/switches.ts'
import type { Actor, World } from '../world/world.ts'

/** A call that is made behind the wait that is looked at, or behind what its function has waited for before it. */
type Found = { at: string; command: string; behind: Behind }
/** So many faults of a case are tried at most behind the wait, and behind what stands before it. */
const MOST: Readonly<Record<Behind, number>> = { it: 28, 'what is before it': 24 }
/** Of what is called before it, the last so many calls. */
const LAST = 5

/** The faults of one operation or job at the calls behind the wait that is looked at, as failures name them. */
export async function faultsBehind(world: World, base: Base, name: string, seed: number): Promise<string[]> {
  const found = await callsBehind(world, base, name, seed)
  return (['it', 'what is before it'] as const).flatMap((where) => {
    const own = found.filter(({ behind }) => behind === where)
    const calls = where === 'it' ? own : own.slice(-LAST)
    const each = ways
      .toSorted((a, b) => Number(b.lasts) - Number(a.lasts))
      .flatMap(({ fault, fits }, way) =>
        calls.flatMap(({ at, command }, call) =>
          fits(command) ? [{ place: `${name}/${at}/${fault}`, turn: turnOf(way, call, calls.length) }] : [],
        ),
      )
    const inTurn = each.toSorted((a, b) => a.turn - b.turn).map(({ place }) => place)
    return inTurn.slice(0, MOST[where])
  })
}

/** Each of the first calls fails for good before anything else; from there on each way has its turn, at one call after the other. */
const FIRST = 6
const turnOf = (way: number, call: number, calls: number) =>
  way === 0 ? call : FIRST + ((call + calls * ways.length - way) % calls)

async function callsBehind(world: World, base: Base, name: string, seed: number): Promise<Found[]> {
  const found: Found[] = []
  const hear =
    (where: (n: number) => string): NonNullable<Actor['fault']> =>
    ({ n, command, attempt, behind }) => {
      if (attempt === 1 && behind) found.push({ at: where(n), command, behind })
      return undefined
    }
  const [i, j] = [operations.findIndex((it) => it.name === name), jobs.findIndex((it) => it.name === name)]
  const [operation, job] = [operations[i], jobs[j]]
  if (job) {
    world.restore(base.saved, seed + j)
    await job.before(world, base)
    await once({ world }, job, hear(String))
  }
  if (operation) {
    const request = await begin({ world, base, operation, seed: seed + i })
    await send(world, request, hear(String))
    await follow(world, hear)
  }
  return found
}

/** All that follows of what the stream tells, whose calls are counted over all batches. */
async function follow(world: World, hear: (where: (n: number) => string) => NonNullable<Actor['fault']>) {
  let before = 0
  for (let more = true; more; ) {
    let calls = 0
    const heard = hear((n) => `follow ${before + n}`)
    more = await world.time.until(
      world.deliver((call) => {
        calls = Math.max(calls, call.n + 1)
        return heard(call)
      }),
    )
    before += calls
  }
}
