import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { escaped, firstFailure } from '../checks/try.ts'
import { ROOT } from '../world/sources.ts'
import { CUT } from './cut-out.ts'
import type { Numbered } from './try.ts'

/** Of these cuts, those that the tests of their rooms do not notice. What fails under a cut must pass without it. */
export async function missedByTests(cuts: readonly Numbered[]): Promise<Numbered[]> {
  const missed: Numbered[] = []
  for (const cut of cuts) {
    const [, { name, file, from, to, with: instead }] = cut
    const found = await noticedBy(testsOf(file), JSON.stringify({ file, from, to, with: instead }))
    if (found === undefined) missed.push(cut)
    else console.log(`noticed ${name}: by the test ${found}`)
  }
  return missed
}

const CONFIG = join(import.meta.dirname, 'vitest.config.ts')

async function noticedBy(tests: readonly string[], cut: string): Promise<string | undefined> {
  if (tests.length === 0) return undefined
  const failed = await firstFailure(tests, { [CUT]: cut }, CONFIG)
  if (failed === undefined) return undefined
  const [file = '', ...names] = failed.split(' > ')
  const anyway = await firstFailure([file, '-t', `^${escaped(names.join(' > '))}$`], {}, CONFIG)
  if (anyway === undefined) return failed
  console.log(`        ${failed} fails without a cut, too`)
  return undefined
}

/** The tests of the room of a source, by its folders: those of `lib/domain/feed/page.ts` stand in `tests/domain/feed`. */
function testsOf(file: string): string[] {
  const [, wing = '', room = ''] = file.replace(/\.ts$/, '').split('/')
  const group = file.startsWith('functions/') ? wing : `${wing}/${room}`
  const places = file.startsWith('functions/') ? [`domain/${group}`, `doors/${group}`] : [group]
  return places.map((it) => `tests/${it}`).filter((it) => existsSync(join(ROOT, it)))
}
