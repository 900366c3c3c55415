import { decidedClaims, examplesOf, RIDGE } from '../../lib/domain/doubt/fit.ts'
import { estimateFrom, fitModel, judgeEstimates } from '../../lib/engines/estimate/index.ts'
import { habits, simulateReviews } from './simulated-reviewers.ts'
import { print, say } from './table.ts'

/** The part of the decisions that the model is fitted with. It is judged by the later ones. */
const FITTED_PART = 0.7

/** Judges estimates on the later decisions of simulated reviewers. */
export function judgeSimulation({ records, seed }: { records: number; seed: number }) {
  const claims = simulateReviews({ records, seed })
    .flatMap(decidedClaims)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const cut = Math.floor(claims.length * FITTED_PART)
  const base = claims.slice(0, cut).filter(({ kept }) => kept).length / cut
  const examples = examplesOf(claims, base)
  const model = fitModel(examples.slice(0, cut), RIDGE)
  const judged = examples.slice(cut).map(({ facts, happened }) => ({
    probability: estimateFrom(model, facts).probability,
    happened,
  }))
  return { fitted: cut, base, judgement: judgeEstimates(judged, base) }
}

/** How well the estimates of doubt hold: the Brier score and a table of reliability, on later decisions that were kept apart. */
export async function benchTrust(): Promise<void> {
  for (const records of [500, 5000]) {
    const began = performance.now()
    const { fitted, base, judgement } = judgeSimulation({ records, seed: 7 })
    const seconds = (performance.now() - began) / 1000
    say(
      `Doubt: ${records} simulated records, reviewers of ${Object.keys(habits).length} habits; fitted with the first ${fitted} decisions, judged by the ${judgement.count} after them, in ${seconds.toFixed(1)} s`,
    )
    const { brier, base_brier, calibration_error } = judgement
    say(
      `Brier score ${brier.toFixed(4)}; of the base rate (${(100 * base).toFixed(1)} % kept) ${base_brier.toFixed(4)}; calibration error ${calibration_error.toFixed(3)}`,
    )
    print(
      'Reliability',
      judgement.tenths.map(({ from, count, estimated, observed }) => ({
        estimated: `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`,
        decisions: count,
        'mean estimate': estimated.toFixed(3),
        kept: observed.toFixed(3),
      })),
    )
  }
  say(
    'The reviewers are simulated: this shows that habits are found, and that probabilities hold on later decisions. It does not show that people decide so.',
  )
}
