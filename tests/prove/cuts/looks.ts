import type { Dice } from '../world/chance.ts'
import type { Found } from './found.ts'
import type { Case } from './reach.ts'

/**
 * Where a cut is looked for: some of the cases that come by it, those first that take the least time. `once`: with nothing
 * going wrong. `some`: such a part of their faults. `each`: so many schedules.
 * `behind`: with the calls going wrong that are made behind the wait, or behind what its function has waited for before it.
 */
export type Look = { names: readonly string[] } & (
  | { part: 'base' }
  | { part: 'faults' | 'background'; some: number }
  | { part: 'troubled' }
  | { part: 'races'; each: number }
  | { part: 'behind' }
)

/** So many of the cases of one sort are tried. */
const MOST_CASES = 6

/** Of those of which it shows only later whether anything is called behind the cut, so many are named. */
const MOST_NAMED = 100

/** So many schedules are shared by the races that come by. */
const SCHEDULES = 600

type Sort = { of: (it: Case) => boolean; look: (names: readonly string[]) => Look; most?: number }
const calmly = (part: Case['part']) => (it: Case) => it.part === part && !it.troubled && !it.refused && !it.near
const share = (most: number, names: readonly string[]) => Math.min(1, most / names.length)
const SORTS = {
  // The world is made before anything else.
  base: { of: calmly('base'), look: (names) => ({ part: 'base', names }) },
  refused: { of: (it) => it.refused && !it.near, look: (names) => ({ part: 'faults', some: 0, names }) },
  'faults once': { of: calmly('faults'), look: (names) => ({ part: 'faults', some: 0, names }) },
  'background once': { of: calmly('background'), look: (names) => ({ part: 'background', some: 0, names }) },
  troubled: { of: (it) => it.troubled, look: (names) => ({ part: 'troubled', names }) },
  behind: {
    of: (it) => (it.part === 'faults' || it.part === 'background') && !it.troubled,
    look: (names) => ({ part: 'behind', names }),
    most: MOST_NAMED,
  },
  'races of each kind': { of: calmly('races'), look: (names) => ({ part: 'races', each: 2, names }), most: MOST_NAMED },
  races: {
    of: calmly('races'),
    look: (names) => ({ part: 'races', each: Math.ceil(SCHEDULES / names.length), names }),
    most: MOST_NAMED,
  },
  faults: { of: calmly('faults'), look: (names) => ({ part: 'faults', some: share(1.2, names), names }) },
  background: { of: calmly('background'), look: (names) => ({ part: 'background', some: share(0.6, names), names }) },
} as const satisfies Readonly<Record<string, Sort>>

/** A wait shows at once, a check where it refuses, and a condition where several are at work. */
const AT_ONCE = [
  'refused',
  'faults once',
  'background once',
  'base',
  'troubled',
  'behind',
  'races of each kind',
  'races',
  'faults',
  'background',
] as const
/** Nothing is called behind a number. */
const QUICK_SUMS = ['refused', 'faults once', 'background once', 'base', 'races of each kind'] as const
const SUMS = [...QUICK_SUMS, 'races', 'faults', 'background'] as const
const ORDER: Readonly<Record<Found['sort'], readonly (keyof typeof SORTS)[]>> = {
  condition: [
    'races of each kind',
    'races',
    'refused',
    'faults once',
    'background once',
    'troubled',
    'faults',
    'background',
    'base',
  ],
  wait: AT_ONCE,
  return: AT_ONCE,
  sum: SUMS,
  comparison: SUMS,
  order: SUMS,
}

/** Which looks are meant: all, or of those at numbers and orders those that take seconds, or those that take minutes. */
export type Which = 'all' | 'quick' | 'dear'
const isQuick = (it: keyof typeof SORTS) => QUICK_SUMS.some((each) => each === it)

/** The looks at a cut, of the cases that come by it. */
export function looksAt(
  sort: Found['sort'],
  cases: readonly Case[],
  chance: Dice,
  which: Which = 'all',
): readonly Look[] {
  // Cases that do nothing behind it are tried where there are no others.
  const isTelling = cases.some((it) => !it.quiet)
  const asked = ORDER[sort].filter((it) => which === 'all' || isQuick(it) === (which === 'quick'))
  return asked.flatMap((each) => {
    const { of, look, most = MOST_CASES }: Sort = SORTS[each]
    const left = cases.filter((it) => of(it) && (it.near || !it.quiet || !isTelling)).map(({ name }) => name)
    const some = Array.from({ length: Math.min(most, left.length) }, () =>
      left.splice(chance.below(left.length), 1),
    ).flat()
    return some.length > 0 ? [look(some)] : []
  })
}
