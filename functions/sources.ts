import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { newId } from '../lib/base/clock.ts'
import { invalid, notFound } from '../lib/base/errors.ts'
import { findSources } from '../lib/domain/clusters/search.ts'
import { MOST_AT_ONCE } from '../lib/domain/foundations/items.ts'
import {
  countsOf,
  DependentView,
  dependentCounts,
  dependentView,
  RulingView,
  rulingView,
} from '../lib/domain/foundations/view.ts'
import { kindKeys, kinds, schemaOf } from '../lib/domain/kinds/index.ts'
import { optionsOf, sourceAccessTier, sourceType } from '../lib/domain/kinds/schema/enums.ts'
import { ABOUT_LABELS, LabelsBody } from '../lib/domain/labels/input.ts'
import { loadRecordById } from '../lib/domain/records/load.ts'
import * as sources from '../lib/domain/sources/sources.ts'
import { DataSourceView, sourceView } from '../lib/domain/sources/view.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { linkedList } from '../lib/doors/linked/list.ts'
import { linkedSource, linkedSourceRow } from '../lib/doors/linked/record.ts'
import { LinkedListView, LinkedSourceView } from '../lib/doors/linked/shapes.ts'
import { getObject, putObject, storeInUnit } from '../lib/engines/bucket/index.ts'
import { admitFile, memorySource, sniffType, storeFile } from '../lib/engines/media/index.ts'
import { needsSearch } from '../lib/engines/search/index.ts'
import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { ABOUT_LINKED, bytes, creation, empty, listOf, ok, withTypes } from '../lib/platform/http/answer.ts'

import { choice, members, prose } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { HTML, JSON_LD } from '../lib/platform/http/media.ts'
import { listAddress, listBody } from '../lib/platform/http/page.ts'
import { ById, lenientChoice, QueryText, queryWord, RecordOrdering } from '../lib/platform/http/params.ts'
import { replyContent, replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import {
  actorRoute,
  changeRoute,
  type ListCall,
  listRoute,
  type Routes,
  readRoute,
} from '../lib/platform/http/route.ts'
import { withCurrentUsernames } from '../lib/platform/users/people.ts'

const SourceQuery = v.object({
  search: QueryText,
  name: QueryText,
  source_type: queryWord(optionsOf(sourceType).map(({ value }) => value)),
  access_tier: queryWord(optionsOf(sourceAccessTier).map(({ value }) => value)),
  ingest_status: queryWord(sources.ingestStatuses),
  ordering: RecordOrdering,
})

const SourcePageQuery = v.object({
  lang: lenientChoice(['en', 'ne']),
  format: lenientChoice(['json', 'jsonld', 'html']),
})
const subject = ({ id }: { id: string }) => sources.loadSource(id)
const DependentQuery = v.object({
  support: v.optional(v.picklist(['alone', 'supported'])),
  kind: queryWord(kindKeys),
})
const recordId = v.pipe(v.string(), v.toLowerCase(), v.uuid('Give ids of records.'))
const reasonText = v.pipe(prose(2000), v.minLength(1, 'Say why.'))

/** Loads the record of a document by its review identity. Undefined for a record of any other kind. */
async function loadDocument(id: string) {
  const record = await loadRecordById(id)
  return record?.kind === 'source' ? record : undefined
}
const Made = v.intersect([schemaOf(kinds.data_source, 'create'), v.object({ uploaded_file: uploadedFile() })])

/** Loads one page of sources. Each media type of the list shows it. */
async function listSourcePage({
  query: { name, ordering, ...wanted },
  actor,
  scope,
  page,
  request,
}: ListCall<typeof SourceQuery>) {
  const filter = { ...wanted, ...ordering }
  const found = name
    ? await sources.listSourcesByName(name, filter, actor, page)
    : needsSearch(filter)
      ? await findSources(filter, actor, scope, page)
      : await sources.listSources(filter, scope, page)
  return listBody(request, page, { ...found, results: await withCurrentUsernames('contributed_by', found.results) })
}

/** Data sources: the books, surveys and collections that records cite. */
export const routes = withTables({
  'GET /cidoc/data_sources/': listRoute({
    permission: 'source.list',
    summary: 'List the data sources',
    description: ABOUT_LINKED,
    answer: withTypes(listOf(DataSourceView), { [JSON_LD]: LinkedListView }),
    query: SourceQuery,
    handle: async (asked) => {
      const { results, ...page } = await listSourcePage(asked)
      return { ...page, results: results.map((it) => sourceView(it, asked.request.origin)) }
    },
    representations: {
      [JSON_LD]: async (asked) => {
        const { origin } = asked.request
        const id = `${origin}/cidoc/data_sources/${listAddress(asked.request).search}`
        const { labelPlural: label } = kinds.data_source
        return linkedList(await listSourcePage(asked), { id, label }, (it) => linkedSourceRow(it, origin))
      },
    },
  }),

  'POST /cidoc/data_sources/': actorRoute({
    permission: 'source.create',
    summary: 'Register a data source',
    description: 'As JSON, or as a form with a file of up to 4.5 MB: PDF, JPEG, PNG, WebP or plain text.',
    answer: creation(DataSourceView),
    errors: [409],
    // This is more than LARGEST, so a file that is a little too large is refused with a message.
    form: { bytes: 6_000_000, json: true },
    body: Made,
    idempotent: '24h',
    handle: async ({ unit, actor, body, request }) => {
      const upload = body.uploaded_file && (await storeUpload(unit, body.uploaded_file))
      const made = await sources.createSource(unit, body.data, actor, upload)
      return replyCreated(await viewSource(made, request.origin))
    },
  }),

  'GET /cidoc/data_sources/{id}/': readRoute({
    permission: 'source.read',
    summary: 'Read a data source',
    description: ABOUT_LINKED,
    answer: { 200: { shape: DataSourceView, also: { [JSON_LD]: LinkedSourceView }, types: [HTML] as const } },
    params: ById,
    subject,
    query: SourcePageQuery,
    handle: async ({ subject, request }) => viewSource(subject, request.origin),
    representations: {
      [HTML]: async ({ subject, request, query }) => {
        const [{ sourcePage }, { pageContext }, { pageHeaders }] = await Promise.all([
          import('../lib/doors/pages/source-page.ts'),
          import('../lib/doors/pages/context.ts'),
          import('../lib/doors/pages/style.ts'),
        ])
        const page = sourcePage(await withUsername(subject), await pageContext(request, query.lang))
        return replyContent(page, 'text/html; charset=utf-8', pageHeaders)
      },
      [JSON_LD]: async ({ subject, request }) => linkedSource(await withUsername(subject), request.origin),
    },
  }),

  'GET /cidoc/data_sources/{id}/file/': readRoute({
    permission: 'source.read',
    summary: 'Read the file of a data source',
    answer: bytes('application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'text/plain'),
    answerHeaders: ['Content-Disposition'],
    params: ById,
    subject,
    handle: async ({ subject: { id, upload } }) => {
      const stored = upload && (await getObject(upload.key))
      if (!stored) throw notFound()
      const name = `${id}.${extensions[stored.type] ?? 'bin'}`
      return replyContent(stored.bytes, stored.type, { 'content-disposition': `attachment; filename="${name}"` })
    },
  }),

  'PUT /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    summary: 'Replace a data source',
    answer: ok(DataSourceView),
    params: ById,
    subject,
    body: schemaOf(kinds.data_source, 'create'),
    handle: async ({ unit, subject, body, request }) => {
      const next = await sources.amendSource(unit, subject, body.data, [], true)
      return viewSource(next, request.origin)
    },
  }),

  'PATCH /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    summary: 'Change a data source',
    answer: ok(DataSourceView),
    params: ById,
    subject,
    body: schemaOf(kinds.data_source, 'change'),
    handle: async ({ unit, subject, body, request }) => {
      const next = await sources.amendSource(unit, subject, body.data, body.cleared, false)
      return viewSource(next, request.origin)
    },
  }),

  'PUT /cidoc/data_sources/{id}/labels/': changeRoute({
    permission: 'label.change',
    summary: 'Say how a data source may be used: its labels',
    description: ABOUT_LABELS,
    answer: ok(DataSourceView),
    params: ById,
    subject,
    body: LabelsBody,
    handle: async ({ unit, subject, actor, body, request }) => {
      const next = await sources.labelSource(unit, subject, body.labels, actor)
      return viewSource(next, request.origin)
    },
  }),

  'POST /cidoc/data_sources/{id}/restore/': changeRoute({
    permission: 'source.restore',
    summary: 'Restore a data source',
    answer: ok(DataSourceView),
    params: ById,
    subject,
    handle: async ({ unit, subject, request }) => {
      const next = await sources.restoreSource(unit, subject)
      return viewSource(next, request.origin)
    },
  }),

  'GET /cidoc/data_sources/{id}/dependents/': readRoute({
    permission: 'source.read',
    summary: 'List what falls with a data source',
    description:
      'The standing values that rest on it alone, with what would stand in their place; with `support=supported` those that others support. `{id}` may also be the review identity of a record of a document. Records of documents with its name stand for a source, and so does what is held to be the same. `counts` counts by kind; `is_exact` is false where too many values have several sources to count them.',
    answer: listOf(DependentView, dependentCounts()),
    params: ById,
    query: DependentQuery,
    subject: async ({ id }) => (await sources.loadSource(id)) ?? (await loadDocument(id)),
    handle: async ({ subject, query: { support = 'alone', kind }, actor, page, request }) => {
      const { listDependents } = await import('../lib/domain/foundations/dependents.ts')
      const { loadChain } = await import('../lib/domain/foundations/chain.ts')
      const isRecord = 'entity_id' in subject
      const chain = await loadChain(isRecord ? { record: subject } : { source: subject }, actor)
      const filter = { support, kind, ...(!isRecord && { source_id: subject.id }) }
      const found = await listDependents(chain, filter, actor, page)
      return {
        ...listBody(request, page, { ...found, results: found.results.map(dependentView) }),
        ...countsOf(found),
      }
    },
  }),

  'POST /cidoc/data_sources/{id}/question/': changeRoute({
    permission: 'source.question',
    summary: 'Say that a data source is questioned, withdrawn, or trusted again',
    description:
      'No value changes by it. What rests on the source alone is a batch that experts decide on. `trusted` takes all of it back: within minutes each value stands as before.',
    answer: ok(DataSourceView),
    errors: [409],
    params: ById,
    subject,
    body: members({ standing: choice(sources.standings), reason: reasonText }),
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body, request }) => {
      const { questionSource } = await import('../lib/domain/foundations/question.ts')
      return viewSource(await questionSource(unit, subject, actor, body), request.origin)
    },
  }),

  'POST /cidoc/data_sources/{id}/question/decide/': changeRoute({
    permission: 'source.question',
    summary: 'Decide on records that rest on a source in question',
    description: `Up to ${MOST_AT_ONCE} records at once, all or none. \`accept\` does what the plan says: what would stand without the source stands. \`reject\` lets the values stand. Nobody decides on work of their own.`,
    answer: ok(v.object({ results: v.array(RulingView) })),
    errors: [409],
    params: ById,
    subject,
    body: members({
      entity_ids: v.pipe(
        v.array(recordId),
        v.minLength(1, 'Name at least one record.'),
        v.maxLength(MOST_AT_ONCE, `At most ${MOST_AT_ONCE} at once.`),
      ),
      verdict: choice(['accept', 'reject']),
      note: prose(5000),
    }),
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const { ruleOnDependents } = await import('../lib/domain/foundations/rule.ts')
      return { results: (await ruleOnDependents(unit, subject, actor, body)).map(rulingView) }
    },
  }),

  'DELETE /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    summary: 'Delete a data source',
    answer: empty,
    params: ById,
    subject,
    handle: async ({ unit, subject }) => {
      await sources.deleteSource(unit, subject)
      return replyNoContent()
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes, async (request, status) =>
  (await import('../lib/doors/pages/failure-page.ts')).failurePage(request, status),
)

const withUsername = async (it: sources.DataSource) => (await withCurrentUsernames('contributed_by', [it]))[0] ?? it
const viewSource = async (it: sources.DataSource, origin: string) => sourceView(await withUsername(it), origin)

/** The most bytes of a file: in base64 it just fits into the largest answer of a function. */
const LARGEST = 4_500_000

/** Stores the file before the source, so that no source names a missing file. If the request fails, the file is deleted, at the latest by the sweeper. */
async function storeUpload(unit: UnitOfWork, file: File): Promise<sources.SourceUpload> {
  const put = await checkUploadedFile(await file.bytes())
  const { object_key, stored } = await storeInUnit(unit, `data-sources/${newId()}`, put)
  return { key: object_key, ...stored }
}

/** An empty file input of a form is sent as a blank text, or as a file without a name. */
function uploadedFile() {
  return v.pipe(
    v.nullish(v.union([v.literal(''), v.instance(File)], 'Send a file.'), null),
    v.transform((it) => (it === '' || it?.name === '' ? null : it)),
    v.check((it) => it === null || it.size > 0, 'The file is empty.'),
    v.check((it) => it === null || it.size <= LARGEST, 'The file is larger than 4.5 MB.'),
  )
}

type Stored = { content_type: string; size: number }

/**
 * Checks an uploaded file. Returns a function that stores it under a key and returns the stored type and size. Fails with `invalid` if it
 * is not a valid PDF, JPEG, PNG or WebP file, or plain text.
 */
async function checkUploadedFile(bytes: Uint8Array): Promise<(key: string) => Promise<Stored>> {
  const source = memorySource(bytes)
  const type = sniffType(source)
  if (types.some((it) => it === type)) {
    const checked = await admitFile(source, {}, { member: 'uploaded_file', types })
    const { content_type } = checked
    return async (key) => ({ content_type, size: (await storeFile(key, source, checked)).size })
  }
  if (!isText(bytes)) throw invalid({ uploaded_file: ['Send a PDF, JPEG, PNG or WebP file, or plain text.'] })
  return async (key) => {
    await putObject(key, bytes, TEXT)
    return { content_type: TEXT, size: bytes.length }
  }
}

const types = ['application/pdf', 'image/jpeg', 'image/png', 'image/webp'] as const
const TEXT = 'text/plain; charset=utf-8'
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  [TEXT]: 'txt',
}

/** Whether bytes are UTF-8 without control characters. Markup counts as text: it is served as plain text and as an attachment. */
function isText(bytes: Uint8Array): boolean {
  try {
    return !/[^\P{Cc}\t\n\f\r]/u.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return false
  }
}
