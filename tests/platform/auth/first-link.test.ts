import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { objects, send } from '../../harness/asset-world.ts'
import { contribute, sure } from '../../harness/make.ts'
import { photographs } from '../../harness/media-files.ts'
import { changeRank, changeUser } from '../../harness/people.ts'
import { addAsset, at, linkTo, move, newProject, openProjects } from '../../harness/projects.ts'
import { openProvider, type Provider, START } from '../../harness/provider.ts'

/**
 * The promise: once the owner of an address signs in by a provider, nothing acts for the account that was made before. Whoever made
 * it may have registered another person's address.
 */
let app: App
let idp: Provider
let second: Provider
beforeAll(async () => {
  idp = await openProvider()
  second = await openProvider()
  const secondary = {
    SECONDARY_ISSUER: second.url,
    SECONDARY_AUDIENCE: 'heritage-second',
    SECONDARY_JWKS_URL: `${second.url}/jwks`,
  }
  app = await openProjects({ ...idp.env, ...secondary })
})
afterAll(async () => {
  await idp.stop()
  await second.stop()
})

type Account = { name: string; id: string; who: Persona; access: string; refresh: string; password: string }
let accounts = 0
/** Registers an account by the address of somebody else, and signs in. */
async function register(): Promise<Account> {
  const name = `victim${++accounts}`
  const password = 'Stupa-at-dawn-7'
  const body = { username: name, email: `${name}@example.org`, password }
  const { user } = sure(201, await app.anon.post('/api/register/', { body }))
  const { access, refresh } = sure(200, await app.anon.post('/api/token/', { body }))
  return { name, id: user.id, who: app.as(access), access, refresh, password }
}

/** The owner of the address signs in by the provider, for the first time. */
async function link({ name }: Account): Promise<Persona> {
  const token = `ya29.${name}`
  const userinfo = { sub: `sub-${name}`, email: `${name}@example.org`, email_verified: true }
  idp.tokens.set(token, { userinfo, tokeninfo: { active: true, aud: 'heritage-test', exp: START + 3600 } })
  const owner = app.as(token)
  expect(sure(200, await owner.get('/api/user/info/')).username).toBe(name)
  return owner
}

async function stored(type: string, fits: (it: Record<string, unknown>) => boolean) {
  const { scan } = await import('../../../lib/engines/table/scan.ts')
  const found = []
  for await (const page of scan([type])) found.push(...page.filter(fits))
  return found
}
const makeKey = async (who: Persona, ...scopes: string[]): Promise<Persona> =>
  app.as(sure(201, await who.post('/api/user/keys/', { body: { name: 'Kept', scopes } })).token)

/** For each type of item that acts for an account: makes one, and returns what must hold after the link. */
const actors: Record<string, (account: Account) => Promise<(owner: Persona) => Promise<void>>> = {
  session: async ({ who, refresh }) => {
    sure(200, await who.get('/api/user/info/'))
    return async () => {
      sure(401, await who.get('/api/user/info/'))
      sure(401, await app.anon.post('/api/token/refresh/', { body: { refresh } }))
    }
  },

  identity: async ({ name, id }) => {
    // A weaker provider has signed the account in a moment ago, and its token is remembered.
    await changeUser(id, () => ({ subjects: { [second.url]: `sub-${name}` } }))
    const claims = { sub: `sub-${name}`, email: `${name}@example.org`, email_verified: true, aud: 'heritage-second' }
    const who = app.as(await second.idToken(claims))
    expect(sure(200, await who.get('/api/user/info/')).username).toBe(name)
    return async () => {
      expect(sure(403, await who.get('/api/user/info/')).detail).toMatch(/belongs to a sign-in of another provider/)
    }
  },

  api_key: async ({ who }) => {
    const key = await makeKey(who, 'read', 'propose', 'import', 'hook')
    sure(200, await key.get('/api/user/info/'))
    return async (owner) => {
      sure(401, await key.get('/api/user/info/'))
      sure(401, await key.post('/cidoc/structures/', { body: { name: 'By the key' } }))
      expect(sure(200, await owner.get('/api/user/keys/')).results).toEqual([])
    }
  },

  hook: async ({ who, id }) => {
    const key = await makeKey(who, 'hook')
    const body = { url: 'http://127.0.0.1:9/told' }
    for (const maker of [who, key]) sure(201, await maker.post('/api/user/hooks/', { body }))
    return async (owner) => {
      expect(sure(200, await owner.get('/api/user/hooks/')).results).toEqual([])
      const { handler } = await import('../../../functions/webhooks.ts')
      await handler()
      expect(await stored('hook', (it) => it.user_id === id)).toEqual([])
    }
  },

  project_upload: async ({ who, name }) => {
    // Another account of the same person works on the project, too.
    const slug = await newProject(who)
    sure(201, await who.post(at(slug, 'memberships/'), { body: { username: 'other', role: 'editor' } }))
    const bytes = (await photographs())['image/png']
    const announced = { file_name: `${name}.png`, size: bytes.length, role: 'evidence' }
    const { asset_id, upload } = sure(201, await who.post(at(slug, 'assets/uploads/'), { body: announced }))
    await send(upload, bytes)
    return async (owner) => {
      for (const by of [owner, app.other]) {
        const answer = await by.post(at(slug, `assets/uploads/${asset_id}/complete/`), { body: {} })
        expect(sure(410, answer)).toEqual({ detail: 'This upload has expired. Begin a new one.' })
      }
    }
  },

  picture_file: async ({ who }) => {
    const bytes = (await photographs())['image/png']
    const announced = { file_name: 'a.png', size: bytes.length }
    const { id, upload } = sure(201, await who.post('/data/pictures/uploads/', { body: announced }))
    await send(upload, bytes)
    return async (owner) => {
      sure(410, await owner.post(`/data/pictures/uploads/${id}/complete/`))
    }
  },

  import: async ({ who, id }) => {
    const announced = { file_name: 'table.csv', size: 10 }
    const waiting = sure(201, await who.post('/data/imports/uploads/', { body: announced }))
    await send(waiting.upload, Buffer.from('name\nWell1'))
    const { sendTable, work } = await import('../../harness/imports.ts')
    const sent = sure(201, await sendTable(who, 'wells.csv', 'name\nWell of the squatter\n'))
    return async (owner) => {
      sure(410, await owner.post(`/data/imports/uploads/${waiting.import_id}/complete/`))
      await work()
      const [it] = await stored('import', (one) => one.id === sent.id)
      expect(it).toMatchObject({
        contributor_id: id,
        state: 'failed',
        failed: 'The account that asked for this is closed, or has another owner now.',
      })
    }
  },

  account_export: async ({ who }) => {
    sure(202, await who.post('/data/user/me/export/'))
    const { makeOwnExports } = await import('../../../lib/doors/departure/make-export.ts')
    return async (owner) => {
      expect(await makeOwnExports()).toBe(0)
      expect(sure(200, await owner.get('/data/user/me/export/'))).toMatchObject({ state: 'none', url: null })
      // The owner gets a file of their own, though nobody made the earlier one.
      sure(202, await owner.post('/data/user/me/export/'))
      expect(await makeOwnExports()).toBe(1)
      expect(sure(200, await owner.get('/data/user/me/export/')).state).toBe('ready')
    }
  },

  project_merge: async ({ who, id }) => {
    await changeRank(id, 'domain_expert')
    const { mergeLimits } = await import('../../../lib/domain/projects/merge.ts')
    mergeLimits.waitedForMs = 0
    const slug = await newProject(app.contributor)
    await addAsset(slug)
    const record = await contribute(app.contributor, 'traditions', { name: `Merged by ${slug}` })
    await linkTo(app.contributor, slug, record)
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved', 'Good.'))
    sure(202, await move(who, slug, 'merged'))
    return async () => {
      const { handler } = await import('../../../functions/merger.ts')
      await handler({}, { getRemainingTimeInMillis: () => 900_000 })
      expect(sure(200, await app.contributor.get(at(slug)))).toMatchObject({ state: 'approved', merge: null })
      sure(404, await app.anon.get(`/cidoc/traditions/${record.id}/`))
    }
  },
}

test.each(Object.keys(actors))(
  'at the first link, what was made before acts no more: %s',
  async (type) => {
    const account = await register()
    const check = await actors[type]?.(account)
    await check?.(await link(account))
  },
  60_000,
)

test('the password goes as well, and an account that nobody took over keeps what it has', async () => {
  const account = await register()
  const key = await makeKey(account.who, 'read')
  const owner = await link(account)
  sure(401, await app.anon.post('/api/token/', { body: { username: account.name, password: account.password } }))
  sure(401, await key.get('/api/user/info/'))
  // What is made from now on stays, however often the person signs in.
  const later = await makeKey(owner, 'read')
  await link(account)
  sure(200, await later.get('/api/user/info/'))
})

test('the file with the data of an account is reached by its owner of that time alone', async () => {
  const place = '/data/user/me/export/'
  const { makeOwnExports } = await import('../../../lib/doors/departure/make-export.ts')
  const account = await register()
  sure(202, await account.who.post(place))
  expect(await makeOwnExports()).toBe(1)
  const earlier = sure(200, await account.who.get(place))
  expect(earlier.state).toBe('ready')
  const owner = await link(account)
  // Neither reaches the file: one is nobody any more, the other has asked for none.
  sure(401, await account.who.get(place))
  expect(sure(200, await owner.get(place))).toMatchObject({ state: 'none', url: null, bytes: null })
  sure(202, await owner.post(place))
  expect(await makeOwnExports()).toBe(1)
  const own = sure(200, await owner.get(place))
  expect(JSON.parse(await (await fetch(own.url)).text()).account.email_verified).toBe(true)
  sure(401, await account.who.get(place))
  // The earlier file goes, though its address was good for longer.
  const { handler } = await import('../../../functions/sweeper.ts')
  app.tick(901)
  await handler({ chores: 'seldom' })
  const key = new URL(earlier.url).pathname.slice(1)
  expect((await objects('account-exports/')).filter((it) => key.endsWith(it))).toEqual([])
})

test('each type of item that stores an ownership or a generation is tried above', () => {
  const files = readdirSync('lib', { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.ts'))
  const sources = files.map((it) => readFileSync(join('lib', it), 'utf8'))
  // An item acts for an account if it holds a secret, waits for a file, or is a job in the name of its actor.
  const marks =
    /ownership: storedOwnership|generation: v\.number\(\)|\bsecret: v\.|\bhash: v\.|pending_key: |\bactor: v\.object|\bby: v\.object/
  const acting = sources
    .filter((source) => source.includes('defineItem({'))
    .flatMap((source) => {
      const types = [...source.matchAll(/defineItem\(\{\s*type: '(\w+)',\s*schema: (\w+)/g)]
      return types.flatMap(([, type = '', schema = '']) => {
        const from = source.search(new RegExp(`const ${schema} = (s\\.shape|v\\.)`))
        const body = from < 0 ? '' : source.slice(from, source.indexOf('\n})', from))
        return marks.test(body) ? [type] : []
      })
    })
  // A user is the account itself. A project snapshot, a decision and the like name people, and act for nobody.
  expect([...new Set(acting)].filter((it) => it !== 'user').sort()).toEqual(Object.keys(actors).sort())
})

describe('who is who', () => {
  const person = (name: string, sub: string) => ({ sub, email: `${name}@example.org`, email_verified: true })
  const signIn = (userinfo: object): Persona => {
    const token = `ya29.who-${++accounts}`
    idp.tokens.set(token, { userinfo, tokeninfo: { active: true, aud: 'heritage-test', exp: START + 3600 } })
    return app.as(token)
  }
  const bySecond = async (userinfo: object) => app.as(await second.idToken({ ...userinfo, aud: 'heritage-second' }))
  const idOf = async (who: Persona) => sure(200, await who.get('/api/user/info/')).id

  const account = async (id: string) => sure(200, await app.staff.get(`/data/platform-admin/users/${id}/`))
  const found = async (search: string) =>
    sure(200, await app.staff.get('/data/platform-admin/users/', { query: { search } })).count

  test('the subject is kept: it finds the account whatever the address is by now, which the account takes over', async () => {
    const first = signIn(person('tara', 'sub-tara'))
    const id = await idOf(first)
    const key = await makeKey(first, 'read')
    expect(await idOf(signIn(person('tara.new', 'sub-tara')))).toBe(id)
    expect(await account(id)).toMatchObject({ email: 'tara.new@example.org', email_verified: true })
    expect([await found('tara.new@example.org'), await found('tara@example.org')]).toEqual([1, 0])
    // Nobody else came: what the person has made stays.
    sure(200, await key.get('/api/user/info/'))
    // The former address is free. Whoever has it now gets an account of their own.
    const next = await idOf(signIn(person('tara', 'sub-next')))
    expect(next).not.toBe(id)
    expect(await account(id)).toMatchObject({ email: 'tara.new@example.org' })
  })

  test('another address is not taken from who has proven it, but from who has not', async () => {
    const [id, other] = [await idOf(signIn(person('uma', 'sub-uma'))), await idOf(signIn(person('vidya', 'sub-vidya')))]
    expect(await idOf(signIn(person('vidya', 'sub-uma')))).toBe(id)
    expect(await account(id)).toMatchObject({ email: 'uma@example.org', email_verified: true })
    expect(await account(other)).toMatchObject({ email: 'vidya@example.org' })
    const squatter = await register()
    expect(await idOf(signIn(person(squatter.name, 'sub-uma')))).toBe(id)
    expect(await account(id)).toMatchObject({ email: `${squatter.name}@example.org` })
    // The squatter goes on by the name of the account alone.
    const body = { email: `${squatter.name}@example.org`, password: squatter.password }
    sure(401, await app.anon.post('/api/token/', { body }))
    sure(200, await squatter.who.get('/api/user/info/'))
  })

  test('a weaker provider does not change the address, and neither does one that has not verified it', async () => {
    const id = await idOf(signIn(person('wanda', 'sub-wanda')))
    const linked = { provider: 'secondary', subject: 'weak-wanda' }
    sure(200, await app.staff.post(`/data/platform-admin/users/${id}/link/`, { body: linked }))
    expect(await idOf(await bySecond(person('wanda.weak', 'weak-wanda')))).toBe(id)
    expect((await account(id)).email).toBe('wanda@example.org')
    sure(401, await signIn({ ...person('wanda.new', 'sub-wanda'), email_verified: false }).get('/api/user/info/'))
    expect((await account(id)).email).toBe('wanda@example.org')
    // A closed account keeps its address.
    sure(200, await app.staff.post(`/data/platform-admin/users/${id}/deactivate/`, { body: { reason: 'Spam.' } }))
    sure(401, await signIn(person('wanda.new', 'sub-wanda')).get('/api/user/info/'))
    expect((await account(id)).email).toBe('wanda@example.org')
  })

  test('another subject of the same address is refused, and reads what everyone reads', async () => {
    const id = await idOf(signIn(person('reused', 'sub-first')))
    const other = signIn(person('reused', 'sub-second'))
    expect(sure(403, await other.get('/api/user/info/'))).toEqual({
      detail:
        'The account with this address belongs to another sign-in of your provider. Staff can link it to yours: tell them the "sub" of your token.',
    })
    const nepali = await other.get('/api/user/info/', { headers: { 'accept-language': 'ne' } })
    expect(sure(403, nepali).detail).toContain('"sub"')
    sure(200, await other.get('/cidoc/structures/'))
    expect(await idOf(signIn(person('reused', 'sub-first')))).toBe(id)
  })

  test('staff link the account to the other subject; the first one is refused from then on', async () => {
    const first = signIn(person('moved', 'sub-old'))
    const id = await idOf(first)
    const key = await makeKey(first, 'read')
    const place = `/data/platform-admin/users/${id}/link/`
    const body = { provider: 'idp', subject: 'sub-new' }
    sure(401, await app.anon.post(place, { body }))
    for (const who of [app.contributor, app.community, app.domain, app.curator, first])
      sure(403, await who.post(place, { body }))
    expect(sure(400, await app.staff.post(place, { body: {} }))).toEqual({
      provider: ['This field is required.'],
      subject: ['This field is required.'],
    })
    expect(sure(200, await app.staff.post(place, { body }))).toMatchObject({ id, email_verified: true })
    expect(await idOf(signIn(person('moved', 'sub-new')))).toBe(id)
    sure(403, await signIn(person('moved', 'sub-old')).get('/api/user/info/'))
    // What the first person made has gone.
    sure(401, await key.get('/api/user/info/'))
    // A subject belongs to one account.
    const another = await idOf(signIn(person('another', 'sub-another')))
    const taken = await app.staff.post(`/data/platform-admin/users/${another}/link/`, { body })
    expect(sure(409, taken)).toEqual({ detail: 'Another account is linked to this subject.' })
  })

  test('a weaker provider never reaches the account of a stronger one, until staff link it', async () => {
    const id = await idOf(signIn(person('both', 'sub-idp')))
    const weaker = person('both', 'sub-second')
    expect(sure(403, await (await bySecond(weaker)).get('/api/user/info/'))).toEqual({
      detail:
        'The account with this address belongs to a sign-in of another provider. Sign in there, or ask staff to link it to this one.',
    })
    const body = { provider: 'secondary', subject: 'sub-second' }
    sure(200, await app.staff.post(`/data/platform-admin/users/${id}/link/`, { body }))
    expect(await idOf(await bySecond({ ...weaker, nonce: 1 }))).toBe(id)
    expect(await idOf(signIn(person('both', 'sub-idp')))).toBe(id)
  })

  test('a stronger provider takes the account of a weaker one over, with nothing that was made there', async () => {
    const weak = await bySecond(person('taken', 'sub-weak'))
    const id = await idOf(weak)
    const key = await makeKey(weak, 'read')
    expect(await idOf(signIn(person('taken', 'sub-strong')))).toBe(id)
    sure(401, await key.get('/api/user/info/'))
    sure(403, await weak.get('/api/user/info/'))
  })
})

describe('deactivation', () => {
  test('by staff, at once, with a reason: nothing acts for the account, and its page is gone', async () => {
    const account = await register()
    const key = await makeKey(account.who, 'read')
    const place = `/data/platform-admin/users/${account.id}`
    for (const who of [app.contributor, app.curator, account.who])
      sure(403, await who.post(`${place}/deactivate/`, { body: { reason: 'Spam' } }))
    expect(sure(400, await app.staff.post(`${place}/deactivate/`, { body: { reason: ' ' } }))).toEqual({
      reason: ['This field is required.'],
    })
    const closed = sure(200, await app.staff.post(`${place}/deactivate/`, { body: { reason: 'Sends spam.' } }))
    expect(closed).toMatchObject({ is_active: false, deactivation: { reason: 'Sends spam.' } })
    for (const who of [account.who, key]) sure(401, await who.get('/api/user/info/'))
    sure(401, await app.anon.post('/api/token/refresh/', { body: { refresh: account.refresh } }))
    sure(401, await app.anon.post('/api/token/', { body: { username: account.name, password: account.password } }))
    sure(404, await app.anon.get(`/data/user/${account.id}/`))
    expect(sure(200, await app.curator.get(`${place}/`))).toMatchObject({ is_active: false, deactivation: null })
    expect(sure(400, await app.staff.post(`${place}/deactivate/`, { body: { reason: 'Again' } }))).toEqual({
      detail: 'This account is deactivated already.',
    })

    sure(200, await app.staff.post(`${place}/activate/`))
    expect(sure(400, await app.staff.post(`${place}/activate/`))).toEqual({
      detail: 'This account is not deactivated.',
    })
    // The old session stays closed; the person signs in again.
    sure(401, await account.who.get('/api/user/info/'))
    sure(200, await app.anon.post('/api/token/', { body: { username: account.name, password: account.password } }))
  })

  test('nobody deactivates themselves', async () => {
    const { id } = sure(200, await app.staff.get('/api/user/info/'))
    const answer = await app.staff.post(`/data/platform-admin/users/${id}/deactivate/`, { body: { reason: 'Tired' } })
    expect(sure(400, answer)).toEqual({ detail: 'Nobody deactivates their own account.' })
  })
})
