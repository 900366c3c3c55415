/** What a reviewer made of a claim. */
export type Judgment = 'stands' | 'lost' | 'disputed'

/**
 * Counts how far reviewers agree on claims that two or more of them judged: Krippendorff's alpha for nominal values. Alpha is 1 - (n - 1) *
 * sum over units of (pairs that differ / (raters - 1)) / (pairs of all judgments that differ). K. Krippendorff, "Computing Krippendorff's
 * Alpha-Reliability" (2011), equation for nominal data with any number of raters.
 */
export class Agreement {
  #units = 0
  /** Judgments in all, by value. */
  readonly #judged = new Map<Judgment, number>()
  /** The sum over units of ordered pairs that differ, each divided by the unit's raters less one. */
  #differing = 0

  /** Adds one claim with the judgment of each reviewer. A claim with fewer than two judgments is ignored. */
  add(judgments: readonly Judgment[]): void {
    if (judgments.length < 2) return
    this.#units += 1
    for (const one of judgments) this.#judged.set(one, (this.#judged.get(one) ?? 0) + 1)
    this.#differing += differingPairs(countsOf(judgments)) / (judgments.length - 1)
  }

  get units(): number {
    return this.#units
  }

  /** Alpha to three decimals. Null if no claim was judged twice, or if all judgments are of one value, so that agreement cannot be computed. */
  get alpha(): number | null {
    const counts = [...this.#judged.values()]
    const all = counts.reduce((sum, n) => sum + n, 0)
    const expected = differingPairs(counts)
    return expected === 0 ? null : Math.round(1000 * (1 - ((all - 1) * this.#differing) / expected)) / 1000
  }
}

const countsOf = (judgments: readonly Judgment[]): number[] =>
  [...Map.groupBy(judgments, (it) => it).values()].map(({ length }) => length)

/** Ordered pairs of judgments of different values. */
function differingPairs(counts: readonly number[]): number {
  const all = counts.reduce((sum, n) => sum + n, 0)
  return counts.reduce((sum, n) => sum + n * (all - n), 0)
}
