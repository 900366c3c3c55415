import { isDeepStrictEqual } from 'node:util'
import type { Values } from '../names/values.ts'

/**
 * The three-way comparison of a fork with the record that it is a version of.
 *
 * - `taken`: what only the fork has changed, with its value.
 * - `cleared`: what only the fork has removed.
 * - `contested`: what both have changed, to different values.
 */
export type ThreeWay = { taken: Values; cleared: string[]; contested: string[] }

/**
 * Compares the values at the time of forking (`base`) with the present values of the original and of the fork. `except`: members that the
 * fork did not take along.
 */
export function compareThreeWays(
  { base, original, fork }: { base: Values; original: Values; fork: Values },
  except: readonly string[] = [],
): ThreeWay {
  const compared: ThreeWay = { taken: {}, cleared: [], contested: [] }
  for (const name of differingNames(base, fork)) {
    // A member that was not taken along is no removal.
    if (except.includes(name) && !(name in fork)) continue
    if (isDeepStrictEqual(original[name], fork[name])) continue
    if (!isDeepStrictEqual(base[name], original[name])) compared.contested.push(name)
    else if (name in fork) compared.taken[name] = fork[name]
    else compared.cleared.push(name)
  }
  return compared
}

export const differingNames = (before: Values, after: Values): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )
