import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { ROOT } from '../world/sources.ts'
import { foundChecks } from './found.ts'

/** What stands around each check while tests run: it says what it says, unless it is the one that is taken away. */
export function switches(): Plugin {
  const all = [...foundChecks().entries()]
  return {
    name: 'checks',
    enforce: 'pre',
    transform(code, id) {
      const own = all.filter(([, { file }]) => id === join(ROOT, file))
      if (own.length === 0) return undefined
      const pieces = own.flatMap(([n, { from, to, passes, rule }]) => [
        { at: from, order: -to, says: `${rule ? '$ruled' : '$said'}(${n}, ${passes}, ` },
        { at: to, order: -from, says: ')' },
      ])
      const text = pieces
        // Of two at one place the outer one is put in last.
        .sort((a, b) => b.at - a.at || b.order - a.order)
        .reduce((it, { at, says }) => it.slice(0, at) + says + it.slice(at), code)
      return `import { ruled as $ruled, said as $said } from ${SAID}\n${text}`
    },
  }
}

const SAID = JSON.stringify(join(import.meta.dirname, 'said.ts'))
