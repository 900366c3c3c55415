import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

const SECRET = 'an-edge-secret-of-more-than-32-characters'
const BEFORE = 'the-edge-secret-of-before-the-last-change'
let app: App
beforeAll(async () => {
  app = await openApp({ env: { EDGE_SECRET: `${SECRET},${BEFORE}`, RATE_TOKEN: '2/min' } })
})

const through = (address: string, secret = SECRET) => ({
  'x-edge-secret': secret,
  'cloudfront-viewer-address': address,
})

describe('a stage with an edge', () => {
  test.each([
    ['without the header', {}],
    ['with another', { 'x-edge-secret': 'x'.repeat(SECRET.length) }],
    ['with an empty one', { 'x-edge-secret': '' }],
    ['with all of them at once', { 'x-edge-secret': `${SECRET},${BEFORE}` }],
    ['with an address alone', { 'cloudfront-viewer-address': '203.0.113.9:1' }],
  ])('refuses a request that comes around it, %s', async (_, headers) => {
    for (const path of ['/cidoc/structures/', '/nowhere/', '/health/']) {
      const { status, body } = await app.anon.get(path, { headers })
      expect([path, status, body]).toEqual([path, 400, { detail: 'This host is not served here.' }])
    }
  })

  test('answers what comes through it, with the secret of before too', async () => {
    for (const secret of [SECRET, BEFORE])
      expect((await app.anon.get('/cidoc/structures/', { headers: through('203.0.113.9:1', secret) })).status).toBe(200)
  })

  test('throttles by the address that the edge tells, whatever the port', async () => {
    const signIn = async (address: string) =>
      (await app.anon.post('/api/token/', { body: { username: 'nobody', password: 'x' }, headers: through(address) }))
        .status
    expect([await signIn('203.0.113.9:1'), await signIn('203.0.113.9:2'), await signIn('203.0.113.9:3')]).toEqual([
      401, 401, 429,
    ])
    expect(await signIn('203.0.113.10:1')).toBe(401)
    expect([
      await signIn('2001:db8::1:4000'),
      await signIn('2001:db8::1:4001'),
      await signIn('[2001:db8::1]:4002'),
    ]).toEqual([401, 401, 429])
  })
})
