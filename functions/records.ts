import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/base/errors.ts'
import { recordId } from '../lib/base/ids/address.ts'
import * as s from '../lib/base/shapes.ts'
import { kindOfScope, schemaOf, unknownKindMessage } from '../lib/domain/kinds/index.ts'
import { loadHistory } from '../lib/domain/records/history.ts'
import { resourcePath } from '../lib/domain/records/iri.ts'
import type { LoadedRecord, RecordItem } from '../lib/domain/records/items.ts'
import { listRelated, withTiedCards } from '../lib/domain/records/links.ts'
import * as lists from '../lib/domain/records/lists.ts'
import { loadRecord } from '../lib/domain/records/load.ts'
import { loadPastRecord } from '../lib/domain/records/past/record.ts'
import { ABOUT_HISTORY, StoryEntryView, storyPage } from '../lib/domain/records/past/story.ts'
import {
  CalendarQuery,
  CollectionAddress,
  DatedQuery,
  RecordAddress,
  RelatedQuery,
  ViewQuery,
} from '../lib/domain/records/queries.ts'
import { ReadDateView, understandDate } from '../lib/domain/records/read-date.ts'
import { FacetsView, findShownRows, searchRecords } from '../lib/domain/records/search.ts'
import { showRecord, showRecords, type Visible } from '../lib/domain/records/shown.ts'
import { SuggestedValueView, suggestValue } from '../lib/domain/records/suggest.ts'
import { loadDateDisplay } from '../lib/domain/records/views/dates.ts'
import { recordDetail, recordRow } from '../lib/domain/records/views/record.ts'
import { recordShape, rowShape } from '../lib/domain/records/views/record-shape.ts'
import { RelatedView, relatedView } from '../lib/domain/records/views/related.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import type { TableFormat } from '../lib/doors/exports/table.ts'
import { featureOf, featuresOf } from '../lib/doors/linked/geojson.ts'
import {
  featureShape,
  featuresShape,
  LinkedContextView,
  LinkedDataView,
  LinkedListView,
} from '../lib/doors/linked/shapes.ts'
import { linkValue } from '../lib/doors/pages/address.ts'
import { needsSearch } from '../lib/engines/search/index.ts'
import type { PageRequest, PageResult } from '../lib/engines/table/index.ts'
import {
  ABOUT_LINKED_OR_MAPPED,
  creation,
  empty,
  listOf,
  listOfKind,
  ok,
  withTypes,
} from '../lib/platform/http/answer.ts'

import { members, objectOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { CSV, GEO_JSON, JSON_LD, XLSX } from '../lib/platform/http/media.ts'
import { httpDate } from '../lib/platform/http/moment.ts'
import { listAddress, listBody } from '../lib/platform/http/page.ts'
import { CalendarName } from '../lib/platform/http/params.ts'
import { jsonText, replyContent, replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  publicRoute,
  type Routes,
  readRoute,
} from '../lib/platform/http/route.ts'
import { dateStyleOf } from '../lib/platform/http/shown-dates.ts'
import { type Actor, maySee } from '../lib/platform/permissions.ts'
import { features } from './records/features.ts'
import { resources } from './records/resource.ts'

/** The body of a form's question about one field. Of `partial_payload` only the name of the record is used. */
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
        message: unknownKindMessage(value.ontology_class),
        path: [{ type: 'object', origin: 'value', input: value, key: 'ontology_class', value: undefined }],
      })
      return NEVER
    }
    const name = value.partial_payload[kind.nameField]
    return { kind, field_key: value.field_key, name: typeof name === 'string' ? name : '' }
  }),
)

/** A date as it was typed. `calendar` is the calendar of a date in numbers, which names no month. */
const DateTyped = members({
  text: v.pipe(v.string('Not a valid text.'), v.maxLength(200, 'At most 200 characters are read.')),
  calendar: v.optional(CalendarName),
})

const subject = ({ segment, id }: { segment: Parameters<typeof loadRecord>[0]; id: number }) => loadRecord(segment, id)

type Asked = ListCall<typeof DatedQuery> & { params: v.InferOutput<typeof CollectionAddress> }

/** The filter and the order of a list. */
function filterOf({ params: { segment }, query }: Asked) {
  const { identifier, ordering, format: _, columns: __, evidence: ___, calendar: ____, at: _____, ...wanted } = query
  return { identifier, filter: { ...wanted, ...ordering, kind: segment.key } }
}

/** Loads one page of records. Each media type of the list shows it. */
async function listRecordPage(asked: Asked) {
  const { params, actor, scope, page, request, query } = asked
  if (query.at !== undefined) return listedAt(query.at, asked)
  const { identifier, filter } = filterOf(asked)
  if (identifier) {
    const found = await lists.listByIdentifier(params.segment.key, identifier, filter, actor, page)
    return listBody(request, page, { ...found, results: await showRecords(actor, found.results) })
  }
  const found = await findShownRows(filter, actor, scope, page)
  const body = listBody(request, page, found)
  return 'facets' in found ? { ...body, facets: found.facets } : body
}

/** Loads one page of the records that were public at a moment. `count` is the size of today's list. */
async function listedAt(at: string, asked: Asked) {
  const { params, actor, page, request, query } = asked
  const { calendar: _, at: __, ordering, format, evidence: ___, ...narrowed } = query
  const given = Object.entries(narrowed).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  )
  const sorted = ordering.forward || (ordering.sort ?? '-created') !== '-created' ? ['ordering'] : []
  const names = [...given, ...sorted]
  if (names.length > 0)
    throw invalid({ at: [`A list of a past time is not narrowed or sorted: leave out ${names.join(', ')}.`] })
  const { listPastRows } = await import('../lib/domain/records/past/list.ts')
  const { more, ...found } = await listPastRows({ kind: params.segment, at, actor }, page)
  const results = await showRecords(actor, found.results)
  const body = listBody(request, page, { ...found, results, count: page.offset + results.length + (more ? 1 : 0) })
  return { ...body, count: found.count, previous: null }
}

/** Loads one page of whole records, for a table that may show any of their members. */
async function listedWhole(asked: Asked, page: PageRequest): Promise<PageResult<Visible<RecordItem>>> {
  const { params, actor, scope } = asked
  const { identifier, filter } = filterOf(asked)
  const listing = identifier
    ? await lists.listByIdentifier(params.segment.key, identifier, filter, actor, page)
    : needsSearch(filter)
      ? await searchRecords(filter, actor, scope, page)
      : await lists.listRecords(filter, scope, page)
  return { ...listing, results: await showRecords(actor, listing.results) }
}

/** Makes a table of the whole list. The page of the query is ignored. */
async function asTable(format: TableFormat, asked: Asked) {
  if (asked.query.at !== undefined) throw invalid({ at: ['Tables show the records of today: leave out format or at.'] })
  const tables = await import('../lib/doors/exports/table.ts')
  const { actor, query } = asked
  const kind = asked.params.segment
  const columns = tables.columnsFor(kind, query.columns, query.evidence)
  const withEvidence = tables.hasEvidence(columns)
  if (withEvidence && !actor) throw invalid({ evidence: ['Sign in to get a table with sources and confidences.'] })
  const most = withEvidence ? tables.MOST_EVIDENCE_ROWS : tables.MOST_ROWS
  const rows = [columns]
  for (let page: PageRequest = { limit: 100, offset: 0 }; ; ) {
    const { results, last, count } = await listedWhole(asked, page)
    const ids = withEvidence ? results.map(({ entity_id }) => entity_id) : []
    const known = actor ? await tables.loadEvidence(ids, actor) : undefined
    rows.push(...results.map((it) => tables.cellsOf(kind, columns, it, actor, known?.get(it.entity_id))))
    const offset = page.offset + results.length
    if (results.length === 0 || offset >= Math.min(count, most + 1)) break
    page = { limit: 100, offset, from: last === undefined ? undefined : { side: 'after', at: last } }
  }
  return tables.tableReply(format, kind.segment, rows, most)
}

/** Loaded with the first change, since reads do not need this code. */
const importChanges = () => import('../lib/domain/records/write.ts')

/** Loaded with the first question of the past. */
const importMemento = () => import('../lib/doors/pages/memento.ts')

/** Loaded with the first request for linked data. */
const importLinked = () => import('../lib/doors/linked/record.ts')

/** Records of the kinds with integer ids. */
export const routes = withTables({
  'GET /cidoc/{segment}/': listRoute({
    permission: 'record.list',
    summary: 'List: {many}',
    description: `With \`search\`, the best fit comes first. ${ABOUT_LINKED_OR_MAPPED} With \`text/csv\` or as XLSX the whole list, up to 20,000 rows, as a table that may be corrected and sent to \`/data/imports/\`; 303 leads to one that is large. With \`evidence\` also the source of each value and how sure it is, up to 2,000 rows.`,
    answerHeaders: ['Content-Disposition', 'Link', 'Memento-Datetime'],
    answer: {
      ...withTypes(listOfKind(rowShape, { facets: v.optional(FacetsView) }), {
        [JSON_LD]: LinkedListView,
        [GEO_JSON]: (kind) => featuresShape(s.whole, rowShape(kind)),
      }),
      302: null,
    },
    isTimeGate: true,
    params: CollectionAddress,
    query: DatedQuery,
    usesReadCache: true,
    handle: async (asked) => {
      const { results, ...page } = await listRecordPage(asked)
      const { actor, query, request } = asked
      const dating = await loadDateDisplay(results, dateStyleOf(request, query.calendar), actor)
      return { ...page, results: results.map((it) => dating.addDates(recordRow(it, actor), it)) }
    },
    representations: {
      [JSON_LD]: async (asked) => {
        const { params, actor, request } = asked
        const { segment, labelPlural: label } = params.segment
        const [{ linkedList }, { linkedRow }] = await Promise.all([
          import('../lib/doors/linked/list.ts'),
          importLinked(),
        ])
        const id = `${request.origin}/cidoc/${segment}/${listAddress(request).search}`
        return linkedList(await listRecordPage(asked), { id, label }, (it) => linkedRow(it, actor, request.origin))
      },
      [GEO_JSON]: async (asked) =>
        featuresOf(await listRecordPage(asked), (it) => featureOf(it, asked.actor, it.id, recordRow(it, asked.actor))),
      [CSV]: (asked) => asTable('csv', asked),
      [XLSX]: (asked) => asTable('xlsx', asked),
    },
  }),

  'GET /cidoc/context.jsonld/': publicRoute({
    permission: 'document.read',
    summary: 'What the names in linked data mean',
    description: 'The JSON-LD context, which every answer in `application/ld+json` carries as well.',
    answer: { 200: { also: { [JSON_LD]: v.object({ '@context': LinkedContextView }) } } },
    cache: { control: 'public, max-age=300' },
    handle: async () => {
      const { context } = await import('../lib/doors/linked/context.ts')
      return replyContent(jsonText({ '@context': context }), JSON_LD)
    },
  }),

  'GET /cidoc/related/': listRoute({
    permission: 'related.list',
    summary: 'List the records that are linked with one, by kind',
    answer: ok(RelatedView),
    errors: [404],
    translatedPaths: ['groups.*.display_type', 'groups.*.results.*.display_type'],
    query: RelatedQuery,
    handle: async ({ query, actor, request }) => {
      const { domain, id, group, page, page_size, calendar } = query
      const kind = kindOfScope(domain)
      const about = kind && (await loadRecord(kind, id))
      if (!about || !maySee(actor, about)) throw notFound()
      const groups = await listRelated(about.entity_id, kindOfScope(group ?? '')?.key, page, page_size, actor)
      const heads = groups.flatMap((each) => each.heads)
      const dating = await loadDateDisplay(heads, dateStyleOf(request, calendar), actor)
      return relatedView({ domain, id: String(id), group, page, page_size }, groups, dating)
    },
  }),

  'POST /cidoc/assist/suggest-field/': actorRoute({
    permission: 'assist.ask',
    summary: 'Suggest a value for a field of a form',
    description: 'What records that look like the one being written say there; "" when none does.',
    answer: ok(SuggestedValueView),
    body: Question,
    handle: async ({ actor, body: { kind, field_key, name } }) => suggestValue(kind, field_key, name, actor),
  }),

  'POST /cidoc/assist/read-date/': actorRoute({
    permission: 'assist.ask',
    summary: 'Say what is understood of a date as it is typed',
    description:
      'With its bounds in every calendar. Words that are no date may name a period of history; then its bounds are meant. A date that no calendar has is told with the reason, and still taken by forms.',
    answer: ok(ReadDateView),
    translatedPaths: ['message'],
    body: DateTyped,
    handle: async ({ actor, body: { text, calendar }, request: { language } }) =>
      understandDate({ words: text, calendar, language }, actor),
  }),

  'POST /cidoc/{segment}/': actorRoute({
    permission: 'record.create',
    summary: 'Contribute: {one}',
    description:
      'It waits for review. Every value becomes a claim with the source that `assertion` names. Relations take an id, a list of ids, {id, name} or text, which is matched by name or queued as a new record.',
    answer: creation(recordShape),
    params: CollectionAddress,
    body: ({ segment }) => schemaOf(segment, 'create'),
    idempotent: '24h',
    handle: async ({ unit, params, actor, body }) => {
      const made = await (await importChanges()).createRecord(unit, params.segment, actor, body)
      return replyCreated(await viewRecord(made, actor))
    },
  }),

  'GET /cidoc/{segment}/{id}/': readRoute({
    permission: 'record.read',
    summary: 'Read: {one}',
    description: ABOUT_LINKED_OR_MAPPED,
    answerHeaders: ['Link', 'Memento-Datetime'],
    answer: {
      ...withTypes(ok(recordShape), {
        [JSON_LD]: LinkedDataView,
        [GEO_JSON]: (kind) => featureShape(s.whole, recordShape(kind)),
      }),
      302: null,
    },
    isTimeGate: async ({ subject: it, actor, request: { origin } }, wanted) =>
      (await importMemento()).pastStateOf(it, wanted, { actor, origin }),
    params: RecordAddress,
    subject,
    query: ViewQuery,
    handle: async ({ subject, actor, query, request }) => {
      const it = await asOf(query.at, subject, actor, request)
      const dating = await loadDateDisplay([it], dateStyleOf(request, query.calendar), actor)
      return dating.addDates(await viewRecord(await withTiedCards(it, actor), actor), it)
    },
    representations: {
      [JSON_LD]: async ({ subject, actor, query, request }) => {
        const { linkedRecord } = await importLinked()
        return linkedRecord(
          await showRecord(actor, await asOf(query.at, subject, actor, request)),
          actor,
          request.origin,
        )
      },
      [GEO_JSON]: async ({ subject, actor, query, request }) => {
        const it = await showRecord(actor, await withTiedCards(await asOf(query.at, subject, actor, request), actor))
        return featureOf(it, actor, it.id, recordDetail(it, actor))
      },
    },
  }),

  'GET /cidoc/{segment}/{id}/history/': readRoute({
    permission: 'history.read',
    summary: 'Tell what has changed: {one}',
    description: ABOUT_HISTORY,
    answer: listOf(StoryEntryView),
    translatedPaths: ['results.*.changes.*.label'],
    params: RecordAddress,
    subject: ({ segment, id }) => loadHistory(recordId(segment.code, id)),
    query: CalendarQuery,
    handle: ({ subject, actor, query, page, request }) =>
      storyPage(subject, actor, page, request, dateStyleOf(request, query.calendar)),
  }),

  'PUT /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    summary: 'Replace: {one}',
    description: 'An edit of a published record waits for review; the public goes on seeing the accepted values.',
    answer: ok(recordShape),
    params: RecordAddress,
    subject,
    body: ({ segment }) => schemaOf(segment, 'create'),
    handle: async ({ unit, subject, actor, body }) => {
      const { amendRecord, asProposed } = await importChanges()
      const next = await amendRecord(unit, subject, actor, body, { replace: true })
      return viewRecord(asProposed(next), actor)
    },
  }),

  'PATCH /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.update',
    summary: 'Change: {one}',
    description:
      'Only the members that are sent change; null or "" empties one. An edit of a published record waits for review.',
    answer: ok(recordShape),
    params: RecordAddress,
    subject,
    body: ({ segment }) => schemaOf(segment, 'change'),
    handle: async ({ unit, subject, actor, body }) => {
      const { amendRecord, asProposed } = await importChanges()
      const next = await amendRecord(unit, subject, actor, body)
      return viewRecord(asProposed(next), actor)
    },
  }),

  'DELETE /cidoc/{segment}/{id}/': changeRoute({
    permission: 'record.delete',
    summary: 'Delete: {one}',
    description: 'Staff can restore it. What is published is deleted by staff only.',
    answer: empty,
    params: RecordAddress,
    subject,
    handle: async ({ unit, subject }) => {
      await (await importChanges()).deleteRecord(unit, subject)
      return replyNoContent()
    },
  }),

  'POST /cidoc/{segment}/{id}/restore/': changeRoute({
    permission: 'record.restore',
    summary: 'Restore: {one}',
    answer: ok(recordShape),
    params: RecordAddress,
    subject,
    handle: async ({ unit, subject, actor }) => {
      const next = await (await importChanges()).restoreRecord(unit, subject)
      return viewRecord(next, actor)
    },
  }),
  ...resources,
  ...features,
} satisfies Routes)

export const handler = endpoint(routes, async (request, status) =>
  (await import('../lib/doors/pages/failure-page.ts')).failurePage(request, status),
)

/** Loads a record as it is now, or as it was public at a moment. */
async function asOf(
  at: string | undefined,
  it: LoadedRecord,
  actor: Actor | null,
  request: Request,
): Promise<LoadedRecord> {
  if (at === undefined) return it
  const [then, { mementoLinks }] = await Promise.all([loadPastRecord(it.entity_id, at, actor), importMemento()])
  if (!then) throw notFound()
  const original = `${request.origin}${resourcePath(it)}`
  request.moreHeaders = {
    'memento-datetime': httpDate(then.accepted_at ?? at),
    link: mementoLinks(original).map(linkValue).join(', '),
  }
  return then
}

const viewRecord = async (it: LoadedRecord, actor: Actor | null) => recordDetail(await showRecord(actor, it), actor)
