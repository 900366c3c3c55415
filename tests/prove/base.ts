import { makeByRank, personas, usernameOf } from '../../deploy/stand-ins/people.ts'
import { mp3 } from '../harness/media-files.ts'
import { type Answer, sure } from './requests.ts'
import { moduleIn } from './world/processes.ts'
import type { Saved, World } from './world/world.ts'

/** Where every run begins: people, and something in every state that rules look at. */
export type Made = { id: number; cultural_entity_id: string }
export type Base = {
  saved: Saved
  ids: Readonly<Record<'dev' | 'other' | 'reviewer' | 'expert' | 'curator' | 'staff', string>>
  open: Made
  second: Made
  third: Made
  deity: Made
  event: Made
  restricted: Made
  pending: Made
  waiting: Made
  edited: Made
  rejected: Made
  revising: Made
  deleted: Made
  disputed: Made
  cluster: Answer['body']
  source: { id: string }
  claim: { id: string }
  flag: { id: string }
  comment: { comment_id: string }
  reply: { comment_id: string }
  projects: Readonly<Record<'draft' | 'ready' | 'in_review' | 'approved' | 'merged', string>>
  asset: string
  linked: readonly Made[]
  link: { id: string | number }
  application: { id: string }
  key: { id: string; token: string }
  hook: { id: string }
  tokens: { access: string; refresh: string }
  submission: { id: number; submission_id: string }
  suggestion: { id: string | number }
}

export const said = { source_type: 'book', source_citation: 'A survey of 1991', confidence: 'likely' }
export const PEOPLE: readonly string[] = personas.map(usernameOf)
/** A person of each rank. */
export const reviewers = makeByRank((who) => who)

export const contribute = (world: World, who: string, segment: string, body: object): Promise<Made> =>
  sure(world, 201, { who, method: 'POST', path: `/cidoc/${segment}/`, sent: { body: { ...body, assertion: said } } })

export const verdict = (it: Pick<Made, 'cultural_entity_id'>, body: object, who = 'curator') => ({
  who,
  method: 'POST',
  path: `/data/review-workspace/${it.cultural_entity_id}/decide/`,
  sent: { body },
})

export async function publish(world: World, segment: string, body: object, who = 'dev'): Promise<Made> {
  const made = await contribute(world, who, segment, body)
  await sure(world, 201, verdict(made, { verdict: 'accept' }))
  return made
}

export const move = (who: string, slug: string, target_state: string) => ({
  who,
  method: 'POST',
  path: `/data/projects/${slug}/transition/`,
  sent: { body: { target_state, comment: 'Because.' } },
})

const form = () => {
  const it = new FormData()
  it.set('file', new File([Uint8Array.from(mp3())], 'song.mp3', { type: 'audio/mpeg' }))
  return it
}

async function project(world: World, slug: string, more: object = {}): Promise<string> {
  const body = { slug, title: `A survey: ${slug}`, abstract: 'What it is about.', visibility: 'public', ...more }
  await sure(world, 201, { who: 'dev', method: 'POST', path: '/data/projects/', sent: { body } })
  await sure(world, 201, {
    who: 'dev',
    method: 'POST',
    path: `/data/projects/${slug}/assets/upload/`,
    sent: { body: form() },
  })
  return slug
}

const link = (slug: string, it: Made) => ({
  who: 'dev',
  method: 'POST',
  path: `/data/projects/${slug}/entities/`,
  sent: { body: { entity: it.cultural_entity_id } },
})

/** Somebody whose address is proven wants letters. */
async function wantLetters(world: World, who: string): Promise<void> {
  const path = '/data/notifications/letters/'
  const { obstacle } = await sure(world, 200, { who, method: 'PUT', path, sent: { body: { mode: 'at_once' } } })
  if (obstacle) throw new Error(`letters do not go to ${who}: ${obstacle}`)
}

async function records(world: World) {
  const open = await publish(world, 'structures', {
    name: 'Nyatapola',
    coordinates: '27.6713, 85.4293',
    has_current_location: 'Taumadhi Square',
    identifier: 'wd:Q1',
  })
  const second = await publish(world, 'structures', { name: 'Dattatreya Temple', construction_date: '1427' })
  const third = await publish(world, 'structures', { name: 'Vatsala Temple' }, 'other')
  const deity = await publish(world, 'deities', { name: 'Siddhi Lakshmi' })
  const event = await publish(world, 'enshrinements', {
    name: 'Siddhi Lakshmi enters',
    enshrined_in_structure: open.id,
    enshrined_deity: deity.id,
  })
  const restricted = await publish(world, 'structures', { name: 'Quiet shrine', access_tier: 'restricted' })
  const pending = await contribute(world, 'dev', 'structures', { name: 'Pending mandap', note: 'Not seen by all.' })
  const waiting = await contribute(world, 'dev', 'traditions', { name: 'Waiting tradition' })
  const edited = await publish(world, 'structures', { name: 'Edited pati' })
  await sure(world, 200, {
    who: 'dev',
    method: 'PATCH',
    path: `/cidoc/structures/${edited.id}/`,
    sent: { body: { note: 'A second thought.', assertion: said } },
  })
  const rejected = await contribute(world, 'dev', 'structures', { name: 'Rejected hut' })
  await sure(world, 201, verdict(rejected, { verdict: 'reject', feedback: 'Not heritage.' }))
  const revising = await contribute(world, 'dev', 'structures', { name: 'Revising well' })
  await sure(world, 201, verdict(revising, { verdict: 'request_changes', feedback: 'Name a source.' }))
  const deleted = await publish(world, 'structures', { name: 'Deleted gate' })
  await sure(world, 204, { who: 'staff', method: 'DELETE', path: `/cidoc/structures/${deleted.id}/` })
  const disputed = await publish(world, 'structures', { name: 'Disputed stupa', construction_date: '1501' })
  return {
    event,
    open,
    second,
    third,
    deity,
    restricted,
    pending,
    waiting,
    edited,
    rejected,
    revising,
    deleted,
    disputed,
  }
}

async function about(world: World, it: Awaited<ReturnType<typeof records>>) {
  const post = (who: string, path: string, body: object) =>
    sure(world, 201, { who, method: 'POST', path, sent: { body } })
  const claim = await post('other', '/cidoc/assertions/', {
    entity_type: 'structure',
    entity_id: it.disputed.id,
    property: 'construction_date',
    value: '1650',
  })
  const cluster = await post('curator', '/cidoc/entity-clusters/', {
    canonical_label: 'Nyatapola',
    type_scope: 'structure',
    members: [{ entity_type: 'structure', entity_id: it.open.id }],
  })
  const source = await post('dev', '/cidoc/data_sources/', { name: 'Field notes' })
  const flag = await post('reviewer', '/data/review-flags/', {
    entity: it.pending.cultural_entity_id,
    flag_type: 'other',
    reason: 'Look again.',
  })
  const thread = `/data/entities/${it.open.cultural_entity_id}/comments/`
  const comment = await post('dev', thread, { comment: 'I was there.' })
  const reply = await post('other', thread, { comment: 'So was I.', parent: comment.comment_id })
  const key = await post('dev', '/api/user/keys/', { name: 'A program', scopes: ['read'] })
  const hook = await post('dev', '/api/user/hooks/', { url: 'http://receiver.example/first' })
  const body = { email: 'dev@heritage.test' }
  const tokens = await sure(world, 200, { who: null, method: 'POST', path: '/api/dev/login/', sent: { body } })
  const application = await post('other', '/data/reviewer-applications/', {
    requested_role: 'community_reviewer',
    motivation: 'I know the valley and its squares well, and would like to help with the review of what comes in.',
  })
  return { claim, cluster, source, flag, comment, reply, application, key, hook, tokens }
}

async function surveys(world: World) {
  const linked = await Promise.resolve([
    await contribute(world, 'dev', 'traditions', { name: 'Lakhe dance' }),
    await contribute(world, 'dev', 'traditions', { name: 'Gai jatra walk' }),
    await contribute(world, 'dev', 'traditions', { name: 'Bisket swing' }),
    await contribute(world, 'dev', 'traditions', { name: 'Pulukisi dance' }),
  ])
  const [first, middle, last, own] = linked
  const draft = await project(world, 'draft-survey')
  const ready = await project(world, 'ready-survey')
  const in_review = await project(world, 'waiting-survey')
  const approved = await project(world, 'approved-survey', { visibility: 'private' })
  const merged = await project(world, 'merged-survey')
  if (!own) throw new Error('there are four')
  const linkOf = await sure(world, 201, link(ready, own))
  if (first) await sure(world, 201, link(in_review, first))
  if (middle) await sure(world, 201, link(approved, middle))
  if (last) await sure(world, 201, link(merged, last))
  for (const slug of [in_review, approved, merged]) await sure(world, 200, move('dev', slug, 'in_review'))
  for (const slug of [approved, merged]) await sure(world, 200, move('reviewer', slug, 'approved'))
  await sure(world, 200, move('expert', merged, 'merged'))
  const { results } = await sure(world, 200, { who: 'dev', method: 'GET', path: `/data/projects/${draft}/assets/` })
  return { projects: { draft, ready, in_review, approved, merged }, asset: String(results[0].id), linked, link: linkOf }
}

async function submissions(world: World) {
  const { importSubmissions } = await moduleIn(0, 'local/commands/import/submissions.ts')
  const row = { contributor: 'dev', title: 'Submitted long ago', description: 'As it was sent in.' }
  type Report = { rows: { id?: string; record?: { id: number } }[] }
  const report = await world.run(
    { name: 'import', process: 0 },
    (): Promise<Report> => importSubmissions([{ file: 'rows', line: 1, row }]),
  )
  const [result] = report.rows
  const submission = { id: Number(result?.record?.id), submission_id: String(result?.id) }
  const suggestion = await sure(world, 201, {
    who: 'other',
    method: 'POST',
    path: '/data/submission-suggestions/',
    sent: { body: { submission: submission.id, title: 'T', description: 'D' } },
  })
  return { submission, suggestion }
}

/** Makes everything through the interface, lets all that follows happen, and keeps it. */
export async function makeBase(world: World): Promise<Base> {
  world.seed(7)
  const { seedUsers } = await moduleIn(0, 'deploy/stand-ins/users.ts')
  await world.run({ name: 'seed', process: 0 }, () => seedUsers())
  const ids: Record<string, string> = {}
  for (const who of PEOPLE) ids[who] = (await sure(world, 200, { who, method: 'GET', path: '/api/user/info/' })).id
  for (const who of ['dev', 'other', 'curator']) await wantLetters(world, who)
  const made = await records(world)
  const rest = await about(world, made)
  const works = await surveys(world)
  const old = await submissions(world)
  await world.settle()
  await world.function('sweeper', { chores: 'seldom' })
  await world.function('exporter')
  await world.settle()
  world.forgetStream()
  return { saved: world.save(), ids: ids as Base['ids'], ...made, ...rest, ...works, ...old }
}
