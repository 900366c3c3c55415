import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'
import { changeUser } from '../../harness/people.ts'
import { openProvider, type Provider, START } from '../../harness/provider.ts'

let app: App
let idp: Provider
let second: Provider
beforeAll(async () => {
  idp = await openProvider()
  second = await openProvider()
  app = await openApp({
    env: {
      ...idp.env,
      SECONDARY_ISSUER: second.url,
      SECONDARY_AUDIENCE: 'heritage-second',
      SECONDARY_JWKS_URL: `${second.url}/jwks`,
      SECRET_KEY: 'the-key-that-signs-now-0123456789abcdef',
      SECRET_KEY_FALLBACKS: 'the-key-that-signed-before-0123456789abcdef',
    },
  })
})
afterAll(async () => {
  await idp.stop().catch(() => undefined)
  await second.stop()
})

const KEY = 'the-key-that-signs-now-0123456789abcdef'
const badToken = { detail: 'The token is malformed, expired or revoked.' }
const whoIs = async (token: string) => (await app.as(token).get('/api/user/info')).body.username
const expectNobody = async (token: string) => {
  const needed = await app.as(token).get('/api/user/info')
  expect([needed.status, needed.body]).toEqual([401, badToken])
  // On a public endpoint the caller is merely anonymous.
  expect((await app.as(token).get('/data/user/by-username/dev/')).status).toBe(200)
}

let opaque = 0
/** An access token that the provider knows, for our client and one hour unless told otherwise. */
function accessToken(userinfo: object | number, tokeninfo: object | number = {}): string {
  const token = `ya29.opaque-token-${++opaque}`
  const ours = { active: true, aud: 'heritage-test', exp: START + 3600 }
  idp.tokens.set(token, { userinfo, tokeninfo: typeof tokeninfo === 'number' ? tokeninfo : { ...ours, ...tokeninfo } })
  return token
}
const person = (name: string, more: object = {}) => ({
  sub: `sub-${name}`,
  email: `${name}@example.org`,
  email_verified: true,
  given_name: 'Maya',
  family_name: 'Shrestha',
  picture: 'https://example.org/maya.png',
  ...more,
})

describe('the dev chain', () => {
  test('X-Dev-User comes first, in any letter case', async () => {
    const { access } = (await app.anon.post('/api/token/', { body: { username: 'other', password: 'heritage-local' } }))
      .body
    const both = app.with({ 'x-dev-user': 'DEV@heritage.test', authorization: `Bearer ${access}` })
    expect((await both.get('/api/user/info')).body.username).toBe('dev')
  })

  test.each(['nobody@heritage.test', 'dev', '', 'dev@heritage.test, other@heritage.test'])(
    'X-Dev-User "%s" is nobody',
    async (email) => {
      expect((await app.with({ 'x-dev-user': email }).get('/api/user/info')).status).toBe(401)
    },
  )

  test('the dev-session cookie signs in; what changes something must come from our own origin', async () => {
    const login = await app.anon.post('/api/dev/login/', { body: { email: 'dev@heritage.test' } })
    const cookie = login.cookies[0]?.split(';')[0] ?? ''
    expect((await app.with({ cookie }).get('/api/user/info')).body.username).toBe('dev')
    const body = { username: 'dev' }
    const from = async (headers: Record<string, string>) =>
      (await app.with({ cookie, ...headers }).patch('/user/username/', { body })).status
    expect(await from({})).toBe(401)
    expect(await from({ origin: 'https://evil.example' })).toBe(401)
    expect(await from({ origin: 'null' })).toBe(401)
    expect(await from({ origin: 'http://localhost:8000' })).toBe(200)
  })

  test('an access token is no cookie, and a cookie is no bearer token', async () => {
    const login = await app.anon.post('/api/dev/login/', { body: { email: 'dev@heritage.test' } })
    expect((await app.with({ cookie: `session=${login.body.access}` }).get('/api/user/info')).status).toBe(401)
    await expectNobody(login.cookies[0]?.split(';')[0]?.replace('session=', '') ?? '')
  })
})

describe('our own tokens', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const sign = (header: object, claims: object, key = KEY, hash = 'sha256') => {
    const text = `${part(header)}.${part(claims)}`
    return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
  }
  const issued = async () => {
    const { access } = (await app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } }))
      .body
    return { token: String(access), claims: JSON.parse(Buffer.from(access.split('.')[1], 'base64url').toString()) }
  }
  const HS256 = { alg: 'HS256', typ: 'JWT' }

  test('what we sign ourselves from the same claims is accepted: the forgeries below differ in one thing each', async () => {
    const { claims } = await issued()
    expect(await whoIs(sign(HS256, claims))).toBe('dev')
  })

  test('a token signed with a fallback key is accepted', async () => {
    const { claims } = await issued()
    expect(await whoIs(sign(HS256, claims, 'the-key-that-signed-before-0123456789abcdef'))).toBe('dev')
  })

  test.each([
    ['another key', HS256, {}, 'some-other-key-0123456789abcdef0123', 'sha256'],
    ['HS512', { alg: 'HS512', typ: 'JWT' }, {}, KEY, 'sha512'],
    ['HS384 in a header of HS256', HS256, {}, KEY, 'sha384'],
    ['RS256 in the header', { alg: 'RS256', typ: 'JWT' }, {}, KEY, 'sha256'],
    ['another typ', { alg: 'HS256', typ: 'dpop+jwt' }, {}, KEY, 'sha256'],
    ['an unknown critical header', { ...HS256, crit: ['exp'] }, {}, KEY, 'sha256'],
    ['b64 false', { ...HS256, crit: ['b64'], b64: false }, {}, KEY, 'sha256'],
    ['another issuer', HS256, { iss: 'someone' }, KEY, 'sha256'],
    ['no issuer', HS256, { iss: undefined }, KEY, 'sha256'],
    ['another audience', HS256, { aud: 'someone' }, KEY, 'sha256'],
    ['no audience', HS256, { aud: undefined }, KEY, 'sha256'],
    ['another token_type', HS256, { token_type: 'refresh' }, KEY, 'sha256'],
    ['no token_type', HS256, { token_type: undefined }, KEY, 'sha256'],
    ['expired', HS256, { exp: START - 1 }, KEY, 'sha256'],
    ['no expiry', HS256, { exp: undefined }, KEY, 'sha256'],
    ['an expiry that is text', HS256, { exp: '99999999999' }, KEY, 'sha256'],
    ['not yet valid', HS256, { nbf: START + 60 }, KEY, 'sha256'],
    ['an unknown user', HS256, { user_id: '11111111-1111-4111-8111-111111111111' }, KEY, 'sha256'],
    ['a user that is no UUID', HS256, { user_id: 'dev' }, KEY, 'sha256'],
    ['an unknown session', HS256, { jti: 'access.11111111-1111-4111-8111-111111111111.1' }, KEY, 'sha256'],
    ['a jti of another make', HS256, { jti: 'abc' }, KEY, 'sha256'],
  ])('%s is nobody', async (_what, header, changes, key, hash) => {
    const { claims } = await issued()
    await expectNobody(sign(header, { ...claims, ...changes }, key, hash))
  })

  test("a token of one user with another's id is nobody", async () => {
    const { claims } = await issued()
    const user_id = (await app.staff.get('/data/user/me/')).body.user_id
    await expectNobody(sign(HS256, { ...claims, user_id }))
  })

  test('alg none is nobody, signed or not', async () => {
    const { claims } = await issued()
    for (const alg of ['none', 'None', '']) {
      const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
      await expectNobody(`${text}.`)
      await expectNobody(`${text}.${createHmac('sha256', KEY).update(text).digest('base64url')}`)
    }
  })

  test('a token written in another way than ours is nobody', async () => {
    const { token } = await issued()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const last = signature.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // The signature's 32 bytes fill the last letter's first four bits only: the others can be anything to a lax decoder.
    const spare = alphabet[alphabet.indexOf(last) ^ 1] ?? ''
    expect(Buffer.from(signature.slice(0, -1) + spare, 'base64url')).toEqual(Buffer.from(signature, 'base64url'))
    const std = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')
    const forms = [
      `${header}.${payload}.${signature.slice(0, -1)}${spare}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature}==`,
      `${header}=.${payload}.${signature}`,
      `${header}. ${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, 10)} ${signature.slice(10)}`,
      `${header}.${payload}.${signature.slice(0, 10)}\n${signature.slice(10)}`,
      `${header}.${payload}.${signature.slice(0, 10)}!${signature.slice(10)}`,
      `${header}.${payload}.${signature}.`,
      `.${header}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}..${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${header}.${payload}.${signature}${signature}`,
      ...(std(signature) === signature ? [] : [`${header}.${payload}.${std(signature)}`]),
    ]
    for (const form of forms) await expectNobody(form)
    expect(await whoIs(token)).toBe('dev')
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Basic ZGV2Omhlcml0YWdl',
    'Token abc',
    `Bearer ${'a'.repeat(9000)}`,
    'Bearer \u{1f600}',
    'Bearer ..',
    'Bearer e30.e30.e30',
    'Bearer bnVsbA.bnVsbA.bnVsbA',
  ])('"%s" is nobody, never a 500', async (authorization) => {
    expect((await app.with({ authorization }).get('/api/user/info')).status).toBe(401)
    expect((await app.with({ authorization }).get('/data/user/by-username/dev/')).status).toBe(200)
  })

  test('a remembered token ends with its time', async () => {
    const { token, claims } = await issued()
    expect(await whoIs(token)).toBe('dev')
    app.tick(claims.exp - START - 1)
    expect(await whoIs(token)).toBe('dev')
    app.tick(1)
    await expectNobody(token)
    app.tick(START - claims.exp)
  })

  test('our own tokens are never sent to the provider', async () => {
    const before = idp.asked.length
    const { token } = await issued()
    expect(await whoIs(token)).toBe('dev')
    await expectNobody(`${token.slice(0, -4)}AAAA`)
    expect(idp.asked.length).toBe(before)
  })
})

describe('an inactive user or an earlier generation', () => {
  const change = async (changes: object) => {
    const { loadUserByUsername } = await import('../../../lib/platform/users/users.ts')
    const user = await loadUserByUsername('expert')
    if (user) await changeUser(user.id, () => changes)
  }
  const signIn = () => app.anon.post('/api/token/', { body: { username: 'expert', password: 'heritage-local' } })

  test('an inactive user is nobody, cannot sign in nor refresh, and has no page', async () => {
    const { access, refresh } = (await signIn()).body
    await change({ is_active: false })
    await expectNobody(access)
    expect((await app.with({ 'x-dev-user': 'expert@heritage.test' }).get('/api/user/info')).status).toBe(401)
    expect((await signIn()).status).toBe(401)
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh } })).status).toBe(401)
    expect((await app.anon.post('/api/dev/login/', { body: { email: 'expert@heritage.test' } })).status).toBe(403)
    expect((await app.anon.get('/data/user/by-username/expert/')).status).toBe(404)
    await change({ is_active: true })
    expect(await whoIs(access)).toBe('expert')
  })

  test('a new generation ends every session at once, remembered or not', async () => {
    const { access, refresh } = (await signIn()).body
    expect(await whoIs(access)).toBe('expert')
    await change({ token_generation: 2 })
    await expectNobody(access)
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh } })).status).toBe(401)
    expect(await whoIs((await signIn()).body.access)).toBe('expert')
  })
})

describe('the identity provider', () => {
  test('an opaque access token of a new person makes user and profile', async () => {
    const reply = await app.as(accessToken(person('maya'))).get('/data/user/me/')
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      username: 'maya',
      email: 'maya@example.org',
      first_name: 'Maya',
      last_name: 'Shrestha',
      avatar_url: 'https://example.org/maya.png',
    })
    const info = (await app.as(accessToken(person('maya'))).get('/api/user/info')).body
    expect(info).toMatchObject({ id: reply.body.user_id, groups: ['Contributors'], is_staff: false })
  })

  test('a person who is there already is found by the address, in any letter case', async () => {
    const found = accessToken(person('x', { email: 'Curator@Heritage.Test', given_name: 'Other' }))
    const { body } = await app.as(found).get('/data/user/me/')
    expect(body).toMatchObject({ username: 'curator', first_name: 'Curator' })
    // Seeded users keep their password.
    const login = await app.anon.post('/api/token/', { body: { username: 'curator', password: 'heritage-local' } })
    expect(login.status).toBe(200)
  })

  test('an address with letters that only look like others is not registered', async () => {
    const account = { username: 'kelvin', email: '\u212aelvin@example.org', password: 'Stupa-at-dawn-7' }
    const reply = await app.anon.post('/api/register/', { body: account })
    expect([reply.status, reply.body]).toEqual([400, { email: ['Enter a valid email address.'] }])
  })

  test('at the first link a password that was set without proof of the address is gone, and its sessions', async () => {
    const account = { username: 'early', email: 'early@example.org', password: 'Stupa-at-dawn-7' }
    await app.anon.post('/api/register/', { body: account })
    const { access } = (await app.anon.post('/api/token/', { body: account })).body
    expect(await whoIs(access)).toBe('early')
    expect(await whoIs(accessToken(person('early')))).toBe('early')
    await expectNobody(access)
    expect((await app.anon.post('/api/token/', { body: account })).status).toBe(401)
  })

  test('concurrent first sign-ins of one address make one user', async () => {
    const tokens = Array.from({ length: 6 }, () => accessToken(person('many')))
    const ids = await Promise.all(
      [...tokens, ...tokens].map(async (token) => (await app.as(token).get('/data/user/me/')).body.user_id),
    )
    expect(new Set(ids).size).toBe(1)
    const { results } = (await app.staff.get('/data/testthelogin/?limit=100')).body
    expect(results.filter(({ email }: { email: string }) => email === 'many@example.org').length).toBe(1)
  })

  test.each([
    ['an address that is not verified', person('un1', { email_verified: false }), {}],
    ['no word on whether it is verified', person('un2', { email_verified: undefined }), {}],
    ['"false" as text', person('un3', { email_verified: 'false' }), {}],
    ['no address', person('un4', { email: undefined }), {}],
    ['an address that is none', person('un5', { email: 'nobody' }), {}],
    // The Kelvin sign is a k to Unicode's lower case, and to no mail server.
    [
      'an address that only Unicode folds into ours',
      person('un5b', { email: 'kelvin@heritage.test'.replace('k', '\u212a') }),
      {},
    ],
    ['no subject', person('un6', { sub: '' }), {}],
    ['a token for another client', person('un7'), { aud: 'someone-else' }],
    ['a token for nobody in particular', person('un8'), { aud: undefined }],
    ['a token that is not active', person('un9'), { active: false }],
    ['a token that has expired', person('un10'), { exp: START }],
    ['a userinfo that refuses', 401, {}],
  ])('%s is nobody, and no user is made', async (_what, userinfo, tokeninfo) => {
    const count = async () => (await app.staff.get('/data/testthelogin/')).body.count
    const before = await count()
    await expectNobody(accessToken(userinfo, tokeninfo))
    expect(await count()).toBe(before)
  })

  test.each([
    ['the flag as text', { email_verified: 'TRUE' }, {}],
    ['our client among several audiences', {}, { aud: ['a', 'heritage-test'] }],
    ['our client as client_id', {}, { aud: undefined, client_id: 'heritage-test' }],
    ['a tokeninfo document', {}, { active: undefined, exp: undefined, azp: 'heritage-test', expires_in: '3599' }],
  ])('%s is fine', async (_what, userinfo, tokeninfo) => {
    expect(await whoIs(accessToken(person('fine', userinfo), tokeninfo))).toBe('fine')
  })

  test('a tokeninfo document that takes no POST is read by GET', async () => {
    const document = { aud: 'heritage-test', expires_in: 3599 }
    idp.tokens.set('ya29.get-me', { userinfo: person('getter'), tokeninfo: document, document: true })
    expect(await whoIs('ya29.get-me')).toBe('getter')
    idp.tokens.set('ya29.get-other', {
      userinfo: person('getter'),
      tokeninfo: { ...document, aud: 'x' },
      document: true,
    })
    await expectNobody('ya29.get-other')
  })

  test('an answer is remembered for five minutes, and no longer than the token lives', async () => {
    const long = accessToken(person('long'))
    const short = accessToken(person('short'), { exp: START + 60 })
    const asks = async (token: string) => {
      const before = idp.asked.length
      await app.as(token).get('/data/testme/')
      return idp.asked.length - before
    }
    expect([await asks(long), await asks(long)]).toEqual([2, 0])
    expect([await asks(short), await asks(short)]).toEqual([2, 0])
    app.tick(60)
    expect([await asks(long), await asks(short)]).toEqual([0, 2])
    app.tick(239)
    expect(await asks(long)).toBe(0)
    app.tick(1)
    expect(await asks(long)).toBe(2)
    app.tick(-300)
  })

  test('an ID token is verified through the published keys', async () => {
    expect(await whoIs(await idp.idToken(person('id1')))).toBe('id1')
    expect(await whoIs(await idp.idToken(person('id1', { aud: ['x', 'heritage-test'] })))).toBe('id1')
  })

  test.each([
    ['another audience', { aud: 'someone-else' }],
    ['no audience', { aud: undefined }],
    ['expired', { exp: START - 1 }],
    ['no expiry', { exp: undefined }],
    ['not yet valid', { nbf: START + 60 }],
    ['unverified address', { email_verified: false }],
    ['another issuer', { iss: 'https://issuer.example' }],
  ])('an ID token with %s is nobody', async (_what, claims) => {
    await expectNobody(await idp.idToken(person('id2', claims)))
  })

  test("an ID token signed with our secret, or by another's key, is nobody", async () => {
    const forged = await second.idToken(person('id3', { iss: idp.url }))
    await expectNobody(forged)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { ...person('id3'), iss: idp.url, aud: 'heritage-test', iat: START, exp: START + 60 }
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
    await expectNobody(`${text}.${createHmac('sha256', KEY).update(text).digest('base64url')}`)
    await expectNobody(`${part({ alg: 'none' })}.${part(claims)}.`)
  })

  test('a token of another process is known from the table', async () => {
    const { keepIdentity } = await import('../../../lib/platform/users/tokens.ts')
    const { hashToken } = await import('../../../lib/platform/auth/memory.ts')
    const { loadUserByUsername } = await import('../../../lib/platform/users/users.ts')
    const other = await loadUserByUsername('other')
    if (!other) throw new Error('nobody is seeded')
    const before = idp.asked.length
    await keepIdentity(hashToken('ya29.seen-elsewhere'), other, START + 300)
    expect(await whoIs('ya29.seen-elsewhere')).toBe('other')
    expect(idp.asked.length).toBe(before)
  })
})

describe('the secondary provider', () => {
  test('a JWT of its issuer signs in', async () => {
    expect(await whoIs(await second.idToken(person('two', { aud: 'heritage-second' })))).toBe('two')
  })

  test('concurrent first sign-ins of one address make one user here as well', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 8 }, (_, n) => second.idToken(person('crowd', { aud: 'heritage-second', nonce: n }))),
    )
    const replies = await Promise.all(tokens.map((token) => app.as(token).get('/data/user/me/')))
    expect(replies.map(({ status, body }) => [status, body.username])).toEqual(tokens.map(() => [200, 'crowd']))
    expect(new Set(replies.map(({ body }) => body.user_id)).size).toBe(1)
  })

  test('who is known to the stronger provider is told to sign in there', async () => {
    sure(200, await app.as(accessToken(person('both'))).get('/data/user/me/'))
    const token = await second.idToken(person('both', { aud: 'heritage-second', sub: 'other-sub' }))
    sure(403, await app.as(token).get('/data/user/me/'))
  })

  test.each([
    ['for another audience', { aud: 'heritage-test' }],
    ['that has expired', { aud: 'heritage-second', exp: START - 1 }],
    ['with an unverified address', { aud: 'heritage-second', email_verified: false }],
  ])('a JWT %s is nobody', async (_what, claims) => {
    await expectNobody(await second.idToken(person('two2', claims)))
  })
})

describe('when the provider is down', () => {
  const expectRetry = async (token: string) => {
    const { status, headers, body } = await app.as(token).get('/data/testme/')
    expect([status, headers['retry-after'], body]).toEqual([
      503,
      '1',
      { detail: 'The identity provider does not answer, so the token cannot be checked. Try again.' },
    ])
  }

  test.each([
    ['tokeninfo', person('un11'), 500],
    ['userinfo', 503, {}],
    ['userinfo that has too many calls', 429, {}],
    ['userinfo that is not there', 404, {}],
  ])('nobody is told that a token is bad: %s', async (_what, userinfo, tokeninfo) => {
    await expectRetry(accessToken(userinfo, tokeninfo))
  })

  test('keys that cannot be read refuse no token', async () => {
    const { createVerifier, ProviderAway } = await import('../../../lib/platform/auth/provider.ts')
    const page = createServer((_, reply) => reply.end('{"error": "maintenance"}'))
    await new Promise<void>((done) => page.listen(0, '127.0.0.1', done))
    const { port } = page.address() as AddressInfo
    const verify = createVerifier(`http://127.0.0.1:${port}/jwks`, [idp.url], 'heritage-test')
    await expect(verify(await idp.idToken(person('down')))).rejects.toBeInstanceOf(ProviderAway)
    page.close()
  })

  test('a silent provider is asked once, then rests for a while', async () => {
    const { ProviderAway, rememberIdentity } = await import('../../../lib/platform/auth/provider.ts')
    let asked = 0
    const silent = rememberIdentity('secondary', async () => {
      asked += 1
      throw new ProviderAway(true)
    })
    for (const token of ['a', 'b', 'c']) await expect(silent(token)).rejects.toBeInstanceOf(ProviderAway)
    expect(asked).toBe(1)
    const failing = rememberIdentity('secondary', async () => {
      asked += 1
      throw new ProviderAway()
    })
    for (const token of ['a', 'b']) await expect(failing(token)).rejects.toBeInstanceOf(ProviderAway)
    expect(asked).toBe(3)
  })

  test('its tokens may be sent again, what is public is read, and everyone else still signs in', async () => {
    const hidden = sure(201, await app.contributor.post('/cidoc/structures/', { body: { name: 'Hidden' } }))
    const body = { name: 'Reader', scopes: ['read'] }
    const machine = sure(201, await app.contributor.post('/api/user/keys/', { body }))
    await idp.stop()
    const token = accessToken(person('down'))
    await expectRetry(token)
    expect((await app.as(token).get('/cidoc/structures/')).status).toBe(200)
    // The caller may be its author.
    expect((await app.as(token).get(`/cidoc/structures/${hidden.id}/`)).status).toBe(503)
    expect((await app.contributor.get('/data/testme/')).status).toBe(200)
    expect((await app.as(machine.token).get('/data/testme/')).status).toBe(200)
  })
})
