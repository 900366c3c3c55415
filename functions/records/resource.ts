import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { notFound } from '../../lib/base/errors.ts'
import { recordId } from '../../lib/base/ids/address.ts'
import * as s from '../../lib/base/shapes.ts'
import {
  type Kind,
  kindOfScope,
  kindOfSegment,
  reviewedKinds,
  unknownKindMessage,
} from '../../lib/domain/kinds/index.ts'
import { picturesIn } from '../../lib/domain/pictures/items.ts'
import { loadHistory } from '../../lib/domain/records/history.ts'
import { resourcePath } from '../../lib/domain/records/iri.ts'
import type { LoadedRecord } from '../../lib/domain/records/items.ts'
import { withTiedCards } from '../../lib/domain/records/links.ts'
import { loadRecord } from '../../lib/domain/records/load.ts'
import { loadPastRecord } from '../../lib/domain/records/past/record.ts'
import { findShownRows } from '../../lib/domain/records/search.ts'
import { showRecord } from '../../lib/domain/records/shown.ts'
import { recordDetail } from '../../lib/domain/records/views/record.ts'
import type { Node } from '../../lib/doors/linked/context.ts'
import { recordFormats } from '../../lib/doors/linked/formats.ts'
import { featureOf } from '../../lib/doors/linked/geojson.ts'
import { featureShape, LinkedDataView } from '../../lib/doors/linked/shapes.ts'
import { hasAddress, linkValue, signposts } from '../../lib/doors/pages/address.ts'
import { pageContext } from '../../lib/doors/pages/context.ts'
import { bytes } from '../../lib/platform/http/answer.ts'
import { CSV, GEO_JSON, HTML, JSON_LD, LINK_FORMAT, rdfTypes, XLSX } from '../../lib/platform/http/media.ts'
import { readAcceptDatetime } from '../../lib/platform/http/memento.ts'
import { httpDate, PastMoment } from '../../lib/platform/http/moment.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { lenientChoice, numberFromOne, QueryText } from '../../lib/platform/http/params.ts'
import { type Content, Reply, replyContent } from '../../lib/platform/http/reply.ts'
import type { Request } from '../../lib/platform/http/request.ts'
import { type ListCall, listRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { documentAs, warnIf } from '../../lib/platform/http/schema-notes.ts'
import type { Actor } from '../../lib/platform/permissions.ts'

/** A kind by its name, or by its path segment. */
const KindName = v.pipe(
  v.string(),
  v.transform((name): Kind | string => kindOfScope(name) ?? kindOfSegment(name) ?? name),
  v.custom<Kind>(
    (kind) => hasAddress((kind as Partial<Kind>).key ?? ''),
    ({ input }) => (typeof input === 'string' ? unknownKindMessage(input) : ''),
  ),
  documentAs({ type: 'string', enum: reviewedKinds }),
)
const ResourceAddress = v.object({ kind: KindName, number: numberFromOne(12) })

const lang = lenientChoice(['en', 'ne'])
const formats = recordFormats.map(({ name }) => name)
const ResourceQuery = v.object({ at: PastMoment, lang, format: lenientChoice(formats) })

const kindNamed = (name: string) => kindOfScope(name) ?? kindOfSegment(name)
const KindFilter = v.pipe(
  QueryText,
  warnIf((sent) => (sent === '' || kindNamed(sent) ? undefined : unknownKindMessage(sent))),
  v.transform((name) => (name === undefined ? undefined : kindNamed(name))),
  documentAs({ type: 'string', enum: reviewedKinds }),
)
const ResultsQuery = v.object({ q: QueryText, kind: KindFilter, lang, format: lenientChoice(['json', 'html']) })

/** A record as its own endpoint shows it: the members follow from its kind. */
const ResourceView = s.shape('Resource', () => v.record(v.string(), v.unknown()))
const FoundResourceView = s.shape('FoundResource', () =>
  v.object({ address: s.text, kind: s.oneOf(reviewedKinds), id: s.whole, name: s.text, name_ne: s.text }),
)

type Place = { kind: Kind; number: number }
const loadSubject = ({ kind, number }: Place): Promise<LoadedRecord | undefined> => loadRecord(kind, number)

type Given = {
  subject: LoadedRecord
  actor: Actor | null
  query: v.InferOutput<typeof ResourceQuery>
  request: Request
}
/** Writes a record for one reader. The record may be of the past. */
type Writer<Body> = (it: LoadedRecord, given: Given) => Promise<Body>

const jsonOf: Writer<Record<string, unknown>> = async (it, { actor }) =>
  recordDetail(await showRecord(actor, await withTiedCards(it, actor)), actor)
const linkedOf: Writer<Node> = async (it, { actor, request }) => {
  const { linkedRecord } = await import('../../lib/doors/linked/record.ts')
  return linkedRecord(await showRecord(actor, it), actor, request.origin)
}

/** The representations besides JSON, by media type. Those of RDF follow from `rdfTypes`. */
const writers: Readonly<Record<string, Writer<Content>>> = {
  [JSON_LD]: async (it, given) => JSON.stringify(await linkedOf(it, given)),
  [GEO_JSON]: async (it, { actor }) => {
    const shown = await showRecord(actor, await withTiedCards(it, actor))
    return JSON.stringify(featureOf(shown, actor, shown.id, recordDetail(shown, actor)))
  },
  ...Object.fromEntries(
    rdfTypes.map((type): [string, Writer<Content>] => [
      type,
      async (it, given) => {
        const { writeDocument } = await import('../../lib/doors/linked/rdf-text.ts')
        return writeDocument(await linkedOf(it, given), type)
      },
    ]),
  ),
  [HTML]: async (it, { actor, query, request }) => {
    const [{ loadRecordModel }, { recordPage }] = await Promise.all([
      import('../../lib/doors/pages/record-model.ts'),
      import('../../lib/doors/pages/record-page.ts'),
    ])
    const context = await pageContext(request, query.lang)
    const model = await loadRecordModel(it.entity_id, { actor, at: query.at, request })
    if (!model) throw notFound()
    return recordPage(model, context)
  },
}

const importMemento = () => import('../../lib/doors/pages/memento.ts')

/** Addresses that stay: for machines, and for people. */
export const resources = {
  'GET /resource/': listRoute({
    permission: 'record.list',
    summary: 'Search all records, as a page, as JSON or as a table',
    answer: {
      200: {
        shape: v.object({
          count: s.whole,
          next: s.maybe(s.text),
          previous: s.maybe(s.text),
          results: v.array(FoundResourceView),
        }),
        types: [HTML, CSV, XLSX],
        paged: true,
      },
      303: null,
    },
    query: ResultsQuery,
    usesReadCache: true,
    handle: async (asked) => {
      const { results, ...page } = await listFound(asked)
      const { origin } = asked.request
      return {
        ...page,
        results: results.map((it) => ({
          address: `${origin}${resourcePath(it)}`,
          kind: it.kind,
          id: it.id,
          name: it.name,
          name_ne: String(it.data.name_ne ?? ''),
        })),
      }
    },
    representations: {
      [HTML]: async (asked) => {
        const { query, request } = asked
        const context = await pageContext(request, query.lang)
        const [{ resultsPage }, { pageHeaders }] = await Promise.all([
          import('../../lib/doors/pages/results.ts'),
          import('../../lib/doors/pages/style.ts'),
        ])
        const page = resultsPage(await listFound(asked), { q: query.q, kind: query.kind?.key }, context)
        return replyContent(page, 'text/html; charset=utf-8', pageHeaders)
      },
    },
  }),

  'GET /resource/{kind}/{number}/': readRoute({
    permission: 'record.read',
    summary: 'Read a record at the address that stays',
    description:
      'By `Accept` or `?format=`: JSON, linked data, GeoJSON, and for browsers a page in English or Nepali (`?lang=`). `Accept-Datetime` leads to the state of that time (Memento, RFC 7089).',
    answer: {
      200: {
        shape: ResourceView,
        also: { [JSON_LD]: LinkedDataView, [GEO_JSON]: featureShape(s.whole, ResourceView) },
        types: [HTML, ...rdfTypes],
      },
      302: null,
    },
    answerHeaders: ['Link', 'Memento-Datetime'],
    errors: [410],
    params: ResourceAddress,
    subject: loadSubject,
    tellsGone: true,
    query: ResourceQuery,
    handle: (given) => answerAs(given, jsonOf),
    representations: Object.fromEntries(
      Object.entries(writers).map(([type, write]) => [type, (given: Given) => answerAs(given, write, type)]),
    ),
  }),

  'GET /resource/{kind}/{number}/timemap/': readRoute({
    permission: 'record.read',
    summary: 'List the public states of a record',
    description: 'A TimeMap (RFC 7089): the address of each state, with the moment from which it was public.',
    answer: bytes(LINK_FORMAT),
    answerHeaders: ['Link'],
    params: ResourceAddress,
    subject: ({ kind, number }) => loadHistory(recordId(kind.code, number)),
    handle: async ({ subject, actor, request }) => {
      const original = `${request.origin}${resourcePath(subject)}`
      const { mementoLinks, mementosOf, timeMap } = await importMemento()
      return replyContent(timeMap(original, mementosOf(subject, actor)), LINK_FORMAT, {
        link: mementoLinks(original).map(linkValue).join(', '),
      })
    },
  }),
} satisfies Routes

/** Answers with one representation of a record: as it is, or as it was public at a moment. */
async function answerAs<Body>(given: Given, write: Writer<Body>, type?: string) {
  const { subject, actor, query, request } = given
  const original = `${request.origin}${resourcePath(subject)}`
  const wanted = query.at === undefined ? readAcceptDatetime(request.headers['accept-datetime']) : undefined
  if (wanted !== undefined) return leadToMemento(given, wanted)
  const it = query.at === undefined ? subject : await loadPastRecord(subject.entity_id, query.at, actor)
  if (!it) throw notFound()
  const body = await write(it, given)
  const { mementoLinks } = await importMemento()
  const links = [
    ...signposts(request.origin, it, { pictures: picturesIn(it.data), at: query.at }),
    ...mementoLinks(original),
  ]
  const headers: Record<string, string> = {
    link: links.map(linkValue).join(', '),
    vary: VARY,
    ...(type && { 'content-type': type === HTML ? 'text/html; charset=utf-8' : type }),
    ...(type === HTML && (await import('../../lib/doors/pages/style.ts')).pageHeaders),
    ...(query.at !== undefined && { 'memento-datetime': httpDate(it.accepted_at ?? query.at) }),
  }
  return new Reply(200, body, headers)
}

const VARY = 'Origin, Accept-Encoding, Accept, Accept-Datetime'

/** Leads a client of Memento to the state of a moment. A record that was never public has none. */
async function leadToMemento({ subject, actor, request }: Given, wanted: string) {
  const { mementoAddress, pastStateOf } = await importMemento()
  const { at, original, link } = await pastStateOf(subject, wanted, { actor, origin: request.origin })
  return new Reply(302, undefined, { location: mementoAddress(original, at), vary: VARY, link })
}

/** Loads one page of the records that fit a query, of kinds with an address of their own. */
async function listFound({ query, actor, scope, page, request }: ListCall<typeof ResultsQuery>) {
  const filter = { search: query.q, kind: query.kind?.key }
  const found = await findShownRows(filter, actor, scope, page)
  return listBody(request, page, { ...found, results: found.results.filter(({ kind }) => hasAddress(kind)) })
}
