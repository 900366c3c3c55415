import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Whether a part of what is proved, each in a process of its own, finds something wrong where the sources are cut. */
export type Part = readonly string[]

/** Numbers of schedules and of cases say where a search ends, and no clock: so it finds the same on every machine. */
const BY_NUMBERS = ['--minutes', '10000', '--each', '120', '--some', '0.1', '--share', '0/1']
/** Work that lets no event happen for so many milliseconds goes round in a circle. */
const LONGEST_MS = 1_800_000

/** What was found wrong first, in one sentence, and how the very same is tried again. */
type Noticed = { what: string; again: Part }

async function wrongIn(part: Part, seed: number, cut: string | undefined): Promise<Noticed | undefined> {
  const args = [
    fileURLToPath(new URL('../run.ts', import.meta.url)),
    ...(cut === undefined ? [] : ['--cut', cut]),
    ...['--seed', String(seed), ...BY_NUMBERS, ...part],
  ]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
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
  for (const part of parts) {
    const found = await wrongIn(part, seed, cut)
    if (found) return found
  }
  return undefined
}

const controls = new Map<string, Promise<Noticed | undefined>>()
/** What the same case finds where nothing is cut; each is tried once. */
function foundAnyway({ again }: Noticed, seed: number): Promise<Noticed | undefined> {
  const name = again.join(' ')
  const found = controls.get(name) ?? wrongIn(again, seed, undefined)
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

/** Does the work of each, so many at a time; `worker` says which of them is at it. */
export async function inTurn<T>(
  all: readonly T[],
  many: number,
  work: (it: T, worker: number) => Promise<void>,
): Promise<void> {
  const left = [...all]
  const one = async (worker: number) => {
    for (let next = left.shift(); next; next = left.shift()) await work(next, worker)
  }
  await Promise.all(Array.from({ length: many }, (_, worker) => one(worker)))
}
