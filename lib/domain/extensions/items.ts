import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** The item types of proposals that the schema should grow: classes, slots and lists that the community asks for. */

export const extensionStatuses = ['draft', 'submitted', 'approved', 'rejected', 'withdrawn', 'published'] as const
export const extensionActions = ['submitted', 'withdrawn', 'approved', 'rejected', 'published'] as const

const Extension = v.object({
  id: v.string(),
  title: v.string(),
  description: v.string(),
  author_id: v.string(),
  status: v.picklist(extensionStatuses),
  /** The version of the registry when it was submitted. */
  base_schema_version: v.string(),
  /** What it would define, such as `class:Dharmashala`. Two open proposals never share one. */
  conflict_keys: v.array(v.string()),
  moderator_comment: v.string(),
  /** The version of the registry with the published part, and a hash of that part. Empty before publication. */
  published_schema_version: v.optional(v.string(), ''),
  published_extension_hash: v.optional(v.string(), ''),
  submitted_at: v.nullable(v.string()),
  resolved_at: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Extension = v.InferOutput<typeof Extension>

/** Names the list of all proposals, or of those of one person. */
export const extensionList = (user?: string) => `EXTENSION${user ? `#OF#${user}` : ''}`

export const extension = defineItem({
  type: 'extension',
  schema: Extension,
  key: ({ id }: { id: string }) => key.extension(id),
  indexes: (it) => {
    const sk = `${it.created_at}#${it.id}`
    return { gsi2: { pk: extensionList(), sk }, gsi3: { pk: extensionList(it.author_id), sk } }
  },
})

/** The YAML of a proposal. It is an item of its own, so that lists stay small. */
export const extensionText = defineItem({
  type: 'extension_text',
  schema: v.object({ id: v.string(), proposed_yaml: v.string(), version: v.number() }),
  key: ({ id }: { id: string }) => key.extensionText(id),
})

/** One step in the life of a proposal. */
const Step = v.object({
  id: v.string(),
  extension_id: v.string(),
  number: v.number(),
  action: v.picklist(extensionActions),
  from_status: v.picklist(extensionStatuses),
  to_status: v.picklist(extensionStatuses),
  comment: v.string(),
  actor_id: v.string(),
  schema_version_snapshot: v.string(),
  created_at: v.string(),
  version: v.literal(1),
})
export type Step = v.InferOutput<typeof Step>
export const extensionStep = defineItem({
  type: 'extension_step',
  schema: Step,
  key: (it: { extension_id: string; number: number }) => key.extensionStep(it.extension_id, it.number),
})

/** The claim of an open proposal to one definition. It is written only where there is none, so two open proposals never define the same. */
export const extensionClaim = defineItem({
  type: 'extension_claim',
  schema: v.object({ name: v.string(), extension_id: v.string(), version: v.literal(1) }),
  key: ({ name }: { name: string }) => key.extensionClaim(name),
})

/** A proposal as the subject of permissions. */
export type ExtensionSubject = Subject & { about: Extension; version: number }
export const asSubject = (about: Extension): ExtensionSubject => ({
  about,
  contributor_id: about.author_id,
  public: false,
  authors: [about.author_id],
  version: about.version,
})
