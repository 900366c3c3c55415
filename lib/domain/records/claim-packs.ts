import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { packedId, packOf, placeInPack } from '../../base/ids/address.ts'
import { omit } from '../../base/omit.ts'
import {
  type AudienceSubject,
  type HistoryAudience,
  historyAudienceOf,
  historyAudiences,
  openTier,
} from '../../base/visibility.ts'
import {
  blankOf,
  defineItem,
  parse,
  pickMembers,
  put,
  remove,
  type Stored,
  shapeOf,
  sparse,
  type Write,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { textOf } from '../names/text.ts'
import { Assertion, claimStatuses, isSettled } from './items.ts'

/**
 * The claims of one contribution are stored as one item, a pack. Members that all its claims share are stored once, and
 * defaults of the schema are left out. So eight values are one item of some 1.5 KB, and a verdict changes one item.
 */
const Part = v.partial(v.object({ ...omit(Assertion.entries, 'entity_id', 'audience', 'version'), at: v.number() }))

/** Members of one claim, or members that all claims of the pack share. `at` is the place of a claim in its pack. */
type Part = v.InferOutput<typeof Part>

export const ClaimPack = v.object({
  /** The id of the pack. With `at` it gives the id of a claim; see lib/base/ids/address.ts. */
  pack: v.string(),
  entity_id: v.string(),
  /** Who may read the settled claims of the pack. The projector changes it when the record becomes public or hidden. */
  audience: v.picklist(historyAudiences),
  common: Part,
  /** By property: a pack holds at most one claim on each. */
  claims: v.record(v.string(), Part),
  version: v.number(),
})
export type ClaimPack = v.InferOutput<typeof ClaimPack>

type Status = Assertion['reconciliation_status']

/** Returns the name of the list of claims of one status that an audience may read. */
export const assertionList = (status: string, audience: HistoryAudience) => `ASSERTION#${audience}#${status}`

/** Every contribution adds pending claims. They are spread over six partitions, so that none is hot. */
const PENDING_PARTITIONS = 6
const partitionCountOf = (status: string) => (status === 'pending' ? PENDING_PARTITIONS : 1)
/** A pack is listed once for each status that its claims have, so each status needs an index of its own. */
const indexOf = { pending: 'gsi1', accepted: 'gsi2', disputed: 'gsi3', superseded: 'gsi4' } as const satisfies Record<
  Status,
  string
>
const partitionOf = (status: Status, audience: HistoryAudience, number: number) =>
  partitionCountOf(status) === 1 ? assertionList(status, audience) : `${assertionList(status, audience)}#${number}`

/** Lists the partitions of a list of claims. A reader of the list queries all of them. */
export const assertionPartitions = (status: Status, audience: HistoryAudience) =>
  Array.from({ length: partitionCountOf(status) }, (_, number) => ({
    index: indexOf[status],
    pk: partitionOf(status, audience, number),
  }))

/** Returns the audience of the claims with this status. Claims that are not settled stay withheld, unless the record is deleted. */
const audienceIn = ({ audience }: Pick<ClaimPack, 'audience'>, status: Status): HistoryAudience =>
  isSettled({ reconciliation_status: status }) || audience === 'deleted' ? audience : 'withheld'

const statusesOf = ({ common, claims }: ClaimPack): Status[] =>
  Object.values(claims).flatMap((own) => own.reconciliation_status ?? common.reconciliation_status ?? [])

export const claimPack = defineItem({
  type: 'claims',
  schema: ClaimPack,
  key: (it: { entity_id: string; pack: string }) => key.claims(it.entity_id, it.pack),
  indexes: (it) => {
    const sk = `${it.common.created_at}#${it.pack}`
    const statuses = claimStatuses.filter((status) => statusesOf(it).includes(status))
    return Object.fromEntries(
      statuses.map((status) => {
        // The last digits of a pack's id are random.
        const number = Number.parseInt(it.pack.slice(-4), 16) % partitionCountOf(status)
        return [indexOf[status], { pk: partitionOf(status, audienceIn(it, status), number), sk }]
      }),
    )
  },
  counted: (it) => statusesOf(it).map((status) => assertionList(status, audienceIn(it, status))),
})

const blank = blankOf(Assertion)

/** Returns the claims of a stored pack, oldest first. */
export const claimsIn = (stored: Stored): Assertion[] => unpackClaims(parse(claimPack, stored))

/** Returns the claims of a pack, oldest first. */
export function unpackClaims({ pack, entity_id, audience, common, claims, version }: ClaimPack): Assertion[] {
  const unpacked = Object.entries(claims).map(([asserted_property, own]): Assertion => {
    const { at = 0, reconciliation_status = 'pending', value, ...rest } = { ...common, ...own }
    const whole = {
      ...blank,
      asserted_value: textOf(value),
      ...rest,
      id: packedId(pack, at),
      entity_id,
      asserted_property,
      value,
      reconciliation_status,
      version,
      audience: audienceIn({ audience }, reconciliation_status),
    }
    // The members of a claim were checked before it was packed.
    return pickMembers(shapeOf(Assertion), whole) as Assertion
  })
  return unpacked.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Builds a pack. Members that all its claims share go to `common`. */
function packClaims(
  pack: string,
  assertions: readonly Assertion[],
  audience: HistoryAudience,
  version: number,
): ClaimPack {
  const members = assertions.map(packedMembers)
  const [first = {}, ...others] = members
  const isCommon = (name: string, value: unknown) =>
    name !== 'at' && others.every((other) => isDeepStrictEqual(other[name], value))
  const common = Object.fromEntries(Object.entries(first).filter(([name, value]) => isCommon(name, value)))
  const ownMembers = (packed: Readonly<Record<string, unknown>>) =>
    sparse(blank, Object.fromEntries(Object.entries(packed).filter(([name]) => !(name in common))))
  const claims = Object.fromEntries(
    assertions.map(({ asserted_property }, i) => [asserted_property, ownMembers(members[i] ?? {})]),
  )
  return { pack, entity_id: assertions[0]?.entity_id ?? '', audience, common: sparse(blank, common), claims, version }
}

/** Returns the audience of a pack. Claims about no stored record are for everyone, once one of them is settled. */
export const audienceOfClaims = (claims: readonly Assertion[], about: AudienceSubject | undefined): HistoryAudience =>
  historyAudienceOf(about ?? { public: true, access_tier: openTier, deleted_at: null }, claims.some(isSettled))

/** Returns the audience that the pack had when it was read. A claim that is not settled has `withheld` instead. */
const storedAudience = (claims: readonly Assertion[]): HistoryAudience =>
  claims.find(isSettled)?.audience ?? claims[0]?.audience ?? 'withheld'

/** Returns the members of a claim that its pack stores. `asserted_value` only if it differs from the text of `value`. */
function packedMembers(claim: Assertion): Part & Readonly<Record<string, unknown>> {
  const isOwnText = claim.asserted_value !== textOf(claim.value)
  return {
    ...omit(claim, 'id', 'entity_id', 'asserted_property', 'audience', 'version', 'asserted_value'),
    at: placeInPack(claim.id),
    ...(isOwnText && { asserted_value: claim.asserted_value }),
  }
}

/**
 * Returns the writes that turn the claims `old` into `next`. `old` must hold all claims of every pack that it touches. `about` is the
 * record after the change. Each write requires the version of the pack that was read (optimistic lock).
 */
export function claimWrites(
  old: readonly Assertion[],
  next: readonly Assertion[],
  about: AudienceSubject | undefined,
): Write[] {
  const [before, after] = [old, next].map((claims) => Map.groupBy(claims, ({ id }) => packOf(id)))
  return [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].flatMap((pack): Write[] => {
    const [claimsBefore = [], claimsAfter = []] = [before?.get(pack), after?.get(pack)]
    const version = claimsBefore[0]?.version ?? 0
    const stored =
      claimsBefore.length > 0 ? packClaims(pack, claimsBefore, storedAudience(claimsBefore), version) : undefined
    if (stored && claimsAfter.length === 0) return [remove(claimPack, stored)]
    const changed = packClaims(pack, claimsAfter, audienceOfClaims(claimsAfter, about), version + 1)
    return stored && haveSameClaims(stored, changed) ? [] : [put(claimPack, changed, stored)]
  })
}

const haveSameClaims = (a: ClaimPack, b: ClaimPack): boolean =>
  isDeepStrictEqual([a.common, a.claims], [b.common, b.claims])
