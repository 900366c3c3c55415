/** What was tried, and what was found wrong. */
export type Violation = { where: string; seed: number; again: string; what: readonly string[] }
export type Tally = {
  part: string
  tried: number
  unit: string
  kinds: number
  violations: Violation[]
  milliseconds: number
  also?: string
}

export const tally = (part: string, unit: string): Tally => ({
  part,
  unit,
  tried: 0,
  kinds: 0,
  violations: [],
  milliseconds: 0,
})

/** At most so many are kept of a part: they are mostly one and the same. */
const MOST = 40

/** Whether the first violation ends the process: whoever cuts a source asks no more. */
export const first = { ends: false }

export function note(into: Tally, it: Violation): void {
  if (first.ends) process.exit(1)
  if (into.violations.length < MOST) into.violations.push(it)
  process.exitCode = 1
  if (into.violations.length <= 12)
    console.log(
      `  ${it.where} (seed ${it.seed}; ${it.again})\n${it.what
        .slice(0, 6)
        .map((each) => `    ${each}`)
        .join('\n')}`,
    )
}

export const line = (it: Tally): string =>
  `${it.part}: ${it.tried} ${it.unit} of ${it.kinds} kinds, ${it.violations.length} violations, ${Math.round(it.milliseconds / 1000)} s${it.also ? `; ${it.also}` : ''}`
