import { appendFileSync } from 'node:fs'

/** What a run of the tests is told of checks: which is taken away, and where each file of tests notes what has refused in it. */
export const OUT = 'CHECK_OUT'
export const NOTES = 'CHECK_NOTES'

/** One for all copies of this module that a file of tests may load. */
const kept = globalThis as { refused?: Set<number> }
const refused = kept.refused ?? new Set<number>()
kept.refused = refused
const out = Number(process.env[OUT] ?? Number.NaN)

/** What a check says; where it is taken away, what lets everybody pass. */
export function said<T>(n: number, passes: boolean, says: T): T | boolean {
  if (isYes(says) !== passes) refused.add(n)
  return n === out ? passes : says
}
const isYes = (says: unknown): boolean => Boolean(says) && !(typeof says === 'object' && says && 'refusal' in says)

/** The same of a rule by its name. */
export const ruled =
  <Given extends readonly unknown[], T>(n: number, passes: boolean, rule: (...given: Given) => T) =>
  (...given: Given): T | boolean =>
    said(n, passes, rule(...given))

/** Which checks have refused somebody since this was last asked. */
export function refusedSince(): number[] {
  const since = [...refused]
  refused.clear()
  return since
}

/** In which test which checks have refused somebody, and how long it took. */
export type Noted = { file: string; test: string; milliseconds: number; refused: readonly number[] }
export function note(it: Noted): void {
  const notes = process.env[NOTES]
  if (notes) appendFileSync(notes, `${JSON.stringify(it)}\n`)
}
