import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { linkIn, type Mailbox, openMailbox, withForgedTokens } from '../../harness/mail.ts'
import { atOnce, sure } from '../../harness/make.ts'
import { changeUser } from '../../harness/people.ts'

let app: App
let mail: Mailbox
beforeAll(async () => {
  mail = await openMailbox()
  app = await openApp({ env: mail.env })
})
afterAll(() => mail.stop())

const PASSWORD = 'Stupa-at-dawn-7'
const NEXT = 'Bells-in-the-evening-4'
const badLink = { token: ['This link is not valid, or not any more.'] }
const badCredentials = { detail: 'No active account found with the given credentials.' }
const signIn = (body: object, password = PASSWORD) => app.anon.post('/api/token/', { body: { ...body, password } })

type Account = { id: string; username: string; email: string; who: Persona }
let accounts = 0
/** Registers and signs in by the username. The letter that asks for the address waits. */
async function register(email?: string): Promise<Account> {
  const username = `person-${++accounts}`
  const address = email ?? `${username}@example.org`
  const body = { username, email: address, password: PASSWORD }
  const { user } = sure(201, await app.anon.post('/api/register/', { body }))
  const { access } = sure(200, await signIn({ username }))
  return { id: user.id, username, email: address, who: app.as(access) }
}
/** The same, whose address is proven by the letter. */
async function registerProven(): Promise<Account> {
  const account = await register()
  const letters = await mail.fetch()
  sure(200, await app.anon.post(linkIn(letters.find(({ to }) => to === account.email)), { body: {} }))
  return account
}
const letterTo = async (email: string) => (await mail.fetch()).filter(({ to }) => to === email)

describe('an address', () => {
  test('counts for nothing until the link of a letter was followed', async () => {
    const { username, email, who } = await register()
    expect(sure(200, await who.get('/api/user/info/'))).toMatchObject({ email, email_verified: false })
    expect(sure(401, await signIn({ email }))).toEqual(badCredentials)
    const [letter] = await letterTo(email)
    expect(letter).toMatchObject({ subject: 'Is this your address?' })
    expect(letter?.text).toContain(`made the account ${username} with this address.`)
    const path = linkIn(letter)
    const masked = 'p...@example.org'
    expect(sure(200, await app.anon.get(path))).toEqual({ email: masked, verified: false })
    expect(sure(200, await app.anon.post(path, { body: {} }))).toEqual({ email: masked, verified: true })
    expect(sure(200, await app.anon.get(path))).toEqual({ email: masked, verified: true })
    expect(sure(200, await who.get('/api/user/info/')).email_verified).toBe(true)
    sure(200, await signIn({ email }))
    sure(200, await signIn({ username: email.toUpperCase() }))
  })

  test('has a page for people, in their language', async () => {
    const { email } = await register()
    const path = linkIn((await letterTo(email))[0])
    const page = await app.anon.get(path, { headers: { accept: 'text/html', 'accept-language': 'ne' } })
    expect(page.text).toContain('<html lang="ne">')
    expect(page.text).toContain('<form method="post">')
    const posted = await app.anon.post(path, {
      body: Buffer.from(''),
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([posted.status, posted.headers.location]).toEqual([303, path])
  })

  test('is proven by its own link only, and in time', async () => {
    const { email } = await register()
    const path = linkIn((await letterTo(email))[0])
    for (const forged of withForgedTokens(path))
      for (const method of ['GET', 'POST'])
        expect(sure(400, await app.anon.send(method, forged, method === 'POST' ? { body: {} } : {}))).toEqual(badLink)
    // The link for an address sets no password.
    const other = path.replace('/api/address/confirm/', '/api/password/set/')
    expect(sure(400, await app.anon.post(other, { body: { password: NEXT } }))).toEqual(badLink)
    app.tick(3 * 86_400 + 1)
    expect(sure(400, await app.anon.post(path, { body: {} }))).toEqual(badLink)
  })

  test('can be asked about again, by whoever is signed in', async () => {
    const { email, who } = await register()
    await mail.fetch()
    const place = '/api/user/address/verify/'
    sure(401, await app.anon.post(place))
    expect(sure(202, await who.post(place))).toEqual({ detail: 'A letter is on its way to your address.' })
    sure(200, await app.anon.post(linkIn((await letterTo(email))[0]), { body: {} }))
    expect(sure(400, await who.post(place))).toEqual({ detail: 'Your address is verified already.' })
  })

  test('of an account is not told to who registers with it: the answers are the same', async () => {
    const proven = await registerProven()
    const register = (email: string, username: string) =>
      app.anon.post('/api/register/', { body: { email, username, password: PASSWORD } })
    const [known, unknown] = [
      await register(proven.email, 'probe-one'),
      await register('nobody@example.org', 'probe-two'),
    ]
    const shapeOf = (body: object) => JSON.stringify(body).replace(/probe-\w+|[0-9a-f-]{36}|[\w.-]+@example.org/g, 'x')
    expect([known.status, shapeOf(known.body), known.cost]).toEqual([
      unknown.status,
      shapeOf(unknown.body),
      expect.any(Object),
    ])
    // Both sign in by their names, and neither by the address.
    for (const [email, username] of [
      [proven.email, 'probe-one'],
      ['nobody@example.org', 'probe-two'],
    ]) {
      const { access } = sure(200, await signIn({ username }))
      expect(sure(200, await app.as(access).get('/api/user/info/'))).toMatchObject({ email, email_verified: false })
    }
    expect(sure(401, await signIn({ email: 'nobody@example.org' }))).toEqual(badCredentials)
    // The owner of the address is told, and the account of the address stays theirs.
    const [letter, ...more] = await letterTo(proven.email)
    expect(more).toEqual([])
    expect(letter?.subject).toBe('You have an account already')
    expect(letter?.text).toContain(`It belongs to your account ${proven.username}.`)
    expect(letter?.text).not.toMatch(/https?:/)
    const { access } = sure(200, await signIn({ email: proven.email }))
    expect(sure(200, await app.as(access).get('/api/user/info/')).username).toBe(proven.username)
  })

  test('goes from who claimed it without proof to who proves it', async () => {
    const squatter = await register()
    await mail.fetch()
    const owner = await register(squatter.email)
    const [letter] = await letterTo(owner.email)
    sure(200, await app.anon.post(linkIn(letter), { body: {} }))
    const { access } = sure(200, await signIn({ email: owner.email }))
    expect(sure(200, await app.as(access).get('/api/user/info/')).username).toBe(owner.username)
    // The other account goes on by its name, and cannot prove the address any more.
    sure(202, await squatter.who.post('/api/user/address/verify/'))
    expect((await letterTo(owner.email)).map(({ subject }) => subject)).toEqual(['You have an account already'])
  })

  test('that two prove at once becomes that of one', async () => {
    const { loadUser, loadUserByEmail } = await import('../../../lib/platform/users/users.ts')
    const { proveAddress } = await import('../../../lib/platform/users/credentials.ts')
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    for (let run = 0; run < 5; run += 1) {
      const claims = await register()
      const other = await registerProven()
      await atOnce<unknown>(
        [claims, other].map(
          ({ id }) =>
            () =>
              inUnit((unit) => proveAddress(unit, id, claims.email)).catch(() => undefined),
        ),
      )
      const holders = (await Promise.all([claims, other].map(({ id }) => loadUser(id)))).filter(
        (it) => it?.email === claims.email && it.email_verified,
      )
      expect(holders.map((it) => it?.id)).toEqual([(await loadUserByEmail(claims.email))?.id])
    }
  })

  test('is changed by a letter to the new one, and the old one is told', async () => {
    const { who, email, username } = await registerProven()
    const place = '/api/user/address/'
    const next = `new-${email}`
    sure(401, await app.anon.post(place, { body: { email: next, password: PASSWORD } }))
    expect(sure(400, await who.post(place, { body: { email: 'no', password: PASSWORD } }))).toEqual({
      email: ['Enter a valid email address.'],
    })
    expect(sure(400, await who.post(place, { body: { email: next, password: 'wrong' } }))).toEqual({
      password: ['This is not your password.'],
    })
    sure(202, await who.post(place, { body: { email: next, password: PASSWORD } }))
    // Nothing changes before the link was followed.
    sure(200, await signIn({ email }))
    const [letter] = await letterTo(next)
    sure(200, await app.anon.post(linkIn(letter), { body: {} }))
    expect(sure(200, await who.get('/api/user/info/'))).toMatchObject({ email: next, email_verified: true, username })
    sure(401, await signIn({ email }))
    sure(200, await signIn({ email: next }))
    expect((await letterTo(email)).map(({ subject }) => subject)).toEqual(['Your address has changed'])
    // Staff find the account by the new address alone, and the old one is free.
    const found = async (search: string) =>
      sure(200, await app.staff.get('/data/platform-admin/users/', { query: { search } })).count
    expect([await found(next), await found(email)]).toEqual([1, 0])
    const again = await register(email)
    sure(200, await app.anon.post(linkIn((await letterTo(email))[0]), { body: {} }))
    expect(sure(200, await again.who.get('/api/user/info/')).email_verified).toBe(true)
  })

  test('of another account cannot become that of this one', async () => {
    const [one, two] = [await registerProven(), await registerProven()]
    sure(202, await one.who.post('/api/user/address/', { body: { email: two.email, password: PASSWORD } }))
    expect((await letterTo(two.email)).map(({ subject }) => subject)).toEqual(['You have an account already'])
    // Somebody proves the address while the letter is under way.
    const free = `free-${accounts}@example.org`
    sure(202, await one.who.post('/api/user/address/', { body: { email: free, password: PASSWORD } }))
    const path = linkIn((await letterTo(free))[0])
    await register(free)
    sure(200, await app.anon.post(linkIn((await letterTo(free))[0]), { body: {} }))
    expect(sure(400, await app.anon.post(path, { body: {} }))).toEqual({
      detail: 'This address belongs to another account.',
    })
  })

  test('of who signs in by a provider is kept there', async () => {
    const { id, who } = await register()
    await changeUser(id, () => ({ password: '' }))
    expect(
      sure(400, await who.post('/api/user/address/', { body: { email: 'a@example.org', password: PASSWORD } })),
    ).toEqual({ detail: 'Your identity provider signs you in. Change it there.' })
  })
})

describe('a new password by letter', () => {
  const ask = (email: string) => app.anon.post('/api/password/reset/', { body: { email } })
  const answer = { detail: 'If there is an account of this address, a letter is on its way.' }

  test('sets it once; all sessions end, keys stay', async () => {
    const { email, username, who } = await registerProven()
    const key = sure(201, await who.post('/api/user/keys/', { body: { name: 'Tablet', scopes: ['read'] } }))
    expect(sure(202, await ask(email))).toEqual(answer)
    const [letter] = await letterTo(email)
    expect(letter?.subject).toBe('Set a new password')
    const path = linkIn(letter)
    expect(sure(200, await app.anon.get(path))).toEqual({ username })
    expect(sure(400, await app.anon.post(path, { body: { password: 'password123' } }))).toEqual({
      password: ['This password is too common.'],
    })
    expect(sure(400, await app.anon.post(path, { body: { password: `${username}1` } }))).toEqual({
      password: ['The password must differ from your names and your email address.'],
    })
    sure(200, await app.anon.post(path, { body: { password: NEXT } }))
    sure(401, await who.get('/api/user/info/'))
    sure(401, await signIn({ email }))
    sure(200, await signIn({ email }, NEXT))
    sure(200, await app.as(key.token).get('/api/user/info/'))
    for (const method of ['GET', 'POST'])
      expect(
        sure(400, await app.anon.send(method, path, method === 'POST' ? { body: { password: NEXT } } : {})),
      ).toEqual(badLink)
  })

  test('is asked for by any address with one answer, at one cost; only that of an account gets a letter', async () => {
    const { email } = await registerProven()
    const [known, unknown] = [await ask(email), await ask('stranger@example.org')]
    expect([known.status, known.body, known.cost]).toEqual([unknown.status, unknown.body, unknown.cost])
    expect((await mail.fetch()).map(({ to }) => to)).toEqual([email])
  })

  test('is good for an hour, and dies with the sessions', async () => {
    const { email, who } = await registerProven()
    sure(202, await ask(email))
    const late = linkIn((await letterTo(email))[0])
    app.tick(3601)
    expect(sure(400, await app.anon.get(late))).toEqual(badLink)
    sure(202, await ask(email))
    const ended = linkIn((await letterTo(email))[0])
    sure(200, await app.anon.get(ended))
    sure(204, await who.delete('/api/user/sessions/'))
    expect(sure(400, await app.anon.get(ended))).toEqual(badLink)
  })

  test('proves the address: what was made without proof goes', async () => {
    const squatter = await register()
    await mail.fetch()
    const body = { name: 'Kept', scopes: ['read'] }
    const key = sure(201, await squatter.who.post('/api/user/keys/', { body }))
    sure(202, await ask(squatter.email))
    sure(200, await app.anon.post(linkIn((await letterTo(squatter.email))[0]), { body: { password: NEXT } }))
    sure(401, await app.as(key.token).get('/api/user/info/'))
    const { access } = sure(200, await signIn({ email: squatter.email }, NEXT))
    expect(sure(200, await app.as(access).get('/api/user/info/')).email_verified).toBe(true)
    expect(sure(200, await app.as(access).get('/api/user/keys/')).results).toEqual([])
  })

  test('has a page with a form, which comes back after a password that is refused', async () => {
    const { email, username } = await registerProven()
    sure(202, await ask(email))
    const path = linkIn((await letterTo(email))[0])
    const browser = { accept: 'text/html' }
    const page = await app.anon.get(path, { headers: browser })
    expect(page.text).toContain(`Choose a new password for ${username}.`)
    expect(page.text).toContain('<input name="password" type="password"')
    const post = (password: string) =>
      app.anon.post(path, {
        body: Buffer.from(new URLSearchParams({ password }).toString()),
        headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
      })
    const refused = await post('password123')
    expect(refused.status).toBe(303)
    const again = await app.anon.get(refused.headers.location ?? '', { headers: browser })
    expect(again.text).toContain('Choose another one')
    const set = await post(NEXT)
    expect([set.status, set.headers.location]).toEqual([303, 'http://localhost:3000'])
    sure(200, await signIn({ email }, NEXT))
  })

  test('goes nowhere for an account that a provider signs in, or that is closed', async () => {
    const [provided, closed] = [await registerProven(), await registerProven()]
    await changeUser(provided.id, () => ({ password: '' }))
    const reason = { body: { reason: 'Spam.' } }
    sure(200, await app.staff.post(`/data/platform-admin/users/${closed.id}/deactivate/`, reason))
    const [told] = await letterTo(closed.email)
    expect([told?.subject, told?.text]).toEqual(['Your account is closed', expect.stringContaining('Spam.')])
    for (const { email } of [provided, closed]) sure(202, await ask(email))
    const letters = await mail.fetch()
    expect(letters.map(({ to }) => to)).toEqual([provided.email])
    expect(letters[0]?.text).toContain('has no password: sign in by your identity provider.')
  })

  test('is asked for five times an hour for one address', async () => {
    for (let asked = 0; asked < 5; asked += 1) sure(202, await ask('often@example.org'))
    const refused = await ask('often@example.org')
    expect(sure(429, refused).detail).toMatch(/^Request was throttled/)
    sure(202, await ask('others@example.org'))
    app.tick(3600)
  })
})

describe('the own password', () => {
  test('is not changed by who was its owner when the old one was checked, and is not any more', async () => {
    const { id } = await registerProven()
    const { loadUser } = await import('../../../lib/platform/users/users.ts')
    const { changePassword, resetPassword } = await import('../../../lib/platform/users/credentials.ts')
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    const checked = await loadUser(id)
    if (!checked) throw new Error('no account')
    // Meanwhile the person of the address signs in by a provider, and everything of whoever made the account ends.
    await changeUser(id, (it) => ({
      password: '',
      token_generation: it.token_generation + 1,
      ownership: it.ownership + 1,
    }))
    for (const set of [changePassword, resetPassword])
      await expect(inUnit((unit) => set(unit, checked, 'a hash'))).rejects.toMatchObject({ code: 'conflict' })
    expect((await loadUser(id))?.password).toBe('')
  })

  test('is changed by who knows it: a new session comes, all others end, and a letter tells', async () => {
    const { email, who } = await registerProven()
    const place = '/api/user/password/'
    const change = (old_password: string, password: string) => who.put(place, { body: { old_password, password } })
    sure(401, await app.anon.put(place, { body: { old_password: PASSWORD, password: NEXT } }))
    expect(sure(400, await change('wrong', NEXT))).toEqual({ old_password: ['This is not your password.'] })
    expect(sure(400, await change(PASSWORD, 'qwertyuiop'))).toEqual({ password: ['This password is too common.'] })
    const { access } = sure(200, await change(PASSWORD, NEXT))
    sure(401, await who.get('/api/user/info/'))
    sure(200, await app.as(access).get('/api/user/info/'))
    expect((await letterTo(email)).map(({ subject }) => subject)).toEqual(['Your password has changed'])
  })

  test('a key changes neither password nor address, and sees no sessions', async () => {
    const { who } = await registerProven()
    const scopes = ['read', 'propose', 'import', 'hook']
    const key = app.as(sure(201, await who.post('/api/user/keys/', { body: { name: 'All', scopes } })).token)
    const never = { detail: 'A key for machines may not do this.' }
    const body = { old_password: PASSWORD, password: NEXT, email: 'a@example.org' }
    for (const [method, path] of [
      ['PUT', '/api/user/password/'],
      ['POST', '/api/user/address/'],
      ['POST', '/api/user/address/verify/'],
      ['GET', '/api/user/sessions/'],
      ['DELETE', '/api/user/sessions/'],
    ] as const)
      expect(sure(403, await key.send(method, path, method === 'GET' ? {} : { body }))).toEqual(never)
  })
})

describe('sessions', () => {
  const place = '/api/user/sessions/'

  test('are listed with their client and last use, and end one by one or all together', async () => {
    const { username, who } = await registerProven()
    const headers = { 'user-agent': 'Field tablet/2 (Patan)' }
    const body = { username, password: PASSWORD }
    app.tick(60)
    const tablet = sure(200, await app.anon.post('/api/token/', { body, headers }))
    app.tick(60)
    const renewed = sure(200, await app.anon.post('/api/token/refresh/', { body: { refresh: tablet.refresh } }))
    const sessions = sure(200, await app.as(renewed.access).get(place)).results
    expect(sessions).toEqual([
      expect.objectContaining({ client: 'Field tablet/2 (Patan)', is_current: true }),
      expect.objectContaining({ client: '', is_current: false }),
    ])
    const [{ id, created_at, last_used_at }] = sessions
    expect(Date.parse(last_used_at) - Date.parse(created_at)).toBe(60_000)

    // Nobody else sees or ends it.
    sure(404, await app.other.delete(`${place}${id}/`))
    sure(204, await who.delete(`${place}${id}/`))
    sure(401, await app.as(renewed.access).get('/api/user/info/'))
    expect(sure(200, await who.get(place)).results).toHaveLength(1)
    sure(404, await who.delete(`${place}${id}/`))

    const again = sure(200, await signIn({ username }))
    sure(204, await who.delete(place))
    for (const token of [again.access]) sure(401, await app.as(token).get('/api/user/info/'))
    sure(401, await who.get('/api/user/info/'))
    sure(401, await app.anon.post('/api/token/refresh/', { body: { refresh: again.refresh } }))
  })
})

describe('guessing', () => {
  test('is slowed for an account by its name and by its address, from wherever; a right password is no guess', async () => {
    const { username, email } = await registerProven()
    const from = (n: number) => ({ headers: { 'x-test-address': `198.51.100.${n}` } })
    const guess = (n: number, password: string, name = username) =>
      app.anon.post('/api/token/', { body: { username: name, password }, ...from(n) })
    for (let right = 0; right < 25; right += 1) sure(200, await guess(0, PASSWORD))
    // Each is counted by itself: else who used up the guesses of one would see by the other that they are of one account.
    for (const name of [username, email]) {
      for (let wrong = 0; wrong < 20; wrong += 1) sure(401, await guess(wrong, `guess-${wrong}`, name))
      const answer = await guess(99, PASSWORD, name)
      expect(sure(429, answer).detail).toMatch(/^Request was throttled/)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    // Others are not held up, and neither is the person after a while.
    sure(200, await signIn({ username: 'dev' }, 'heritage-local'))
    app.tick(3600)
    sure(200, await guess(99, PASSWORD))
  })

  test('of a name that nobody has is slowed in the same way', async () => {
    for (let wrong = 0; wrong < 20; wrong += 1) sure(401, await signIn({ username: 'nobody-at-all' }))
    sure(429, await signIn({ username: 'nobody-at-all' }))
  })
})

describe('a letter about an account', () => {
  test('that is refused comes again, and one without an answer does not', async () => {
    const refused = await register()
    mail.setFate(() => ({ status: 429, error: 'TooManyRequestsException' }))
    expect(await letterTo(refused.email)).toEqual([])
    mail.setFate(() => 'taken')
    expect(await letterTo(refused.email)).toEqual([])
    app.tick(60)
    expect(await letterTo(refused.email)).toHaveLength(1)
    const lost = await register()
    mail.setFate(() => 'lost')
    await mail.fetch()
    mail.setFate(() => 'taken')
    app.tick(3600)
    expect(await letterTo(lost.email)).toEqual([])
  })
})
