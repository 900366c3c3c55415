import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { outcomesOf } from '../../lib/domain/doubt/facts.ts'
import { decidedClaims, examplesOf, RIDGE } from '../../lib/domain/doubt/fit.ts'
import { kindOfScope } from '../../lib/domain/kinds/index.ts'
import { estimateFrom, fitModel, type Judgement, judgeEstimates } from '../../lib/engines/estimate/index.ts'
import { habits, reviewRecords, type SentRecord, type SimulatedRecord, simulateReviews } from './simulated-reviewers.ts'
import { print, say } from './tools/table.ts'

/** The part of the decisions that the model is fitted with. It is judged by the later ones. */
const FITTED_PART = 0.7

/** Decided claims with the share of reviewers who would keep them. */
function decidedIn(record: SimulatedRecord) {
  const outcomes = outcomesOf(record)
  const ids = record.assertions.flatMap(({ id }) => (outcomes.has(id) ? [id] : []))
  return decidedClaims(record).map((claim, i) => ({ claim, chance: record.chances.get(ids[i] ?? '') ?? 0 }))
}

/** Judges estimates on the later decisions of simulated reviewers. `best`: what one who knows all habits would estimate. */
export const judgeSimulation = (of: { records: number; seed: number }) => judgeReviews(simulateReviews(of))

/** Fits with the earlier decisions on these records, and judges by the later ones on those of them that are `judged`. */
function judgeReviews(records: readonly SimulatedRecord[], isJudged = (_: SimulatedRecord) => true) {
  const decided = records
    .flatMap((record) => decidedIn(record).map((it) => ({ ...it, counts: isJudged(record) })))
    .sort(({ claim: a }, { claim: b }) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const cut = Math.floor(decided.length * FITTED_PART)
  const base = decided.slice(0, cut).filter(({ claim }) => claim.kept).length / cut
  const examples = examplesOf(
    decided.map(({ claim }) => claim),
    base,
  )
  const model = fitModel(examples.slice(0, cut), RIDGE)
  const later = decided.flatMap((it, i) => {
    const example = examples[i]
    return example && i >= cut && it.counts ? [{ ...it, example }] : []
  })
  const judged = later.map(({ example: { facts, happened } }) => ({
    probability: estimateFrom(model, facts).probability,
    happened,
  }))
  const known = later.map(({ claim, chance }) => ({ probability: chance, happened: claim.kept }))
  return { fitted: cut, base, judgement: judgeEstimates(judged, base), best: judgeEstimates(known, base) }
}

const SHARED = ['conflicts.jsonl', 'conflicts.osm.jsonl'].map((name) => join(process.cwd(), '../shared/data', name))
/** Each shared conflict is decided on so many times, by other reviewers. */
const TIMES = 20
/** By the words of a shared row, how its source ranks. */
const ranked: readonly [RegExp, number][] = [
  [/UNESCO/, 2],
  [/OpenStreetMap/, 3],
  [/curated intangible/, 4],
]
const SharedConflict = v.object({
  same_entity: v.unknown(),
  claims: v.array(v.object({ record_kind: v.string(), property: v.string(), value: v.unknown(), source: v.string() })),
})

/** The rivals of the shared rows, as claims on one record each: what one source says, and what another one says of the same thing. */
function sharedRivals(): SentRecord[] {
  const conflicts = SHARED.filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    .map((line) => v.parse(SharedConflict, JSON.parse(line)))
  return conflicts.flatMap(({ same_entity, claims }): SentRecord[] => {
    const kind = kindOfScope(claims[0]?.record_kind ?? '')?.key
    if (same_entity !== true || !kind) return []
    const sent = claims.map(({ property, value, source }) => ({
      property,
      value,
      source: ranked.find(([words]) => words.test(source))?.[1] ?? 5,
    }))
    return [{ kind, claims: sent }]
  })
}

/** Estimates of decisions on the shared rivals, learned from these and from simulated records. */
function judgeShared(seed: number) {
  const sent = Array.from({ length: TIMES }, sharedRivals).flat()
  const hours = 1000
  const shared = new Set(reviewRecords(sent, { seed, hours }))
  return judgeReviews([...simulateReviews({ records: hours, seed }), ...shared], (it) => shared.has(it))
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
  if (sharedRivals().length > 0) {
    const draws = Array.from({ length: DRAWS }, (_, i) => judgeShared(i + 1))
    const left = mean(draws.map(({ judgement }) => leftOf(judgement))).toFixed(3)
    const best = mean(draws.map((it) => leftOf(it.best))).toFixed(3)
    const error = mean(draws.map(({ judgement }) => judgement.calibration_error)).toFixed(3)
    const count = Math.round(mean(draws.map(({ judgement }) => judgement.count)))
    say(
      `The rivals of the shared rows, ${sharedRivals().length} conflicts decided on ${TIMES} times beside 1000 simulated records, ${DRAWS} draws of ${count} judged decisions: Brier score, of that of the base rate, ${left}, of which ${best} is the best that can be known; calibration error ${error}`,
    )
  }
  say(
    'The reviewers are simulated: this shows that habits are found, and that probabilities hold on later decisions. It does not show that people decide so.',
  )
}
