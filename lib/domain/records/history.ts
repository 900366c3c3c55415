import { conflict } from '../../base/errors.ts'
import { addressOf } from '../../base/ids/address.ts'
import { audiences } from '../../base/visibility.ts'
import { countKeys, getMany, itemIn, parse, queryAll, sumOf, untilWhole } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import {
  type Activity,
  type Assertion,
  activity,
  type Decision,
  decision,
  type Flag,
  flag,
  type LoadedRecord,
  listsOf,
  type RecordItem,
  type Revision,
  recordItem,
  recordVisibilities,
  revision,
} from './items.ts'
import { type Lease, leaseOf } from './leases.ts'
import { assembleRecord, hasAllClaims } from './load.ts'
import { type CanonicalValue, type ClaimState, computeCanonical } from './rules/canonical.ts'

/** A record with its whole history. Each list is newest first. */
export type History = LoadedRecord & {
  revisions: Revision[]
  activities: Activity[]
  decisions: Decision[]
  flags: Flag[]
  lease: Lease | null
}

/** Loads the whole partition of a record in one query. Undefined if the record does not exist. */
export const loadHistory = (entity_id: string): Promise<History | undefined> =>
  untilWhole(() => queryHistory(entity_id), isWhole)

/** Whether the read has all that a decision needs: every claim, every open flag and the current revision. */
const isWhole = (it: History): boolean =>
  hasAllClaims(it) &&
  it.flags.filter((each) => !each.is_resolved).length === it.open_flags &&
  it.revisions.some((each) => each.revision_id === it.current_revision_id)

/** Fails with `conflict` when the history was read in the middle of a change. */
export function checkWhole(it: History): void {
  if (!isWhole(it)) throw conflict()
}

async function queryHistory(entity_id: string): Promise<History | undefined> {
  const items = (await queryAll(key.head(entity_id).pk, '')).reverse()
  const loaded = assembleRecord(items)
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

/** Loads a history by the id of anything in the partition, such as a revision or a flag. */
export async function loadHistoryOf(id: string): Promise<History | undefined> {
  const record = addressOf(id)?.record
  return record === undefined ? undefined : loadHistory(record)
}

/** The claims of a record as lib/domain/records/rules/canonical.ts needs them, oldest first. */
export const claimStatesOf = (assertions: readonly Assertion[]): ClaimState[] =>
  assertions
    .map((it) => ({
      id: it.id,
      property: it.asserted_property,
      value: it.value,
      status: it.reconciliation_status,
      carried: it.revision_number !== null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** The canonical value of each property, and the decision that made it stand. */
export const canonicalValues = (it: History): Map<string, CanonicalValue> =>
  computeCanonical(claimStatesOf(it.assertions), it.decisions)

/** The numbers of all revisions that were ever accepted. */
export const acceptedRevisions = (it: History): Set<number> =>
  new Set(
    [it.accepted_revision, ...it.decisions.map((each) => each.accepted_revision)].filter((number) => number !== null),
  )

/** The people and other records that a history names, and the contributor's statistics. */
export type HistoryReferences = {
  people: PeopleById
  other: (entity_id: string | null) => RecordItem | undefined
  stats: Stats
}
export type Stats = { total_contributions: number; accepted_contributions: number; acceptance_rate: number }

/** One call. */
export async function loadReferences(it: History): Promise<HistoryReferences> {
  const ids = [
    it.contributor_id,
    ...it.revisions.map((each) => each.created_by),
    ...it.activities.map((each) => each.user_id),
    ...it.decisions.map((each) => each.reviewer_id),
    ...it.flags.flatMap((each) => [each.flagged_by, each.resolved_by]),
  ].filter((id) => id !== null)
  const others = it.flags.flatMap(({ other_entity_id }) => (other_entity_id ? [key.head(other_entity_id)] : []))
  const lists = recordVisibilities.map((visibility) => listsOf.owner(it.contributor_id, visibility))
  const accepted = audiences.map((audience) => listsOf.owner(it.contributor_id, audience))
  const found = await getMany([...countKeys(lists), ...others, ...ids.map(keyOf)])
  const [total, acceptedCount] = [sumOf(lists, found), sumOf(accepted, found)]
  return {
    people: peopleIn(found),
    other: (entity_id) => (entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })),
    stats: {
      total_contributions: total,
      accepted_contributions: acceptedCount,
      acceptance_rate: percent(acceptedCount, total),
    },
  }
}

/** Returns a share in percent, to one decimal. 0 if `whole` is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10)
