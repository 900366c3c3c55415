import { withCalendar } from '../../engines/calendars/index.ts'
import { parse, put, queryAll, type Write, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { comparatorOf, type Kind, type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import type { Header, NewFlag } from './build.ts'
import { type Assertion, type Flag, flag, type LoadedRecord } from './items.ts'
import { findLookAlikes } from './look-alikes.ts'
import type { PeriodMeanings } from './periods.ts'
import { visibleValue } from './place.ts'
import { type ClaimConflict, type ComparedClaim, contradictingRivals, findConflicts } from './rules/conflicts.ts'

/** One flag `suspected_duplicate` for each look-alike. Records that it links to (`linked`) are no duplicates. */
export async function findLikenessFlags(
  kind: Kind,
  { names, identities, point }: Header,
  own: { entity_id?: string; linked: readonly string[] },
): Promise<NewFlag[]> {
  const { entity_id } = own
  const found = await findLookAlikes({ kind: kind.key, names, identities, point, ...(entity_id && { entity_id }) })
  return found
    .filter((it) => !own.linked.includes(it.entity_id))
    .map(({ entity_id, kind, id, names, how }) => ({
      flag_type: 'suspected_duplicate' as const,
      other_entity_id: entity_id,
      reason: likenesses[how](`${(kindOfScope(kind)?.label ?? kind).toLowerCase()} ${id}`, names[0] ?? ''),
    }))
}

const likenesses = {
  same_identity: (other: string, name: string) => `Identified as the same thing as ${other}, "${name}".`,
  same_name: (other: string, name: string) => `The same name as ${other}, "${name}".`,
  close: (other: string, name: string) => `Close to, and named like, ${other}, "${name}".`,
}

/**
 * Finds contradictions between new claims and those on record. A hidden place is first rounded as `actor` may see it:
 * otherwise a flag, or none, would reveal the place.
 */
export function detectConflicts(
  old: LoadedRecord,
  claims: readonly Assertion[],
  { meanings, actor }: { meanings: PeriodMeanings; actor: Actor },
): ClaimConflict[] {
  const stated = claims.find((it) => it.asserted_property === 'calendar_system')?.value
  const calendar = old.data.calendar_system
  return findConflicts(
    old.assertions.flatMap((it) => {
      const value = visibleValue(old, it.asserted_property, it.value, actor)
      return comparableClaims(old.kind, { ...it, value }, { calendar, meanings })
    }),
    claims.flatMap((it) => comparableClaims(old.kind, it, { calendar: stated ?? calendar, meanings })),
  )
}

/** Returns nothing where the property is no field of the kind: then no comparator is declared. */
function comparableClaims(
  kind: KindKey,
  it: Assertion,
  { calendar, meanings }: { calendar: unknown; meanings: PeriodMeanings },
): ComparedClaim[] {
  const field = kinds[kind].fields[it.asserted_property]
  if (!field || it.value === undefined) return []
  const comparator = comparatorOf(field)
  return [
    {
      id: it.id,
      property: it.asserted_property,
      comparator,
      value: comparator === 'date' ? (meanings.get(String(it.value)) ?? withCalendar(it.value, calendar)) : it.value,
      status: it.reconciliation_status,
      author: it.contributor_id,
    },
  ]
}

/** One flag for each new claim that contradicts a standing or waiting one. It names the claims of both sides. */
export function contradictionFlags(claims: readonly Assertion[], conflicts: readonly ClaimConflict[]): NewFlag[] {
  return conflicts.flatMap((each) => {
    const rivals = contradictingRivals(each)
    const property = claims.find((it) => it.id === each.claim)?.asserted_property
    if (property === undefined || rivals.length === 0) return []
    return [
      {
        flag_type: 'contradiction' as const,
        property,
        assertion_ids: [each.claim, ...rivals.map((rival) => rival.id)],
        reason: `Another value of ${property} stands or waits already.`,
      },
    ]
  })
}

/** The flags of one record, newest first. One query. */
export async function loadFlagsOn(entity_id: string): Promise<Flag[]> {
  const { pk, sk } = key.flag(entity_id, '')
  return (await queryAll(pk, sk, false)).map((item) => parse(flag, item))
}

/** Contradictions of an edit: flags to raise, writes of flags that are open already, and how many of these the writes resolve. */
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
  const replacedIds = new Set(replaced.map((it) => it.id))
  const orphaned = (await loadFlagsOn(old.entity_id)).filter(
    (it) => it.flag_type === 'contradiction' && !it.is_resolved && replacedIds.has(it.assertion_ids[0] ?? ''),
  )
  const raised = new Map(contradicted.map((it) => [it.property, it]))
  let resolved = 0
  const writes = orphaned.map((it) => {
    const successor = raised.get(it.property)
    raised.delete(it.property)
    if (!successor) resolved += 1
    return put(flag, withNextVersion<Flag>(it, successor ?? { is_resolved: true, resolved_at: at }), it)
  })
  return { raised: [...raised.values()], writes, resolved }
}
