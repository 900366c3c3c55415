import type { PeopleById } from '../../platform/users/people.ts'
import { recordIri } from '../records/iri.ts'
import type { AlertSubject, LinkSubject } from './alerts.ts'

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
