import { mp3 } from '../harness/media-files.ts'
import { type Base, type Made, move, said, verdict } from './base.ts'
import {
  aCandidate,
  aDocument,
  aFork,
  aNote,
  anAlert,
  anApprovedExtension,
  anOrganization,
  aRelationship,
  aRequest,
  aReviewedDocument,
  aThing,
  joining,
  judged,
  onAlert,
  onDocument,
  onRelationship,
  onRequest,
  onSchema,
  onThing,
  resolving,
  reviewed,
} from './operations-community.ts'
import { another, cited, ruling, withdrawn } from './operations-truth.ts'
import {
  all,
  allKept,
  anything,
  atLeast,
  both,
  closedAsItWas,
  decided,
  exactly,
  linksStand,
  orConflict,
  type Race,
  thereAre,
} from './race-checks.ts'
import { mergeLater } from './rare-jobs.ts'
import { type Answer, type Request, send } from './requests.ts'
import type { Step } from './steps.ts'
import { moduleIn } from './world/processes.ts'
import type { World } from './world/world.ts'

const post = (who: string, path: string, body?: unknown, headers?: Record<string, string>): Request => ({
  who,
  method: 'POST',
  path,
  sent: { ...(body !== undefined && { body }), ...(headers && { headers }) },
})
const patch = (who: string, path: string, body: object, headers?: Record<string, string>): Request => ({
  who,
  method: 'PATCH',
  path,
  sent: { body, ...(headers && { headers }) },
})
const remove = (who: string, path: string): Request => ({ who, method: 'DELETE', path })
const record = (it: Made) => `/cidoc/structures/${it.id}/`
const decide = (who: string, it: Made, body: object): Request => verdict(it, body, who)
const accept = (who: string, it: Made) => decide(who, it, { verdict: 'accept' })
const reject = (who: string, it: Made) => decide(who, it, { verdict: 'reject', feedback: 'No.' })
const project = (slug: string, rest = '') => `/data/projects/${slug}/${rest}`
const thread = (it: Made) => `/data/entities/${it.cultural_entity_id}/comments/`
const member = (it: Made) => ({ entity_type: 'structure', entity_id: it.id })
const structure = (name: string, more: object = {}) => ({ name, assertion: said, ...more })
const comment = (id: string) => `/data/comments/${id}/`
const react = (who: string, b: Base, reaction_type = 'upvote') =>
  post(who, '/data/reactions/toggle/', { reaction_type, entity_id: b.open.cultural_entity_id })
const file = () => {
  const it = new FormData()
  it.set('file', new File([Uint8Array.from(mp3())], 'third.mp3', { type: 'audio/mpeg' }))
  return it
}
const batch = () => {
  const it = new FormData()
  const rows = ['Temple name,Year built,Source', 'Gokarna,1582,Survey', 'Balaju,1747,Survey', 'Sankhu,1655,Survey']
  it.set('file', new File([rows.join('\r\n')], 'temples.csv', { type: 'text/csv' }))
  return it
}
/** A table of places, to which others link. */
const places = () => {
  const it = new FormData()
  it.set(
    'file',
    new File([['Name', 'Square of the table', 'Lane of the table'].join('\r\n')], 'locations.csv', {
      type: 'text/csv',
    }),
  )
  return it
}
const PLACES = { kind: 'location', rules: [{ field: 'name', column: 'Name' }], sheet: 0, header_row: 1 }
/** A table about records that are there: the rows beyond the first are written together. */
const back = (...about: readonly Made[]) => {
  const it = new FormData()
  const rows = ['id,note', ...about.map(({ id }) => `${id},From the table`)]
  it.set('file', new File([rows.join('\r\n')], 'structures.csv', { type: 'text/csv' }))
  return it
}
const amended = (from: number) => [
  { at: from, field: 'construction_date', value: '1500' },
  { at: from + 1, field: 'condition', value: 'Fair' },
  { at: 'row' as const, field: 'note', value: 'From the table' },
]
const ofBatch = ([sent]: readonly Answer[], rest: string) => `/data/imports/${sent?.body.id}/${rest}`
/** What follows of it has been heard, and those are due whom it is told to. */
const told: Step = {
  does: async (world) => {
    while (await world.time.until(world.deliver()));
    world.time.advance(6 * 60_000)
  },
}
/** Whoever merges a project is gone as soon as it is merged, and leaves others to put it in place. */
async function mergeAndGo(world: World, slug: string): Promise<void> {
  const isMerged = () =>
    world.items().some((it) => it.type?.S === 'large' && it.state?.S === 'done' && it.settled?.BOOL === false)
  const { status } = await send(world, move('expert', slug, 'merged'), () => (isMerged() ? 'gone before' : undefined))
  if (status !== 0) throw new Error(`it was answered with ${status}, and nothing was left to others`)
}
const settling = async (process: number) =>
  (await moduleIn(process, 'lib/engines/table/two-phase/commit.ts')).recoverStaged()
const sweepingBoards = async (process: number) =>
  (await moduleIn(process, 'lib/domain/leaderboard/sweep.ts')).sweepBoards()
const repairing = async (process: number) =>
  (await moduleIn(process, 'lib/domain/effects/repair-records.ts')).repairRecords(() => undefined)
/** A record is as earlier code wrote it down, which left spaces around names. */
function namedOtherwise(world: World, { cultural_entity_id }: Made): void {
  const spaced = (text: { S?: unknown } | undefined) => ({ S: ` ${text?.S}` })
  for (const it of world.items()) {
    if (it.entity_id?.S !== cultural_entity_id || !/^(record|entry)$/.test(String(it.type?.S))) continue
    const { L: names = [] } = (it.names ?? {}) as { L?: { S: string }[] }
    const changed = it.name ? { name: spaced(it.name) } : { names: { L: names.map(spaced) } }
    world.table.change({ pk: String(it.pk?.S), sk: String(it.sk?.S) }, { ...it, ...changed }, world.time.now)
  }
}
/** The queue shows what waits under names that it never had. */
const renamedInQueue: Step = {
  does: (world) => {
    for (const it of world.items())
      if (it.type?.S === 'queue_by_age')
        world.table.cells.set(
          { pk: String(it.pk?.S), sk: String(it.sk?.S) },
          { ...it, names: { S: 'Nobody' } },
          world.time.now,
        )
  },
}
const imported: Step = { does: (world) => world.function('importer') }
const applied = {
  requested_role: 'community_reviewer',
  motivation: 'I have walked all the lanes of the town and written down what stands in each of them.',
}
const FROM_PROVIDER = { authorization: 'Bearer of-maya' }
const once = { 'idempotency-key': 'one-and-the-same' }

type Row = readonly [
  name: string,
  requests: Race['requests'],
  check: Race['check'],
  before?: Race['before'],
  beside?: Race['beside'],
]

const rows: readonly Row[] = [
  ['two accept', (b) => [accept('curator', b.pending), accept('expert', b.pending)], exactly(1)],
  ['accept and reject', (b) => [accept('curator', b.pending), reject('expert', b.pending)], exactly(1)],
  [
    'three verdicts',
    (b) => [
      accept('curator', b.waiting),
      reject('expert', b.waiting),
      decide('reviewer', b.waiting, { verdict: 'request_changes', feedback: 'More.' }),
    ],
    both(atLeast(1), decided('waiting', [0, 1])),
  ],
  [
    'accept an edit and edit again',
    (b) => [accept('curator', b.edited), patch('dev', record(b.edited), { note: 'A third thought.', assertion: said })],
    atLeast(1),
  ],
  [
    'accept and amend',
    (b) => [
      accept('curator', b.pending),
      patch('dev', record(b.pending), { note: 'Changed meanwhile.', assertion: said }),
    ],
    atLeast(1),
  ],
  ['accept and delete', (b) => [accept('curator', b.pending), remove('staff', record(b.pending))], atLeast(1)],
  [
    'two amend',
    (b) => [
      patch('dev', record(b.pending), { note: 'One.', assertion: said }),
      patch('dev', record(b.pending), { note: 'Two.', assertion: said }),
    ],
    atLeast(1),
  ],
  [
    'two amend one version',
    (b) =>
      [1, 2].map((n) =>
        patch('dev', record(b.pending), { note: `Of one version ${n}.`, assertion: said }, { 'if-match': '*' }),
      ),
    atLeast(1),
  ],
  [
    'two contributions name a new place',
    () =>
      [1, 2].map((n) =>
        post('dev', '/cidoc/structures/', structure(`Twin house ${n}`, { has_current_location: 'Square of both' })),
      ),
    both(
      all,
      thereAre(1, 'record', (it) => it.name?.S === 'Square of both'),
    ),
  ],
  [
    'one key twice',
    () => [1, 2].map(() => post('dev', '/cidoc/structures/', structure('Only once'), once)),
    both(
      all,
      thereAre(1, 'record', (it) => it.name?.S === 'Only once'),
    ),
  ],
  [
    'one key three times, two processes',
    () => [1, 2, 3].map(() => post('other', '/data/projects/', { slug: 'keyed', title: 'Keyed' }, once)),
    both(
      all,
      thereAre(1, 'project', (it) => it.slug?.S === 'keyed'),
    ),
  ],
  [
    'look-alikes',
    () => [
      post('dev', '/cidoc/structures/', structure('Same name')),
      post('other', '/cidoc/structures/', structure('Same name')),
    ],
    all,
  ],
  [
    // Announced to all who review, but not to whom it comes of.
    'two reviewers contribute',
    () => ['reviewer', 'expert'].map((who) => post(who, '/cidoc/structures/', structure(`Found by the ${who}`))),
    all,
  ],
  [
    'one username',
    () => [
      patch('dev', '/user/username/', { username: 'the-one' }),
      patch('other', '/user/username/', { username: 'the-one' }),
    ],
    exactly(1),
  ],
  [
    'usernames change places',
    () => [
      patch('dev', '/user/username/', { username: 'other' }),
      patch('other', '/user/username/', { username: 'dev' }),
    ],
    anything,
  ],
  [
    // Known to the provider and not to us: of two first requests one makes the user.
    'come from the provider twice',
    () => [1, 2].map(() => ({ who: null, method: 'GET', path: '/api/user/info/', sent: { headers: FROM_PROVIDER } })),
    all,
  ],
  [
    'one slug',
    () => [
      post('dev', '/data/projects/', { slug: 'contested', title: 'A' }),
      post('other', '/data/projects/', { slug: 'contested', title: 'B' }),
    ],
    exactly(1),
  ],
  [
    'one invited twice',
    (b) =>
      [1, 2].map(() =>
        post('dev', project(b.projects.draft, 'memberships/'), { user_id: b.ids.other, role: 'editor' }),
      ),
    exactly(1),
  ],
  [
    'two invited',
    (b) => [
      post('dev', project(b.projects.draft, 'memberships/'), { user_id: b.ids.other, role: 'editor' }),
      post('dev', project(b.projects.draft, 'memberships/'), { user_id: b.ids.expert, role: 'viewer' }),
    ],
    all,
  ],
  [
    'two approve a project',
    (b) => [move('reviewer', b.projects.in_review, 'approved'), move('expert', b.projects.in_review, 'approved')],
    exactly(1),
  ],
  [
    'approve and withdraw',
    (b) => [move('reviewer', b.projects.in_review, 'approved'), move('dev', b.projects.in_review, 'withdrawn')],
    atLeast(1),
  ],
  [
    'two merge',
    (b) => [move('expert', b.projects.approved, 'merged'), move('curator', b.projects.approved, 'merged')],
    exactly(1),
  ],
  [
    'merge and decide',
    (b) => [move('expert', b.projects.approved, 'merged'), reject('curator', b.linked[1] ?? b.pending)],
    atLeast(1),
  ],
  [
    'merge and amend',
    (b) => [
      move('expert', b.projects.approved, 'merged'),
      patch('dev', `/cidoc/traditions/${b.linked[1]?.id}/`, { note: 'At the last moment.', assertion: said }),
    ],
    atLeast(1),
  ],
  [
    'merge and edit the project',
    (b) => [
      move('expert', b.projects.approved, 'merged'),
      patch('dev', project(b.projects.approved), { title: 'Renamed' }),
    ],
    atLeast(1),
  ],
  ['two roll back', (b) => [1, 2].map(() => post('expert', project(b.projects.merged, 'rollback-merge/'))), exactly(1)],
  [
    'roll back and amend',
    (b) => [
      post('expert', project(b.projects.merged, 'rollback-merge/')),
      patch('dev', `/cidoc/traditions/${b.linked[2]?.id}/`, { note: 'Since then.', assertion: said }),
    ],
    atLeast(1),
  ],
  [
    'two claim',
    (b) => ['reviewer', 'expert'].map((who) => post(who, `/data/review-queue/${b.pending.cultural_entity_id}/claim/`)),
    exactly(1),
  ],
  [
    'claim and decide',
    (b) => [
      post('reviewer', `/data/review-queue/${b.pending.cultural_entity_id}/claim/`),
      accept('curator', b.pending),
    ],
    atLeast(1),
  ],
  ['three react', (b) => [react('dev', b), react('other', b, 'downvote'), react('expert', b)], all],
  ['one reacts twice', (b) => [react('dev', b), react('dev', b)], all],
  [
    'two answer',
    (b) => [
      post('dev', thread(b.open), { comment: 'One.', parent: b.comment.comment_id }),
      post('other', thread(b.open), { comment: 'Two.', parent: b.comment.comment_id }),
    ],
    all,
  ],
  [
    'answer and take back',
    (b) => [
      post('other', thread(b.open), { comment: 'To what?', parent: b.comment.comment_id }),
      remove('dev', comment(b.comment.comment_id)),
    ],
    atLeast(1),
  ],
  ['take back twice', (b) => [1, 2].map(() => remove('other', comment(b.reply.comment_id))), exactly(1)],
  [
    'comment and hide',
    (b) => [
      post('other', thread(b.open), { comment: 'Still seen?' }),
      patch('dev', record(b.open), { access_tier: 'restricted', assertion: said }),
    ],
    atLeast(1),
  ],
  [
    'two clusters want a record',
    (b) =>
      ['A', 'B'].map((canonical_label) =>
        post('curator', '/cidoc/entity-clusters/', {
          canonical_label,
          type_scope: 'structure',
          members: [member(b.second), member(b.third)],
        }),
      ),
    exactly(1),
  ],
  [
    'lock twice',
    (b) =>
      ['curator', 'staff'].map((who) =>
        post(who, `/cidoc/entity-clusters/${b.cluster.id}/lock/`, {
          reason: 'Settled.',
          expected_version: b.cluster.version,
        }),
      ),
    exactly(1),
  ],
  [
    'lock and amend',
    (b) => [
      post('curator', `/cidoc/entity-clusters/${b.cluster.id}/lock/`, {
        reason: 'Settled.',
        expected_version: b.cluster.version,
      }),
      patch('curator', `/cidoc/entity-clusters/${b.cluster.id}/`, { canonical_label: 'Changed' }),
    ],
    atLeast(1),
  ],
  [
    'two decide on what rests on a source',
    (b) => [ruling(b, 'curator'), ruling(b, 'staff', 'reject')],
    exactly(1),
    (b) => [cited(b), withdrawn(b)],
  ],
  ['two withdraw a source', (b) => [withdrawn(b), { ...withdrawn(b), who: 'curator' }], exactly(1), (b) => [cited(b)]],
  [
    'decide on what rests on a source, and trust it',
    (b) => [
      ruling(b, 'curator'),
      post('expert', `/cidoc/data_sources/${b.source.id}/question/`, { standing: 'trusted', reason: 'A mix-up.' }),
    ],
    atLeast(1),
    (b) => [cited(b), withdrawn(b)],
  ],
  [
    'merge and split a cluster',
    (b, [, made]) => [
      post('curator', `/cidoc/entity-clusters/${b.cluster.id}/merge/`, {
        source_cluster_id: made?.body.id,
        reason: 'One thing.',
        expected_version: b.cluster.version + 1,
      }),
      post('staff', `/cidoc/entity-clusters/${b.cluster.id}/split/`, {
        groups: [[b.open.id], [b.third.id]],
        reason: 'Two things.',
        expected_version: b.cluster.version + 1,
      }),
    ],
    exactly(1),
    (b) => [
      patch('curator', `/cidoc/entity-clusters/${b.cluster.id}/`, { members: [member(b.open), member(b.third)] }),
      another(b),
    ],
  ],
  [
    'merge a fork and promote it',
    (_, made) => [judged('expert', made, 'merge', {}), judged('curator', made, 'promote')],
    exactly(1),
    aFork,
  ],
  [
    'merge a fork and amend its record',
    (b, made) => [
      judged('expert', made, 'merge', {}),
      patch('staff', record(b.second), { condition: 'Fair', assertion: said }),
    ],
    orConflict(1),
    aFork,
  ],
  [
    'two join and one founder deletes',
    (_, made) => [
      joining('other', made),
      joining('reviewer', made),
      remove('dev', `/data/organizations/${made[0]?.body.id}/`),
    ],
    atLeast(1),
    anOrganization,
  ],
  [
    'two decide on a note',
    (_, made) => [reviewed('reviewer', made), reviewed('expert', made, { status: 'rejected' })],
    exactly(1),
    aNote,
  ],
  [
    'approve and refuse a thing',
    (_, made) => [onThing('expert', made, 'approve'), onThing('curator', made, 'reject')],
    exactly(1),
    aThing,
  ],
  [
    'approve a relationship twice',
    (_, made) => [onRelationship('expert', made, 'approve'), onRelationship('curator', made, 'approve')],
    exactly(1),
    aRelationship,
  ],
  [
    'publish an extension twice',
    (_, made) => [onSchema('expert', made, 'publish'), onSchema('curator', made, 'publish')],
    both(exactly(1), thereAre(1, 'schema_overlay')),
    anApprovedExtension,
  ],
  [
    'approve and refuse a merge request',
    (_, made) => [onRequest('expert', made, 'approve'), onRequest('curator', made, 'reject')],
    atLeast(1),
    aRequest,
  ],
  [
    'say of a pair that it is one thing, and that it is not',
    (_, made) => [resolving('expert', made, 'accept'), resolving('curator', made, 'reject')],
    exactly(1),
    aCandidate,
  ],
  [
    'resolve and ignore an alert',
    (_, made) => [onAlert('expert', made, 'resolve'), onAlert('curator', made, 'ignore')],
    exactly(1),
    anAlert,
  ],
  [
    'correct a line of a document twice',
    (_, made) =>
      ['Patan', 'Thimi'].map((corrected_text) =>
        onDocument('PATCH', made, 'review-state', { block_corrections: { '0_0': { corrected_text } } }),
      ),
    orConflict(1),
    aDocument,
  ],
  [
    'end the review of a document twice',
    (_, made) => [1, 2].map(() => onDocument('POST', made, 'finalize-review')),
    exactly(1),
    aReviewedDocument,
  ],
  ['delete twice', (b) => [1, 2].map(() => remove('staff', record(b.open))), atLeast(1)],
  ['restore twice', (b) => [1, 2].map(() => post('staff', `${record(b.deleted)}restore/`)), atLeast(1)],
  [
    'delete and link',
    (b) => [
      remove('staff', record(b.second)),
      post('dev', '/cidoc/enshrinements/', structure('It comes', { enshrined_in_structure: b.second.id })),
    ],
    atLeast(1),
  ],
  [
    'resolve twice',
    (b) => ['curator', 'expert'].map((who) => post(who, `/data/review-flags/${b.flag.id}/resolve/`)),
    atLeast(1),
  ],
  [
    'flag and accept',
    (b) => [
      post('reviewer', '/data/review-flags/', {
        entity: b.pending.cultural_entity_id,
        flag_type: 'low_confidence',
        reason: 'Hm.',
      }),
      accept('curator', b.pending),
    ],
    orConflict(1),
  ],
  [
    'two flag',
    (b) =>
      ['reviewer', 'expert'].map((who) =>
        post(who, '/data/review-flags/', { entity: b.open.cultural_entity_id, flag_type: 'other', reason: who }),
      ),
    orConflict(1),
  ],
  [
    'approve an application twice',
    (b) => [1, 2].map(() => post('staff', `/data/reviewer-applications/${b.application.id}/approve/`)),
    exactly(1),
  ],
  [
    'approve, reject and withdraw',
    (b) => [
      post('staff', `/data/reviewer-applications/${b.application.id}/approve/`),
      post('staff', `/data/reviewer-applications/${b.application.id}/reject/`),
      post('other', '/data/reviewer-applications/mine/withdraw/'),
    ],
    exactly(1),
  ],
  ['apply twice', () => [1, 2].map(() => post('dev', '/data/reviewer-applications/', applied)), exactly(1)],
  [
    'appoint twice',
    (b) =>
      ['domain_expert', 'community_reviewer'].map((role) =>
        post('staff', '/data/reviewer-roles/', { user_id: b.ids.dev, role }),
      ),
    atLeast(1),
  ],
  [
    'read all while more come',
    (b) => [
      post('dev', '/data/notifications/mark_all_read/'),
      accept('curator', b.pending),
      post('dev', '/data/notifications/mark_all_read/'),
      reject('expert', b.waiting),
    ],
    orConflict(3),
  ],
  [
    'approve a suggestion twice',
    (b) => ['reviewer', 'expert'].map((who) => post(who, `/data/submission-suggestions/${b.suggestion.id}/approve/`)),
    exactly(1),
  ],
  [
    'approve and reject a suggestion',
    (b) => [
      post('reviewer', `/data/submission-suggestions/${b.suggestion.id}/approve/`),
      post('expert', `/data/submission-suggestions/${b.suggestion.id}/reject/`),
    ],
    exactly(1),
  ],
  [
    'upload with one key',
    (b) => [1, 2].map(() => post('dev', project(b.projects.draft, 'assets/upload/'), file(), once)),
    atLeast(1),
  ],
  [
    'delete an asset twice',
    (b) => [1, 2].map(() => remove('dev', project(b.projects.draft, `assets/${b.asset}/`))),
    exactly(1),
  ],
  [
    'amend and delete an asset',
    (b) => [
      patch('dev', project(b.projects.draft, `assets/${b.asset}/`), { caption: 'Late' }),
      remove('dev', project(b.projects.draft, `assets/${b.asset}/`)),
    ],
    atLeast(1),
  ],
  [
    'upload and delete the project',
    (b) => [post('dev', project(b.projects.draft, 'assets/upload/'), file()), remove('dev', project(b.projects.draft))],
    atLeast(1),
  ],
  [
    'link twice',
    (b) => [1, 2].map(() => post('dev', project(b.projects.draft, 'entities/'), { entity: b.open.cultural_entity_id })),
    exactly(1),
  ],
  [
    'link many',
    (b) =>
      [b.open, b.second, b.third].map((it) =>
        post('dev', project(b.projects.draft, 'entities/'), { entity: it.cultural_entity_id }),
      ),
    all,
  ],
  [
    'settle a claim both ways',
    (b) => [
      patch('expert', `/cidoc/assertions/${b.claim.id}/`, { reconciliation_status: 'accepted' }),
      patch('curator', `/cidoc/assertions/${b.claim.id}/`, { reconciliation_status: 'disputed' }),
    ],
    atLeast(1),
  ],
  [
    'settle a claim and amend',
    (b) => [
      patch('expert', `/cidoc/assertions/${b.claim.id}/`, { reconciliation_status: 'accepted' }),
      patch('dev', record(b.disputed), { construction_date: '1700', assertion: said }),
    ],
    atLeast(1),
  ],
  [
    'claims of one property',
    (b) =>
      ['1710', '1720', '1730'].map((value, i) =>
        post(['other', 'expert', 'reviewer'][i] ?? 'other', '/cidoc/assertions/', {
          entity_type: 'structure',
          entity_id: b.open.id,
          property: 'construction_date',
          value,
        }),
      ),
    // Each contradicts those before it.
    both(all, (_, world, base) =>
      thereAre(
        2,
        'flag',
        (it) => it.flag_type?.S === 'contradiction' && it.entity_id?.S === base.open.cultural_entity_id,
      )(_, world),
    ),
  ],
  [
    'delete a source and cite it',
    (b) => [
      remove('staff', `/cidoc/data_sources/${b.source.id}/`),
      post('dev', '/cidoc/structures/', { ...structure('It cites'), assertion: { ...said, source: b.source.id } }),
    ],
    atLeast(1),
  ],
  [
    'decide on a batch and decide',
    (_, made) => {
      const [first, second] = made.at(-2)?.body.results ?? []
      const one = verdict(
        { cultural_entity_id: first.record.entity_id },
        { verdict: 'reject', feedback: 'No.' },
        'expert',
      )
      const other = verdict({ cultural_entity_id: second.record.entity_id }, { verdict: 'accept' }, 'expert')
      return [one, other]
    },
    anything,
    () => [
      post('dev', '/data/imports/', batch()),
      imported,
      (made) => post('dev', ofBatch(made, 'check/'), {}),
      imported,
      (made) => post('dev', ofBatch(made, 'run/'), { doubtful: 'create' }),
      imported,
      (made) => ({ who: 'dev', method: 'GET', path: ofBatch(made, 'rows/') }),
      (made) => post('curator', ofBatch(made, 'decide/'), { verdict: 'accept' }),
      // The importer finds its work at once, so that it is at it together with the others.
      { does: (world) => world.time.advance(3000) },
    ],
    ['importer'],
  ],
  ['two write letters', () => [], anything, (b) => [accept('curator', b.pending), told], ['letters', 'letters']],
  ['two sweep', () => [], anything, (b) => [accept('curator', b.pending), told], ['sweeper', 'sweeper']],
  [
    'two tell hooks',
    () => [],
    anything,
    (b) => [
      post('other', '/api/user/hooks/', { url: 'http://receiver.example/hook' }),
      accept('curator', b.pending),
      told,
    ],
    ['webhooks', 'webhooks'],
  ],
  [
    'two go on with a merge',
    () => [],
    anything,
    (b) => [{ does: (world) => mergeLater(world, b.projects.approved) }],
    ['merger', 'merger'],
  ],
  [
    'settle what was merged and roll it back',
    (b) => [post('expert', project(b.projects.approved, 'rollback-merge/'))],
    anything,
    (b) => [{ does: (world) => mergeAndGo(world, b.projects.approved) }],
    ['sweeper'],
  ],
  [
    'two settle what was merged',
    () => [],
    anything,
    (b) => [{ does: (world) => mergeAndGo(world, b.projects.approved) }],
    [settling, settling],
  ],
  [
    'two read tables',
    () => [],
    anything,
    () => [post('dev', '/data/imports/', batch()), { does: (world) => world.time.advance(3000) }],
    ['importer', 'importer'],
  ],
  [
    'run a table and amend',
    (b) =>
      [b.second, b.edited].flatMap((it) => [
        patch('dev', record(it), { construction_date: '1500', assertion: said }),
        patch('staff', record(it), { condition: 'Fair', assertion: said }),
      ]),
    both(orConflict(0), thereAre(3, 'import_row'), allKept('second', amended(0)), allKept('edited', amended(2))),
    (b) => [
      post('dev', '/data/imports/', back(b.open, b.second, b.edited)),
      imported,
      (made) => post('dev', ofBatch(made, 'check/'), {}),
      imported,
      (made) => post('dev', ofBatch(made, 'run/'), {}),
      { does: (world) => world.time.advance(3000) },
    ],
    ['importer'],
  ],
  [
    'link and take a table back',
    (_, made) =>
      (made.at(-1)?.body.results ?? []).map(({ record }: { record: { id: number } }) =>
        post('other', '/cidoc/structures/', structure('It links', { has_current_location: [{ id: record.id }] })),
      ),
    linksStand('It links'),
    () => [
      post('dev', '/data/imports/', places()),
      imported,
      (made) => patch('dev', ofBatch(made, ''), { mapping: PLACES }),
      (made) => post('dev', ofBatch(made, 'check/'), {}),
      imported,
      (made) => post('dev', ofBatch(made, 'run/'), { doubtful: 'create' }),
      imported,
      (made) => post('curator', ofBatch(made, 'decide/'), { verdict: 'accept' }),
      imported,
      (made) => post('staff', ofBatch(made, 'take-back/'), {}),
      { does: (world) => world.time.advance(3000) },
      (made) => ({ who: 'dev', method: 'GET', path: ofBatch(made, 'rows/') }),
    ],
    ['importer'],
  ],
  [
    'no more than the limit',
    () =>
      Array.from({ length: 10 }, (_, i) =>
        post('other', '/data/projects/', { slug: `limited-${i}`, title: 'One of many' }),
      ),
    exactly(8),
  ],
  [
    'much at once',
    (b) => [
      accept('curator', b.pending),
      accept('expert', b.edited),
      post('other', thread(b.open), { comment: 'Busy.' }),
      post('dev', '/cidoc/structures/', structure('In the crowd')),
      react('reviewer', b),
      reject('curator', b.waiting),
    ],
    orConflict(5),
  ],
  [
    // What is counted last before the end of a month follows later.
    'two close a month',
    () => [],
    closedAsItWas,
    (b) => [accept('curator', b.pending), { does: (world) => world.time.advance(31 * 86_400_000) }],
    [sweepingBoards, sweepingBoards],
  ],
  [
    'repair and amend',
    (b) => [
      ...[b.pending, b.revising, b.edited].map((it) => patch('dev', record(it), { note: 'Later.', assertion: said })),
      patch('dev', `/cidoc/traditions/${b.waiting.id}/`, { note: 'Later.', assertion: said }),
    ],
    anything,
    () => [renamedInQueue],
    [repairing],
  ],
  [
    'settle what was merged and amend it',
    (b) => [patch('dev', `/cidoc/traditions/${b.linked[1]?.id}/`, { note: 'Merged, and more.', assertion: said })],
    anything,
    (b) => [{ does: (world) => mergeAndGo(world, b.projects.approved) }],
    [settling],
  ],
  [
    // Accepting it reads its name anew, which stands in its entries.
    'merge and rename what was read otherwise',
    (b) => [
      move('expert', b.projects.approved, 'merged'),
      patch('dev', `/cidoc/traditions/${b.linked[1]?.id}/`, { name: 'Renamed at last', assertion: said }),
    ],
    atLeast(1),
    (b) => [{ does: (world) => namedOtherwise(world, b.linked[1] ?? b.pending) }],
  ],
  [
    'hear of two minutes at once',
    () => [],
    anything,
    (b) => [
      accept('curator', b.pending),
      post('other', thread(b.open), { comment: 'A minute ago.' }),
      post('dev', '/data/projects/', { slug: 'early', title: 'Early' }),
      { does: (world) => world.time.advance(60_000) },
      ...[b.waiting, b.edited].map((it) => accept('curator', it)),
    ],
  ],
]

export const kinds: readonly Race[] = rows.map(([name, requests, check, before, beside]) => ({
  name,
  requests,
  check,
  before,
  beside,
}))
