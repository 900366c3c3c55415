import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { canonical, matcher } from '../../lib/http/path.ts'
import { DOCUMENT } from '../../local/deploy/built-document.ts'
import type { Answer, App, Persona } from '../harness/app.ts'
import { fileOf, form } from '../harness/asset-world.ts'
import { withReadsFailing } from '../harness/faults.ts'
import { contribute, publish, submit, sure } from '../harness/make.ts'
import { photographs } from '../harness/media-files.ts'
import { addAsset, at, newProject, openProjects } from '../harness/projects.ts'

/** Each POST that makes something, and each change that reads something for its answer: sent for real, each time anew. */

let app: App
let photograph: Buffer
let accepted: { id: number; cultural_entity_id: string }
beforeAll(async () => {
  app = await openProjects({ RATE_UPLOADS: '10000/h', RATE_OCR: '10000/day' })
  photograph = (await photographs())['image/png']
  accepted = await publish(app, 'persons', { name: 'Arniko' })
})

type Asked = { who: Persona; path: string; body?: object; method?: 'POST' | 'PUT' | 'PATCH' }
let names = 0
const named = (what: string) => `${what} ${crypto.randomUUID().slice(0, 8)} ${++names}`
const thread = () => `/data/entities/${accepted.cultural_entity_id}/comments/`
const waiting = () => contribute(app.contributor, 'persons', { name: named('Sculptor') })
const own = async (who = app.contributor) => sure(200, await who.get('/api/user/info/'))
const comment = async () => sure(201, await app.contributor.post(thread(), { body: { comment: 'So it is.' } }))
const flag = async () => ({ entity: (await waiting()).cultural_entity_id, flag_type: 'other', reason: 'Look at it.' })
const image = () => form({ file: fileOf(photograph, 'gate.png') })

/** How to ask each route for something new. */
const makes: Readonly<Record<string, () => Promise<Asked> | Asked>> = {
  'POST /cidoc/{segment}/': () => ({ who: app.contributor, path: '/cidoc/persons/', body: { name: named('Painter') } }),
  'POST /cidoc/assertions/': () => ({
    who: app.contributor,
    path: '/cidoc/assertions/',
    body: { entity_type: 'person', entity_id: accepted.id, asserted_property: 'note', asserted_value: named('Note') },
  }),
  'POST /cidoc/data_sources/': () => ({
    who: app.contributor,
    path: '/cidoc/data_sources/',
    body: { name: named('Book') },
  }),
  'POST /cidoc/entity-clusters/': () => ({
    who: app.curator,
    path: '/cidoc/entity-clusters/',
    body: { canonical_label: named('Same'), type_scope: 'person' },
  }),
  'POST /data/comments/': () => ({
    who: app.contributor,
    path: '/data/comments/',
    body: { entity_id: accepted.cultural_entity_id, comment: named('Said') },
  }),
  'POST /data/entities/{entity_id}/comments/': async () => ({
    who: app.contributor,
    path: thread(),
    body: { comment: named('Answered'), parent: (await comment()).id },
  }),
  'POST /data/cultural-entities/': () => ({
    who: app.contributor,
    path: '/data/cultural-entities/',
    body: { name: named('Thing'), category: 'monument', description: 'It stands.' },
  }),
  'POST /data/cultural-entities/{entity_id}/create_revision/': async () => {
    const made = await waiting()
    const path = `/data/review-workspace/${made.cultural_entity_id}/decide/`
    sure(201, await app.curator.post(path, { body: { verdict: 'request_changes', feedback: 'A source, please.' } }))
    return {
      who: app.contributor,
      path: `/data/cultural-entities/${made.cultural_entity_id}/create_revision/`,
      body: { note: named('Revised') },
    }
  },
  'POST /data/projects/': () => ({
    who: app.contributor,
    path: '/data/projects/',
    body: { slug: `made-${++names}`, title: 'Made' },
  }),
  'POST /data/projects/{slug}/assets/': async () => {
    const from = await newProject(app.contributor)
    const sent = sure(201, await app.contributor.post(at(from, 'assets/upload/'), { body: image() }))
    return {
      who: app.contributor,
      path: at(await newProject(app.contributor), 'assets/'),
      body: { media: sent.media.id ?? sent.media },
    }
  },
  'POST /data/projects/{slug}/assets/upload/': async () => ({
    who: app.contributor,
    path: at(await newProject(app.contributor), 'assets/upload/'),
    body: image(),
  }),
  'POST /data/projects/{slug}/assets/uploads/': async () => ({
    who: app.contributor,
    path: at(await newProject(app.contributor), 'assets/uploads/'),
    body: { file_name: 'gate.png', size: 10 },
  }),
  'POST /data/projects/{slug}/comments/': async () => ({
    who: app.contributor,
    path: at(await newProject(app.contributor), 'comments/'),
    body: { comment: 'So far.' },
  }),
  'POST /data/projects/{slug}/entities/': async () => ({
    who: app.contributor,
    path: at(await newProject(app.contributor), 'entities/'),
    body: { entity: accepted.cultural_entity_id },
  }),
  'POST /data/projects/{slug}/memberships/': async () => ({
    who: app.contributor,
    path: at(await newProject(app.contributor), 'memberships/'),
    body: { username: 'other' },
  }),
  'POST /data/reactions/toggle/': async () => ({
    who: app.contributor,
    path: '/data/reactions/toggle/',
    body: { reaction_type: 'upvote', entity_id: (await waiting()).cultural_entity_id },
  }),
  'POST /data/review-flags/': async () => ({ who: app.contributor, path: '/data/review-flags/', body: await flag() }),
  'POST /data/review-workspace/{entity_id}/decide/': async () => ({
    who: app.curator,
    path: `/data/review-workspace/${(await waiting()).cultural_entity_id}/decide/`,
    body: { verdict: 'accept' },
  }),
  'POST /data/reviewer-applications/': async () => {
    await app.contributor.post('/data/reviewer-applications/mine/withdraw/')
    return { who: app.contributor, path: '/data/reviewer-applications/', body: { message: 'I know the town.' } }
  },
  'POST /data/reviewer-roles/': () => role('/data/reviewer-roles/'),
  'POST /data/reviewer-roles/assign/': () => role('/data/reviewer-roles/assign/'),
  'POST /data/submission-suggestions/': async () => ({
    who: app.contributor,
    path: '/data/submission-suggestions/',
    body: { submission: (await submit('dev')).submission_id, title: 'New', description: 'Better.' },
  }),
}

async function role(path: string): Promise<Asked> {
  const { id } = await own(app.other)
  await app.staff.delete(`/data/reviewer-roles/${id}/`)
  return { who: app.staff, path, body: { user_id: id, role: 'community_reviewer' } }
}

/** Changes that show what they have done. */
const changes: Readonly<Record<string, () => Promise<Asked> | Asked>> = {
  'PATCH a comment': async () => ({
    ...{ who: app.contributor, method: 'PATCH' },
    ...{ path: `${thread()}${(await comment()).id}/`, body: { comment: named('Better') } },
  }),
  'PUT a comment by its number': async () => ({
    ...{ who: app.contributor, method: 'PUT' },
    ...{ path: `/data/comments/${(await comment()).id}/`, body: { comment: named('Best') } },
  }),
  'PATCH a cultural entity': async () => ({
    ...{ who: app.contributor, method: 'PATCH' },
    ...{ path: `/data/cultural-entities/${(await waiting()).cultural_entity_id}/`, body: { note: named('More') } },
  }),
  'PUT a cultural entity': async () => ({
    ...{ who: app.contributor, method: 'PUT' },
    ...{ path: `/data/cultural-entities/${(await waiting()).cultural_entity_id}/`, body: { name: named('Other') } },
  }),
  'PATCH a record': async () => ({
    ...{ who: app.contributor, method: 'PATCH' },
    ...{ path: `/cidoc/persons/${(await waiting()).id}/`, body: { note: named('More') } },
  }),
  'PATCH a project': async () => ({
    ...{ who: app.contributor, method: 'PATCH' },
    ...{ path: at(await newProject(app.contributor)), body: { title: named('Title') } },
  }),
  'POST a transition': async () => ({
    ...{ who: app.contributor, path: at(await newProject(app.contributor), 'transition/') },
    body: { target_state: 'withdrawn' },
  }),
  'PATCH a membership': async () => {
    const path = at(await newProject(app.contributor), 'memberships/')
    const { id } = sure(201, await app.contributor.post(path, { body: { username: 'other' } }))
    return { who: app.contributor, method: 'PATCH', path: `${path}${id}/`, body: { role: 'viewer' } }
  },
  'PATCH a linked record': async () => {
    const path = at(await newProject(app.contributor), 'entities/')
    const { id } = sure(201, await app.contributor.post(path, { body: { entity: accepted.cultural_entity_id } }))
    return { who: app.contributor, method: 'PATCH', path: `${path}${id}/`, body: { role_in_project: 'subject' } }
  },
  'PATCH an asset': async () => {
    const slug = await newProject(app.contributor)
    const path = at(slug, `assets/${await addAsset(slug)}/`)
    return { who: app.contributor, method: 'PATCH', path, body: { caption: 'West gate' } }
  },
  'POST for the text of an asset': async () => {
    const slug = await newProject(app.contributor)
    return { who: app.contributor, path: at(slug, `assets/${await addAsset(slug)}/start-ocr/`) }
  },
  'PATCH a flag': async () => {
    const { id } = sure(201, await app.curator.post('/data/review-flags/', { body: await flag() }))
    return { who: app.curator, method: 'PATCH', path: `/data/review-flags/${id}/`, body: { reason: 'Again.' } }
  },
  'POST a settled flag': async () => {
    const { id } = sure(201, await app.curator.post('/data/review-flags/', { body: await flag() }))
    return { who: app.curator, path: `/data/review-flags/${id}/resolve/` }
  },
  'POST a claim': async () => ({
    ...{ who: app.curator, path: `/data/review-queue/${(await waiting()).cultural_entity_id}/claim/` },
  }),
  'POST a release': async () => ({
    ...{ who: app.curator, path: `/data/review-queue/${(await waiting()).cultural_entity_id}/release/` },
  }),
  'PATCH a role': async () => {
    const { who, path, body } = await role('/data/reviewer-roles/')
    const { id } = sure(201, await who.post(path, { body }))
    return { who, method: 'PATCH', path: `${path}${id}/`, body: { role: 'domain_expert' } }
  },
  'PATCH a moderation': async () => ({
    ...{ who: app.staff, method: 'PATCH', body: { comment: 'Seen.' } },
    path: `/data/moderations/${(await submit('dev')).submission_id}/`,
  }),
}

const ask = ({ who, path, body, method = 'POST' }: Asked, headers = {}): Promise<Answer> =>
  who.send(method, path, { headers, ...(body && { body }) })

type Operation = { parameters: { name: string }[]; responses: object; security: object[] }
type Document = { paths: Record<string, Record<string, Operation>> }
const { paths }: Document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))

describe('a POST that makes something', () => {
  // Nobody is signed in who registers; a second time finds the name taken.
  const creating = Object.entries(paths).flatMap(([path, { post }]) =>
    post && '201' in post.responses && post.security.every((it) => Object.keys(it).length > 0) ? [{ path, post }] : [],
  )

  test('takes an Idempotency-Key, says the document of each', () => {
    const without = creating.filter(({ post }) => !post.parameters.some(({ name }) => name === 'Idempotency-Key'))
    expect(without.map(({ path }) => path)).toEqual([])
    expect(creating.length).toBeGreaterThan(20)
  })

  test('is asked for here, each of them', () => {
    const find = matcher(Object.fromEntries(Object.keys(makes).map((it) => [it, true])))
    const unasked = creating.filter(({ path }) => 'allow' in find('POST', canonical(path)))
    // Completing an upload twice gives the same asset, key or not: tests/projects/asset-uploads.test.ts.
    expect(unasked.map(({ path }) => path)).toEqual([
      '/api/v1/data/projects/{slug}/assets/uploads/{asset_id}/complete/',
    ])
  })

  test.each(Object.entries(makes))('%s: makes it once for one key, and answers the same', async (_, make) => {
    const asked = await make()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [await ask(asked, key), await ask(asked, key)]
    expect([first.status, second.status], first.text).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true'])
    const other =
      asked.body instanceof FormData ? form({ file: fileOf(photograph, 'other.png') }) : { ...asked.body, x: 1 }
    const reused = await ask({ ...asked, body: other }, key)
    expect([reused.status, reused.headers['idempotent-replayed']]).toEqual(
      asked.body instanceof FormData ? [422, undefined] : [201, 'true'],
    )
  })

  test('of two at once makes one', async () => {
    const asked = await makes['POST /data/entities/{entity_id}/comments/']?.()
    if (!asked) throw new Error('none')
    const before = (await app.anon.get(thread())).body
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(asked, key)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const after = (await app.anon.get(thread())).body
    const replies = ({ results }: { results: { reply_count: number }[] }) =>
      results.reduce((sum, { reply_count }) => sum + reply_count, 0)
    expect(replies(after)).toBe(replies(before) + 1)
  })

  test('keeps replies larger than an item', async () => {
    const body = { name: named('Long'), description: 'ने'.repeat(4000), note: 'पा'.repeat(4000) }
    const key = { 'idempotency-key': crypto.randomUUID() }
    const asked = { who: app.contributor, path: '/cidoc/persons/', body }
    const [first, second] = [await ask(asked, key), await ask(asked, key)]
    expect([first.status, second.text]).toEqual([201, first.text])
  })
})

describe('no read after the commit can fail the answer', () => {
  test.each([...Object.entries(makes), ...Object.entries(changes)])('%s', async (_, make) => {
    let plain: Answer | undefined
    const once = await make()
    const transactions = await withReadsFailing(Number.POSITIVE_INFINITY, async () => {
      plain = await ask(once)
    })
    expect(plain?.status, plain?.text).toBeLessThan(300)
    expect(transactions).toBeGreaterThan(0)
    const again = await make()
    let answer: Answer | undefined
    await withReadsFailing(transactions, async () => {
      answer = await ask(again)
    })
    expect(answer?.status, answer?.text).toBe(plain?.status)
    expect(Object.keys(answer?.body)).toEqual(Object.keys(plain?.body))
  })
})
