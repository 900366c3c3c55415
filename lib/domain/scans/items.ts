import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** The item types of scanned documents. The wire calls them OCR documents. */

export const scanStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export const documentTypes = [
  'pdf_digital',
  'pdf_scanned',
  'image_print',
  'image_handwritten',
  'image_inscription',
] as const

const text = v.optional(v.string(), '')
const nullableText = v.optional(v.nullable(v.string()), null)

const Scan = v.object({
  id: v.string(),
  /** The number of its file. Older clients use it. */
  media: v.number(),
  owner_id: v.string(),
  /** The review identity of the record that it is about. Null for a document by itself. */
  entity_id: nullableText,
  submission_id: text,
  file_name: v.string(),
  description: text,
  /** Where the document comes from, as the sender says: institution, collection, languages, copyright. */
  provenance: v.record(v.string(), v.string()),
  content_type: text,
  media_type: text,
  size: v.number(),
  sha256: text,
  width: v.optional(v.nullable(v.number()), null),
  height: v.optional(v.nullable(v.number()), null),
  /** The object with the file. Null if the file that was sent is broken or of another type. */
  object_key: nullableText,
  status: v.picklist(scanStatuses),
  document_type: v.picklist(documentTypes),
  /** Why no text could be read, as a sentence. */
  error: text,
  ocr_since: nullableText,
  ocr_attempts: v.optional(v.number(), 0),
  started_at: nullableText,
  ended_at: nullableText,
  /** The beginning of the text. Pages with boxes are in the bucket. */
  raw_text: text,
  confidence: v.number(),
  page_count: v.optional(v.number(), 0),
  /** When values were last searched in the text. A repeated search reads the corrected lines. */
  found_at: nullableText,
  finalized_at: nullableText,
  /** The review identity of the record that was made or changed when the review of the document ended. */
  made: nullableText,
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Scan = v.InferOutput<typeof Scan>

/** Names the list of a person's documents, of all or of one status. */
export const scanList = (user: string, status?: string) => `SCAN#OF#${user}${status ? `#${status}` : ''}`
/** The index partition of documents that wait for OCR or are being read, those that wait longest first. */
export const READING = 'SCAN#READING'

export const scan = defineItem({
  type: 'scan',
  schema: Scan,
  key: ({ id }: { id: string }) => key.scan(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return {
      gsi3: { pk: scanList(it.owner_id), sk },
      gsi4: { pk: scanList(it.owner_id, it.status), sk },
      ...(it.ocr_since !== null && { gsi2: { pk: READING, sk: `${it.ocr_since}#${it.id}` } }),
    }
  },
  counted: (it) => [scanList(it.owner_id), scanList(it.owner_id, it.status)],
})

/** The decisions and corrections of people on a document. They are stored as JSON text, because DynamoDB refuses some numbers. */
export const scanReview = defineItem({
  type: 'scan_review',
  schema: v.object({ id: v.string(), state: v.string(), version: v.number() }),
  key: ({ id }: { id: string }) => key.scanReview(id),
})

/** A file that is sent in parts. */
const PartedScan = v.object({
  id: v.string(),
  owner_id: v.string(),
  file_name: v.string(),
  expected_bytes: v.number(),
  bytes_written: v.number(),
  media_type: text,
  description: text,
  provenance: v.record(v.string(), v.string()),
  /** The objects of the bucket, in order. The bucket deletes them after three days. */
  parts: v.array(
    v.object({
      object_key: v.string(),
      from: v.number(),
      size: v.number(),
      /** Set if the object is a whole form, as the REST API stores it. Until it is `measured`, `size` is the expected one. */
      form: v.optional(v.picklist(['expected', 'measured'])),
    }),
  ),
  /** The id of the document that was made of the parts. The item stays, so that a repeated request finds it. */
  scan_id: v.optional(v.string()),
  until: v.number(),
  created_at: v.string(),
  version: v.number(),
})
export type PartedScan = v.InferOutput<typeof PartedScan>
export type ScanPart = PartedScan['parts'][number]
export const partedScan = defineItem({
  type: 'parted_scan',
  schema: PartedScan,
  key: ({ id }: { id: string }) => key.partedScan(id),
  expires: (it) => it.until,
})

/** A document as the subject of permissions. Once it is finalized, reviewers may read it, since a contribution cites it. */
export type ScanSubject = Subject & { about: Scan; version: number }
export const asSubject = (about: Scan): ScanSubject => ({
  about,
  contributor_id: about.owner_id,
  public: about.finalized_at !== null,
  version: about.version,
})

const Box = v.tuple([v.number(), v.number(), v.number(), v.number()])
const Word = v.object({ text: v.string(), confidence: v.number(), box: Box })
const Page = v.object({
  width: v.number(),
  height: v.number(),
  confidence: v.number(),
  lines: v.array(v.array(Word)),
})
export type Page = v.InferOutput<typeof Page>

/** A value that was found in the text, with its place: a page from 1, and a box in pixels. */
const Found = v.object({
  id: v.string(),
  field_name: v.string(),
  field_value: v.string(),
  confidence: v.number(),
  entity_type: v.string(),
  /** 1 if the value is the name of a record, in any spelling; else null. */
  match: v.nullable(v.number()),
  page_number: v.number(),
  box: Box,
  record: v.nullable(v.object({ resource_key: v.string(), id: v.number(), entity_id: v.string(), label: v.string() })),
})
export type Found = v.InferOutput<typeof Found>

/** The text that was read from a document, with the values found in it, as the bucket holds them. */
export const Reading = v.object({ pages: v.array(Page), fields: v.array(Found) })
export type Reading = v.InferOutput<typeof Reading>
