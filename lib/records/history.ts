import { conflict } from '../errors.ts'
import { addressOf } from '../ids/address.ts'
import { audiences } from '../permissions.ts'
import { countKeys, sumOf } from '../table/counters.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, queryAll } from '../table/read.ts'
import { untilWhole } from '../table/until-whole.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
import {
  type Activity,
  type Assertion,
  activity,
  type Decision,
  decision,
  type Flag,
  flag,
  type Loaded,
  listsOf,
  type RecordItem,
  type Revision,
  recordItem,
  revision,
  visibilities,
} from './items.ts'
import { type Lease, leaseOf } from './leases.ts'
import { assemble, hasAllClaims } from './load.ts'
import { type CanonicalValue, type Claim, canonical } from './rules/canonical.ts'

/** A record with everything that happened to it; each list newest first. */
export type History = Loaded & {
  revisions: Revision[]
  activities: Activity[]
  decisions: Decision[]
  flags: Flag[]
  lease: Lease | null
}

/** The whole partition of a record in one query; undefined when there is none. */
export const loadHistory = (entity_id: string): Promise<History | undefined> =>
  untilWhole(() => queryHistory(entity_id), isWhole)

/** Whether all was read that the record counts and a decision goes by: its claims, its open flags and its current revision. */
const isWhole = (it: History): boolean =>
  hasAllClaims(it) &&
  it.flags.filter((each) => !each.is_resolved).length === it.open_flags &&
  it.revisions.some((each) => each.revision_id === it.current_revision_id)

/** Fails with `conflict` where a history was read while it changed, one half before and one after. */
export function checkWhole(it: History): void {
  if (!isWhole(it)) throw conflict()
}

async function queryHistory(entity_id: string): Promise<History | undefined> {
  const items = (await queryAll(key.head(entity_id).pk, '')).reverse()
  const loaded = assemble(items)
  if (!loaded) return undefined
  const of = (type: string) => items.filter((item) => item.type === type)
  return {
    ...loaded,
    assertions: loaded.assertions.toReversed(),
    revisions: of(revision.type).map((item) => parse(revision, item)),
    activities: of(activity.type).map((item) => parse(activity, item)),
    decisions: of(decision.type).map((item) => parse(decision, item)),
    flags: of(flag.type).map((item) => parse(flag, item)),
    lease: of('lease').map(leaseOf)[0] ?? null,
  }
}

/** The same by the id of anything in the partition. */
export async function loadHistoryOf(id: string): Promise<History | undefined> {
  const record = addressOf(id)?.record
  return record === undefined ? undefined : loadHistory(record)
}

/** The claims of a record as the rules of lib/records/rules/canonical.ts take them, oldest first. */
export const claimsOf = (assertions: readonly Assertion[]): Claim[] =>
  assertions
    .map((it) => ({
      id: it.id,
      property: it.asserted_property,
      value: it.value,
      status: it.reconciliation_status,
      carried: it.revision_number !== null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** What stands for each property of a record, and by which decision. */
export const canonicalValues = (it: History): Map<string, CanonicalValue> =>
  canonical(claimsOf(it.assertions), it.decisions)

/** The numbers of the revisions that have ever been accepted. */
export const acceptedRevisions = (it: History): Set<number> =>
  new Set(
    [it.accepted_revision, ...it.decisions.map((each) => each.accepted_revision)].filter((number) => number !== null),
  )

/** Whom and what a history names besides its record. */
export type Referenced = {
  people: PeopleById
  other: (entity_id: string | null) => RecordItem | undefined
  stats: Stats
}
export type Stats = { total_contributions: number; accepted_contributions: number; acceptance_rate: number }

/** The people and records that a history names, and what its contributor has contributed, in one call. */
export async function loadReferenced(it: History): Promise<Referenced> {
  const ids = [
    it.contributor_id,
    ...it.revisions.map((each) => each.created_by),
    ...it.activities.map((each) => each.user_id),
    ...it.decisions.map((each) => each.reviewer_id),
    ...it.flags.flatMap((each) => [each.flagged_by, each.resolved_by]),
  ].filter((id) => id !== null)
  const others = it.flags.flatMap(({ other_entity_id }) => (other_entity_id ? [key.head(other_entity_id)] : []))
  const lists = visibilities.map((visibility) => listsOf.owner(it.contributor_id, visibility))
  const accepted = audiences.map((audience) => listsOf.owner(it.contributor_id, audience))
  const found = await getMany([...countKeys(lists), ...others, ...ids.map(keyOf)])
  const [total, good] = [sumOf(lists, found), sumOf(accepted, found)]
  return {
    people: peopleIn(found),
    other: (entity_id) => (entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })),
    stats: { total_contributions: total, accepted_contributions: good, acceptance_rate: percent(good, total) },
  }
}

/** A share in percent, to one decimal; of nothing, 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10)
