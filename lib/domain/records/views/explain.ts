import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { DateShownView } from '../../../platform/http/shown-dates.ts'
import { type Actor, worksOn } from '../../../platform/permissions.ts'
import { type PeopleById, UserCardView } from '../../../platform/users/people.ts'
import { kindKeys, kinds } from '../../kinds/index.ts'
import { textOf } from '../../names/text.ts'
import { compareValues } from '../corrections.ts'
import { canonicalValues, type History } from '../history.ts'
import { type Assertion, type Decision, isSettled, SAME_REFERENT } from '../items.ts'
import { isToldPlaceHidden, mayReadTold, toldClaims } from '../past/told.ts'
import { isPlaceHidden } from '../place.ts'
import { type CanonicalValue, type OutcomeRule, outcomeRules } from '../rules/canonical.ts'
import { handlings, verdicts } from '../rules/verdicts.ts'
import type { Visible } from '../shown.ts'
import { DoubtView } from './doubt.ts'
import { AssertionView, assertionView, mayShowClaim, visibleValues } from './record.ts'

/** Why a property has its value: the rule of a decision, or one of the five other reasons if no decision settled it. */
type Reason = OutcomeRule | 'joined' | 'waits' | 'refused' | 'unclaimed' | 'nothing'

const reasons: Readonly<Record<Reason, string>> = {
  accepted: 'It was accepted, and no other value stood.',
  replaced: 'It took the place of the former value when it was accepted.',
  corrected: 'Its author corrected the former value, which was theirs alone.',
  edited: 'The reviewer gave this value on accepting.',
  removed: 'The value was taken away, and that was accepted.',
  supersedes: 'The reviewer lets it supersede its rivals.',
  coexist: 'The reviewer lets it stand beside its rivals; of these it is the latest.',
  existing_stands: 'The reviewer keeps it against a newer claim.',
  refines: 'The reviewer holds it to say more exactly what its rival says.',
  disputed: 'The matter is disputed; the value that was there first is shown.',
  source_withdrawn: 'The source of the former value was put in question.',
  source_restored: 'Its source was put in question, and that was taken back.',
  joined: 'A reviewer put the record into this cluster: all its records are about one thing.',
  waits: 'It waits for review; nothing is accepted yet.',
  refused: 'It was refused.',
  unclaimed: 'No claim is on record for it.',
  nothing: 'It has no value.',
}

/** Null if two values cannot be compared. */
export const comparisonSchema = () => s.maybe(s.oneOf(['same', 'refines', 'compatible', 'contradicts']))

/** How a membership in a cluster was decided. */
const settlingWays = ['cluster', 'candidate', 'proposal', 'merge', 'split'] as const
export type SettlingWay = (typeof settlingWays)[number]

/** A rival. `settled_by` is the decision in which it lost, or was accepted beside the claim that stands. */
const RivalView = s.shape('Rival', () =>
  v.object({
    ...AssertionView.entries,
    verdict: comparisonSchema(),
    settled_by: s.maybe(v.object({ decision: s.uuid, rule: s.oneOf([...outcomeRules, 'refused']) })),
  }),
)
export const ExplainedPropertyView = s.shape('ExplainedProperty', () =>
  v.object({
    property: s.text,
    label: s.text,
    value: s.text,
    standing: s.maybe(AssertionView),
    rule: s.oneOf([...outcomeRules, 'joined', 'waits', 'refused', 'unclaimed', 'nothing']),
    why: s.text,
    decision: s.maybe(
      v.object({
        id: s.uuid,
        verdict: s.oneOf(verdicts),
        conflict_handling: s.oneOf(handlings),
        reviewer: s.maybe(UserCardView),
        accepted_revision: s.maybe(s.whole),
        verification_method: s.maybe(s.text),
        reconciliation_note: s.text,
        feedback: v.optional(s.text),
        created_at: s.time,
      }),
    ),
    /** For the membership in a cluster: who decided on it, how and why. */
    settled: v.optional(
      v.object({ by: s.maybe(UserCardView), at: s.time, way: s.oneOf(settlingWays), reason: v.optional(s.text) }),
    ),
    rivals: v.array(RivalView),
    date: v.optional(s.maybe(DateShownView)),
  }),
)
export const ExplanationView = s.shape('Explanation', () =>
  v.object({
    entity_id: s.uuid,
    entity_name: s.text,
    kind: s.oneOf(kindKeys),
    cidoc_id: s.maybe(s.whole),
    properties: v.array(ExplainedPropertyView),
    /** Absent while there are too few decisions for an estimate. */
    doubts: v.optional(v.array(DoubtView)),
  }),
)

/** Returns a test: whether the caller may read a claim of the record, by itself or since a publication showed it. */
export const mayRead =
  (history: Visible<History>, actor: Actor | null, told = toldClaims(history)) =>
  (claim: Assertion): boolean =>
    mayShowClaim(history, claim, actor) || mayReadTold(told.get(claim.id), actor)

/**
 * Explains each property of a record, or `only` one: its claim, the rule, the decision and the rivals. Claims that the caller may not see
 * are left out. Whoever may read a publication also sees the rivals that it showed (`toldClaims`), as in the history.
 */
export function explainProperties(history: Visible<History>, actor: Actor | null, people: PeopleById, only?: string) {
  const standing = canonicalValues(history)
  const newestFirst = history.assertions.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const told = toldClaims(history)
  const visibleClaims = newestFirst.filter(mayRead(history, actor, told))
  const values = visibleValues(history, history.data, actor)
  const properties = only === undefined ? propertiesOf(history, visibleClaims) : [only]
  return properties.map((property) => {
    const { claim, reason, ruling } = groundsOf(history, property, newestFirst, standing)
    const visible = claim && visibleClaims.includes(claim) ? claim : undefined
    const isHidden = isPlaceHidden(history, property, actor)
    const rivals = visibleClaims.filter((rival) => rival.asserted_property === property && rival.id !== claim?.id)
    const decision = history.decisions.find(({ id }) => id === ruling?.decision)
    return {
      property,
      label: fieldLabel(history, property),
      value: property === SAME_REFERENT ? (visible?.assertion_content ?? '') : textOf(values[property]),
      standing: visible ? assertionView(visible, isHidden) : null,
      rule: reason,
      why: reasons[reason],
      decision: decision ? decisionCard(decision, people, worksOn(actor, history)) : null,
      ...(property === SAME_REFERENT && visible && settledView(visible, people, worksOn(actor, history))),
      rivals: rivals.map((rival) => {
        const isRivalHidden =
          isHidden ||
          (!mayShowClaim(history, rival, actor) &&
            isToldPlaceHidden(history, { property, tiers: told.get(rival.id) ?? [] }, actor))
        return {
          ...assertionView(rival, isRivalHidden),
          verdict: isRivalHidden ? null : compareValues(history, property, claim, rival),
          settled_by: settledBy(history.decisions, rival),
        }
      }),
    }
  })
}

/**
 * Shows who decided on a membership. Only those who work on the record see the reason. Empty for old memberships, which do not say who
 * decided.
 */
function settledView({ settlings = [] }: Assertion, people: PeopleById, isInsider: boolean) {
  const { by, at, way: stored, reason = '' } = settlings.at(-1) ?? {}
  const way = settlingWays.find((it) => it === stored)
  return by !== undefined && at !== undefined && way !== undefined
    ? { settled: { by: people(by), at, way, ...(isInsider && { reason }) } }
    : {}
}

/** The people who decided on memberships of a record. */
export const settlersOf = ({ assertions }: Pick<History, 'assertions'>): string[] =>
  assertions.flatMap(({ settlings = [] }) => settlings.flatMap(({ by }) => by ?? []))

/** Returns the label of a field. A property that the kind does not declare is its own label. */
export const fieldLabel = ({ kind }: History, property: string) => kinds[kind].fields[property]?.label ?? property

/** Lists the properties of a record: fields in the order of the kind, then other claimed properties by name. */
function propertiesOf({ kind, data }: History, claims: readonly Assertion[]): string[] {
  const claimed = claims.map(({ asserted_property }) => asserted_property)
  const own = Object.keys(kinds[kind].fields).filter((name) => name in data || claimed.includes(name))
  return [...new Set([...own, ...claimed.toSorted()])]
}

/** The claim, rule and decision by which a property has its value. */
type Grounds = { claim?: Assertion | undefined; reason: Reason; ruling?: CanonicalValue | undefined }

function groundsOf(
  history: History,
  property: string,
  newestFirst: readonly Assertion[],
  standing: ReadonlyMap<string, CanonicalValue>,
): Grounds {
  const ruling = history.public ? standing.get(property) : undefined
  if (ruling) {
    const claim = newestFirst.find(({ id }) => id === ruling.stands)
    // The claim is left out of what the reader sees if it is a link to a hidden record. So is the decision on it.
    return claim || ruling.stands === null ? { claim, reason: ruling.rule, ruling } : { reason: 'nothing' }
  }
  if (property === SAME_REFERENT) {
    const claim = newestFirst.find((it) => it.asserted_property === property && isSettled(it))
    return claim ? { claim, reason: 'joined' } : { reason: 'nothing' }
  }
  if (!(property in history.data)) return { reason: 'nothing' }
  const claim = newestFirst.find(
    ({ asserted_property, revision_number, value }) =>
      asserted_property === property && revision_number !== null && isDeepStrictEqual(value, history.data[property]),
  )
  if (!claim) return { reason: 'unclaimed' }
  return { claim, reason: claim.reconciliation_status === 'superseded' ? 'refused' : 'waits' }
}

/** Returns the latest decision in which the claim was a rival, or by which it was refused. */
function settledBy(decisions: readonly Decision[], claim: Assertion) {
  for (const { id, verdict, outcomes, created_at } of decisions) {
    const outcome = outcomes.find(({ rivals }) => rivals.includes(claim.id))
    if (outcome) return { decision: id, rule: outcome.rule }
    // A refusal stores no outcomes, because it changes no standing claim. It is recognised by its time.
    const isRefusal = verdict === 'reject' && claim.reconciliation_status === 'superseded'
    if (isRefusal && claim.updated_at === created_at) return { decision: id, rule: 'refused' }
  }
  return null
}

/** `feedback` addresses the contributor, so only those who work on the record see it. */
const decisionCard = (decision: Decision, people: PeopleById, isInsider: boolean) => ({
  id: decision.id,
  verdict: decision.verdict,
  conflict_handling: decision.conflict_handling,
  reviewer: people(decision.reviewer_id),
  accepted_revision: decision.accepted_revision,
  verification_method: decision.verification_method,
  reconciliation_note: decision.reconciliation_note,
  ...(isInsider && { feedback: decision.feedback }),
  created_at: decision.created_at,
})
