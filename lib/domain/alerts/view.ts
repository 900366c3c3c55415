import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import type { PeopleById } from '../../platform/users/people.ts'
import { recordIri } from '../records/iri.ts'
import type { AlertSubject, LinkSubject } from './alerts.ts'
import { alertIssues, alertStatuses, authorities } from './items.ts'

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

/** Shows a link of a record to the same thing elsewhere. */
export const linkView = ({ link, record }: Pick<LinkSubject, 'link' | 'record'>, origin: string) => ({
  id: link.id,
  entity_uri: recordIri(origin, record),
  entity_id: link.entity_id,
  match_type: 'exact',
  target_uri: link.target_uri,
  target_label: link.target_label,
  authority: link.authority,
  is_stale: link.is_stale,
  last_verified: link.last_verified,
  created_at: link.created_at,
  updated_at: link.updated_at,
})

/** Shows an alert with its link. */
export const alertView = ({ alert, link, record }: AlertSubject, people: PeopleById, origin: string) => ({
  id: alert.id,
  reconciled_link: alert.link_id,
  reconciled_link_detail: linkView({ link, record }, origin),
  issue_type: alert.issue_type,
  status: alert.status,
  detail: alert.detail,
  detected_at: alert.detected_at,
  resolved_at: alert.resolved_at,
  resolved_by: alert.resolved_by,
  resolved_by_username: people(alert.resolved_by)?.username ?? '',
  suggested_replacement_uri: alert.suggested_replacement_uri,
  created_at: alert.created_at,
})
