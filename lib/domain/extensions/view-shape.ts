import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { extensionActions, extensionStatuses } from './items.ts'

// A file of its own: a process loads the shapes when it starts, and the views with the first proposal.

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
/** A published proposal also shows its version and hash under the names of the registry. */
export const PublishedExtensionView = s.shape('PublishedSchemaExtension', () =>
  v.object({ ...ExtensionView.entries, schema_version: s.text, extension_hash: s.text }),
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
