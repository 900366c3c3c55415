import { beforeAll, describe, expect, test } from 'vitest'
import { ranks } from '../../../lib/platform/permissions.ts'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { changeUser } from '../../harness/people.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const ROLES = '/data/reviewer-roles/'
const APPLICATIONS = '/data/reviewer-applications/'
const USERS = '/data/platform-admin/users/'
const AT = '2025-01-15T10:00:00.000Z'
const signInNeeded = { detail: 'Authentication credentials were not provided.' }
const badToken = { detail: 'The token is malformed, expired or revoked.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const notFound = { detail: 'Not found.' }
const waitsNot = { detail: 'This application waits for no answer.' }
const nobody = '11111111-1111-4111-8111-111111111111'
const empty = { id: null, message: null, status: null, created_at: null, updated_at: null }
const choices = ranks.join(', ')
const wrongRole = { role: [`Not a valid choice. Choose one of: ${choices}.`] }
const powers = (all: boolean, manage = false) => ({
  can_override_confidence: all,
  can_resolve_conflicts: all,
  can_manage_roles: manage,
})

type Person = Persona & { id: string; username: string; card: object }
let people = 0
/** Somebody new, signed in by a password. */
async function join(given: object = {}): Promise<Person> {
  const username = `person${++people}`
  const password = 'a quiet courtyard'
  const body = { username, email: `${username}@example.org`, password, first_name: '', last_name: '', ...given }
  const made = await app.anon.post('/api/register/', { body })
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  const { id, first_name, last_name } = made.body.user
  const { access } = (await app.anon.post('/api/token/', { body: { username, password } })).body
  return { ...app.as(access), id, username, card: { id, username, email: '', first_name, last_name } }
}
test('the powers that a role shows are those that the rules grant', async () => {
  const { mayDecide, permissions } = await import('../../../lib/platform/permissions.ts')
  const { powersOf } = await import('../../../lib/platform/users/views/profile.ts')
  const plain = {
    authors: [],
    required_persona: 'community_reviewer',
    escalates: false,
    overridesConfidence: false,
    settlesContradiction: false,
  } as const
  for (const rank of ranks) {
    const actor = { id: nobody, username: rank, email: '', is_staff: false, is_superuser: false, rank }
    expect(powersOf(rank), rank).toEqual({
      can_override_confidence: mayDecide(actor, { ...plain, overridesConfidence: true }) === true,
      can_resolve_conflicts: mayDecide(actor, { ...plain, settlesContradiction: true }) === true,
      can_manage_roles: permissions['role.change'].role(actor),
    })
  }
})

const assign = (body: object, who: Persona = app.curator) => who.post(`${ROLES}assign/`, { body })
/** Somebody new who has this role. */
async function reviewer(role = 'community_reviewer'): Promise<Person> {
  const it = await join()
  expect((await assign({ user_id: it.id, role })).status).toBe(201)
  return it
}
const account = async (it: Persona) => (await it.get('/api/user/info')).body
const standing = async (it: Persona) => {
  const { groups, reviewer_role } = await account(it)
  return { groups, role: reviewer_role?.role ?? null, is_active: reviewer_role?.is_active ?? null }
}
const none = { groups: ['Contributors'], role: null, is_active: null }
const community = { groups: ['Contributors', 'Reviewers'], role: 'community_reviewer', is_active: true }
const expert = { groups: ['Contributors', 'Reviewers', 'Moderators'], role: 'domain_expert', is_active: true }
const card = async (it: Persona) => {
  const { id, username } = await account(it)
  return { id, username, email: '', first_name: expect.any(String), last_name: 'Heritage' }
}
/** Every item that a call could have changed, as the people who may see them all read it. */
const everything = async () =>
  JSON.stringify([
    (await app.staff.get(ROLES, { query: { limit: 100 } })).body,
    (await app.staff.get(APPLICATIONS, { query: { limit: 100 } })).body,
    (await app.staff.get(USERS, { query: { limit: 100 } })).body,
  ])
const withoutTrace = async (call: () => Promise<Answer>) => {
  const before = await everything()
  const { status, body } = await call()
  expect(await everything()).toBe(before)
  return [status, body]
}
const apply = async (it: Persona, message = 'I know the courtyards of Patan.') => {
  const made = await it.post(APPLICATIONS, { body: { message } })
  expect([made.status, made.body]).toEqual([201, expect.anything()])
  return made.body
}
/** The verdict of somebody on a new contribution of another. */
const decide = async (it: Persona) => {
  const made = await app.contributor.post('/cidoc/structures/', { body: { name: `House ${++people}` } })
  const entity: string = made.body.cultural_entity_id
  const { status } = await it.post(`/data/review-workspace/${entity}/decide/`, { body: { verdict: 'accept' } })
  return { status, entity }
}

describe('who may', () => {
  const forCurators: [string, string, object?][] = [
    ['GET', ROLES],
    ['GET', `${ROLES}${nobody}/`],
    ['POST', ROLES, { user_id: nobody, role: 'domain_expert' }],
    ['POST', `${ROLES}assign/`, { user_id: nobody, role: 'domain_expert' }],
    ['PUT', `${ROLES}${nobody}/`, { role: 'domain_expert' }],
    ['PATCH', `${ROLES}${nobody}/`, { role: 'domain_expert' }],
    ['DELETE', `${ROLES}${nobody}/`],
    ['GET', APPLICATIONS],
    ['GET', `${APPLICATIONS}${nobody}/`],
    ['POST', `${APPLICATIONS}${nobody}/approve/`, {}],
    ['POST', `${APPLICATIONS}${nobody}/reject/`, {}],
    ['GET', USERS],
    ['GET', `${USERS}${nobody}/`],
  ]
  const forAnyone: [string, string, object?][] = [
    ['GET', `${ROLES}my_role/`],
    ['POST', APPLICATIONS],
    ['GET', `${APPLICATIONS}mine/`],
    ['POST', `${APPLICATIONS}mine/withdraw/`],
  ]

  test.each(forCurators)('%s %s is for expert curators and staff', async (method, path, body) => {
    for (const who of [app.contributor, app.community, app.domain]) {
      expect(await withoutTrace(() => who.send(method, path, { body }))).toEqual([403, refused])
    }
    for (const who of [app.curator, app.staff]) {
      const { status } = await who.send(method, path, { body })
      expect(status).toBe(path.includes(nobody) || method === 'POST' ? 404 : 200)
    }
  })

  test.each([...forCurators, ...forAnyone])('%s %s needs a caller', async (method, path, body) => {
    for (const who of [app.anon, app.as('not-a-token')]) {
      expect(await withoutTrace(() => who.send(method, path, { body }))).toEqual([
        401,
        who === app.anon ? signInNeeded : badToken,
      ])
    }
  })

  test('a curator whose role is not active any more manages nothing', async () => {
    const former = await reviewer('expert_curator')
    expect((await former.get(ROLES)).status).toBe(200)
    expect((await app.staff.patch(`${ROLES}${former.id}/`, { body: { is_active: false } })).status).toBe(200)
    for (const path of [ROLES, APPLICATIONS, USERS]) {
      const reply = await former.get(path)
      expect([reply.status, reply.body]).toEqual([403, refused])
    }
  })
})

describe('assigning a role', () => {
  test('gives the role with its groups, and says who did', async () => {
    const it = await join({ first_name: 'Maya', last_name: 'Shrestha' })
    const reply = await assign({ user_id: it.id, role: 'domain_expert', expertise_areas: ['woodwork', ' Licchavi '] })
    const row = {
      id: it.id,
      user: it.card,
      role: 'domain_expert',
      expertise_areas: ['woodwork', 'Licchavi'],
      is_active: true,
      assigned_by: await card(app.curator),
      ...powers(true),
      created_at: AT,
      updated_at: AT,
    }
    expect([reply.status, reply.body]).toEqual([201, row])
    expect(await standing(it)).toEqual(expert)
    expect((await account(it)).reviewer_role).toEqual({ role: 'domain_expert', is_active: true, ...powers(true) })
    const read = await app.curator.get(`${ROLES}${it.id}`)
    expect([read.status, read.body]).toEqual([200, row])
    const own = await it.get('/data/api/reviewer-roles/my_role/')
    const email = `${it.username}@example.org`
    expect([own.status, own.body]).toEqual([200, { ...row, user: { ...it.card, email } }])
    expect((await app.staff.get(`${ROLES}${it.id}/`)).body).toEqual(own.body)
  })

  test('by username, under every prefix and on the collection too', async () => {
    for (const path of ['/data/api/reviewer-roles/assign', '/api/v1/data/reviewer-roles/assign/', ROLES]) {
      const it = await join()
      const body = { username: it.username.toUpperCase(), role: 'domain_expert' }
      const reply = await app.staff.post(path, { body })
      expect([reply.status, reply.body.id]).toEqual([201, it.id])
      expect(await standing(it)).toEqual(expert)
      expect((await app.staff.post(path, { body })).status).toBe(200)
    }
  })

  test('again changes it: the areas stay unless others are named, the groups follow', async () => {
    const it = await join()
    await assign({ user_id: it.id, role: 'domain_expert', expertise_areas: ['woodwork'] })
    const lower = await assign({ user_id: it.id, role: 'community_reviewer' }, app.staff)
    expect([lower.status, lower.body]).toEqual([
      200,
      expect.objectContaining({
        role: 'community_reviewer',
        expertise_areas: ['woodwork'],
        assigned_by: await card(app.staff),
        ...powers(false),
      }),
    ])
    expect(await standing(it)).toEqual(community)
    const higher = await assign({ user_id: it.id, role: 'expert_curator', expertise_areas: [] })
    expect([higher.status, higher.body]).toEqual([
      200,
      expect.objectContaining({ role: 'expert_curator', expertise_areas: [], ...powers(true, true) }),
    ])
    expect(await standing(it)).toEqual({ ...expert, role: 'expert_curator' })
  })

  test('makes a role active that was not', async () => {
    const it = await reviewer()
    await app.curator.patch(`${ROLES}${it.id}/`, { body: { is_active: false } })
    const reply = await assign({ user_id: it.id, role: 'community_reviewer' })
    expect([reply.status, reply.body.is_active]).toEqual([200, true])
    expect(await standing(it)).toEqual(community)
  })

  test('what the service keeps itself cannot be sent', async () => {
    const it = await join()
    const smuggled = { id: nobody, is_active: false, assigned_by: null, can_manage_roles: true, is_staff: true }
    const { body } = await assign({ user_id: it.id, role: 'community_reviewer', ...smuggled })
    expect(body).toMatchObject({ id: it.id, is_active: true, assigned_by: await card(app.curator), ...powers(false) })
    expect((await account(it)).is_staff).toBe(false)
  })

  test('an unknown user is not found', async () => {
    for (const whom of [{ user_id: nobody }, { username: 'no-such-person' }]) {
      const reply = await withoutTrace(() => assign({ ...whom, role: 'domain_expert' }))
      expect(reply).toEqual([404, notFound])
    }
  })

  test.each<[string, object, object]>([
    ['nobody', { user_id: null, username: null }, { user_id: ['This field is required.'] }],
    ['no user', { user_id: null, role: 'domain_expert' }, { user_id: ['This field is required.'] }],
    ['no role', { role: null }, { role: ['This field is required.'] }],
    ['an unknown role', { role: 'god' }, wrongRole],
    ['a role in other letters', { role: 'Domain_Expert' }, wrongRole],
    ['an id that is a number', { user_id: 7 }, { user_id: ['Not a valid UUID.'] }],
    ['an id that is a name', { user_id: 'dev' }, { user_id: ['Not a valid UUID.'] }],
    ['areas that are no list', { expertise_areas: 'wood' }, { expertise_areas: ['Give a list of texts.'] }],
    ['an area that is a number', { expertise_areas: [5] }, { expertise_areas: { 0: ['Not a valid text.'] } }],
    [
      'control characters',
      { expertise_areas: ['a\u0000'] },
      { expertise_areas: { 0: ['Control characters are not allowed.'] } },
    ],
    [
      'an over-long area',
      { expertise_areas: ['x'.repeat(101)] },
      { expertise_areas: { 0: ['Ensure this field has no more than 100 characters.'] } },
    ],
    [
      'too many areas',
      { expertise_areas: Array(51).fill('x') },
      { expertise_areas: ['Give no more than 50 of them.'] },
    ],
  ])('%s is refused, on the collection too', async (_what, part, fields) => {
    const { id } = await account(app.contributor)
    const body = { user_id: id, role: 'domain_expert', ...part }
    for (const path of [ROLES, `${ROLES}assign/`]) {
      expect(await withoutTrace(() => app.curator.post(path, { body }))).toEqual([400, fields])
    }
  })

  test('nothing at all is told of both that are missing', async () => {
    const fields = { role: ['This field is required.'], user_id: ['This field is required.'] }
    for (const body of [undefined, {}]) {
      expect(await withoutTrace(() => app.curator.post(ROLES, { body }))).toEqual([400, fields])
    }
  })

  test('what is not JSON is refused', async () => {
    const reply = await withoutTrace(() => app.curator.post(`${ROLES}assign/`, { body: '{"role"' }))
    expect(reply).toEqual([400, { detail: 'JSON parse error: the body is not valid JSON at line 1, column 8.' }])
  })

  test('an expert curator cannot change the own role in any way', async () => {
    const it = await reviewer('expert_curator')
    for (const call of [
      () => assign({ user_id: it.id, role: 'community_reviewer' }, it),
      () => assign({ username: it.username, role: 'expert_curator' }, it),
      () => it.post(ROLES, { body: { user_id: it.id.toUpperCase(), role: 'domain_expert' } }),
      () => it.patch(`${ROLES}${it.id}/`, { body: { expertise_areas: ['everything'] } }),
      () => it.put(`${ROLES}${it.id.toUpperCase()}/`, { body: { role: 'domain_expert' } }),
      () => it.delete(`${ROLES}${it.id}/`),
    ]) {
      expect(await withoutTrace(call)).toEqual([403, refused])
    }
  })

  test('staff may give themselves a role, and take it away', async () => {
    const { id } = await account(app.staff)
    expect((await assign({ user_id: id, role: 'domain_expert' }, app.staff)).status).toBe(201)
    expect(await standing(app.staff)).toEqual(expert)
    expect((await app.staff.delete(`${ROLES}${id}/`)).status).toBe(204)
    expect(await standing(app.staff)).toEqual(none)
  })

  test('of many at once one makes the role, the others change it, and no other change is lost', async () => {
    const it = await join()
    const [profile, ...replies] = await Promise.all([
      it.patch(`/data/user/${it.id}/`, { body: { country: 'Nepal' } }),
      assign({ user_id: it.id, role: 'community_reviewer' }),
      assign({ user_id: it.id, role: 'domain_expert' }, app.staff),
      assign({ user_id: it.id, role: 'expert_curator' }, app.staff),
    ])
    expect(profile.status).toBe(200)
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    expect((await app.anon.get(`/data/user/${it.id}/`)).body.country).toBe('Nepal')
    const { groups, role } = await standing(it)
    expect(groups).toEqual(role === 'community_reviewer' ? community.groups : expert.groups)
    expect(replies.map(({ body }) => body.role)).toContain(role)
    const rows = (await app.staff.get(ROLES, { query: { limit: 100 } })).body
    expect(rows.results.filter(({ id }: { id: string }) => id === it.id)).toHaveLength(1)
    expect(rows.count).toBe(rows.results.length)
  })
})

describe('the role of a user', () => {
  test('PATCH changes what it names', async () => {
    const it = await reviewer('domain_expert')
    app.tick(60)
    const reply = await app.staff.patch(`${ROLES}${it.id}/`, { body: { expertise_areas: ['bronze'] } })
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({
        role: 'domain_expert',
        expertise_areas: ['bronze'],
        is_active: true,
        assigned_by: await card(app.curator),
      }),
    ])
    expect(Date.parse(reply.body.updated_at) - Date.parse(reply.body.created_at)).toBe(60_000)
    const lower = await app.staff.patch(`${ROLES}${it.id}/`, { body: { role: 'community_reviewer' } })
    expect(lower.body).toMatchObject({ expertise_areas: ['bronze'], assigned_by: await card(app.staff) })
    expect(await standing(it)).toEqual(community)
  })

  test('deactivated, it takes its groups and rights with it at once, and gives them back', async () => {
    const it = await reviewer('domain_expert')
    const decided = await decide(it)
    expect(decided.status).toBe(201)
    const off = await app.curator.patch(`${ROLES}${it.id}/`, { body: { is_active: false } })
    expect([off.status, off.body.is_active]).toEqual([200, false])
    expect(await standing(it)).toEqual({ groups: ['Contributors'], role: 'domain_expert', is_active: false })
    const published = `/data/review-workspace/${decided.entity}/decide/`
    const reply = await it.post(published, { body: { verdict: 'accept' } })
    expect([reply.status, reply.body]).toEqual([403, refused])
    // Whoever does not review learns nothing of what is there.
    expect((await decide(it)).status).toBe(403)
    expect((await it.get(`${ROLES}my_role/`)).body.is_active).toBe(false)
    await app.curator.patch(`${ROLES}${it.id}/`, { body: { is_active: true } })
    expect(await standing(it)).toEqual(expert)
    expect((await decide(it)).status).toBe(201)
  })

  test('PUT needs the role; what it leaves out stays', async () => {
    const it = await reviewer()
    await app.curator.patch(`${ROLES}${it.id}/`, { body: { is_active: false, expertise_areas: ['bells'] } })
    const reply = await app.curator.put(`${ROLES}${it.id}/`, { body: { role: 'domain_expert' } })
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ role: 'domain_expert', expertise_areas: ['bells'], is_active: false }),
    ])
    expect(await standing(it)).toEqual({ groups: ['Contributors'], role: 'domain_expert', is_active: false })
    const lacking = await withoutTrace(() => app.curator.put(`${ROLES}${it.id}/`, { body: { is_active: true } }))
    expect(lacking).toEqual([400, { role: ['This field is required.'] }])
  })

  test.each<[object, object]>([
    [{ role: 'king' }, wrongRole],
    [{ is_active: 'yes' }, { is_active: ['Give true or false.'] }],
    [{ is_active: null }, { is_active: ['Give true or false.'] }],
    [{ expertise_areas: {} }, { expertise_areas: ['Give a list of texts.'] }],
  ])('%j is refused', async (part, fields) => {
    const { id } = await account(app.domain)
    for (const method of ['PATCH', 'PUT']) {
      const body = { role: 'domain_expert', ...part }
      expect(await withoutTrace(() => app.curator.send(method, `${ROLES}${id}/`, { body }))).toEqual([400, fields])
    }
  })

  test('who had no role, has none to change or remove', async () => {
    const { id } = await join()
    for (const path of [`${ROLES}${id}/`, `${ROLES}${nobody}/`, `${ROLES}abc/`, `${ROLES}%00/`]) {
      for (const [method, body] of [
        ['GET'],
        ['PATCH', { is_active: true }],
        ['PUT', { role: 'domain_expert' }],
        ['DELETE'],
      ] as const) {
        expect(await withoutTrace(() => app.staff.send(method, path, { body }))).toEqual([404, notFound])
      }
    }
  })

  test('DELETE takes role and groups away', async () => {
    const it = await reviewer('expert_curator')
    const before = (await app.curator.get(ROLES)).body.count
    const reply = await app.curator.delete(`${ROLES}${it.id}/`, { headers: { 'content-type': 'application/json' } })
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await standing(it)).toEqual(none)
    expect((await app.curator.get(ROLES)).body.count).toBe(before - 1)
    const own = await it.get(`${ROLES}my_role/`)
    expect([own.status, own.body]).toEqual([404, notFound])
    expect((await app.curator.delete(`${ROLES}${it.id}/`)).status).toBe(404)
  })

  test('the list has everyone with a role, the newest first, without addresses but for staff', async () => {
    const fresh = await openRoles()
    expect(fresh.body.count).toBe(fresh.body.results.length)
    app.tick(1)
    const first = await reviewer()
    app.tick(1)
    const second = await reviewer('domain_expert')
    const page = await app.curator.get(ROLES, { query: { limit: 1 } })
    expect([page.status, page.body.count, page.body.previous]).toEqual([200, fresh.body.count + 2, null])
    expect(page.body.results).toEqual([
      expect.objectContaining({ id: second.id, user: second.card, assigned_by: await card(app.curator) }),
    ])
    const next = await app.curator.get(page.body.next)
    expect(next.body.results.map(({ id }: { id: string }) => id)).toEqual([first.id])
    const [seen] = (await app.staff.get(ROLES, { query: { limit: 1 } })).body.results
    expect(seen.user.email).toBe(`${second.username}@example.org`)
  })

  const openRoles = () => app.curator.get(ROLES, { query: { limit: 100 } })

  test('seeded reviewers are in it under the id of their user', async () => {
    const { id } = await account(app.community)
    const reply = await app.curator.get(`${ROLES}${id}/`)
    expect(reply.body).toMatchObject({
      id,
      role: 'community_reviewer',
      assigned_by: null,
      user: await card(app.community),
    })
  })

  test('a page of roles costs two calls beside knowing who asks', async () => {
    expect((await app.curator.get(ROLES)).cost.calls).toBe(1 + 2)
  })
})

describe('applying', () => {
  test('makes an application that waits, which the applicant sees', async () => {
    const it = await join()
    expect((await account(it)).reviewer_application).toBe(null)
    const shell = await it.get('/api/v1/data/reviewer-applications/mine')
    expect([shell.status, shell.body]).toEqual([200, empty])
    const message = 'I restore शिखर roofs.\nSince 1998.'
    const reply = await it.post('/api/v1/data/reviewer-applications', { body: { message, status: 'approved' } })
    const at = reply.body.created_at
    const row = { id: expect.any(String), message, status: 'pending', created_at: at, updated_at: at }
    const warnings = [{ member: 'status', message: 'This member is not read; it has no effect.' }]
    expect([reply.status, reply.body]).toEqual([201, { ...row, warnings }])
    expect((await it.get('/api/v1/data/reviewer-applications/mine')).body).toEqual(row)
    expect((await account(it)).reviewer_application).toEqual({
      id: reply.body.id,
      status: 'pending',
      message,
      created_at: at,
    })
    expect(await standing(it)).toEqual(none)
  })

  test('with nothing to say is fine', async () => {
    for (const body of [undefined, '', {}, { message: '' }, { message: null }]) {
      const it = await join()
      const reply = await it.post(APPLICATIONS, { body })
      expect([reply.status, reply.body.message, reply.body.status]).toEqual([201, '', 'pending'])
    }
  })

  test('a long message is kept whole; the account shows its beginning', async () => {
    const it = await join()
    const message = '𑐣'.repeat(4000)
    expect((await apply(it, message)).message).toBe(message)
    expect((await it.get(`${APPLICATIONS}mine/`)).body.message).toBe(message)
    const shown = (await account(it)).reviewer_application.message
    expect(message.startsWith(shown)).toBe(true)
    expect(shown.length).toBeLessThanOrEqual(1000)
  })

  test.each<[string, unknown, object]>([
    [
      'an over-long message',
      { message: 'x'.repeat(4001) },
      { message: ['Ensure this field has no more than 4000 characters.'] },
    ],
    ['a message that is a number', { message: 7 }, { message: ['Not a valid text.'] }],
    ['control characters', { message: 'a\u0007' }, { message: ['Control characters are not allowed.'] }],
    ['malformed JSON', '{', { detail: 'JSON parse error: the body is not valid JSON at line 1, column 2.' }],
    ['a list', '[]', { detail: 'The body must be a JSON object.' }],
  ])('%s is refused', async (_what, body, expected) => {
    expect(await withoutTrace(() => app.other.post(APPLICATIONS, { body }))).toEqual([400, expected])
    expect((await app.other.get(`${APPLICATIONS}mine/`)).body).toEqual(empty)
  })

  test('staff, reviewers and those who wait do not apply', async () => {
    const waiting = await join()
    await apply(waiting)
    const cases = [
      [app.staff, 'Staff review without a role.'],
      [app.community, 'You are a reviewer already.'],
      [app.curator, 'You are a reviewer already.'],
      [waiting, 'Your application is waiting for an answer.'],
    ] as const
    for (const [who, message] of cases) {
      const reply = await withoutTrace(() => who.post(APPLICATIONS, { body: {} }))
      expect(reply).toEqual([400, { non_field_errors: [message] }])
    }
  })

  test('twice at once makes one application', async () => {
    const it = await join()
    const replies = await Promise.all([1, 2, 3].map(() => it.post(APPLICATIONS, { body: {} })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    const { results } = (await app.staff.get(APPLICATIONS, { query: { limit: 100, status: 'pending' } })).body
    expect(results.filter(({ user }: { user: { id: string } }) => user.id === it.id)).toHaveLength(1)
  })

  test('withdrawn, with an empty body, it is as if it had never been', async () => {
    const it = await join()
    const { id } = await apply(it)
    const headers = { 'content-type': 'application/json' }
    const reply = await it.post('/api/v1/data/reviewer-applications/mine/withdraw', { body: '', headers })
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await it.get(`${APPLICATIONS}mine/`)).body).toEqual(empty)
    expect((await account(it)).reviewer_application).toBe(null)
    expect((await app.curator.get(`${APPLICATIONS}${id}/`)).status).toBe(404)
    const again = await withoutTrace(() => it.post(`${APPLICATIONS}mine/withdraw/`))
    expect(again).toEqual([400, { detail: 'No application of yours is waiting for an answer.' }])
    await apply(it)
  })
})

describe('answering an application', () => {
  test('approval makes a community reviewer, in the same moment', async () => {
    const it = await join()
    const { id, message, created_at } = await apply(it)
    expect((await decide(it)).status).toBe(403)
    app.tick(30)
    const reply = await app.curator.post(`${APPLICATIONS}${id}/approve/`, { body: { admin_notes: 'Known to us.' } })
    const at = reply.body.reviewed_at
    const row = {
      id,
      user: it.card,
      message,
      status: 'approved',
      admin_notes: 'Known to us.',
      reviewed_by: await card(app.curator),
      reviewed_at: at,
      created_at,
      updated_at: at,
    }
    expect([reply.status, reply.body]).toEqual([200, row])
    expect(Date.parse(at) - Date.parse(created_at)).toBe(30_000)
    expect((await app.staff.get(`${APPLICATIONS}${id}/`)).body).toEqual(row)
    expect(await standing(it)).toEqual(community)
    expect((await account(it)).reviewer_application).toMatchObject({ id, status: 'approved' })
    expect((await app.staff.get(`${ROLES}${it.id}/`)).body.assigned_by).toEqual(await card(app.curator))
    expect((await decide(it)).status).toBe(201)
  })

  test('a rejection changes nothing else, is not told why, and lets apply again', async () => {
    const it = await join()
    const first = await apply(it)
    const reply = await app.staff.post(`${APPLICATIONS}${first.id}/reject/`, { body: { admin_notes: 'Too early.' } })
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({ status: 'rejected', admin_notes: 'Too early.', reviewed_by: await card(app.staff) }),
    ])
    expect(await standing(it)).toEqual(none)
    const mine = await it.get(`${APPLICATIONS}mine/`)
    expect(mine.body).toEqual({ ...first, status: 'rejected', updated_at: reply.body.updated_at })
    const second = await apply(it, 'Once more.')
    expect(second.id).not.toBe(first.id)
    expect((await it.get(`${APPLICATIONS}mine/`)).body).toEqual(second)
    const kept = await app.staff.get(`${APPLICATIONS}${first.id}/`)
    expect(kept.body).toMatchObject({ status: 'rejected', admin_notes: 'Too early.' })
    const late = await withoutTrace(() => app.curator.post(`${APPLICATIONS}${first.id}/approve/`, { body: {} }))
    expect(late).toEqual([409, waitsNot])
    expect(await standing(it)).toEqual(none)
  })

  test('is done once, with or without a body', async () => {
    const it = await join()
    const { id } = await apply(it)
    expect((await app.curator.post(`${APPLICATIONS}${id}/approve`)).status).toBe(200)
    for (const verb of ['approve', 'reject']) {
      const reply = await withoutTrace(() => app.staff.post(`${APPLICATIONS}${id}/${verb}/`, { body: '' }))
      expect(reply).toEqual([409, waitsNot])
    }
  })

  test('of two answers at once one counts', async () => {
    const it = await join()
    const { id } = await apply(it)
    const [yes, no] = await Promise.all([
      app.curator.post(`${APPLICATIONS}${id}/approve/`, { body: {} }),
      app.staff.post(`${APPLICATIONS}${id}/reject/`, { body: {} }),
    ])
    expect([yes.status, no.status].sort()).toEqual([200, 409])
    expect(await standing(it)).toEqual(yes.status === 200 ? community : none)
    const { status } = (await app.staff.get(`${APPLICATIONS}${id}/`)).body
    expect(status).toBe(yes.status === 200 ? 'approved' : 'rejected')
  })

  test('nobody answers the own', async () => {
    const it = await join()
    const { id } = await apply(it)
    // Only who becomes staff while the application waits could try; no route makes staff.
    await changeUser(it.id, () => ({ is_staff: true }))
    for (const verb of ['approve', 'reject']) {
      const reply = await withoutTrace(() => it.post(`${APPLICATIONS}${id}/${verb}/`, { body: {} }))
      expect(reply).toEqual([403, refused])
    }
    await changeUser(it.id, () => ({ is_staff: false }))
  })

  test('an unknown application is not found, and notes have their limits', async () => {
    for (const id of [nobody, 'abc', 'mine']) {
      const reply = await withoutTrace(() => app.curator.post(`${APPLICATIONS}${id}/approve/`, { body: {} }))
      expect(reply).toEqual([404, notFound])
    }
    const { id } = await apply(await join())
    const body = { admin_notes: 'x'.repeat(4001) }
    for (const verb of ['approve', 'reject']) {
      expect(await withoutTrace(() => app.curator.post(`${APPLICATIONS}${id}/${verb}/`, { body }))).toEqual([
        400,
        { admin_notes: ['Ensure this field has no more than 4000 characters.'] },
      ])
    }
  })

  test('who is given a role waits no longer', async () => {
    const it = await join()
    const { id } = await apply(it)
    expect((await assign({ user_id: it.id, role: 'domain_expert' }, app.staff)).status).toBe(201)
    const { body } = await app.curator.get(`${APPLICATIONS}${id}/`)
    expect(body).toMatchObject({ status: 'approved', admin_notes: '', reviewed_by: await card(app.staff) })
    const late = await withoutTrace(() => app.curator.post(`${APPLICATIONS}${id}/approve/`, { body: {} }))
    expect(late).toEqual([409, waitsNot])
    expect(await standing(it)).toEqual(expert)
  })

  test('a former reviewer applies, and has the areas still when approved', async () => {
    const it = await join()
    await assign({ user_id: it.id, role: 'expert_curator', expertise_areas: ['bells'] })
    await app.curator.patch(`${ROLES}${it.id}/`, { body: { is_active: false } })
    const { id } = await apply(it)
    await app.curator.post(`${APPLICATIONS}${id}/approve/`, { body: {} })
    expect(await standing(it)).toEqual(community)
    expect((await it.get(`${ROLES}my_role/`)).body.expertise_areas).toEqual(['bells'])
  })
})

describe('the list of applications', () => {
  test('begins with those that wait, newest first; each status by itself, with exact sizes', async () => {
    const of = async (query: { [name: string]: string | number } = {}) => {
      const { status, body } = await app.curator.get(APPLICATIONS, { query: { limit: 100, ...query } })
      expect(status).toBe(200)
      expect(body.count).toBe(body.results.length)
      return body.results as { id: string; status: string; created_at: string; user: { email: string } }[]
    }
    app.tick(1)
    const older = (await apply(await join())).id
    app.tick(1)
    const answered = (await apply(await join())).id
    await app.curator.post(`${APPLICATIONS}${answered}/reject/`)
    app.tick(1)
    const newer = (await apply(await join())).id
    const all = await of()
    expect(all.slice(0, 2).map(({ id }) => id)).toEqual([newer, older])
    const waiting = all.filter(({ status }) => status === 'pending')
    expect(all.slice(0, waiting.length)).toEqual(waiting)
    expect(await of({ status: 'pending' })).toEqual(waiting)
    expect((await of({ status: 'rejected' }))[0]?.id).toBe(answered)
    expect(await of({ status: '' })).toEqual(all)
    for (const status of ['pending', 'approved', 'rejected'] as const) {
      expect(await of({ status })).toEqual(all.filter((it) => it.status === status))
    }
    expect(new Set(all.map(({ user }) => user.email))).toEqual(new Set(['']))
    const seen = []
    for (let next: string | null = `${APPLICATIONS}?limit=3`; next; ) {
      const { body }: Answer = await app.curator.get(next)
      seen.push(...body.results)
      next = body.next
    }
    expect(seen).toEqual(all)
  })

  test('of an unknown status is refused', async () => {
    const reply = await app.curator.get(APPLICATIONS, { query: { status: 'lost' } })
    expect([reply.status, reply.body]).toEqual([
      400,
      { status: ['Not a valid choice. Choose one of: pending, approved, rejected.'] },
    ])
  })

  test('a page costs one call for each status and one for sizes and people', async () => {
    expect((await app.curator.get(APPLICATIONS, { query: { status: 'pending' } })).cost.calls).toBe(1 + 2)
    expect((await app.curator.get(APPLICATIONS)).cost.calls).toBe(1 + 4)
  })
})

describe('the users of the platform', () => {
  test('a row says what someone is, without the address but for staff', async () => {
    const it = await join({ first_name: 'Sushila', last_name: 'Manandhar' })
    const row = (more: object) => ({
      id: it.id,
      username: it.username,
      email: '',
      first_name: 'Sushila',
      last_name: 'Manandhar',
      email_verified: false,
      is_active: true,
      deactivation: null,
      is_staff: false,
      is_superuser: false,
      date_joined: expect.any(String),
      groups: ['Contributors'],
      reviewer_role: null,
      ...more,
    })
    const plain = await app.curator.get(`/data/api/platform-admin/users/${it.id}`)
    expect([plain.status, plain.body]).toEqual([200, row({})])
    await assign({ user_id: it.id, role: 'community_reviewer' })
    const { body } = await app.staff.get(`${USERS}${it.id}/`)
    expect(body).toEqual(
      row({
        email: `${it.username}@example.org`,
        groups: community.groups,
        reviewer_role: { id: it.id, role: 'community_reviewer', is_active: true },
      }),
    )
    for (const id of [nobody, 'abc']) {
      const reply = await app.staff.get(`${USERS}${id}/`)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })

  const names = async (query: { [name: string]: string | number }, who = app.staff) => {
    if ('search' in query) await following.settled()
    const { status, body } = await who.get(USERS, { query: { limit: 100, ...query } })
    expect([status, body.count]).toEqual([200, body.results.length])
    return body.results.map(({ username }: { username: string }) => username) as string[]
  }

  test('the newest come first, unless the oldest are asked for', async () => {
    app.tick(1)
    const { username } = await join()
    const all = await names({})
    expect(all[0]).toBe(username)
    expect(await names({ ordering: '-date_joined' })).toEqual(all)
    expect((await names({ ordering: 'date_joined' })).at(-1)).toBe(username)
    expect(await names({ ordering: 'date_joined' })).toEqual([...all].reverse())
    const page = await app.curator.get(USERS, { query: { limit: 1 } })
    expect(page.body.count).toBe(all.length)
    const next = await app.curator.get(page.body.next)
    expect(next.body.results[0].username).toBe(all[1])
  })

  test('are found by what their names hold, in any spelling', async () => {
    app.tick(1)
    const one = await join({ first_name: 'Śrī', last_name: 'Rājopādhyāya' })
    app.tick(1)
    const two = await join({ first_name: 'Hari', last_name: 'Rajopadhyaya' })
    for (const search of ['rajopadhyay', 'RĀJOPĀ', 'राजोपाध्याय']) {
      expect(await names({ search })).toEqual([two.username, one.username])
    }
    expect(await names({ search: 'rajopa', ordering: 'date_joined' })).toEqual([one.username, two.username])
    expect(await names({ search: 'hari raj' })).toEqual([two.username])
    expect(await names({ search: 'rajopadhyay hari' })).toEqual([two.username])
    expect(await names({ search: 'opadhyaya' })).toEqual([two.username])
    expect(await names({ search: one.username.toUpperCase() })).toEqual([one.username])
    expect(await names({ search: 'nobody at all' })).toEqual([])
    expect(await names({ search: '...' })).toEqual([])
    const page = await app.staff.get(USERS, { query: { search: 'rajopa', limit: 1 } })
    expect([page.body.count, page.body.results[0].username]).toEqual([2, two.username])
    const next = await app.staff.get(page.body.next)
    expect([next.body.results[0].username, next.body.next]).toEqual([one.username, null])
  })

  test('are found under their new names, not under the old ones', async () => {
    const it = await join({ first_name: 'Before', last_name: 'Earlier' })
    await it.patch(`/data/user/${it.id}/`, { body: { first_name: 'After', last_name: 'Later' } })
    await it.patch('/user/username/', { body: { username: 'renamed-one' } })
    for (const search of ['before', 'earlier', it.username]) expect(await names({ search }, app.curator)).toEqual([])
    for (const search of ['after', 'later', 'renamed']) expect(await names({ search })).toEqual(['renamed-one'])
  })

  test('are found by address by staff only', async () => {
    const it = await join({ email: 'zzz.hidden@example.org' })
    for (const search of ['zzz.hidden@example.org', 'zzz.hid', 'ZZZ']) {
      expect(await names({ search })).toEqual([it.username])
      expect(await names({ search }, app.curator)).toEqual([])
    }
    // Nor does search learn of it, whoever asks.
    for (const who of [app.anon, app.curator, app.staff])
      for (const path of ['/data/search/', '/data/search/suggest/']) {
        const { text } = await who.get(path, { query: { q: 'zzz.hidden@example.org' } })
        expect(text).not.toContain(it.username)
      }
  })

  test('are found at once by the beginning of a name, before search has heard of them', async () => {
    await following.settled()
    const it = await join({ first_name: 'Unheard', last_name: 'Newcomer' })
    const { body } = await app.staff.get(USERS, { query: { search: 'unheard newc' } })
    expect([body.count, body.results[0].username]).toEqual([1, it.username])
  })

  test('who are inactive are found here, and by nobody else', async () => {
    const it = await join({ first_name: 'Dormant', last_name: 'Member' })
    await changeUser(it.id, () => ({ is_active: false }))
    expect(await names({ search: 'dormant' }, app.curator)).toEqual([it.username])
    expect((await app.anon.get('/data/search/?q=dormant&resource=users')).body.count).toBe(0)
  })
})
