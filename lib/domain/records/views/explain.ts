import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { withCalendar } from '../../../engines/calendars/index.ts'
import { type Comparator, type Comparison, compareClaims } from '../../../engines/matching/index.ts'
import { DateShownView } from '../../../platform/http/shown-dates.ts'
import { type Actor, worksOn } from '../../../platform/permissions.ts'
import { type PeopleById, UserCardView } from '../../../platform/users/people.ts'
import { comparatorOf, kindKeys, kinds } from '../../kinds/index.ts'
import { textOf } from '../../names/text.ts'
import { canonicalValues, type History } from '../history.ts'
import type { Assertion, Decision } from '../items.ts'
import { isPlaceHidden } from '../place.ts'
import { type CanonicalValue, type OutcomeRule, outcomeRules } from '../rules/canonical.ts'
import { handlings, verdicts } from '../rules/verdicts.ts'
import type { Visible } from '../shown.ts'
import { AssertionView, assertionView, mayShowClaim, visibleValues } from './record.ts'

/** Why a property has its value: the rule of a decision, or one of four reasons where no decision holds. */
type Reason = OutcomeRule | 'waits' | 'refused' | 'unclaimed' | 'nothing'

const reasons: Readonly<Record<Reason, string>> = {
  accepted: 'It was accepted, and no other value stood.',
  replaced: 'It took the place of the former value when it was accepted.',
  edited: 'The reviewer gave this value on accepting.',
  removed: 'The value was taken away, and that was accepted.',
  supersedes: 'The reviewer lets it supersede its rivals.',
  coexist: 'The reviewer lets it stand beside its rivals; of these it is the latest.',
  existing_stands: 'The reviewer keeps it against a newer claim.',
  refines: 'The reviewer holds it to say more exactly what its rival says.',
  disputed: 'The matter is disputed; the value that was there first is shown.',
  waits: 'It waits for review; nothing is accepted yet.',
  refused: 'It was refused.',
  unclaimed: 'No claim is on record for it.',
  nothing: 'It has no value.',
}

/** Null if two values cannot be compared. */
export const comparisonSchema = () => s.maybe(s.oneOf(['same', 'refines', 'compatible', 'contradicts']))

/** `settled_by` is the decision that this claim lost or stood beside. */
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
    rule: s.oneOf([...outcomeRules, 'waits', 'refused', 'unclaimed', 'nothing']),
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
  }),
)

/**
 * Explains each property of a record, or `only` one: its claim, the rule, the decision and the rivals. Claims that the
 * caller may not see are left out.
 */
export function explainProperties(it: Visible<History>, actor: Actor | null, people: PeopleById, only?: string) {
  const standing = canonicalValues(it)
  const newestFirst = it.assertions.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const shown = newestFirst.filter((one) => mayShowClaim(it, one, actor))
  const properties = only === undefined ? propertiesOf(it, shown) : [only]
  return properties.map((property) => {
    const { claim, reason, ruling } = groundsOf(it, property, newestFirst, standing)
    const visible = claim && shown.includes(claim) ? claim : undefined
    const isHidden = isPlaceHidden(it, property, actor)
    const rivals = shown.filter((one) => one.asserted_property === property && one.id !== claim?.id)
    const decision = it.decisions.find((one) => one.id === ruling?.decision)
    return {
      property,
      label: fieldLabel(it, property),
      value: textOf(visibleValues(it, it.data, actor)[property]),
      standing: visible ? assertionView(visible, isHidden) : null,
      rule: reason,
      why: reasons[reason],
      decision: decision ? decisionCard(decision, people, worksOn(actor, it)) : null,
      rivals: rivals.map((one) => ({
        ...assertionView(one, isHidden),
        verdict: isHidden ? null : compareValues(it, property, claim, one),
        settled_by: settledBy(it.decisions, one),
      })),
    }
  })
}

export const fieldLabel = (it: History, property: string) => kinds[it.kind].fields[property]?.label ?? property

/** Undefined where the kind has no such field. */
function comparatorIn(it: History, property: string): Comparator | undefined {
  const field = kinds[it.kind].fields[property]
  return field && comparatorOf(field)
}

/** Null if a value is missing, or if the kind has no such field. Bare years count in the record's calendar. */
export function compareValues(
  it: History,
  property: string,
  a: Pick<Assertion, 'value'> | undefined,
  b: Pick<Assertion, 'value'> | undefined,
): Comparison | null {
  const comparator = comparatorIn(it, property)
  if (!comparator || a?.value === undefined || b?.value === undefined) return null
  const meant = <T>(value: T) => (comparator === 'date' ? withCalendar(value, it.data.calendar_system) : value)
  return compareClaims(comparator, meant(a.value), meant(b.value))
}

/** Fields in the order of the kind, then other claimed properties by name. */
function propertiesOf(it: History, shown: readonly Assertion[]): string[] {
  const claimed = shown.map((one) => one.asserted_property)
  const own = Object.keys(kinds[it.kind].fields).filter((name) => name in it.data || claimed.includes(name))
  return [...new Set([...own, ...claimed.toSorted()])]
}

type Grounds = { claim?: Assertion | undefined; reason: Reason; ruling?: CanonicalValue | undefined }

function groundsOf(
  it: History,
  property: string,
  newestFirst: readonly Assertion[],
  standing: ReadonlyMap<string, CanonicalValue>,
): Grounds {
  const ruling = it.public ? standing.get(property) : undefined
  if (ruling) return { claim: newestFirst.find((one) => one.id === ruling.stands), reason: ruling.rule, ruling }
  if (!(property in it.data)) return { reason: 'nothing' }
  const claim = newestFirst.find(
    (one) =>
      one.asserted_property === property &&
      one.revision_number !== null &&
      isDeepStrictEqual(one.value, it.data[property]),
  )
  if (!claim) return { reason: 'unclaimed' }
  return { claim, reason: claim.reconciliation_status === 'superseded' ? 'refused' : 'waits' }
}

/** The latest decision in which the claim was a rival, or by which it was refused. */
function settledBy(decisions: readonly Decision[], claim: Assertion) {
  for (const { id, verdict, outcomes, created_at } of decisions) {
    const outcome = outcomes.find((each) => each.rivals.includes(claim.id))
    if (outcome) return { decision: id, rule: outcome.rule }
    // A refusal stores no outcomes, because it changes no standing claim. So its time must tell.
    const refused = verdict === 'reject' && claim.reconciliation_status === 'superseded'
    if (refused && claim.updated_at === created_at) return { decision: id, rule: 'refused' }
  }
  return null
}

/** `feedback` addresses the contributor, so only those who work on the record see it. */
const decisionCard = (it: Decision, people: PeopleById, inside: boolean) => ({
  id: it.id,
  verdict: it.verdict,
  conflict_handling: it.conflict_handling,
  reviewer: people(it.reviewer_id),
  accepted_revision: it.accepted_revision,
  verification_method: it.verification_method,
  reconciliation_note: it.reconciliation_note,
  ...(inside && { feedback: it.feedback }),
  created_at: it.created_at,
})
