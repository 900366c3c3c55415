import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import type { Links } from '../../../engines/bucket/index.ts'
import { contentDisposition, mediaClasses } from '../../../engines/media/index.ts'
import type { PeopleById } from '../../../platform/users/people.ts'
import { type Asset, assetRoles, ocrStatuses } from '../items.ts'
import type { Knows } from '../referenced.ts'
import { ParticipantView, personOf } from '../views/participant.ts'

/** A record that the text of an asset may name. */
const EntitySuggestionView = s.shape('EntitySuggestion', () =>
  v.object({
    label: s.text,
    ontology_class: v.optional(s.text),
    confidence: v.optional(v.number()),
    hint: v.optional(s.text),
  }),
)
export const AssetRowView = s.shape('AssetRow', () =>
  v.object({
    id: s.uuid,
    project: s.uuid,
    media: s.whole,
    media_url: s.text,
    thumbnail_url: s.maybe(s.text),
    thumbnail_error: s.text,
    media_type: s.oneOf(mediaClasses),
    content_type: s.text,
    file_name: s.text,
    size: s.whole,
    sha256: s.text,
    width: s.maybe(s.whole),
    height: s.maybe(s.whole),
    orientation: s.maybe(s.whole),
    role: s.oneOf(assetRoles),
    caption: s.text,
    version_label: s.text,
    source_institution: s.text,
    collection_name: s.text,
    language: s.text,
    ocr_language: s.text,
    copyright_note: s.text,
    depicts: s.maybe(s.uuid),
    creator: s.text,
    licence: s.text,
    date: s.text,
    ocr_status: s.oneOf(ocrStatuses),
    ocr_error: s.text,
    uploaded_document_id: v.null(),
    entity_suggestions: v.array(EntitySuggestionView),
    uploaded_by: ParticipantView,
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** What a view of an asset looks up: who uploaded it, links to its files, and whether the caller may know the record that it shows. */
export type AssetContext = { people: PeopleById; links: Links; knows: Knows }

/** An asset in a list, without the text that was read from it, which may be long. */
export async function assetRow(
  it: Asset,
  { people, links, knows }: AssetContext,
): Promise<s.Output<typeof AssetRowView>> {
  const [media, thumbnail] = await Promise.all([
    links(it.object_key, { type: it.content_type, disposition: dispositionOf(it) }),
    it.thumbnail_key
      ? links(it.thumbnail_key, { type: 'image/webp', disposition: contentDisposition('inline', `${it.id}.webp`) })
      : null,
  ])
  return {
    id: it.id,
    project: it.project_id,
    media: it.media,
    media_url: media,
    thumbnail_url: thumbnail,
    thumbnail_error: it.thumbnail_error,
    media_type: it.media_type,
    content_type: it.content_type,
    file_name: it.file_name,
    size: it.size,
    sha256: it.sha256,
    width: it.width,
    height: it.height,
    orientation: it.orientation,
    role: it.role,
    caption: it.caption,
    version_label: it.version_label,
    source_institution: it.source_institution,
    collection_name: it.collection_name,
    language: it.language,
    ocr_language: it.ocr_language,
    copyright_note: it.copyright_note,
    depicts: it.depicts && knows(it.depicts) ? it.depicts : null,
    creator: it.creator,
    licence: it.licence,
    date: it.date,
    ocr_status: it.ocr_status,
    ocr_error: it.ocr_error,
    uploaded_document_id: null,
    entity_suggestions: it.entity_suggestions,
    uploaded_by: personOf(people, it.uploaded_by),
    created_at: it.created_at,
    updated_at: it.updated_at,
  }
}

/** An asset with the text that was read from it. */
export const AssetView = s.shape('Asset', () => v.object({ ...AssetRowView.entries, ocr_text: s.text }))

export const assetView = async (it: Asset, context: AssetContext): Promise<s.Output<typeof AssetView>> => ({
  ...(await assetRow(it, context)),
  ocr_text: it.ocr_text,
})

/** Browsers show images, sound and video. They download documents, since those may hold scripts. */
const dispositionOf = ({ media_type, file_name }: Asset) =>
  contentDisposition(media_type === 'document' ? 'attachment' : 'inline', file_name)
