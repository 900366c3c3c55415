import { outcomesOf } from '../../lib/domain/doubt/facts.ts'
import { decidedClaims, examplesOf, RIDGE } from '../../lib/domain/doubt/fit.ts'
import { estimateFrom, fitModel, type Judgement, judgeEstimates } from '../../lib/engines/estimate/index.ts'
import { habits, type SimulatedRecord, simulateReviews } from './simulated-reviewers.ts'
import { print, say } from './table.ts'

/** The part of the decisions that the model is fitted with. It is judged by the later ones. */
const FITTED_PART = 0.7

/** Decided claims with the share of reviewers who would keep them. */
function decidedIn(record: SimulatedRecord) {
  const outcomes = outcomesOf(record)
  const ids = record.assertions.flatMap(({ id }) => (outcomes.has(id) ? [id] : []))
  return decidedClaims(record).map((claim, i) => ({ claim, chance: record.chances.get(ids[i] ?? '') ?? 0 }))
}

/** Judges estimates on the later decisions of simulated reviewers. `best`: what one who knows all habits would estimate. */
export function judgeSimulation({ records, seed }: { records: number; seed: number }) {
  const decided = simulateReviews({ records, seed })
    .flatMap(decidedIn)
    .sort(({ claim: a }, { claim: b }) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const cut = Math.floor(decided.length * FITTED_PART)
  const base = decided.slice(0, cut).filter(({ claim }) => claim.kept).length / cut
  const examples = examplesOf(
    decided.map(({ claim }) => claim),
    base,
  )
  const model = fitModel(examples.slice(0, cut), RIDGE)
  const judged = examples.slice(cut).map(({ facts, happened }) => ({
    probability: estimateFrom(model, facts).probability,
    happened,
  }))
  const known = decided.slice(cut).map(({ claim, chance }) => ({ probability: chance, happened: claim.kept }))
  return { fitted: cut, base, judgement: judgeEstimates(judged, base), best: judgeEstimates(known, base) }
}

/** How much of the base rate's error is left. */
const leftOf = ({ brier, base_brier }: Judgement) => brier / base_brier
const mean = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / values.length

const SIZES = [250, 500, 1000, 2000, 5000]
const DRAWS = 8

/** How well the estimates of doubt hold: the Brier score and a table of reliability, on later decisions that were kept apart. */
export async function benchTrust(): Promise<void> {
  say(
    `Doubt: simulated records, reviewers of ${Object.keys(habits).length} habits, ${DRAWS} draws of each size; fitted with the first ${100 * FITTED_PART} % of the decisions, judged by those after them`,
  )
  const rows = SIZES.map((records) => {
    const draws = Array.from({ length: DRAWS }, (_, i) => judgeSimulation({ records, seed: i + 1 }))
    const left = draws.map(({ judgement }) => leftOf(judgement))
    const errors = draws.map(({ judgement }) => judgement.calibration_error)
    return {
      records,
      'decisions fitted': Math.round(mean(draws.map(({ fitted }) => fitted))),
      'Brier score, of that of the base rate': mean(left).toFixed(3),
      'draws with 0.9 at most': `${left.filter((it) => it <= 0.9).length} of ${DRAWS}`,
      'the best that can be known': mean(draws.map(({ best }) => leftOf(best))).toFixed(3),
      'calibration error': mean(errors).toFixed(3),
      'draws with 0.05 at most': `${errors.filter((it) => it <= 0.05).length} of ${DRAWS}`,
    }
  })
  print('From how many decisions on the promise holds', rows)
  const { fitted, base, judgement } = judgeSimulation({ records: 5000, seed: 7 })
  const { brier, base_brier, calibration_error, count } = judgement
  say(
    `One draw of 5000 records: fitted with ${fitted} decisions, judged by ${count}. Brier score ${brier.toFixed(4)}; of the base rate (${(100 * base).toFixed(1)} % kept) ${base_brier.toFixed(4)}; calibration error ${calibration_error.toFixed(3)}`,
  )
  print(
    'Reliability',
    judgement.tenths.map(({ from, count: decisions, estimated, observed }) => ({
      estimated: `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`,
      decisions,
      'mean estimate': estimated.toFixed(3),
      kept: observed.toFixed(3),
    })),
  )
  say(
    'The reviewers are simulated: this shows that habits are found, and that probabilities hold on later decisions. It does not show that people decide so.',
  )
}
