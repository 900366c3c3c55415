import { spawn } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inTurn } from '../cuts/trials.ts'
import { ROOT } from '../world/sources.ts'
import { foundChecks } from './found.ts'
import { NOTES, type Noted, OUT } from './said.ts'

const FOLDER = join(ROOT, '.build/prove')
/** So many tests are run for one check by themselves, before all the files in which it refuses. */
const SINGLE = 6

/** Takes away one check of who may after the other, or those whose names have `at` in them; answers how many no test misses. */
export async function tryChecks({ at = '', workers }: { at?: string | undefined; workers: number }): Promise<number> {
  const all = foundChecks()
  const wanted = [...all.entries()].filter(([, { name }]) => name.includes(at))
  if (wanted.length === 0) throw new Error(`there is no check ${at}`)
  const noted = await refusals()
  let unmissed = 0
  await inTurn(wanted, workers, async ([n, { name, passes }]) => {
    const by = await missedBy(n, noted)
    if (by === undefined) unmissed += 1
    console.log(by === undefined ? `NOT MISSED ${name} -> ${passes}` : `missed     ${name} -> ${passes}: ${by}`)
  })
  console.log(`checks: ${wanted.length - unmissed} of ${wanted.length} are missed, of ${all.length} that there are`)
  return unmissed
}

/** In which tests checks refuse, those first in which the fewest do: they ask the most exactly. The tests must pass as they are. */
async function refusals(): Promise<Noted[]> {
  await mkdir(FOLDER, { recursive: true })
  const notes = join(FOLDER, 'refusals.jsonl')
  await rm(notes, { force: true })
  const failed = await firstFailure([], { [NOTES]: notes })
  if (failed !== undefined) throw new Error(`a test fails while nothing is taken away: ${failed}`)
  const lines = (await readFile(notes, 'utf8')).split('\n').filter(Boolean)
  const noted = lines.map((line): Noted => JSON.parse(line))
  return noted.sort((a, b) => a.refused.length - b.refused.length || a.milliseconds - b.milliseconds)
}

/** The first test that fails where a check is taken away, of those in which it has refused somebody. */
async function missedBy(n: number, noted: readonly Noted[]): Promise<string | undefined> {
  const tests = noted.filter(({ refused }) => refused.includes(n))
  const files = [...new Set(tests.map(({ file }) => file))]
  const runs = [
    ...tests.slice(0, SINGLE).map(({ file, test }) => [file, '-t', `^${escaped(test)}$`]),
    ...files.map((file) => [file]),
  ]
  for (const run of runs) {
    const failed = await firstFailure(run, { [OUT]: String(n) })
    if (failed !== undefined) return failed
  }
  return undefined
}

/** A title as a pattern of `-t`. */
export const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Runs some tests, or all, until one fails; answers its name. */
export async function firstFailure(
  run: readonly string[],
  env: Readonly<Record<string, string>>,
  config = join(import.meta.dirname, 'vitest.config.ts'),
): Promise<string | undefined> {
  const child = spawn('vitest', ['run', '--config', config, '--bail', '1', ...run], {
    cwd: ROOT,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complained, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((done) => child.on('exit', done)),
  ])
  if (code === 0) return undefined
  return /^ FAIL\s+(.*)$/m.exec(`${said}\n${complained}`)?.[1] ?? `it ends with ${code}: ${complained.slice(0, 200)}`
}
