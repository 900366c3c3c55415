import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_KEYS: '40/min' } })
})

const place = '/api/user/keys/'
const make = async (who: Persona, scopes: string[], more: object = {}) =>
  sure(201, await who.post(place, { body: { name: 'Field tablet', scopes, ...more } }))
const machine = async (who: Persona, ...scopes: string[]) => app.as((await make(who, scopes)).token)
const record = { name: 'Sent by a machine', note: 'measured' }

describe('a key', () => {
  test('is shown once, and kept as a hash', async () => {
    const { token, ...rest } = await make(app.contributor, ['read', 'read', 'propose'])
    expect(token).toMatch(/^hgk_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/)
    expect(rest).toEqual({
      id: expect.any(String),
      name: 'Field tablet',
      scopes: ['read', 'propose'],
      created_at: '2025-01-15T10:00:00.000Z',
      expires_at: '2025-04-15T10:00:00.000Z',
      last_used_at: null,
      is_expired: false,
    })
    const answer = await app.contributor.get(place)
    expect(answer.body.results).toContainEqual(rest)
    const { scan } = await import('../../../lib/engines/table/scan.ts')
    const stored = []
    for await (const page of scan(['api_key', 'reply'])) stored.push(...page)
    const secret = token.split('_').slice(2).join('_')
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored) + answer.text).not.toContain(secret)
  })

  test('calls in the name of its owner, and the last use is told to the hour', async () => {
    const { token, id } = await make(app.contributor, ['read'])
    const used = async () =>
      (await app.contributor.get(place)).body.results.find((it: { id: string }) => it.id === id).last_used_at
    expect(sure(200, await app.as(token).get('/api/user/info/')).username).toBe('dev')
    expect(await used()).toBe('2025-01-15T10:00:00.000Z')
    app.tick(3599)
    await app.as(token).get('/api/user/info/')
    expect(await used()).toBe('2025-01-15T10:00:00.000Z')
    app.tick(1)
    await app.as(token).get('/api/user/info/')
    expect(await used()).toBe('2025-01-15T11:00:00.000Z')
  })

  test('is no good altered, expired or revoked', async () => {
    const good = await make(app.contributor, ['read'], { days: 1 })
    const gone = await make(app.contributor, ['read'])
    const denied = async (token: string) => {
      const answer = await app.as(token).get('/api/user/info/')
      expect(sure(401, answer)).toEqual({ detail: 'The token is malformed, expired or revoked.' })
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    }
    const last = good.token.endsWith('A') ? 'B' : 'A'
    const other = gone.token.split('_').slice(2).join('_')
    const altered = [
      `${good.token.slice(0, -1)}${last}`,
      `${good.token.slice(0, 37)}${other}`,
      'hgk_',
      `${good.token}x`,
    ]
    for (const token of altered) await denied(token)
    sure(204, await app.contributor.delete(`${place}${gone.id}/`))
    await denied(gone.token)
    sure(200, await app.as(good.token).get('/api/user/info/'))
    app.tick(86_400)
    await denied(good.token)
    expect(
      (await app.contributor.get(place)).body.results.find((it: { id: string }) => it.id === good.id),
    ).toMatchObject({
      is_expired: true,
    })
  })

  test('is of its owner: others do not see it, staff revoke it', async () => {
    const { id, token } = await make(app.contributor, ['read'])
    expect((await app.other.get(place)).body.results.map((it: { id: string }) => it.id)).not.toContain(id)
    for (const who of [app.other, app.curator])
      expect(sure(404, await who.delete(`${place}${id}/`))).toEqual({ detail: 'Not found.' })
    sure(204, await app.staff.delete(`${place}${id}/`))
    sure(401, await app.as(token).get('/api/user/info/'))
    sure(404, await app.contributor.delete(`${place}${id}/`))
  })

  test('is one of twenty at most', async () => {
    for (let made = (await app.other.get(place)).body.results.length; made < 20; made += 1)
      await make(app.other, ['read'])
    expect(sure(400, await app.other.post(place, { body: { name: 'One more', scopes: ['read'] } }))).toEqual({
      detail: 'Nobody has more than 20 keys. Revoke one first.',
    })
  })

  test('that is asked for wrongly is refused by member', async () => {
    const refused = async (body: object) => sure(400, await app.contributor.post(place, { body }))
    const choices = 'Name one or more of: read, propose, import, hook.'
    expect(await refused({})).toEqual({ name: ['This field is required.'], scopes: ['This field is required.'] })
    expect(await refused({ name: ' ', scopes: ['staff'], days: 367 })).toEqual({
      name: ['Say what the key is for.'],
      scopes: { 0: [choices] },
      days: ['A key is good for 366 days at most.'],
    })
    expect(await refused({ name: 'x', scopes: [], days: 0.5 })).toEqual({
      scopes: [choices],
      days: ['Give a whole number of days.'],
    })
  })
})

describe('what a machine may', () => {
  test('it proposes, and its claims say so', async () => {
    const tablet = await machine(app.contributor, 'read', 'propose')
    const made = await contribute(tablet, 'structures', record)
    const { assertions } = sure(200, await app.contributor.get(`/cidoc/structures/${made.id}/`))
    expect(assertions.length).toBeGreaterThan(0)
    for (const it of assertions) expect([it.contributed_by, it.software]).toEqual(['dev', 'Field tablet'])
    const own = await contribute(app.contributor, 'structures', { name: 'Sent by hand' })
    const byHand = sure(200, await app.contributor.get(`/cidoc/structures/${own.id}/`))
    for (const it of byHand.assertions) expect(it.software).toBe(null)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    const accept = { accept: 'application/ld+json' }
    const { text } = await app.anon.get(`/cidoc/structures/${made.id}/`, { headers: accept })
    expect(text).toContain('"prov:SoftwareAgent"')
  })

  test('each scope for its own, and nothing else', async () => {
    const it = await publish(app, 'structures', { name: 'To be read' })
    const scopes = {
      read: await machine(app.contributor, 'read'),
      propose: await machine(app.contributor, 'propose'),
      import: await machine(app.contributor, 'import'),
    }
    const asked = (scope: string) => ({ detail: `This key is not for this: it takes the scope "${scope}".` })
    for (const who of [scopes.propose, scopes.import])
      expect(sure(403, await who.get(`/cidoc/structures/${it.id}/`))).toEqual(asked('read'))
    for (const who of [scopes.read, scopes.import])
      expect(sure(403, await who.post('/cidoc/structures/', { body: record }))).toEqual(asked('propose'))
    for (const who of [scopes.read, scopes.propose])
      expect(sure(403, await who.post('/data/projects/', { body: {} }))).toEqual(asked('import'))
    sure(200, await scopes.read.get(`/cidoc/structures/${it.id}/`))
    sure(400, await scopes.import.post('/data/projects/', { body: {} }))
    // It fills a project, and leaves it to people who is in it and whether it stays.
    const slug = `by-key-${crypto.randomUUID().slice(0, 8)}`
    sure(201, await scopes.import.post('/data/projects/', { body: { slug, title: 'By a key' } }))
    sure(200, await scopes.import.patch(`/data/projects/${slug}/`, { body: { abstract: 'Filled.' } }))
    const invitation = { username: 'other', role: 'editor' }
    const refusals = [
      await scopes.import.post(`/data/projects/${slug}/memberships/`, { body: invitation }),
      await scopes.import.delete(`/data/projects/${slug}/`),
    ]
    for (const refusal of refusals)
      expect(sure(403, refusal)).toEqual({ detail: 'A key for machines may not do this.' })
  })

  test('it decides on nothing, whoever its owner is', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Not for machines to decide' })
    const all = ['read', 'propose', 'import']
    for (const who of [app.curator, app.staff]) {
      const bot = await machine(who, ...all)
      expect(sure(403, await decide(bot, it, { verdict: 'accept' })).detail).toMatch(/permission/)
      sure(403, await bot.get('/data/review-queue/'))
      sure(403, await bot.get('/data/platform-admin/users/'))
      // It sees what an ordinary reader sees.
      sure(404, await bot.get(`/cidoc/structures/${it.id}/`))
    }
  })

  test('it neither makes keys nor takes them away, nor changes its owner', async () => {
    const { token, id } = await make(app.contributor, ['read', 'propose', 'import'])
    const bot = app.as(token)
    const never = { detail: 'A key for machines may not do this.' }
    expect(sure(403, await bot.get(place))).toEqual(never)
    expect(sure(403, await bot.post(place, { body: { name: 'x', scopes: ['read'] } }))).toEqual(never)
    expect(sure(403, await bot.delete(`${place}${id}/`))).toEqual(never)
    expect(sure(403, await bot.patch('/user/username/', { body: { username: 'taken-over' } }))).toEqual(never)
    const own = await contribute(app.contributor, 'structures', { name: 'To be kept' })
    expect(sure(403, await bot.delete(`/cidoc/structures/${own.id}/`))).toEqual(never)
  })

  test('its hooks take a scope of their own, are its own alone, and go with it', async () => {
    const hooks = '/api/user/hooks/'
    const body = { url: 'http://127.0.0.1:9/told' }
    const other = await machine(app.domain, 'read', 'propose', 'import')
    const asked = { detail: 'This key is not for this: it takes the scope "hook".' }
    expect(sure(403, await other.post(hooks, { body }))).toEqual(asked)
    expect(sure(403, await other.get(hooks))).toEqual(asked)

    const { id: key, token } = await make(app.domain, ['hook'])
    const bot = app.as(token)
    const byHand = sure(201, await app.domain.post(hooks, { body }))
    const made = sure(201, await bot.post(hooks, { body }))
    expect([byHand.key_id, made.key_id]).toEqual([null, key])
    const ids = async (who: Persona) => sure(200, await who.get(hooks)).results.map((it: { id: string }) => it.id)
    expect(await ids(bot)).toEqual([made.id])
    expect((await ids(app.domain)).sort()).toEqual([byHand.id, made.id].sort())
    for (const path of [byHand.id, `${byHand.id}/deliveries`]) sure(404, await bot.get(`${hooks}${path}/`))
    sure(404, await bot.delete(`${hooks}${byHand.id}/`))
    sure(200, await bot.get(`${hooks}${made.id}/`))
    // Another key with the same scope and the same owner sees none of them.
    sure(404, await (await machine(app.domain, 'hook')).get(`${hooks}${made.id}/`))

    sure(204, await app.domain.delete(`${place}${key}/`))
    expect(await ids(app.domain)).toEqual([byHand.id])
    sure(204, await app.domain.delete(`${hooks}${byHand.id}/`))
  })

  test('a hook of a key that has expired is void, and removed', async () => {
    const hooks = '/api/user/hooks/'
    const { token } = await make(app.domain, ['hook'], { days: 1 })
    const { id } = sure(201, await app.as(token).post(hooks, { body: { url: 'http://127.0.0.1:9/told' } }))
    const visit = async () => (await import('../../../functions/webhooks.ts')).handler()
    await visit()
    sure(200, await app.domain.get(`${hooks}${id}/`))
    app.tick(86_400)
    await visit()
    sure(404, await app.domain.get(`${hooks}${id}/`))
  })

  test('it is limited by itself: other keys go on', async () => {
    const [one, two] = [await machine(app.curator, 'read'), await machine(app.curator, 'read')]
    for (let i = 0; i < 40; i += 1) sure(200, await one.get('/api/user/info/'))
    const answer = await one.get('/api/user/info/')
    expect(sure(429, answer).detail).toBe('Request was throttled. Expected available in 60 seconds.')
    expect(answer.headers['retry-after']).toBe('60')
    sure(200, await two.get('/api/user/info/'))
  })
})
