import { dice } from '../world/chance.ts'
import type { Trial } from './asked.ts'
import { type Found, someCuts } from './found.ts'
import { keptOf } from './kept.ts'
import { looksAt } from './looks.ts'
import { joined, type Reached } from './reach.ts'
import { Seat } from './seats.ts'
import { inTurn } from './trials.ts'

/** Which cuts are tried: so many that chance picks, of all that are found or of those that `at` names. */
type Wanted = { many: number; seed: number; workers: number; at?: string | undefined }
type Numbered = readonly [number: number, it: Found]

/** Tries conditions and waits that are found in the sources; answers how many nobody noticed. */
export async function tryCuts({ many, seed, workers, at }: Wanted): Promise<number> {
  const wanted = someCuts(many, seed, at)
  if (wanted.length === 0) throw new Error(`there is no cut ${at}`)
  const seats = Array.from({ length: workers }, () => new Seat())
  const calmly = await reachedBy(seats, 'calmly')
  const isRare = ([n]: Numbered) => calmly[n]?.every(({ near }) => near) ?? true
  const first = await tried(seats, wanted, { reached: calmly, seed, isLast: (it) => !isRare(it) })
  // What no calm case comes by is looked for where something fails.
  const rare = first.filter(isRare)
  const last = rare.length === 0 ? [] : await inTrouble(seats, rare, calmly, seed)
  for (const seat of seats) seat.leave()
  const missed = first.length - rare.length + last.length
  console.log(
    `cuts: ${wanted.length - missed} of ${wanted.length} were noticed, of ${someCuts(Infinity, seed).length} that there are`,
  )
  return missed
}

async function inTrouble(seats: readonly Seat[], rare: readonly Numbered[], calmly: Reached, seed: number) {
  const reached = joined([calmly, await reachedBy(seats, 'in trouble')])
  return tried(seats, rare, { reached, seed, isLast: () => true })
}

/** Under this seed it is looked which cases come by, whatever the seed of the trials, so that it is looked once. */
const SEED = 1
type How = 'calmly' | 'in trouble'

/** Which cases come by each cut. */
const reachedBy = (seats: readonly Seat[], how: How): Promise<Reached> =>
  keptOf(`reached-${how.replace(' ', '-')}`, () => looked(seats, how))

/** Each seat has its share of the cases. */
async function looked(seats: readonly Seat[], how: How): Promise<Reached> {
  const began = Date.now()
  const one = (seat: Seat, at: number) => seat.reached({ reach: how, seed: SEED, share: { at, of: seats.length } })
  const each = await Promise.all(seats.map(one))
  console.log(`which cases come by, ${how}: ${Math.round((Date.now() - began) / 1000)} s`)
  return joined(each)
}

/** Tries each; answers which nobody has noticed, and says so of those for which this was the last trial. */
async function tried(
  seats: readonly Seat[],
  cuts: readonly Numbered[],
  { reached, seed, isLast }: { reached: Reached; seed: number; isLast: (it: Numbered) => boolean },
): Promise<Numbered[]> {
  const missed: Numbered[] = []
  await inTurn(cuts, seats.length, async (it, worker) => {
    const [number, { name, sort }] = it
    const cases = reached[number] ?? []
    const looks = looksAt(sort, cases, dice(seed + number))
    const seat = seats[worker]
    if (!seat) throw new Error(`there is no seat ${worker}`)
    const isNoticed = await noticed(seat, `${name}; ${cases.length} cases come by`, { number, looks, seed }, isLast(it))
    if (!isNoticed) missed.push(it)
  })
  return missed
}

/** One cut by its number: whether it was noticed, as a line says. */
async function noticed(seat: Seat, name: string, trial: Trial, isLast: boolean): Promise<boolean> {
  const began = Date.now()
  const found = await seat.found(trial)
  const took = `${Math.round((Date.now() - began) / 1000)} s`
  if (found !== undefined) console.log(`noticed ${name} (${took}): ${found.slice(0, 200)}`)
  else if (isLast) console.log(`MISSED  ${name} (${took})`)
  return found !== undefined
}
