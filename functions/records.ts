import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { cellsOf, columnsFor, MOST_ROWS, type TableFormat, tableReply } from '../lib/exports/table.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { members, objectOf } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { CSV, LINKED, MAPPED, XLSX } from '../lib/http/media.ts'
import { listAddress, listBody } from '../lib/http/page.ts'
import { CalendarName } from '../lib/http/params.ts'
import { content, noContent, type Reply } from '../lib/http/reply.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  publicRoute,
  type Routes,
  readRoute,
} from '../lib/http/route.ts'
import { showingOf } from '../lib/http/showing.ts'
import { recordId } from '../lib/ids/address.ts'
import { kindOfScope, noKind, schemaOf } from '../lib/kinds/index.ts'
import { context } from '../lib/linked/context.ts'
import { featureOf, featuresOf } from '../lib/linked/geojson.ts'
import { linkedList } from '../lib/linked/list.ts'
import { linkedRecord, linkedRow } from '../lib/linked/record.ts'
import { type Actor, maySee } from '../lib/permissions.ts'
import { loadHistory } from '../lib/records/history.ts'
import type { Loaded, RecordItem } from '../lib/records/items.ts'
import { relatedTo, withTied } from '../lib/records/links.ts'
import * as lists from '../lib/records/lists.ts'
import { listAt } from '../lib/records/past/list.ts'
import { loadPublicAt } from '../lib/records/past/record.ts'
import { storyPage } from '../lib/records/past/story.ts'
import { Address, CalendarQuery, Collection, DatedQuery, RelatedQuery, ViewQuery } from '../lib/records/queries.ts'
import { understoodOf } from '../lib/records/read-date.ts'
import { searchRecords, searchRows } from '../lib/records/search.ts'
import { type Shown, shownAmong, shownOne, shownTo } from '../lib/records/shown.ts'
import { suggest } from '../lib/records/suggest.ts'
import { datingOf } from '../lib/records/views/dates.ts'
import { detailOf, rowOf } from '../lib/records/views/record.ts'
import { relatedView } from '../lib/records/views/related.ts'
import * as records from '../lib/records/write.ts'
import { needsSearch } from '../lib/search/open.ts'
import type { PageRequest, PageResult } from '../lib/table/pages.ts'

/** A form asks for one field of what is being written; of the rest only the name is looked at. */
const Question = v.pipe(
  members({
    ontology_class: v.string('Not a valid text.'),
    field_key: v.string('Not a valid text.'),
    partial_payload: v.optional(objectOf(v.string(), v.unknown(), 'Give an object.'), {}),
  }),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    const kind = kindOfScope(value.ontology_class)
    if (!kind) {
      addIssue({
        message: noKind(value.ontology_class),
        path: [{ type: 'object', origin: 'value', input: value, key: 'ontology_class', value: undefined }],
      })
      return NEVER
    }
    const name = value.partial_payload[kind.nameField]
    return { kind, field_key: value.field_key, name: typeof name === 'string' ? name : '' }
  }),
)

/** A date as someone types it, and the calendar in which the form means bare numbers. */
const DateTyped = members({
  text: v.pipe(v.string('Not a valid text.'), v.maxLength(200, 'At most 200 characters are read.')),
  calendar: v.optional(CalendarName),
})

const subject = ({ segment, id }: { segment: Parameters<typeof records.load>[0]; id: number }) =>
  records.load(segment, id)

type Asked = ListCall<typeof DatedQuery> & { params: v.InferOutput<typeof Collection> }

/** What a list is narrowed to and ordered by. */
function filterOf({ params: { segment }, query }: Asked) {
  const { identifier, ordering, format: _, columns: __, calendar: ___, at: ____, ...wanted } = query
  return { identifier, filter: { ...wanted, ...ordering, kind: segment.key } }
}

/** The page of a list that is asked for, whatever it is then written as. */
async function listed(asked: Asked) {
  const { params, actor, scope, page, request, query } = asked
  if (query.at !== undefined) return listedAt(query.at, asked)
  const { identifier, filter } = filterOf(asked)
  if (identifier) {
    const found = await lists.identified(params.segment.key, identifier, filter, actor, page)
    return listBody(request, page, { ...found, results: await shownTo(actor, found.results) })
  }
  const isFound = needsSearch(filter)
  const found = isFound ? await searchRows(filter, actor, scope, page) : await lists.rows(filter, scope, page)
  const body = listBody(request, page, { ...found, results: shownAmong(actor, found.results, found.found) })
  return 'facets' in found ? { ...body, facets: found.facets } : body
}

/** A page of what was public at a moment. It goes on as long as today's list does. */
async function listedAt(at: string, asked: Asked) {
  const { params, actor, page, request, query } = asked
  const { calendar: _, at: __, ordering, format, ...narrowed } = query
  const given = Object.entries(narrowed).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  )
  const sorted = ordering.forward || (ordering.sort ?? '-created') !== '-created' ? ['ordering'] : []
  const names = [...given, ...sorted]
  if (names.length > 0)
    throw invalid({ at: [`A list of a past time is not narrowed or sorted: leave out ${names.join(', ')}.`] })
  const { more, ...found } = await listAt({ kind: params.segment, at, actor }, page)
  const results = await shownTo(actor, found.results)
  const body = listBody(request, page, { ...found, results, count: page.offset + results.length + (more ? 1 : 0) })
  return { ...body, count: found.count, previous: null }
}

/** A page of the list with its records whole, for a table that shows any of their members. */
async function listedWhole(asked: Asked, page: PageRequest): Promise<PageResult<Shown<RecordItem>>> {
  const { params, actor, scope } = asked
  const { identifier, filter } = filterOf(asked)
  const listing = identifier
    ? await lists.identified(params.segment.key, identifier, filter, actor, page)
    : needsSearch(filter)
      ? await searchRecords(filter, actor, scope, page)
      : await lists.list(filter, scope, page)
  return { ...listing, results: await shownTo(actor, listing.results) }
}

/** The whole list as a table, whichever page is asked for. */
async function asTable(format: TableFormat, asked: Asked): Promise<Reply> {
  if (asked.query.at !== undefined) throw invalid({ at: ['Tables show the records of today: leave out format or at.'] })
  const kind = asked.params.segment
  const columns = columnsFor(kind, asked.query.columns)
  const rows = [columns]
  for (let page: PageRequest = { limit: 100, offset: 0 }; ; ) {
    const { results, last, count } = await listedWhole(asked, page)
    rows.push(...results.map((it) => cellsOf(kind, columns, it, asked.actor)))
    const offset = page.offset + results.length
    if (results.length === 0 || offset >= Math.min(count, MOST_ROWS)) break
    page = { limit: 100, offset, from: last === undefined ? undefined : { side: 'after', at: last } }
  }
  return tableReply(format, kind.segment, rows)
}

/** Records of every kind with integer ids. */
export const routes = withTables({
  'GET /cidoc/{segment}/': listRoute({
    permission: 'record.list',
    params: Collection,
    query: DatedQuery,
    remembers: true,
    handle: async (asked) => {
      const { results, ...page } = await listed(asked)
      const { actor, query, request } = asked
      const dating = await datingOf(results, showingOf(request, query.calendar), actor)
      return { ...page, results: results.map((it) => dating.whole(rowOf(it, actor), it)) }
    },
    representations: {
      [LINKED]: async (asked) => {
        const { params, actor, request } = asked
        const { segment, labelPlural: label } = params.segment
        const id = `${request.origin}/cidoc/${segment}/${listAddress(request).search}`
        return linkedList(await listed(asked), { id, label }, (it) => linkedRow(it, actor, request.origin))
      },
      [MAPPED]: async (asked) =>
        featuresOf(await listed(asked), (it) => featureOf(it, asked.actor, it.id, rowOf(it, asked.actor))),
      [CSV]: (asked) => asTable('csv', asked),
      [XLSX]: (asked) => asTable('xlsx', asked),
    },
  }),

  'GET /cidoc/context.jsonld/': publicRoute({
    permission: 'document.read',
    cache: { control: 'public, max-age=300' },
    handle: async () => content(JSON.stringify({ '@context': context }), LINKED),
  }),

  'GET /cidoc/related/': listRoute({
    permission: 'related.list',
    says: ['groups.*.display_type', 'groups.*.results.*.display_type'],
    query: RelatedQuery,
    handle: async ({ query, actor, request }) => {
      const { domain, id, group, page, page_size, calendar } = query
      const kind = kindOfScope(domain)
      const about = kind && (await records.load(kind, Number(id)))
      if (!about || !maySee(actor, about)) throw notFound()
      const groups = await relatedTo(about.entity_id, kindOfScope(group ?? '')?.key, page, page_size, actor)
      const heads = groups.flatMap((each) => each.heads)
      const dating = await datingOf(heads, showingOf(request, calendar), actor)
      return relatedView({ domain, id, group, page, page_size }, groups, dating)
    },
  }),

  'POST /cidoc/assist/suggest-field/': actorRoute({
    permission: 'assist.ask',
    body: Question,
    handle: async ({ actor, body: { kind, field_key, name } }) => suggest(kind, field_key, name, actor),
  }),

  'POST /cidoc/assist/read-date/': actorRoute({
    permission: 'assist.ask',
    says: ['message'],
    body: DateTyped,
    handle: async ({ actor, body: { text, calendar }, request: { language } }) =>
      understoodOf({ words: text, calendar, language }, actor),
  }),

  'POST /cidoc/{segment}/': actorRoute({
    permission: 'record.create',
    params: Collection,
    body: ({ segment }) => schemaOf(segment, 'create'),
    idempotent: '24h',
    handle: ({ params, actor, body }) =>
      creating(
        () => records.create(params.segment, actor, body),
        (made) => shown(made, actor),
      ),
  }),

  'GET /cidoc/{segment}/{id}/': readRoute({
    permission: 'record.read',
    params: Address,
    subject,
    query: ViewQuery,
    handle: async ({ subject, actor, query, request }) => {
      const it = await asOf(query.at, subject, actor)
      const dating = await datingOf([it], showingOf(request, query.calendar), actor)
      return dating.whole(await shown(await withTied(it, actor), actor), it)
    },
    representations: {
      [LINKED]: async ({ subject, actor, query, request }) =>
        linkedRecord(await shownOne(actor, await asOf(query.at, subject, actor)), actor, request.origin),
      [MAPPED]: async ({ subject, actor, query }) => {
        const it = await shownOne(actor, await withTied(await asOf(query.at, subject, actor), actor))
        return featureOf(it, actor, it.id, detailOf(it, actor))
      },
    },
  }),

  'GET /cidoc/{segment}/{id}/history/': readRoute({
    permission: 'history.read',
    says: ['results.*.changes.*.label'],
    params: Address,
    subject: ({ segment, id }) => loadHistory(recordId(segment.code, id)),
    query: CalendarQuery,
    handle: ({ subject, actor, query, page, request }) =>
      storyPage(subject, actor, page, request, showingOf(request, query.calendar)),
  }),

  'PUT /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    params: Address,
    subject,
    body: ({ segment }) => schemaOf(segment, 'create'),
    handle: ({ subject, actor, body }) =>
      answering(
        () => records.amend(subject, actor, body, { replace: true }),
        (next) => shown(records.asProposed(next), actor),
      ),
  }),

  'PATCH /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    params: Address,
    subject,
    body: ({ segment }) => schemaOf(segment, 'change'),
    handle: ({ subject, actor, body }) =>
      answering(
        () => records.amend(subject, actor, body),
        (next) => shown(records.asProposed(next), actor),
      ),
  }),

  'DELETE /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.delete',
    params: Address,
    subject,
    handle: async ({ subject }) => {
      await records.remove(subject)
      return noContent()
    },
  }),

  'POST /cidoc/{segment}/{id}/restore/': changeRoute({
    permission: 'record.restore',
    params: Address,
    subject,
    handle: ({ subject, actor }) =>
      answering(
        () => records.restore(subject),
        (next) => shown(next, actor),
      ),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

/** The record as it is, or as it was public at a moment. */
async function asOf(at: string | undefined, it: Loaded, actor: Actor | null): Promise<Loaded> {
  if (at === undefined) return it
  const then = await loadPublicAt(it.entity_id, at, actor)
  if (!then) throw notFound()
  return then
}

const shown = async (it: Loaded, actor: Actor | null) => detailOf(await shownOne(actor, it), actor)
