import { mp3 } from '../harness/media-files.ts'
import { type Base, said, verdict } from './base.ts'
import type { Request } from './requests.ts'

/** Every sort of change that the service makes, each as one request to the world as it begins. */
export type Operation = { name: string; request: (base: Base) => Request; gives: number }

const keyed = (key: string): { headers: Record<string, string> } => ({ headers: { 'idempotency-key': `once-${key}` } })
const record = (it: { id: number }) => `/cidoc/structures/${it.id}/`
const at = (slug: string, rest = '') => `/data/projects/${slug}/${rest}`
const file = () => {
  const form = new FormData()
  form.set('file', new File([Uint8Array.from(mp3())], 'another.mp3', { type: 'audio/mpeg' }))
  return form
}

/** A row: who, method, path, body, and what it gives. */
type Row = [name: string, gives: number, who: string, method: string, path: (base: Base) => string, body?: (base: Base) => unknown]

const rows: readonly Row[] = [
  ['contribute', 201, 'dev', 'POST', () => '/cidoc/structures/', () => ({ name: 'Sundari Chok', coordinates: '27.6722, 85.4279', has_current_location: 'Patan Square', construction_date: '1627', assertion: said })],
  ['contribute an event', 201, 'dev', 'POST', () => '/cidoc/enshrinements/', (b) => ({ name: 'Taleju comes', enshrined_in_structure: b.second.id, enshrined_deity: 'Taleju', assertion: said })],
  ['contribute an entity', 201, 'dev', 'POST', () => '/data/cultural-entities/', () => ({ name: 'An entity', category: 'other', description: 'Told by an elder.' })],
  ['amend what waits', 200, 'dev', 'PATCH', (b) => record(b.pending), () => ({ name: 'Pending mandap II', note: 'Seen again.', assertion: said })],
  ['amend what is published', 200, 'dev', 'PATCH', (b) => record(b.open), () => ({ note: 'Five roofs.', assertion: said })],
  ['replace', 200, 'dev', 'PUT', (b) => record(b.pending), () => ({ name: 'Pending mandap anew', assertion: said })],
  ['resubmit', 200, 'dev', 'PATCH', (b) => record(b.revising), () => ({ note: 'With a source.', assertion: said })],
  ['delete', 204, 'staff', 'DELETE', (b) => record(b.second)],
  ['restore', 200, 'staff', 'POST', (b) => `${record(b.deleted)}restore/`],
  ['accept', 201, 'curator', 'POST', (b) => verdict(b.pending, {}).path, () => ({ verdict: 'accept' })],
  ['accept an edit', 201, 'curator', 'POST', (b) => verdict(b.edited, {}).path, () => ({ verdict: 'accept' })],
  ['reject', 201, 'curator', 'POST', (b) => verdict(b.pending, {}).path, () => ({ verdict: 'reject', feedback: 'Not heritage.' })],
  ['ask for changes', 201, 'curator', 'POST', (b) => verdict(b.waiting, {}).path, () => ({ verdict: 'request_changes', feedback: 'Name a source.' })],
  ['escalate', 201, 'reviewer', 'POST', (b) => verdict(b.waiting, {}).path, () => ({ verdict: 'escalate', feedback: 'Too hard.' })],
  ['claim', 200, 'reviewer', 'POST', (b) => `/data/review-queue/${b.pending.cultural_entity_id}/claim/`],
  ['assert', 201, 'other', 'POST', () => '/cidoc/assertions/', (b) => ({ entity_type: 'structure', entity_id: b.open.id, property: 'construction_date', value: '1702' })],
  ['settle a claim', 200, 'expert', 'PATCH', (b) => `/cidoc/assertions/${b.claim.id}/`, () => ({ reconciliation_status: 'accepted' })],
  ['flag', 201, 'reviewer', 'POST', () => '/data/review-flags/', (b) => ({ entity: b.open.cultural_entity_id, flag_type: 'other', reason: 'Is it?' })],
  ['resolve a flag', 200, 'curator', 'POST', (b) => `/data/review-flags/${b.flag.id}/resolve/`],
  ['comment', 201, 'other', 'POST', (b) => `/data/entities/${b.open.cultural_entity_id}/comments/`, () => ({ comment: 'Seen in spring.' })],
  ['answer', 201, 'dev', 'POST', (b) => `/data/entities/${b.open.cultural_entity_id}/comments/`, (b) => ({ comment: 'In which?', parent: b.comment.comment_id })],
  ['take a comment back', 204, 'dev', 'DELETE', (b) => `/data/comments/${b.comment.comment_id}/`],
  ['react', 200, 'expert', 'POST', () => '/data/reactions/toggle/', (b) => ({ reaction_type: 'upvote', entity_id: b.open.cultural_entity_id })],
  ['cluster', 201, 'curator', 'POST', () => '/cidoc/entity-clusters/', (b) => ({ canonical_label: 'Temples', type_scope: 'structure', members: [{ entity_type: 'structure', entity_id: b.second.id }, { entity_type: 'structure', entity_id: b.third.id }] })],
  ['amend a cluster', 200, 'curator', 'PATCH', (b) => `/cidoc/entity-clusters/${b.cluster.id}/`, () => ({ canonical_label: 'Five roofs' })],
  ['lock a cluster', 200, 'curator', 'POST', (b) => `/cidoc/entity-clusters/${b.cluster.id}/lock/`, (b) => ({ reason: 'Settled.', expected_version: b.cluster.version })],
  ['register a source', 201, 'dev', 'POST', () => '/cidoc/data_sources/', () => ({ name: 'Another source' })],
  ['delete a source', 204, 'staff', 'DELETE', (b) => `/cidoc/data_sources/${b.source.id}/`],
  ['start a project', 201, 'dev', 'POST', () => '/data/projects/', () => ({ slug: 'new-survey', title: 'A new survey', abstract: 'About it.' })],
  ['amend a project', 200, 'dev', 'PATCH', (b) => at(b.projects.draft), () => ({ title: 'Another title', visibility: 'private' })],
  ['hand in a project', 200, 'dev', 'POST', (b) => at(b.projects.draft, 'transition/'), () => ({ target_state: 'in_review', comment: 'Ready.' })],
  ['approve a project', 200, 'reviewer', 'POST', (b) => at(b.projects.in_review, 'transition/'), () => ({ target_state: 'approved', comment: 'Well.' })],
  ['merge', 200, 'expert', 'POST', (b) => at(b.projects.approved, 'transition/'), () => ({ target_state: 'merged', comment: 'Done.' })],
  ['roll a merge back', 200, 'expert', 'POST', (b) => at(b.projects.merged, 'rollback-merge/')],
  ['delete a project', 204, 'dev', 'DELETE', (b) => at(b.projects.draft)],
  ['invite', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'memberships/'), (b) => ({ user_id: b.ids.other, role: 'editor' })],
  ['link a record', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'entities/'), (b) => ({ entity: b.open.cultural_entity_id })],
  ['say in a project', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'comments/'), () => ({ comment: 'Who comes along?' })],
  ['upload', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'assets/upload/'), () => file()],
  ['announce an upload', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'assets/uploads/'), () => ({ file_name: 'a.mp3', content_type: 'audio/mpeg', size: 1000 })],
  ['amend an asset', 200, 'dev', 'PATCH', (b) => at(b.projects.draft, `assets/${b.asset}/`), () => ({ caption: 'A song' })],
  ['delete an asset', 204, 'dev', 'DELETE', (b) => at(b.projects.draft, `assets/${b.asset}/`)],
  ['apply', 201, 'dev', 'POST', () => '/data/reviewer-applications/', () => ({ requested_role: 'community_reviewer', motivation: 'I have walked all the lanes of the town and written down what stands in each of them.' })],
  ['approve an application', 200, 'staff', 'POST', (b) => `/data/reviewer-applications/${b.application.id}/approve/`],
  ['reject an application', 200, 'staff', 'POST', (b) => `/data/reviewer-applications/${b.application.id}/reject/`],
  ['appoint', 201, 'staff', 'POST', () => '/data/reviewer-roles/', (b) => ({ user_id: b.ids.dev, role: 'domain_expert' })],
  ['rename oneself', 200, 'dev', 'PATCH', () => '/user/username/', () => ({ username: 'dev-renamed' })],
  ['amend a profile', 200, 'dev', 'PATCH', (b) => `/data/user/${b.ids.dev}/`, () => ({ organization: 'Town archive', first_name: 'Devi' })],
  ['mark all as read', 200, 'dev', 'POST', () => '/data/notifications/mark_all_read/'],
  ['suggest', 201, 'other', 'POST', () => '/data/submission-suggestions/', (b) => ({ submission: b.submission.id, title: 'Better', description: 'Said better.' })],
  ['approve a suggestion', 200, 'reviewer', 'POST', (b) => `/data/submission-suggestions/${b.suggestion.id}/approve/`],
]

export const operations: readonly Operation[] = rows.map(([name, gives, who, method, path, body]) => ({
  name,
  gives,
  request: (base) => ({
    who,
    method,
    path: path(base),
    sent: { ...(body && { body: body(base) }), ...(method === 'POST' && keyed(name.replaceAll(' ', '-'))) },
  }),
}))
