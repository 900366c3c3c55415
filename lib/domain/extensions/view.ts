import type { PeopleById } from '../../platform/users/people.ts'
import type { Extension, Step } from './items.ts'
import type { ChangeSummary } from './yaml.ts'

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
  published_schema_version: it.published_schema_version,
  published_extension_hash: it.published_extension_hash,
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
