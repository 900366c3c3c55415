/** An estimate, and what came of it. */
export type Judged = { probability: number; happened: boolean }

/** Estimates of one tenth of the scale: how many, their mean, and how often the thing happened. */
export type Tenth = { from: number; count: number; estimated: number; observed: number }

/**
 * How good estimates are. `brier` is the mean square error; `base_brier` is the same error if every estimate were the base rate.
 * `calibration_error` is the mean distance of estimated and observed over the tenths, weighted by their counts.
 */
export type Judgement = {
  count: number
  brier: number
  base_brier: number
  calibration_error: number
  tenths: Tenth[]
}

/** Judges estimates by what came of them. `base` is the base rate: `base_brier` is the error of always estimating it. */
export function judgeEstimates(judged: readonly Judged[], base: number): Judgement {
  const mean = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / Math.max(values.length, 1)
  const outcome = ({ happened }: Judged) => (happened ? 1 : 0)
  const tenths = Array.from({ length: 10 }, (_, i): Tenth => {
    const own = judged.filter(({ probability }) => Math.min(9, Math.floor(probability * 10)) === i)
    return {
      from: i / 10,
      count: own.length,
      estimated: mean(own.map(({ probability }) => probability)),
      observed: mean(own.map(outcome)),
    }
  }).filter(({ count }) => count > 0)
  return {
    count: judged.length,
    brier: mean(judged.map((it) => (it.probability - outcome(it)) ** 2)),
    base_brier: mean(judged.map((it) => (base - outcome(it)) ** 2)),
    calibration_error: mean(
      tenths.flatMap(({ count, estimated, observed }) => new Array<number>(count).fill(Math.abs(estimated - observed))),
    ),
    tenths,
  }
}
