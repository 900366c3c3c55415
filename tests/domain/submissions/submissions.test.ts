import { beforeAll, describe, expect, test } from 'vitest'
import { submissionMembers } from '../../../lib/domain/submissions/members.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, submit, sure } from '../../harness/make.ts'

let app: App
let ids: Record<'dev' | 'other', string>
beforeAll(async () => {
  app = await openApp()
  const idOf = async (who: Persona) => (await who.get('/api/user/info')).body.id
  ids = { dev: await idOf(app.contributor), other: await idOf(app.other) }
})

type Submitted = { id: number; submission_id: string }
const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const place = '/data/submissions/'
const suggestions = '/data/submission-suggestions/'
const decided = { detail: 'This suggestion has been decided on already.' }
const change = { title: 'Corrected', description: 'As it should be.' }
const suggest = async (who: Persona, it: Submitted, body: object = {}) =>
  sure(201, await who.post(suggestions, { body: { submission: it.id, ...change, ...body } }))
const approve = (who: Persona, id: number) => who.post(`${suggestions}${id}/approve/`)
const reject = (who: Persona, id: number) => who.post(`${suggestions}${id}/reject/`)
const read = async (it: Submitted) => sure(200, await app.staff.get(`${place}${it.submission_id}/`))
const versionsOf = async (it: Submitted) => sure(200, await app.staff.get(`${place}${it.submission_id}/versions/`))

const TOO_LARGE = 'A number is too large to be kept exactly: send those beyond 9007199254740991 as text.'

describe('a legacy submission', () => {
  test('is read by its short id and by its number, with all 84 members of its form', async () => {
    const it = await submit('dev', {
      status: 'accepted',
      contribution_type: 'monument',
      contribution_data: { note: [1, { deep: true }] },
      created_at: '2019-03-04T05:06:07+05:45',
      Monument_name: 'Nyatapola',
      Height: '30 m',
      Details: 'Five storeys.',
    })
    const row = {
      id: it.id,
      submission_id: it.submission_id,
      title: expect.stringMatching(/^Submitted /),
      description: 'As it was sent in.',
      contributor: ids.dev,
      contributor_username: 'dev',
      status: 'accepted',
      cultural_heritage: null,
      contribution_type: 'monument',
      contribution_data: { note: [1, { deep: true }] },
      created_at: '2019-03-03T23:21:07.000Z',
      ...Object.fromEntries(submissionMembers.map((name) => [name, null])),
      Monument_name: 'Nyatapola',
      Height: '30 m',
      Details: 'Five storeys.',
    }
    expect(submissionMembers).toHaveLength(84)
    for (const id of [it.id, it.submission_id])
      for (const path of [`${place}${id}/`, `/api/v1/data/api/submissions/${id}`])
        expect(sure(200, await app.anon.get(path))).toEqual(row)
  })

  test.each(['0', '-1', '999999', 'zzzzzzzzzzz', 'x', 'AAAAAAAAAAAA', '1.5', 'a#b'])('%s is not found', async (id) => {
    for (const path of [id, `${id}/versions`, `${id}/edit-suggestions`, `${id}/versions/1`]) {
      const reply = await app.staff.get(`${place}${encodeURIComponent(id)}${path.slice(id.length)}/`)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })

  test('that is not accepted is there for those who are signed in', async () => {
    for (const status of ['pending', 'rejected', 'review']) {
      const it = await submit('dev', { status })
      const reply = await app.anon.get(`${place}${it.submission_id}/`)
      expect([reply.status, reply.body]).toEqual([404, notFound])
      expect(sure(200, await app.other.get(`${place}${it.submission_id}/`)).status).toBe(status)
    }
  })

  const closed = { detail: 'Legacy submissions are closed. Contribute to /data/cultural-entities/ or /cidoc/ instead.' }
  test.each([
    ['POST', place],
    ['POST', '/data/api/submissions/form-submit'],
    ['PUT', `${place}1/`],
    ['PATCH', `${place}AAAAAAAAAAA/`],
    ['DELETE', `${place}1/`],
  ])('is not written any more: %s %s', async (method, path) => {
    for (const who of [app.anon, app.contributor, app.staff]) {
      const reply = await who.send(method, path, { body: { title: 'x' } })
      expect([reply.status, reply.body]).toEqual([410, closed])
    }
  })
})

describe('the list', () => {
  let made: Submitted[]
  beforeAll(async () => {
    made = []
    for (let i = 0; i < 5; i += 1) {
      const status = i % 2 ? 'rejected' : 'accepted'
      made.push(await submit('reviewer', { status, created_at: `2030-01-0${i + 1}` }))
    }
  })
  const shown = async (query: Record<string, string | number>) =>
    sure(200, await app.other.get(place, { query })).results.map((row: Submitted) => row.submission_id)
  const names = (...at: number[]) => at.map((i) => made[i]?.submission_id)

  test('is for those who are signed in', async () => {
    expect((await app.anon.get(place)).status).toBe(401)
  })

  test('is newest first, in pages of two calls, whose links lead through all of it', async () => {
    const first = await app.other.get(place, { query: { limit: 3 } })
    const { results, next } = sure(200, first)
    expect(results.map((row: Submitted) => row.submission_id)).toEqual(names(4, 3, 2))
    expect(first.cost.calls).toBe(1 + 2)
    expect(
      sure(200, await app.other.get(next))
        .results.slice(0, 2)
        .map((row: Submitted) => row.submission_id),
    ).toEqual(names(1, 0))
  })

  test('is filtered by status and contributor, each with its exact size', async () => {
    const contributor = (await app.community.get('/api/user/info')).body.id
    expect(await shown({ contributor })).toEqual(names(4, 3, 2, 1, 0))
    expect(await shown({ contributor, status: 'rejected' })).toEqual(names(3, 1))
    expect((await shown({ status: 'rejected', limit: 2 })).slice(0, 2)).toEqual(names(3, 1))
    const { count } = sure(200, await app.other.get(place, { query: { contributor, limit: 1 } }))
    expect(count).toBe(5)
  })

  test.each([{ status: 'nonsense' }, { contributor: 'dev' }, { contributor: 'a#STATUS#accepted' }])(
    'filtered by %j is empty',
    async (query) => {
      expect(sure(200, await app.other.get(place, { query }))).toEqual({
        count: 0,
        next: null,
        previous: null,
        results: [],
      })
    },
  )

  test('of ids is a bare array, a thousand at a time', async () => {
    const all: string[] = sure(200, await app.anon.get(`${place}ids`))
    expect(all).toEqual([...all].sort())
    for (const id of names(0, 1, 2, 3, 4)) expect(all).toContain(id)
    expect(sure(200, await app.anon.get(`${place}ids`, { query: { after: all[2] ?? '' } }))).toEqual(all.slice(3))
    const reply = await app.anon.get(`${place}ids`, { query: { after: '#' } })
    expect([reply.status, reply.body]).toEqual([400, { after: ['Give the id of a submission.'] }])
  })
})

describe('versions', () => {
  test('begin with what was taken in', async () => {
    const it = await submit('dev', { status: 'accepted', contribution_data: { a: 1 }, created_at: '2020-01-01' })
    const first = {
      version_number: 1,
      title: expect.any(String),
      description: 'As it was sent in.',
      contribution_data: { a: 1 },
      updated_by: ids.dev,
      updated_at: '2020-01-01T00:00:00.000Z',
    }
    expect(sure(200, await app.anon.get(`${place}${it.id}/versions/`))).toEqual([first])
    expect(sure(200, await app.anon.get(`${place}${it.submission_id}/versions/1/`))).toEqual(first)
  })

  test('are newest first, one for each change that was taken over', async () => {
    const it = await submit('dev')
    for (const title of ['Second', 'Third']) {
      const { id } = await suggest(app.other, it, { title })
      sure(200, await approve(app.community, id))
    }
    const rows = await versionsOf(it)
    expect(rows.map((row: { version_number: number; title: string }) => [row.version_number, row.title])).toEqual([
      [3, 'Third'],
      [2, 'Second'],
      [1, expect.stringMatching(/^Submitted/)],
    ])
    expect(rows[0].updated_by).toBe(ids.other)
  })

  test.each(['0', '2', '-1', 'x', '1.0', '01'])('%s is not found', async (version) => {
    const it = await submit('dev')
    const reply = await app.staff.get(`${place}${it.id}/versions/${version}/`)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })
})

describe('a suggestion', () => {
  test('is made by anyone who is signed in, in their own name', async () => {
    const it = await submit('dev')
    const more = { suggested_by: ids.dev, approved: true, reviewed_by: ids.dev, id: 7 }
    const row = await suggest(app.other, it, { ...more, contribution_data: { b: [2] } })
    expect(row).toEqual({
      id: expect.any(Number),
      submission: it.id,
      submission_id: it.submission_id,
      suggested_by: ids.other,
      title: 'Corrected',
      description: 'As it should be.',
      contribution_data: { b: [2] },
      created_at: '2025-01-15T10:00:00.000Z',
      approved: null,
      reviewed_by: null,
      reviewed_at: null,
      warnings: Object.keys(more).map((member) => ({ member, message: 'This member is not read; it has no effect.' })),
    })
    const { title } = await read(it)
    expect(title).not.toBe('Corrected')
    const reply = await app.anon.post(suggestions, { body: { submission: it.id, ...change } })
    expect(reply.status).toBe(401)
    sure(201, await app.other.post(suggestions, { body: { submission: it.submission_id, ...change } }))
  })

  test.each([
    [{ submission: undefined }, { submission: ['This field is required.'] }],
    [{ submission: 999_999 }, { submission: ['There is no submission with this id.'] }],
    [{ submission: 'zzzzzzzzzzz' }, { submission: ['There is no submission with this id.'] }],
    [{ submission: [] }, { submission: ['Give the id of a submission.'] }],
    [{ title: undefined }, { title: ['This field is required.'] }],
    [{ title: ' ' }, { title: ['This field may not be blank.'] }],
    [{ title: 'x'.repeat(256) }, { title: ['Ensure this field has no more than 255 characters.'] }],
    [{ title: 'a\nb' }, { title: ['Control characters are not allowed.'] }],
    [{ description: '' }, { description: ['This field may not be blank.'] }],
    [{ contribution_data: [] }, { contribution_data: ['Send an object.'] }],
    [{ contribution_data: 'x' }, { contribution_data: ['Send an object.'] }],
    [{ contribution_data: { a: 1e300 } }, { contribution_data: [TOO_LARGE] }],
    [
      { contribution_data: JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) },
      { contribution_data: ['This is nested more than 24 levels deep.'] },
    ],
    [{ contribution_data: { '': 1 } }, { contribution_data: ['Names of members have 1 to 255 characters.'] }],
    [{ contribution_data: { x: 'y'.repeat(50_000) } }, { contribution_data: ['Send no more than 50000 bytes.'] }],
  ])('with %j is refused', async (more, fields) => {
    const { id } = await submit('dev')
    const reply = await app.other.post(suggestions, { body: { submission: id, ...change, ...more } })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })

  test('is found behind a hundred that its reader may not follow', async () => {
    const it = await submit('dev', { status: 'accepted' })
    const { id } = await suggest(app.other, it)
    sure(200, await approve(app.community, id))
    for (let n = 0; n < 101; n += 1) {
      app.tick(1)
      await suggest(app.other, it, { title: `Later ${n}` })
    }
    const shown = sure(200, await app.anon.get(`${place}${it.id}/edit-suggestions/`))
    expect(shown.map((row: { id: number }) => row.id)).toEqual([id])
    expect(sure(200, await app.community.get(`${place}${it.id}/edit-suggestions/`))).toHaveLength(100)
  })

  test('that is approved changes the submission and is its next version', async () => {
    const it = await submit('dev', { contribution_data: { a: 1 } })
    const { id } = await suggest(app.other, it)
    app.tick(60)
    expect(sure(200, await approve(app.community, id))).toEqual({ status: 'approved' })
    // What was not suggested stays.
    expect(await read(it)).toMatchObject({
      ...change,
      contribution_data: { a: 1 },
      contributor: ids.dev,
      status: 'pending',
    })
    expect((await versionsOf(it))[0]).toMatchObject({ ...change, version_number: 2 })
    const row = sure(200, await app.other.get(`${suggestions}${id}/`))
    expect(row).toMatchObject({ approved: true, reviewed_by: (await app.community.get('/api/user/info')).body.id })
    expect(row.reviewed_at > row.created_at).toBe(true)
  })

  test('that is rejected changes nothing else', async () => {
    const it = await submit('dev')
    const before = await read(it)
    const { id } = await suggest(app.other, it)
    expect(sure(200, await reject(app.domain, id))).toEqual({ status: 'rejected' })
    expect([await read(it), (await versionsOf(it)).length]).toEqual([before, 1])
    expect((await app.other.get(`${suggestions}${id}/`)).body.approved).toBe(false)
  })

  test('is decided on by reviewers, and not by whoever made it', async () => {
    const it = await submit('dev')
    const { id } = await suggest(app.community, it)
    for (const who of [app.contributor, app.community])
      for (const decide of [approve, reject]) {
        const reply = await decide(who, id)
        expect([reply.status, reply.body]).toEqual([403, refused])
      }
    expect((await approve(app.other, id)).status).toBe(404)
    expect((await approve(app.anon, id)).status).toBe(401)
    sure(200, await approve(app.domain, id))
  })

  test('is decided on once', async () => {
    const it = await submit('dev')
    const { id } = await suggest(app.other, it)
    sure(200, await approve(app.community, id))
    for (const reply of [await approve(app.domain, id), await reject(app.domain, id)])
      expect([reply.status, reply.body]).toEqual([409, decided])
    expect(await versionsOf(it)).toHaveLength(2)
  })

  test('that two decide on at once is decided on by one', async () => {
    const it = await submit('dev')
    const { id } = await suggest(app.other, it)
    const replies = await atOnce([
      () => approve(app.community, id),
      () => approve(app.domain, id),
      () => reject(app.curator, id),
    ])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409])
    const { approved } = (await app.other.get(`${suggestions}${id}/`)).body
    expect(await versionsOf(it)).toHaveLength(approved ? 2 : 1)
  })

  test('does not stand in the way of another one that is approved at the same moment', async () => {
    const it = await submit('dev')
    const [one, two] = [await suggest(app.other, it, { title: 'One' }), await suggest(app.other, it, { title: 'Two' })]
    const replies = await atOnce([() => approve(app.community, one.id), () => approve(app.domain, two.id)])
    expect(replies.map((reply) => reply.status)).toEqual([200, 200])
    const rows = await versionsOf(it)
    expect(rows.map((row: { version_number: number }) => row.version_number)).toEqual([3, 2, 1])
    expect((await read(it)).title).toBe(rows[0].title)
  })

  test('that waits or was turned down is between the two sides and reviewers', async () => {
    const it = await submit('dev', { status: 'accepted' })
    const waiting = await suggest(app.staff, it, { title: 'Waiting' })
    const turned = await suggest(app.staff, it, { title: 'Turned down' })
    const taken = await suggest(app.staff, it, { title: 'Taken over' })
    sure(200, await reject(app.community, turned.id))
    sure(200, await approve(app.community, taken.id))
    const titles = async (who: Persona) =>
      sure(200, await who.get(`${place}${it.submission_id}/edit-suggestions`)).map(
        (row: { title: string }) => row.title,
      )
    for (const who of [app.anon, app.other]) expect(await titles(who)).toEqual(['Taken over'])
    for (const who of [app.contributor, app.staff, app.community])
      expect(await titles(who)).toEqual(['Taken over', 'Turned down', 'Waiting'])
    expect((await app.other.get(`${suggestions}${waiting.id}/`)).status).toBe(404)
    sure(200, await app.other.get(`${suggestions}${taken.id}/`))
  })

  test('is listed for whoever made it, and for reviewers', async () => {
    const it = await submit('dev')
    const { id } = await suggest(app.contributor, it, { title: 'Mine' })
    const list = async (who: Persona) => sure(200, await who.get(suggestions, { query: { limit: 100 } }))
    const mine = await list(app.contributor)
    expect(mine.results.every((row: { suggested_by: string }) => row.suggested_by === ids.dev)).toBe(true)
    expect(mine.count).toBe(mine.results.length)
    const all = await list(app.community)
    expect(all.results[0].id).toBe(id)
    expect(all.count).toBeGreaterThan(mine.count)
  })

  test.each(['0', 'x', '-1', '999999'])('%s is not found', async (id) => {
    for (const [method, path] of [
      ['GET', `${suggestions}${id}/`],
      ['POST', `${suggestions}${id}/approve/`],
      ['POST', `${suggestions}${id}/reject/`],
    ] as const) {
      const reply = await app.staff.send(method, path)
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })
})

describe('moderation', () => {
  const at = (it: Submitted) => `/data/moderations/${it.id}/`

  test('sets the status and notes who did so', async () => {
    const it = await submit('dev')
    expect(sure(200, await app.staff.get(at(it))).moderation).toBe(null)
    const reply = sure(200, await app.staff.patch(at(it), { body: { status: 'accepted', comment: 'Well done.' } }))
    expect(reply).toEqual({
      submission: { ...(await read(it)), status: 'accepted' },
      moderation: {
        id: it.id,
        submission: it.id,
        submission_id: it.submission_id,
        moderator: (await app.staff.get('/api/user/info')).body.id,
        remarks: 'Well done.',
        status: 'accepted',
        reviewed_at: expect.any(String),
      },
    })
    expect(sure(200, await app.staff.get(at(it)))).toEqual(reply)
    sure(200, await app.anon.get(`${place}${it.submission_id}/`))
    expect((await read(it)).status).toBe('accepted')
    const again = sure(200, await app.staff.put(at(it), { body: { status: 'rejected' } }))
    expect(again.moderation).toMatchObject({ status: 'rejected', remarks: '' })
    expect((await app.anon.get(`${place}${it.submission_id}/`)).status).toBe(404)
  })

  test('moves the submission from one list to another', async () => {
    const it = await submit('other')
    const count = async (status: string) =>
      sure(200, await app.staff.get(place, { query: { status, contributor: ids.other } })).count
    const before = [await count('pending'), await count('accepted')]
    sure(200, await app.staff.patch(at(it), { body: { status: 'accepted' } }))
    expect([await count('pending'), await count('accepted')]).toEqual([(before[0] ?? 0) - 1, (before[1] ?? 0) + 1])
  })

  test.each([
    [
      'PATCH',
      { status: 'published' },
      { status: ['Not a valid choice. Choose one of: pending, accepted, rejected, review.'] },
    ],
    ['PUT', {}, { status: ['This field is required.'] }],
    ['PATCH', { comment: 'a\u0000' }, { comment: ['Control characters are not allowed.'] }],
    ['PATCH', { comment: 'x'.repeat(5001) }, { comment: ['Ensure this field has no more than 5000 characters.'] }],
  ])('by %s with %j is refused', async (method, body, fields) => {
    const it = await submit('dev')
    const reply = await app.staff.send(method, at(it), { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })

  test('of what is not there is not found', async () => {
    for (const method of ['GET', 'PATCH'])
      expect((await app.staff.send(method, '/data/moderations/999999/', { body: {} })).status).toBe(404)
  })

  test('by two at once comes to what the later one says, and nothing is lost', async () => {
    const it = await submit('dev')
    const replies = await atOnce(
      ['accepted', 'rejected'].map((status) => () => app.staff.patch(at(it), { body: { status } })),
    )
    expect(replies.map((reply) => reply.status)).toEqual([200, 200])
    const { submission, moderation } = sure(200, await app.staff.get(at(it)))
    expect(submission.status).toBe(moderation.status)
  })
})
