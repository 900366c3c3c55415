import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { projectStates } from './states.ts'

// The item types of a project's partition: the project with its members, its assets and links, its activities and snapshots.

const text = v.optional(v.string(), '')
const nullableText = v.optional(v.nullable(v.string()), null)

export const visibilities = ['private', 'org', 'public'] as const
export const licenses = ['CC-BY-4.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'CC0-1.0', 'ODbL-1.0'] as const
export const memberRoles = ['owner', 'editor', 'viewer', 'domain_expert'] as const

const Membership = v.object({
  id: v.string(),
  user_id: v.string(),
  role: v.picklist(memberRoles),
  invited_by: nullableText,
  created_at: v.string(),
  updated_at: v.string(),
})
export type Membership = v.InferOutput<typeof Membership>

/** A request to merge a project. The state of the project tells whether the request is open or decided. */
const Request = v.object({
  summary: v.string(),
  justification: v.string(),
  scope: v.picklist(['whole', 'subset']),
  opened_by: v.string(),
  opened_at: v.string(),
  reviewed_by: nullableText,
  reviewer_note: text,
  /** How many values the merge would add, and how many contradict others. Counted when the request was opened. */
  added_count: v.number(),
  conflict_count: v.number(),
  /** The merge as an activity in linked data, and the records that it made public. */
  activity: nullableText,
  new_records: v.optional(v.array(v.string()), []),
})
export type ProjectRequest = v.InferOutput<typeof Request>

/** A project with its members, so that one read is enough to decide what a caller may do. */
export const Project = v.object({
  id: v.string(),
  slug: v.string(),
  title: v.string(),
  abstract: text,
  intended_subject: text,
  languages: v.optional(v.array(v.string()), []),
  license: v.picklist(licenses),
  visibility: v.picklist(visibilities),
  state: v.picklist(projectStates),
  owner_id: v.string(),
  /** The first membership is the owner's. */
  memberships: v.array(Membership),
  forked_from: nullableText,
  schema_version: text,
  canvas_state: v.optional(v.record(v.string(), v.any()), {}),
  tags: v.optional(v.array(v.string()), []),
  pid: text,
  prov_activity_uri: text,
  asset_count: v.number(),
  entity_count: v.number(),
  activity_count: v.number(),
  submitted_at: nullableText,
  merged_at: nullableText,
  /** Who sent it in last. They do not decide on it. */
  sent_by: nullableText,
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: nullableText,
  /** The latest request to merge it. Null if the project was never sent in by a merge request. */
  request: v.optional(v.nullable(Request), null),
  /** The merge or rollback that runs in the background. Until it ends, edits of the project get 409. merge-job.ts stores its progress. */
  merge: v.optional(
    v.nullable(v.object({ id: v.string(), action: v.picklist(['merge', 'rollback']), of: v.number() })),
    null,
  ),
  version: v.number(),
})
export type Project = v.InferOutput<typeof Project>
/** The index partition of deleted projects that still have files. Merged projects keep their files and are not in it. */
export const DELETED_WITH_FILES = 'DELETED'
export const project = defineItem({
  type: 'project',
  schema: Project,
  key: ({ id }: { id: string }) => key.project(id),
  indexes: (it) =>
    it.deleted_at !== null && it.merged_at === null && it.asset_count > 0
      ? { gsi1: { pk: DELETED_WITH_FILES, sk: `${it.deleted_at}#${it.id}` } }
      : {},
})

/** A project as the subject of permissions. */
export type ProjectSubject = Subject & { about: Project; version: number }

/** Returns a project with the members by which permissions decide. */
export const asSubject = (it: Project): ProjectSubject => ({
  about: it,
  contributor_id: it.owner_id,
  public: it.visibility === 'public',
  deleted_at: it.deleted_at,
  project: {
    state: it.state,
    roles: Object.fromEntries(it.memberships.map(({ user_id, role }) => [user_id, role])),
    // A project that an earlier version stored has it in its request alone.
    sent_by: it.sent_by ?? it.request?.opened_by ?? null,
  },
  version: it.version,
})

/** The claim to a slug. The first project that writes it gets the slug. */
export const slugClaim = defineItem({
  type: 'project_slug',
  schema: v.object({ slug: v.string(), project_id: v.string(), version: v.literal(1) }),
  key: ({ slug }: { slug: string }) => key.slug(slug),
})

/** The link of a record to a project. The record's id is in the key, so a record is linked once. */
export const ProjectEntity = v.object({
  id: v.string(),
  project_id: v.string(),
  entity_id: v.string(),
  role_in_project: text,
  added_by: v.string(),
  added_at: v.string(),
  version: v.number(),
})
export type ProjectEntity = v.InferOutput<typeof ProjectEntity>
export const projectEntity = defineItem({
  type: 'project_entity',
  schema: ProjectEntity,
  key: (it: { project_id: string; entity_id: string }) => key.projectEntity(it.project_id, it.entity_id),
})

export const assetRoles = ['evidence', 'primary', 'reference'] as const
export const ocrStatuses = ['not_started', 'not_applicable', 'pending', 'processing', 'completed', 'failed'] as const
const Suggestion = v.object({
  label: v.string(),
  ontology_class: v.optional(v.string()),
  confidence: v.optional(v.number()),
  hint: v.optional(v.string()),
})
/** The record that an image shows, and the credits. With a record, the merge makes the image a picture of that record. */
export const pictureOfAsset = {
  depicts: nullableText,
  creator: text,
  /** An SPDX identifier or a statement of rightsstatements.org. If empty, the project's licence holds. */
  licence: text,
  date: text,
}
export const Asset = v.object({
  id: v.string(),
  project_id: v.string(),
  role: v.picklist(assetRoles),
  caption: text,
  version_label: text,
  /** The number of its file. Older clients send it instead of an upload. */
  media: v.number(),
  content_type: v.string(),
  media_type: v.picklist(['image', 'video', 'audio', 'document']),
  file_name: text,
  size: v.number(),
  sha256: v.string(),
  width: v.optional(v.nullable(v.number()), null),
  height: v.optional(v.nullable(v.number()), null),
  orientation: v.optional(v.nullable(v.number()), null),
  object_key: v.string(),
  thumbnail_key: nullableText,
  /** How many workers in a row began to draw the thumbnail and did not finish. See lib/engines/table/takes.ts. */
  thumbnail_takes: v.optional(v.number(), 0),
  /** A sentence that says why drawing the thumbnail was given up. */
  thumbnail_error: text,
  ocr_status: v.picklist(ocrStatuses),
  ocr_text: text,
  /** The reason why no text could be read, as a sentence. */
  ocr_error: text,
  /** The time since which it waits for OCR or is read. Null if no OCR is in progress. */
  ocr_since: nullableText,
  ocr_attempts: v.optional(v.number(), 0),
  /** The version of the members that people change. It is the ETag. A later thumbnail or text does not raise it. */
  edition: v.optional(v.number(), 1),
  entity_suggestions: v.optional(v.array(Suggestion), []),
  uploaded_by: v.string(),
  source_institution: text,
  collection_name: text,
  language: text,
  ocr_language: text,
  copyright_note: text,
  ...pictureOfAsset,
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Asset = v.InferOutput<typeof Asset>
export const asset = defineItem({
  type: 'project_asset',
  schema: Asset,
  key: (it: { project_id: string; id: string }) => key.asset(it.project_id, it.id),
  // A sparse index of assets whose OCR is in progress. By it the sweeper finds assets that wait too long.
  indexes: (it) => (it.ocr_since === null ? {} : { gsi2: { pk: 'OCR', sk: `${it.ocr_since}#${it.id}` } }),
})

/** Whether text can be read from an asset: from images and PDFs. */
export const isReadable = ({ media_type }: Pick<Asset, 'media_type'>): boolean =>
  media_type === 'image' || media_type === 'document'

/** The size of an image as it is shown. Undefined for other files, and if it is unknown. The EXIF orientations 5 to 8 swap width and height. */
export function uprightSize({ media_type, width, height, orientation }: Asset): Size | undefined {
  if (media_type !== 'image' || width === null || height === null) return undefined
  return (orientation ?? 1) >= 5 ? { width: height, height: width } : { width, height }
}
type Size = { width: number; height: number }

export const projectActions = [
  'created',
  'updated',
  'state_changed',
  'member_added',
  'member_removed',
  'asset_added',
  'asset_removed',
  'entity_linked',
  'entity_unlinked',
  'commented',
  'merge_started',
  'merge_failed',
] as const
export const ProjectActivity = v.object({
  id: v.string(),
  project_id: v.string(),
  /** Its ordinal among the project's activities, from 1. */
  number: v.number(),
  /** Null if the service itself did it. */
  actor_id: nullableText,
  action: v.picklist(projectActions),
  target_kind: text,
  target_id: text,
  payload: v.optional(v.record(v.string(), v.any()), {}),
  created_at: v.string(),
  version: v.number(),
})
export type ProjectActivity = v.InferOutput<typeof ProjectActivity>
/** The sort key is the number, and the project holds the count. So a page at any offset is one query. */
export const projectActivity = defineItem({
  type: 'project_activity',
  schema: ProjectActivity,
  key: (it: { project_id: string; number: number }) => key.projectActivity(it.project_id, it.number),
})

/** The object in which the state of a project before a merge is stored. */
export const ProjectSnapshot = v.object({
  id: v.string(),
  project_id: v.string(),
  merged_by: nullableText,
  /** The digest of the stored bytes. It is part of the object's key. */
  sha256: v.string(),
  object_key: v.string(),
  size: v.number(),
  /** The time of the rollback. Null if the merge was not rolled back. */
  restored_at: nullableText,
  /** Set from the rollback until its second look: the number of the rollback's activity. */
  second_look: v.optional(v.nullable(v.number()), null),
  created_at: v.string(),
  version: v.number(),
})
export type ProjectSnapshot = v.InferOutput<typeof ProjectSnapshot>
/** The index partition of rollbacks whose records are to be looked at again. */
export const SECOND_LOOK = 'ROLLBACK#SECOND_LOOK'
export const projectSnapshot = defineItem({
  type: 'project_snapshot',
  schema: ProjectSnapshot,
  key: (it: { project_id: string; id: string; created_at: string }) =>
    key.snapshot(it.project_id, it.created_at, it.id),
  indexes: ({ second_look, restored_at, id }) =>
    second_look === null ? {} : { gsi2: { pk: SECOND_LOOK, sk: `${restored_at}#${id}` } },
})
