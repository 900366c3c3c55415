import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { PeopleById } from '../../platform/users/people.ts'
import { type Extension, extensionActions, extensionStatuses, type Step } from './items.ts'
import type { ChangeSummary } from './yaml.ts'

export const ExtensionRowView = s.shape('SchemaExtensionRow', () =>
  v.object({
    id: s.uuid,
    title: s.text,
    description: s.text,
    author: s.uuid,
    author_username: s.text,
    status: s.oneOf(extensionStatuses),
    base_schema_version: s.text,
    conflict_keys: v.array(s.text),
    moderator_comment: s.text,
    published_schema_version: s.text,
    published_extension_hash: s.text,
    submitted_at: s.maybe(s.time),
    resolved_at: s.maybe(s.time),
    created_at: s.time,
    updated_at: s.time,
  }),
)
export const ExtensionView = s.shape('SchemaExtension', () =>
  v.object({
    ...ExtensionRowView.entries,
    proposed_yaml: s.text,
    change_summary: v.object({
      classes: v.array(v.object({ name: s.text, slots: v.array(s.text) })),
      enums: v.array(v.object({ name: s.text, values_sample: v.array(s.text) })),
      top_level_keys: v.optional(v.array(s.text)),
      notes: v.optional(s.text),
      error: v.optional(s.text),
      detail: v.optional(s.text),
    }),
  }),
)
export const ExtensionStepView = s.shape('SchemaExtensionStep', () =>
  v.object({
    id: s.uuid,
    action: s.oneOf(extensionActions),
    from_status: s.oneOf(extensionStatuses),
    to_status: s.oneOf(extensionStatuses),
    comment: s.text,
    actor_username: s.text,
    schema_version_snapshot: s.text,
    created_at: s.time,
  }),
)

/** A proposal as lists show it, without its YAML. */
export const extensionRow = (it: Extension, people: PeopleById) => ({
  id: it.id,
  title: it.title,
  description: it.description,
  author: it.author_id,
  author_username: people(it.author_id)?.username ?? '',
  status: it.status,
  base_schema_version: it.base_schema_version,
  conflict_keys: it.conflict_keys,
  moderator_comment: it.moderator_comment,
  published_schema_version: '',
  published_extension_hash: '',
  submitted_at: it.submitted_at,
  resolved_at: it.resolved_at,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** A proposal with its YAML, and in short what it would define. */
export const extensionView = (
  it: Extension,
  people: PeopleById,
  proposed_yaml: string,
  change_summary: ChangeSummary,
) => ({
  ...extensionRow(it, people),
  proposed_yaml,
  change_summary,
})

export const stepView = (it: Step, people: PeopleById) => ({
  id: it.id,
  action: it.action,
  from_status: it.from_status,
  to_status: it.to_status,
  comment: it.comment,
  actor_username: people(it.actor_id)?.username ?? '',
  schema_version_snapshot: it.schema_version_snapshot,
  created_at: it.created_at,
})
