import * as v from 'valibot'
import { mediaClasses } from '../../../lib/files/media/types.ts'
import { kindKeys } from '../../../lib/kinds/index.ts'
import {
  assetRoles,
  licenses,
  memberRoles,
  ocrStatuses,
  projectActions,
  visibilities,
} from '../../../lib/projects/items.ts'
import { projectStates } from '../../../lib/projects/states.ts'
import { statuses } from '../../../lib/records/rules/status.ts'
import { Reactions } from './comment.ts'
import { Author, maybe, oneOf, text, time, uuid, Values, whole } from './common.ts'

import { Change } from './entity.ts'
import { Conflict } from './review.ts'

/** Projects and what belongs to them: members, linked records, assets, comments, what happened. */

/** Someone in a project. The address is always "". */
export const Participant = v.object({ id: uuid, username: text, email: text })

export const ProjectRow = v.object({
  id: uuid,
  slug: text,
  title: text,
  abstract: text,
  intended_subject: text,
  languages: v.array(text),
  license: oneOf(licenses),
  owner: Participant,
  visibility: oneOf(visibilities),
  state: oneOf(projectStates),
  forked_from: maybe(uuid),
  tags: v.array(text),
  pid: text,
  asset_count: whole,
  entity_count: whole,
  collaborator_count: whole,
  submitted_at: maybe(time),
  merged_at: maybe(time),
  created_at: time,
  updated_at: time,
})

export const Membership = v.object({
  id: uuid,
  project: uuid,
  user: Participant,
  role: oneOf(memberRoles),
  invited_by: maybe(Participant),
  created_at: time,
  updated_at: time,
})

/** A linked record. Of one that the caller may not see, `entity` is null and what describes it is "". */
export const ProjectEntity = v.object({
  id: uuid,
  project: uuid,
  entity: maybe(uuid),
  entity_name: text,
  entity_category: text,
  entity_status: oneOf(['', ...statuses]),
  role_in_project: text,
  added_by: Participant,
  added_at: time,
})

/** A record that the text of an asset may speak of. */
export const EntitySuggestion = v.object({
  label: text,
  ontology_class: v.optional(text),
  confidence: v.optional(v.number()),
  hint: v.optional(text),
})
export const AssetRow = v.object({
  id: uuid,
  project: uuid,
  media: whole,
  media_url: text,
  thumbnail_url: maybe(text),
  media_type: oneOf(mediaClasses),
  content_type: text,
  file_name: text,
  size: whole,
  sha256: text,
  width: maybe(whole),
  height: maybe(whole),
  orientation: maybe(whole),
  role: oneOf(assetRoles),
  caption: text,
  version_label: text,
  source_institution: text,
  collection_name: text,
  language: text,
  ocr_language: text,
  copyright_note: text,
  depicts: maybe(uuid),
  creator: text,
  licence: text,
  date: text,
  ocr_status: oneOf(ocrStatuses),
  ocr_error: text,
  uploaded_document_id: v.null(),
  entity_suggestions: v.array(EntitySuggestion),
  uploaded_by: Participant,
  created_at: time,
  updated_at: time,
})
/** An asset with the text that was read from it. */
export const Asset = v.object({ ...AssetRow.entries, ocr_text: text })

/** What is posted to the bucket, as a form with these fields and then the file as `file`. */
export const AnnouncedUpload = v.object({
  asset_id: uuid,
  upload: v.object({ url: text, fields: v.record(v.string(), text), expires_at: time }),
})
/** A file that is too large for a form, and where it can be announced instead. */
export const TooLarge = v.object({ detail: text, upload_url: text })

/** What goes on with a project by itself: of how many records how many are done. Meanwhile it takes no edits. */
export const ProjectMerge = v.object({
  state: v.literal('running'),
  action: oneOf(['merge', 'rollback']),
  done: whole,
  of: whole,
})

/** A project with all that belongs to it, and what the caller may do with it. */
export const Project = v.object({
  ...ProjectRow.entries,
  schema_version: text,
  canvas_state: Values,
  prov_activity_uri: text,
  named_graph_uri: text,
  memberships: v.array(Membership),
  assets: v.array(AssetRow),
  entities: v.array(ProjectEntity),
  merge: maybe(ProjectMerge),
  allowed_transitions: v.array(oneOf(projectStates)),
  can_edit: v.boolean(),
  is_read_only: v.boolean(),
})

/** Something that happened in a project; without an actor, the service itself did it. */
export const ProjectActivity = v.object({
  id: uuid,
  project: uuid,
  actor: maybe(Participant),
  action: oneOf(projectActions),
  target_kind: text,
  target_id: text,
  payload: Values,
  created_at: time,
})

/** A comment with the replies to it; one that is deleted has no text, and an author without id. */
export const ProjectComment: v.GenericSchema = v.object({
  comment_id: text,
  id: whole,
  project: uuid,
  user: Author,
  comment: text,
  parent: maybe(whole),
  is_deleted: v.boolean(),
  created_at: time,
  updated_at: time,
  reply_count: whole,
  replies_next: maybe(text),
  replies: v.array(v.lazy(() => ProjectComment)),
  reaction_summary: Reactions,
})

/** What a merge would make of a linked record. */
export const ForeseenRecord = v.object({
  ...ProjectEntity.entries,
  outcome: oneOf(['accepted', 'blocked', 'left']),
  blocker: maybe(text),
  becomes: maybe(v.object({ status: oneOf(statuses), is_published: v.boolean(), revision: maybe(whole) })),
  difference: v.array(Change),
  conflicts: v.array(Conflict),
  look_alikes: v.array(
    v.object({ entity_id: uuid, how: oneOf(['same_identity', 'same_name', 'close']), name: text, linked: v.boolean() }),
  ),
})
/** What is said of a merge beside its records: what would refuse it, how large it is, and about how many seconds it takes. */
export const mergePreview = {
  blockers: v.array(text),
  size: v.object({
    records: whole,
    planned: whole,
    accepted: whole,
    blocked: whole,
    left: whole,
    writes: whole,
    bytes: whole,
    parts: whole,
  }),
  seconds: whole,
  goes_on_alone: v.boolean(),
}

const drawn = { id: text, label: text, description: text, apiEndpoint: text, roleInProject: text }
/** A linked record in the drawing; `rawData` is its row in the list of its kind. */
export const DrawnRecord = v.object({
  ...drawn,
  category: text,
  entityType: oneOf(kindKeys),
  status: oneOf(statuses),
  rawData: Values,
})
/** An asset in the drawing. */
export const DrawnAsset = v.object({
  ...drawn,
  category: v.literal('asset'),
  entityType: oneOf(mediaClasses),
  roleInProject: oneOf(assetRoles),
  status: oneOf(ocrStatuses),
  rawData: v.object({ id: uuid, role: oneOf(assetRoles), media_type: oneOf(mediaClasses), version_label: text }),
})
export const ProjectGraph = v.object({
  nodes: v.array(v.union([DrawnRecord, DrawnAsset])),
  edges: v.array(v.object({ id: text, source: uuid, target: uuid, label: text, edgeType: v.literal('relation') })),
  isDemo: v.boolean(),
  truncated: v.boolean(),
})
