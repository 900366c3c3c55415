import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { alertIssues, alertStatuses, authorities } from './words.ts'

export const ReconciledLinkView = s.shape('ReconciledLink', () =>
  v.object({
    id: s.uuid,
    entity_uri: s.text,
    entity_id: s.uuid,
    match_type: s.oneOf(['exact', 'close', 'broad']),
    target_uri: s.text,
    target_label: s.text,
    authority: s.oneOf(authorities),
    is_stale: v.boolean(),
    last_verified: s.maybe(s.time),
    created_at: s.time,
    updated_at: s.time,
  }),
)
export const ExternalSuggestionsView = s.shape('ExternalSuggestions', () =>
  v.object({
    cluster_id: s.uuid,
    canonical_label: s.text,
    type_scope: s.text,
    suggestions: v.array(
      v.object({ authority: s.oneOf(authorities), iri: s.text, label: s.text, description: s.text, score: v.number() }),
    ),
  }),
)

export const CuratorAlertView = s.shape('CuratorAlert', () =>
  v.object({
    id: s.uuid,
    reconciled_link: s.uuid,
    reconciled_link_detail: ReconciledLinkView,
    issue_type: s.oneOf(alertIssues),
    status: s.oneOf(alertStatuses),
    detail: s.text,
    detected_at: s.time,
    resolved_at: s.maybe(s.time),
    resolved_by: s.maybe(s.uuid),
    resolved_by_username: s.text,
    suggested_replacement_uri: s.maybe(s.text),
    created_at: s.time,
  }),
)
