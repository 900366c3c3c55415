import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

const METRICS_TOKEN = 'a-token-for-prometheus'
let app: App
beforeAll(async () => {
  app = await openApp({
    env: {
      STAGE: 'prod',
      DEBUG: 'false',
      SERVICE_DEV_AUTH: 'false',
      ALLOWED_HOSTS: 'localhost',
      CORS_ORIGINS: '',
      SECRET_KEY: 'Zk3v9Qm1xR7tB5nW8cH2pL6sD4fG0jYa',
      METRICS_TOKEN,
    },
  })
})

test('in the cloud the metrics are read with their token alone', async () => {
  for (const path of ['/metrics/', '/']) {
    const { status, text } = await app.as(METRICS_TOKEN).get(path)
    expect([status, text.includes('heritage_users')]).toEqual([200, true])
  }
  const none = await app.anon.get('/metrics/')
  expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  for (const token of ['x', `${METRICS_TOKEN}x`, METRICS_TOKEN.slice(1)])
    expect((await app.as(token).get('/metrics/')).status).toBe(401)
})

test('without the token the root is the link index, whatever its query', async () => {
  for (const path of ['/', '/?search=temple']) {
    const { status, body } = await app.anon.get(path)
    expect([status, Object.keys(body)]).toEqual([200, expect.arrayContaining(['metrics'])])
  }
})
