import { dice } from '../world/chance.ts'
import type { Trial } from './asked.ts'
import { missedByTests } from './by-tests.ts'
import { type Found, isArithmetic, someCuts } from './found.ts'
import { keptOf } from './kept.ts'
import { looksAt, type Which } from './looks.ts'
import { joined, type Reached } from './reach.ts'
import { Seat } from './seats.ts'
import { inTurn } from './trials.ts'

/** Which cuts are tried: so many that chance picks, of all that are found or of those that `at` names. */
type Wanted = { many: number; seed: number; workers: number; at?: string | undefined }
export type Numbered = readonly [number: number, it: Found]

/** Tries what is found in the sources; answers how many nobody noticed. */
export async function tryCuts({ many, seed, workers, at }: Wanted): Promise<number> {
  const wanted = someCuts(many, seed, at)
  if (wanted.length === 0) throw new Error(`there is no cut ${at}`)
  const seats = Array.from({ length: workers }, () => new Seat())
  const calmly = await reachedBy(seats, 'calmly')
  const [numbers, others] = [true, false].map((is) => wanted.filter(([, it]) => isArithmetic(it) === is))
  const missed = [
    ...(await tryWaits(seats, others ?? [], calmly, seed)),
    ...(await tryNumbers(seats, numbers ?? [], calmly, seed)),
  ]
  for (const seat of seats) seat.leave()
  console.log(
    `cuts: ${wanted.length - missed.length} of ${wanted.length} were noticed, of ${someCuts(Infinity, seed).length} that there are`,
  )
  return missed.length
}

/** Tries conditions and waits; answers which nobody noticed. */
async function tryWaits(seats: readonly Seat[], wanted: readonly Numbered[], calmly: Reached, seed: number) {
  const isRare = ([n]: Numbered) => calmly[n]?.every(({ near }) => near) ?? true
  const first = await tried(seats, wanted, { reached: calmly, seed, isLast: (it) => !isRare(it) })
  // What no calm case comes by is looked for where something fails.
  const rare = first.filter(isRare)
  const last = rare.length === 0 ? [] : await inTrouble(seats, rare, calmly, seed)
  return [...first.filter((it) => !isRare(it)), ...last]
}

/** Tries sums, comparisons and orders: in the world, by the tests of their rooms, then in the world where several are at work or something fails. */
async function tryNumbers(seats: readonly Seat[], wanted: readonly Numbered[], reached: Reached, seed: number) {
  const first = await tried(seats, wanted, { reached, seed, isLast: () => false, which: 'quick' })
  // Tests use all processors.
  const second = await missedByTests(first)
  return tried(seats, second, { reached, seed, isLast: () => true, which: 'dear' })
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
  {
    reached,
    seed,
    isLast,
    which,
  }: { reached: Reached; seed: number; isLast: (it: Numbered) => boolean; which?: Which },
): Promise<Numbered[]> {
  const missed: Numbered[] = []
  await inTurn(cuts, seats.length, async (it, worker) => {
    const [number, { name, sort }] = it
    const cases = reached[number] ?? []
    const looks = looksAt(sort, cases, dice(seed + number), which)
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
