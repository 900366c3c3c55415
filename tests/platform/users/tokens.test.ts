import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { SERVICE_DEV_AUTH: 'true' } })
})

const PASSWORD = 'heritage-local'
const required = ['This field is required.']
const either = ['Give an email address or a username.']
const signInNeeded = { detail: 'Authentication credentials were not provided.' }
const badToken = { detail: 'Token is invalid or expired.' }
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
const signIn = async (username = 'dev'): Promise<{ access: string; refresh: string }> =>
  (await app.anon.post('/api/token/', { body: { username, password: PASSWORD } })).body
const whoIs = async (access: string) => (await app.as(access).get('/api/user/info')).status
const newcomer = async (username: string, password = 'Stupa-at-dawn-7') => {
  const body = { username, email: `${username}@example.org`, password }
  return app.anon.post('/api/register/', { body })
}

describe('POST /api/token/', () => {
  test('a pair is given for username and password', async () => {
    const reply = await app.anon.post('/api/token/', { body: { username: 'dev', password: PASSWORD } })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['access', 'refresh'])
    expect(await whoIs(reply.body.access)).toBe(200)
  })

  test('the login name is the email or the username, under either member, in any letter case', async () => {
    for (const body of [
      { email: 'dev@heritage.test' },
      { email: 'DEV@Heritage.Test' },
      { username: 'dev@heritage.test' },
      { username: 'DEV' },
      { email: 'dev' },
      { email: 'dev@heritage.test', username: 'ignored' },
    ]) {
      const reply = await app.anon.post('/api/token/', { body: { ...body, password: PASSWORD } })
      expect([body, reply.status]).toEqual([body, 200])
    }
  })

  test('tokens hold exactly the declared claims', async () => {
    const { access, refresh } = await signIn()
    expect(headerOf(access)).toEqual({ alg: 'HS256', typ: 'JWT' })
    const me = (await app.contributor.get('/data/user/me/')).body.user_id
    for (const [type, token, life] of [
      ['access', access, 7 * 86_400],
      ['refresh', refresh, 30 * 86_400],
    ] as const) {
      const { jti, ...claims } = claimsOf(token)
      const iat = Date.parse('2025-01-15T10:00:00Z') / 1000
      expect(claims).toEqual({
        token_type: type,
        user_id: me,
        iat,
        exp: iat + life,
        iss: 'heritage-knowledge-service',
        aud: 'heritage-knowledge-api',
      })
      expect(jti).toMatch(new RegExp(`^${type}\\.`))
    }
  })

  test('a wrong password, an unknown name and a user without a password get one and the same answer', async () => {
    for (const body of [
      { username: 'dev', password: 'wrong-password' },
      { username: 'nobody-here', password: PASSWORD },
      { email: 'nobody@example.org', password: PASSWORD },
    ]) {
      const reply = await app.anon.post('/api/token/', { body })
      expect(reply.status).toBe(401)
      expect(reply.body).toEqual({ detail: 'No active account found with the given credentials.' })
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    }
  })

  test.each([
    [{}, { password: required }],
    [{ password: PASSWORD }, { email: either, username: either }],
    [{ username: 'dev' }, { password: required }],
    [{ username: 'dev', password: '' }, { password: required }],
    [{ username: 'dev', password: 7 }, { password: ['Not a valid text.'] }],
    [{ username: ['dev'], password: PASSWORD }, { username: ['Not a valid text.'] }],
  ])('%j is refused with the members that are wrong', async (body, fields) => {
    const reply = await app.anon.post('/api/token/', { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })

  test.each([
    ['{"username":', 400, { detail: 'JSON parse error: the body is not valid JSON at line 1, column 13.' }],
    ['[]', 400, { detail: 'The body must be a JSON object.' }],
  ])('the body %s cannot be read', async (body, status, answer) => {
    const reply = await app.anon.post('/api/token/', { body })
    expect([reply.status, reply.body]).toEqual([status, answer])
  })

  test('a form is another media type', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await app.anon.post('/api/token/', { body: 'username=dev', headers })
    expect([reply.status, reply.body]).toEqual([415, { detail: 'Unsupported media type. Send application/json.' }])
  })

  test('answers that hold tokens are never stored', async () => {
    const reply = await app.anon.post('/api/token', { body: { username: 'dev', password: PASSWORD } })
    expect(reply.headers['cache-control']).toBe('private, no-store')
  })
})

describe('POST /api/token/refresh/', () => {
  test('a refresh token gives the next pair', async () => {
    const first = await signIn()
    app.tick(1)
    const reply = await app.anon.post('/api/token/refresh/', { body: { refresh: first.refresh } })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['access', 'refresh'])
    expect(reply.body.refresh).not.toBe(first.refresh)
    expect(await whoIs(reply.body.access)).toBe(200)
  })

  test('reuse of a rotated refresh token ends its whole family, and no other', async () => {
    const other = await signIn()
    const first = await signIn()
    const second = (await app.anon.post('/api/token/refresh/', { body: { refresh: first.refresh } })).body
    const again = await app.anon.post('/api/token/refresh/', { body: { refresh: first.refresh } })
    expect([again.status, again.body]).toEqual([401, badToken])
    const heir = await app.anon.post('/api/token/refresh/', { body: { refresh: second.refresh } })
    expect([heir.status, heir.body]).toEqual([401, badToken])
    expect([await whoIs(first.access), await whoIs(second.access)]).toEqual([401, 401])
    expect(await whoIs(other.access)).toBe(200)
  })

  test('of many refreshes with one token at once at most one succeeds', async () => {
    const { refresh } = await signIn()
    const all = await Promise.all(
      Array.from({ length: 8 }, () => app.anon.post('/api/token/refresh/', { body: { refresh } })),
    )
    expect(all.filter(({ status }) => status === 200).length).toBe(1)
    expect(all.filter(({ status }) => status === 401).length).toBe(7)
  })

  test('an access token does not refresh, and a refresh token does not sign in, used before or not', async () => {
    const { access, refresh } = await signIn()
    expect([await whoIs(access), await whoIs(refresh)]).toEqual([200, 401])
    const reply = await app.anon.post('/api/token/refresh/', { body: { refresh: access } })
    expect([reply.status, reply.body]).toEqual([401, badToken])
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh } })).status).toBe(200)
    expect(await whoIs(refresh)).toBe(401)
  })

  test.each([
    [{}, 400, { refresh: required }],
    [{ refresh: '' }, 400, { refresh: required }],
    [{ refresh: 5 }, 400, { refresh: ['Not a valid text.'] }],
    [{ refresh: 'a.b.c' }, 401, badToken],
    [{ refresh: 'rubbish' }, 401, badToken],
  ])('%j answers %i', async (body, status, answer) => {
    const reply = await app.anon.post('/api/token/refresh/', { body })
    expect([reply.status, reply.body]).toEqual([status, answer])
  })

  test('an expired refresh token is refused', async () => {
    const { refresh } = await signIn()
    app.tick(30 * 86_400)
    const reply = await app.anon.post('/api/token/refresh/', { body: { refresh } })
    expect([reply.status, reply.body]).toEqual([401, badToken])
    app.tick(-30 * 86_400)
  })
})

describe('POST /data/blacklist/', () => {
  test.each(['refresh', 'refresh_token', 'token'])('a refresh token under "%s" can be used no more', async (member) => {
    const { access, refresh } = await signIn()
    const reply = await app.as(access).post('/data/blacklist/', { body: { [member]: refresh } })
    expect([reply.status, reply.body]).toEqual([200, { detail: 'The token is no longer good.' }])
    const after = await app.anon.post('/api/token/refresh/', { body: { refresh } })
    expect([after.status, after.body]).toEqual([401, badToken])
  })

  test('an access token is good no more itself; its family goes on', async () => {
    const { access, refresh } = await signIn()
    expect((await app.as(access).post('/data/api/blacklist', { body: { token: access } })).status).toBe(200)
    expect(await whoIs(access)).toBe(401)
    const next = await app.anon.post('/api/token/refresh/', { body: { refresh } })
    expect(next.status).toBe(200)
    expect(await whoIs(next.body.access)).toBe(200)
  })

  test('needs a caller', async () => {
    const { refresh } = await signIn()
    const reply = await app.anon.post('/data/blacklist/', { body: { refresh } })
    expect([reply.status, reply.body]).toEqual([401, signInNeeded])
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh } })).status).toBe(200)
  })

  test("someone else's token stays good", async () => {
    const { access, refresh } = await signIn('dev')
    for (const token of [access, refresh]) {
      const reply = await app.other.post('/data/blacklist/', { body: { token } })
      expect([reply.status, reply.body]).toEqual([400, badToken])
    }
    expect(await whoIs(access)).toBe(200)
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh } })).status).toBe(200)
  })

  test.each([
    [{}, { refresh: required }],
    [{ refresh: null }, { refresh: required }],
    [{ refresh: 'rubbish' }, badToken],
    [{ token: 'a.b.c' }, badToken],
  ])('%j is refused', async (body, answer) => {
    const reply = await app.contributor.post('/data/blacklist/', { body })
    expect([reply.status, reply.body]).toEqual([400, answer])
  })

  test('access tokens live on after it, until a rotated refresh token is used again', async () => {
    const first = await signIn()
    const second = (await app.anon.post('/api/token/refresh/', { body: { refresh: first.refresh } })).body
    await app.as(second.access).post('/data/blacklist/', { body: { refresh: second.refresh } })
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh: second.refresh } })).status).toBe(401)
    expect(await whoIs(second.access)).toBe(200)
    expect((await app.anon.post('/api/token/refresh/', { body: { refresh: first.refresh } })).status).toBe(401)
    expect(await whoIs(second.access)).toBe(401)
  })

  test('a token is invalidated once', async () => {
    const { access, refresh } = await signIn()
    await app.as(access).post('/data/blacklist/', { body: { refresh } })
    const again = await app.as(access).post('/data/blacklist/', { body: { refresh } })
    expect([again.status, again.body]).toEqual([400, badToken])
  })
})

describe('POST /api/register/', () => {
  test('a new user comes out, in both places, and can sign in', async () => {
    for (const [path, username] of [
      ['/api/register/', 'sita'],
      ['/data/register/', 'gita'],
    ] as const) {
      const body = {
        username,
        email: `${username}@Example.org`,
        password: 'Stupa-at-dawn-7',
        first_name: 'Sītā',
        organization: 'Patan Museum',
        birth_date: '1990-02-28',
      }
      const reply = await app.anon.post(path, { body })
      expect(reply.status).toBe(201)
      expect(reply.body).toEqual({
        message: 'The account has been made. You can sign in now.',
        user: { id: expect.any(String), username, email: `${username}@example.org`, first_name: 'Sītā', last_name: '' },
        profile: { organization: 'Patan Museum', position: '', birth_date: '1990-02-28', university_school: '' },
      })
      const pair = await app.anon.post('/api/token/', { body: { username, password: 'Stupa-at-dawn-7' } })
      const info = await app.as(pair.body.access).get('/api/user/info')
      expect(info.body).toMatchObject({ username, groups: ['Contributors'], is_staff: false, reviewer_role: null })
    }
  })

  test('without a username it is taken from the email, with a number where that is taken', async () => {
    const names = []
    for (const host of ['one', 'two', 'three']) {
      const body = { email: `Maya+x@${host}.example`, password: 'Stupa-at-dawn-7' }
      names.push((await app.anon.post('/api/register/', { body })).body.user.username)
    }
    expect(names).toEqual(['maya-x', 'maya-x1', 'maya-x2'])
  })

  test('roles, staff and score cannot be smuggled in', async () => {
    const body = { username: 'sly', email: 'sly@example.org', password: 'Stupa-at-dawn-7' }
    const smuggled = { is_staff: true, is_superuser: true, groups: ['Moderators'], seeded: true, score: 100 }
    await app.anon.post('/api/register/', { body: { ...body, ...smuggled } })
    const { access } = (await app.anon.post('/api/token/', { body })).body
    const info = await app.as(access).get('/api/user/info')
    expect(info.body).toMatchObject({ is_staff: false, is_superuser: false, groups: ['Contributors'] })
    expect((await app.as(access).get('/data/user/me/')).body.score).toBe(0)
    expect((await app.with({ 'x-dev-user': 'sly@example.org' }).get('/api/user/info')).status).toBe(401)
  })

  test('a username is unique in any letter case; an address tells nobody whether there is an account of it', async () => {
    await newcomer('hari')
    const password = 'Stupa-at-dawn-7'
    const email = await app.anon.post('/api/register/', {
      body: { username: 'hari2', email: 'HARI@example.org', password },
    })
    expect([email.status, email.body.user]).toMatchObject([201, { username: 'hari2', email: 'hari@example.org' }])
    const name = await app.anon.post('/api/register/', { body: { username: 'Hari', email: 'h@example.org', password } })
    expect([name.status, name.body]).toEqual([400, { username: ['This username is already taken.'] }])
    // Nothing was written: what was free stays free.
    expect(
      (await app.anon.post('/api/register/', { body: { username: 'hari3', email: 'h@example.org', password } })).status,
    ).toBe(201)
  })

  test('several registrations of one email at once all succeed, and of one username one does', async () => {
    const post = (username: string, email: string) =>
      app.anon.post('/api/register/', { body: { username, email, password: 'Stupa-at-dawn-7' } })
    const byEmail = await Promise.all(['a', 'b', 'c', 'd'].map((name) => post(`twin-${name}`, 'twin@example.org')))
    expect(byEmail.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    const byName = await Promise.all(['a', 'b', 'c', 'd'].map((name) => post('triplet', `${name}@example.org`)))
    expect(byName.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
  })

  const good = { username: 'ramesh', email: 'ramesh@example.org', password: 'Stupa-at-dawn-7' }
  test.each([
    [{ email: undefined }, { email: required }],
    [{ email: 'no-at-sign' }, { email: ['Enter a valid email address.'] }],
    [{ password: undefined }, { password: required }],
    [{ password: 'short' }, { password: ['The password must have at least 8 characters.'] }],
    [
      { password: 'Ramesh@example.org' },
      { password: ['The password must differ from your names and your email address.'] },
    ],
    [{ password: 'password123' }, { password: ['This password is too common.'] }],
    [{ password: 'aaaaaaaaaaaa' }, { password: ['This password is too common.'] }],
    [{ username: 'a b' }, { username: ['Use 3 to 50 of the letters a to z, digits, "_", "." and "-".'] }],
    [{ username: 'ra' }, { username: ['Use 3 to 50 of the letters a to z, digits, "_", "." and "-".'] }],
    [{ username: 'admin@x' }, { username: ['Use 3 to 50 of the letters a to z, digits, "_", "." and "-".'] }],
    [{ first_name: 'a\u0000b' }, { first_name: ['Control characters are not allowed.'] }],
    [{ first_name: 'x'.repeat(51) }, { first_name: ['Ensure this field has no more than 50 characters.'] }],
    [{ birth_date: '1990-02-30' }, { birth_date: ['There is no such day.'] }],
    [{ birth_date: '2090-01-01' }, { birth_date: ['This day has not come yet.'] }],
    [{ birth_date: 'yesterday' }, { birth_date: ['Enter a date as YYYY-MM-DD.'] }],
  ])('%j is refused and nothing is written', async (wrong, fields) => {
    const reply = await app.anon.post('/api/register/', { body: { ...good, ...wrong } })
    expect([reply.status, reply.body]).toEqual([400, fields])
    expect((await app.anon.get('/data/user/by-username/ramesh/')).status).toBe(404)
  })
})

describe('POST /api/dev/login/', () => {
  test('a seeded user gets a pair and a session cookie', async () => {
    const reply = await app.anon.post('/api/dev/login/', { body: { email: ' DEV@heritage.test ' } })
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['access', 'refresh'])
    expect(await whoIs(reply.body.access)).toBe(200)
    expect(reply.cookies).toEqual([
      expect.stringMatching(/^session=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
    ])
  })

  test('nobody but seeded users', async () => {
    await newcomer('lakshmi')
    for (const email of ['lakshmi@example.org', 'nobody@example.org']) {
      const reply = await app.anon.post('/api/dev/login/', { body: { email } })
      expect([reply.status, reply.body]).toEqual([403, { detail: 'Only seeded users sign in here.' }])
      expect(reply.cookies).toEqual([])
    }
  })

  test.each([
    [{}, { email: required }],
    [{ email: 'dev' }, { email: ['Enter a valid email address.'] }],
  ])('%j is refused', async (body, fields) => {
    const reply = await app.anon.post('/api/dev/login/', { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })

  test('after a logout the cookie is empty and the session over', async () => {
    const login = await app.anon.post('/api/dev/login/', { body: { email: 'dev@heritage.test' } })
    const cookie = login.cookies[0]?.split(';')[0] ?? ''
    expect((await app.with({ cookie }).get('/api/user/info')).status).toBe(200)
    const out = await app.with({ cookie }).post('/api/dev/logout/')
    expect([out.status, out.body, out.cookies]).toEqual([
      200,
      { detail: 'Signed out.' },
      ['session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
    ])
    expect((await app.with({ cookie }).get('/api/user/info')).status).toBe(401)
    expect(await whoIs(login.body.access)).toBe(200)
  })
})
