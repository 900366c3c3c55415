import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What three kinds of cases come to under a seed: a digest of every call, at its moment, and of every answer. */
async function digest(seed: number, ...more: string[]): Promise<string | undefined> {
  const words = ['--only', 'races', '--at', 'merge and decide', '--each', '3', '--seed', String(seed), ...more]
  const run = fileURLToPath(new URL('run.ts', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [run, ...words], { env: { PATH, HOME } })
  return /races: 3 schedules .*digest (\w+)/.exec(stdout)?.[1]
}

test('the same seed gives the same run, whatever the process has tried before', async () => {
  const alone = await digest(5, '--workers', '1')
  expect(alone).toMatch(/^[0-9a-f]+$/)
  // Two processes, of which each tries only some of the cases.
  expect(await digest(5, '--workers', '2')).toBe(alone)
  expect(await digest(6, '--workers', '1')).not.toBe(alone)
}, 240_000)
