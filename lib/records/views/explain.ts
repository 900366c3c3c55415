import { isDeepStrictEqual } from 'node:util'
import { withCalendar } from '../../calendars/reading.ts'
import { type Comparator, comparatorOf, kinds } from '../../kinds/index.ts'
import { type Comparison, compare } from '../../matching/compare.ts'
import { textOf } from '../../names/text.ts'
import { type Actor, worksOn } from '../../permissions.ts'
import type { PeopleById } from '../../users/people.ts'
import { canonicalValues, type History } from '../history.ts'
import type { Assertion, Decision } from '../items.ts'
import { isKept } from '../place.ts'
import type { CanonicalValue, Rule } from '../rules/canonical.ts'
import type { Shown } from '../shown.ts'
import { assertionView, showsAssertion, valuesFor } from './record.ts'

/** Why a property has the value that it has: a decision's rule, or that nobody has decided yet. */
type Reason = Rule | 'waits' | 'refused' | 'unclaimed' | 'nothing'

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

/**
 * For each property of a record, or for one: the value that stands, the claim that it rests on, the rule and the decision
 * that made it so, and its rivals. Claims that the caller may not see are left out.
 */
export function explained(it: Shown<History>, actor: Actor | null, people: PeopleById, only?: string) {
  const standing = canonicalValues(it)
  const newestFirst = it.assertions.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const shown = newestFirst.filter((one) => showsAssertion(it, one, actor))
  const properties = only === undefined ? propertiesOf(it, shown) : [only]
  return properties.map((property) => {
    const { claim, reason, ruling } = groundsOf(it, property, newestFirst, standing)
    const visible = claim && shown.includes(claim) ? claim : undefined
    const kept = isKept(it, property, actor)
    const rivals = shown.filter((one) => one.asserted_property === property && one.id !== claim?.id)
    const made = it.decisions.find((one) => one.id === ruling?.decision)
    return {
      property,
      label: labelOf(it, property),
      value: textOf(valuesFor(it, it.data, actor)[property]),
      standing: visible ? assertionView(visible, kept) : null,
      rule: reason,
      why: reasons[reason],
      decision: made ? decisionCard(made, people, worksOn(actor, it)) : null,
      rivals: rivals.map((one) => ({
        ...assertionView(one, kept),
        verdict: kept ? null : verdictOn(it, property, claim, one),
        settled_by: settledBy(it.decisions, one),
      })),
    }
  })
}

/** The name by which forms show a property. */
export const labelOf = (it: History, property: string) => kinds[it.kind].fields[property]?.label ?? property

/** How values of a property are compared; undefined for what is no member of the kind. */
function comparatorIn(it: History, property: string): Comparator | undefined {
  const field = kinds[it.kind].fields[property]
  return field && comparatorOf(field)
}

/** What a value of a property says beside another; null where they cannot be compared. Bare years are in the record's calendar. */
export function verdictOn(
  it: History,
  property: string,
  a: Pick<Assertion, 'value'> | undefined,
  b: Pick<Assertion, 'value'> | undefined,
): Comparison | null {
  const comparator = comparatorIn(it, property)
  if (!comparator || a?.value === undefined || b?.value === undefined) return null
  const meant = <T>(value: T) => (comparator === 'date' ? withCalendar(value, it.data.calendar_system) : value)
  return compare(comparator, meant(a.value), meant(b.value))
}

/** The record's own members in the order of its kind, then what else is claimed. */
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

/** The latest decision that a claim lost or shared the field by. */
function settledBy(decisions: readonly Decision[], claim: Assertion) {
  for (const { id, verdict, outcomes, created_at } of decisions) {
    const outcome = outcomes.find((each) => each.rivals.includes(claim.id))
    if (outcome) return { decision: id, rule: outcome.rule }
    // A refusal names no outcome: it changes nothing that stands.
    const refused = verdict === 'reject' && claim.reconciliation_status === 'superseded'
    if (refused && claim.updated_at === created_at) return { decision: id, rule: 'refused' }
  }
  return null
}

/** A decision as far as everyone may know it; what is said to the contributor alone is for those who work on the record. */
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
