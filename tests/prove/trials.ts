import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Found, foundCuts, someCuts } from './cuts.ts'
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

/** What was found wrong first; `what` is one sentence. */
type Noticed = { part: Part; what: string }

async function wrongIn(part: Part, seed: number, cut: string | undefined, left: number): Promise<string | undefined> {
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
  if (code === null) return 'it comes to no end'
  const lines = said.split('\n').filter((line) => /^ {2,4}\S/.test(line))
  return lines.slice(0, 2).join(': ').trim() || (/^\w*Error.*$/m.exec(failed)?.[0] ?? `it ended with ${code}`)
}

/** What the first of the parts finds that finds anything, with a cut or, to see that it does not always, without. */
export async function noticedBy(parts: readonly Part[], seed: number, cut?: string): Promise<Noticed | undefined> {
  const until = Date.now() + ALL_MS
  for (const part of parts) {
    const left = until - Date.now()
    if (left <= 0) return undefined
    const what = await wrongIn(part, seed, cut, left)
    if (what !== undefined) return { part, what }
  }
  return undefined
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
const share = (most: number, cases: number) => String(Math.min(1, most / cases))
const LOOKS = {
  faults: {
    of: (it) => it.part === 'faults' && !it.troubled,
    how: (names, cases) => ['--only', 'faults', '--at', names, '--some', share(0.3, cases)],
  },
  background: {
    of: (it) => it.part === 'background' && !it.troubled,
    how: (names, cases) => ['--only', 'background', '--at', names, '--some', share(0.3, cases)],
  },
  troubled: { of: (it) => it.troubled, how: (names) => ['--only', 'faults', '--at', names] },
  races: {
    of: (it) => it.part === 'races',
    how: (names, cases) => ['--only', 'races', '--at', names, '--each', String(Math.ceil(120 / cases))],
  },
  'all faults': {
    of: (it) => it.part === 'faults' && !it.troubled,
    how: (names, cases) => ['--only', 'faults', '--at', names, '--some', share(2.4, cases)],
  },
  'all background': {
    of: (it) => it.part === 'background' && !it.troubled,
    how: (names, cases) => ['--only', 'background', '--at', names, '--some', share(1.2, cases)],
  },
} as const satisfies Readonly<Record<string, Looks>>

/** Where a cut shows most likely, first: a condition where several are at work, a wait where something fails. */
const ORDER: Readonly<Record<Found['sort'], readonly (keyof typeof LOOKS)[]>> = {
  condition: ['races', 'faults', 'troubled', 'background', 'all faults', 'all background'],
  wait: ['faults', 'background', 'troubled', 'races', 'all faults', 'all background'],
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

/** Tries so many of those that are found in the sources; answers how many nobody noticed. */
export async function tryFound(many: number, seed: number, workers: number, share: Share): Promise<number> {
  const missed: string[] = []
  const own = someCuts(many, seed).filter((_, i) => isOwn(share, i))
  const cases = await reach(
    seed,
    own.map(([number]) => number),
  )
  await inTurn(own, workers, async ([number, { name, sort }]) => {
    const began = Date.now()
    const all = cases[number] ?? []
    const found = await noticedBy(partsBy(sort, all, dice(seed + number)), seed, `${FOUND}${number}`)
    const took = `${all.length} cases come by, ${Math.round((Date.now() - began) / 1000)} s`
    console.log(`${found ? 'noticed' : 'MISSED '} ${name} (${took})${found ? `: ${found.what.slice(0, 200)}` : ''}`)
    if (!found) missed.push(name)
  })
  console.log(
    `cuts: ${own.length - missed.length} of ${own.length} were noticed, of ${foundCuts().length} that there are`,
  )
  return missed.length
}
