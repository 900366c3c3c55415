import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What some cases come to under a seed: a digest of every call, at its moment, and of every answer. */
async function digest(seed: number, ...cases: string[]): Promise<string | undefined> {
  const words = [...cases, '--seed', String(seed)]
  const run = fileURLToPath(new URL('run.ts', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [run, ...words], { env: { PATH, HOME } })
  return /: [1-9]\d* (?:schedules|faults) .*digest (\w+)/.exec(stdout)?.[1]
}

test('the same seed gives the same run, whatever the process has tried before', async () => {
  const races = ['--only', 'races', '--at', 'merge and decide', '--each', '3', '--workers']
  const alone = await digest(5, ...races, '1')
  expect(alone).toMatch(/^[0-9a-f]+$/)
  // Two processes, of which each tries only some of the cases.
  expect(await digest(5, ...races, '2')).toBe(alone)
  expect(await digest(6, ...races, '1')).not.toBe(alone)
}, 240_000)

test('and so do the waits of the SDK before it tries again', async () => {
  const faults = ['--only', 'faults', '--at', 'revoke a key', '--workers', '1']
  expect(await digest(5, ...faults)).toBe(await digest(5, ...faults))
}, 240_000)
