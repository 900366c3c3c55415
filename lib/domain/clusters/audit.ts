import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { addressOf } from '../../base/ids/address.ts'
import * as s from '../../base/shapes.ts'
import { defineItem, parse, put, type Write, walkTable } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { RecordItem } from '../records/items.ts'

/** What curators do to a cluster as a whole. */
export const auditActions = ['merge', 'split', 'lock', 'unlock', 'lock_override_merge'] as const
export type AuditAction = (typeof auditActions)[number]

const ClusterState = v.object({
  id: v.string(),
  canonical_label: v.string(),
  locked: v.boolean(),
  version: v.number(),
  members: v.array(v.string()),
})
type ClusterState = v.InferOutput<typeof ClusterState>

/** One entry of the log of a cluster. An action on two clusters stands in the log of both. */
const ClusterEvent = v.object({
  id: v.string(),
  cluster_id: v.string(),
  /** The version of the cluster after the action. */
  cluster_version: v.number(),
  action: v.picklist(auditActions),
  actor_id: v.string(),
  reason: v.string(),
  before: v.array(ClusterState),
  after: v.array(ClusterState),
  assertion_ids: v.array(v.string()),
  related_cluster_id: v.nullable(v.string()),
  created_at: v.string(),
  version: v.number(),
})
export type ClusterEvent = v.InferOutput<typeof ClusterEvent>

const clusterEvent = defineItem({
  type: 'cluster_event',
  schema: ClusterEvent,
  key: (it: { cluster_id: string; cluster_version: number }) => key.clusterEvent(it.cluster_id, it.cluster_version),
})

type Done = {
  action: AuditAction
  reason: string
  actor: Pick<Actor, 'id'>
  before: readonly ClusterState[]
  after: readonly ClusterState[]
  assertion_ids?: readonly string[]
  /** The source and the target of a merge. The log of each names the other. */
  merged?: readonly string[]
  id?: string
}

/** The writes that note an action in the log of each cluster that it touches. */
export function auditWrites({
  action,
  reason,
  actor,
  before,
  after,
  assertion_ids = [],
  merged = [],
  id = newId(),
}: Done) {
  const at = now()
  return after.map(({ id: cluster_id, version: cluster_version }): Write => {
    const event: ClusterEvent = {
      id,
      cluster_id,
      cluster_version,
      action,
      actor_id: actor.id,
      reason,
      before: before.map(stateOf),
      after: after.map(stateOf),
      assertion_ids: [...assertion_ids],
      related_cluster_id: merged.find((it) => it !== cluster_id) ?? null,
      created_at: at,
      version: 1,
    }
    return put(clusterEvent, event, undefined)
  })
}

const stateOf = ({ id, canonical_label, locked, version, members }: ClusterState): ClusterState => ({
  id,
  canonical_label,
  locked,
  version,
  members,
})

const MOST_EVENTS = 200

/** Loads the log of a cluster, newest first, at most 200 entries. One call. */
export async function loadAudit(cluster_id: string): Promise<ClusterEvent[]> {
  const { pk } = key.cluster(cluster_id)
  const found = await walkTable({ pk, prefix: 'AUDIT#', forward: false, limit: MOST_EVENTS })
  return found.map((item) => parse(clusterEvent, item))
}

const StateView = s.shape('ClusterState', () =>
  v.object({ id: s.uuid, canonical_label: s.text, locked: v.boolean(), version: s.whole, members: v.array(s.uuid) }),
)
export const ClusterAuditView = s.shape('ClusterAudit', () =>
  v.object({
    results: v.array(
      v.object({
        id: s.uuid,
        action: s.oneOf(auditActions),
        actor_id: s.uuid,
        reason: s.text,
        before_state: v.array(StateView),
        after_state: v.array(StateView),
        affected_cluster_ids: v.array(s.uuid),
        affected_assertion_ids: v.array(s.uuid),
        related_cluster_id: s.maybe(s.uuid),
        created_at: s.time,
      }),
    ),
  }),
)

/** Shows the log of a cluster. Members that the caller may not inspect are left out of every state. */
export function auditView(
  events: readonly ClusterEvent[],
  records: ReadonlyMap<string, RecordItem>,
  actor: Actor | null,
) {
  const isShown = (id: string) => {
    const record = records.get(id)
    return record !== undefined && mayInspect(actor, record)
  }
  const states = (all: ClusterEvent['before']) => all.map((it) => ({ ...it, members: it.members.filter(isShown) }))
  return {
    results: events.map((it) => ({
      id: it.id,
      action: it.action,
      actor_id: it.actor_id,
      reason: it.reason,
      before_state: states(it.before),
      after_state: states(it.after),
      affected_cluster_ids: [...new Set([...it.before, ...it.after].map(({ id }) => id))],
      affected_assertion_ids: it.assertion_ids.filter((id) => isShown(recordOfClaim(id))),
      related_cluster_id: it.related_cluster_id,
      created_at: it.created_at,
    })),
  }
}

/** The review identities that a log names. */
export const recordsInAudit = (events: readonly ClusterEvent[]): string[] => [
  ...new Set(events.flatMap(({ before, after }) => [...before, ...after].flatMap(({ members }) => members))),
]

const recordOfClaim = (id: string) => addressOf(id)?.record ?? ''
