import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { type Cut, ROOT } from '../world/sources.ts'

/** What a run of tests is told: the cut in the sources. */
export const CUT = 'CUT_OUT'

/** Takes one cut out of the sources that tests load. */
export function cutOut(): Plugin {
  const cut: Cut | undefined = JSON.parse(process.env[CUT] ?? 'null') ?? undefined
  return {
    name: 'cut-out',
    enforce: 'pre',
    transform: (code, id) =>
      cut && id === join(ROOT, cut.file) ? code.slice(0, cut.from) + cut.with + code.slice(cut.to) : undefined,
  }
}
