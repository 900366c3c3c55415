import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { atOnce, contribute, publish, sure } from '../../harness/make.ts'
import { createUser, signInAs } from '../../harness/people.ts'
import {
  addAsset,
  at,
  linkTo,
  move,
  newProject,
  openProjects,
  projectIn,
  storeActivities,
  waitingRecords,
} from '../../harness/projects.ts'

let app: App
let fresh: () => Promise<Persona>
beforeAll(async () => {
  app = await openProjects()
  let users = 0
  fresh = async () => {
    const name = `maker-${++users}`
    return app.as(await signInAs(await createUser({ email: `${name}@heritage.test`, username: name })))
  }
})

const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const collection = '/data/projects/'
const open = (who: Persona, body: object, headers: Record<string, string> = {}) =>
  who.post(collection, { body, headers })
let slugs = 0
const named = (more: object = {}) => ({ slug: `made-${++slugs}`, title: 'Made', ...more })
const answer = (reply: { status: number; body: unknown }) => [reply.status, reply.body]

describe('making a project', () => {
  test('answers it whole, in draft, with its owner as the first member', async () => {
    const body = {
      ...{ slug: 'patan-survey', title: 'Patan survey', abstract: 'Survey of Patan', intended_subject: 'temple' },
      ...{ visibility: 'public', tags: ['patan', 'patan', ' '], languages: ['ne', 'en-GB'], license: 'CC0-1.0' },
      ...{ state: 'merged', owner: 'x', version: 9, memberships: [{ role: 'owner' }] },
    }
    const made = sure(201, await open(app.contributor, body))
    const owner = { id: expect.any(String), username: 'dev', email: '' }
    const at = '2025-01-15T10:00:00.000Z'
    const { warnings, ...rest } = made
    expect(warnings.map((it: { member: string }) => it.member)).toContain('state')
    expect(rest).toEqual({
      ...{ id: expect.any(String), slug: 'patan-survey', title: 'Patan survey', abstract: 'Survey of Patan' },
      ...{ intended_subject: 'temple', languages: ['ne', 'en-GB'], license: 'CC0-1.0', owner, visibility: 'public' },
      ...{ state: 'draft', forked_from: null, tags: ['patan'], pid: '', asset_count: 0, entity_count: 0 },
      ...{ collaborator_count: 0, submitted_at: null, merged_at: null, merge: null, created_at: at, updated_at: at },
      ...{ schema_version: '', canvas_state: {}, prov_activity_uri: '', named_graph_uri: '' },
      memberships: [
        {
          ...{ id: expect.any(String), project: made.id, user: owner, role: 'owner', invited_by: null },
          ...{ created_at: at, updated_at: at },
        },
      ],
      ...{ assets: [], entities: [], allowed_transitions: ['in_review', 'withdrawn'], can_edit: true },
      is_read_only: false,
    })
    expect(sure(200, await app.contributor.get('/api/v1/data/projects/patan-survey'))).toEqual(rest)
  })

  test('works without the last slash, and is private unless said', async () => {
    const { slug } = sure(201, await app.contributor.post('/api/v1/data/projects', { body: named() }))
    expect(sure(200, await app.contributor.get(at(slug))).visibility).toBe('private')
    expect((await app.anon.get(at(slug))).status).toBe(404)
  })

  const letters = 'Use lowercase letters, digits and hyphens only.'
  const edge = 'A slug must not start or end with a hyphen.'
  const required = 'This field is required.'
  test.each([
    [{ slug: 'a'.repeat(81) }, { slug: ['Ensure this field has no more than 80 characters.'] }],
    [{ slug: '-begins' }, { slug: [edge] }],
    ...[' spaced', 'spaced ', 'spa ced', 'tab\t', '\u00a0x', ' '].map((slug): [object, object] => [
      { slug },
      { slug: ['Use lowercase letters, digits and hyphens only.'] },
    ]),
    [{ slug: 'ends-' }, { slug: [edge] }],
    [{ slug: '-' }, { slug: [edge] }],
    [{ slug: 'Upper' }, { slug: [letters] }],
    [{ slug: 'under_score' }, { slug: [letters] }],
    [{ slug: 'देव' }, { slug: [letters] }],
    [{ slug: 'a b' }, { slug: [letters] }],
    [{ slug: 'a\nb' }, { slug: [letters] }],
    [{ slug: '' }, { slug: [required] }],
    [{ slug: null }, { slug: [required] }],
    [{ slug: 7 }, { slug: [required] }],
    [{ title: '  ' }, { title: [required] }],
    [{ title: 'x'.repeat(201) }, { title: ['Ensure this field has no more than 200 characters.'] }],
    [{ abstract: 7 }, { abstract: ['Not a valid text.'] }],
    [
      { intended_subject: 'x'.repeat(121) },
      { intended_subject: ['Ensure this field has no more than 120 characters.'] },
    ],
    [{ visibility: 'secret' }, { visibility: ['Not a valid choice. Choose one of: private, org, public.'] }],
    [
      { license: 'MIT' },
      { license: ['Not a valid choice. Choose one of: CC-BY-4.0, CC-BY-SA-4.0, CC-BY-NC-4.0, CC0-1.0, ODbL-1.0.'] },
    ],
    [{ languages: ['not a tag'] }, { languages: ['Give language tags such as "ne" or "en-GB".'] }],
    [{ tags: 'a, b' }, { tags: ['Give a list of texts.'] }],
    [
      { tags: Array.from({ length: 31 }, (_, i) => `t${i}`) },
      { tags: ['Ensure this list has no more than 30 elements.'] },
    ],
  ])('with %j is refused', async (body, fields) => {
    expect(answer(await open(app.contributor, named(body)))).toEqual([400, fields])
  })

  test.each(['a', '0', 'a-b', 'a--b', 'a'.repeat(80)])('takes the slug %s', async (slug) => {
    sure(201, await open(app.contributor, named({ slug })))
    sure(200, await app.contributor.get(at(slug)))
  })

  test('with a slug that is taken is refused in the words that forms look for, whoever has it', async () => {
    const slug = await newProject(app.contributor)
    for (const who of [app.contributor, app.other])
      expect(answer(await open(who, named({ slug })))).toEqual([
        400,
        { slug: ['A project with this slug already exists.'] },
      ])
  })

  test('of one slug by two at once succeeds once', async () => {
    const body = named()
    const replies = await atOnce([app.contributor, app.other].map((who) => () => open(who, body)))
    expect(replies.map((it) => it.status).sort()).toEqual([201, 400])
  })
})

describe('the rate of ten an hour', () => {
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    const { config } = await import('../../../lib/base/config.ts')
    const wide = config.RATE_PROJECTS
    config.RATE_PROJECTS = { limit: 10, seconds: 3600 }
    try {
      return await work()
    } finally {
      config.RATE_PROJECTS = wide
    }
  }

  test('is exact: of sixty at once ten succeed, and the others are told when to come again', async () => {
    const who = await fresh()
    const replies = await limited(() => Promise.all(Array.from({ length: 60 }, () => open(who, named()))))
    expect(replies.filter((it) => it.status === 201)).toHaveLength(10)
    const late = replies.filter((it) => it.status === 429)
    expect(late).toHaveLength(50)
    for (const it of late) {
      expect(it.headers['retry-after']).toBe('3600')
      expect(it.body).toEqual({ detail: 'Request was throttled. Expected available in 3600 seconds.' })
    }
    const owner = sure(200, await who.get('/api/user/info')).id
    const { count } = sure(200, await who.get(collection, { query: { owner } }))
    expect(count).toBe(10)
  })

  test('counts what was made: neither what was refused nor what is answered again', async () => {
    const who = await fresh()
    const key = { 'idempotency-key': crypto.randomUUID() }
    await limited(async () => {
      const taken = named()
      sure(201, await open(who, taken, key))
      for (let i = 0; i < 12; i += 1) {
        expect((await open(who, { slug: '-' })).status).toBe(400)
        expect((await open(who, taken)).status).toBe(400)
        sure(201, await open(who, taken, key))
      }
      for (let i = 0; i < 9; i += 1) sure(201, await open(who, named()))
      expect((await open(who, named())).status).toBe(429)
      app.tick(3600)
      sure(201, await open(who, named()))
    })
  })
})

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('answers the same request again with the same reply, and makes nothing', async () => {
    const [body, once] = [named(), key()]
    const first = await open(app.contributor, body, once)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    const second = await open(app.contributor, body, once)
    expect(answer(second)).toEqual([201, first.body])
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('with another body is 422', async () => {
    const once = key()
    sure(201, await open(app.contributor, named(), once))
    expect(answer(await open(app.contributor, named(), once))).toEqual([
      422,
      { detail: 'This Idempotency-Key was sent with another request. Use a new one.' },
    ])
  })

  test('of twins at once makes one project, and both get it', async () => {
    const [body, once] = [named(), key()]
    const replies = await atOnce([1, 2, 3].map(() => () => open(app.contributor, body, once)))
    expect(replies.map((it) => it.status)).toEqual([201, 201, 201])
    expect(new Set(replies.map((it) => it.body.id)).size).toBe(1)
    expect(replies.filter((it) => it.headers['idempotent-replayed'] === 'true')).toHaveLength(2)
  })

  test('of another person is another key', async () => {
    const once = key()
    sure(201, await open(app.contributor, named(), once))
    const reply = await open(app.other, named(), once)
    expect([reply.status, reply.headers['idempotent-replayed']]).toEqual([201, undefined])
  })

  test('of a request that failed is free', async () => {
    const once = key()
    expect((await open(app.contributor, { slug: '-' }, once)).status).toBe(400)
    sure(201, await open(app.contributor, named(), once))
  })

  test('is forgotten after a day', async () => {
    const [body, once] = [named(), key()]
    sure(201, await open(app.contributor, body, once))
    app.tick(86_400)
    expect((await open(app.contributor, body, once)).status).toBe(400)
    sure(201, await open(app.contributor, named(), once))
  })

  test.each(['', 'x'.repeat(201), 'with space'])('%j is refused', async (name) => {
    const reply = await open(app.contributor, named(), { 'idempotency-key': name })
    expect(answer(reply)).toEqual([400, { detail: 'An Idempotency-Key has 1 to 200 visible ASCII characters.' }])
  })
})

describe('a hidden project', () => {
  test('is seen by its members and staff, and by reviewers while it waits for them', async () => {
    const slug = await projectIn(app, 'draft', await waitingRecords(app, 1))
    const seers = async () => {
      const people = {
        anon: app.anon,
        other: app.other,
        community: app.community,
        domain: app.domain,
        staff: app.staff,
      }
      const replies = await Promise.all(Object.values(people).map((who) => who.get(at(slug))))
      return Object.keys(people).filter((_, i) => replies[i]?.status === 200)
    }
    expect(await seers()).toEqual(['staff'])
    expect(answer(await app.anon.get(at(slug)))).toEqual([404, notFound])
    expect((await app.other.get(at(await projectIn(app, 'in_review', await waitingRecords(app, 1))))).status).toBe(404)
    sure(201, await app.contributor.post(at(slug, 'memberships/'), { body: { username: 'other', role: 'viewer' } }))
    expect(await seers()).toEqual(['other', 'staff'])
    sure(200, await move(app.contributor, slug, 'in_review'))
    expect(await seers()).toEqual(['other', 'community', 'domain', 'staff'])
    sure(200, await move(app.community, slug, 'approved'))
    expect(await seers()).toEqual(['other', 'community', 'domain', 'staff'])
    sure(200, await move(app.domain, slug, 'merged'))
    // Those who may take it back.
    expect(await seers()).toEqual(['other', 'domain', 'staff'])
    expect(answer(await app.community.get(at(slug)))).toEqual([404, notFound])
  })

  test('that there is not is told apart nowhere', async () => {
    for (const slug of ['no-such-slug', 'NO', '-', 'a'.repeat(81), '%2e%2e', 'x%23HEAD'])
      expect(answer(await app.staff.get(at(slug)))).toEqual([404, notFound])
  })
})

describe('linked records', () => {
  test('are linked once, by those who see them, and answered with what they are', async () => {
    const slug = await newProject(app.contributor, { visibility: 'public' })
    const [waiting] = await waitingRecords(app, 1)
    const body = { entity: waiting.cultural_entity_id, role_in_project: ' the subject ' }
    const row = sure(201, await app.contributor.post(at(slug, 'entities/'), { body }))
    expect(row).toEqual({
      ...{ id: expect.any(String), project: expect.any(String), entity: waiting.cultural_entity_id },
      ...{ entity_name: waiting.name, entity_category: 'tradition', entity_status: 'pending_review' },
      ...{ role_in_project: 'the subject', added_by: expect.objectContaining({ username: 'dev', email: '' }) },
      added_at: expect.any(String),
    })
    expect(answer(await app.contributor.post(at(slug, 'entities/'), { body }))).toEqual([
      400,
      { entity: ['This record is linked to the project already.'] },
    ])
    // Who may not see the record is told nothing of it.
    const [seen] = sure(200, await app.other.get(at(slug))).entities
    expect(seen).toMatchObject({ id: row.id, entity: null, entity_name: '', entity_category: '', entity_status: '' })
    const path = at(slug, `entities/${row.id}/`)
    expect(sure(200, await app.contributor.patch(path, { body: { role_in_project: 'x' } })).role_in_project).toBe('x')
    expect(sure(200, await app.contributor.get(at(slug))).entity_count).toBe(1)
    expect((await app.other.delete(path)).status).toBe(403)
    sure(204, await app.contributor.delete(path))
    expect(answer(await app.contributor.delete(path))).toEqual([404, notFound])
    expect(sure(200, await app.contributor.get(at(slug)))).toMatchObject({ entity_count: 0, entities: [] })
  })

  test('that the caller may not see, or that are not there, are refused alike', async () => {
    const slug = await newProject(app.other)
    const [hidden] = await waitingRecords(app, 1)
    for (const entity of [hidden.cultural_entity_id, crypto.randomUUID()])
      expect(answer(await app.other.post(at(slug, 'entities/'), { body: { entity } }))).toEqual([
        400,
        { entity: ['There is no record with this id.'] },
      ])
    expect(answer(await app.other.post(at(slug, 'entities/'), { body: { entity: 'x' } }))).toEqual([
      400,
      { entity: ['Not a valid UUID.'] },
    ])
  })

  test('that a reader may not see are named by no asset and no activity of a public project', async () => {
    const [record] = await waitingRecords(app, 1)
    const { cultural_entity_id: id } = record
    const slug = await newProject(app.contributor, { visibility: 'public' })
    const link = await linkTo(app.contributor, slug, record)
    const asset = await addAsset(slug, { depicts: id })
    const whole = { merge: 'merge', reason: 'Invalid input.', blockers: [`${record.name}: Why.`], background: true }
    const kept = { kept: [id], kept_reasons: { [id]: ['changed'] }, kept_count: 1 }
    await storeActivities(slug, [
      { actor_id: null, action: 'merge_failed', payload: whole },
      { actor_id: null, action: 'state_changed', payload: kept },
    ])
    const seen = async (who: Persona) => {
      const activities = sure(200, await who.get(at(slug, 'activity/'))).results
      const assets = sure(200, await who.get(at(slug, 'assets/'))).results
      return {
        named: [
          sure(200, await who.get(at(slug))).assets[0].depicts,
          sure(200, await who.get(at(slug, `assets/${asset}/`))).depicts,
          assets[0].depicts,
          activities.find((it: { action: string }) => it.action === 'entity_linked').target_id || null,
        ],
        payloads: activities.slice(0, 2).map((it: { payload: object }) => it.payload),
      }
    }
    expect(await seen(app.other)).toEqual({
      named: [null, null, null, null],
      payloads: [
        { kept: [], kept_reasons: {}, kept_count: 1 },
        { ...whole, blockers: [] },
      ],
    })
    expect(await seen(app.contributor)).toEqual({
      named: [id, id, id, id],
      payloads: [kept, { ...whole, blockers: [] }],
    })
    expect(await seen(app.community)).toEqual({ named: [id, id, id, id], payloads: [kept, whole] })
    sure(204, await app.contributor.delete(at(slug, `entities/${link.id}/`)))
    const [unlinked] = sure(200, await app.other.get(at(slug, 'activity/'))).results
    expect(unlinked).toMatchObject({ action: 'entity_unlinked', target_id: '' })
  })

  test('by many at once are all counted', async () => {
    const slug = await newProject(app.contributor)
    const records = await waitingRecords(app, 8)
    await atOnce(records.map((it) => () => linkTo(app.contributor, slug, it)))
    const body = sure(200, await app.contributor.get(at(slug)))
    expect([body.entity_count, body.entities.length]).toEqual([8, 8])
    const { count } = sure(200, await app.contributor.get(at(slug, 'entities/'), { query: { limit: 3 } }))
    expect(count).toBe(8)
  })

  test('are drawn with what they say of each other', async () => {
    const place = await publish(app, 'locations', { name: 'A square' })
    const tower = await publish(app, 'structures', { name: 'A tower', has_current_location: place.id })
    const slug = await newProject(app.contributor, { visibility: 'public' })
    await addAsset(slug)
    const waiting = await contribute(app.contributor, 'structures', { name: 'A tower that waits' })
    for (const it of [place, tower, waiting]) await linkTo(app.contributor, slug, it)
    const labels = async (who: Persona) =>
      sure(200, await who.get(at(slug, 'graph/'))).nodes.map((it: { label: string }) => it.label)
    expect(await labels(app.contributor)).toContain('A tower that waits')
    expect(await labels(app.anon)).not.toContain('A tower that waits')
    const { nodes, edges, isDemo } = sure(200, await app.anon.get(at(slug, 'graph/')))
    expect(
      nodes
        .map((it: { id: string }) => it.id)
        .slice(0, 2)
        .sort(),
    ).toEqual([place.cultural_entity_id, tower.cultural_entity_id].sort())
    expect(nodes[2]).toMatchObject({ id: expect.stringMatching(/^asset-/), category: 'asset', label: 'A gate' })
    expect(nodes.find((it: { label: string }) => it.label === 'A tower')).toMatchObject({
      ...{ category: 'monument', entityType: 'structure', apiEndpoint: `/cidoc/structures/${tower.id}/` },
      ...{ status: 'accepted', rawData: expect.objectContaining({ name: 'A tower' }) },
    })
    expect(edges).toEqual([
      {
        id: expect.any(String),
        source: tower.cultural_entity_id,
        target: place.cultural_entity_id,
        label: 'has_current_location',
        edgeType: 'relation',
      },
    ])
    expect(isDemo).toBe(false)
  })
})

describe('members', () => {
  const invite = (who: Persona, slug: string, body: object) => who.post(at(slug, 'memberships/'), { body })

  test('are invited by editors, in a role, once', async () => {
    const slug = await newProject(app.contributor)
    const row = sure(201, await invite(app.contributor, slug, { username: 'OTHER', role: 'viewer' }))
    expect(row).toMatchObject({
      user: { username: 'other', email: '' },
      role: 'viewer',
      invited_by: { username: 'dev' },
    })
    const path = at(slug, `memberships/${row.id}/`)
    // A viewer looks on.
    expect(answer(await app.other.patch(at(slug), { body: { title: 'Mine' } }))).toEqual([403, refused])
    expect((await move(app.other, slug, 'in_review')).status).toBe(403)
    expect(answer(await invite(app.contributor, slug, { username: 'other' }))).toEqual([
      400,
      { username: ['This user is a member of the project already.'] },
    ])
    expect(sure(200, await app.contributor.patch(path, { body: { role: 'editor' } })).role).toBe('editor')
    sure(200, await app.other.patch(at(slug), { body: { title: 'Ours' } }))
    expect(sure(200, await app.other.get(at(slug))).collaborator_count).toBe(1)
    sure(204, await app.contributor.delete(path))
    expect(answer(await app.other.get(at(slug)))).toEqual([404, notFound])
  })

  test.each([
    [{ username: 'nobody-at-all' }, { username: ['There is no such user.'] }],
    [{ user_id: crypto.randomUUID() }, { user_id: ['There is no such user.'] }],
    [{ user_id: 'x' }, { user_id: ['Not a valid UUID.'] }],
    [{}, { non_field_errors: ['Give a user_id or a username.'] }],
    [
      { username: 'other', role: 'owner' },
      { role: ['Not a valid choice. Choose one of: editor, viewer, domain_expert.'] },
    ],
  ])('invited with %j are refused', async (body, fields) => {
    expect(answer(await invite(app.contributor, await newProject(app.contributor), body))).toEqual([400, fields])
  })

  test('are at no time without the owner', async () => {
    const slug = await newProject(app.contributor)
    const [owner] = sure(200, await app.contributor.get(at(slug, 'memberships/'))).results
    const path = at(slug, `memberships/${owner.id}/`)
    expect(answer(await app.contributor.delete(path))).toEqual([
      400,
      { detail: "The owner's membership cannot be removed." },
    ])
    expect(answer(await app.staff.patch(path, { body: { role: 'viewer' } }))).toEqual([
      400,
      { detail: "The owner's role cannot be changed." },
    ])
  })
})

describe('while a project is in review or merged', () => {
  test.each(['in_review', 'merged'])('(%s) nothing is added to it or taken from it', async (state) => {
    const [record, another] = await waitingRecords(app, 2)
    const slug = await projectIn(app, state, [record])
    const { entities, memberships } = sure(200, await app.contributor.get(at(slug)))
    const detail =
      state === 'merged'
        ? 'A merged project is not changed any more.'
        : 'While a project is in review, nothing is added to it or taken from it.'
    for (const who of [app.contributor, app.staff])
      for (const reply of [
        await who.post(at(slug, 'entities/'), { body: { entity: another.cultural_entity_id } }),
        await who.delete(at(slug, `entities/${entities[0].id}/`)),
        await who.patch(at(slug, `entities/${entities[0].id}/`), { body: { role_in_project: 'x' } }),
        await who.post(at(slug, 'memberships/'), { body: { username: 'other' } }),
        await who.delete(at(slug, `memberships/${memberships[0].id}/`)),
      ])
        expect(answer(reply)).toEqual([403, { detail }])
    // What it says of itself may be mended, and it may be talked about.
    sure(200, await app.contributor.patch(at(slug), { body: { title: 'Mended' } }))
    sure(201, await app.contributor.post(at(slug, 'comments/'), { body: { comment: 'Mended it.', parent: null } }))
  })
})

describe('changing a project', () => {
  test('changes what it says of itself, never its slug or state', async () => {
    const slug = await newProject(app.contributor)
    app.tick(5)
    const body = { title: 'New', tags: ['x'], canvas_state: { zoom: 2 }, slug: 'other', state: 'merged', owner: 'x' }
    const next = sure(200, await app.contributor.patch(at(slug), { body }))
    expect(next).toMatchObject({ slug, title: 'New', state: 'draft', tags: ['x'], canvas_state: { zoom: 2 } })
    expect(next.abstract).toBe('What it is about.')
    expect(next.updated_at > next.created_at).toBe(true)
    expect(answer(await app.contributor.put(at(slug), { body: { abstract: 'x' } }))).toEqual([
      400,
      { title: ['This field is required.'] },
    ])
    const [row] = sure(200, await app.contributor.get(at(slug, 'activity/'))).results
    expect(row).toMatchObject({ action: 'updated', payload: { fields: ['canvas_state', 'tags', 'title'] } })
  })

  test('over a version that is no longer the current one is refused', async () => {
    const slug = await newProject(app.contributor)
    const { headers } = await app.contributor.get(at(slug))
    const send = () =>
      app.contributor.patch(at(slug), { body: { title: 'x' }, headers: { 'if-match': headers.etag ?? '' } })
    sure(200, await send())
    expect((await send()).status).toBe(412)
  })

  test('by deleting it frees its slug, and it is gone for all', async () => {
    const slug = await newProject(app.contributor)
    expect((await app.other.delete(at(slug))).status).toBe(404)
    sure(204, await app.contributor.delete(at(slug)))
    for (const who of [app.contributor, app.staff]) expect((await who.get(at(slug))).status).toBe(404)
    const { id } = sure(201, await open(app.other, named({ slug })))
    expect(sure(200, await app.other.get(at(slug))).id).toBe(id)
    const { results } = sure(200, await app.contributor.get(collection, { query: { limit: 100 } }))
    expect(results.map((it: { slug: string }) => it.slug)).not.toContain(slug)
  })
})

describe('comments', () => {
  test('are read in four calls besides the caller: two for project and comment, replies and people', async () => {
    const slug = await newProject(app.contributor)
    const [top, second] = [{ comment: 'Look.' }, { comment: 'There.' }]
    const said = sure(201, await app.contributor.post(at(slug, 'comments/'), { body: top }))
    const reply = { ...second, parent: said.comment_id }
    sure(201, await app.contributor.post(at(slug, 'comments/'), { body: reply }))
    const one = await app.contributor.get(at(slug, `comments/${said.comment_id}/`))
    const caller = (await app.contributor.get('/data/testme/')).cost.calls
    expect([one.status, one.cost.calls - caller]).toEqual([200, 4])
  })

  test('are threads, written by those who see the project, changed by their authors', async () => {
    const slug = await newProject(app.contributor, { visibility: 'public' })
    const say = (who: Persona, body: object) => who.post(at(slug, 'comments/'), { body })
    const top = sure(201, await say(app.other, { comment: 'Looks good', parent: null }))
    sure(201, await say(app.contributor, { comment: 'Thanks', parent: top.comment_id }))
    const { results, count } = sure(200, await app.community.get(at(slug, 'comments/')))
    expect(count).toBe(1)
    expect(results[0]).toMatchObject({ comment: 'Looks good', user: { username: 'other', email: '' }, parent: null })
    expect(results[0].replies[0]).toMatchObject({ comment: 'Thanks', parent: top.id, replies: [] })
    const path = at(slug, `comments/${top.comment_id}/`)
    expect((await app.contributor.patch(path, { body: { comment: 'x' } })).status).toBe(403)
    expect(sure(200, await app.other.patch(path, { body: { comment: 'Looks fine' } })).comment).toBe('Looks fine')
    sure(204, await app.staff.delete(path))
    expect(sure(200, await app.other.get(path)).comment).toBe('')
    expect(answer(await say(app.other, { comment: ' ' }))).toEqual([400, { comment: ['This field may not be blank.'] }])
    const elsewhere = await newProject(app.contributor, { visibility: 'public' })
    expect((await app.other.get(at(elsewhere, `comments/${top.comment_id}/`))).status).toBe(404)
  })
})

describe('the list', () => {
  const listed = async (who: Persona, query: Record<string, string | number> = {}) => {
    const { count, results } = sure(200, await who.get(collection, { query: { limit: 100, ...query } }))
    return { count, slugs: results.map((it: { slug: string }) => it.slug) }
  }

  test('holds for each what they may see, counts it exactly, and sorts it as asked', async () => {
    const who = await fresh()
    const mine = sure(200, await who.get('/api/user/info'))
    const records = await Promise.all(
      [1, 2, 3].map((i) => contribute(who, 'traditions', { name: `Listed ${crypto.randomUUID()} ${i}` })),
    )
    const make = async (body: object, to?: string) => {
      app.tick(1)
      const slug = await newProject(who, body)
      if (!to) return slug
      await addAsset(slug)
      for (const it of records) await linkTo(who, slug, it)
      app.tick(1)
      sure(200, await move(who, slug, 'in_review'))
      return slug
    }
    const open = await make({ visibility: 'public' })
    const closed = await make({ visibility: 'org' })
    const waiting = await make({ visibility: 'private' }, 'in_review')
    const openWaiting = await make({ visibility: 'public' }, 'in_review')
    const owner = mine.id
    expect(await listed(app.anon, { owner })).toEqual({ count: 2, slugs: [openWaiting, open] })
    expect(await listed(app.other, { owner })).toEqual({ count: 2, slugs: [openWaiting, open] })
    expect(await listed(app.community, { owner })).toEqual({ count: 3, slugs: [openWaiting, waiting, open] })
    const all = [openWaiting, waiting, closed, open]
    for (const one of [who, app.staff]) expect(await listed(one, { owner })).toEqual({ count: 4, slugs: all })
    expect(await listed(who)).toMatchObject({ slugs: expect.arrayContaining(all) })
    expect(await listed(who, { owner: mine.username, ordering: 'created_at' })).toEqual({
      count: 4,
      slugs: all.toReversed(),
    })
    expect(await listed(app.community, { owner, state: 'in_review', ordering: 'submitted_at' })).toEqual({
      count: 2,
      slugs: [waiting, openWaiting],
    })
    expect(await listed(who, { owner, visibility: 'org' })).toEqual({ count: 1, slugs: [closed] })
    expect(await listed(app.staff, { owner, visibility: 'private', state: 'in_review' })).toEqual({
      count: 1,
      slugs: [waiting],
    })
    expect(await listed(who, { owner, visibility: 'public', state: 'draft' })).toEqual({ count: 1, slugs: [open] })
    sure(200, await who.patch(at(open), { body: { title: 'Newest' } }))
    app.tick(1)
    sure(200, await who.patch(at(closed), { body: { visibility: 'public' } }))
    expect((await listed(app.anon, { owner, ordering: '-updated_at' })).slugs[0]).toBe(closed)
    expect(await listed(app.anon, { owner })).toEqual({ count: 3, slugs: [openWaiting, closed, open] })
    expect(await listed(app.anon, { owner: 'nobody-at-all' })).toEqual({ count: 0, slugs: [] })
  })

  test('is followed page by page, each project once', async () => {
    const who = await fresh()
    const owner = sure(200, await who.get('/api/user/info')).id
    const made: string[] = []
    for (let i = 0; i < 7; i += 1) {
      app.tick(1)
      made.unshift(await newProject(who, { visibility: i % 2 ? 'public' : 'private' }))
    }
    const seen: string[] = []
    let next: string | null = `${collection}?limit=3&owner=${owner}`
    while (next) {
      const url: URL = new URL(next, 'http://localhost:8000')
      const { results, next: on, count } = sure(200, await who.get(url.pathname + url.search))
      expect(count).toBe(7)
      seen.push(...results.map((it: { slug: string }) => it.slug))
      next = on
    }
    expect(seen).toEqual(made)
  })

  test.each([
    ['state', 'lost'],
    ['visibility', 'secret'],
  ])('asked for %s=%s says what there is', async (name, value) => {
    const reply = await app.anon.get(collection, { query: { [name]: value } })
    expect(reply.status).toBe(400)
    expect(reply.body[name][0]).toMatch(/^Not a valid choice\. Choose one of: /)
  })
})

describe('what belongs to a project has an address of its own', () => {
  test('under which it is read, and by PUT replaced', async () => {
    const [record] = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'draft', [])
    const link = await linkTo(app.contributor, slug, record)
    const invited = { username: 'other', role: 'viewer' }
    const member = sure(201, await app.contributor.post(at(slug, 'memberships/'), { body: invited }))
    const said = sure(201, await app.other.post(at(slug, 'comments/'), { body: { comment: 'Where is the gate?' } }))
    const answered = { comment: 'On the south side.', parent: said.id }
    const reply = sure(201, await app.contributor.post(at(slug, 'comments/'), { body: answered }))

    expect(sure(200, await app.contributor.get(at(slug, `entities/${link.id}/`)))).toEqual(link)
    const labelled = sure(
      200,
      await app.contributor.put(at(slug, `entities/${link.id}/`), { body: { role_in_project: 'subject' } }),
    )
    expect(labelled).toEqual({ ...link, role_in_project: 'subject' })

    expect(sure(200, await app.contributor.get(at(slug, `memberships/${member.id}/`)))).toEqual(member)
    const promoted = sure(
      200,
      await app.contributor.put(at(slug, `memberships/${member.id}/`), { body: { role: 'editor' } }),
    )
    expect(promoted).toEqual({ ...member, role: 'editor' })

    const replies = sure(200, await app.other.get(at(slug, `comments/${said.comment_id}/replies/`)))
    expect(replies).toEqual({ count: 1, next: null, previous: null, results: [reply] })
    expect((await app.other.get(at(slug, `comments/${reply.comment_id}/replies/`))).status).toBe(404)
    const body = { comment: 'Where is the western gate?' }
    expect(sure(200, await app.other.put(at(slug, `comments/${said.id}/`), { body }))).toMatchObject({
      ...body,
      id: said.id,
    })

    const replaced = sure(200, await app.contributor.put(at(slug), { body: { title: 'The gates' } }))
    expect(replaced).toMatchObject({ title: 'The gates', abstract: 'What it is about.', can_edit: true })
  })
})
