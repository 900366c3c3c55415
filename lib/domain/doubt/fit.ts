import { clock, now } from '../../base/clock.ts'
import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { type Example, estimateFrom, fitModel, judgeEstimates } from '../../engines/estimate/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, put, putAlways, walk } from '../../engines/table/index.ts'
import { type History, loadHistory } from '../records/history.ts'
import { listsOf, recordVisibilities } from '../records/items.ts'
import { factsOf, noTally, outcomesOf, type Tally } from './facts.ts'
import { type DoubtModel, doubtModel, doubtTally } from './items.ts'

/** Fewer decided claims are no ground for an estimate. */
const FEWEST_DECIDED = 50
/** The most records that a fit reads, newest first of each list, and those that are read in one step. */
const MOST_RECORDS = 20_000
const RECORDS_IN_STEP = 100
const RECORDS_AT_ONCE = 10
/** The part of the decisions by which a model of the earlier ones is judged. */
const JUDGED_PART = 0.2
const DAY_MS = 86_400_000

type DecidedClaim = { at: string; by: string; example: (tally: Tally, base: number) => Example; kept: boolean }

/** The decided claims of a record, each with its facts of the moment before the decision. */
export function decidedClaims(history: Pick<History, 'kind' | 'data' | 'assertions' | 'decisions'>): DecidedClaim[] {
  const outcomes = outcomesOf(history)
  return history.assertions.flatMap((claim): DecidedClaim[] => {
    const outcome = outcomes.get(claim.id)
    if (!outcome) return []
    const { at, kept } = outcome
    const example = (tally: Tally, base: number): Example => ({
      facts: factsOf(history, claim, { at, tally, base, outcomes }),
      happened: kept,
    })
    return [{ at, by: claim.contributor_id, example, kept }]
  })
}

/** What was learned: a model without its number, and the tally of each claimant. */
type Learned = { model: Omit<DoubtModel, 'number' | 'fitted_at' | 'version'>; tallies: Map<string, Tally> }

/** Learns from decided claims in the order of their decisions, so that each knows only what was decided before. Pure. */
function learnFrom(claims: readonly DecidedClaim[]): Learned {
  const inOrder = claims.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const base = (inOrder.filter(({ kept }) => kept).length + 1) / (inOrder.length + 2)
  const { examples, tallies } = examplesOf(inOrder, base)
  if (inOrder.length < FEWEST_DECIDED)
    return { model: { decided: inOrder.length, base, intercept: 0, weights: {}, means: {}, judged: null }, tallies }
  return { model: { decided: inOrder.length, base, ...fitModel(examples), judged: judgeLatest(examples) }, tallies }
}

/** The examples of claims in the order of their decisions, and what is known of each claimant in the end. */
export function examplesOf(inOrder: readonly DecidedClaim[], base: number) {
  const tallies = new Map<string, Tally>()
  const examples = inOrder.map(({ by, example, kept }) => {
    const tally = tallies.get(by) ?? noTally
    tallies.set(by, { kept: tally.kept + (kept ? 1 : 0), decided: tally.decided + 1 })
    return example(tally, base)
  })
  return { examples, tallies }
}

/** Judges a model of the earlier examples by the later ones. */
function judgeLatest(examples: readonly Example[]) {
  const cut = Math.floor(examples.length * (1 - JUDGED_PART))
  const [earlier, later] = [examples.slice(0, cut), examples.slice(cut)]
  const model = fitModel(earlier)
  const base = earlier.filter(({ happened }) => happened).length / earlier.length
  const judged = later.map(({ facts, happened }) => ({ probability: estimateFrom(model, facts).probability, happened }))
  const { tenths: _, ...judgement } = judgeEstimates(judged, base)
  return judgement
}

/** Fits the model anew if the last fit is a day old. Returns how many models it fitted. For the sweeper. */
export async function estimateIfDue(): Promise<number> {
  const old = await get(doubtModel, {})
  if (old && Date.parse(old.fitted_at) > clock.now().getTime() - DAY_MS) return 0
  await estimateAnew()
  return 1
}

/** Reads the decisions, fits the model, and stores it with the tallies of claimants. Another fit may be faster: then it fails. */
export async function estimateAnew(): Promise<DoubtModel> {
  const old = await get(doubtModel, {})
  const claims: DecidedClaim[] = []
  for await (const histories of walkHistories()) claims.push(...histories.flatMap(decidedClaims))
  const { model, tallies } = learnFrom(claims)
  for (const part of splitIntoParts([...tallies], RECORDS_IN_STEP))
    await commitWrites(part.map(([user_id, tally]) => putAlways(doubtTally, { user_id, ...tally, version: 1 })))
  const next = { ...model, number: (old?.number ?? 0) + 1, fitted_at: now(), version: (old?.version ?? 0) + 1 }
  await commitWrites([put(doubtModel, next, old)])
  return next
}

/** Walks through the newest records of each list, with their histories. Holds few in memory. */
async function* walkHistories(): AsyncGenerator<History[]> {
  const most = Math.floor(MOST_RECORDS / recordVisibilities.length)
  for (const visibility of recordVisibilities) {
    let beyond: string | undefined
    for (let read = 0; read < most; ) {
      const pk = listsOf.every(visibility)
      const items = await walk({ index: 'gsi2', pk, forward: false, limit: RECORDS_IN_STEP, beyond })
      const found = await mapAtOnce(items, RECORDS_AT_ONCE, (item) => loadHistory(String(item.entity_id)))
      yield found.filter((it) => it !== undefined)
      if (items.length < RECORDS_IN_STEP) break
      read += items.length
      beyond = String(items.at(-1)?.gsi2_sk)
    }
  }
}
