import { withCalendar } from '../calendars/reading.ts'
import { comparatorOf, type Kind, type KindKey, kindOfScope, kinds } from '../kinds/index.ts'
import type { Actor } from '../permissions.ts'
import type { Header, Raised } from './build.ts'
import type { Assertion, Loaded } from './items.ts'
import { similarTo } from './look-alikes.ts'
import type { Meanings } from './periods.ts'
import { valueFor } from './place.ts'
import { type Claim, type ClaimConflict, conflictsOf, contradictions } from './rules/conflicts.ts'

/** What the record looks like: one flag for each other record, naming it. What it names as something else (`linked`) is not itself. */
export async function likenessFlags(
  kind: Kind,
  { names, identities, point }: Header,
  own: { entity_id?: string; linked: readonly string[] },
): Promise<Raised[]> {
  const { entity_id } = own
  const found = await similarTo({ kind: kind.key, names, identities, point, ...(entity_id && { entity_id }) })
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
 * What each new claim meets among the standing ones of the record, as exactly as who makes it may know these: whether there is a
 * contradiction must not tell what they say.
 */
export function detectConflicts(
  old: Loaded,
  claims: readonly Assertion[],
  { meanings, actor }: { meanings: Meanings; actor: Actor },
): ClaimConflict[] {
  const stated = claims.find((it) => it.asserted_property === 'calendar_system')?.value
  const calendar = old.data.calendar_system
  return conflictsOf(
    old.assertions.flatMap((it) => {
      const value = valueFor(old, it.asserted_property, it.value, actor)
      return comparable(old.kind, { ...it, value }, { calendar, meanings })
    }),
    claims.flatMap((it) => comparable(old.kind, it, { calendar: stated ?? calendar, meanings })),
  )
}

/** A claim as the conflict check compares it; none where its property is no member of the kind. */
function comparable(
  kind: KindKey,
  it: Assertion,
  { calendar, meanings }: { calendar: unknown; meanings: Meanings },
): Claim[] {
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

/** One flag for each claim that contradicts what stands or waits; it names both sides. */
export function contradictionFlags(claims: readonly Assertion[], conflicts: readonly ClaimConflict[]): Raised[] {
  return conflicts.flatMap((each) => {
    const rivals = contradictions(each)
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
