import * as v from 'valibot'
import { kindKeys, kinds } from '../../../lib/kinds/index.ts'
import { maybe, oneOf, text, time, tombstone, uuid, whole } from './common.ts'
import { DatesShown } from './dates.ts'

/** Clusters, data sources, related records. */

export const Cluster = v.object({
  id: uuid,
  canonical_label: text,
  name: text,
  type_scope: text,
  registry_key: oneOf(kindKeys),
  locked: v.boolean(),
  lock_reason: text,
  note: text,
  version: whole,
  merged_into: maybe(uuid),
  curated_aliases: v.array(text),
  external_identifiers: v.record(v.string(), text),
  contributor: text,
  created_at: time,
  updated_at: time,
})
const recordId = v.union([whole, uuid])
export const ClusterMembers = v.object({
  cluster_id: uuid,
  members: v.array(
    v.object({
      entity_type: text,
      entity_id: recordId,
      display_title: text,
      membership_assertion_id: maybe(uuid),
    }),
  ),
})
const recommendation = oneOf(['create_new', 'edit_existing', 'review_merge'])
export const Candidate = v.object({
  entity_type: text,
  entity_id: recordId,
  display_title: text,
  registry_key: oneOf(kindKeys),
  completeness_score: v.number(),
  status: text,
})
export const Suggestions = v.object({
  results: v.array(
    v.object({
      id: uuid,
      canonical_label: text,
      type_scope: text,
      registry_key: oneOf(kindKeys),
      curated_aliases: v.array(text),
      external_identifiers: v.record(v.string(), text),
      member_count: whole,
      canonical_member: maybe(Candidate),
      members: v.array(Candidate),
      recommendation,
    }),
  ),
  recommendation,
})

const { fields } = kinds.data_source
const declared = Object.entries(fields).flatMap(([name, { type, aliases, vocabulary }]) => {
  const value = type === 'labels' ? v.array(text) : type === 'number' ? maybe(v.number()) : text
  const named = [name, ...aliases].map((each): [string, v.GenericSchema] => [each, value])
  return vocabulary ? [...named, [`${name}_display`, text] as const] : named
})
export const DataSource = v.object({
  id: uuid,
  ...Object.fromEntries(declared),
  access_tier: text,
  access_tier_display: text,
  ingest_status: oneOf(['pending', 'processing', 'ready', 'failed']),
  ingest_status_display: text,
  iiif_manifest: maybe(text),
  uploaded_file: maybe(text),
  contributed_by: text,
  hg_class: text,
  created_at: time,
  updated_at: time,
  ...tombstone,
})

export const Related = v.object({
  domain: text,
  entity_id: text,
  page: whole,
  page_size: whole,
  group: maybe(text),
  total_related: whole,
  groups: v.array(
    v.object({
      domain_key: oneOf(kindKeys),
      display_type: text,
      count: whole,
      page: whole,
      page_size: whole,
      has_more: v.boolean(),
      results: v.array(
        v.object({
          ...{ id: whole, domain_key: oneOf(kindKeys), name: text, summary: text, display_type: text },
          dates: v.optional(DatesShown),
        }),
      ),
    }),
  ),
})
