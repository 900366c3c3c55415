import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { contribute, publish, sure } from '../harness/make.ts'

let app: App
let temple: { id: number; cultural_entity_id: string }
beforeAll(async () => {
  app = await openApp()
  temple = await publish(app, 'structures', { name: 'Passed on' })
})

const place = '/data/api/shares/'
const share = (body: object, who = app.anon) => who.post(place, { body })
const counted = async (entity_id: string) => (await app.anon.get(`${place}count/`, { query: { entity_id } })).body

test('a record is passed on by anyone, and counted by platform, by either of its ids', async () => {
  const entity_id = temple.cultural_entity_id
  expect(await counted(entity_id)).toEqual({ total: 0, by_platform: {} })
  expect(sure(201, await share({ entity_id, platform: 'copy_link' }))).toEqual({
    id: expect.any(String),
    entity: entity_id,
    platform: 'copy_link',
    created_at: '2025-01-15T10:00:00.000Z',
  })
  sure(201, await share({ entity_id: temple.id, entity_type: 'structure', platform: 'copy_link' }, app.other))
  const visitors = [1, 2, 3].map((n) => app.with({ 'x-test-address': `192.0.2.10${n}` }))
  await Promise.all(visitors.map(async (who) => sure(201, await share({ entity_id, platform: 'email' }, who))))
  expect(await counted(entity_id)).toEqual({ total: 5, by_platform: { copy_link: 2, email: 3 } })
})

test('who passes it on again to the same platform counts once a day: the account, or without one the address', async () => {
  const { cultural_entity_id: entity_id } = await publish(app, 'structures', { name: 'Passed on again' })
  const again = (platform: string, who = app.anon) => share({ entity_id, platform }, who)
  const elsewhere = app.with({ 'x-test-address': '192.0.2.200' })
  for (const { status } of await Promise.all([1, 2, 3, 4].map(() => again('email')))) expect(status).toBe(201)
  for (const who of [app.contributor, app.contributor, app.other, elsewhere]) sure(201, await again('email', who))
  sure(201, await again('twitter'))
  expect(await counted(entity_id)).toEqual({ total: 5, by_platform: { twitter: 1, email: 4 } })
  app.tick(86_400)
  sure(201, await again('email'))
  expect((await counted(entity_id)).by_platform.email).toBe(5)
})

test('who passed it on is stored nowhere', async () => {
  sure(201, await share({ entity_id: temple.cultural_entity_id, platform: 'other' }, app.other))
  const { key } = await import('../../lib/platform/table/keys.ts')
  const { getMany } = await import('../../lib/engines/table/index.ts')
  const [item] = (await getMany([key.shares(temple.cultural_entity_id)])).values()
  expect(Object.keys(item ?? {}).sort()).toEqual(expect.not.arrayContaining(['user_id', 'user']))
})

test('a hidden record answers as an unknown one, and a number without a kind as well', async () => {
  const hidden = await contribute(app.contributor, 'structures', { name: 'Not to be passed on' })
  const unknown = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'
  const replies = await Promise.all(
    [hidden.cultural_entity_id, unknown, temple.id].map((entity_id) => share({ entity_id, platform: 'email' })),
  )
  expect(replies.map(({ status, body }) => [status, body.detail])).toEqual(Array(3).fill([404, 'Not found.']))
  for (const entity_id of [hidden.cultural_entity_id, unknown]) {
    expect(await counted(entity_id)).toEqual({ detail: 'Not found.' })
  }
})

test.each([
  [{ platform: 'email' }, { entity_id: ['This field is required.'] }],
  [{ entity_id: 'x', platform: 'fax' }, { platform: [expect.stringContaining('twitter, facebook')] }],
])('%j is refused', async (body, fault) => {
  const reply = await share(body)
  expect([reply.status, reply.body]).toEqual([400, fault])
})

test('a count is of one record, and one address passes on so many a minute', async () => {
  expect((await app.anon.get(`${place}count/`)).body).toEqual({ entity_id: ['This parameter is required.'] })
  app.tick(60)
  const replies = await Promise.all(
    Array.from({ length: 61 }, () => share({ entity_id: temple.cultural_entity_id, platform: 'twitter' })),
  )
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(1)
})
