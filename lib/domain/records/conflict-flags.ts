import { isDeepStrictEqual } from 'node:util'
import { withCalendar } from '../../engines/calendars/index.ts'
import { parse, put, queryAll, type Write, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, maySeeAsOwner } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { comparatorOf, type Kind, type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import type { Header, NewFlag } from './build.ts'
import { isCorrection } from './corrections.ts'
import { type Assertion, type Flag, flag, isOpenContradiction, type LoadedRecord } from './items.ts'
import type { withOneTown } from './likeness/known-towns.ts'
import { findLookAlikes, type LookAlike, MOST_LOOK_ALIKES, withHeads } from './likeness/look-alikes.ts'
import { findRefused } from './likeness/refused-pairs.ts'
import type { PeriodMeanings } from './periods.ts'
import { visibleValue } from './place.ts'
import { type ClaimConflict, type ComparedClaim, contradictingRivals, findConflicts } from './rules/conflicts.ts'

/**
 * Returns one flag `suspected_duplicate` for each look-alike. Records to which the record links (`linked`) are left out, and those that a
 * reviewer has held to be another thing. Look-alikes that the contributor may see come first. Flags for the others are concealed.
 */
export async function findLikenessFlags(
  kind: Kind,
  { names, identities, point }: Header,
  own: {
    entity_id?: string
    contributor_id: string
    linked: readonly string[]
    asTold: typeof withOneTown | undefined
  },
): Promise<NewFlag[]> {
  const { entity_id, contributor_id } = own
  const found = await findLookAlikes(
    { kind: kind.key, names, identities, point, ...(entity_id && { entity_id }) },
    own.asTold,
  )
  const unlinked = found.filter((lookAlike) => !own.linked.includes(lookAlike.entity_id))
  // A new record is in no pair yet.
  const refused = entity_id
    ? await findRefused(
        entity_id,
        unlinked.map((lookAlike) => lookAlike.entity_id),
      )
    : []
  const others = await withHeads(unlinked.filter((lookAlike) => !refused.includes(lookAlike.entity_id)))
  const flags = others.map(({ lookAlike, head }) => likenessFlag(lookAlike, !maySeeAsOwner(contributor_id, head)))
  return [...flags.filter((it) => !it.concealed), ...flags.filter((it) => it.concealed)].slice(0, MOST_LOOK_ALIKES)
}

/** Returns the flag for one look-alike. `concealed`: the contributor may not see it. */
export const likenessFlag = ({ entity_id, kind, id, names, how }: LookAlike, concealed: boolean): NewFlag => ({
  flag_type: 'suspected_duplicate',
  other_entity_id: entity_id,
  reason: likenesses[how](`${(kindOfScope(kind)?.label ?? kind).toLowerCase()} ${id}`, names[0] ?? ''),
  concealed,
})

const likenesses = {
  same_identity: (other: string, name: string) => `Identified as the same thing as ${other}, "${name}".`,
  same_name: (other: string, name: string) => `The same name as ${other}, "${name}".`,
  close: (other: string, name: string) => `Close to, and named like, ${other}, "${name}".`,
}

/**
 * Finds contradictions between new claims and those of the record. A hidden place is first rounded as `actor` may see it:
 * otherwise the presence or absence of a flag would reveal the place.
 */
export function detectConflicts(
  old: LoadedRecord,
  claims: readonly Assertion[],
  { meanings, actor }: { meanings: PeriodMeanings; actor: Actor },
): ClaimConflict[] {
  const newCalendar = claims.find((claim) => claim.asserted_property === 'calendar_system')?.value
  const calendar = old.data.calendar_system
  const standing = old.assertions.flatMap((claim) => {
    const value = visibleValue(old, claim.asserted_property, claim.value, actor)
    const reconciliation_status = bringsStandingValue(old, claim) ? 'accepted' : claim.reconciliation_status
    return comparableClaims(old.kind, { ...claim, value, reconciliation_status }, { calendar, meanings })
  })
  const incoming = claims.flatMap((claim) =>
    comparableClaims(old.kind, claim, { calendar: newCalendar ?? calendar, meanings }),
  )
  return withoutCorrected(old, claims, findConflicts(standing, incoming))
}

/**
 * Whether a claim still brings the value that stands, although a reviewer has superseded this claim alone. Only a decision changes the
 * value that stands.
 */
const bringsStandingValue = (old: LoadedRecord, claim: Assertion): boolean => {
  const isSame = (it: Assertion) =>
    it.asserted_property === claim.asserted_property && isDeepStrictEqual(it.value, old.data[claim.asserted_property])
  const isLeft = claim.reconciliation_status === 'superseded' && claim.revision_number !== null
  return (
    old.public &&
    isLeft &&
    isSame(claim) &&
    !old.assertions.some((it) => it.reconciliation_status !== 'superseded' && isSame(it))
  )
}

/** Leaves out rivals that a new claim only corrects (`isCorrection`): these are no contradictions. */
function withoutCorrected(
  old: LoadedRecord,
  claims: readonly Assertion[],
  conflicts: readonly ClaimConflict[],
): ClaimConflict[] {
  return conflicts.map((conflict) => {
    const claim = claims.find(({ id }) => id === conflict.claim)
    const isCorrected = (id: string) => {
      const standing = old.assertions.find((it) => it.id === id)
      return claim !== undefined && standing !== undefined && isCorrection(old, standing, claim)
    }
    return { ...conflict, rivals: conflict.rivals.filter(({ id }) => !isCorrected(id)) }
  })
}

/** Returns the claim in the form that comparators take. Empty if its property is no field of the kind. */
function comparableClaims(
  kind: KindKey,
  claim: Assertion,
  { calendar, meanings }: { calendar: unknown; meanings: PeriodMeanings },
): ComparedClaim[] {
  const field = kinds[kind].fields[claim.asserted_property]
  if (!field || claim.value === undefined) return []
  const comparator = comparatorOf(field)
  return [
    {
      id: claim.id,
      property: claim.asserted_property,
      comparator,
      value:
        comparator === 'date'
          ? (meanings.get(String(claim.value)) ?? withCalendar(claim.value, calendar))
          : claim.value,
      status: claim.reconciliation_status,
      author: claim.contributor_id,
    },
  ]
}

/** Returns one flag for each new claim that contradicts a standing or waiting claim. It names the claims of both sides. */
export function contradictionFlags(claims: readonly Assertion[], conflicts: readonly ClaimConflict[]): NewFlag[] {
  return conflicts.flatMap((conflict) => {
    const rivals = contradictingRivals(conflict)
    const property = claims.find(({ id }) => id === conflict.claim)?.asserted_property
    if (property === undefined || rivals.length === 0) return []
    return [
      {
        flag_type: 'contradiction' as const,
        property,
        assertion_ids: [conflict.claim, ...rivals.map((rival) => rival.id)],
        reason: `Another value of ${property} stands or waits already.`,
      },
    ]
  })
}

/** Loads the flags of one record, newest first. One query. */
export async function loadFlagsOn(entity_id: string): Promise<Flag[]> {
  const { pk, sk } = key.flag(entity_id, '')
  return (await queryAll(pk, sk, false)).map((item) => parse(flag, item))
}

/** Contradictions of an edit. `raised`: new flags. `writes`: changes of open flags. `resolved`: the number of flags that these resolve. */
export type EditedContradictions = { raised: NewFlag[]; writes: Write[]; resolved: number }

/**
 * Plans the flags of an edit that replaces claims of its author. The flag of a replaced claim moves on to the new claim of its
 * property. If the new claim contradicts nothing, the service resolves the flag. So an author who edits one property again and
 * again keeps one flag, and a decision that settles all flags fits into one transaction.
 */
export async function planContradictions(
  old: LoadedRecord,
  contradicted: readonly NewFlag[],
  replaced: readonly Assertion[],
  at: string,
): Promise<EditedContradictions> {
  if (old.open_contradictions === 0 || replaced.length === 0)
    return { raised: [...contradicted], writes: [], resolved: 0 }
  const replacedIds = new Set(replaced.map(({ id }) => id))
  const orphaned = (await loadFlagsOn(old.entity_id)).filter(
    (it) => isOpenContradiction(it) && replacedIds.has(it.assertion_ids[0] ?? ''),
  )
  const raised = new Map(contradicted.map((raisedFlag) => [raisedFlag.property, raisedFlag]))
  let resolved = 0
  const writes = orphaned.map((open) => {
    const successor = raised.get(open.property)
    raised.delete(open.property)
    if (!successor) resolved += 1
    return put(flag, withNextVersion<Flag>(open, successor ?? { is_resolved: true, resolved_at: at }), open)
  })
  return { raised: [...raised.values()], writes, resolved }
}
