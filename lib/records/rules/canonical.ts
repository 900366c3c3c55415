import { isDeepStrictEqual } from 'node:util'
import { type Handling, settlements } from './verdicts.ts'

/**
 * What stands of what is claimed about a record. Decisions write down which claim they let stand for which property, and
 * never what a comparator said at the time, so that what was decided does not change when the comparators do.
 */

/** A claim as it stands. `carried`: a revision brought it; else someone made it apart. */
export type Claim = {
  id: string
  property: string
  value?: unknown
  status: 'pending' | 'accepted' | 'disputed' | 'superseded'
  carried: boolean
}

export const rules = [
  'accepted',
  'replaced',
  'edited',
  'removed',
  'supersedes',
  'coexist',
  'existing_stands',
  'refines',
  'disputed',
] as const
/** Why a claim stands: it met no other, took the place of the former, is the reviewer's, or a handling says so. */
export type Rule = (typeof rules)[number]

/** What a decision made of one property: the claim that stands since (null: none), and those that it stands against. */
export type Outcome = { property: string; stands: string | null; rule: Rule; rivals: readonly string[] }
/** A decision as far as it matters here. `sequence` rises from each decision on a record to the next. */
export type Ruling = { id: string; sequence: number; outcomes: readonly Outcome[] }
export type CanonicalValue = Outcome & { decision: string; sequence: number; value: unknown }

/** What stands for each property, and by which decision: the same for the same claims and decisions in any order. */
export function canonical(claims: readonly Claim[], rulings: readonly Ruling[]): Map<string, CanonicalValue> {
  const byId = new Map(claims.map((it) => [it.id, it]))
  const standing = new Map<string, CanonicalValue>()
  for (const { id, sequence, outcomes } of rulings) {
    for (const it of outcomes) {
      if ((standing.get(it.property)?.sequence ?? -1) >= sequence) continue
      standing.set(it.property, { ...it, decision: id, sequence, value: byId.get(it.stands ?? '')?.value })
    }
  }
  return standing
}

/** The values that stand. */
export const valuesOf = (standing: ReadonlyMap<string, CanonicalValue>): Record<string, unknown> =>
  Object.fromEntries(
    [...standing.values()].filter((it) => it.stands !== null).map(({ property, value }) => [property, value]),
  )

/** What an acceptance has to rule on. */
export type Review = {
  /** The claims of the record, oldest first, with those of the reviewer's edits. */
  claims: readonly Claim[]
  standing: ReadonlyMap<string, Pick<CanonicalValue, 'stands'>>
  /** The values that are accepted, with the reviewer's edits. */
  values: Readonly<Record<string, unknown>>
  /** The claims that the reviewer makes, by property. */
  edits: ReadonlyMap<string, string>
  /** The claims in open contradictions, by property. */
  contested: ReadonlyMap<string, readonly string[]>
  handling: Handling
}
export type Fate = { status: Claim['status']; supersedes?: string; refines?: string }
export type Ruled = { outcomes: Outcome[]; fates: Map<string, Fate> }

/** What an acceptance makes of every property and every claim; what is not named stays as it is. */
export function settle(review: Review): Ruled {
  const properties = [
    ...Object.keys(review.values),
    ...[...review.standing].flatMap(([property, { stands }]) => (stands === null ? [] : [property])),
    ...review.claims.filter(waits).map((it) => it.property),
  ]
  const each = [...new Set(properties)].map((property) => settleOne(review, property))
  return {
    outcomes: each.flatMap(({ outcomes }) => outcomes),
    fates: new Map(each.flatMap(({ fates }) => [...fates])),
  }
}

const waits = (it: Claim) => it.carried && it.status === 'pending'

function settleOne({ claims, standing, values, edits, contested, handling }: Review, property: string): Ruled {
  const own = claims.filter((it) => it.property === property)
  const old = standing.get(property)?.stands ?? undefined
  // What waits and is not chosen below has been overtaken by a later revision.
  const fates: Ruled['fates'] = new Map(own.filter(waits).map((it) => [it.id, { status: 'superseded' }]))
  if (!(property in values)) {
    if (old === undefined) return { outcomes: [], fates }
    fates.set(old, { status: 'superseded' })
    return { outcomes: [{ property, stands: null, rule: 'removed', rivals: [old] }], fates }
  }

  const edit = edits.get(property)
  const carrier = edit ?? carrierOf(own, old, values[property])
  // The claim that the reviewer edits is no rival of the edit.
  const edited = edit && own.findLast((it) => waits(it) && it.id !== edit)?.id
  const open = own.filter(
    ({ id, status }) => contested.get(property)?.includes(id) && status !== 'superseded' && id !== edited,
  )
  const newest = carrier ?? open.findLast((it) => it.status === 'pending')?.id
  const rivals = open.map(({ id }) => id).filter((id) => id !== newest)
  if (newest === undefined) return { outcomes: [], fates }
  if (handling === 'not_applicable' || rivals.length === 0) {
    if (carrier === undefined) return { outcomes: [], fates }
    fates.set(carrier, { status: 'accepted', ...(old !== undefined && { supersedes: old }) })
    if (old !== undefined) fates.set(old, { status: 'superseded' })
    const rule = edit ? 'edited' : old === undefined ? 'accepted' : 'replaced'
    return { outcomes: [{ property, stands: carrier, rule, rivals: old === undefined ? [] : [old] }], fates }
  }

  const rule = settlements[handling]
  const first = old ?? rivals[0] ?? newest
  const statusOf = (id: string) => own.find((it) => it.id === id)?.status
  for (const id of rivals) {
    // Where the existing value stands, it is one; what else waited loses with the new one.
    if (handling !== 'existing_stands') fates.set(id, { status: rule.rival })
    else if (statusOf(id) === 'pending') fates.set(id, { status: 'superseded' })
  }
  if (rule.stands === 'rival') fates.set(first, { status: rule.rival })
  else if (old !== undefined && !rivals.includes(old)) fates.set(old, { status: 'superseded' })
  fates.set(newest, {
    status: rule.claim,
    ...(rule.rival === 'superseded' && { supersedes: first }),
    ...(handling === 'refines' && { refines: first }),
  })
  const stands = rule.stands === 'claim' ? newest : first
  const against = [...new Set([...(old === undefined ? [] : [old]), ...rivals, newest])].filter((id) => id !== stands)
  return { outcomes: [{ property, stands, rule: handling, rivals: against }], fates }
}

/**
 * The claim that brings a value which does not stand yet. A value that was refused and is handed in again unchanged has
 * none that waits: the one it was refused with carries it.
 */
function carrierOf(own: readonly Claim[], old: string | undefined, value: unknown): string | undefined {
  const equal = own.filter((it) => isDeepStrictEqual(it.value, value))
  const waiting = equal.findLast(waits)
  if (waiting || equal.some((it) => it.id === old)) return waiting?.id
  return equal.findLast((it) => it.carried)?.id
}
