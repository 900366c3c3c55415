import '../prepare.ts'
import { type Base, makeBase } from '../base.ts'
import { background, faults, faultsAt } from '../faults.ts'
import { violations } from '../invariants/all.ts'
import { races } from '../races.ts'
import { first, type Violation, words } from '../report.ts'
import { openWorld } from '../world/open.ts'
import { NONE } from '../world/sources.ts'
import { lookBehind, takeOut } from '../world/switches.ts'
import type { World } from '../world/world.ts'
import type { Asked, Told, Trial } from './asked.ts'
import { faultsBehind } from './behind.ts'
import { foundCuts } from './found.ts'
import type { Look } from './looks.ts'
import { marksOf, reach, reachInTrouble } from './reach.ts'

/**
 * A process in which one cut after the other is tried, in one world that is loaded once. It is asked for a cut, says at which case it
 * is, and answers what was found wrong that is not found without the cut. Before that it tells which cases come by which cuts.
 */

/** The first thing that is wrong ends a case. */
class Wrong extends Error {}
const ends = (it: Violation) => {
  throw new Wrong(words(it).trim())
}
first.ends = ends
/** Failures of what nobody waited for: they end a process where it is deployed. */
const unheard: string[] = []
process.on('unhandledRejection', (error) => unheard.push(String(error)))

const cuts = foundCuts()
const world = await openWorld({ switches: cuts, marks: marksOf(cuts).marks })
const empty = world.save()
const base = await makeBase(world)
const ALONE = { at: 0, of: 1 }
const MOST_MS = 60_000
/** All that one cut is tried with is over by then. */
const ALL_MS = 120_000

async function made(): Promise<void> {
  world.restore(empty, 7)
  await makeBase(world)
  const wrong = await world.run({ name: 'invariants', process: 1 }, () => violations(world, true))
  if (wrong.length > 0) throw new Wrong(`the world is wrong from its beginning: ${wrong.join('; ')}`)
}

function trying(world: World, base: Base, look: Look, name: string, seed: number): Promise<unknown> {
  const asked = { seed, until: Date.now() + MOST_MS, share: ALONE }
  switch (look.part) {
    case 'base':
      return made()
    case 'troubled':
      return faultsAt(world, base, name, seed)
    case 'behind':
      throw new Error('what fails behind a wait is looked for by itself')
    case 'races':
      return races(world, base, { ...asked, kind: name, most: look.each })
    default:
      return (look.part === 'faults' ? faults : background)(world, base, { ...asked, only: name, some: look.some })
  }
}

/** What is wrong with a case under a cut. */
async function wrongIn(number: number, look: Look, name: string, seed: number): Promise<string | undefined> {
  takeOut(number)
  const failed = await trying(world, base, look, name, seed).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  // What nobody waits for may fail a moment later.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((done) => setImmediate(done))
  takeOut(NONE)
  const [unnoticed] = unheard.splice(0)
  return failed ?? (unnoticed && `a failure that nobody hears of: ${unnoticed}`)
}

const anyway = new Map<string, string | undefined>()
/** What the same case finds without a cut; each is tried once. */
async function wrongAnyway(look: Look, name: string, seed: number): Promise<string | undefined> {
  const { names: _, ...how } = look
  const at = JSON.stringify([how, name, seed])
  if (!anyway.has(at)) anyway.set(at, await wrongIn(NONE, look, name, seed))
  const found = anyway.get(at)
  if (found !== undefined) console.log(`        ${name} is wrong without a cut, too: ${found.slice(0, 300)}`)
  return found
}

async function foundBy({ number, looks, seed }: Trial): Promise<string | undefined> {
  const until = Date.now() + ALL_MS
  for (const look of looks) {
    const cases = look.part === 'behind' ? [look.names] : look.names.map((name) => [name])
    for (const names of cases) {
      if (Date.now() > until) return undefined
      const found = await foundIn(number, { ...look, names }, seed)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** What is wrong with a case under a cut, and is not without it. */
async function foundIn(number: number, look: Look, seed: number): Promise<string | undefined> {
  if (look.part === 'behind') return foundBehind(number, look.names, seed)
  const name = look.names.join('|')
  tell({ at: look })
  const found = await wrongIn(number, look, name, seed)
  return found !== undefined && (await wrongAnyway(look, name, seed)) === undefined ? found : undefined
}

/** So many cases are tried in which something is called behind a wait. */
const MOST_CASES = 6

/** The same where what is called behind the wait fails. */
async function foundBehind(number: number, names: readonly string[], seed: number): Promise<string | undefined> {
  let cases = 0
  for (const name of names) {
    if (cases === MOST_CASES) return undefined
    tell({ at: { part: 'background', some: 0, names: [name] } })
    lookBehind(number)
    const places = await faultsBehind(world, base, name, seed).catch(() => [])
    lookBehind(NONE)
    if (places.length > 0) cases += 1
    const found = await foundAt(number, places, seed)
    if (found !== undefined) return found
  }
  return undefined
}

/** The same at some faults of one case. */
async function foundAt(number: number, places: readonly string[], seed: number): Promise<string | undefined> {
  for (let left = places; left.length > 0; ) {
    const look: Look = { part: 'troubled', names: [left.join('|')] }
    tell({ at: look })
    const found = await wrongIn(number, look, left.join('|'), seed)
    if (found === undefined) return undefined
    const place = left.findIndex((each) => found.startsWith(`${each} `))
    if ((await wrongAnyway(look, left[place] ?? left.join('|'), seed)) === undefined) return found
    left = place < 0 ? [] : left.slice(place + 1)
  }
  return undefined
}

async function answer(asked: Asked): Promise<Told> {
  if (!('reach' in asked)) return { found: await foundBy(asked) }
  delete first.ends
  const begins = (name: string) => tell({ at: { part: 'faults', some: 0, names: [name] } })
  const look = asked.reach === 'calmly' ? reach : reachInTrouble
  const reached = await look({ world, base, begins, ...asked }, cuts)
  first.ends = ends
  return { reached }
}

const tell = (it: Told) => process.send?.(it)
process.on('message', (asked: Asked) => void answer(asked).then(tell))
process.on('disconnect', () => process.exit(0))
tell({ found: undefined })
