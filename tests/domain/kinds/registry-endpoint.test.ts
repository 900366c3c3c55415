import { beforeAll, describe, expect, test } from 'vitest'
import { kindKeys } from '../../../lib/domain/kinds/index.ts'
import { type App, openApp } from '../../harness/app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const PATH = '/api/v1/cidoc/schema/registry/'

describe('the schema registry', () => {
  test('anyone reads it, and it tells its version', async () => {
    for (const who of [app.anon, app.contributor, app.as('not-a-token')]) {
      const reply = await who.get(PATH)
      expect(reply.status).toBe(200)
      expect(reply.body.schema_version).toMatch(/^[0-9a-f]{64}$/)
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'private, max-age=60',
        etag: `"${reply.body.schema_version}"`,
        'x-hg-schema-source': 'cache',
      })
    }
  })

  test('it answers with and without the version and the last slash, the same each time', async () => {
    const { text } = await app.anon.get(PATH)
    for (const path of ['/api/v1/cidoc/schema/registry', '/cidoc/schema/registry/', '/cidoc/schema/registry?fresh=1']) {
      expect((await app.anon.get(path)).text).toBe(text)
    }
  })

  test('what is known already is not sent again', async () => {
    const { etag = '' } = (await app.anon.get(PATH)).headers
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await app.anon.get(PATH, { headers: { 'if-none-match': known } })
      expect([known, again.status, again.text]).toEqual([known, 304, ''])
      expect(again.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=60' })
    }
    expect((await app.anon.get(PATH, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  test('HEAD tells the version without the body', async () => {
    const reply = await app.anon.send('HEAD', PATH)
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(reply.headers.etag).toMatch(/^"[0-9a-f]{64}"$/)
  })

  test('the dashboard may read it with credentials', async () => {
    const reply = await app.anon.get(PATH, { headers: { origin: 'http://localhost:3000' } })
    expect(reply.headers['access-control-allow-origin']).toBe('http://localhost:3000')
    expect(reply.headers['access-control-allow-credentials']).toBe('true')
  })

  test('it holds what forms are built from: kinds, lists, hub, patterns and schemas', async () => {
    const { body } = await app.anon.get(PATH)
    expect(Object.keys(body).sort()).toEqual([
      'classes',
      'contribute_hub',
      'degraded',
      'enums',
      'registry_jsonschema',
      'schema_version',
      'semantic_patterns',
      'tenant_id',
    ])
    expect(body.degraded).toBe(false)
    expect(Object.keys(body.classes)).toEqual(kindKeys)
    expect(body.classes.person).toMatchObject({ key: 'person', apiEndpoint: '/cidoc/persons/', navigable: true })
    expect(body.classes.entity.apiEndpoint).toBe('/data/api/cultural-entities/')
    expect(Object.keys(body.registry_jsonschema.byClassKey)).toEqual(Object.keys(body.classes))
    expect(body.contribute_hub.intents.length).toBeGreaterThan(0)
    expect(body.semantic_patterns.length).toBeGreaterThan(0)
  })

  test('every endpoint that it names answers', async () => {
    const { body } = await app.anon.get(PATH)
    for (const { apiEndpoint } of Object.values<{ apiEndpoint: string }>(body.classes)) {
      const reply = await app.anon.get(apiEndpoint)
      expect([apiEndpoint, reply.status]).toEqual([apiEndpoint, 200])
    }
  })

  test('nobody changes it', async () => {
    for (const call of [app.staff.post(PATH, { body: {} }), app.staff.delete(PATH)]) {
      const reply = await call
      expect([reply.status, reply.headers.allow]).toEqual([405, 'GET'])
    }
  })
})
