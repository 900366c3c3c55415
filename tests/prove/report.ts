/** What was tried, and what was found wrong. */
export type Violation = { where: string; seed: number; again: string; what: readonly string[] }
export type Tally = {
  part: string
  tried: number
  unit: string
  kinds: number
  /** Each process has kinds of its own. */
  isShared: boolean
  violations: Violation[]
  milliseconds: number
  /** What else was counted, by its name. */
  counts: Record<string, number>
  /** Of all that was asked and answered: the same where the same seeds were tried, in whatever order. */
  digest: number
}

/** Which cases a process has, of several that share them: every `of`th, from the `at`th. */
export type Share = { at: number; of: number }
export const isOwn = ({ at, of }: Share, n: number): boolean => n % of === at

/** Whether a case is one of those that are asked for, which are divided by `|`. */
export const isNamed = (name: string, asked: string): boolean => asked.split('|').includes(name)

export const tally = (part: string, unit: string): Tally => ({
  part,
  unit,
  tried: 0,
  kinds: 0,
  isShared: false,
  violations: [],
  milliseconds: 0,
  counts: {},
  digest: 0,
})

export const count = ({ counts }: Tally, name: string, by = 1): void => {
  counts[name] = (counts[name] ?? 0) + by
}

/** So many of a part are printed by each process; all of them come into a file. */
const PRINTED = 12

/** What is done with the first violation by whoever cuts a source, who asks no more: it ends the process, or the part. */
export const first: { ends?: (it: Violation) => never } = {}

/** Hears of each case that has been tried, by its part and the name under which it is tried again. */
export const heard = { of: (_part: string, _name: string): void => undefined }

export function note(into: Tally, it: Violation): void {
  first.ends?.(it)
  into.violations.push(it)
  count(into, 'violations')
  process.exitCode = 1
  if (into.violations.length <= PRINTED) console.log(words(it))
}

/** What went wrong, where, and how it is tried again. */
export const words = ({ where, seed, again, what }: Violation): string =>
  [`  ${where} (seed ${seed}; ${again})`, ...what.slice(0, 6).map((each) => `    ${each}`)].join('\n')

/** What several processes have tried of one part. */
export function together(all: readonly Tally[]): Tally {
  const [one] = all
  if (!one) throw new Error('nothing was tried')
  const sum = tally(one.part, one.unit)
  for (const each of all) {
    sum.tried += each.tried
    sum.kinds = each.isShared ? sum.kinds + each.kinds : Math.max(sum.kinds, each.kinds)
    sum.violations.push(...each.violations)
    sum.milliseconds = Math.max(sum.milliseconds, each.milliseconds)
    sum.digest ^= each.digest
    for (const [name, n] of Object.entries(each.counts)) count(sum, name, n)
  }
  return sum
}

export function line(it: Tally): string {
  const { violations = 0, ...others } = it.counts
  const also = Object.entries(others).map(([name, n]) => `, ${n} ${name}`)
  const many = `${it.tried} ${it.unit} of ${it.kinds} kinds${also.join('')}`
  return `${it.part}: ${many}; ${violations} violations; ${Math.round(it.milliseconds / 1000)} s; digest ${(it.digest >>> 0).toString(16)}`
}
