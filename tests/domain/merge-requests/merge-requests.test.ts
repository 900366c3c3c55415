import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { atOnce, contribute, decide, publish, sure } from '../../harness/make.ts'
import { photographs } from '../../harness/media-files.ts'
import { at, linkTo, newProject, openProjects, projectIn } from '../../harness/projects.ts'

let app: App
beforeAll(async () => {
  app = await openProjects()
})

const PATH = '/merge-requests/'
type Made = { id: number; cultural_entity_id: string }
let made = 0
const waiting = (more: object = {}): Promise<Made> =>
  contribute(app.contributor, 'structures', { name: `Asked for ${++made}`, ...more })
const idOf = async (slug: string): Promise<string> => sure(200, await app.staff.get(at(slug))).id
const open = async (records: readonly Made[], body: object = {}, project: object = {}) => {
  const id = await idOf(await projectIn(app, 'draft', records, project))
  const sent = { project: id, summary: 'Adds wells', justification: 'Surveyed.', scope: 'whole', ...body }
  return sure(201, await app.contributor.post(PATH, { body: sent }))
}
const say = (id: string, verb: string, reviewer_note = '', who: Persona = app.domain) =>
  who.post(`${PATH}${id}/${verb}/`, { body: { reviewer_note } })
const read = async (id: string, who: Persona = app.community) => sure(200, await who.get(`${PATH}${id}/`))
const stateOf = async (slug: string) => sure(200, await app.staff.get(at(slug))).state

describe('the walk', () => {
  test('open, ask for changes, send in again, approve, roll back', async () => {
    const record = await waiting()
    const request = await open([record], {}, { visibility: 'public' })
    expect(request).toMatchObject({
      status: 'pending',
      summary: 'Adds wells',
      justification: 'Surveyed.',
      opened_by_username: 'dev',
      reviewed_by: null,
      shacl_report: { conforms: true, violations: [] },
      conflict_diff: {
        added_count: 1,
        removed_count: 0,
        conflict_count: 0,
        added_subjects: [expect.stringMatching(/structures/)],
      },
      new_pids: [],
      merge_activity_uri: null,
      merged_at: null,
    })
    expect(await stateOf(request.project_slug)).toBe('in_review')
    expect(sure(200, await say(request.id, 'request-changes', 'Name the source.'))).toMatchObject({
      status: 'changes_requested',
      reviewer_note: 'Name the source.',
      reviewed_by_username: 'expert',
    })
    const again = { project: request.project, summary: 'With a source' }
    expect(sure(201, await app.contributor.post(PATH, { body: again }))).toMatchObject({
      id: request.id,
      status: 'pending',
      summary: 'With a source',
    })
    const merged = sure(200, await say(request.id, 'approve', 'Good.'))
    expect(merged).toMatchObject({
      status: 'merged',
      reviewer_note: 'Good.',
      new_pids: [expect.stringMatching(new RegExp(`/cidoc/structures/${record.id}/$`))],
      merge_activity_uri: expect.stringMatching(/merge-activity\/[0-9a-f-]{36}$/),
      merged_at: expect.any(String),
    })
    expect((await app.anon.get(`/cidoc/structures/${record.id}/`)).status).toBe(200)
    sure(200, await app.domain.post(at(request.project_slug, 'rollback-merge/')))
    expect(await read(request.id)).toMatchObject({
      status: 'changes_requested',
      new_pids: [],
      merge_activity_uri: null,
    })
    expect((await app.anon.get(`/cidoc/structures/${record.id}/`)).status).toBe(404)
  })

  test('what was asked for is approved as it is, with the picture of an asset', async () => {
    const record = await waiting()
    const slug = await newProject(app.contributor, { visibility: 'public' })
    await linkTo(app.contributor, slug, record)
    const file = fileOf((await photographs())['image/jpeg'], 'north.jpg')
    const asset = sure(201, await app.contributor.post(at(slug, 'assets/upload/'), { body: form({ file }) }))
    const depicts = { depicts: record.cultural_entity_id }
    sure(200, await app.contributor.patch(at(slug, `assets/${asset.id}/`), { body: depicts }))
    const body = { project: await idOf(slug), summary: 'A picture' }
    const { id } = sure(201, await app.contributor.post(PATH, { body }))
    sure(200, await say(id, 'request-changes', 'A caption?', app.community))
    expect(sure(200, await say(id, 'approve'))).toMatchObject({ status: 'merged' })
    expect(sure(200, await app.anon.get(`/cidoc/structures/${record.id}/`)).images).toHaveLength(1)
  })

  test('a reviewer who may not merge approves, and a rejected project is withdrawn', async () => {
    const approved = await open([await waiting()])
    expect(sure(200, await say(approved.id, 'approve', '', app.community))).toMatchObject({
      status: 'approved',
      merged_at: null,
    })
    const rejected = await open([await waiting()], {}, { visibility: 'public' })
    expect(sure(200, await say(rejected.id, 'reject', 'Not here.'))).toMatchObject({
      status: 'rejected',
      reviewer_note: 'Not here.',
    })
    expect(await stateOf(rejected.project_slug)).toBe('withdrawn')
    expect(await say(rejected.id, 'approve')).toMatchObject({
      status: 400,
      body: { detail: 'This merge request is rejected.' },
    })
    expect((await say(rejected.id, 'request-changes', 'x')).status).toBe(400)
  })
})

describe('rules', () => {
  test('a merge that fails leaves the request pending', async () => {
    const raised = await waiting()
    for (const who of [app.community, app.curator])
      sure(201, await decide(who, raised, { verdict: 'escalate', feedback: 'For a curator.' }))
    const slug = await projectIn(app, 'draft', [raised])
    const body = { project: await idOf(slug), summary: 'With one for a curator' }
    const { id } = sure(201, await app.contributor.post(PATH, { body }))
    expect((await say(id, 'approve')).status).toBe(400)
    expect(await stateOf(slug)).toBe('in_review')
    expect((await read(id)).status).toBe('pending')
    expect(sure(200, await say(id, 'approve', '', app.curator)).status).toBe('merged')
  })

  test('nobody decides on work of their own', async () => {
    const slug = await newProject(app.curator)
    const { addAsset } = await import('../../harness/projects.ts')
    await addAsset(slug)
    await linkTo(app.curator, slug, await waiting())
    const body = { project: await idOf(slug), summary: 'Mine' }
    const { id } = sure(201, await app.curator.post(PATH, { body }))
    const own = { detail: 'Nobody decides on a contribution of their own.' }
    for (const verb of ['approve', 'reject', 'request-changes'])
      expect(await say(id, verb, 'Good.', app.curator)).toMatchObject({ status: 403, body: own })
    expect((await say(id, 'approve', '', app.other)).status).toBe(404)
    expect((await say(id, 'approve', '', app.anon)).status).toBe(401)
  })

  test('of two deciders one is too late', async () => {
    const { id } = await open([await waiting()])
    const replies = await atOnce([
      () => say(id, 'request-changes', 'One.', app.community),
      () => say(id, 'request-changes', 'Two.', app.curator),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([400, 409])])
  })

  test('who may not see the project learns nothing', async () => {
    const hidden = await newProject(app.contributor)
    const id = await idOf(hidden)
    const none = { project: ['There is no project with this id.'] }
    expect(await app.other.post(PATH, { body: { project: id, summary: 'x' } })).toMatchObject({
      status: 400,
      body: none,
    })
    expect((await app.contributor.get(`${PATH}${id}/`)).status).toBe(404)
    const { id: asked } = await open([await waiting()])
    expect((await app.other.get(`${PATH}${asked}/`)).status).toBe(404)
    const listed = async (who: Persona, query: object = {}) =>
      sure(200, await who.get(PATH, { query: { limit: 100, ...query } })).results.map((it: { id: string }) => it.id)
    expect(await listed(app.other)).not.toContain(asked)
    expect(await listed(app.other, { project: asked })).toEqual([])
    for (const query of [{}, { status: 'pending' }, { project: asked }])
      expect(await listed(app.community, query)).toContain(asked)
    expect(await listed(app.community, { status: 'merged' })).not.toContain(asked)
    expect((await app.other.get(`${PATH}validate/`, { query: { project_id: asked } })).status).toBe(400)
  })

  test('only those who work on a project send it in, once it is complete', async () => {
    const slug = await newProject(app.contributor, { visibility: 'public' })
    const body = { project: await idOf(slug), summary: 'Too early' }
    expect((await app.other.post(PATH, { body })).status).toBe(403)
    expect(await app.contributor.post(PATH, { body })).toMatchObject({
      status: 400,
      body: { blockers: ['At least one evidence asset required.', 'At least one linked ontology entity required.'] },
    })
    expect((await app.contributor.post(PATH, { body: { ...body, summary: ' ' } })).body).toEqual({
      summary: ['This field is required.'],
    })
    const query = { project_id: body.project, include_diff: 'true' }
    const checked = sure(200, await app.contributor.get(`${PATH}validate/`, { query }))
    expect(checked).toMatchObject({
      conforms: false,
      violations: [{ message: 'At least one evidence asset required.', severity: 'Violation' }, {}],
      pid_collisions: [],
      reconciliation: { reconciled: 0, close_match: 0, no_match: 0, pending: 0, total: 0 },
      diff: { added_count: 0, removed_count: 0, conflict_count: 0 },
    })
    expect((await app.other.get(`${PATH}validate/`, { query })).status).toBe(403)
  })

  test('a contradiction is told with both values', async () => {
    const record = await waiting({ construction_date: '1702' })
    const request = await open([record])
    const claim = { entity_type: 'structure', entity_id: record.id, property: 'construction_date', value: '1850' }
    sure(201, await app.community.post('/cidoc/assertions/', { body: claim }))
    const diff = sure(200, await app.community.get(`${PATH}${request.id}/rdf-diff/`))
    expect(diff).toMatchObject({
      conflict_count: 1,
      conflicting_triples: [{ predicate: 'construction_date', project_value: '1850', main_value: '1702' }],
    })
  })
})

test('who does not review learns by a request neither a hidden place, nor claims that wait, nor candidates', async () => {
  const body = { coordinates: '27.671234, 85.429876', access_tier: 'community_only' }
  const guarded: Made = await publish(app, 'structures', { name: 'Guarded', ...body }, app.other)
  const claim = (who: Persona, property: string, value: string) =>
    who.post('/cidoc/assertions/', { body: { entity_type: 'structure', entity_id: guarded.id, property, value } })
  sure(201, await claim(app.contributor, 'coordinates', '10, 20'))
  sure(201, await claim(app.domain, 'condition', 'Ruinous'))
  const slug = await newProject(app.contributor)
  await linkTo(app.contributor, slug, guarded)
  const { 'image/png': png } = await photographs()
  const picture = form({ file: fileOf(png, 'a.png'), role: 'evidence', depicts: guarded.cultural_entity_id })
  sure(201, await app.contributor.post(at(slug, 'assets/upload/'), { body: picture }))
  const request = sure(201, await app.contributor.post(PATH, { body: { project: await idOf(slug), summary: 'x' } }))
  const seen = async (who: Persona) => ({
    ...(await read(request.id, who)),
    diff: sure(200, await who.get(`${PATH}${request.id}/rdf-diff/`)),
  })
  const shown = await seen(app.contributor)
  expect(JSON.stringify(shown)).not.toMatch(/27\.67|85\.42/)
  // Their own claim alone, of the place that is hidden from them, is not counted either.
  expect(shown.diff).toMatchObject({ added_count: 0, conflict_count: 0, conflicting_triples: [] })
  expect(shown.pid_collisions).toEqual([])
  const { diff } = await seen(app.community)
  expect(diff.conflicting_triples).toContainEqual(expect.objectContaining({ main_value: '27.671234, 85.429876' }))
  expect(diff.added_count).toBe(2)
})

test('a key for machines sends in, and decides on nothing', async () => {
  const body = { name: 'Survey', scopes: ['read', 'import'] }
  const machine = app.as(sure(201, await app.contributor.post('/api/user/keys/', { body })).token)
  const { id } = await open([await waiting()])
  expect((await machine.post(`${PATH}${id}/approve/`, { body: {} })).status).toBe(403)
  const project = await idOf(await projectIn(app, 'draft', [await waiting()]))
  sure(201, await machine.post(PATH, { body: { project, summary: 'By a machine' } }))
})
