import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { objectOf } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { LINKED, MAPPED } from '../lib/http/media.ts'
import { listAddress, listBody } from '../lib/http/page.ts'
import { ByEntity } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, type ListCall, listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { showingOf } from '../lib/http/showing.ts'
import { type Contribution, kinds, type Mode, schemaOf } from '../lib/kinds/index.ts'
import { membersOfBody, readingMembers } from '../lib/kinds/schema/members.ts'
import { featureOf, featuresOf } from '../lib/linked/geojson.ts'
import { linkedList } from '../lib/linked/list.ts'
import { linkedRecord, linkedRow } from '../lib/linked/record.ts'
import { type Actor, worksOn } from '../lib/permissions.ts'
import { type History, loadHistory } from '../lib/records/history.ts'
import type { RecordItem } from '../lib/records/items.ts'
import * as lists from '../lib/records/lists.ts'
import { CalendarQuery, RecordQuery } from '../lib/records/queries.ts'
import { isPublished } from '../lib/records/rules/status.ts'
import { searchRecords } from '../lib/records/search.ts'
import { namedIn, type Shown, shownAmong, shownOne, shownTo } from '../lib/records/shown.ts'
import { datingOf } from '../lib/records/views/dates.ts'
import { contributionRow, entityDetail, entityRow, revisionView } from '../lib/records/views/entity.ts'
import * as records from '../lib/records/write.ts'
import { needsSearch } from '../lib/search/open.ts'
import { type PeopleById, peopleIn, peopleOf } from '../lib/users/people.ts'
import * as users from '../lib/users/users.ts'

const subject = ({ entity_id }: { entity_id: string }) => loadHistory(entity_id)

/** The page of the list that is asked for with the people that it names, whatever it is then written as. */
async function listed({ query, actor, scope, page, request }: ListCall<typeof DatedQuery>) {
  const { identifier: _, calendar: __, ordering, ...wanted } = query
  const filter = { ...wanted, ...ordering }
  if (!needsSearch(filter)) {
    const found = await lists.list(filter, scope, page, namedIn)
    const results = shownAmong(actor, found.results, found.found)
    return { ...listBody(request, page, { ...found, results }), people: peopleIn(found.found) }
  }
  const found = await searchRecords(filter, actor, scope, page, (hits) =>
    hits.map((it) => users.keyOf(it.contributor_id ?? '')),
  )
  const results = await shownTo(actor, found.results)
  const body = { ...listBody(request, page, { ...found, results }), people: peopleIn(found.found) }
  return 'facets' in found ? { ...body, facets: found.facets } : body
}

/** A list of contributions whose dates are shown in a calendar. */
const DatedQuery = v.object({ ...RecordQuery.entries, ...CalendarQuery.entries })

/** Contributions of every kind by their review identity, and cultural entities, which have no other. */
export const routes = withTables({
  'GET /data/cultural-entities/': listRoute({
    permission: 'record.list',
    query: DatedQuery,
    handle: async (asked) => {
      const { results, people, ...page } = await listed(asked)
      const { request, query, actor } = asked
      const dating = await datingOf(results, showingOf(request, query.calendar), actor)
      return { ...page, results: results.map((it) => dating.whole(listRow(it, asked, people), it)) }
    },
    representations: {
      [LINKED]: async (asked) => {
        const { actor, request } = asked
        const id = `${request.origin}/data/cultural-entities/${listAddress(request).search}`
        const { labelPlural: label } = kinds.entity
        return linkedList(await listed(asked), { id, label }, (it) => linkedRow(it, actor, request.origin))
      },
      [MAPPED]: async (asked) => {
        const { people, ...page } = await listed(asked)
        return featuresOf(page, (it) => featureOf(it, asked.actor, it.entity_id, listRow(it, asked, people)))
      },
    },
  }),

  'POST /data/cultural-entities/': actorRoute({
    permission: 'record.create',
    body: formOf(schemaOf(kinds.entity, 'create')),
    idempotent: '24h',
    handle: ({ actor, body }) =>
      creating(
        () => records.create(kinds.entity, actor, body),
        (made) => shown({ ...made, decisions: [], flags: [], lease: null }, actor),
      ),
  }),

  'GET /data/cultural-entities/my_contributions/': actorRoute({
    permission: 'contribution.list',
    query: DatedQuery,
    handle: async ({ query, actor, page, request }) => {
      const scope = { signedIn: true, everything: false, own: actor.id }
      const filter = { status: query.status, search: query.search, mine: true, ...query.ordering }
      const sought = needsSearch(filter)
      const listed = sought
        ? await searchRecords(filter, actor, scope, page)
        : await lists.list(filter, scope, page, involved)
      const people = sought ? await peopleOf(listed.results.flatMap(involvedIn)) : peopleIn(listed.found)
      const results = await shownTo(actor, listed.results)
      const dating = await datingOf(results, showingOf(request, query.calendar), actor)
      return listBody(request, page, {
        ...listed,
        results: results.map((it) => dating.whole(contributionRow(it, actor, people), it)),
      })
    },
  }),

  'GET /data/cultural-entities/{entity_id}/': readRoute({
    permission: 'record.read',
    params: ByEntity,
    subject,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, request }) => {
      const of = seenBy(subject, actor)
      const dating = await datingOf([of], showingOf(request, query.calendar), actor)
      return dating.whole(await shown(subject, actor), of)
    },
    representations: {
      [LINKED]: async ({ subject, actor, request }) =>
        linkedRecord(await shownOne(actor, subject), actor, request.origin),
      [MAPPED]: async ({ subject, actor }) => {
        const it = await shownOne(actor, subject)
        return featureOf(it, actor, it.entity_id, await detail(it, actor))
      },
    },
  }),

  'PUT /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.update',
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'create'),
    handle: ({ subject, actor, body }) =>
      answering(
        () => records.amend(subject, actor, body, { replace: true }),
        (next) => shown({ ...subject, ...next }, actor),
      ),
  }),

  'PATCH /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.update',
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'change'),
    handle: ({ subject, actor, body }) =>
      answering(
        () => records.amend(subject, actor, body),
        (next) => shown({ ...subject, ...next }, actor),
      ),
  }),

  'DELETE /data/cultural-entities/{entity_id}/': changeRoute({
    permission: 'record.delete',
    params: ByEntity,
    subject,
    handle: async ({ subject }) => {
      await records.remove(subject)
      return noContent()
    },
  }),

  'POST /data/cultural-entities/{entity_id}/restore/': changeRoute({
    permission: 'record.restore',
    params: ByEntity,
    subject,
    handle: ({ subject, actor }) =>
      answering(
        () => records.restore(subject),
        (next) => shown({ ...subject, ...next }, actor),
      ),
  }),

  'POST /data/cultural-entities/{entity_id}/create_revision/': changeRoute({
    permission: 'record.update',
    params: ByEntity,
    subject,
    body: ({ entity_id }) => bodyOf(entity_id, 'change'),
    idempotent: '24h',
    handle: ({ subject, actor, body }) =>
      creating(
        () => records.amend(subject, actor, body, { trigger: 'revise' }),
        async (made) => {
          const next = await shownOne(actor, made)
          return revisionView(next, latestOf(next, actor), await peopleOf([actor.id]))
        },
      ),
  }),

  'POST /data/cultural-entities/{entity_id}/submit_for_review/': changeRoute({
    permission: 'record.update',
    says: ['message'],
    params: ByEntity,
    subject,
    handle: async ({ subject, actor }) => {
      await records.submit(subject, actor)
      return { message: 'Submitted for review.' }
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

const involved = (heads: readonly RecordItem[]) => heads.flatMap(involvedIn).map(users.keyOf)
const involvedIn = (it: RecordItem) => [
  it.contributor_id,
  ...it.recent_activities.flatMap((each) => each.user_id ?? []),
]

/** What is published is listed as it stands, also to those who work on an edit of it, but where they ask for what waits. */
function listRow(it: Shown<RecordItem>, { query, actor }: ListCall<typeof DatedQuery>, people: PeopleById) {
  const { status, mine, all } = query
  const waiting = mine === true || all === true || (status !== undefined && !isPublished(status))
  return entityRow(it, actor, people, { waiting })
}

/** The values that its detail shows: to those who work on a record what waits. */
const seenBy = (it: History, actor: Actor | null) => ({
  kind: it.kind,
  data: worksOn(actor, it) ? (it.proposed ?? it.data) : it.data,
})

const shown = async (it: History, actor: Actor | null) => detail(await shownOne(actor, it), actor)

async function detail(it: Shown<History>, actor: Actor | null) {
  const ids = [
    it.contributor_id,
    ...it.revisions.map((each) => each.created_by),
    ...it.activities.map((each) => each.user_id),
  ]
  return entityDetail(it, actor, await peopleOf(ids))
}

/** The revision that a change has made. */
const latestOf = (it: RecordItem, { id }: Actor) => ({
  revision_id: it.current_revision_id,
  entity_id: it.entity_id,
  revision_number: it.current_revision,
  data: it.proposed ?? it.data,
  created_by: id,
  created_at: it.updated_at,
  version: 1,
})

/** The body of a contribution by the kind that its id tells. */
const bodyOf = (entity_id: string, mode: Mode) => formOf(schemaOf(records.kindOf(entity_id), mode))

/** Forms wrap the values in `form_data` or `data`, beside the members that every contribution has. */
function formOf(schema: v.GenericSchema<unknown, Contribution>): v.GenericSchema<unknown, Contribution> {
  const wrapped = v.optional(v.nullable(objectOf(v.string(), v.unknown(), 'Give an object.')))
  const own = membersOfBody(schema) ?? {}
  return readingMembers(
    v.pipe(
      v.looseObject({ form_data: wrapped, data: wrapped }),
      v.transform(({ form_data, data, ...members }): unknown => ({ ...data, ...form_data, ...members })),
      schema,
    ),
    { ...own, form_data: own, data: own },
  )
}
