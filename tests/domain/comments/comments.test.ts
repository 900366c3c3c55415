import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, contribute, decide, everyState, publish, sightings, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type Made = { id: number; cultural_entity_id: string }
type Row = {
  id: number
  comment_id: string
  comment: string
  parent: number | null
  user: { username: string }
  is_deleted: boolean
  reply_count: number
  replies_next: string | null
  replies: Row[]
}
const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const thread = (it: Pick<Made, 'cultural_entity_id'>) => `/data/entities/${it.cultural_entity_id}/comments/`
const send = (who: Persona, it: Pick<Made, 'cultural_entity_id'>, comment: unknown, parent?: unknown) =>
  who.post(thread(it), { body: { comment, ...(parent !== undefined && { parent }) } })
const say = async (who: Persona, it: Made, comment: string, parent?: number | string): Promise<Row> =>
  sure(201, await send(who, it, comment, parent))
const read = async (who: Persona, it: Made, query: Record<string, string | number> = {}) =>
  sure(200, await who.get(thread(it), { query }))
/** A thread as texts: each comment with what answers it. */
const shape = (rows: readonly Row[]): unknown[] =>
  rows.map((it) => (it.replies.length > 0 ? [it.comment, shape(it.replies)] : it.comment))
const told = async (who: Persona, it: Made) => shape((await read(who, it)).results)
let names = 0
const published = () => publish(app, 'structures', { name: `Commented ${++names}` })
const pending = () => contribute(app.contributor, 'structures', { name: `Commented ${++names}` })
const deleteIt = async (who: Persona, it: Made, { id }: { id: number }) =>
  sure(204, await who.delete(`${thread(it)}${id}/`))
const feed = async (it: Made) =>
  sure(200, await app.staff.get('/data/activities/', { query: { entity: it.cultural_entity_id } })).results
/** The store beside what the records' own counters say. */
const countsOf = async (it: Made) => {
  const query = { submission_id: it.cultural_entity_id, limit: 1 }
  const flat = sure(200, await app.staff.get('/data/comments/', { query }))
  return { roots: (await read(app.staff, it)).count, all: flat.count }
}

describe('a comment', () => {
  test('is answered whole', async () => {
    const it = await published()
    const row = await say(app.other, it, 'Great record')
    expect(row).toEqual({
      comment_id: expect.stringMatching(/^[0-9A-Za-z]{11}$/),
      id: expect.any(Number),
      submission: it.cultural_entity_id,
      entity_id: it.cultural_entity_id,
      user: expect.objectContaining({ username: 'other', email: '' }),
      comment: 'Great record',
      parent: null,
      is_deleted: false,
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
      reply_count: 0,
      replies_next: null,
      replies: [],
      reaction_summary: { upvotes: 0, downvotes: 0, user_reaction: null },
    })
    expect(await read(app.anon, it)).toEqual({ count: 1, next: null, previous: null, results: [row] })
    for (const id of [row.id, row.comment_id]) expect(sure(200, await app.anon.get(`${thread(it)}${id}/`))).toEqual(row)
  })

  test('answers another, named by its number or its characters, at any depth', async () => {
    const it = await published()
    const first = await say(app.other, it, 'one')
    const second = await say(app.contributor, it, 'one-one', first.id)
    expect(second.parent).toBe(first.id)
    const third = await say(app.other, it, 'one-one-one', second.comment_id)
    expect(third.parent).toBe(second.id)
    await say(app.contributor, it, 'one-two', String(first.id))
    await say(app.contributor, it, 'two')
    expect(await told(app.anon, it)).toEqual(['two', ['one', [['one-one', ['one-one-one']], 'one-two']]])
    expect(sure(200, await app.anon.get(`${thread(it)}${second.id}/`)).replies.map((one: Row) => one.id)).toEqual([
      third.id,
    ])
  })

  test('is told to the feed and to the contributor’s own list, by its first 200 characters', async () => {
    const it = await pending()
    await say(app.community, it, `${'🛕'.repeat(200)}end`)
    const [activity] = await feed(it)
    expect(activity).toMatchObject({ activity_type: 'commented', comment: '🛕'.repeat(200) })
    expect(activity.user.username).toBe('reviewer')
    const { results } = (await app.contributor.get('/data/cultural-entities/my_contributions/')).body
    const mine = results.find((row: { entity_id: string }) => row.entity_id === it.cultural_entity_id)
    expect(mine.latest_feedback).toMatchObject({ activity_type: 'commented', comment: '🛕'.repeat(200) })
  })

  test('is stored as sent, in NFC', async () => {
    const it = await published()
    expect((await say(app.other, it, '  Śākya\n\tline '.normalize('NFD'))).comment).toBe(
      '  Śākya\n\tline '.normalize('NFC'),
    )
  })

  const long = 'x'.repeat(10_000)
  test.each([
    [{}, { comment: ['This field is required.'] }],
    [{ comment: null }, { comment: ['Not a valid text.'] }],
    [{ comment: 7 }, { comment: ['Not a valid text.'] }],
    [{ comment: '' }, { comment: ['This field may not be blank.'] }],
    [{ comment: ' \n ' }, { comment: ['This field may not be blank.'] }],
    [{ comment: `${long}y` }, { comment: ['Ensure this field has no more than 10000 characters.'] }],
    [{ comment: 'a\u0000b' }, { comment: ['Control characters are not allowed.'] }],
    [{ comment: 'a\u001bb' }, { comment: ['Control characters are not allowed.'] }],
    [{ comment: 'x', parent: 'no id' }, { parent: ['Give the id of a comment.'] }],
    [{ comment: 'x', parent: -1 }, { parent: ['Give the id of a comment.'] }],
    [{ comment: 'x', parent: 1.5 }, { parent: ['Give the id of a comment.'] }],
    [{ comment: 'x', parent: {} }, { parent: ['Give the id of a comment.'] }],
    [{ comment: 'x', parent: 999_999 }, { parent: ['There is no such comment here.'] }],
    [{ comment: 'x', parent: 'AAAAAAAAAAA' }, { parent: ['Give the id of a comment.'] }],
  ])('of %j is refused', async (body, fields) => {
    const it = await published()
    const reply = await app.other.post(thread(it), { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
    expect(await read(app.anon, it)).toMatchObject({ count: 0 })
  })

  test('of 10,000 characters is taken, whatever they take in bytes', async () => {
    const it = await published()
    expect((await say(app.other, it, '🛕'.repeat(10_000))).comment).toHaveLength(20_000)
  })

  test('cannot answer one of another record', async () => {
    const [it, other] = [await published(), await published()]
    const { id } = await say(app.other, other, 'elsewhere')
    const reply = await send(app.other, it, 'x', id)
    expect([reply.status, reply.body]).toEqual([400, { parent: ['There is no such comment here.'] }])
    expect((await app.other.get(`${thread(it)}${id}/`)).status).toBe(404)
    expect((await app.other.delete(`${thread(it)}${id}/`)).status).toBe(404)
  })

  test('cannot be made in the name of others', async () => {
    const it = await published()
    const body = {
      comment: 'x',
      user: 'dev',
      user_id: 'x',
      id: 1,
      created_at: '1999',
      reply_count: 9,
      is_deleted: true,
    }
    const row = sure(201, await app.other.post(thread(it), { body }))
    expect(row).toMatchObject({ user: { username: 'other' }, reply_count: 0, is_deleted: false })
    expect(row.created_at).toBe('2025-01-15T10:00:00.000Z')
  })

  test('needs a caller', async () => {
    expect((await send(app.anon, await published(), 'x')).status).toBe(401)
  })

  test('made by many at once is one of many', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'root')
    const people = [app.contributor, app.other, app.community, app.domain, app.curator, app.staff]
    const replies = await atOnce(people.map((who, i) => () => send(who, it, `answer ${i}`, id)))
    expect(replies.map((reply) => reply.status)).toEqual(people.map(() => 201))
    const [root] = (await read(app.anon, it)).results
    expect([root.reply_count, root.replies.length]).toEqual([6, 6])
    expect((await feed(it)).filter((row: { activity_type: string }) => row.activity_type === 'commented').length).toBe(
      7,
    )
    expect(await countsOf(it)).toEqual({ roots: 1, all: 7 })
  })
})

describe('a thread', () => {
  test.each(
    sightings.map(({ state, who, sees }) => ({
      state,
      who,
      sees: sees || (who === 'community' && state !== 'deleted'),
    })),
  )('on what is $state is seen by $who: $sees', async ({ state, who, sees }) => {
    sights ??= await everyState(app, 'monuments')
    const reply = await app[who].get(thread(sights[state]))
    expect([reply.status, reply.body]).toEqual(
      sees ? [200, { count: 0, next: null, previous: null, results: [] }] : [404, notFound],
    )
  })
  let sights: Awaited<ReturnType<typeof everyState>>

  test('on what is deleted takes no more comments, not even from staff', async () => {
    const it = await published()
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    const reply = await send(app.staff, it, 'x')
    expect([reply.status, reply.body]).toEqual([403, refused])
  })

  test.each(['8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10', 'no-uuid'])('of %s is not found', async (cultural_entity_id) => {
    for (const reply of [
      await app.staff.get(thread({ cultural_entity_id })),
      await send(app.staff, { cultural_entity_id }, 'x'),
    ])
      expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  test.each(['0', '-1', '1.5', 'x', '999999', 'zzzzzzzzzzz', '99999999999999999'])('has no comment %s', async (id) => {
    const it = await published()
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const reply = await app.staff.send(method, `${thread(it)}${id}/`, { body: { comment: 'x' } })
      expect([reply.status, reply.body]).toEqual([404, notFound])
    }
  })

  test('is answered under every prefix, with and without the last slash', async () => {
    const it = await published()
    const row = await say(app.other, it, 'x')
    for (const prefix of ['/data', '/data/api', '/api/v1/data', '/api/v1/data/api']) {
      const path = thread(it).replace('/data', prefix)
      for (const form of [path, path.slice(0, -1)])
        expect(sure(200, await app.anon.get(form)).results.map((one: Row) => one.id)).toEqual([row.id])
    }
  })

  test('is paged newest first, and following next visits each comment once', async () => {
    const it = await published()
    for (let i = 0; i < 7; i += 1) await say(app.other, it, `c${i}`)
    const seen: string[] = []
    const costs = new Set<string>()
    let next: string | null = `${thread(it)}?limit=2`
    while (next) {
      const reply = await app.anon.get(next)
      costs.add(`${reply.cost.calls}`)
      const { count, results } = sure(200, reply)
      expect(count).toBe(7)
      seen.push(...results.map((one: Row) => one.comment))
      next = reply.body.next
    }
    expect(seen).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1', 'c0'])
    expect([...costs]).toEqual(['3'])
    const { previous } = sure(200, await app.anon.get(thread(it), { query: { limit: 2, offset: 4 } }))
    expect(sure(200, await app.anon.get(previous)).results.map((one: Row) => one.comment)).toEqual(['c4', 'c3'])
  })

  test('shows the first 20 replies to a comment, and leads to the rest', async () => {
    const it = await published()
    const quiet = await say(app.other, it, 'quiet')
    const loud = await say(app.other, it, 'loud')
    for (let i = 0; i < 23; i += 1) await say(app.other, it, `r${i}`, loud.id)
    await say(app.other, it, 'only', quiet.id)
    const { results } = await read(app.anon, it)
    expect(results.map((one: Row) => [one.comment, one.reply_count, one.replies.length])).toEqual([
      ['loud', 23, 20],
      ['quiet', 1, 1],
    ])
    expect(results[1].replies_next).toBe(null)
    const rest = sure(200, await app.anon.get(results[0].replies_next))
    expect([rest.count, rest.next, rest.results.map((one: Row) => one.comment)]).toEqual([
      23,
      null,
      ['r20', 'r21', 'r22'],
    ])
    const one = sure(200, await app.anon.get(`${thread(it)}${loud.id}/`))
    expect([one.replies.length, one.replies_next]).toEqual([23, null])
  })

  test('reads a bounded number of replies with a page, those to the newest comments first', async () => {
    const it = await published()
    for (let root = 0; root < 7; root += 1) {
      const { id } = await say(app.other, it, `root ${root}`)
      for (let i = 0; i < 16; i += 1) await say(app.other, it, `r${i}`, id)
    }
    const reply = await app.anon.get(thread(it))
    const rows: Row[] = sure(200, reply).results
    expect(rows.map((one) => one.replies.length)).toEqual([16, 16, 16, 16, 16, 16, 4])
    expect(rows.map((one) => one.replies_next !== null)).toEqual([false, false, false, false, false, false, true])
    expect(reply.cost.calls).toBe(3 + 1)
    const rest = sure(200, await app.anon.get(rows[6]?.replies_next ?? ''))
    expect(rest.results.map((one: Row) => one.comment)).toEqual(Array.from({ length: 12 }, (_, i) => `r${i + 4}`))
  }, 60_000)

  test('of a reply has no list of its own', async () => {
    const it = await published()
    const root = await say(app.other, it, 'root')
    const answer = await say(app.other, it, 'answer', root.id)
    expect((await app.anon.get(`${thread(it)}${root.id}/replies/`)).body.count).toBe(1)
    expect((await app.anon.get(`${thread(it)}${answer.id}/replies/`)).status).toBe(404)
  })
})

describe('changing a comment', () => {
  test.each(['PUT', 'PATCH'])('is for its author and for staff: %s', async (method) => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    for (const who of [app.contributor, app.community, app.curator]) {
      const reply = await who.send(method, `${thread(it)}${id}/`, { body: { comment: 'mine' } })
      expect([reply.status, reply.body]).toEqual([403, refused])
    }
    app.tick(5)
    for (const [who, comment] of [
      [app.other, 'after'],
      [app.staff, 'by staff'],
    ] as const) {
      const row = sure(200, await who.send(method, `${thread(it)}${id}/`, { body: { comment, user: 'x', parent: 5 } }))
      expect(row).toMatchObject({ id, comment, parent: null, user: { username: 'other' } })
      expect(row.updated_at > row.created_at).toBe(true)
    }
    expect(await told(app.anon, it)).toEqual(['by staff'])
  })

  test('changes what the feed says', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'A slip of the pen')
    sure(200, await app.other.patch(`${thread(it)}${id}/`, { body: { comment: 'Corrected' } }))
    const texts = (await feed(it)).map((row: { comment: string }) => row.comment)
    expect(texts).toContain('Corrected')
    expect(
      JSON.stringify([await feed(it), (await app.contributor.get('/data/cultural-entities/my_contributions/')).body]),
    ).not.toContain('A slip of the pen')
  })

  test('checks the text', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const reply = await app.other.patch(`${thread(it)}${id}/`, { body: { comment: '' } })
    expect([reply.status, reply.body]).toEqual([400, { comment: ['This field may not be blank.'] }])
  })

  test('by two at once: one of them is told', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const replies = await atOnce(
      ['a', 'b'].map((comment) => () => app.other.patch(`${thread(it)}${id}/`, { body: { comment } })),
    )
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409])
  })

  test('changes what the contributor is told last, also behind five later activities', async () => {
    const it = await pending()
    const { id } = await say(app.community, it, 'Name a sorce')
    for (const note of ['1', '2', '3', '4', '5', '6'])
      sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note } }))
    sure(200, await app.community.patch(`${thread(it)}${id}/`, { body: { comment: 'Name a source' } }))
    const { results } = (await app.contributor.get('/data/cultural-entities/my_contributions/')).body
    const mine = results.find((each: { entity_id: string }) => each.entity_id === it.cultural_entity_id)
    expect(mine.latest_feedback).toMatchObject({ comment: 'Name a source' })
  })

  test('while it is answered is no quarrel', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const replies = await atOnce([
      () => app.other.patch(`${thread(it)}${id}/`, { body: { comment: 'after' } }),
      () => send(app.contributor, it, 'answer', id),
    ])
    expect(replies.map((reply) => reply.status)).toEqual([200, 201])
    expect(await told(app.anon, it)).toEqual([['after', ['answer']]])
  })

  test('minds If-Match', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const path = `${thread(it)}${id}/`
    const { etag = '' } = (await app.other.get(path)).headers
    const first = await app.other.patch(path, { body: { comment: 'one' }, headers: { 'if-match': etag } })
    const second = await app.other.patch(path, { body: { comment: 'two' }, headers: { 'if-match': etag } })
    expect([first.status, second.status]).toEqual([200, 412])
  })
})

describe('deleting a comment', () => {
  test('that nobody answered takes it away', async () => {
    const it = await published()
    const row = await say(app.other, it, 'Regretted')
    expect((await app.contributor.delete(`${thread(it)}${row.id}/`)).status).toBe(403)
    await deleteIt(app.other, it, row)
    expect(await read(app.anon, it)).toEqual({ count: 0, next: null, previous: null, results: [] })
    for (const path of [`${thread(it)}${row.id}/`, `/data/comments/${row.id}/`])
      expect((await app.staff.get(path)).status).toBe(404)
    expect((await app.other.delete(`${thread(it)}${row.id}/`)).status).toBe(404)
    expect(await countsOf(it)).toEqual({ roots: 0, all: 0 })
  })

  test('that was answered leaves its place, without text and author', async () => {
    const it = await published()
    const root = await say(app.other, it, 'Regretted')
    const answer = await say(app.contributor, it, 'answer', root.id)
    await deleteIt(app.staff, it, root)
    const [row] = (await read(app.anon, it)).results
    expect(row).toMatchObject({
      id: root.id,
      comment: '',
      is_deleted: true,
      user: { id: null, username: '', email: '', first_name: '', last_name: '' },
      replies: [{ id: answer.id, comment: 'answer' }],
    })
    expect(await countsOf(it)).toEqual({ roots: 1, all: 1 })
    for (const method of ['PATCH', 'DELETE'])
      for (const who of [app.other, app.staff])
        expect((await who.send(method, `${thread(it)}${root.id}/`, { body: { comment: 'x' } })).status).toBe(404)
    const reply = await send(app.other, it, 'x', root.id)
    expect([reply.status, reply.body]).toEqual([400, { parent: ['There is no such comment here.'] }])
  })

  test('takes the places with it that were held for it alone', async () => {
    const it = await published()
    const one = await say(app.other, it, '1')
    const two = await say(app.other, it, '2', one.id)
    const three = await say(app.other, it, '3', two.id)
    const four = await say(app.other, it, '4', three.id)
    const side = await say(app.other, it, 'side', one.id)
    for (const each of [two, three]) await deleteIt(app.other, it, each)
    expect(await told(app.anon, it)).toEqual([['1', [['', [['', ['4']]]], 'side']]])
    await deleteIt(app.other, it, four)
    expect(await told(app.anon, it)).toEqual([['1', ['side']]])
    expect((await read(app.anon, it)).results[0].reply_count).toBe(1)
    await deleteIt(app.other, it, one)
    await deleteIt(app.other, it, side)
    expect(await told(app.anon, it)).toEqual([])
    expect(await countsOf(it)).toEqual({ roots: 0, all: 0 })
  })

  test('takes with it however many places were held for it alone', async () => {
    const it = await published()
    const root = await say(app.other, it, 'root')
    const chain = [root]
    for (let depth = 1; depth <= 45; depth += 1) chain.push(await say(app.other, it, 'below', chain.at(-1)?.id))
    for (const each of chain.slice(1, -1)) await deleteIt(app.other, it, each)
    expect(await countsOf(it)).toEqual({ roots: 1, all: 2 })
    await deleteIt(app.other, it, { id: chain.at(-1)?.id ?? 0 })
    expect(await told(app.anon, it)).toEqual(['root'])
    expect(await countsOf(it)).toEqual({ roots: 1, all: 1 })
    expect((await read(app.anon, it)).results[0].reply_count).toBe(0)
  })

  test('takes its text out of the feed and of what the contributor is told last', async () => {
    const it = await pending()
    await say(app.community, it, 'Name a source')
    const row = await say(app.domain, it, 'Nonsense')
    await deleteIt(app.domain, it, row)
    const rows = await feed(it)
    expect(rows.map((each: { comment: string }) => each.comment)).toEqual(['', 'Name a source', ''])
    const { results } = (await app.contributor.get('/data/cultural-entities/my_contributions/')).body
    const mine = results.find((each: { entity_id: string }) => each.entity_id === it.cultural_entity_id)
    expect(mine.latest_feedback).toMatchObject({ comment: 'Name a source' })
    expect(JSON.stringify(mine)).not.toContain('Nonsense')
  })

  test('while it is answered leaves no answer in the air', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const [gone, answer] = await atOnce([
      () => app.other.delete(`${thread(it)}${id}/`),
      () => send(app.contributor, it, 'answer', id),
    ])
    expect(gone?.status).toBe(204)
    expect([201, 400]).toContain(answer?.status)
    expect(await told(app.anon, it)).toEqual(answer?.status === 201 ? [['', ['answer']]] : [])
  })

  test('twice at once succeeds once', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'before')
    const replies = await atOnce([1, 2].map(() => () => app.other.delete(`${thread(it)}${id}/`)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([204, 404])
    expect(await countsOf(it)).toEqual({ roots: 0, all: 0 })
  })
})

describe('the flat list', () => {
  const list = async (who: Persona, query: Record<string, string | number>) =>
    sure(200, await who.get('/data/comments/', { query }))
  const texts = async (who: Persona, query: Record<string, string | number>) =>
    (await list(who, query)).results.map((row: Row) => row.comment)
  const idOf = async (who: Persona) => (await who.get('/api/user/info')).body.id
  /** Someone who has said nothing yet. */
  const someone = async (): Promise<Persona & { id: string; username: string }> => {
    const username = `speaker-${++names}`
    const password = 'correct horse battery'
    sure(201, await app.anon.post('/api/register/', { body: { username, email: `${username}@example.org`, password } }))
    const who = app.as(sure(200, await app.anon.post('/api/token/', { body: { username, password } })).access)
    return { ...who, id: await idOf(who), username }
  }
  /** What the stream would tell: the record has changed. */
  const followed = async (it: Made, work: () => Promise<unknown>) => {
    const { loadAbout } = await import('../../../lib/domain/comments/on-records.ts')
    const { applyEffects } = await import('../../../lib/domain/effects/apply.ts')
    const before = { type: 'record', ...(await loadAbout(it.cultural_entity_id)) }
    await work()
    const after = { type: 'record', ...(await loadAbout(it.cultural_entity_id)) }
    await applyEffects({ before, after })
    await applyEffects({ before, after })
  }

  test('holds what one person said, newest first, in rows of its own', async () => {
    const who = await someone()
    const it = await published()
    const row = await say(who, it, 'first')
    await say(who, it, 'second', row.id)
    await say(app.other, it, 'not theirs')
    for (const query of [{ user_id: who.id }, { username: who.username.toUpperCase() }]) {
      expect(await texts(app.anon, query)).toEqual(['second', 'first'])
    }
    const { results } = await list(app.anon, { user_id: who.id, limit: 20, offset: 0 })
    expect(results[1]).toEqual({
      comment_id: row.comment_id,
      id: row.id,
      submission: it.cultural_entity_id,
      entity_id: it.cultural_entity_id,
      entity_name: `Commented ${names}`,
      user: who.username,
      comment: 'first',
      parent: null,
      created_at: '2025-01-15T10:00:05.000Z'.replace('05', results[1].created_at.slice(17, 19)),
      updated_at: results[1].created_at,
    })
  })

  test('holds what was said of one record, replies too', async () => {
    const it = await published()
    const { id } = await say(app.other, it, 'one')
    await say(app.contributor, it, 'two', id)
    expect(await texts(app.anon, { submission_id: it.cultural_entity_id })).toEqual(['two', 'one'])
    await deleteIt(app.other, it, { id })
    expect(await list(app.anon, { submission_id: it.cultural_entity_id })).toMatchObject({ count: 1 })
    expect(await texts(app.anon, { submission_id: it.cultural_entity_id })).toEqual(['two'])
  })

  test('is paged, each page for two calls', async () => {
    const who = await someone()
    const it = await published()
    for (let i = 0; i < 5; i += 1) await say(who, it, `t${i}`)
    const first = await app.anon.get('/data/comments/', { query: { user_id: who.id, limit: 3 } })
    expect([first.body.count, first.body.results.length, first.cost.calls]).toEqual([5, 3, 2])
    const second = await app.anon.get(first.body.next)
    expect([second.body.results.map((row: Row) => row.comment), second.body.next]).toEqual([['t1', 't0'], null])
  })

  test.each([
    {},
    { user_id: 'nobody' },
    { user_id: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' },
    { username: 'nobody-of-this-name' },
    { submission_id: 'x' },
    { submission_id: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' },
    { user_id: 'a#b' },
  ])('filtered by %j is empty', async (query) => {
    expect(await list(app.staff, query)).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  test('tells and counts nothing of records that the caller may not see', async () => {
    const who = await someone()
    const open = await published()
    const guarded = await publish(app, 'structures', { name: `Commented ${++names}`, access_tier: 'restricted' })
    const own = await contribute(who, 'structures', { name: `Commented ${++names}` })
    await say(who, open, 'open')
    await say(who, guarded, 'guarded')
    await say(who, own, 'waiting')
    const seen = async (reader: Persona) => {
      const { count, results } = await list(reader, { user_id: who.id })
      expect(results).toHaveLength(count)
      return results.map((row: Row) => row.comment)
    }
    expect(await seen(app.anon)).toEqual(['open'])
    expect(await seen(app.other)).toEqual(['guarded', 'open'])
    for (const reader of [who, app.community, app.staff])
      expect(await seen(reader)).toEqual(['waiting', 'guarded', 'open'])
    for (const reader of [app.anon, app.other])
      expect(
        (await reader.get('/data/comments/', { query: { submission_id: own.cultural_entity_id } })).body.count,
      ).toBe(0)
  })

  test('follows a record that comes out, is withdrawn and comes back', async () => {
    const who = await someone()
    const it = await contribute(who, 'structures', { name: `Commented ${++names}` })
    const root = await say(who, it, 'root')
    for (let i = 0; i < 45; i += 1) await say(who, it, `reply ${i}`, root.id)
    const seen = async (reader: Persona) => (await list(reader, { user_id: who.id })).count
    expect([await seen(app.anon), await seen(who)]).toEqual([0, 46])
    await followed(it, async () => sure(201, await decide(app.curator, it, { verdict: 'accept' })))
    expect([await seen(app.anon), await seen(who)]).toEqual([46, 46])
    await followed(it, async () => sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`)))
    expect([await seen(app.anon), await seen(app.community), await seen(app.staff)]).toEqual([0, 0, 46])
    // One's own words stay one's own; the record is not named.
    const { results } = await list(who, { user_id: who.id, limit: 1 })
    expect(results[0]).toMatchObject({ comment: 'reply 44', entity_id: null, entity_name: '' })
    await followed(it, async () => sure(200, await app.staff.post(`/cidoc/structures/${it.id}/restore/`)))
    expect(await seen(app.anon)).toBe(46)
  }, 60_000)

  test('shows nothing of a record that was withdrawn a moment ago', async () => {
    const who = await someone()
    const it = await published()
    await say(who, it, 'Told in time')
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    for (const reader of [app.anon, app.other]) {
      const reply = await reader.get('/data/comments/', { query: { user_id: who.id } })
      expect(reply.text).not.toContain('Told in time')
      expect(reply.text).not.toContain(it.cultural_entity_id)
    }
  })

  test('takes comments on a record by its id', async () => {
    const it = await published()
    for (const name of ['submission', 'entity_id']) {
      const body = { [name]: it.cultural_entity_id, comment: name }
      const row = sure(201, await app.other.post('/data/comments/', { body }))
      expect(row).toMatchObject({ comment: name, entity_id: it.cultural_entity_id, user: 'other' })
    }
    expect(await told(app.anon, it)).toEqual(['entity_id', 'submission'])
  })

  test.each([
    [{ comment: 'x' }, { submission: ['This field is required.'] }],
    [{ comment: 'x', submission: '12' }, { submission: ['Not a valid UUID.'] }],
    [
      { comment: 'x', submission: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' },
      { submission: ['There is no record with this id.'] },
    ],
    [
      { comment: 'x', entity_id: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' },
      { entity_id: ['There is no record with this id.'] },
    ],
  ])('refuses %j', async (body, fields) => {
    const reply = await app.other.post('/data/comments/', { body })
    expect([reply.status, reply.body]).toEqual([400, fields])
  })

  test('lets its rows be changed and deleted by author and staff', async () => {
    const it = await published()
    const row = await say(app.other, it, 'before')
    const path = `/data/comments/${row.comment_id}/`
    expect((await app.contributor.patch(path, { body: { comment: 'x' } })).status).toBe(403)
    expect(sure(200, await app.other.patch(path, { body: { comment: 'between' } }))).toMatchObject({
      comment: 'between',
    })
    expect(sure(200, await app.other.put(path, { body: { comment: 'after' } }))).toMatchObject({ comment: 'after' })
    expect(sure(200, await app.anon.get(path))).toMatchObject({ id: row.id, comment: 'after' })
    sure(204, await app.staff.delete(path))
    expect((await app.other.get(path)).status).toBe(404)
  })
})

test('after whatever many do at once, every number of a thread is what a recount gives', async () => {
  const { default: fc } = await import('fast-check')
  const { comment } = await import('../../../lib/domain/comments/items.ts')
  const { parse } = await import('../../../lib/engines/table/item.ts')
  const { key } = await import('../../../lib/platform/table/keys.ts')
  const { queryAll } = await import('../../../lib/engines/table/read.ts')
  const it = await published()
  const { pk } = key.comment(`ENTITY#${it.cultural_entity_id}`, { id: 0, root: 0, place: 0 })
  const all = async () => (await queryAll(pk, '')).map((item) => parse(comment, item))
  const step = fc.record({
    deletes: fc.integer({ min: 0, max: 9 }),
    at: fc.nat(),
    roots: fc.integer({ min: 0, max: 9 }),
  })
  const together = fc.array(step, { minLength: 1, maxLength: 5 })
  const statuses = new Set<number>()
  for (const steps of fc.sample(together, { numRuns: 30, seed: 4 })) {
    const there = await all()
    const replies = await Promise.all(
      steps.map(({ deletes, at, roots }) => {
        const one = there[at % Math.max(1, there.length)]
        if (one && deletes < 4) return app.staff.delete(`${thread(it)}${one.id}/`)
        return send(app.other, it, 'x', one && roots < 8 ? one.id : undefined)
      }),
    )
    for (const { status } of replies) statuses.add(status)
  }
  // Whom others have been faster than five times is asked to come again.
  expect([...statuses].filter((status) => ![201, 204, 400, 404, 409].includes(status))).toEqual([])
  const left = await all()
  expect(left.length).toBeGreaterThan(3)
  for (const one of left) {
    expect(one.answers).toBe(left.filter((other) => other.parent === one.id).length)
    const below = left.filter((other) => other.root === one.id && other.id !== one.id)
    expect(one.replies).toBe(below.length)
    if (one.user_id === null) expect(one.answers).toBeGreaterThan(0)
    if (one.parent !== null) expect(left.some((other) => other.id === one.parent)).toBe(true)
  }
  expect(await countsOf(it)).toEqual({
    roots: left.filter((one) => one.parent === null).length,
    all: left.filter((one) => one.user_id !== null).length,
  })
}, 60_000)

describe('what comments cost', () => {
  test('does not grow with the thread', async () => {
    const it = await published()
    const { access } = (await app.anon.post('/api/dev/login/', { body: { email: 'other@heritage.test' } })).body
    const who = app.as(access)
    const create = async () => (await send(who, it, 'x'.repeat(200))).cost
    // The record shows its latest five activities.
    for (let i = 0; i < 5; i += 1) await create()
    const first = await create()
    for (let i = 0; i < 25; i += 1) await say(who, it, 'x'.repeat(200))
    const costs = { create: await create(), list: (await app.anon.get(thread(it))).cost }
    expect(costs.create.calls).toBe(first.calls)
    expect(costs.create.units).toBeLessThanOrEqual(first.units + 2)
    // One of them tells the kept answers that something has changed.
    expect(costs.create.calls).toBeLessThanOrEqual(6)
    expect(costs.list.calls).toBe(3)
  })

  test('leaves the history of the record as small as it was', async () => {
    const it = await published()
    const cost = async () => (await app.staff.get(`/data/review-workspace/${it.cultural_entity_id}/`)).cost.calls
    const before = await cost()
    const { id } = await say(app.other, it, 'x'.repeat(10_000))
    for (let i = 0; i < 3; i += 1) await say(app.other, it, 'y'.repeat(10_000), id)
    expect(await cost()).toBe(before)
    expect((await app.staff.get(`/data/review-workspace/${it.cultural_entity_id}/`)).text).not.toContain(
      'y'.repeat(201),
    )
  })
})
