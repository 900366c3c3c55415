import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { listSourceBatches } from '../lib/domain/foundations/batches.ts'
import { SourceBatchView, sourceBatchView } from '../lib/domain/foundations/view.ts'
import * as imports from '../lib/domain/imports/imports.ts'
import { batchView, ImportBatchView } from '../lib/domain/imports/view.ts'
import { loadHistory } from '../lib/domain/records/history.ts'
import type { RecordItem } from '../lib/domain/records/items.ts'
import * as leases from '../lib/domain/records/leases.ts'
import { isWaiting } from '../lib/domain/records/queue-entry.ts'
import { policy } from '../lib/domain/records/rules/triage.ts'
import { showRecords } from '../lib/domain/records/shown.ts'
import { decide } from '../lib/domain/review/decide.ts'
import { ContributionQueueQuery, QueueQuery } from '../lib/domain/review/queries.ts'
import * as queue from '../lib/domain/review/queue.ts'
import type { ForkInfo } from '../lib/domain/review/views/fork-shape.ts'
import { QueueItemView, queueRow } from '../lib/domain/review/views/queue.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { listOf, MessageView, ok } from '../lib/platform/http/answer.ts'

import { choice, members, prose } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ByEntity } from '../lib/platform/http/params.ts'
import { actorRoute, type Routes } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'
import { peopleOf } from '../lib/platform/users/people.ts'
import * as users from '../lib/platform/users/users.ts'

const Moderation = v.pipe(
  members({ action: choice(['accept', 'reject']), comment: prose(5000), feedback: prose(5000) }),
  v.transform(({ action, comment, feedback }) => ({ action, comment: comment || feedback })),
)

const QueueCountsView = s.shape('QueueCounts', () =>
  v.object({
    all: s.whole,
    new_claims: s.whole,
    conflicts: s.whole,
    flagged: s.whole,
    expiring: s.whole,
    total: s.whole,
  }),
)
const ContributionQueueCountsView = s.shape('ContributionQueueCounts', () =>
  v.object({ ...QueueCountsView.entries, forks: s.whole }),
)
const TriagePolicyView = s.shape('TriagePolicy', () =>
  v.object({
    w_age: v.number(),
    w_flags: v.number(),
    w_conflict: v.number(),
    w_source: v.number(),
    s_max_days: s.whole,
    f_max_flags: s.whole,
    tier_rank_json: v.array(s.text),
  }),
)

/** Contributions that wait for review: the reviewers' queue, and the list in which staff moderate. */
export const routes = withTables({
  'GET /data/review-queue/': actorRoute({
    permission: 'queue.read',
    summary: 'List what waits for review, the most urgent first',
    description:
      'A table that was imported is one line in `batches`, until its rows are decided on; these are at `/data/imports/{id}/rows/`. A source in question is one line in `source_batches`: what rests on it, with the plan, is at `/cidoc/data_sources/{id}/dependents/`.',
    answer: listOf(QueueItemView, { batches: v.array(ImportBatchView), source_batches: v.array(SourceBatchView) }),
    translatedPaths: ['results.*.why_here.*'],
    query: QueueQuery,
    pageSize: 10,
    handle: async ({ query: { my_domain, category, ...asked }, actor, page, request }) => {
      const categories = await categoriesOf(category, my_domain, actor)
      const [listed, batches, sourceBatches] = await Promise.all([
        queue.listQueue({ ...asked, categories }, page),
        imports.listBatches(),
        listSourceBatches(actor),
      ])
      const people = await peopleOf(batches.map(({ about }) => about.contributor_id))
      const body = listBody(request, page, { ...listed, results: await rowsOf(listed, actor) })
      return {
        ...body,
        batches: batches.map((it) => batchView(it, people)),
        source_batches: sourceBatches.flatMap(sourceBatchView),
      }
    },
  }),

  'GET /data/review-queue/queue_counts/': actorRoute({
    permission: 'queue.read',
    summary: 'Count what waits',
    answer: ok(QueueCountsView),
    handle: async () => countsView(),
  }),

  'GET /data/review-queue/triage-policy/': actorRoute({
    permission: 'queue.read',
    summary: 'Read how urgency is weighed',
    answer: ok(TriagePolicyView),
    handle: async () => policy,
  }),

  'GET /data/review-queue/{entity_id}/': actorRoute({
    permission: 'queue.read',
    summary: 'Read an item of the queue',
    answer: ok(QueueItemView),
    translatedPaths: ['why_here.*'],
    params: ByEntity,
    handle: async ({ params, actor }) => one(params.entity_id, actor),
  }),

  'POST /data/review-queue/{entity_id}/claim/': actorRoute({
    permission: 'queue.claim',
    summary: 'Take an item for 30 minutes',
    answer: ok(QueueItemView),
    errors: [409],
    translatedPaths: ['why_here.*'],
    params: ByEntity,
    handle: async ({ unit, params: { entity_id }, actor }) => {
      const lease = await leases.claimRecord(unit, entity_id, actor)
      return one(entity_id, actor, lease)
    },
  }),

  'POST /data/review-queue/{entity_id}/release/': actorRoute({
    permission: 'queue.claim',
    summary: 'Give an item back',
    answer: ok(QueueItemView),
    errors: [409],
    translatedPaths: ['why_here.*'],
    params: ByEntity,
    handle: async ({ unit, params: { entity_id }, actor }) => {
      await leases.releaseRecord(unit, entity_id, actor)
      return one(entity_id, actor, null)
    },
  }),

  'GET /data/contribution-queue/': actorRoute({
    permission: 'queue.read',
    summary: 'List what staff moderate',
    answer: listOf(QueueItemView),
    translatedPaths: ['results.*.why_here.*'],
    query: ContributionQueueQuery,
    handle: async ({ query: { queue_tab, category, ...asked }, actor, page, request }) => {
      const categories = await categoriesOf(category, false, actor)
      const list = queue_tab === 'forks' ? ({ type: 'all', forks_only: true } as const) : { type: queue_tab }
      const listed = await queue.listQueue({ ...asked, ...list, categories }, page)
      return listBody(request, page, { ...listed, results: await rowsOf(listed, actor) })
    },
  }),

  'GET /data/contribution-queue/queue-counts/': actorRoute({
    permission: 'queue.read',
    summary: 'Count what staff moderate',
    answer: ok(ContributionQueueCountsView),
    handle: async () => {
      const { all: total, ...counts } = await queue.countQueues()
      return { all: total, ...counts, total }
    },
  }),

  'GET /data/contribution-queue/{entity_id}/': actorRoute({
    permission: 'queue.read',
    summary: 'Read an item that staff moderate',
    answer: ok(QueueItemView),
    translatedPaths: ['why_here.*'],
    params: ByEntity,
    handle: async ({ params, actor }) => one(params.entity_id, actor),
  }),

  'POST /data/contribution-queue/{entity_id}/moderate/': actorRoute({
    permission: 'queue.moderate',
    summary: 'Accept or reject in one step',
    answer: ok(MessageView),
    errors: [409],
    translatedPaths: ['message'],
    params: ByEntity,
    body: Moderation,
    handle: async ({ unit, params, actor, body }) => {
      const it = await loadHistory(params.entity_id)
      if (!it || !isWaiting(it)) throw notFound()
      await decide(unit, it, actor, {
        verdict: body.action,
        conflict_handling: it.open_contradictions > 0 ? 'supersedes' : 'not_applicable',
        confidence_override: null,
        verification_method: null,
        // The dashboard rejects without feedback, and a contributor needs some.
        feedback: body.comment || (body.action === 'reject' ? 'Rejected in moderation.' : ''),
        reconciliation_note: '',
        internal_note: '',
      })
      return { message: body.action === 'accept' ? 'Contribution accepted.' : 'Contribution rejected.' }
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

async function rowsOf({ results, people }: Pick<queue.QueueListing, 'results' | 'people'>, actor: Actor) {
  const records = await showRecords(
    actor,
    results.map(({ record, lease }) => ({ ...record, lease })),
  )
  const forks = await forkInfos(records, actor)
  return results.flatMap(({ at }, i) => {
    const record = records[i]
    const fork = forks.get(record?.entity_id ?? '') ?? null
    return record ? [queueRow({ record, lease: record.lease, at }, actor, people, fork)] : []
  })
}

/** The row of one record, with its current lease or with the given one. */
async function one(entity_id: string, actor: Actor, lease?: leases.Lease | null) {
  const found = await queue.loadQueueRow(entity_id)
  if (!found) throw notFound()
  const it = lease === undefined ? found : { ...found, lease }
  const [row] = await rowsOf({ results: [it], people: found.people }, actor)
  if (!row) throw notFound()
  return row
}

async function countsView() {
  const { forks: _, ...counts } = await queue.countQueues()
  return { ...counts, total: counts.all }
}

/** What rows show of the forks among them. The code of forks is loaded with the first fork. */
async function forkInfos(records: readonly RecordItem[], actor: Actor): Promise<ReadonlyMap<string, ForkInfo>> {
  if (records.every((it) => it.fork === null)) return new Map()
  const { forkInfosOf } = await import('../lib/domain/forks/infos.ts')
  return forkInfosOf(records, actor)
}

/** The categories of a query; undefined means all. A reviewer without areas of expertise has all. */
async function categoriesOf(category: string | undefined, my_domain: boolean, actor: Actor) {
  const areas = my_domain ? ((await users.loadUser(actor.id))?.reviewer_role?.expertise_areas ?? []) : []
  if (areas.length === 0) return category === undefined ? undefined : [category]
  return category === undefined ? [...new Set(areas)] : areas.filter((area) => area === category)
}
