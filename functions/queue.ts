import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering } from '../lib/http/answering.ts'
import { choice, members, prose } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, pageOf } from '../lib/http/page.ts'
import { ByEntity } from '../lib/http/params.ts'
import { actorRoute, type Routes } from '../lib/http/route.ts'
import * as imports from '../lib/imports/imports.ts'
import { batchLine } from '../lib/imports/view.ts'
import type { Actor } from '../lib/permissions.ts'
import { loadHistory } from '../lib/records/history.ts'
import * as leases from '../lib/records/leases.ts'
import { waits } from '../lib/records/queue-entry.ts'
import { policy, queueTypes } from '../lib/records/rules/triage.ts'
import { shownTo } from '../lib/records/shown.ts'
import { decide } from '../lib/review/decide.ts'
import { ContributionQueueQuery, QueueQuery } from '../lib/review/queries.ts'
import * as queue from '../lib/review/queue.ts'
import { queueRow } from '../lib/review/views/queue.ts'
import { peopleOf } from '../lib/users/people.ts'
import * as users from '../lib/users/users.ts'

const Moderation = v.pipe(
  members({ action: choice(['accept', 'reject']), comment: prose(5000), feedback: prose(5000) }),
  v.transform(({ action, comment, feedback }) => ({ action, comment: comment || feedback })),
)

/** What waits for review: the reviewers' queue, and the contributions among which staff moderate. */
export const routes = withTables({
  'GET /data/review-queue/': actorRoute({
    permission: 'queue.read',
    says: ['results.*.why_here.*'],
    query: QueueQuery,
    handle: async ({ query: { my_domain, category, ...asked }, actor, request }) => {
      const page = pageOf(request, 10)
      const categories = await categoriesOf(category, my_domain, actor)
      const [listed, batches] = await Promise.all([queue.list({ ...asked, categories }, page), imports.batches()])
      const people = await peopleOf(batches.map(({ about }) => about.contributor_id))
      const body = listBody(request, page, { ...listed, results: await rowsOf(listed, actor) })
      return { ...body, batches: batches.map((it) => batchLine(it, people)) }
    },
  }),

  'GET /data/review-queue/queue_counts/': actorRoute({
    permission: 'queue.read',
    handle: async () => countsView(),
  }),

  'GET /data/review-queue/triage-policy/': actorRoute({
    permission: 'queue.read',
    handle: async () => policy,
  }),

  'GET /data/review-queue/{entity_id}/': actorRoute({
    permission: 'queue.read',
    says: ['why_here.*'],
    params: ByEntity,
    handle: async ({ params, actor }) => one(params.entity_id, actor),
  }),

  'POST /data/review-queue/{entity_id}/claim/': actorRoute({
    permission: 'queue.claim',
    says: ['why_here.*'],
    params: ByEntity,
    handle: ({ params: { entity_id }, actor }) =>
      answering(
        () => leases.claim(entity_id, actor),
        (lease) => one(entity_id, actor, lease),
      ),
  }),

  'POST /data/review-queue/{entity_id}/release/': actorRoute({
    permission: 'queue.claim',
    says: ['why_here.*'],
    params: ByEntity,
    handle: ({ params: { entity_id }, actor }) =>
      answering(
        () => leases.release(entity_id, actor),
        () => one(entity_id, actor, null),
      ),
  }),

  'GET /data/contribution-queue/': actorRoute({
    permission: 'queue.read',
    says: ['results.*.why_here.*'],
    query: ContributionQueueQuery,
    handle: async ({ query: { queue_tab, category, ...asked }, actor, page, request }) => {
      // Nothing is forked yet.
      if (queue_tab === 'forks') return listBody(request, page, { count: 0, results: [] })
      const categories = await categoriesOf(category, false, actor)
      const listed = await queue.list({ ...asked, type: queue_tab, categories }, page)
      return listBody(request, page, { ...listed, results: await rowsOf(listed, actor) })
    },
  }),

  'GET /data/contribution-queue/queue-counts/': actorRoute({
    permission: 'queue.read',
    handle: async () => {
      const { total, ...counts } = await countsView()
      return { ...counts, forks: 0, total }
    },
  }),

  'GET /data/contribution-queue/{entity_id}/': actorRoute({
    permission: 'queue.read',
    says: ['why_here.*'],
    params: ByEntity,
    handle: async ({ params, actor }) => one(params.entity_id, actor),
  }),

  'POST /data/contribution-queue/{entity_id}/moderate/': actorRoute({
    permission: 'queue.moderate',
    says: ['message'],
    params: ByEntity,
    body: Moderation,
    handle: async ({ params, actor, body }) => {
      const it = await loadHistory(params.entity_id)
      if (!it || !waits(it)) throw notFound()
      await decide(it, actor, {
        verdict: body.action,
        conflict_handling: it.open_contradictions > 0 ? 'supersedes' : 'not_applicable',
        confidence_override: null,
        verification_method: null,
        // The dashboard rejects without a word, and a contributor is owed one.
        feedback: body.comment || (body.action === 'reject' ? 'Rejected in moderation.' : ''),
        reconciliation_note: '',
        internal_note: '',
      })
      return { message: body.action === 'accept' ? 'Contribution accepted.' : 'Contribution rejected.' }
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

async function rowsOf({ results, people }: Pick<queue.Queued, 'results' | 'people'>, actor: Actor) {
  const records = await shownTo(
    actor,
    results.map(({ record, lease }) => ({ ...record, lease })),
  )
  return results.flatMap(({ at }, i) => {
    const record = records[i]
    return record ? [queueRow({ record, lease: record.lease, at }, actor, people)] : []
  })
}

/** A row as it is, or as it will be with another lease. */
async function one(entity_id: string, actor: Actor, lease?: leases.Lease | null) {
  const found = await queue.load(entity_id)
  if (!found) throw notFound()
  const it = lease === undefined ? found : { ...found, lease }
  const [row] = await rowsOf({ results: [it], people: found.people }, actor)
  return row
}

async function countsView() {
  const counts = await queue.counts()
  return { ...Object.fromEntries(queueTypes.map((type) => [type, counts[type]])), total: counts.all }
}

/** The categories that are asked for; undefined means every one. A reviewer without areas of expertise is at home in all. */
async function categoriesOf(category: string | undefined, my_domain: boolean, actor: Actor) {
  const areas = my_domain ? ((await users.load(actor.id))?.reviewer_role?.expertise_areas ?? []) : []
  if (areas.length === 0) return category === undefined ? undefined : [category]
  return category === undefined ? [...new Set(areas)] : areas.filter((area) => area === category)
}
