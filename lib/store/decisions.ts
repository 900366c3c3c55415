import { newChildId, now } from '../clock.ts'
import { move } from '../domain/status.ts'
import { effects, type Handling, settlements, type Verdict } from '../domain/verdicts.ts'
import { conflict, invalid, invalidObject, refused } from '../errors.ts'
import { kinds } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import { amended, put } from '../table/item.ts'
import { activityOf, faceOf, findable, noted, type Values } from './contribution.ts'
import { reindex } from './entries.ts'
import type { History } from './history.ts'
import {
  type Assertion,
  activity,
  assertion,
  type Decision,
  decision,
  type Flag,
  flag,
  type Head,
  head,
} from './record-items.ts'
import { commit, headOf, kindKey, stateOf } from './records.ts'

export type Verdicts = {
  verdict: Verdict
  conflict_handling: Handling
  confidence_override: string | null
  verification_method: string | null
  feedback: string
  reconciliation_note: string
  internal_note: string
}

/**
 * Applies a verdict to what waits for review: status, values, assertions, flags, activity and decision in one
 * transaction. Of two reviewers at once one wins; the other gets `conflict`, as does a verdict on what no longer waits.
 */
export async function decide(old: History, reviewer: Actor, said: Verdicts): Promise<Decision> {
  check(old, reviewer, said)
  const verdict = effects[said.verdict]
  const moved = move(stateOf(old), verdict.trigger)
  if (!moved) throw conflict('Nothing waits for review here.')

  const at = now()
  const settled = settledFlags(old, said)
  const outcome = said.verdict === 'accept' ? accepted(old, said, settled) : refusedClaims(old, said.verdict)
  const made: Decision = {
    ...said,
    id: newChildId(old.entity_id),
    entity_id: old.entity_id,
    reviewer_id: reviewer.id,
    revision_reviewed: old.current_revision,
    escalated_to: null,
    created_at: at,
    version: 1,
  }
  const done = activityOf(old.entity_id, reviewer, verdict.activity, said.feedback, at)
  const also =
    settled.length > 0 && said.conflict_handling !== 'not_applicable'
      ? [activityOf(old.entity_id, reviewer, 'conflict_resolved', said.reconciliation_note, at)]
      : []
  const next = [done, ...also].reduce(
    (it, each) => noted(it, each, reviewer),
    amended<Head>(headOf(old), {
      ...outcome.head,
      status: moved.to.status,
      public: moved.to.public,
      open_flags: old.open_flags - settled.length,
      open_contradictions: old.open_contradictions - settled.length,
      updated_at: at,
    }),
  )
  const byId = new Map(old.assertions.map((it) => [it.id, it]))
  await commit([
    put(head, next, headOf(old)),
    put(decision, made, undefined),
    ...[done, ...also].map((it) => put(activity, it, undefined)),
    ...[...outcome.fates].flatMap(([id, changes]) => {
      const claim = byId.get(id)
      return claim ? [put(assertion, amended<Assertion>(claim, { ...changes, updated_at: at }), claim)] : []
    }),
    ...settled.map((it) =>
      put(flag, amended<Flag>(it, { is_resolved: true, resolved_by: reviewer.id, resolved_at: at }), it),
    ),
    ...reindex(findable(headOf(old)), findable(next)),
  ])
  return made
}

type Outcome = { head: Partial<Head>; fates: Map<string, Partial<Assertion>> }

function check(old: History, reviewer: Actor, said: Verdicts): void {
  const author = old.revisions.find((it) => it.revision_number === old.current_revision)?.created_by
  if ([old.contributor_id, author].includes(reviewer.id))
    throw refused('Nobody decides on a contribution of their own.')
  if (!['pending_review', 'pending_revision'].includes(old.status)) throw conflict('Nothing waits for review here.')
  const expert = reviewer.is_staff || ['domain_expert', 'expert_curator'].includes(reviewer.rank ?? '')
  if (effects[said.verdict].reason && !said.feedback.trim())
    throw invalid({ feedback: ['Say why, so that the contributor can act on it.'] })
  if (said.confidence_override && !expert) throw invalidObject('Your role does not override confidence.')
  const contested = openContradictions(old).some((it) => !isMoot(old, it))
  if (said.verdict !== 'accept' || !contested) return
  if (said.conflict_handling === 'not_applicable') {
    throw invalid({ conflict_handling: ['There is an open contradiction: say how it is settled.'] })
  }
  if (!expert) throw invalidObject('Your role does not settle contradictions.')
}

const openContradictions = (it: History) =>
  it.flags.filter((each) => each.flag_type === 'contradiction' && !each.is_resolved)

/** Its claim, the first that it names, has been withdrawn since. */
const isMoot = (old: History, { assertion_ids: [id] }: Flag) =>
  old.assertions.some((it) => it.id === id && it.reconciliation_status === 'superseded')

/** Acceptance settles every contradiction, refusal those of the claims that it refuses; what is sent back settles none. */
function settledFlags(old: History, { verdict }: Verdicts): Flag[] {
  if (verdict === 'request_changes') return []
  const refused = new Set(carriers(old).map((it) => it.id))
  return openContradictions(old).filter(
    (it) => verdict === 'accept' || isMoot(old, it) || refused.has(it.assertion_ids[0] ?? ''),
  )
}

/** The claims that carry the values which wait, oldest first. Claims made apart from a revision are decided on apart. */
const carriers = (old: History) =>
  old.assertions
    .filter((it) => it.reconciliation_status === 'pending' && it.revision_number !== null)
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** The waiting values become the public ones. A contested claim fares as the handling says, any other takes the place of its predecessor. */
function accepted(old: History, said: Verdicts, settled: readonly Flag[]): Outcome {
  const before = old.public ? old.data : {}
  const data: Values = { ...(old.proposed ?? old.data) }
  const fates: Outcome['fates'] = new Map()
  const [waiting, overtaken] = waitingClaims(old)
  const standing = old.assertions.filter((it) => it.reconciliation_status === 'accepted')
  for (const it of overtaken) fates.set(it.id, { reconciliation_status: 'superseded' })
  const confidence = said.confidence_override ? { confidence: said.confidence_override } : {}
  for (const claim of waiting) {
    const property = claim.asserted_property
    const flagged = settled.find((it) => it.assertion_ids.includes(claim.id))
    const rule =
      flagged && said.conflict_handling !== 'not_applicable'
        ? settlements[said.conflict_handling]
        : settlements.supersedes
    const rivals = flagged ? rivalsIn(flagged, claim, old) : standing.filter((it) => it.asserted_property === property)
    fates.set(claim.id, {
      ...(rule.claim === 'accepted' && confidence),
      reconciliation_status: rule.claim,
      ...(said.conflict_handling === 'refines' && flagged && { refines: rivals[0]?.id ?? null }),
      ...(rule.rival === 'superseded' && { supersedes: rivals[0]?.id ?? null }),
    })
    for (const rival of rivals) fates.set(rival.id, { reconciliation_status: rule.rival })
    if (rule.stands === 'rival')
      data[property] = property in before ? before[property] : (rivals[0]?.value ?? data[property])
  }
  for (const it of unclaimed(old, data, [...waiting, ...standing]))
    fates.set(it.id, { reconciliation_status: 'accepted' })
  // A value that the edit took away is claimed no more.
  for (const it of standing) {
    if (it.revision_number !== null && !(it.asserted_property in data))
      fates.set(it.id, { reconciliation_status: 'superseded' })
  }
  const kind = kinds[kindKey(old)]
  return {
    head: {
      ...faceOf(kind, data),
      data,
      proposed: null,
      accepted_revision: old.current_revision,
      accepted_revision_id: old.current_revision_id,
    },
    fates,
  }
}

/** The other side of a contradiction, oldest first: what stands, else what waited before. */
function rivalsIn({ assertion_ids }: Flag, claim: Assertion, old: History): Assertion[] {
  const others = old.assertions
    .filter((it) => it.id !== claim.id && assertion_ids.includes(it.id) && it.reconciliation_status !== 'superseded')
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const standing = others.filter((it) => it.reconciliation_status !== 'pending')
  return standing.length > 0 ? standing : others
}

/** The claims of the values which wait, and those that a later one on the same property has overtaken. */
function waitingClaims(old: History): [Assertion[], Assertion[]] {
  const all = carriers(old)
  const last = new Map(all.map((it) => [it.asserted_property, it.id]))
  const isLast = (it: Assertion) => last.get(it.asserted_property) === it.id
  return [all.filter(isLast), all.filter((it) => !isLast(it))]
}

/** A value that was refused and is handed in again unchanged has no claim that waits: the one it was refused with carries it. */
function unclaimed(old: History, data: Values, claimed: readonly Assertion[]): Assertion[] {
  const carried = new Set(claimed.map((it) => it.asserted_property))
  return Object.entries(data).flatMap(([property, value]) => {
    const of = (it: Assertion) => it.asserted_property === property && it.revision_number !== null
    const refused = old.assertions.find((it) => of(it) && JSON.stringify(it.value) === JSON.stringify(value))
    return carried.has(property) || refused?.reconciliation_status !== 'superseded' ? [] : [refused]
  })
}

/** What was refused stands no longer; what is sent back goes on waiting. A published record keeps its accepted revision. */
function refusedClaims(old: History, verdict: Verdict): Outcome {
  if (verdict !== 'reject') return { head: {}, fates: new Map() }
  return {
    head: old.public ? { proposed: null } : {},
    fates: new Map(carriers(old).map((it) => [it.id, { reconciliation_status: 'superseded' as const }])),
  }
}
