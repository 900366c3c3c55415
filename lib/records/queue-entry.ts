import * as v from 'valibot'
import { kinds } from '../kinds/index.ts'
import { cut } from '../matching/cut.ts'
import { namesOf, textOf } from '../names/text.ts'
import { defineItem, replaceDerived, type Write } from '../table/item.ts'
import { type IndexName, key, placed } from '../table/keys.ts'
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
 * What waits for review, as two small items in the record's partition: one in the lists by urgency, one in those by age. They follow the record item: whoever writes it writes them with it, guarded by its version.
 */
export const Waiting = v.object({
  entity_id: v.string(),
  kind: v.string(),
  category: v.string(),
  status: v.picklist(['pending_review', 'pending_revision']),
  contributor_id: v.string(),
  /** Every name, for searches. */
  names: v.string(),
  open_flags: v.number(),
  open_contradictions: v.number(),
  worst_source_rank: v.number(),
  /** The queues that it is in whatever the time; `all` and `expiring` follow from the rest. */
  types: v.array(v.picklist(lastingQueueTypes)),
  age: v.picklist(ages),
  /** The import as a row of which it waits: its reviewers find it there, and in no other queue. */
  batch: v.optional(v.nullable(v.object({ id: v.string(), row: v.number() })), null),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Waiting = v.InferOutput<typeof Waiting>

/** What waits is one of these: all of it is what is in their lists together. */
const standings = ['new_claims', 'pending_review', 'pending_revision'] as const
type Standing = (typeof standings)[number]
/** The lists that are stored, each by age and by creation. What is in conflict is never among the flagged. */
export type ListName = Standing | 'conflicts' | 'flagged'

/** Of which lists, and which ages of them, a queue is made up. What expires is what awaits review and is not fresh. */
export const madeUpOf: Readonly<Record<QueueType, { lists: readonly ListName[]; ages: readonly Age[] }>> = {
  all: { lists: standings, ages },
  new_claims: { lists: ['new_claims'], ages },
  conflicts: { lists: ['conflicts'], ages },
  flagged: { lists: ['flagged'], ages },
  expiring: { lists: ['new_claims', 'pending_review'], ages: ['expiring', 'aged'] },
}

const isMarked = (list: ListName) => list === 'conflicts' || list === 'flagged'

export const lists = {
  /** Most urgent first, of a category or of all. */
  urgent: (list: ListName, age: Age, category?: string): { index: IndexName; pk: string } =>
    category === undefined
      ? { index: isMarked(list) ? 'gsi3' : 'gsi1', pk: `QUEUE#${list}#${age}` }
      : { index: isMarked(list) ? 'gsi4' : 'gsi2', pk: `QUEUE#${list}#IN#${category}#${age}` },
  /** By creation. */
  created: (list: ListName): { index: IndexName; pk: string } => ({
    index: isMarked(list) ? 'gsi3' : 'gsi1',
    pk: `QUEUE#${list}#created`,
  }),
  /** What passes into another age, by the moment when it does. */
  due: 'QUEUE#due',
  /** What waits of an import, in the order of its rows. */
  batch: (id: string) => `BATCH#${id}`,
  size: (type: QueueType, category?: string) => `QUEUE#${type}${category === undefined ? '' : `#IN#${category}`}`,
}

const byUrgency = defineItem({
  type: 'queue_by_urgency',
  schema: Waiting,
  key: (it: { entity_id: string }) => key.queued(it.entity_id, 'URGENCY'),
  indexes: (it) => {
    const sk = it.age === 'aged' ? agedOrder(it) : youngOrder(it)
    const both = (list: ListName) => [lists.urgent(list, it.age), lists.urgent(list, it.age, it.category)]
    return placedIn(listsWith(it).flatMap(both), sk)
  },
})

export const byAge = defineItem({
  type: 'queue_by_age',
  schema: Waiting,
  key: (it: { entity_id: string }) => key.queued(it.entity_id, 'AGE'),
  indexes: (it) => {
    if (it.batch) return { gsi1: { pk: lists.batch(it.batch.id), sk: `${placed(it.batch.row)}#${it.entity_id}` } }
    const due = passesAt(it.age, it.created_at)
    return {
      ...placedIn(listsWith(it).map(lists.created), `${it.created_at}#${it.entity_id}`),
      ...(due && { gsi4: { pk: lists.due, sk: `${due}#${it.entity_id}` } }),
    }
  },
  counted: (it) =>
    it.batch
      ? [lists.batch(it.batch.id)]
      : queuesOf(it).flatMap((type) => [lists.size(type), lists.size(type, it.category)]),
})

/** The lists that an entry is in: one by its standing, and one if it is in conflict or flagged. */
function listsWith({ types, status }: Waiting): ListName[] {
  const marks = types.filter((type) => type !== 'new_claims')
  return [types.includes('new_claims') ? 'new_claims' : status, ...marks]
}

const placedIn = (places: readonly { index: IndexName; pk: string }[], sk: string) =>
  Object.fromEntries(places.map(({ index, pk }) => [index, { pk, sk }]))

/** The writes that move a record in, within and out of the queue as its record item changes; they belong into the same transaction. */
export function queueWrites(old: RecordItem | undefined, next: RecordItem | undefined): Write[] {
  const before = old && waitingOf(old)
  const after = next && waitingOf(next)
  // Who touches a record without changing its place rewrites only the item that tells when it was touched.
  const moved = !before || !after || placeOf(before) !== placeOf(after)
  const [singly, then] = [before?.batch ? undefined : before, after?.batch ? undefined : after]
  const writes = [...replaceDerived(byAge, before, after), ...(moved ? replaceDerived(byUrgency, singly, then) : [])]
  // Whoever lists what waits looks at the record itself.
  return writes.map((it) => ({ ...it, mayLag: true }))
}

/** What search calls the queue: an entry is a document of its own, with the names that are proposed, for reviewers alone. */
export const QUEUED = 'review_queue'

/** By what an entry is filtered and ordered besides time and flags, as one text, and back. */
export const headingOf = ({ category, kind, types, open_contradictions, worst_source_rank }: Waiting): string =>
  [category, kind, types.join('+'), open_contradictions, worst_source_rank].join('|')
export function headingIn(text: string) {
  const [category = '', kind = '', types = '', open_contradictions, worst_source_rank] = text.split('|')
  return {
    ...{ category, kind, types: types.split('+').filter(Boolean) },
    open_contradictions: Number(open_contradictions),
    worst_source_rank: Number(worst_source_rank),
  }
}

/** Whether a record waits for a reviewer. */
export const waits = (it: RecordItem): boolean => it.deleted_at === null && isPending(it.status)

/** A record as the queue knows it; undefined when it does not wait. */
function waitingOf(it: RecordItem): Waiting | undefined {
  if (it.deleted_at !== null || !isPending(it.status)) return undefined
  return {
    entity_id: it.entity_id,
    kind: it.kind,
    category: it.category,
    status: it.status,
    contributor_id: it.contributor_id,
    names: cut(namesForEntry(proposedNames(it)), 300),
    open_flags: it.open_flags,
    open_contradictions: it.open_contradictions,
    worst_source_rank: it.worst_source_rank,
    types: lastingQueueTypes.filter((type) => belongsTo[type](it)),
    age: it.queue_age,
    batch: it.batch?.revision === it.current_revision ? { id: it.batch.id, row: it.batch.row } : null,
    created_at: it.created_at,
    updated_at: it.updated_at,
    version: it.version,
  }
}

const BETWEEN = ' | '
/** The names of an entry, one by one. */
export const namesOfEntry = ({ names }: Waiting): string[] => names.split(BETWEEN)
/** Names as an entry keeps them. */
export const namesForEntry = (names: readonly string[]): string => names.join(BETWEEN)

/** The name under which the queue shows it, and those that wait to be accepted. */
function proposedNames(it: RecordItem): string[] {
  const values = it.proposed ?? it.data
  return [...new Set([it.name, ...namesOf(textOf(values[kinds[it.kind].nameField]), values)])]
}

/** Whether a record in this status waits for review, unless it is deleted. */
export const isPending = (status: RecordItem['status']): status is Waiting['status'] =>
  status === 'pending_review' || status === 'pending_revision'

/** What puts a record that waits into a queue. */
const belongsTo: Readonly<Record<LastingQueueType, (it: RecordItem) => boolean>> = {
  new_claims: (it) => it.status === 'pending_review' && !it.decided,
  conflicts: (it) => it.open_contradictions > 0,
  flagged: (it) => it.open_flags > 0 && it.open_contradictions === 0 && !it.contradicted,
}

const queuesOf = (it: Waiting): QueueType[] => [
  'all',
  ...it.types,
  ...(it.status === 'pending_review' && it.age !== 'fresh' ? (['expiring'] as const) : []),
]

const placeOf = ({ updated_at: _, version: __, ...place }: Waiting) => JSON.stringify(place)
