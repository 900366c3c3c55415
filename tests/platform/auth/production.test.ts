import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

let app: App
beforeAll(async () => {
  app = await openApp({
    env: {
      STAGE: 'prod',
      DEBUG: 'false',
      SERVICE_DEV_AUTH: 'true',
      ALLOWED_HOSTS: 'localhost',
      RATE_TOKEN: '3/min',
      RATE_REGISTER: '2/h',
      RATE_DEV_LOGIN: '4/min',
    },
  })
})

const credentials = { username: 'dev', password: 'heritage-local' }
const from = (address: string) => app.with({ 'x-test-address': address })

describe('without DEBUG, even where the dev flag is set', () => {
  test('dev login answers 403 whatever is sent', async () => {
    for (const body of [{ email: 'dev@heritage.test' }, { email: 'rubbish' }, {}]) {
      const reply = await app.anon.post('/api/dev/login/', { body })
      expect([reply.status, reply.body]).toEqual([403, { detail: 'Dev login is not enabled.' }])
      expect(reply.cookies).toEqual([])
    }
    expect((await from('192.0.2.9').post('/api/dev/logout/')).status).toBe(403)
  })

  test('X-Dev-User is ignored', async () => {
    const said = (name: string) => app.with({ 'x-dev-user': `${name}@heritage.test` })
    expect((await said('dev').get('/api/user/info')).status).toBe(401)
    expect((await said('staff').get('/data/user/by-username/dev/')).body.email).toBe('')
  })
})

describe('tokens in production', () => {
  test('live 15 minutes and 12 hours', async () => {
    const { access, refresh } = (await from('192.0.2.20').post('/api/token/', { body: credentials })).body
    const life = (token: string) => {
      const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      return exp - iat
    }
    expect([life(access), life(refresh)]).toEqual([900, 43_200])
    app.tick(899)
    expect((await app.as(access).get('/api/user/info')).status).toBe(200)
    app.tick(1)
    expect((await app.as(access).get('/api/user/info')).status).toBe(401)
    expect((await from('192.0.2.21').post('/api/token/refresh/', { body: { refresh } })).status).toBe(200)
  })

  test('a cookie is no way in', async () => {
    const { access } = (await from('192.0.2.22').post('/api/token/', { body: credentials })).body
    expect((await app.with({ cookie: `session=${access}` }).get('/api/user/info')).status).toBe(401)
  })
})

describe('throttles', () => {
  test('token and refresh share one count per address; wrong tries count; the window ends', async () => {
    const person = from('192.0.2.30')
    expect((await person.post('/api/token/', { body: credentials })).status).toBe(200)
    expect((await person.post('/api/token/refresh/', { body: { refresh: 'x' } })).status).toBe(401)
    expect((await person.post('/api/token/', { body: {} })).status).toBe(400)
    const reply = await person.post('/api/token/', { body: credentials })
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '60'])
    expect(reply.body).toEqual({ detail: 'Request was throttled. Expected available in 60 seconds.' })
    expect((await from('192.0.2.31').post('/api/token/', { body: credentials })).status).toBe(200)
    app.tick(60)
    expect((await person.post('/api/token/', { body: credentials })).status).toBe(200)
  })

  test('both places to register share one count', async () => {
    const person = from('192.0.2.40')
    expect((await person.post('/api/register/', { body: {} })).status).toBe(400)
    expect((await person.post('/data/register/', { body: {} })).status).toBe(400)
    expect((await person.post('/api/v1/data/register/', { body: {} })).status).toBe(429)
  })
})
