import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { bareEnvironment } from '../harness/bare-environment.ts'

const HALF_A_DAY_MS = 43_200_000

/** Node begins with a clock that is so many milliseconds ahead. */
const ahead = (milliseconds: number) =>
  `--import=data:text/javascript,${encodeURIComponent(`
  const now = Date.now
  Date.now = () => now() + ${milliseconds}
  globalThis.Date = new Proxy(Date, { construct: (type, args) => new type(...(args.length > 0 ? args : [Date.now()])) })`)}`

/** What some cases come to under a seed: a digest of every call, at its moment, and of every answer. */
async function digest(seed: number, cases: readonly string[], ...options: string[]): Promise<string | undefined> {
  const run = fileURLToPath(new URL('run.ts', import.meta.url))
  const words = [...options, run, ...cases, '--seed', String(seed)]
  const { stdout } = await promisify(execFile)(process.execPath, words, { env: bareEnvironment })
  return /: [1-9]\d* (?:schedules|faults) .*digest (\w+)/.exec(stdout)?.[1]
}

test('the same seed gives the same run, whatever the process has tried before, and whenever; another seed gives another', async () => {
  // The second race has secrets, salts, and workers that begin at once in processes of which one is new.
  const races = ['--only', 'races', '--at', 'merge and decide|two tell hooks', '--each', '3', '--workers']
  const alone = await digest(5, [...races, '1'])
  expect(alone).toMatch(/^[0-9a-f]+$/)
  // Two processes half a day later, of which each tries only some of the cases.
  expect(await digest(5, [...races, '2'], ahead(HALF_A_DAY_MS))).toBe(alone)
  expect(await digest(6, [...races, '1'])).not.toBe(alone)
}, 240_000)

test('and so do the waits of the SDK before it tries again', async () => {
  const faults = ['--only', 'faults', '--at', 'revoke a key', '--workers', '1']
  expect(await digest(5, faults)).toBe(await digest(5, faults))
}, 240_000)
