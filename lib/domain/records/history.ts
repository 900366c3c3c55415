import { conflict } from '../../base/errors.ts'
import { addressOf } from '../../base/ids/address.ts'
import { audiences } from '../../base/visibility.ts'
import { countKeys, getMany, itemIn, parse, queryAll, sumOf, untilWhole } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { withAuthors } from './authors.ts'
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

/** A record with its whole history. Each list is newest first. The author of each revision is the author of its values. */
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
const isWhole = (history: History): boolean =>
  hasAllClaims(history) &&
  history.flags.filter((it) => !it.is_resolved).length === history.open_flags &&
  history.revisions.some((it) => it.revision_id === history.current_revision_id)

/** Fails with `conflict` if the history was read in the middle of a change. */
export function checkWhole(history: History): void {
  if (!isWhole(history)) throw conflict()
}

async function queryHistory(entity_id: string): Promise<History | undefined> {
  const items = (await queryAll(key.head(entity_id).pk, '')).reverse()
  const loaded = assembleRecord(items)
  if (!loaded) return undefined
  const itemsOf = (type: string) => items.filter((item) => item.type === type)
  const assertions = loaded.assertions.toReversed()
  const decisions = itemsOf(decision.type).map((item) => parse(decision, item))
  const revisions = itemsOf(revision.type).map((item) => parse(revision, item))
  return {
    ...loaded,
    assertions,
    revisions: withAuthors({ revisions, assertions, decisions }),
    activities: itemsOf(activity.type).map((item) => parse(activity, item)),
    decisions,
    flags: itemsOf(flag.type).map((item) => parse(flag, item)),
    lease: itemsOf('lease').map(leaseOf)[0] ?? null,
  }
}

/** Loads a history by the id of any item in the partition, such as a revision or a flag. */
export async function loadHistoryOf(id: string): Promise<History | undefined> {
  const record = addressOf(id)?.record
  return record === undefined ? undefined : loadHistory(record)
}

/** Returns the claims of a record in the form that lib/domain/records/rules/canonical.ts takes, oldest first. */
export const claimStatesOf = (assertions: readonly Assertion[]): ClaimState[] =>
  assertions
    .map((claim) => ({
      id: claim.id,
      property: claim.asserted_property,
      value: claim.value,
      status: claim.reconciliation_status,
      carried: claim.revision_number !== null,
      proposed: claim.revision_number === null && claim.software !== null,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

/** Returns the canonical value of each property, and the decision that made it stand. */
export const canonicalValues = ({ assertions, decisions }: History): Map<string, CanonicalValue> =>
  computeCanonical(claimStatesOf(assertions), decisions)

/** Returns the numbers of all revisions that were ever accepted. */
export function acceptedRevisions({ accepted_revision, decisions }: History): Set<number> {
  const numbers = [accepted_revision, ...decisions.map((it) => it.accepted_revision)]
  return new Set(numbers.filter((number) => number !== null))
}

/** The people and other records that a history names, and the contributor's statistics. */
export type HistoryReferences = {
  people: PeopleById
  /** The other record of a flag. Undefined if it does not exist. */
  other: (entity_id: string | null) => RecordItem | undefined
  stats: Stats
}
/** `acceptance_rate` is a percentage. */
export type Stats = { total_contributions: number; accepted_contributions: number; acceptance_rate: number }

/** Loads the people and other records that a history names. One call for each hundred. */
export async function loadReferences(history: History): Promise<HistoryReferences> {
  const ids = [
    history.contributor_id,
    ...history.revisions.map((it) => it.created_by),
    ...history.activities.map((it) => it.user_id),
    ...history.decisions.map((it) => it.reviewer_id),
    ...history.assertions.flatMap(({ settlings = [] }) => settlings.map(({ by }) => by ?? null)),
    ...history.flags.flatMap(({ flagged_by, resolved_by }) => [flagged_by, resolved_by]),
  ].filter((id) => id !== null)
  const others = history.flags.flatMap(({ other_entity_id }) => (other_entity_id ? [key.head(other_entity_id)] : []))
  const lists = recordVisibilities.map((visibility) => listsOf.owner(history.contributor_id, visibility))
  const acceptedLists = audiences.map((audience) => listsOf.owner(history.contributor_id, audience))
  const found = await getMany([...countKeys(lists), ...others, ...ids.map(keyOf)])
  const [total, accepted] = [sumOf(lists, found), sumOf(acceptedLists, found)]
  return {
    people: peopleIn(found),
    other: (entity_id) => (entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })),
    stats: {
      total_contributions: total,
      accepted_contributions: accepted,
      acceptance_rate: percent(accepted, total),
    },
  }
}

/** Returns a share in percent, to one decimal. 0 if `whole` is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10)
