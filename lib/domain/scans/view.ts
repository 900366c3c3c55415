import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { boxAround, textOfLine } from './extract.ts'
import { documentTypes, type Found, type PartedScan, type Reading, type Scan, scanStatuses } from './items.ts'
import type { ReviewState } from './review.ts'

/** The JSON of scanned documents, as the dashboard reads it. */

const texts = () => v.record(v.string(), s.text)
const box = () => v.array(v.number())

export const ScanUploadedView = s.shape('OcrUploaded', () =>
  v.object({ media_id: s.whole, uploaded_document_id: s.uuid, status: s.oneOf(scanStatuses) }),
)
const Claimed = () =>
  v.object({
    subject: s.text,
    predicate: s.text,
    object: s.text,
    object_type: s.text,
    confidence_score: v.number(),
    route: s.text,
  })
export const ScanView = s.shape('OcrDocument', () =>
  v.object({
    id: s.uuid,
    media: s.whole,
    file_name: s.text,
    description: s.text,
    cultural_entity: s.maybe(s.uuid),
    submission: s.text,
    status: s.oneOf(scanStatuses),
    document_type: s.oneOf(documentTypes),
    classification_confidence: v.number(),
    processing_started: s.maybe(s.time),
    processing_finished: s.maybe(s.time),
    user_safe_error: s.text,
    raw_text: s.text,
    metadata: v.object({
      pipeline_status: s.oneOf(['idle', 'complete']),
      pipeline_finished_at: s.maybe(s.time),
      pipeline_error: s.text,
      assertions: v.array(Claimed()),
    }),
    provenance: texts(),
    processing_progress: v.object({ pages: s.whole }),
    finalized_at: s.maybe(s.time),
    created_at: s.time,
  }),
)
const FieldView = () =>
  v.object({
    id: s.text,
    field_name: s.text,
    field_value: s.text,
    confidence: v.number(),
    entity_type: s.text,
    vocabulary_match_score: s.maybe(v.number()),
    page_number: s.whole,
    bbox: box(),
    record: s.maybe(v.object({ resource_key: s.text, id: s.whole, entity_id: s.uuid, label: s.text })),
  })
const Decision = () =>
  v.object({
    edited_value: s.maybe(s.text),
    uncertain: v.boolean(),
    linked: s.maybe(v.object({ resource_key: s.text, id: s.whole })),
    block: s.maybe(s.text),
  })
export const ReviewStateView = s.shape('OcrReviewState', () =>
  v.object({
    field_decisions: v.record(v.string(), Decision()),
    block_corrections: v.record(v.string(), v.object({ corrected_text: s.text })),
    ontology_handoff_key: s.maybe(s.text),
    finalized_at: s.maybe(s.time),
  }),
)
export const ScanReviewView = s.shape('OcrReview', () =>
  v.object({
    document_id: s.uuid,
    status: s.oneOf(scanStatuses),
    document_type: s.oneOf(documentTypes),
    classification_confidence: v.number(),
    processing_started: s.maybe(s.time),
    processing_finished: s.maybe(s.time),
    user_safe_error: s.text,
    raw_text: s.text,
    provenance: texts(),
    file_name: s.text,
    pages: v.array(
      v.object({
        page_number: s.whole,
        raw_text: s.text,
        confidence: v.number(),
        blocks: v.array(
          v.object({ text: s.text, original_text: v.optional(s.text), bbox: box(), confidence: v.number() }),
        ),
        image_width: s.whole,
        image_height: s.whole,
      }),
    ),
    extracted_fields: v.array(FieldView()),
    saved_review_state: ReviewStateView,
  }),
)
export const SuggestionsView = s.shape('OcrSuggestions', () =>
  v.record(
    v.string(),
    v.object({ value: s.text, confidence: v.number(), entityType: s.text, fieldName: s.text, source: s.text }),
  ),
)
export const FinalizedView = s.shape('OcrFinalized', () =>
  v.object({
    detail: s.text,
    ingestion_review_state: ReviewStateView,
    contribution: s.maybe(v.object({ kind: s.text, id: s.whole, cultural_entity_id: s.uuid })),
  }),
)
export const ScanPreviewView = s.shape('OcrCompilePreview', () =>
  v.object({
    document_id: s.uuid,
    entities: v.array(
      v.object({
        id: s.text,
        kind: s.text,
        field_name: s.text,
        label: s.text,
        entity_type: s.text,
        confidence: v.number(),
        uncertain: v.boolean(),
        linked: s.maybe(v.object({ resource_key: s.text, id: s.whole })),
      }),
    ),
    relations: v.array(v.object({ source: s.text, target: s.text, label: s.text, confidence: v.number() })),
    validation_errors: v.array(s.text),
    counts_by_entity_type: v.record(v.string(), s.whole),
    provenance: texts(),
  }),
)
export const scanRoutes = ['community_review', 'expert_review', 'reject'] as const
/** The values of a document as the elements of a drawing. */
export const ScanGraphView = s.shape('OcrGraphExport', () =>
  v.object({
    document_id: s.uuid,
    pipeline_status: s.oneOf(['idle', 'complete']),
    elements: v.array(
      v.object({
        data: v.object({
          id: s.text,
          label: s.text,
          type: v.optional(s.text),
          route: v.optional(s.maybe(s.oneOf(scanRoutes))),
          confidence: v.number(),
          source: v.optional(s.text),
          target: v.optional(s.text),
        }),
      }),
    ),
    node_count: s.whole,
    edge_count: s.whole,
  }),
)
export const PartedView = s.shape('OcrChunkUpload', () =>
  v.object({
    id: s.uuid,
    original_filename: s.text,
    expected_bytes: s.whole,
    bytes_written: s.whole,
    max_chunk_bytes: s.whole,
    media_type: s.text,
    description: s.text,
    standalone_ingestion: v.boolean(),
    created_at: s.time,
  }),
)

export const uploadedView = ({ media, id, status }: Scan) => ({ media_id: media, uploaded_document_id: id, status })

/** A scanned document as an answer. `fields` are the values found in it, shown as `assertions`; lists leave them out. */
export const scanView = (it: Scan, fields: readonly Found[] = []) => ({
  id: it.id,
  media: it.media,
  file_name: it.file_name,
  description: it.description,
  cultural_entity: it.entity_id,
  submission: it.submission_id,
  ...readingView(it),
  metadata: {
    pipeline_status: it.found_at === null ? 'idle' : 'complete',
    pipeline_finished_at: it.found_at,
    pipeline_error: '',
    // A person decides on each value. None becomes a claim by itself, however high its confidence.
    assertions: fields.map((field) => ({
      subject: it.file_name,
      predicate: field.field_name,
      object: field.field_value,
      object_type: field.entity_type,
      confidence_score: field.confidence,
      route: routeOf(field.confidence),
    })),
  },
  processing_progress: { pages: it.page_count },
  finalized_at: it.finalized_at,
  created_at: it.created_at,
})

const readingView = (it: Scan) => ({
  status: it.status,
  document_type: it.document_type,
  classification_confidence: it.confidence,
  processing_started: it.started_at,
  processing_finished: it.ended_at,
  user_safe_error: it.error,
  raw_text: it.raw_text,
  provenance: it.provenance,
})

export const stateView = (state: ReviewState, { finalized_at }: Scan) => ({ ...state, finalized_at })

/** A document with its pages, line by line, and the values found. A corrected line also shows the text that was read. */
export const reviewView = (it: Scan, { pages, fields }: Reading, state: ReviewState) => ({
  document_id: it.id,
  ...readingView(it),
  file_name: it.file_name,
  pages: pages.map(({ width, height, confidence, lines }, i) => {
    const blocks = lines.map((line, k) => {
      const read = textOfLine(line)
      const corrected = state.block_corrections[`${i}_${k}`]?.corrected_text
      const sure = line.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, line.length)
      return {
        text: corrected ?? read,
        ...(corrected !== undefined && { original_text: read }),
        bbox: line.length > 0 ? [...boxAround(line)] : [0, 0, 0, 0],
        confidence: Math.round(sure * 100) / 100,
      }
    })
    const raw_text = blocks.map(({ text }) => text).join('\n')
    return { page_number: i + 1, raw_text, confidence, blocks, image_width: width, image_height: height }
  }),
  extracted_fields: fields.map(({ match, box: bbox, ...field }) => ({
    ...field,
    vocabulary_match_score: match,
    bbox: [...bbox],
  })),
  saved_review_state: stateView(state, it),
})

/** The value of highest confidence for each field. With `names`, only for these fields of a form. */
export const suggestionsView = (fields: readonly Found[], names: ReadonlySet<string> | undefined) => {
  const sorted = [...fields].sort((a, b) => a.confidence - b.confidence)
  const fitting = sorted.filter(({ field_name }) => names === undefined || names.has(field_name))
  return Object.fromEntries(
    fitting.map(({ field_name, field_value, confidence, entity_type }) => [
      field_name,
      { value: field_value, confidence, entityType: entity_type, fieldName: field_name, source: 'names_and_dates' },
    ]),
  )
}

const NO_FIELDS = 'No value was found in this document.'
/** What finalizing would hand over: the document, its values, and what is missing. */
export function scanPreview(it: Scan, fields: readonly Found[], { field_decisions }: ReviewState) {
  const root = `doc-${it.id}`
  const values = fields.map((field) => {
    const decision = field_decisions[field.id]
    return {
      id: `ef-${field.id}`,
      kind: 'field',
      field_name: field.field_name,
      label: (decision?.edited_value ?? field.field_value).slice(0, 500),
      entity_type: field.entity_type,
      confidence: field.confidence,
      uncertain: decision?.uncertain ?? false,
      linked: decision?.linked ?? null,
    }
  })
  const document = {
    kind: 'document',
    field_name: '',
    entity_type: 'DOCUMENT',
    confidence: 1,
    uncertain: false,
    linked: null,
  }
  const counts = Object.entries(Object.groupBy(values, ({ entity_type }) => entity_type))
  return {
    document_id: it.id,
    entities: [{ id: root, label: it.file_name, ...document }, ...values],
    relations: [
      ...values.map(({ id, confidence }) => ({ source: id, target: root, label: 'extracted_from', confidence })),
      ...values.slice(1).map(({ id }, i) => ({
        source: values[i]?.id ?? '',
        target: id,
        label: 'reading_order',
        confidence: 0.35,
      })),
    ],
    validation_errors: [
      ...(values.length === 0 ? [NO_FIELDS] : []),
      ...values
        .filter(({ uncertain, linked }) => uncertain && linked === null)
        .map(({ label }) => `"${label}" is uncertain, and linked to no record.`),
    ],
    counts_by_entity_type: Object.fromEntries(counts.map(([type, all = []]) => [type, all.length])),
    provenance: it.provenance,
  }
}

/** The route of a value by its confidence. No route accepts a value without a person. */
const routeOf = (confidence: number): (typeof scanRoutes)[number] =>
  confidence >= 0.7 ? 'community_review' : confidence >= 0.5 ? 'expert_review' : 'reject'

/** What a document would hand over, as nodes and edges. With `routes`, only the values that take one of these routes. */
export function scanGraph(it: Scan, preview: ReturnType<typeof scanPreview>, routes: readonly string[]) {
  const nodes = preview.entities.flatMap(({ id, label, entity_type: type, confidence, kind }) => {
    const route = kind === 'document' ? null : routeOf(confidence)
    const isShown = route === null || routes.length === 0 || routes.includes(route)
    return isShown ? [{ data: { id, label, type, route, confidence } }] : []
  })
  const shown = new Set(nodes.map(({ data }) => data.id))
  const edges = preview.relations
    .filter(({ source, target }) => shown.has(source) && shown.has(target))
    .map(({ source, target, label, confidence }) => ({
      data: { id: `${source}-${target}`, label, source, target, confidence },
    }))
  return {
    document_id: it.id,
    pipeline_status: it.found_at === null ? ('idle' as const) : ('complete' as const),
    elements: [...nodes, ...edges],
    node_count: nodes.length,
    edge_count: edges.length,
  }
}

/** The progress of a document, as an event of a stream (SSE). `retry` makes the client ask again after three seconds. */
export const scanEvent = ({ status, ...it }: ReturnType<typeof scanView>): string => {
  const { processing_progress, user_safe_error } = it
  return `retry: 3000\nevent: status\ndata: ${JSON.stringify({ status, processing_progress, user_safe_error })}\n\n`
}

/** A file that is being sent in parts, as its sender sees it. `max_chunk_bytes`: the most bytes of one part. */
export const partedView = (it: PartedScan, max_chunk_bytes: number) => ({
  id: it.id,
  original_filename: it.file_name,
  expected_bytes: it.expected_bytes,
  bytes_written: it.bytes_written,
  max_chunk_bytes,
  media_type: it.media_type,
  description: it.description,
  standalone_ingestion: true,
  created_at: it.created_at,
})
