import sharp from 'sharp'
import { drawing, mp3 } from '../harness/media-files.ts'
import { said, verdict } from './base.ts'
import { at, type Operation, operationOf, post, type Row, remove } from './operation.ts'
import { communityRows } from './operations-community.ts'
import { fileRows } from './operations-files.ts'
import { peopleRows } from './operations-people.ts'
import { projectRows } from './operations-projects.ts'
import { readingRows } from './operations-reading.ts'
import { truthRows } from './operations-truth.ts'
import { moduleIn } from './world/processes.ts'
import type { World } from './world/world.ts'

const record = (it: { id: number }) => `/cidoc/structures/${it.id}/`
const event = (b: { event: { id: number } }) => `/cidoc/enshrinements/${b.event.id}/`
const source = (b: { source: { id: string } }) => `/cidoc/data_sources/${b.source.id}/`
const HIDDEN = {
  slug: 'hidden-survey',
  title: 'A survey of what is hidden',
  abstract: 'Not yet.',
  visibility: 'private',
}
const PASSWORD = 'a pass phrase of many words'
const PICTURE = await sharp(drawing(64, 48, 'Stone'))
  .png()
  .toBuffer()
const picture = (name = 'file') => {
  const form = new FormData()
  form.set(name, new File([Uint8Array.from(PICTURE)], 'stone.png', { type: 'image/png' }))
  return form
}
const SHOWN = {
  who: 'dev',
  method: 'POST',
  path: '/data/user/profile-image/',
  get sent() {
    return { body: picture('profile_image') }
  },
}
const file = () => {
  const form = new FormData()
  form.set('file', new File([Uint8Array.from(mp3())], 'another.mp3', { type: 'audio/mpeg' }))
  return form
}

/** As records are that came from the service before this one. */
async function asDraft(world: World, id: string): Promise<void> {
  const [load, items, queue, item, transaction] = await Promise.all(
    [
      'lib/domain/records/load.ts',
      'lib/domain/records/items.ts',
      'lib/domain/records/queue-entry.ts',
      'lib/engines/table/item.ts',
      'lib/engines/table/transact.ts',
    ].map((path) => moduleIn(0, path)),
  )
  await world.run({ name: 'a draft', process: 0 }, async () => {
    const old = items.recordItemOf(await load.loadRecordById(id))
    const next = item.withNextVersion(old, { status: 'draft' })
    await transaction.transact([item.put(items.recordItem, next, old), ...queue.queueWrites(old, next)])
  })
}

const rows: readonly Row[] = [
  [
    'contribute',
    201,
    'dev',
    'POST',
    () => '/cidoc/structures/',
    () => ({
      name: 'Sundari Chok',
      coordinates: '27.6722, 85.4279',
      has_current_location: 'Patan Square',
      construction_date: '1627',
      assertion: said,
    }),
  ],
  [
    'contribute an event',
    201,
    'dev',
    'POST',
    () => '/cidoc/enshrinements/',
    (b) => ({ name: 'Taleju comes', enshrined_in_structure: b.second.id, enshrined_deity: 'Taleju', assertion: said }),
  ],
  [
    'contribute an entity',
    201,
    'dev',
    'POST',
    () => '/data/cultural-entities/',
    () => ({ name: 'An entity', category: 'other', description: 'Told by an elder.' }),
  ],
  [
    'amend what waits',
    200,
    'dev',
    'PATCH',
    (b) => record(b.pending),
    () => ({ name: 'Pending mandap II', note: 'Seen again.', assertion: said }),
  ],
  [
    'amend what is published',
    200,
    'dev',
    'PATCH',
    (b) => record(b.open),
    () => ({ note: 'Five roofs.', assertion: said }),
  ],
  ['replace', 200, 'dev', 'PUT', (b) => record(b.pending), () => ({ name: 'Pending mandap anew', assertion: said })],
  ['resubmit', 200, 'dev', 'PATCH', (b) => record(b.revising), () => ({ note: 'With a source.', assertion: said })],
  ['delete', 204, 'staff', 'DELETE', (b) => record(b.second)],
  ['delete what names others', 204, 'staff', 'DELETE', (b) => event(b)],
  [
    'restore what names others',
    200,
    'staff',
    'POST',
    (b) => `${event(b)}restore/`,
    undefined,
    (b) => [remove('staff', event(b))],
  ],
  ['restore', 200, 'staff', 'POST', (b) => `${record(b.deleted)}restore/`],
  ['accept', 201, 'curator', 'POST', (b) => verdict(b.pending, {}).path, () => ({ verdict: 'accept' })],
  [
    'accept a relation',
    200,
    'curator',
    'PATCH',
    (_, made) => `/cidoc/assertions/${made.at(-1)?.body.id}/`,
    () => ({ reconciliation_status: 'accepted' }),
    (b) => [
      post('other', '/cidoc/assertions/', {
        ...{ entity_type: 'structure', entity_id: `${b.third.id}`, asserted_property: 'relationship.commissioned_by' },
        ...{ object_entity_type: 'deity', object_entity_id: `${b.deity.id}` },
      }),
    ],
  ],
  [
    'hand in a draft',
    200,
    'dev',
    'POST',
    (b) => `/data/cultural-entities/${b.pending.cultural_entity_id}/submit_for_review/`,
    undefined,
    (b) => [{ does: (world) => asDraft(world, b.pending.cultural_entity_id) }],
    // A draft is handed in once: after that there is none.
    { keyless: true },
  ],
  ['accept an edit', 201, 'curator', 'POST', (b) => verdict(b.edited, {}).path, () => ({ verdict: 'accept' })],
  [
    'reject',
    201,
    'curator',
    'POST',
    (b) => verdict(b.pending, {}).path,
    () => ({ verdict: 'reject', feedback: 'Not heritage.' }),
  ],
  [
    'ask for changes',
    201,
    'curator',
    'POST',
    (b) => verdict(b.waiting, {}).path,
    () => ({ verdict: 'request_changes', feedback: 'Name a source.' }),
  ],
  [
    'escalate',
    201,
    'reviewer',
    'POST',
    (b) => verdict(b.waiting, {}).path,
    () => ({ verdict: 'escalate', feedback: 'Too hard.' }),
  ],
  ['claim', 200, 'reviewer', 'POST', (b) => `/data/review-queue/${b.pending.cultural_entity_id}/claim/`],
  [
    'assert',
    201,
    'other',
    'POST',
    () => '/cidoc/assertions/',
    (b) => ({ entity_type: 'structure', entity_id: b.open.id, property: 'construction_date', value: '1702' }),
  ],
  [
    'settle a claim',
    200,
    'expert',
    'PATCH',
    (b) => `/cidoc/assertions/${b.claim.id}/`,
    () => ({ reconciliation_status: 'accepted' }),
  ],
  [
    'flag',
    201,
    'reviewer',
    'POST',
    () => '/data/review-flags/',
    (b) => ({ entity: b.open.cultural_entity_id, flag_type: 'other', reason: 'Is it?' }),
  ],
  ['resolve a flag', 200, 'curator', 'POST', (b) => `/data/review-flags/${b.flag.id}/resolve/`],
  [
    'comment',
    201,
    'other',
    'POST',
    (b) => `/data/entities/${b.open.cultural_entity_id}/comments/`,
    () => ({ comment: 'Seen in spring.' }),
  ],
  [
    'answer',
    201,
    'dev',
    'POST',
    (b) => `/data/entities/${b.open.cultural_entity_id}/comments/`,
    (b) => ({ comment: 'In which?', parent: b.comment.comment_id }),
  ],
  ['take a comment back', 204, 'dev', 'DELETE', (b) => `/data/comments/${b.comment.comment_id}/`],
  [
    'react',
    201,
    'expert',
    'POST',
    () => '/data/reactions/toggle/',
    (b) => ({ reaction_type: 'upvote', entity_id: b.open.cultural_entity_id }),
  ],
  [
    'cluster',
    201,
    'curator',
    'POST',
    () => '/cidoc/entity-clusters/',
    (b) => ({
      canonical_label: 'Temples',
      type_scope: 'structure',
      members: [
        { entity_type: 'structure', entity_id: b.second.id },
        { entity_type: 'structure', entity_id: b.third.id },
      ],
    }),
  ],
  [
    'amend a cluster',
    200,
    'curator',
    'PATCH',
    (b) => `/cidoc/entity-clusters/${b.cluster.id}/`,
    () => ({ canonical_label: 'Five roofs' }),
  ],
  [
    'lock a cluster',
    200,
    'curator',
    'POST',
    (b) => `/cidoc/entity-clusters/${b.cluster.id}/lock/`,
    (b) => ({ reason: 'Settled.', expected_version: b.cluster.version }),
  ],
  ['register a source', 201, 'dev', 'POST', () => '/cidoc/data_sources/', () => ({ name: 'Another source' })],
  ['delete a source', 204, 'staff', 'DELETE', (b) => `/cidoc/data_sources/${b.source.id}/`],
  [
    'start a project',
    201,
    'dev',
    'POST',
    () => '/data/projects/',
    () => ({ slug: 'new-survey', title: 'A new survey', abstract: 'About it.' }),
  ],
  [
    'amend a project',
    200,
    'dev',
    'PATCH',
    (b) => at(b.projects.draft),
    () => ({ title: 'Another title', visibility: 'private' }),
  ],
  [
    'hand in a project',
    200,
    'dev',
    'POST',
    (b) => at(b.projects.ready, 'transition/'),
    () => ({ target_state: 'in_review', comment: 'Ready.' }),
  ],
  [
    'approve a project',
    200,
    'reviewer',
    'POST',
    (b) => at(b.projects.in_review, 'transition/'),
    () => ({ target_state: 'approved', comment: 'Well.' }),
  ],
  [
    'merge',
    200,
    'expert',
    'POST',
    (b) => at(b.projects.approved, 'transition/'),
    () => ({ target_state: 'merged', comment: 'Done.' }),
  ],
  ['roll a merge back', 200, 'expert', 'POST', (b) => at(b.projects.merged, 'rollback-merge/')],
  ['delete a project', 204, 'dev', 'DELETE', (b) => at(b.projects.draft)],
  [
    'invite',
    201,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'memberships/'),
    (b) => ({ user_id: b.ids.other, role: 'editor' }),
  ],
  [
    'invite to what others do not see',
    201,
    'dev',
    'POST',
    () => at('hidden-survey', 'memberships/'),
    (b) => ({ user_id: b.ids.other, role: 'editor' }),
    () => [post('dev', '/data/projects/', HIDDEN)],
  ],
  [
    'show what others did not see',
    200,
    'dev',
    'PATCH',
    () => at('hidden-survey'),
    () => ({ visibility: 'public' }),
    (b) => [
      post('dev', '/data/projects/', HIDDEN),
      post('dev', at('hidden-survey', 'memberships/'), { user_id: b.ids.other, role: 'editor' }),
    ],
  ],
  [
    'link a record',
    201,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'entities/'),
    (b) => ({ entity: b.open.cultural_entity_id }),
  ],
  [
    'say in a project',
    201,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'comments/'),
    () => ({ comment: 'Who comes along?' }),
  ],
  ['upload', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'assets/upload/'), () => file()],
  [
    'announce an upload',
    201,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'assets/uploads/'),
    () => ({ file_name: 'a.mp3', content_type: 'audio/mpeg', size: 1000 }),
  ],
  [
    'amend an asset',
    200,
    'dev',
    'PATCH',
    (b) => at(b.projects.draft, `assets/${b.asset}/`),
    () => ({ caption: 'A song' }),
  ],
  ['delete an asset', 204, 'dev', 'DELETE', (b) => at(b.projects.draft, `assets/${b.asset}/`)],
  [
    'apply',
    201,
    'dev',
    'POST',
    () => '/data/reviewer-applications/',
    () => ({
      requested_role: 'community_reviewer',
      motivation: 'I have walked all the lanes of the town and written down what stands in each of them.',
    }),
  ],
  ['approve an application', 200, 'staff', 'POST', (b) => `/data/reviewer-applications/${b.application.id}/approve/`],
  ['reject an application', 200, 'staff', 'POST', (b) => `/data/reviewer-applications/${b.application.id}/reject/`],
  [
    'appoint',
    201,
    'staff',
    'POST',
    () => '/data/reviewer-roles/',
    (b) => ({ user_id: b.ids.dev, role: 'domain_expert' }),
  ],
  ['rename oneself', 200, 'dev', 'PATCH', () => '/user/username/', () => ({ username: 'dev-renamed' })],
  [
    'amend a profile',
    200,
    'dev',
    'PATCH',
    (b) => `/data/user/${b.ids.dev}/`,
    () => ({ organization: 'Town archive', first_name: 'Devi' }),
  ],
  ['mark all as read', 200, 'dev', 'POST', () => '/data/notifications/mark_all_read/'],
  [
    'suggest',
    201,
    'other',
    'POST',
    () => '/data/submission-suggestions/',
    (b) => ({ submission: b.submission.id, title: 'Better', description: 'Said better.' }),
  ],
  ['approve a suggestion', 200, 'reviewer', 'POST', (b) => `/data/submission-suggestions/${b.suggestion.id}/approve/`],
  ['reject a suggestion', 200, 'reviewer', 'POST', (b) => `/data/submission-suggestions/${b.suggestion.id}/reject/`],
  ['register', 201, null, 'POST', () => '/api/register/', () => ({ email: 'new@heritage.test', password: PASSWORD })],
  ['sign in', 200, null, 'POST', () => '/api/dev/login/', () => ({ email: 'dev@heritage.test' })],
  ['go on', 200, null, 'POST', () => '/api/token/refresh/', (b) => ({ refresh: b.tokens.refresh })],
  ['make a key', 201, 'dev', 'POST', () => '/api/user/keys/', () => ({ name: 'Another', scopes: ['read'] })],
  ['revoke a key', 204, 'dev', 'DELETE', (b) => `/api/user/keys/${b.key.id}/`],
  ['hook', 201, 'dev', 'POST', () => '/api/user/hooks/', () => ({ url: 'http://receiver.example/another' })],
  ['unhook', 204, 'dev', 'DELETE', (b) => `/api/user/hooks/${b.hook.id}/`],
  ['amend a source', 200, 'dev', 'PATCH', (b) => source(b), () => ({ name: 'Notes of the field' })],
  [
    'bring a source back',
    200,
    'staff',
    'POST',
    (b) => `${source(b)}restore/`,
    undefined,
    (b) => [remove('staff', source(b))],
  ],
  [
    'unlock a cluster',
    200,
    'staff',
    'POST',
    (b) => `/cidoc/entity-clusters/${b.cluster.id}/unlock/`,
    (b) => ({ reason: 'Opened again.', expected_version: b.cluster.version + 1 }),
    (b) => [
      {
        who: 'curator',
        method: 'POST',
        path: `/cidoc/entity-clusters/${b.cluster.id}/lock/`,
        sent: { body: { reason: 'Settled.', expected_version: b.cluster.version } },
      },
    ],
  ],
  [
    'amend a comment',
    200,
    'dev',
    'PATCH',
    (b) => `/data/comments/${b.comment.comment_id}/`,
    () => ({ comment: 'No.' }),
  ],
  [
    'give a claim back',
    200,
    'reviewer',
    'POST',
    (b) => `/data/review-queue/${b.pending.cultural_entity_id}/release/`,
    undefined,
    (b) => [{ who: 'reviewer', method: 'POST', path: `/data/review-queue/${b.pending.cultural_entity_id}/claim/` }],
  ],
  ['amend a flag', 200, 'reviewer', 'PATCH', (b) => `/data/review-flags/${b.flag.id}/`, () => ({ reason: 'Still.' })],
  ['delete a flag', 204, 'reviewer', 'DELETE', (b) => `/data/review-flags/${b.flag.id}/`],
  ['withdraw an application', 204, 'other', 'POST', () => '/data/reviewer-applications/mine/withdraw/'],
  ['want other letters', 200, 'other', 'PUT', () => '/data/notifications/letters/', () => ({ mode: 'daily' })],
  ['want letters', 200, 'reviewer', 'PUT', () => '/data/notifications/letters/', () => ({ mode: 'at_once' })],
  ['want no letters', 200, 'dev', 'PUT', () => '/data/notifications/letters/', () => ({ mode: 'off' })],
  [
    'keep a mapping',
    201,
    'dev',
    'POST',
    () => '/data/imports/mappings/',
    () => ({ name: 'mine', mapping: { kind: 'structure', rules: [{ field: 'name', column: 'Name' }] } }),
  ],
  ['add a picture', 201, 'dev', 'POST', () => '/data/pictures/', () => picture()],
  [
    'announce a picture',
    201,
    'dev',
    'POST',
    () => '/data/pictures/uploads/',
    () => ({ file_name: 'a.jpg', size: 1000 }),
  ],
  ['show oneself', 200, 'dev', 'POST', () => '/data/user/profile-image/', () => picture('profile_image')],
  ['show oneself no more', 200, 'dev', 'DELETE', () => SHOWN.path, undefined, () => [SHOWN]],
  ['unlink a record', 204, 'dev', 'DELETE', (b) => at(b.projects.ready, `entities/${b.link.id}/`)],
  ['dismiss', 204, 'staff', 'DELETE', (b) => `/data/reviewer-roles/${b.ids.reviewer}/`],
]

export const operations: readonly Operation[] = [
  ...rows,
  ...fileRows,
  ...communityRows,
  ...peopleRows,
  ...projectRows,
  ...readingRows,
  ...truthRows,
].map(operationOf)
