import type { Links } from '../../files/blobs.ts'
import { disposition } from '../../files/names.ts'
import type { PeopleById } from '../../users/people.ts'
import type { Asset } from '../items.ts'
import { personOf } from '../views/project.ts'

/** An asset among others: without the text that was read from it, which may be long. */
export async function assetRow(it: Asset, people: PeopleById, links: Links): Promise<Record<string, unknown>> {
  const [media, thumbnail] = await Promise.all([
    links(it.object_key, { type: it.content_type, disposition: shownAs(it) }),
    it.thumbnail_key
      ? links(it.thumbnail_key, { type: 'image/webp', disposition: disposition('inline', `${it.id}.webp`) })
      : null,
  ])
  return {
    id: it.id,
    project: it.project_id,
    media: it.media,
    media_url: media,
    thumbnail_url: thumbnail,
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
    depicts: it.depicts,
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
export const assetView = async (it: Asset, people: PeopleById, links: Links): Promise<Record<string, unknown>> => ({
  ...(await assetRow(it, people, links)),
  ocr_text: it.ocr_text,
})

/** Browsers show pictures, sound and film; a document, which may hold a program, they keep. */
const shownAs = ({ media_type, file_name }: Asset) =>
  disposition(media_type === 'document' ? 'attachment' : 'inline', file_name)
