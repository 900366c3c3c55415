import { clock, now } from '../../base/clock.ts'
import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import { type Example, estimateFrom, fitModel, judgeEstimates } from '../../engines/estimate/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, put, putAlways, walk } from '../../engines/table/index.ts'
import { type History, loadHistory } from '../records/history.ts'
import { listsOf, recordVisibilities } from '../records/items.ts'
import { NONE, referencesOf, sourcesByPack } from '../records/source-references.ts'
import { factsOf, noTally, outcomesOf, type Tally } from './facts.ts'
import { type DoubtModel, type DoubtScope, doubtModel, doubtScopes, doubtSource, doubtTally } from './items.ts'
import { publicPart } from './public-part.ts'

/** With fewer decided claims nothing is estimated. */
const FEWEST_DECIDED = 50
/**
 * The most records that a fit reads, in equal shares from each list, newest first. `RECORDS_IN_STEP`: records of one query.
 * `RECORDS_AT_ONCE`: histories read at once.
 */
const MOST_RECORDS = 20_000
const RECORDS_IN_STEP = 100
const RECORDS_AT_ONCE = 10
/** How many examples pull each weight towards 0: with few decisions the estimates stay near the base rate. */
export const RIDGE = 5
/** A model of the earlier decisions is judged by this share of all decisions, the latest. */
const JUDGED_PART = 0.2
const DAY_MS = 86_400_000

type DecidedClaim = {
  at: string
  by: string
  /** The references by which it names its sources. */
  references: readonly string[]
  example: (tally: Tally | undefined, base: number) => Example
  kept: boolean
}

/** The decided claims of a record, each with its facts of the moment before the decision. */
export function decidedClaims(history: Pick<History, 'kind' | 'data' | 'assertions' | 'decisions'>): DecidedClaim[] {
  const outcomes = outcomesOf(history)
  const byPack = sourcesByPack(history.assertions)
  return history.assertions.flatMap((claim): DecidedClaim[] => {
    const outcome = outcomes.get(claim.id)
    if (!outcome) return []
    const { at, kept } = outcome
    const example = (tally: Tally | undefined, base: number): Example => ({
      facts: factsOf(history, claim, { at, tally, base, outcomes }),
      happened: kept,
    })
    return [{ at, by: claim.contributor_id, references: referencesOf(claim, byPack), example, kept }]
  })
}

/** What a fit yields. Scope, number, time and version are added when the model is stored. */
type Learned = Omit<DoubtModel, 'scope' | 'number' | 'fitted_at' | 'version'>

const inOrderOf = (claims: readonly DecidedClaim[]) =>
  claims.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Learns from decided claims in the order of their decisions, so that each knows only what was decided before. Pure. */
function learnFrom(inOrder: readonly DecidedClaim[], scope: DoubtScope): Learned {
  const base = (inOrder.filter(({ kept }) => kept).length + 1) / (inOrder.length + 2)
  const decided = inOrder.length
  if (decided < FEWEST_DECIDED) return { decided, base, intercept: 0, weights: {}, means: {}, judged: null }
  const examples =
    scope === 'everyone' ? inOrder.map(({ example }) => example(undefined, base)) : examplesOf(inOrder, base)
  return { decided, base, ...fitModel(examples, RIDGE), judged: judgeLatest(examples) }
}

/** The examples of claims in the order of their decisions. Each knows what was decided before on its claimant. */
export function examplesOf(inOrder: readonly DecidedClaim[], base: number): Example[] {
  const tallies = new Map<string, Tally>()
  return inOrder.map((it) => {
    const example = it.example(tallies.get(it.by) ?? noTally, base)
    addTo(tallies, it.by, it.kept)
    return example
  })
}

function addTo(tallies: Map<string, Tally>, of: string, kept: boolean): void {
  const tally = tallies.get(of) ?? noTally
  tallies.set(of, { kept: tally.kept + (kept ? 1 : 0), decided: tally.decided + 1 })
}

/** What was decided on the claims of each person, and of each source. */
function tallyAll(claims: readonly DecidedClaim[]) {
  const [people, sources] = [new Map<string, Tally>(), new Map<string, Tally>()]
  for (const { by, references, kept } of claims) {
    addTo(people, by, kept)
    for (const reference of references) if (reference !== NONE) addTo(sources, reference, kept)
  }
  return { people, sources }
}

/** Judges a model of the earlier examples by the later ones. */
function judgeLatest(examples: readonly Example[]) {
  const cut = Math.floor(examples.length * (1 - JUDGED_PART))
  const [earlier, later] = [examples.slice(0, cut), examples.slice(cut)]
  const model = fitModel(earlier, RIDGE)
  const base = earlier.filter(({ happened }) => happened).length / earlier.length
  const judged = later.map(({ facts, happened }) => ({ probability: estimateFrom(model, facts).probability, happened }))
  const { tenths: _, ...judgement } = judgeEstimates(judged, base)
  return judgement
}

/** Fits the models anew if the last fit is a day old. Returns how many times it fitted. For the sweeper. */
export async function estimateIfDue(): Promise<number> {
  const old = await get(doubtModel, { scope: 'reviewers' })
  if (old && Date.parse(old.fitted_at) > clock.now().getTime() - DAY_MS) return 0
  await estimateAnew()
  return 1
}

/**
 * Reads the decisions, fits a model for reviewers and one for everyone, and stores them with the tallies of claimants and sources. Fails
 * with `conflict` if another fit was faster. Returns the model for reviewers.
 */
export async function estimateAnew(): Promise<DoubtModel> {
  const olds = await Promise.all(doubtScopes.map((scope) => get(doubtModel, { scope })))
  const claims: Record<DoubtScope, DecidedClaim[]> = { reviewers: [], everyone: [] }
  for await (const histories of walkHistories()) {
    claims.reviewers.push(...histories.flatMap(decidedClaims))
    claims.everyone.push(...histories.flatMap((it) => publicPart(it) ?? []).flatMap(decidedClaims))
  }
  await storeTallies(claims.reviewers)
  const fitted_at = now()
  const next = doubtScopes.map((scope, i): DoubtModel => {
    const { number = 0, version = 0 } = olds[i] ?? {}
    return { scope, ...learnFrom(inOrderOf(claims[scope]), scope), number: number + 1, fitted_at, version: version + 1 }
  })
  await commitWrites(next.map((model, i) => put(doubtModel, model, olds[i])))
  const [forReviewers] = next
  if (!forReviewers) throw new Error('There is a model for reviewers.')
  return forReviewers
}

/** A source with fewer decided claims has no tally: they say too little. */
const FEWEST_OF_SOURCE = 3

async function storeTallies(claims: readonly DecidedClaim[]): Promise<void> {
  const { people, sources } = tallyAll(claims)
  const known = [...sources].filter(([, { decided }]) => decided >= FEWEST_OF_SOURCE)
  const writes = [
    ...[...people].map(([user_id, tally]) => putAlways(doubtTally, { user_id, ...tally, version: 1 })),
    ...known.map(([reference, tally]) => putAlways(doubtSource, { reference, ...tally, version: 1 })),
  ]
  for (const part of splitIntoParts(writes, RECORDS_IN_STEP)) await commitWrites(part)
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
