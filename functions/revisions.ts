import '../lib/effects/search-documents.ts'
import type { CalendarKey } from '../lib/calendars/keys.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody, type PageRequest, sliceOf } from '../lib/http/page.ts'
import { ByEntity, ById } from '../lib/http/params.ts'
import type { Request } from '../lib/http/request.ts'
import { listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { showingOf } from '../lib/http/showing.ts'
import { kinds } from '../lib/kinds/index.ts'
import { type Actor, mayInspect } from '../lib/permissions.ts'
import { type History, loadHistory, loadHistoryOf } from '../lib/records/history.ts'
import type { Revision } from '../lib/records/items.ts'
import { publicAt } from '../lib/records/past/record.ts'
import { storyPage } from '../lib/records/past/story.ts'
import { CalendarQuery, DatedEntityQuery, DiffQuery, ExplainQuery } from '../lib/records/queries.ts'
import { type Shown, shownOne } from '../lib/records/shown.ts'
import { datingOf } from '../lib/records/views/dates.ts'
import { explained } from '../lib/records/views/explain.ts'
import { diffView, revisionRow, visibleRevisions } from '../lib/records/views/revision.ts'
import { peopleOf } from '../lib/users/people.ts'

/** The history of the record in whose partition something with this id may lie. */
async function historyWith({ id }: { id: string }) {
  const it = await loadHistoryOf(id)
  return it && { ...it, wanted: id }
}

/** What a record has been, how its revisions differ, and why it is what it is. */
export const routes = withTables({
  'GET /data/revisions/': listRoute({
    permission: 'history.list',
    query: DatedEntityQuery,
    handle: async ({ query, actor, page, request }) => {
      const it = await loadHistory(query.entity)
      const seen = it && mayInspect(actor, it) ? await shownOne(actor, it) : undefined
      return revisionList(seen, { actor, page, request, calendar: query.calendar })
    },
  }),

  'GET /data/revisions/{id}/': readRoute({
    permission: 'history.read',
    params: ById,
    subject: historyWith,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, request }) => {
      const it = await shownOne(actor, subject)
      const found = visibleRevisions(it, actor).find(({ revision_id }) => revision_id === it.wanted)
      if (!found) throw notFound()
      const row = revisionRow(it, found, actor, await peopleOf([found.created_by]))
      const of = { kind: it.kind, data: found.data }
      return (await datingOf([of], showingOf(request, query.calendar), actor)).whole(row, of)
    },
  }),

  // By the id of a revision, or of the record itself.
  'GET /data/revisions/{id}/entity_history/': readRoute({
    permission: 'history.read',
    params: ById,
    subject: historyWith,
    query: CalendarQuery,
    handle: async ({ subject, actor, query, page, request }) => {
      const named = visibleRevisions(subject, actor).some((it) => it.revision_id === subject.wanted)
      if (!named && subject.wanted !== subject.entity_id) throw notFound()
      return revisionList(await shownOne(actor, subject), { actor, page, request, calendar: query.calendar })
    },
  }),

  'GET /data/entities/{entity_id}/diff/': readRoute({
    permission: 'history.read',
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: DiffQuery,
    says: ['field_diffs.*.label'],
    handle: async ({ subject, actor, query }) => {
      const it = await shownOne(actor, subject)
      const visible = visibleRevisions(it, actor)
      const [from, to] = [query.from, query.to].map((number) =>
        visible.find(({ revision_number }) => revision_number === number),
      )
      if (!from || !to) throw notFound()
      return diffView(it, from, to, actor, await peopleOf([from.created_by, to.created_by]))
    },
  }),

  'GET /data/entities/{entity_id}/explain/': readRoute({
    permission: 'history.read',
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: ExplainQuery,
    says: ['properties.*.label', 'properties.*.why'],
    handle: async ({ subject, actor, query, request }) => {
      const found = query.at === undefined ? subject : publicAt(subject, query.at, actor)
      if (!found) throw notFound()
      const it = await shownOne(actor, found)
      const dating = await datingOf([it], showingOf(request, query.calendar), actor)
      const property = query.property && propertyOf(it, query.property)
      const people = await peopleOf(it.decisions.map((each) => each.reviewer_id))
      return {
        entity_id: it.entity_id,
        entity_name: it.name,
        kind: it.kind,
        cidoc_id: kinds[it.kind].record ? it.id : null,
        properties: explained(it, actor, people, property).map((each) =>
          dating.one(each, { of: it, member: each.property, words: each.value }),
        ),
      }
    },
  }),

  'GET /data/entities/{entity_id}/history/': readRoute({
    permission: 'history.read',
    says: ['results.*.changes.*.label'],
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    query: CalendarQuery,
    handle: ({ subject, actor, query, page, request }) =>
      storyPage(subject, actor, page, request, showingOf(request, query.calendar)),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

type Asked = { actor: Actor | null; page: PageRequest; request: Request; calendar: CalendarKey | undefined }

async function revisionList(it: Shown<History> | undefined, { actor, page, request, calendar }: Asked) {
  const showing = showingOf(request, calendar)
  const visible = it ? visibleRevisions(it, actor) : []
  const rows = sliceOf(visible, page)
  const people = await peopleOf(rows.map((each) => each.created_by))
  const values = (of: Shown<History>, { data }: Revision) => ({ kind: of.kind, data })
  const dating = await datingOf(it ? rows.map((each) => values(it, each)) : [], showing, actor)
  const results = it ? rows.map((each) => dating.whole(revisionRow(it, each, actor, people), values(it, each))) : []
  return listBody(request, page, { count: visible.length, results })
}

/** A property by any of its names; fails when neither the kind nor a claim knows it. */
function propertyOf(it: History, name: string): string {
  const { fields } = kinds[it.kind]
  const own = Object.entries(fields).find(([field, { aliases }]) => field === name || aliases.includes(name))
  if (own) return own[0]
  if (it.assertions.some((one) => one.asserted_property === name)) return name
  throw invalid({ property: ['This record has no such property.'] })
}
