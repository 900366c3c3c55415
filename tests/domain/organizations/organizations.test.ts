import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, sure } from '../../harness/make.ts'

let app: App
const ids: Record<string, string> = {}
beforeAll(async () => {
  app = await openApp()
  for (const who of ['contributor', 'other', 'community', 'staff'] as const)
    ids[who] = sure(200, await app[who].get('/api/user/info')).id
})

const place = '/data/organizations/'
const found = async (name: string, more: object = {}, who: Persona = app.contributor) =>
  sure(201, await who.post(place, { body: { name, ...more } }))
const memberOf = async (id: string, who: Persona) => sure(201, await who.post(`${place}${id}/join/`))
const read = async (id: string, who: Persona = app.anon) => sure(200, await who.get(`${place}${id}/`))
const names = async (query: Record<string, string>) =>
  sure(200, await app.anon.get(place, { query })).results.map((it: { name: string }) => it.name)

describe('an organization', () => {
  test('is founded by anyone who is signed in, who owns it, and is shown to everyone', async () => {
    const given = {
      short_name: 'NHF',
      description: 'Cares for temples.',
      website: 'https://nhf.example',
      focus_areas: ['Temples', 'Ponds'],
    }
    const made = await found('Nepal Heritage Foundation', given)
    expect(made).toEqual({
      ...given,
      id: expect.any(String),
      name: 'Nepal Heritage Foundation',
      logo: null,
      country: '',
      is_verified: false,
      member_count: 1,
      owner_username: 'dev',
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
      members: [expect.objectContaining({ id: ids.contributor, role: 'admin', confirmed: true, username: 'dev' })],
      members_next: null,
    })
    const { members, ...row } = await read(made.id)
    expect({ ...row, members: members.length }).toEqual({ ...made, members: 1 })
    expect(
      sure(200, await app.contributor.get(`${place}my_organizations/`)).map((it: { id: string }) => it.id),
    ).toContain(made.id)
    const { organizations } = sure(200, await app.anon.get(`/data/user/${ids.contributor}/`))
    expect(organizations).toContainEqual({
      id: made.id,
      name: 'Nepal Heritage Foundation',
      short_name: 'NHF',
      role: 'admin',
      logo: null,
    })
  })

  test('has its name alone, in every spelling that folds alike, until it is deleted', async () => {
    const { id } = await found('Śiva Guthi')
    const taken = { name: ['An organization with this name already exists.'] }
    const again = await app.other.post(place, { body: { name: 'shiva  GUTHI' } })
    expect([again.status, again.body]).toEqual([400, taken])
    const { id: second } = await found('Another guthi', {}, app.other)
    const renamed = await app.other.patch(`${place}${second}/`, { body: { name: 'शिव गुठी' } })
    expect([renamed.status, renamed.body]).toEqual([400, taken])
    sure(204, await app.contributor.delete(`${place}${id}/`))
    expect((await app.contributor.get(`${place}${id}/`)).status).toBe(404)
    sure(200, await app.other.patch(`${place}${second}/`, { body: { name: 'Shiva Guthi' } }))
    sure(201, await app.contributor.post(place, { body: { name: 'Another guthi' } }))
  })

  test.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: ' ' }, { name: ['Give a name with letters or digits.'] }],
    [{ name: 'x'.repeat(256) }, { name: ['Ensure this field has no more than 255 characters.'] }],
    [{ name: 'A', website: 'javascript:alert(1)' }, { website: ['Enter a valid URL.'] }],
    [{ name: 'A', focus_areas: 'Temples' }, { focus_areas: ['Give a list of texts.'] }],
  ])('%j is refused', async (body, fault) => {
    const reply = await app.contributor.post(place, { body })
    expect([reply.status, reply.body]).toEqual([400, fault])
  })

  test('is made once by a request that is repeated under its key', async () => {
    const sent = { body: { name: 'Once founded' }, headers: { 'idempotency-key': 'found-once' } }
    const [first, second] = [await app.contributor.post(place, sent), await app.contributor.post(place, sent)]
    expect([first.status, second.body.id]).toEqual([201, first.body.id])
  })

  test('is changed by its admins; staff alone verify it, and a new name is not verified', async () => {
    const { id } = await found('To be verified')
    const change = (who: Persona, body: object) => who.patch(`${place}${id}/`, { body })
    expect((await change(app.contributor, { is_verified: true })).status).toBe(403)
    expect((await change(app.other, { country: 'Nepal' })).status).toBe(403)
    expect(sure(200, await change(app.staff, { is_verified: true })).is_verified).toBe(true)
    expect(sure(200, await change(app.contributor, { country: 'Nepal', is_verified: true }))).toMatchObject({
      country: 'Nepal',
      is_verified: true,
    })
    expect(sure(200, await app.contributor.put(`${place}${id}/`, { body: { name: 'Another name' } })).is_verified).toBe(
      false,
    )
  })

  test('is not changed over the change of somebody else', async () => {
    const { id } = await found('Changed twice')
    const replies = await atOnce(
      ['Nepal', 'India'].map((country) => () => app.contributor.patch(`${place}${id}/`, { body: { country } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('is listed by name or by age, and found by the beginnings of words', async () => {
    await found('Zeta circle', { description: 'Fountains of Patan' })
    await found('Eta circle', { description: 'Wells of Patan' })
    expect((await names({ search: 'circ' })).slice(0, 2)).toEqual(['Eta circle', 'Zeta circle'])
    expect(await names({ search: 'patan circle', ordering: '-name' })).toEqual(['Zeta circle', 'Eta circle'])
    expect(await names({ search: 'wells', ordering: 'created_at' })).toEqual(['Eta circle'])
    expect(await names({ search: 'nothing' })).toEqual([])
    const all = await names({ limit: '100' })
    expect(all.indexOf('Eta circle')).toBeLessThan(all.indexOf('Zeta circle'))
    const page = sure(200, await app.anon.get(place, { query: { limit: 2 } }))
    const next = sure(200, await app.anon.get(page.next.replace('http://localhost:8000', '')))
    expect([...page.results, ...next.results].map((it) => it.name)).toEqual(all.slice(0, 4))
  })
})

describe('members', () => {
  test('join by themselves, are counted, leave, and are not confirmed until an admin says so', async () => {
    const { id } = await found('Open circle')
    expect(await memberOf(id, app.other)).toMatchObject({ id: ids.other, role: 'member', confirmed: false })
    expect((await app.other.post(`${place}${id}/join/`)).body).toEqual({
      detail: 'You are a member of this organization already.',
    })
    expect((await read(id)).member_count).toBe(2)
    const confirm = (who: Persona, body: object) => who.patch(`${place}${id}/members/${ids.other}/`, { body })
    expect((await confirm(app.other, { confirmed: true })).status).toBe(403)
    expect(sure(200, await confirm(app.contributor, { confirmed: true }))).toMatchObject({ confirmed: true })
    expect(sure(200, await confirm(app.contributor, { role: 'admin' }))).toMatchObject({ role: 'admin' })
    const rows = sure(200, await app.anon.get(`${place}${id}/members/`))
    expect(rows.map((it: { username: string; role: string }) => [it.username, it.role])).toEqual([
      ['dev', 'admin'],
      ['other', 'admin'],
    ])
    expect(sure(200, await app.other.patch(`${place}${id}/`, { body: { country: 'Nepal' } })).country).toBe('Nepal')
    expect(sure(200, await app.other.post(`${place}${id}/leave/`))).toEqual({
      detail: 'You have left this organization.',
    })
    expect((await app.other.post(`${place}${id}/leave/`)).body).toEqual({
      detail: 'This user is no member of this organization.',
    })
    expect((await app.other.patch(`${place}${id}/`, { body: { country: '' } })).status).toBe(403)
    expect((await read(id)).member_count).toBe(1)
  })

  test('who all join at once are all counted', async () => {
    const { id } = await found('Crowded circle')
    const replies = await atOnce(
      [app.other, app.community, app.domain, app.curator].map((who) => () => who.post(`${place}${id}/join/`)),
    )
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const { member_count, members } = await read(id)
    expect([member_count, members.length]).toEqual([5, 5])
  })

  test('have addresses that only admins of the organization, the person and staff see', async () => {
    const { id } = await found('Circle with addresses')
    await memberOf(id, app.other)
    await memberOf(id, app.community)
    const addresses = async (who: Persona) =>
      (await read(id, who)).members.map((it: { email: string }) => it.email).sort()
    const own = 'reviewer@heritage.test'
    expect(await addresses(app.anon)).toEqual(['', '', ''])
    expect(await addresses(app.curator)).toEqual(['', '', ''])
    expect(await addresses(app.community)).toEqual(['', '', own])
    expect(await addresses(app.contributor)).toEqual(['dev@heritage.test', 'other@heritage.test', own])
    expect(await addresses(app.staff)).toEqual(['dev@heritage.test', 'other@heritage.test', own])
    const listed = sure(200, await app.community.get(`${place}${id}/members/`))
    expect(listed.filter((it: { email: string }) => it.email !== '')).toHaveLength(1)
  })

  test('are dismissed by admins; the owner stays, until another member is the owner', async () => {
    const { id } = await found('Circle that is handed on')
    await memberOf(id, app.other)
    const of = (who: string) => `${place}${id}/members/${ids[who]}/`
    const stays = { detail: 'The owner does not leave. Make another member the owner first.' }
    expect((await app.contributor.post(`${place}${id}/leave/`)).body).toEqual(stays)
    expect((await app.contributor.patch(of('contributor'), { body: { role: 'member' } })).body).toEqual({
      detail: 'The owner is an admin, and confirmed.',
    })
    expect((await app.contributor.patch(of('staff'), { body: { owner: true } })).status).toBe(404)
    sure(200, await app.contributor.patch(of('other'), { body: { role: 'admin' } }))
    expect((await app.other.patch(of('other'), { body: { owner: true } })).status).toBe(403)
    expect(sure(200, await app.contributor.patch(of('other'), { body: { owner: true } })).role).toBe('admin')
    expect((await read(id)).owner_username).toBe('other')
    sure(204, await app.other.delete(of('contributor')))
    expect(
      (await app.contributor.get(`${place}my_organizations/`)).body.map((it: { id: string }) => it.id),
    ).not.toContain(id)
  })

  test('keep an organization from being deleted by its owner, not by staff', async () => {
    const { id } = await found('Circle with members')
    await memberOf(id, app.other)
    const refused = await app.contributor.delete(`${place}${id}/`)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'An organization with other members is not deleted. They leave first, or staff delete it.',
    ])
    sure(204, await app.staff.delete(`${place}${id}/`))
    expect(await names({ search: 'circle with members' })).toEqual([])
    expect((await app.other.get(`${place}my_organizations/`)).body.map((it: { id: string }) => it.id)).not.toContain(id)
    expect((await app.other.post(`${place}${id}/join/`)).status).toBe(404)
  })

  test('read by it nothing that they could not read before: joining is no way round visibility', async () => {
    const slug = 'closed-circle'
    sure(201, await app.contributor.post('/data/projects/', { body: { slug, title: 'Closed', visibility: 'org' } }))
    const { id } = await found('Circle of the project')
    await memberOf(id, app.other)
    sure(200, await app.contributor.patch(`${place}${id}/members/${ids.other}/`, { body: { confirmed: true } }))
    expect((await app.other.get(`/data/projects/${slug}/`)).status).toBe(404)
  })

  test('are told by page, with a link to the next one', async () => {
    const { id } = await found('Circle in pages')
    await memberOf(id, app.other)
    await memberOf(id, app.community)
    const first = await app.anon.get(`/data/api/organizations/${id}/members`, { query: { limit: 2 } })
    expect(first.body.map((it: { username: string }) => it.username)).toEqual(['dev', 'other'])
    const [, next = ''] = /^<http:\/\/localhost:8000(.*)>; rel="next"$/.exec(first.headers.link ?? '') ?? []
    const rest = await app.anon.get(next)
    expect(rest.body.map((it: { username: string }) => it.username)).toEqual(['reviewer'])
    expect(rest.headers.link).toBeUndefined()
  })
})

test('a key for a machine founds nothing and joins nothing', async () => {
  const { id } = await found('No machines')
  const body = { name: 'robot', scopes: ['read', 'propose', 'import'] }
  const { token } = sure(201, await app.other.post('/api/user/keys/', { body }))
  const robot = app.as(token)
  expect((await robot.post(place, { body: { name: 'Robots' } })).status).toBe(403)
  expect((await robot.post(`${place}${id}/join/`)).status).toBe(403)
  expect((await robot.get(`${place}${id}/`)).status).toBe(200)
})
