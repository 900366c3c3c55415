import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { conflict, invalidObject, notFound, unsupportedMediaType } from '../lib/base/errors.ts'
import { parseBoolean } from '../lib/base/text.ts'
import { kindOfScope } from '../lib/domain/kinds/index.ts'
import { scanStatuses } from '../lib/domain/scans/items.ts'
import {
  appendPart,
  beginParted,
  completeParted,
  DASHBOARD_PART,
  LARGEST_SCAN,
  loadParted,
  reservePart,
} from '../lib/domain/scans/parts.ts'
import { beginScan, listScans, loadReading, loadScan, retryScan } from '../lib/domain/scans/scans.ts'
import {
  FinalizedView,
  PartedView,
  partedView,
  ReviewStateView,
  reviewView,
  ScanGraphView,
  ScanPreviewView,
  ScanReviewView,
  ScanUploadedView,
  ScanView,
  SuggestionsView,
  scanEvent,
  scanGraph,
  scanPreview,
  scanView,
  stateView,
  suggestionsView,
  uploadedView,
} from '../lib/domain/scans/view.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { createLinks, getObject } from '../lib/engines/bucket/index.ts'
import { contentDisposition, displayName, memorySource } from '../lib/engines/media/index.ts'
import { creation, listOf, ok, TooLargeView } from '../lib/platform/http/answer.ts'
import { line, members, objectOf, orEmpty, prose, REQUIRED, uuidOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { boundaryOf } from '../lib/platform/http/form-file.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ById, optionalQueryChoice, QueryText } from '../lib/platform/http/params.ts'
import { Reply, replyContent, replyCreated, replySeeOther } from '../lib/platform/http/reply.ts'
import { type FormLimits, fileForm } from '../lib/platform/http/request.ts'
import { behindBoth } from '../lib/platform/http/rest.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'

const text = (most: number) => v.pipe(orEmpty(line(most)), v.trim())
const provenance = {
  source_institution: text(200),
  collection_name: text(200),
  language: text(35),
  ocr_language: text(35),
  copyright_note: prose(500),
}
const flag = v.pipe(
  v.nullish(v.union([v.string(), v.boolean()], 'Give true or false.'), false),
  v.transform((it) => parseBoolean(String(it)) === true),
)
const absentId = v.pipe(
  v.literal(''),
  v.transform(() => null),
)
const NewScan = members({
  file: v.instance(File, 'Send a file.'),
  cultural_entity_id: v.nullish(v.union([absentId, uuidOf()], 'Not a valid UUID.'), null),
  submission_id: text(50),
  standalone_ingestion: flag,
  media_type: text(100),
  description: prose(2000),
  ...provenance,
})
const NOT_OBJECT = 'Give an object.'
const name = v.pipe(v.string(), v.regex(/^[\w.-]{1,60}$/, 'Give the id of a value or the name of a field.'))
const blockName = v.pipe(v.string(), v.regex(/^\d{1,3}_\d{1,4}$/, 'Name a line as page_line, such as 0_3.'))
const NO_LINK = 'Give resource_key and id, a whole number, or null.'
const linked = v.nullish(
  v.object(
    {
      resource_key: v.pipe(v.string(NO_LINK), v.minLength(1, NO_LINK), v.maxLength(60, NO_LINK)),
      id: v.pipe(v.number(NO_LINK), v.integer(NO_LINK), v.minValue(1, NO_LINK)),
    },
    NO_LINK,
  ),
)
const Decision = members({
  edited_value: v.nullish(
    v.pipe(v.string('Not a valid text.'), v.maxLength(10_000, 'At most 10000 characters are read.')),
  ),
  uncertain: v.nullish(v.boolean('Give true or false.')),
  linked,
  block: v.nullish(blockName),
})
const Correction = members({
  corrected_text: v.pipe(v.string(REQUIRED), v.maxLength(2000, 'At most 2000 characters are read.')),
})
const ReviewChange = members({
  field_decisions: v.exactOptional(objectOf(name, v.nullable(Decision), NOT_OBJECT)),
  block_corrections: v.exactOptional(objectOf(blockName, v.nullable(Correction), NOT_OBJECT)),
  ontology_handoff_key: v.nullish(v.pipe(v.string('Not a valid text.'), v.maxLength(60, 'Not a valid text.'))),
  // Accepted and ignored: `finalize-review` sets it.
  finalized_at: v.nullish(v.unknown()),
})
const NewParted = members({
  filename: v.pipe(
    v.string(REQUIRED),
    v.nonEmpty(REQUIRED),
    v.maxLength(512, 'Not a valid text.'),
    v.transform(displayName),
  ),
  byte_size: v.pipe(
    v.number('Give the number of bytes.'),
    v.integer('Give the number of bytes.'),
    v.minValue(1, 'The file is empty.'),
    v.maxValue(4 * LARGEST_SCAN, 'The file is larger than 100 MB.'),
  ),
  media_type: text(100),
  description: prose(2000),
  ...provenance,
})
const offset = v.nullish(
  v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.integer('Give the number of bytes.'), v.minValue(0)),
)
const Part = members({
  chunk: v.exactOptional(v.instance(File, 'Send a file.')),
  file: v.exactOptional(v.instance(File, 'Send a file.')),
  offset,
})
const Query = v.object({ status: optionalQueryChoice(scanStatuses) })

/** Loaded with the first question about a review, since uploads do not need this code. */
const importReviews = () => import('../lib/domain/scans/review.ts')
const loadStateOf = async (id: string) => (await importReviews()).loadState(id)

const subject = ({ id }: { id: string }) => loadScan(id)
const partedOf = ({ id }: { id: string }) => loadParted(id)

/**
 * The dashboard sends parts of 6 MiB. The HTTP API of AWS cannot pass them on, and its REST API stores them itself. A service on its own
 * server takes them here.
 */
const partForm: FormLimits = { bytes: 6_500_000 }

/** Documents and files in parts share one count, since each costs a run of OCR. */
const runs = { scope: 'scans', rate: 'RATE_SCANS', per: 'caller', counts: 'every success' } as const

const provenanceOf = (given: Readonly<Record<keyof typeof provenance, string>>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))

const shownBytes = 4_000_000
const EVENTS = 'text/event-stream'
const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const

/** Scanned documents: sent, read, corrected, handed over. */
export const routes = withTables({
  'GET /data/ocr-documents/': actorRoute({
    permission: 'scan.own',
    summary: 'List the own documents, the latest first',
    answer: listOf(ScanView),
    translatedPaths: ['results.*.user_safe_error'],
    query: Query,
    handle: async ({ actor, query, page, request }) => {
      const { results, ...listed } = await listScans(actor.id, query.status, page)
      return listBody(request, page, { ...listed, results: results.map((it) => scanView(it)) })
    },
  }),

  'POST /data/ocr-documents/upload/': actorRoute({
    permission: 'scan.own',
    summary: 'Send a document whose text is read',
    description:
      'A form with the file (JPEG, PNG, WebP or PDF, up to 4.7 MB), and one of `cultural_entity_id` (a record of one’s own), `submission_id` and `standalone_ingestion`. Larger files are sent in parts, to `/data/ocr-chunk-uploads/`.',
    answer: { ...creation(ScanUploadedView), 413: { shape: TooLargeView } },
    errors: [404],
    throttles: [runs],
    form: fileForm,
    body: NewScan,
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const { file, cultural_entity_id, submission_id, standalone_ingestion, media_type, description, ...from } = body
      const named = [cultural_entity_id !== null, submission_id !== '', standalone_ingestion].filter(Boolean)
      if (named.length !== 1)
        throw invalidObject('Give one of cultural_entity_id, submission_id and standalone_ingestion.')
      if (cultural_entity_id !== null) await (await importReviews()).loadOwnRecord(cultural_entity_id, actor)
      const made = await beginScan(unit, memorySource(await file.bytes()), {
        owner_id: actor.id,
        entity_id: cultural_entity_id,
        submission_id,
        file_name: displayName(file.name),
        description,
        media_type,
        provenance: provenanceOf(from),
      })
      return replyCreated(uploadedView(made))
    },
  }),

  'GET /data/ocr-documents/{id}/': readRoute({
    permission: 'scan.read',
    summary: 'Read a document',
    answer: ok(ScanView),
    translatedPaths: ['user_safe_error'],
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => scanView(about, (await loadReading(about)).fields),
  }),

  'GET /data/ocr-documents/{id}/suggestions/': readRoute({
    permission: 'scan.read',
    summary: 'Read what a form may take from a document',
    description:
      'The surest value for each field: names of known records, dates, and the first line. Nothing of it is accepted.',
    answer: ok(SuggestionsView),
    params: ById,
    query: v.object({ ontology_class: QueryText }),
    subject,
    handle: async ({ subject: { about }, query }) => {
      const kind = query.ontology_class ? kindOfScope(query.ontology_class) : undefined
      const names = kind && new Set(Object.entries(kind.fields).flatMap(([own, { aliases }]) => [own, ...aliases]))
      return suggestionsView((await loadReading(about)).fields, names)
    },
  }),

  'GET /data/ocr-documents/{id}/review/': readRoute({
    permission: 'scan.read',
    summary: 'Read a document line by line, with what was found',
    description:
      'A corrected line has what was read in `original_text`. Boxes are left, top, right, bottom, in pixels.',
    answer: ok(ScanReviewView),
    translatedPaths: ['user_safe_error'],
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => {
      const [reading, state] = await Promise.all([loadReading(about), loadStateOf(about.id)])
      return reviewView(about, reading, state)
    },
  }),

  'GET /data/ocr-documents/{id}/review-state/': readRoute({
    permission: 'scan.read',
    summary: 'Read what was said of a document',
    answer: ok(ReviewStateView),
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => stateView(await loadStateOf(about.id), about),
  }),

  'PATCH /data/ocr-documents/{id}/review-state/': changeRoute({
    permission: 'scan.change',
    summary: 'Decide on values, and correct lines',
    description:
      'Each is changed member by member; null takes one out. A decision is named by the id of a value, or by a field of the kind for what was not found, then with `block`.',
    answer: ok(ReviewStateView),
    errors: [409],
    params: ById,
    subject,
    body: ReviewChange,
    handle: async ({ unit, subject: { about }, body: { finalized_at: _, ...changes } }) =>
      stateView(await (await importReviews()).amendState(unit, about, changes), about),
  }),

  'POST /data/ocr-documents/{id}/finalize-review/': changeRoute({
    permission: 'scan.change',
    summary: 'End the review of a document, and hand over what was decided',
    description:
      'With `ontology_handoff_key` the values become a contribution of that kind, or else a change of the record that the document is about. It waits for review, and its source cites the document with page and box.',
    answer: ok(FinalizedView),
    errors: [404, 409],
    translatedPaths: ['detail'],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject: { about }, actor, request }) => {
      const { scan, state, record } = await (await importReviews()).finalizeScan(unit, about, actor, request.origin)
      return {
        detail: 'The review of this document has ended.',
        ingestion_review_state: stateView(state, scan),
        contribution: record && { kind: record.kind, id: record.id, cultural_entity_id: record.entity_id },
      }
    },
  }),

  'GET /data/ocr-documents/{id}/compile-preview/': readRoute({
    permission: 'scan.read',
    summary: 'See what the review of a document would hand over',
    answer: ok(ScanPreviewView),
    translatedPaths: ['validation_errors.*'],
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => {
      const [{ fields }, state] = await Promise.all([loadReading(about), loadStateOf(about.id)])
      return scanPreview(about, fields, state)
    },
  }),

  'GET /data/ocr-documents/{id}/graph-export/': readRoute({
    permission: 'scan.read',
    summary: 'Read what a document would hand over as nodes and edges',
    description:
      '`routes` names where values go by how sure they are, with commas between. None is accepted by itself.',
    answer: ok(ScanGraphView),
    params: ById,
    query: v.object({ routes: QueryText }),
    subject,
    handle: async ({ subject: { about }, query }) => {
      const [{ fields }, state] = await Promise.all([loadReading(about), loadStateOf(about.id)])
      const wanted = (query.routes ?? '').split(',').flatMap((route) => route.trim() || [])
      return scanGraph(about, scanPreview(about, fields, state), wanted)
    },
  }),

  'GET /data/ocr-documents/{id}/events/': readRoute({
    permission: 'scan.read',
    summary: 'Read how far a document is, as a stream of events (SSE)',
    description:
      'Each answer holds one event, and its `retry` has a browser ask again after three seconds. Close the stream once the status is `completed` or `failed`.',
    answer: { 200: { types: [EVENTS] } },
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => replyContent(scanEvent(scanView(about)), EVENTS),
  }),

  'GET /data/ocr-documents/{id}/asset/': readRoute({
    permission: 'scan.read',
    summary: 'Read the file of a document',
    description: '303 leads to one of more than 4 MB.',
    answer: { 200: { types: TYPES }, 303: null },
    answerHeaders: ['Content-Disposition'],
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => {
      if (about.object_key === null) throw notFound()
      const disposition = contentDisposition('inline', about.file_name)
      if (about.size > shownBytes) {
        const link = await createLinks()
        return replySeeOther(await link(about.object_key, { type: about.content_type, disposition }))
      }
      const object = await getObject(about.object_key)
      if (!object) throw notFound()
      return replyContent(object.bytes, about.content_type, { 'content-disposition': disposition })
    },
  }),

  'POST /data/ocr-documents/{id}/run-pipeline/': changeRoute({
    permission: 'scan.change',
    summary: 'Find the values of a document anew',
    description: 'In the text as it is corrected, and among the records of today. It is done when the answer comes.',
    answer: { 202: { shape: v.object({ status: v.picklist(['queued', 'complete']) }) } },
    errors: [409],
    params: ById,
    subject,
    handle: async ({ unit, subject: { about } }) => {
      await (await importReviews()).findAnew(unit, about)
      return new Reply(202, { status: 'complete' as const })
    },
  }),

  'POST /data/ocr-documents/{id}/retry/': changeRoute({
    permission: 'scan.change',
    summary: 'Read a document again that has failed',
    answer: { 202: { shape: ScanUploadedView } },
    errors: [409],
    params: ById,
    subject,
    throttles: [runs],
    handle: async ({ unit, subject: { about } }) => {
      if (about.status !== 'failed' || about.object_key === null)
        throw conflict('Only a document that has failed is read again.')
      return new Reply(202, uploadedView(retryScan(unit, about)))
    },
  }),

  'POST /data/ocr-chunk-uploads/': actorRoute({
    permission: 'scan.own',
    summary: 'Announce a document that is sent in parts',
    description: 'Parts of at most `max_chunk_bytes`, in order, within two days. A document has 25 MB at most.',
    answer: creation(PartedView),
    body: NewParted,
    throttles: [runs],
    idempotent: '24h',
    handle: async ({ unit, actor, request, body: { filename, byte_size, media_type, description, ...from } }) => {
      const made = beginParted(unit, {
        owner_id: actor.id,
        file_name: filename,
        expected_bytes: byte_size,
        media_type,
        description,
        provenance: provenanceOf(from),
      })
      return replyCreated(partedView(made, request.isByRest ? DASHBOARD_PART : LARGEST_PART))
    },
  }),

  'POST /data/ocr-chunk-uploads/{id}/append/': changeRoute({
    permission: 'scan.change',
    summary: 'Send the next part of a document',
    description:
      'As `chunk` of a form of up to 6.5 MB, where no gateway takes less: `max_chunk_bytes` passes each. With `offset`, a part that is sent again does not count twice.',
    answer: ok(PartedView),
    errors: [409],
    params: ById,
    subject: partedOf,
    form: partForm,
    body: Part,
    idempotent: '24h',
    handle: async ({ unit, subject: { about }, body: { chunk, file, offset: from } }) => {
      const part = chunk ?? file
      if (!part) throw invalidObject('Send a part as chunk.')
      return partedView(await appendPart(unit, about, await part.bytes(), from ?? undefined), LARGEST_PART)
    },
  }),

  'POST /data/ocr-chunk-uploads/{id}/complete/': changeRoute({
    permission: 'scan.change',
    summary: 'Make a document of the parts',
    description: 'What is no whole image or PDF becomes a document that has failed, with the reason.',
    answer: creation(ScanUploadedView),
    errors: [409, 410],
    params: ById,
    subject: partedOf,
    idempotent: '24h',
    handle: async ({ unit, subject: { about } }) => replyCreated(uploadedView(await completeParted(unit, about))),
  }),
} satisfies Routes)

/** The most letters of a description in an answer to the REST API, since an authorizer of AWS may answer 8 KB. */
const SHOWN_DESCRIPTION = 500

/**
 * What the REST API asks before it stores a part of up to 10 MB: whether it may store the part, and where. It sends only the headers of the
 * request, not the body.
 */
const reservations = {
  'POST /data/ocr-chunk-uploads/{id}/append/': changeRoute({
    permission: 'scan.change',
    summary: 'Note the next part of a document',
    answer: ok(
      v.intersect([
        PartedView,
        v.object({ stored_at: v.optional(v.object({ upload: v.string(), part: v.string() })) }),
      ]),
    ),
    errors: [409],
    params: ById,
    query: v.object({ offset }),
    subject: partedOf,
    idempotent: '24h',
    handle: async ({ unit, subject: { about }, query, request: { headers } }) => {
      const boundary = boundaryOf(headers['content-type'] ?? '')
      if (boundary === '') throw unsupportedMediaType('multipart/form-data')
      const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
      const { parted, at } = await reservePart(unit, about, { boundary, length, offset: query.offset ?? undefined })
      const shown = { ...parted, description: parted.description.slice(0, SHOWN_DESCRIPTION) }
      return { ...partedView(shown, DASHBOARD_PART), ...(at && { stored_at: at }) }
    },
  }),
} satisfies Routes

export const handler = behindBoth(endpoint(routes), endpoint(reservations), '/api/v1/data/ocr-chunk-uploads')

/** The most bytes of one part of an upload. The gateway accepts a form that holds such a part. */
const LARGEST_PART = 4_000_000
