import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { newChildId, now } from '../clock.ts'
import { commitNaming } from '../commit.ts'
import { checkAllowed, conflict, invalid } from '../errors.ts'
import { type Contribution, kinds, type Picture, schemaOf } from '../kinds/index.ts'
import { indexWrites } from '../names/index.ts'
import type { Values } from '../names/values.ts'
import { checkSize } from '../names/values.ts'
import { type Actor, type Deciding, hasRank, inWords, mayDecide, type Rank, ranks } from '../permissions.ts'
import { withPictures } from '../pictures/take.ts'
import { activityOf, headerOf, indexedOf, newClaims, revisionOf, summaryOf, withActivity } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, claimsOf, type History, loadHistory } from '../records/history.ts'
import {
  type Activity,
  type Assertion,
  activity,
  countingClaims,
  type Decision,
  decision,
  type Flag,
  flag,
  isCarried,
  type RecordItem,
  recordItem,
  recordItemOf,
  revision,
  toldOf,
  toldOfDecision,
} from '../records/items.ts'
import { endLease } from '../records/leases.ts'
import { picturesOf } from '../records/pictures.ts'
import { isPending, queueWrites } from '../records/queue-entry.ts'
import { resolve } from '../records/relations.ts'
import { canonical, type Outcome, type Ruled, settle } from '../records/rules/canonical.ts'
import { move } from '../records/rules/status.ts'
import { effects, type Handling, settlements, type Verdict } from '../records/rules/verdicts.ts'
import { stubsFor } from '../records/stubs.ts'
import { stateOf } from '../records/write.ts'
import { amended, put, type Write } from '../table/item.ts'
import * as users from '../users/users.ts'

type Edits = Contribution & { pictures?: readonly Picture[] }

export type DecisionInput = {
  verdict: Verdict
  conflict_handling: Handling
  confidence_override: string | null
  verification_method: string | null
  feedback: string
  reconciliation_note: string
  internal_note: string
  /** With `accept_with_edits`: what the reviewer changes, and pictures whose files the service itself has put in place. */
  edits?: Edits | null
  /** With `escalate`: the user who is asked to decide. */
  escalated_to?: string | null
}

/** A record with its history as the subject of rules. What does not wait is nobody's work to decide on. */
export type Decidable = History & { authors: readonly string[] }

/** What may be decided on, by its review identity, in one call; undefined when there is none. */
export async function loadDecidable(entity_id: string): Promise<Decidable | undefined> {
  const it = await loadHistory(entity_id)
  return it && { ...it, authors: isPending(it.status) ? authorsOf(it) : [] }
}

/**
 * Applies a verdict to what waits for review: status, values, revision, assertions, flags, activity and decision in one
 * transaction. Of two reviewers at once one wins; the other gets `conflict`, as does a verdict on what no longer waits.
 */
export const decide = (old: History, reviewer: Actor, input: DecisionInput): Promise<Decision> =>
  commitNaming(async () => {
    const { made, writes } = await planDecision(old, reviewer, input)
    return { result: made, writes: [...writes, endLease(old.entity_id, reviewer)] }
  })

/** A verdict, the record as it makes it, what happened, and everything that is to be written. */
export type PlannedDecision = { made: Decision; record: RecordItem; done: Activity[]; writes: Write[] }

/** What `decide` would write, for those who write it together with more. Fails as `decide` does. */
export async function planDecision(old: History, reviewer: Actor, input: DecisionInput): Promise<PlannedDecision> {
  if (!isPending(old.status)) throw nothingWaits()
  checkAllowed(mayDecide(reviewer, decidingOn(old, input)))
  check(old, input)
  return planVerdict(old, reviewer, input, settledFlags(old, input))
}

/**
 * What a reviewer's own edits of a published record would write, behind which nothing waits: nobody's work is decided on,
 * and no contradiction is settled, so that whoever reviews may do it. Fails where the record is not published.
 */
export async function planEdits(
  old: History,
  reviewer: Actor,
  input: DecisionInput & { edits: Edits },
): Promise<PlannedDecision> {
  if (!old.public || isPending(old.status)) throw conflict()
  return planVerdict(old, reviewer, input, [])
}

async function planVerdict(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
): Promise<PlannedDecision> {
  checkWhole(old)
  const effect = effects[input.verdict]
  const moved = move(stateOf(old), effect.trigger)
  if (!moved) throw nothingWaits()

  const at = now()
  const required_persona = personaAfter(old, input.verdict)
  const escalated_to = input.verdict === 'escalate' ? await reviewerOf(input.escalated_to, required_persona) : null
  const result = effect.accepts ? await accepted(old, reviewer, input, settled, at) : withheld(old, input)
  const done = activitiesOf(old, reviewer, input, settled.length > 0, at)
  const stored = recordItemOf(old)
  const next = done.reduce(
    (it, each) => withActivity(it, each, reviewer),
    amended<RecordItem>(stored, {
      ...result.record,
      status: moved.status,
      public: moved.public,
      required_persona,
      decided: true,
      ...countingClaims(old, result.made.length),
      open_flags: old.open_flags - settled.length,
      open_contradictions: old.open_contradictions - settled.length,
      updated_at: at,
    }),
  )
  const made = decisionOf(next, reviewer, input, { result, escalated_to, reviewed: old.current_revision, at })
  const isFurther = next.current_revision !== old.current_revision
  const resolved = { is_resolved: true, resolved_by: reviewer.id, resolved_at: at }
  const writes = [
    put(recordItem, next, stored),
    put(decision, toldOfDecision(made, next), undefined),
    ...done.map((it) => put(activity, toldOf(it, next), undefined)),
    ...(isFurther ? [put(revision, revisionOf(next, next.data, reviewer, at), undefined)] : []),
    ...changedClaims(old, next, result, input),
    ...settled.map((it) => put(flag, amended<Flag>(it, resolved), it)),
    ...indexWrites(indexedOf(stored), indexedOf(next)),
    ...queueWrites(stored, next),
    ...result.stubs,
  ]
  return { made, record: next, done, writes }
}

/** What the history says of a verdict, and of the contradictions that it settles. */
function activitiesOf(old: History, reviewer: Actor, input: DecisionInput, settles: boolean, at: string): Activity[] {
  const effect = effects[input.verdict]
  const done = activityOf(old.entity_id, reviewer, effect.activity, input.feedback, at)
  if (!settles || !effect.accepts || input.conflict_handling === 'not_applicable') return [done]
  return [done, activityOf(old.entity_id, reviewer, 'conflict_resolved', input.reconciliation_note, at)]
}

/** The decision itself as an item of the history. */
const decisionOf = (
  next: RecordItem,
  reviewer: Actor,
  { edits: _, ...words }: DecisionInput,
  { result, escalated_to, reviewed, at }: { result: Result; escalated_to: string | null; reviewed: number; at: string },
): Decision => ({
  ...words,
  id: newChildId(next.entity_id),
  entity_id: next.entity_id,
  audience: 'withheld',
  reviewer_id: reviewer.id,
  revision_reviewed: reviewed,
  accepted_revision: effects[words.verdict].accepts ? next.accepted_revision : null,
  sequence: next.version,
  outcomes: result.outcomes.map((it) => ({ ...it, rivals: [...it.rivals] })),
  escalated_to,
  created_at: at,
  version: 1,
})

const nothingWaits = () => conflict('Nothing waits for review here.')

/** What rules look at in a decision. */
export const decidingOn = (
  old: History,
  { verdict, confidence_override }: Pick<DecisionInput, 'verdict' | 'confidence_override'>,
): Deciding => ({
  authors: authorsOf(old),
  required_persona: old.required_persona,
  escalates: verdict === 'escalate',
  overridesConfidence: Boolean(confidence_override),
  settlesContradiction: effects[verdict].accepts && isContested(old),
})

function check(old: History, input: DecisionInput): void {
  if (input.verdict === 'escalate' && personaAfter(old, input.verdict) === old.required_persona)
    throw invalid({ verdict: ['It is with the expert curators already, and nobody is above them.'] })
  if (effects[input.verdict].reason && !input.feedback.trim())
    throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
  if (effects[input.verdict].accepts && isContested(old) && input.conflict_handling === 'not_applicable')
    throw invalid({ conflict_handling: ['There is an open contradiction: say how it is settled.'] })
}

/** Everyone whose work the verdict is about. */
const authorsOf = (old: History): string[] => [
  old.contributor_id,
  ...old.revisions.filter((it) => it.revision_number === old.current_revision).map((it) => it.created_by),
  ...underReview(old).map((it) => it.contributor_id),
]

/** An escalation raises by one step who has to decide; with the verdict that ends a review that is over. */
export function personaAfter({ required_persona }: RecordItem, verdict: Verdict): Rank {
  if (verdict === 'escalate') return ranks[ranks.indexOf(required_persona) + 1] ?? required_persona
  return verdict === 'request_changes' ? required_persona : 'community_reviewer'
}

/** The user who is asked to decide: one who may. */
async function reviewerOf(id: string | null | undefined, least: Rank): Promise<string | null> {
  if (!id) return null
  const it = await users.load(id)
  const rank = it?.reviewer_role?.is_active ? it.reviewer_role.role : null
  if (!it?.is_active || !hasRank({ is_staff: it.is_staff, rank }, least))
    throw invalid({ escalated_to: [`There is no active ${inWords(least)} with this id.`] })
  return id
}

const openContradictions = (it: History) =>
  it.flags.filter((each) => each.flag_type === 'contradiction' && !each.is_resolved)

/** Whether accepting settles a contradiction. */
export const isContested = (old: History) => openContradictions(old).some((it) => !isMoot(old, it))

/** Its claim, the first that it names, has been withdrawn since. */
const isMoot = (old: History, { assertion_ids: [id] }: Flag) =>
  old.assertions.some((it) => it.id === id && it.reconciliation_status === 'superseded')

/** Acceptance settles every contradiction, refusal those of the claims that it refuses; what is sent back or up settles none. */
function settledFlags(old: History, { verdict }: DecisionInput): Flag[] {
  if (verdict === 'request_changes' || verdict === 'escalate') return []
  const refused = new Set(underReview(old).map((it) => it.id))
  return openContradictions(old).filter(
    (it) => effects[verdict].accepts || isMoot(old, it) || refused.has(it.assertion_ids[0] ?? ''),
  )
}

/**
 * The claims that a verdict is about: those that carry the values which wait; where no revision waits, those made apart
 * that contradict what stands, since they alone have brought the record into review.
 */
function underReview(old: History): Assertion[] {
  const pending = old.assertions.filter((it) => it.reconciliation_status === 'pending')
  const carried = pending.filter(isCarried)
  const contested = new Set(openContradictions(old).flatMap((it) => it.assertion_ids))
  return carried.length > 0 ? carried : pending.filter((it) => contested.has(it.id))
}

type Result = Ruled & {
  record: Partial<RecordItem>
  made: readonly Assertion[]
  values: Values
  stubs: readonly Write[]
}

/** What becomes of a record that is not accepted: a refused edit of a published one waits no more. */
const withheld = (old: History, input: DecisionInput): Result => ({
  ...{ outcomes: [], made: [], values: {}, stubs: [] },
  record: input.verdict === 'reject' && old.public ? { proposed: null } : {},
  fates: refusals(old, input),
})

/** What was refused stands no longer; what is sent back or up goes on waiting. A published record keeps its accepted revision. */
const refusals = (old: History, { verdict }: DecisionInput): Ruled['fates'] =>
  new Map(verdict === 'reject' ? underReview(old).map((it) => [it.id, { status: 'superseded' }]) : [])

/** The waiting values, with the reviewer's edits, become the public ones, but for those against which a handling speaks. */
async function accepted(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
  at: string,
): Promise<Result> {
  const kind = kinds[old.kind]
  const edits = input.verdict === 'accept_with_edits' ? input.edits : undefined
  const reviewed: Values = old.proposed ?? old.data
  const { values, changed, stubs } = await edited(old, reviewer, reviewed, edits)
  const made = newClaims(
    {
      ...{ about: old, source: edits?.assertion ?? unsourced, actor: reviewer, at },
      revision_number: old.current_revision + 1,
    },
    changed.map((name) => [name, values[name]]),
  )
  const contested = contestedClaims(old, settled)
  checkEdits(input.conflict_handling, changed, contested)

  const all = claimsOf([...old.assertions, ...made])
  const { outcomes, fates } = settle({
    claims: all,
    standing: canonical(all, old.decisions),
    values,
    edits: new Map(made.map((it) => [it.asserted_property, it.id])),
    contested,
    handling: input.conflict_handling,
  })
  const adopted = adoptions(old, outcomes)
  const data = { ...values }
  for (const { property, stands } of outcomes) {
    const it = all.find(({ id }) => id === stands)
    if (stands === null) delete data[property]
    else if (it?.value !== undefined) data[property] = adopted[stands] ?? it.value
  }
  checkSize(data)
  // The accepted revision always holds exactly the values that stand.
  const further = isDeepStrictEqual(data, reviewed)
    ? { accepted_revision: old.current_revision, accepted_revision_id: old.current_revision_id }
    : furtherRevision(old)
  return {
    outcomes,
    fates,
    made,
    values: adopted,
    stubs,
    record: { ...summaryOf(headerOf(kind, data)), data, proposed: null, accepted_at: at, ...further },
  }
}

const unsourced = { source_type: '', source_citation: '', source_url: '', confidence: 'likely', data_quality_note: '' }

/** The values as the reviewer edits them, which of them are new, and the opening writes of what they name. */
async function edited(old: History, reviewer: Actor, reviewed: Values, edits: Edits | null | undefined) {
  if (!edits) return { values: reviewed, changed: [], stubs: [] }
  const resolved = await resolve(kinds[old.kind], edits.data, reviewer)
  const pictured = await withPictures(resolved.data, reviewer, [...picturesOf(old), ...(edits.pictures ?? [])])
  const data = pictured.values
  const stubs = [...(await stubsFor(resolved.missing, edits.assertion, reviewer)), ...pictured.writes]
  const kept = Object.entries(reviewed).filter(([name]) => !edits.cleared.includes(name))
  const changed = Object.keys(data).filter((name) => !isDeepStrictEqual(reviewed[name], data[name]))
  return { values: { ...Object.fromEntries(kept), ...data }, changed, stubs }
}

/** By property, the claims in the contradictions that still are some. */
function contestedClaims(old: History, settled: readonly Flag[]): Map<string, string[]> {
  const contested = new Map<string, string[]>()
  for (const it of settled) {
    if (it.property === null || isMoot(old, it)) continue
    contested.set(it.property, [...(contested.get(it.property) ?? []), ...it.assertion_ids])
  }
  return contested
}

/** A reviewer cannot give another value and let the existing one stand. */
function checkEdits(handling: Handling, changed: readonly string[], contested: ReadonlyMap<string, unknown>): void {
  const both = changed.filter((name) => contested.has(name))
  if (handling === 'not_applicable' || settlements[handling].stands === 'claim' || both.length === 0) return
  throw invalid({ conflict_handling: [`The edits give another value of ${both.join(', ')}.`] })
}

/**
 * A claim that someone made apart has its value in words. Where it is to stand, the words become a value of its kind;
 * fails when they cannot.
 */
function adoptions(old: History, outcomes: readonly Outcome[]): Record<string, unknown> {
  const kind = kinds[old.kind]
  const apart = new Map(
    old.assertions.filter((it) => it.revision_number === null).map((it) => [it.id, it.asserted_value]),
  )
  const adopted: Record<string, unknown> = {}
  for (const { property, stands } of outcomes) {
    const words = apart.get(stands ?? '')
    if (stands === null || words === undefined) continue
    const read = v.safeParse(schemaOf(kind, 'change'), { [property]: words })
    if (!read.success || kind.fields[property]?.type === 'relation')
      throw invalid({ conflict_handling: [`The claim on ${property} cannot become its value. Accept with edits.`] })
    adopted[stands] = read.output.data[property]
  }
  return adopted
}

function furtherRevision(old: RecordItem): Partial<RecordItem> {
  const [number, id] = [old.current_revision + 1, newChildId(old.entity_id)]
  return { current_revision: number, current_revision_id: id, accepted_revision: number, accepted_revision_id: id }
}

/** The reviewer's claims, and of the others those that fare differently now. `next` is the record as decided on. */
function changedClaims(old: History, next: RecordItem, { fates, made, values }: Result, input: DecisionInput): Write[] {
  const at = next.updated_at
  const fateOf = (it: Assertion): Partial<Assertion> => {
    const { status: reconciliation_status, ...links } = fates.get(it.id) ?? { status: it.reconciliation_status }
    const accepted = reconciliation_status === 'accepted' && it.reconciliation_status !== 'accepted'
    const confidence = input.confidence_override && accepted && it.revision_number !== null
    return {
      ...links,
      reconciliation_status,
      ...(confidence && { confidence: input.confidence_override ?? it.confidence }),
      ...(it.id in values && { value: values[it.id] }),
    }
  }
  const faring = (it: Assertion) => {
    const changed = { ...it, ...fateOf(it) }
    return isDeepStrictEqual(changed, it) ? it : { ...changed, updated_at: at }
  }
  return claimWrites(old.assertions, [...old.assertions, ...made].map(faring), next)
}
