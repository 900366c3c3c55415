import * as v from 'valibot'
import { omit } from '../../base/omit.ts'
import { cut } from '../../engines/matching/index.ts'
import { defineItem, type IndexName, padPlace, replaceDerived, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { kinds } from '../kinds/index.ts'
import { namesOf, textOf } from '../names/text.ts'
import type { RecordItem } from './items.ts'
import {
  type Age,
  agedOrder,
  ages,
  type LastingQueueType,
  lastingQueueTypes,
  passesAt,
  type QueueType,
  youngOrder,
} from './rules/triage.ts'

/**
 * The queue entry of a record that waits for review. It is two small items in the record's partition: one for the lists by urgency, one for
 * the lists by age. Batch rows have only the second. The write of the record changes both where needed, so the record's version guards
 * them.
 */
export const QueueEntry = v.object({
  entity_id: v.string(),
  kind: v.string(),
  category: v.string(),
  status: v.picklist(['pending_review', 'pending_revision']),
  contributor_id: v.string(),
  /** The standing main name and the names of the latest values, in one text. Search reads them. */
  names: v.string(),
  open_flags: v.number(),
  open_contradictions: v.number(),
  worst_source_rank: v.number(),
  /** The queues that do not depend on the time. `all` and `expiring` follow from the other members. */
  types: v.array(v.picklist(lastingQueueTypes)),
  age: v.picklist(ages),
  /** The import and row, while it waits as part of a batch. Then it is in the list of the batch and in no queue. */
  batch: v.optional(v.nullable(v.object({ id: v.string(), row: v.number() })), null),
  /** Whether the record is a fork. Then it is in the list of forks, too. */
  fork: v.optional(v.boolean(), false),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type QueueEntry = v.InferOutput<typeof QueueEntry>

/** Each waiting record that is in no batch is in exactly one of these lists. Together they are the queue `all`. */
const standings = ['new_claims', 'pending_review', 'pending_revision'] as const
type Standing = (typeof standings)[number]
/** The stored lists, each by urgency and by creation. A record is never in both `conflicts` and `flagged`. */
export type ListName = Standing | 'conflicts' | 'flagged'

/** The stored lists and ages that make up each queue. `expiring` holds records that wait for a reviewer for 14 days or more. */
export const queueParts: Readonly<Record<QueueType, { lists: readonly ListName[]; ages: readonly Age[] }>> = {
  all: { lists: standings, ages },
  new_claims: { lists: ['new_claims'], ages },
  conflicts: { lists: ['conflicts'], ages },
  flagged: { lists: ['flagged'], ages },
  expiring: { lists: ['new_claims', 'pending_review'], ages: ['expiring', 'aged'] },
}

const isMarked = (list: ListName) => list === 'conflicts' || list === 'flagged'

export const queueLists = {
  /** The entries of one list and one age, most urgent first: of one category, or of all. */
  urgent: (list: ListName, age: Age, category?: string): { index: IndexName; pk: string } =>
    category === undefined
      ? { index: isMarked(list) ? 'gsi3' : 'gsi1', pk: `QUEUE#${list}#${age}` }
      : { index: isMarked(list) ? 'gsi4' : 'gsi2', pk: `QUEUE#${list}#IN#${category}#${age}` },
  created: (list: ListName): { index: IndexName; pk: string } => ({
    index: isMarked(list) ? 'gsi3' : 'gsi1',
    pk: `QUEUE#${list}#created`,
  }),
  /** The waiting forks, by creation. They are in the other lists, too. */
  forks: { index: 'gsi2', pk: 'QUEUE#forks#created' } as const,
  /** The entries that will change their age class, ordered by that moment. */
  due: 'QUEUE#due',
  /** The waiting records of one import, ordered by row. */
  batch: (id: string) => `BATCH#${id}`,
  size: (type: QueueType | 'forks', category?: string) =>
    `QUEUE#${type}${category === undefined ? '' : `#IN#${category}`}`,
}

const queueByUrgency = defineItem({
  type: 'queue_by_urgency',
  schema: QueueEntry,
  key: (it: { entity_id: string }) => key.queued(it.entity_id, 'URGENCY'),
  indexes: (it) => {
    const sk = it.age === 'aged' ? agedOrder(it) : youngOrder(it)
    const partitions = listsWith(it).flatMap((list) => [
      queueLists.urgent(list, it.age),
      queueLists.urgent(list, it.age, it.category),
    ])
    return indexEntries(partitions, sk)
  },
})

export const queueByAge = defineItem({
  type: 'queue_by_age',
  schema: QueueEntry,
  key: (it: { entity_id: string }) => key.queued(it.entity_id, 'AGE'),
  indexes: (it) => {
    if (it.batch)
      return { gsi1: { pk: queueLists.batch(it.batch.id), sk: `${padPlace(it.batch.row)}#${it.entity_id}` } }
    const due = passesAt(it.age, it.created_at)
    return {
      ...indexEntries(listsWith(it).map(queueLists.created), `${it.created_at}#${it.entity_id}`),
      ...(it.fork && indexEntries([queueLists.forks], `${it.created_at}#${it.entity_id}`)),
      ...(due && { gsi4: { pk: queueLists.due, sk: `${due}#${it.entity_id}` } }),
    }
  },
  counted: (it) =>
    it.batch
      ? [queueLists.batch(it.batch.id)]
      : queuesOf(it).flatMap((type) => [queueLists.size(type), queueLists.size(type, it.category)]),
})

/** Returns the lists of an entry: one standing list, and `conflicts` or `flagged` if it belongs there. */
function listsWith({ types, status }: QueueEntry): ListName[] {
  const marks = types.filter((type) => type !== 'new_claims')
  return [types.includes('new_claims') ? 'new_claims' : status, ...marks]
}

const indexEntries = (partitions: readonly { index: IndexName; pk: string }[], sk: string) =>
  Object.fromEntries(partitions.map(({ index, pk }) => [index, { pk, sk }]))

/** Moves a record into, within or out of the queue. Commit these writes in the transaction that writes the record. */
export function queueWrites(old: RecordItem | undefined, next: RecordItem | undefined): Write[] {
  const before = old && queueEntryOf(old)
  const after = next && queueEntryOf(next)
  // The order by urgency depends on neither `updated_at` nor `version`.
  const moved = !before || !after || placeText(before) !== placeText(after)
  // Entries of a batch have no place by urgency.
  const [urgentBefore, urgentAfter] = [before?.batch ? undefined : before, after?.batch ? undefined : after]
  const writes = [
    ...replaceDerived(queueByAge, before, after),
    ...(moved ? replaceDerived(queueByUrgency, urgentBefore, urgentAfter) : []),
  ]
  // Reads of the queue check the record itself, so after a two-phase commit an entry may vanish some seconds late.
  return writes.map((write) => ({ ...write, mayLag: true }))
}

/** The name of the queue in search. An entry is a document of its own with the proposed names. Only reviewers find it. */
export const QUEUE_RESOURCE = 'review_queue'

/** The members of an entry that its search document carries as `payload`. */
export const payloadOfEntry = (entry: QueueEntry) => ({
  kind: entry.kind,
  category: entry.category,
  types: entry.types,
  open_flags: entry.open_flags,
  open_contradictions: entry.open_contradictions,
  worst_source_rank: entry.worst_source_rank,
  fork: entry.fork,
})

/** Whether the record waits for a reviewer or for its contributor. */
export const isWaiting = ({ deleted_at, status }: RecordItem): boolean => deleted_at === null && isPending(status)

/** The import and row that made the current revision. Null once somebody has edited the record by hand. */
export const batchRowOf = ({ batch, current_revision }: RecordItem): QueueEntry['batch'] =>
  batch?.revision === current_revision ? { id: batch.id, row: batch.row } : null

/** Builds the queue entry of a record. Undefined if the record does not wait. */
function queueEntryOf(record: RecordItem): QueueEntry | undefined {
  // prove: queue-left
  if (record.deleted_at !== null || !isPending(record.status)) return undefined
  return {
    entity_id: record.entity_id,
    kind: record.kind,
    category: record.category,
    status: record.status,
    contributor_id: record.contributor_id,
    names: cut(namesForEntry(proposedNames(record)), 300),
    open_flags: record.open_flags,
    open_contradictions: record.open_contradictions,
    worst_source_rank: record.worst_source_rank,
    types: lastingQueueTypes.filter((type) => belongsTo[type](record)),
    age: record.queue_age,
    batch: batchRowOf(record),
    fork: record.fork !== null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    version: record.version,
  }
}

const NAME_SEPARATOR = ' | '
/** Returns the names of an entry, each by itself. */
export const namesOfEntry = ({ names }: QueueEntry): string[] => names.split(NAME_SEPARATOR)
/** Joins names as the one text of an entry. Example: `Nyatapola | न्यातपोल`. */
export const namesForEntry = (names: readonly string[]): string => names.join(NAME_SEPARATOR)

/** Lists the standing main name and the names of a waiting edit: reviewers find the record by both. */
function proposedNames({ kind, name, data, proposed }: RecordItem): string[] {
  const values = proposed ?? data
  return [...new Set([name, ...namesOf(textOf(values[kinds[kind].nameField]), values)])]
}

/** Whether a record of this status waits. Check `deleted_at` first: a deleted record keeps its status and does not wait. */
export const isPending = (status: RecordItem['status']): status is QueueEntry['status'] =>
  status === 'pending_review' || status === 'pending_revision'

/** Whether a record belongs to each queue. One that has, or ever had, a contradiction is not in `flagged`. */
const belongsTo: Readonly<Record<LastingQueueType, (it: RecordItem) => boolean>> = {
  new_claims: (it) => it.status === 'pending_review' && !it.decided,
  conflicts: (it) => it.open_contradictions > 0,
  flagged: (it) => it.open_flags > 0 && it.open_contradictions === 0 && !it.contradicted,
}

const queuesOf = ({ types, status, age, fork }: QueueEntry): (QueueType | 'forks')[] => [
  'all',
  ...types,
  ...(status === 'pending_review' && age !== 'fresh' ? (['expiring'] as const) : []),
  ...(fork ? (['forks'] as const) : []),
]

/** The members of an entry on which its places in the lists depend, as one text. */
const placeText = (entry: QueueEntry) => JSON.stringify(omit(entry, 'updated_at', 'version'))
