import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'

/** A stage that is not one's own machine: hooks lead to the public internet, or nowhere. */
let app: App
beforeAll(async () => {
  app = await openApp({
    env: { STAGE: 'dev', ALLOWED_HOSTS: 'localhost', SECRET_KEY: 'Zk3v9Qm1xR7tB5nW8cH2pL6sD4fG0jYa' },
  })
})

const refused = async (url: string) => sure(400, await app.contributor.post('/api/user/hooks/', { body: { url } }))

test.each([
  'https://127.0.0.1/',
  'https://10.1.2.3/hook',
  'https://169.254.169.254/latest/meta-data/',
  'https://192.168.0.1:8443/',
  'https://[::1]/',
  'https://[fd00::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://localhost/',
  'https://no-such-host.invalid/',
])('%s is refused', async (url) => {
  expect(await refused(url)).toEqual({ url: ['This is no address of the public internet.'] })
})

test.each(['https://example.org:22/', 'https://example.org:80/', 'https://93.184.216.34:8080/'])(
  '%s is refused for its port',
  async (url) => {
    expect(await refused(url)).toEqual({ url: ['Give one of these ports: 443, 8443.'] })
  },
)

test('plain http is refused', async () => {
  expect(await refused('http://example.org/')).toEqual({ url: ['Give an address that begins with https:.'] })
})

test('a name that leads elsewhere by the time a message is sent is not followed', async () => {
  const { sendMessage } = await import('../../../lib/domain/webhooks/send.ts')
  const message = { id: 'x', event: 'records.changed', body: '{}' }
  const terms = { secret: 's', guarded: true }
  await expect(sendMessage('https://localhost:1/', message, terms)).rejects.toThrow('not a public address')
  await expect(sendMessage('https://127.0.0.1:1/', message, terms)).rejects.toThrow('not a public address')
})
