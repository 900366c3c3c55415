import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { packedId, packOf, placeInPack } from '../ids/address.ts'
import { textOf } from '../names/text.ts'
import { openTier } from '../permissions.ts'
import { defineItem, parse, put, remove, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import type { Stored } from '../table/read.ts'
import { picked, shapeOf } from '../table/shape.ts'
import { blankOf, sparse } from '../table/sparse.ts'
import {
  Assertion,
  type AudienceSubject,
  claimStatuses,
  type HistoryAudience,
  historyAudienceOf,
  historyAudiences,
  isSettled,
} from './items.ts'

/**
 * How claims are stored. Those that one contribution makes are one item, a pack: what they have in common stands in it once, and
 * what is as the schema says anyway stands in it not at all. So a contribution of eight values writes one item of some 1.5 KB
 * instead of eight, and a verdict on them changes one.
 */
const { entity_id: _, audience: __, version: ___, ...entries } = Assertion.entries
const Part = v.partial(v.object({ ...entries, at: v.number() }))

/** What a pack tells of all its claims, or of one, beyond what its key and the schema say. */
type Part = v.InferOutput<typeof Part>

export const ClaimPack = v.object({
  /** With the record it makes the ids of the claims; see lib/ids/address.ts. */
  pack: v.string(),
  entity_id: v.string(),
  /** Who is told of those that are settled; the projector follows what becomes of the record. */
  audience: v.picklist(historyAudiences),
  common: Part,
  /** By property; a pack holds one claim on each. */
  claims: v.record(v.string(), Part),
  version: v.number(),
})
export type ClaimPack = v.InferOutput<typeof ClaimPack>
type Status = Assertion['reconciliation_status']

/** The claims that stand like this and are for that audience. */
export const assertionList = (status: string, audience: HistoryAudience) => `ASSERTION#${audience}#${status}`

/** What waits comes with each contribution, so it is spread over so many keys of its index. */
const SPREAD = 6
const spreadOver = (status: string) => (status === 'pending' ? SPREAD : 1)
/** A pack is in one list for each status that its claims have, so each status has an index. */
const indexOf = { pending: 'gsi1', accepted: 'gsi2', disputed: 'gsi3', superseded: 'gsi4' } as const satisfies Record<
  Status,
  string
>
const partition = (status: Status, audience: HistoryAudience, part: number) =>
  spreadOver(status) === 1 ? assertionList(status, audience) : `${assertionList(status, audience)}#${part}`

/** The index partitions that hold such a list together. */
export const assertionPartitions = (status: Status, audience: HistoryAudience) =>
  Array.from({ length: spreadOver(status) }, (_, part) => ({
    index: indexOf[status],
    pk: partition(status, audience, part),
  }))

/** Who is told of a pack's claims that stand so. */
const audienceIn = ({ audience }: Pick<ClaimPack, 'audience'>, status: Status): HistoryAudience =>
  isSettled({ reconciliation_status: status }) || audience === 'deleted' ? audience : 'withheld'

const statusesOf = ({ common, claims }: ClaimPack): Status[] =>
  Object.values(claims).flatMap((it) => it.reconciliation_status ?? common.reconciliation_status ?? [])

export const claimPack = defineItem({
  type: 'claims',
  schema: ClaimPack,
  key: (it: { entity_id: string; pack: string }) => key.claims(it.entity_id, it.pack),
  indexes: (it) => {
    const sk = `${it.common.created_at}#${it.pack}`
    const statuses = claimStatuses.filter((status) => statusesOf(it).includes(status))
    return Object.fromEntries(
      // The last digits are chance.
      statuses.map((status) => {
        const part = Number.parseInt(it.pack.slice(-4), 16) % spreadOver(status)
        return [indexOf[status], { pk: partition(status, audienceIn(it, status), part), sk }]
      }),
    )
  },
  counted: (it) => statusesOf(it).map((status) => assertionList(status, audienceIn(it, status))),
})

/** The members of a claim that have a value without being told. */
const blank = blankOf(Assertion)

/** The claims of a stored pack, oldest first. */
export const claimsIn = (stored: Stored): Assertion[] => unpacked(parse(claimPack, stored))

/** The claims of a pack, oldest first. */
export function unpacked({ pack, entity_id, audience, common, claims, version }: ClaimPack): Assertion[] {
  const made = Object.entries(claims).map(([asserted_property, own]): Assertion => {
    const { at = 0, reconciliation_status = 'pending', value, ...told } = { ...common, ...own }
    const whole = {
      ...{ ...blank, asserted_value: textOf(value), ...told },
      ...{ id: packedId(pack, at), entity_id, asserted_property, value, reconciliation_status, version },
      audience: audienceIn({ audience }, reconciliation_status),
    }
    // What was packed was a whole claim.
    return picked(shapeOf(Assertion), whole) as Assertion
  })
  return made.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Claims that were made together as one pack. */
function packed(pack: string, its: readonly Assertion[], audience: HistoryAudience, version: number): ClaimPack {
  const members = its.map(partOf)
  const [first = {}, ...others] = members
  const isCommon = (name: string, value: unknown) =>
    name !== 'at' && others.every((it) => isDeepStrictEqual(it[name], value))
  const common = Object.fromEntries(Object.entries(first).filter(([name, value]) => isCommon(name, value)))
  const own = (it: Readonly<Record<string, unknown>>) =>
    sparse(blank, Object.fromEntries(Object.entries(it).filter(([name]) => !(name in common))))
  const claims = Object.fromEntries(its.map((it, i) => [it.asserted_property, own(members[i] ?? {})]))
  return { pack, entity_id: its[0]?.entity_id ?? '', audience, common: sparse(blank, common), claims, version }
}

/** Who is to be told of these claims; `about` is undefined of what is not stored here, which everyone may see. */
export const audienceOfClaims = (its: readonly Assertion[], about: AudienceSubject | undefined): HistoryAudience =>
  historyAudienceOf(about ?? { public: true, access_tier: openTier, deleted_at: null }, its.some(isSettled))

/** Who is told of them as they are stored. */
const audienceSaidBy = (its: readonly Assertion[]): HistoryAudience =>
  its.find(isSettled)?.audience ?? its[0]?.audience ?? 'withheld'

/** What a pack has to tell of a claim. */
function partOf(it: Assertion): Part & Readonly<Record<string, unknown>> {
  const { id, entity_id: _, asserted_property: __, audience: ___, version: ____, asserted_value, ...told } = it
  return { ...told, at: placeInPack(id), ...(asserted_value !== textOf(it.value) && { asserted_value }) }
}

/**
 * The writes that make these claims of a record those: `old` holds all claims of each pack that it names, `next` what is to become of
 * them and what is new. `about` is the record as it is then. Each pack is guarded by its version.
 */
export function claimWrites(
  old: readonly Assertion[],
  next: readonly Assertion[],
  about: AudienceSubject | undefined,
): Write[] {
  const [before, after] = [old, next].map((its) => Map.groupBy(its, ({ id }) => packOf(id)))
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].flatMap((pack): Write[] => {
    const [was = [], is = []] = [before?.get(pack), after?.get(pack)]
    const version = was[0]?.version ?? 0
    const stored = was.length > 0 ? packed(pack, was, audienceSaidBy(was), version) : undefined
    if (stored && is.length === 0) return [remove(claimPack, stored)]
    const made = packed(pack, is, audienceOfClaims(is, about), version + 1)
    return stored && saysSame(stored, made) ? [] : [put(claimPack, made, stored)]
  })
}

const saysSame = (one: ClaimPack, other: ClaimPack): boolean =>
  isDeepStrictEqual([one.common, one.claims], [other.common, other.claims])
