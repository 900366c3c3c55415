import { beforeAll, describe, expect, test } from 'vitest'
import { personas, usernameOf } from '../../../deploy/stand-ins/people.ts'
import { type Rank, ranks } from '../../../lib/platform/permissions.ts'
import { type App, openApp } from '../../harness/app.ts'
import { oneOfEach } from '../../harness/media-files.ts'

let app: App
let me: string
let other: string
beforeAll(async () => {
  app = await openApp()
  me = (await app.contributor.get('/data/user/me/')).body.user_id
  other = (await app.other.get('/data/user/me/')).body.user_id
})

const signInNeeded = { detail: 'Authentication credentials were not provided.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const notFound = { detail: 'Not found.' }
const unknown = '11111111-1111-4111-8111-111111111111'
const badName = { username: ['Use 3 to 50 of the letters a to z, digits, "_", "." and "-".'] }
const profile = (own: object) => ({
  user_id: expect.any(String),
  slug: expect.any(String),
  username: '',
  email: '',
  first_name: '',
  middle_name: '',
  last_name: 'Heritage',
  biography: '',
  area_of_expertise: '',
  country: '',
  organization: '',
  position: '',
  university_school: '',
  social_links: {},
  website_link: '',
  contributor_mode: 'basic',
  score: 0,
  member_since: 'January 2025',
  profile_image: null,
  avatar_url: '',
  organizations: [],
  ...own,
})

/** What nobody but the person sees. */
const unset = { language: '', calendar: '' }

describe('who am I', () => {
  test.each(['/api/user/info', '/api/user/info/'])('%s tells the account', async (path) => {
    const reply = await app.contributor.get(path)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      id: me,
      username: 'dev',
      email: 'dev@heritage.test',
      email_verified: true,
      groups: ['Contributors'],
      is_staff: false,
      is_superuser: false,
      reviewer_role: null,
      reviewer_application: null,
    })
  })

  test('reviewers see their role and what it allows, groups in step with it', async () => {
    const powers = (all: boolean, manage: boolean) => ({
      can_override_confidence: all,
      can_resolve_conflicts: all,
      can_manage_roles: manage,
    })
    const allowed: Readonly<Record<Rank, object>> = {
      community_reviewer: { groups: ['Contributors', 'Reviewers'], ...powers(false, false) },
      domain_expert: { groups: ['Contributors', 'Reviewers', 'Moderators'], ...powers(true, false) },
      expert_curator: { groups: ['Contributors', 'Reviewers', 'Moderators'], ...powers(true, true) },
    }
    for (const rank of ranks) {
      const { groups, reviewer_role } = (await app.ofRank[rank].get('/api/user/info')).body
      expect({ groups, ...reviewer_role }).toEqual({ role: rank, is_active: true, ...allowed[rank] })
    }
    expect((await app.staff.get('/api/user/info')).body).toMatchObject({ is_staff: true, reviewer_role: null })
  })

  test.each(['/data/testme', '/data/testme/', '/data/api/testme', '/api/v1/data/testme/', '/api/v1/data/api/testme'])(
    'the sign-in handshake answers at %s',
    async (path) => {
      const reply = await app.contributor.get(path)
      expect([reply.status, reply.body]).toEqual([200, { message: 'Hello, dev. You are signed in.', roles: [] }])
    },
  )

  test('the profile of the caller', async () => {
    const reply = await app.contributor.get('/data/api/user/me')
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual(
      profile({ user_id: me, slug: me, username: 'dev', email: 'dev@heritage.test', first_name: 'Dev', ...unset }),
    )
    expect(reply.headers['cache-control']).toBe('private, no-store')
  })

  test.each([
    ['GET', '/api/user/info/'],
    ['GET', '/data/testme/'],
    ['GET', '/data/testthelogin/'],
    ['GET', '/data/user/me/'],
    ['POST', '/data/user/11111111-1111-4111-8111-111111111111/'],
    ['PATCH', '/data/user/11111111-1111-4111-8111-111111111111/'],
    ['PATCH', '/user/username/'],
    ['PUT', '/user/username/'],
    ['POST', '/data/user/profile-image/'],
    ['DELETE', '/data/user/profile-image/'],
  ])('%s %s needs a caller', async (method, path) => {
    const body = path.endsWith('image/') ? new FormData() : undefined
    const reply = await app.anon.send(method, path, { body })
    expect([reply.status, reply.body]).toEqual([401, signInNeeded])
  })

  test('knowing who has a token costs one call to the table; the development header costs two', async () => {
    const dev = app.with({ 'x-dev-user': 'dev@heritage.test' })
    expect(await dev.get('/api/user/info')).toMatchObject({ cost: { calls: 3 } })
    const { access } = (await app.anon.post('/api/dev/login/', { body: { email: 'dev@heritage.test' } })).body
    expect((await app.as(access).get('/api/user/info')).cost.calls).toBe(2)
    expect((await app.as(access).get('/data/testme')).cost.calls).toBe(1)
  })
})

describe('GET /data/testthelogin/', () => {
  const names = personas.map(usernameOf)

  test('lists all users, oldest first, without addresses but the own', async () => {
    const { status, body } = await app.contributor.get('/data/api/testthelogin')
    expect(status).toBe(200)
    expect([body.count, body.next, body.previous]).toEqual([names.length, null, null])
    expect(body.results).toEqual(
      names.map((username) => ({
        id: expect.any(String),
        username,
        email: username === 'dev' ? 'dev@heritage.test' : '',
        first_name: expect.any(String),
        last_name: 'Heritage',
      })),
    )
  })

  test('staff see every address', async () => {
    const { body } = await app.staff.get('/data/testthelogin/')
    expect(body.results.map(({ email }: { email: string }) => email)).toEqual(
      names.map((name) => `${name}@heritage.test`),
    )
  })

  test('pages are followed by their links', async () => {
    const seen = []
    let next: string | null = '/data/testthelogin/?limit=2'
    while (next) {
      const { body } = await app.contributor.get(next)
      seen.push(...body.results.map(({ username }: { username: string }) => username))
      next = body.next
    }
    expect(seen).toEqual(names)
  })
})

describe('profiles', () => {
  test('anyone reads a profile by id or by username, without the address', async () => {
    for (const path of [`/data/api/user/${me}/`, '/data/api/user/by-username/dev/', '/data/user/by-username/DEV']) {
      const reply = await app.anon.get(path)
      expect(reply.status).toBe(200)
      expect(reply.body).toMatchObject({ user_id: me, username: 'dev', email: '' })
    }
  })

  test('another contributor sees no address, staff do', async () => {
    expect((await app.other.get(`/data/user/${me}/`)).body.email).toBe('')
    expect((await app.curator.get(`/data/user/${me}/`)).body.email).toBe('')
    expect((await app.staff.get(`/data/user/${me}/`)).body.email).toBe('dev@heritage.test')
  })

  test.each([
    `/data/user/${unknown}/`,
    '/data/user/not-a-uuid/',
    '/data/user/by-username/nobody/',
    '/data/user/by-username/a%20b/',
  ])('%s is not found', async (path) => {
    const reply = await app.anon.get(path)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  const wanted = {
    first_name: 'Maya',
    middle_name: 'Devi',
    last_name: 'Shrestha',
    biography: 'Draws temples.\nSlowly.',
    area_of_expertise: 'architecture, wood carving',
    country: 'Nepal',
    organization: 'Patan Museum',
    position: 'Curator',
    university_school: 'Tribhuvan University',
    website_link: 'https://example.org/maya',
    social_links: { github: 'https://github.com/example', twitter: '@example' },
  }

  test('the own profile is changed by POST with the whole form, answered whole', async () => {
    const body = { ...wanted, username: 'other', email: 'other@heritage.test' }
    const reply = await app.other.post(`/data/api/user/${other}/`, { body })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      ...profile({ ...wanted, user_id: other, slug: other, username: 'other', email: 'other@heritage.test', ...unset }),
      warnings: ['username', 'email'].map((member) => ({
        member,
        message: 'This member is not read; it has no effect.',
      })),
    })
    expect((await app.anon.get(`/data/user/${other}/`)).body).toMatchObject(wanted)
  })

  test('PUT is another word for POST', async () => {
    const reply = await app.other.put(`/data/user/${other}/`, { body: wanted })
    expect([reply.status, reply.body]).toEqual([200, (await app.other.get('/data/user/me/')).body])
    expect(reply.body).toMatchObject(wanted)
  })

  test('PATCH changes only what is sent; null and "" empty a member', async () => {
    const body = { country: null, position: '', contributor_mode: 'advanced' }
    const reply = await app.other.patch(`/data/user/${other}/`, { body })
    expect(reply.body).toMatchObject({ ...wanted, country: '', position: '', contributor_mode: 'advanced' })
  })

  test('username, email, score and staff do not change here', async () => {
    const smuggled = {
      username: 'boss',
      email: 'boss@example.org',
      score: 99,
      is_staff: true,
      groups: ['Moderators'],
      seeded: false,
    }
    const reply = await app.contributor.post(`/data/user/${me}/`, { body: smuggled })
    expect(reply.body).toMatchObject({ username: 'dev', email: 'dev@heritage.test', score: 0 })
    expect((await app.contributor.get('/api/user/info')).body).toMatchObject({
      is_staff: false,
      groups: ['Contributors'],
    })
  })

  test("nobody changes another's profile, not even staff", async () => {
    for (const persona of [app.other, app.curator, app.staff]) {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const reply = await persona.send(method, `/data/user/${me}/`, { body: { country: 'Atlantis' } })
        expect([reply.status, reply.body]).toEqual([403, refused])
      }
    }
    expect((await app.anon.get(`/data/user/${me}/`)).body.country).toBe('')
  })

  test('an unknown profile is not found', async () => {
    const reply = await app.contributor.post(`/data/user/${unknown}/`, { body: { country: 'Nepal' } })
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  test.each([
    [{ first_name: 'x'.repeat(51) }, { first_name: ['Ensure this field has no more than 50 characters.'] }],
    [{ country: 'a\u0007b' }, { country: ['Control characters are not allowed.'] }],
    [{ country: 'a\nb' }, { country: ['Control characters are not allowed.'] }],
    [{ country: 5 }, { country: ['Not a valid text.'] }],
    [{ country: 'x'.repeat(101) }, { country: ['Ensure this field has no more than 100 characters.'] }],
    [{ biography: 'x'.repeat(5001) }, { biography: ['Ensure this field has no more than 5000 characters.'] }],
    [
      { website_link: `https://example.org/${'x'.repeat(200)}` },
      { website_link: ['Ensure this field has no more than 200 characters.'] },
    ],
    [
      { social_links: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`net${i}`, 'x'])) },
      { social_links: ['Give no more than 20 of them.'] },
    ],
    [{ social_links: { github: 7 } }, { social_links: { github: ['Not a valid text.'] } }],
    [{ social_links: { constructor: 'x' } }, { social_links: ['A member cannot be called constructor or prototype.'] }],
    [{ social_links: { prototype: 7 } }, { social_links: ['A member cannot be called constructor or prototype.'] }],
    [{ website_link: 'javascript:alert(1)' }, { website_link: ['Enter a valid URL.'] }],
    [{ website_link: 'example' }, { website_link: ['Enter a valid URL.'] }],
    [
      { social_links: { twitter: 'javascript:alert(1)' } },
      { social_links: { twitter: ['Enter a web address or a name.'] } },
    ],
    [{ social_links: 'x' }, { social_links: ['Send an object of addresses.'] }],
    [
      { social_links: { 'Bad Name': 'x' } },
      { social_links: { 'Bad Name': ['Names of networks are lower-case letters.'] } },
    ],
    [{ contributor_mode: 'god' }, { contributor_mode: ['Choose one of: basic, advanced.'] }],
  ])('%j is refused and nothing is written', async (body, fields) => {
    const before = (await app.contributor.get('/data/user/me/')).body
    const reply = await app.contributor.patch(`/data/user/${me}/`, { body: { position: 'Smith', ...body } })
    expect([reply.status, reply.body]).toEqual([400, fields])
    expect((await app.contributor.get('/data/user/me/')).body).toEqual(before)
  })

  test('text is stored in NFC', async () => {
    const reply = await app.contributor.patch(`/data/user/${me}/`, { body: { last_name: 'Śākya'.normalize('NFD') } })
    expect(reply.body.last_name).toBe('Śākya'.normalize('NFC'))
  })
})

describe('/user/username/', () => {
  test('a new name is lower-cased, the old one is free again', async () => {
    const renamed = await app.domain.patch('/user/username/', { body: { username: 'Expert.Two' } })
    expect([renamed.status, renamed.body]).toEqual([200, { username: 'expert.two' }])
    expect((await app.domain.get('/api/user/info')).body.username).toBe('expert.two')
    expect((await app.anon.get('/data/user/by-username/expert/')).status).toBe(404)
    expect((await app.anon.get('/data/user/by-username/expert.two/')).status).toBe(200)
    const back = await app.domain.put('/user/username', { body: { username: 'expert' } })
    expect([back.status, back.body]).toEqual([200, { username: 'expert' }])
  })

  test('the own name may be sent again', async () => {
    expect((await app.domain.patch('/user/username/', { body: { username: 'EXPERT' } })).status).toBe(200)
  })

  test('a taken name is refused', async () => {
    const reply = await app.domain.patch('/user/username/', { body: { username: 'Staff' } })
    expect([reply.status, reply.body]).toEqual([400, { username: ['This username is already taken.'] }])
    expect((await app.domain.get('/api/user/info')).body.username).toBe('expert')
  })

  test.each([
    [{}, { username: ['This field is required.'] }],
    [{ username: 'ab' }, badName],
    [{ username: 'x'.repeat(51) }, badName],
    [{ username: 'a b c' }, badName],
    [{ username: 'ünal' }, badName],
    [{ username: 'a@b.c' }, badName],
    [{ username: 'a#b/c' }, badName],
  ])('%j is refused', async (body, fields) => {
    const reply = await app.domain.patch('/user/username/', { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })
})

describe('profile images', async () => {
  const { 'image/png': png, 'image/jpeg': jpeg, 'image/webp': webp } = await oneOfEach()
  const form = (bytes: Uint8Array, name = 'profile_image') => {
    const made = new FormData()
    made.append(name, new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' }))
    return made
  }

  test('an upload answers the absolute address, where everyone reads the bytes', async () => {
    const reply = await app.other.post('/data/api/user/profile-image/', { body: form(png) })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      profile_image: expect.stringMatching(`^http://localhost:8000/data/user/${other}/image/\\?v=[0-9a-f]{8}$`),
    })
    expect((await app.anon.get(`/data/user/${other}/`)).body.profile_image).toBe(reply.body.profile_image)
    const image = await app.anon.get(reply.body.profile_image)
    expect(image.status).toBe(200)
    expect(image.bytes).toEqual(png)
    expect(image.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    })
    const again = await app.anon.get(reply.body.profile_image, {
      headers: { 'if-none-match': image.headers.etag ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  test('the type is what the content shows', async () => {
    for (const [bytes, type] of [
      [jpeg, 'image/jpeg'],
      [webp, 'image/webp'],
    ] as const) {
      const { body } = await app.other.post('/data/user/profile-image/', { body: form(bytes) })
      expect((await app.anon.get(body.profile_image)).headers['content-type']).toBe(type)
    }
  })

  test.each([
    ['an SVG', form(Buffer.from('<svg onload="alert(1)"/>')), 'Send a PNG, JPEG or WebP image.'],
    ['nothing', form(new Uint8Array()), 'Send a PNG, JPEG or WebP image.'],
    [
      'an image with something behind it',
      form(Buffer.concat([png, jpeg])),
      'There are bytes after the end of the image.',
    ],
    ['too much', form(Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)])), 'The image is larger than 2 MB.'],
    ['another member', form(png, 'picture'), 'Send an image file.'],
  ])('%s is refused and the image stays', async (_what, body, message) => {
    const before = (await app.other.get('/data/user/me/')).body.profile_image
    const reply = await app.other.post('/data/user/profile-image/', { body })
    expect([reply.status, reply.body]).toEqual([400, { profile_image: [message] }])
    expect((await app.other.get('/data/user/me/')).body.profile_image).toBe(before)
  })

  test('more than the gateway lets through is too large', async () => {
    const body = form(Buffer.concat([png, Buffer.alloc(4_500_000)]))
    const reply = await app.other.post('/data/user/profile-image/', { body })
    expect([reply.status, reply.body]).toEqual([413, { detail: 'The body is larger than 4500000 bytes.' }])
  })

  test('JSON is another media type', async () => {
    const reply = await app.other.post('/data/user/profile-image/', { body: { profile_image: 'x' } })
    expect([reply.status, reply.body]).toEqual([415, { detail: 'Unsupported media type. Send multipart/form-data.' }])
  })

  test('a removed image is gone', async () => {
    const { profile_image } = (await app.other.get('/data/user/me/')).body
    const reply = await app.other.delete('/data/user/profile-image/', {
      headers: { 'content-type': 'application/json' },
    })
    expect([reply.status, reply.body]).toEqual([200, { detail: 'The profile image has been removed.' }])
    expect((await app.other.get('/data/user/me/')).body.profile_image).toBe(null)
    const image = await app.anon.get(profile_image)
    expect([image.status, image.body]).toEqual([404, notFound])
    expect((await app.other.delete('/data/user/profile-image/')).status).toBe(200)
  })

  test.each([`/data/user/${unknown}/image/`, '/data/user/rubbish/image/'])('%s is not found', async (path) => {
    const reply = await app.anon.get(path)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })
})
