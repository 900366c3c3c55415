/** How many there are of each type. */
export type Sizes = Readonly<Record<string, number>>

export const plus = (sizes: Sizes, type: string, by: number): Record<string, number> => ({
  ...sizes,
  [type]: Math.max(0, (sizes[type] ?? 0) + by),
})

/** What is left of some without others; never less than none. */
export const minus = (some: Sizes, others: Sizes): Record<string, number> =>
  Object.entries(others).reduce((left, [type, n]) => plus(left, type, -n), { ...some })

export const sumOf = (all: readonly Sizes[]): Record<string, number> =>
  all
    .flatMap((sizes) => Object.entries(sizes))
    .reduce<Record<string, number>>((sum, [type, n]) => plus(sum, type, n), {})

/** How many there are of one type, or of all. */
export const total = (sizes: Sizes, type: string | undefined): number =>
  type === undefined ? Object.values(sizes).reduce((sum, n) => sum + n, 0) : (sizes[type] ?? 0)
