import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Found, someCuts } from './cuts.ts'
import { type Case, reach } from './reach.ts'
import { isOwn, type Share } from './report.ts'
import { type Dice, dice } from './world/chance.ts'

/** Whether a part of what is proved, each in a process of its own, finds something wrong where the sources are cut. */
export type Part = readonly string[]

/** Cuts that are found in the sources have numbers of their own. */
export const FOUND = 'found-'

/** One part is over by then, and all that one cut is tried with, in milliseconds. */
const LONGEST_MS = 150_000
const ALL_MS = 300_000

/** What was found wrong first, in one sentence, and how the very same is tried again. */
type Noticed = { what: string; again: Part }

async function wrongIn(part: Part, seed: number, cut: string | undefined, left: number): Promise<Noticed | undefined> {
  const args = [
    fileURLToPath(new URL('run.ts', import.meta.url)),
    ...(cut === undefined ? [] : ['--cut', cut]),
    ...['--seed', String(seed), '--minutes', '1.5', '--each', '120', '--some', '0.1', '--share', '0/1', ...part],
  ]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: Math.min(LONGEST_MS, left),
  })
  const [said, failed, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done) => child.on('exit', done)),
  ])
  if (code === 0) return undefined
  // One that comes to no end is wrong too.
  if (code === null) return { what: 'it comes to no end', again: part }
  const lines = said.split('\n').filter((line) => /^ {2,4}\S/.test(line))
  const what = lines.slice(0, 2).join(': ').trim() || (/^\w*Error.*$/m.exec(failed)?.[0] ?? `it ended with ${code}`)
  const named = /; npm run prove -- (--only \w+ --at '[^']+'(?: --seed \d+)?)\)/.exec(what)?.[1]
  const again = named?.match(/'[^']+'|\S+/g)?.map((word) => word.replaceAll("'", ''))
  return { what, again: again ? [...again, '--each', '1'] : part }
}

/** What the first of the parts finds that finds anything where the sources are cut. */
async function noticedBy(parts: readonly Part[], seed: number, cut: string): Promise<Noticed | undefined> {
  const until = Date.now() + ALL_MS
  for (const part of parts) {
    const left = until - Date.now()
    if (left <= 0) return undefined
    const found = await wrongIn(part, seed, cut, left)
    if (found) return found
  }
  return undefined
}

const controls = new Map<string, Promise<Noticed | undefined>>()
/** What the same case finds where nothing is cut; each is tried once. */
function foundAnyway({ again }: Noticed, seed: number): Promise<Noticed | undefined> {
  const name = again.join(' ')
  const found = controls.get(name) ?? wrongIn(again, seed, undefined, LONGEST_MS)
  controls.set(name, found)
  return found
}

/** One cut by its number: whether it was noticed, and nothing is found in the same case without it, as a line says. */
export async function tried(cut: string, name: string, parts: readonly Part[], seed: number): Promise<boolean> {
  const began = Date.now()
  const found = await noticedBy(parts, seed, cut)
  const anyway = found && (await foundAnyway(found, seed))
  const took = `${Math.round((Date.now() - began) / 1000)} s`
  if (!found) console.log(`MISSED  ${name} (${took})`)
  else if (anyway) console.log(`WRONG   ${name} (${took}): found without it, too: ${anyway.what.slice(0, 300)}`)
  else console.log(`noticed ${name} (${took}): ${found.what.slice(0, 200)}`)
  return found !== undefined && !anyway
}

/** Does the work of each, so many at a time. */
export async function inTurn<T>(all: readonly T[], many: number, work: (it: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const one = async () => {
    for (let next = left.shift(); next; next = left.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: many }, one))
}

/** So many of the cases that come by a cut are tried. */
const MOST_CASES = 6

/** A way to look at some of the cases: `cases` is how many there are. */
type Looks = { of: (it: Case) => boolean; how: (names: string, cases: number) => Part }
const calmly = (part: Case['part']) => (it: Case) => it.part === part && !it.troubled
const share = (most: number, cases: number) => String(Math.min(1, most / cases))
const LOOKS = {
  // The world is made before anything else.
  base: { of: calmly('base'), how: () => ['--only', 'races', '--at', 'two accept', '--each', '1'] },
  'faults once': {
    of: calmly('faults'),
    how: (names) => ['--only', 'faults', '--at', names, '--some', '0'],
  },
  'background once': {
    of: calmly('background'),
    how: (names) => ['--only', 'background', '--at', names, '--some', '0'],
  },
  troubled: { of: (it) => it.troubled, how: (names) => ['--only', 'faults', '--at', names] },
  races: {
    of: calmly('races'),
    how: (names, cases) => ['--only', 'races', '--at', names, '--each', String(Math.ceil(120 / cases))],
  },
  faults: {
    of: calmly('faults'),
    how: (names, cases) => ['--only', 'faults', '--at', names, '--some', share(1.2, cases)],
  },
  background: {
    of: calmly('background'),
    how: (names, cases) => ['--only', 'background', '--at', names, '--some', share(0.6, cases)],
  },
} as const satisfies Readonly<Record<string, Looks>>

/** Where a cut shows most likely, first: a condition where several are at work, a wait at once. */
const ORDER: Readonly<Record<Found['sort'], readonly (keyof typeof LOOKS)[]>> = {
  condition: ['races', 'faults once', 'troubled', 'faults', 'background', 'base'],
  wait: ['faults once', 'background once', 'base', 'troubled', 'races', 'faults', 'background'],
}

/** The parts in which a cut is looked for: some of the cases that come by it. */
function partsBy(sort: Found['sort'], cases: readonly Case[], chance: Dice): readonly Part[] {
  return ORDER[sort].flatMap((look) => {
    const { of, how }: Looks = LOOKS[look]
    const left = cases.filter(of).map(({ name }) => name)
    const some = Array.from({ length: Math.min(MOST_CASES, left.length) }, () =>
      left.splice(chance.below(left.length), 1),
    ).flat()
    return some.length > 0 ? [how(some.join('|'), some.length)] : []
  })
}

/** Tries so many of those that are found in what writes; answers how many nobody noticed. */
export async function tryFound(many: number, seed: number, workers: number, share: Share): Promise<number> {
  const drawn = someCuts(Number.POSITIVE_INFINITY, seed)
  const reached = await reach(
    seed,
    drawn.slice(0, many).map(([number]) => number),
  )
  const writing = drawn.filter(([number]) => !reached[number]?.reads)
  const own = writing.slice(0, many).filter((_, i) => isOwn(share, i))
  let missed = 0
  await inTurn(own, workers, async ([number, { name, sort }]) => {
    const cases = reached[number]?.cases ?? []
    const parts = partsBy(sort, cases, dice(seed + number))
    if (!(await tried(`${FOUND}${number}`, `${name}; ${cases.length} cases come by`, parts, seed))) missed += 1
  })
  const all = `${writing.length} that there are; ${drawn.length - writing.length} more lie in what only reads`
  console.log(`cuts: ${own.length - missed} of ${own.length} were noticed, of ${all}`)
  return missed
}
