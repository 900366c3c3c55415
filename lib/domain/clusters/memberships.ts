import * as v from 'valibot'
import { conflict, invalid } from '../../base/errors.ts'
import {
  defineItem,
  getMany,
  itemAt,
  itemIn,
  put,
  remove,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { noSource } from '../kinds/index.ts'
import { newClaim } from '../records/build.ts'
import { claimsIn, claimWrites } from '../records/claim-packs.ts'
import { type Assertion, type RecordItem, SAME_REFERENT } from '../records/items.ts'
import type { SettlingWay } from '../records/views/explain.ts'

/*
 * A claim says that a record is about the same thing as others. It has an author and may have a source, like any claim. Beside it is the
 * item of a membership, which keeps the record from being in two clusters.
 */

/**
 * The cluster of a record. A record has one such item at most, so it is in one cluster at most. Joining fails if the item exists; moving
 * replaces it.
 */
export const membership = defineItem({
  type: 'membership',
  schema: v.object({
    entity_id: v.string(),
    cluster_id: v.string(),
    /** The claim of identity. Null for a member that joined before memberships were claims. */
    assertion_id: v.optional(v.nullable(v.string()), null),
    version: v.number(),
  }),
  key: (it: { entity_id: string }) => key.clustered(it.entity_id),
})
export type Membership = v.InferOutput<typeof membership.schema>

/** Who says that records are about the same thing, by which source, and how sure that is. */
export type Evidence = {
  author: Pick<Actor, 'id' | 'username' | 'key'>
  /** The name of the key with which the claim was sent; null for none. If absent, `author.key` counts. */
  software?: string | null
  /** The claim that the new one supersedes; null for none. If absent, a move supersedes the claim of the membership that it ends. */
  supersedes?: string | null
  /** The id of a registered source. */
  source: string | null
  source_type: string
  supporting_sources: readonly string[]
  confidence: string
  note: string
  /** Who decided that the claim holds, and how. */
  decided: Decided
}
/** A decision on a membership: by whom, in what way, and why. */
export type Decided = { by: string; way: SettlingWay; reason: string }

/** The evidence of a person who names no source and decides on the claim at once. */
export const evidenceOf = (
  author: Evidence['author'] & Pick<Actor, 'id'>,
  way: Decided['way'],
  note = '',
): Evidence => ({
  author,
  source: null,
  source_type: '',
  supporting_sources: [],
  confidence: 'likely',
  note,
  decided: { by: author.id, way, reason: note },
})

/** The evidence for moving a record to another cluster. It takes its sources from the claim of the present membership, if there is one. */
export const evidenceBeside = (of: Evidence, claim: Assertion | undefined): Evidence =>
  claim ? { ...of, ...sourcesOf(claim) } : of

/** The evidence of an earlier claim that holds again by a new decision. The new claim supersedes what the earlier one superseded. */
export const evidenceAgain = ({ decided }: Evidence, claim: Assertion): Evidence => ({
  ...sourcesOf(claim),
  author: { id: claim.contributor_id, username: claim.contributed_by },
  software: claim.software,
  supersedes: claim.supersedes,
  note: claim.justification_note,
  decided,
})

const sourcesOf = ({ source, source_type, supporting_sources, confidence }: Assertion) => ({
  source,
  source_type,
  supporting_sources,
  confidence,
})

/** A membership with its claim. The claim is undefined for a member that joined before memberships were claims. */
export type MembershipWithClaim = { membership: Membership; claim: Assertion | undefined }

/** Loads the claims that these claims of identity superseded, by the id of the later claim. One call; none if no claim superseded another. */
export async function loadFormerClaims(claims: readonly Assertion[]): Promise<Map<string, Assertion>> {
  const found = await getMany(
    claims.flatMap(({ supersedes }) => (supersedes === null ? [] : key.ofClaim(supersedes))),
    true,
  )
  return new Map(
    claims.flatMap(({ id, supersedes }): [string, Assertion][] => {
      const stored = supersedes === null ? undefined : itemAt(found, key.ofClaim(supersedes))
      const former = stored && claimsIn(stored).find((it) => it.id === supersedes)
      return former ? [[id, former]] : []
    }),
  )
}

/** Loads the memberships of records with their claims, by review identity. Two calls, one if no record is in a cluster. */
export async function loadMemberships(ids: readonly string[]): Promise<Map<string, MembershipWithClaim>> {
  const found = await getMany(ids.map(key.clustered), true)
  const memberships = ids.flatMap((entity_id) => itemIn(found, membership, { entity_id }) ?? [])
  const claimIds = memberships.flatMap(({ assertion_id }) => assertion_id ?? [])
  const packs = await getMany(claimIds.map(key.ofClaim), true)
  return new Map(
    memberships.map((it) => {
      const stored = it.assertion_id === null ? undefined : itemAt(packs, key.ofClaim(it.assertion_id))
      return [it.entity_id, { membership: it, claim: stored && claimsIn(stored)[0] }]
    }),
  )
}

/** The claims that a join or a move makes or supersedes, by id, and the writes that store this. */
export type Joining = { assertion_ids: string[]; writes: Write[] }
type Named = { id: string; canonical_label: string }

/** The writes by which records join a cluster: a membership and an accepted claim each. */
export function joinWrites(into: Named, records: readonly RecordItem[], evidence: Evidence, at: string): Joining {
  const joined = records.map((record) => ({ record, claim: claimOf(record, into, evidence, at) }))
  return {
    assertion_ids: joined.map(({ claim }) => claim.id),
    writes: joined.flatMap(({ record: { entity_id }, record, claim }) => [
      put(membership, { entity_id, cluster_id: into.id, assertion_id: claim.id, version: 1 }, undefined, () =>
        invalid({ members: ['One of these records is in another cluster.'] }),
      ),
      ...claimWrites([], [claim], record),
    ]),
  }
}

/** The writes by which a record leaves a cluster. Its claim is superseded. Fails with `conflict` if it left before. */
export function leaveWrites(
  record: RecordItem,
  of: MembershipWithClaim | undefined,
  { cluster_id, decided, at }: { cluster_id: string; decided: Decided; at: string },
): Write[] {
  if (of?.membership.cluster_id !== cluster_id) throw conflict()
  return [remove(membership, of.membership), ...supersedeWrites(record, of.claim, decided, at)]
}

/**
 * The writes by which a record moves into another cluster: the old claim is superseded, a new one is accepted. Fails with `conflict`
 * if the record is not in the cluster that it is to leave.
 */
export function moveWrites(
  record: RecordItem,
  of: MembershipWithClaim | undefined,
  { from, into, evidence, at }: { from: string; into: Named; evidence: Evidence; at: string },
): Joining {
  if (of?.membership.cluster_id !== from) throw conflict()
  const { supersedes = of.claim?.id ?? null } = evidence
  const claim = { ...claimOf(record, into, evidence, at), supersedes }
  const next = withNextVersion<Membership>(of.membership, { cluster_id: into.id, assertion_id: claim.id })
  return {
    assertion_ids: [...(of.claim ? [of.claim.id] : []), claim.id],
    writes: [
      put(membership, next, of.membership),
      ...supersedeWrites(record, of.claim, evidence.decided, at),
      ...claimWrites([], [claim], record),
    ],
  }
}

function supersedeWrites(record: RecordItem, claim: Assertion | undefined, decided: Decided, at: string): Write[] {
  if (!claim) return []
  const settlings = [...(claim.settlings ?? []), { status: 'superseded' as const, at, ...decided }]
  const next = withNextVersion<Assertion>(claim, { reconciliation_status: 'superseded', settlings, updated_at: at })
  return claimWrites([claim], [next], record)
}

function claimOf(
  about: RecordItem,
  { id, canonical_label }: Named,
  { author, source, source_type, supporting_sources, confidence, note, decided, software }: Evidence,
  at: string,
): Assertion {
  const actor = { ...author, email: '', is_staff: false, is_superuser: false, rank: null }
  const said = { ...noSource, source_type, confidence }
  return {
    ...newClaim({ about, source: said, actor, revision_number: null, at }, SAME_REFERENT, id),
    ...(software !== undefined && { software }),
    source,
    supporting_sources: [...supporting_sources],
    assertion_content: canonical_label,
    justification_note: note,
    reconciliation_status: 'accepted',
    settlings: [{ status: 'accepted', at, ...decided }],
  }
}
