import { now } from '../../base/clock.ts'
import { type Estimate, estimateFrom, type Facts } from '../../engines/estimate/index.ts'
import { get, getMany, itemIn } from '../../engines/table/index.ts'
import { type Actor, mayReview } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { History } from '../records/history.ts'
import { type Assertion, isSettled, SAME_REFERENT } from '../records/items.ts'
import type { QueueEntry } from '../records/queue-entry.ts'
import { policy } from '../records/rules/triage.ts'
import { claimantShare, factsOf, noTally, type Outcome, outcomesOf, type Tally } from './facts.ts'
import { type DoubtModel, doubtModel, doubtTally } from './items.ts'
import { publicPart } from './public-part.ts'

/** What each fact is about, for readers. */
const about: Readonly<Record<string, string>> = {
  source_type: 'The sort of its source.',
  confidence: 'How sure its author says to be.',
  property: 'The property that it is about.',
  machine: 'Whether a machine sent it.',
  rivals: 'Claims that contradict it.',
  supporters: 'Claims that agree with it.',
  beside: 'What was decided on other values of the record.',
  claimant: 'What was decided on earlier claims of its author.',
}
/** Answers show the effect of these facts, but not the value: the value would say something about people. */
const untold: readonly string[] = ['beside', 'claimant']

/** Whether a model has learned anything. */
const isFitted = (model: DoubtModel | undefined): model is DoubtModel =>
  model !== undefined && Object.keys(model.weights).length > 0

/** The model of today, and what was decided on the claims of these people. Undefined if too little was decided. One call for each hundred. */
async function loadModel(
  people: readonly string[],
): Promise<{ model: DoubtModel; tallyOf: (id: string) => Tally } | undefined> {
  const ids = [...new Set(people)]
  const found = await getMany([key.doubtModel('reviewers'), ...ids.map(key.doubtTally)])
  const model = itemIn(found, doubtModel, { scope: 'reviewers' })
  if (!isFitted(model)) return undefined
  return { model, tallyOf: (user_id) => itemIn(found, doubtTally, { user_id }) ?? noTally }
}

/**
 * Estimates claims of a record. For reviewers: claims that stand or wait, by a model of all decisions. For everybody else: standing claims,
 * by a model of what everyone may read, and only if everyone may read the record. Undefined while too little was decided. One call.
 */
export const estimateClaims = (history: History, actor: Actor | null) =>
  mayReview(actor) ? estimateForReviewers(history) : estimateForEveryone(history)

async function estimateForReviewers(history: History) {
  const claims = history.assertions.filter(
    ({ reconciliation_status, asserted_property }) =>
      reconciliation_status !== 'superseded' && asserted_property !== SAME_REFERENT,
  )
  const loaded = await loadModel(claims.map(({ contributor_id }) => contributor_id))
  if (!loaded) return undefined
  const { model, tallyOf } = loaded
  const outcomes = outcomesOf(history)
  return claims.map((claim) => estimateClaim(history, claim, { model, outcomes, tally: tallyOf(claim.contributor_id) }))
}

async function estimateForEveryone(history: History) {
  const open = publicPart(history)
  const model = open && (await get(doubtModel, { scope: 'everyone' }))
  if (!open || !isFitted(model)) return undefined
  const outcomes = outcomesOf(open)
  return open.assertions.filter(isSettled).map((claim) => estimateClaim(open, claim, { model, outcomes }))
}

/** What an estimate is made from. Without a tally nothing is said of the author. */
type Learned = { model: DoubtModel; outcomes: ReadonlyMap<string, Outcome>; tally?: Tally }

function estimateClaim(history: History, claim: Assertion, { model, outcomes, tally }: Learned) {
  const facts = factsOf(history, claim, { at: now(), tally, base: model.base, outcomes })
  return {
    assertion: claim.id,
    property: claim.asserted_property,
    model: model.number,
    ...estimateView(estimateFrom(model, facts), facts),
  }
}

function estimateView({ probability, effects }: Estimate, facts: Facts) {
  const evidence = effects
    .map(({ fact, effect }) => ({
      fact,
      about: about[fact] ?? '',
      value: untold.includes(fact) ? null : (facts[fact] ?? null),
      effect: round(effect),
    }))
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
  return { probability: round(probability), evidence }
}
const round = (value: number) => Math.round(value * 100) / 100

/**
 * Estimates waiting records by their entries in the queue: the least trusted source, contradictions, the contributor. Returns a function
 * from an entry to its sort key: the most doubtful sorts first. One call for each hundred contributors.
 */
export async function doubtOrder(entries: readonly QueueEntry[]): Promise<(entry: QueueEntry) => string> {
  const loaded = await loadModel(entries.map(({ contributor_id }) => contributor_id))
  const probabilityOf = (entry: QueueEntry) => {
    if (!loaded) return 0
    const { model, tallyOf } = loaded
    return estimateFrom(model, {
      source_type: policy.tier_rank_json[entry.worst_source_rank] ?? 'none',
      rivals: Math.min(3, entry.open_contradictions),
      claimant: claimantShare(tallyOf(entry.contributor_id), model.base),
    }).probability
  }
  return (entry) => `${probabilityOf(entry).toFixed(9)}#${entry.created_at}#${entry.entity_id}`
}
