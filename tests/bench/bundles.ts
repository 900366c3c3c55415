import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundlesBesideSdk, type Made, sizeOver } from '../harness/bundles.ts'
import { print } from './tools/table.ts'

const ROUNDS = 20

/**
 * What a start of each function reads, and how long it takes, over bundles with nothing but the SDK's clients of the table and of
 * what else it ever calls, the bucket or the post, as esbuild makes them of the SDK as it comes. What is read later, when it is first asked for, is
 * told beside it. Times are the median of fresh processes, whose turns come round by round, so that a busy moment hits all of them:
 * the processor time of all threads, which others at work on the machine change less than the time that passes.
 */
export async function benchBundles(): Promise<void> {
  // Beside the packages that some bundles load from there.
  mkdirSync('.build', { recursive: true })
  const directory = mkdtempSync(join(resolve('.build'), 'bundles-'))
  const made = await bundlesBesideSdk(directory)
  const times = new Map(made.map(({ name }): [string, number[]] => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, file } of made) times.get(name)?.push(importTime(file))
  const ms = (name: string) => times.get(name)?.sort((a, b) => a - b)[ROUNDS / 2] ?? 0
  print(
    'Bundles: KB that a start reads, and median processor time of import, over the SDK clients alone',
    made.map((it: Made) => ({
      bundle: it.name,
      KB: kb(it.start),
      size: sizeOver(made, it).toFixed(2),
      ms: ms(it.name).toFixed(0),
      import: (ms(it.name) / ms(it.over)).toFixed(2),
      'KB read later': it.all === it.start ? '' : kb(it.all - it.start),
    })),
  )
  rmSync(directory, { recursive: true })
}

const kb = (bytes: number) => (bytes / 1024).toFixed(0)

/** Milliseconds of processor time that a process spends on importing a file, all of its threads together. */
function importTime(file: string): number {
  const code = `const before=process.cpuUsage();await import(${JSON.stringify(file)});const{user,system}=process.cpuUsage(before);process.stdout.write(String((user+system)/1000),()=>process.exit())`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, TABLE_NAME: 'bench', STAGE: 'local' },
    }),
  )
}
