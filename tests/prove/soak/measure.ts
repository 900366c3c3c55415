/** What figures of a run come to. */

/** So much of the figures is no larger than what this answers; 0 of none. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** A figure at a moment, in seconds. */
export type Sample = { at: number; value: number }

/**
 * By how much the figures grow in a second: the median of the slopes of all pairs (Theil and Sen), which single peaks, such as memory has
 * before it is collected, do not move.
 */
export function slope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((a, i) =>
    samples.slice(i + 1).flatMap((b) => (b.at > a.at ? [(b.value - a.value) / (b.at - a.at)] : [])),
  )
  return quantile(slopes, 0.5)
}

/** The smallest figure of each so many seconds. */
export function lowest(samples: readonly Sample[], seconds: number): Sample[] {
  const groups = [...Map.groupBy(samples, ({ at }) => Math.floor(at / seconds)).values()]
  return groups.flatMap((group) => group.toSorted((a, b) => a.value - b.value)[0] ?? [])
}
