import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { changeUser, createUser, signInAs } from '../../harness/people.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  // dev: two published, one rejected, one waiting, one edit of a published one. other: one published.
  const first = await publish(app, 'structures', { name: 'Golden Gate', note: 'a' })
  await publish(app, 'structures', { name: 'Lion Gate' })
  const refused = await contribute(app.contributor, 'structures', { name: 'Parking Lot' })
  sure(201, await decide(app.community, refused, { verdict: 'reject', feedback: 'Not heritage.' }))
  await contribute(app.contributor, 'structures', { name: 'Peacock Window' })
  sure(200, await app.contributor.patch(`/cidoc/structures/${first.id}/`, { body: { note: 'b' } }))
  await publish(app, 'structures', { name: 'Taleju Bell' }, app.other)
  await following.settled()
})

const leaderboard = async (query = '') => sure(200, await app.anon.get(`/data/leaderboard/${query}`))
const names = (body: { results: { rank: number; username: string; score: number }[] }) =>
  body.results.map((it) => [it.rank, it.username, it.score])
const idOf = async (who: 'contributor' | 'other') => sure(200, await app[who].get('/api/user/info')).id

describe('the leaderboard', () => {
  test('ranks by what everyone has done, worth so many points each', async () => {
    const body = await leaderboard()
    // dev: 2 accepted of 4 entities, and 5 revisions; curator: 3 decisions; reviewer: 1; other: 1 accepted, 1 revision.
    expect(names(body)).toEqual([
      [1, 'dev', 2 * 10 + 2 * 3 + 5 * 2],
      [2, 'curator', 3 * 5],
      [3, 'other', 10 + 2],
      [4, 'reviewer', 5],
    ])
    expect(body.results[0]).toEqual({
      rank: 1,
      user_id: await idOf('contributor'),
      username: 'dev',
      full_name: 'Dev Heritage',
      institution: '',
      country: '',
      profile_image: '',
      avatar_url: '',
      score: 36,
      entities: 4,
      accepted_entities: 2,
      reviews: 0,
      revisions: 5,
      submissions: 0,
      accepted_submissions: 0,
    })
    expect({ ...body, results: [] }).toEqual({
      count: 4,
      next: null,
      previous: null,
      page: 1,
      page_size: 20,
      total_pages: 1,
      institutions: [],
      stats: { total_contributors: 4, total_score: 68, total_entities: 5, total_reviews: 4 },
      results: [],
    })
  })

  test('of one sort of work ranks by that alone', async () => {
    expect(names(await leaderboard('?type=Curation'))).toEqual([
      [1, 'dev', 26],
      [2, 'other', 10],
    ])
    expect(names(await leaderboard('?type=Revisions'))).toEqual([
      [1, 'dev', 10],
      [2, 'other', 2],
    ])
    expect(names(await leaderboard('?type=Moderation'))).toEqual([
      [1, 'curator', 15],
      [2, 'reviewer', 5],
    ])
    expect(names(await leaderboard('?type=Forks'))).toEqual([])
  })

  test('of an unknown sort is refused with the ones there are', async () => {
    const answer = await app.anon.get('/data/leaderboard/?type=forks')
    expect([answer.status, answer.body]).toEqual([
      400,
      { type: ['Not a valid choice. Choose one of: Curation, Revisions, Moderation, Forks.'] },
    ])
  })

  test('finds people by what their names hold, in any letter case, with the rank among everyone', async () => {
    expect(names(await leaderboard('?search=CUR'))).toEqual([[2, 'curator', 15]])
    expect(names(await leaderboard('?search=URATO'))).toEqual([[2, 'curator', 15]])
    expect(names(await leaderboard('?search=v%20Herit'))).toEqual([[1, 'dev', 36]])
    expect(names(await leaderboard('?search=eritag'))).toEqual(names(await leaderboard()))
    expect(names(await leaderboard('?search=heritage'))).toEqual(names(await leaderboard()))
    expect(names(await leaderboard('?search=nobody'))).toEqual([])
    expect(names(await leaderboard('?search=expert'))).toEqual([])
  })

  test('cuts a search of more than 200 characters', async () => {
    const long = `DEV${'.'.repeat(197)}zz`
    expect(names(await leaderboard(`?search=${long}`))).toEqual([[1, 'dev', 36]])
    expect(names(await leaderboard('?search=DEV.zz'))).toEqual([])
  })

  test('page 0 is the first page, and a page beyond the end the last', async () => {
    const pages = async (query: string) => {
      const body = await leaderboard(query)
      return [body.page, body.total_pages, body.page_size, names(body).map(([, name]) => name)]
    }
    expect(await pages('?page=0&page_size=3')).toEqual([1, 2, 3, ['dev', 'curator', 'other']])
    expect(await pages('?page=2&page_size=3')).toEqual([2, 2, 3, ['reviewer']])
    expect(await pages('?page=999&page_size=3')).toEqual([2, 2, 3, ['reviewer']])
    expect(await pages('?page=nonsense&page_size=0')).toEqual([1, 1, 20, ['dev', 'curator', 'other', 'reviewer']])
    expect(await pages('?search=nobody&page=7')).toEqual([1, 1, 20, []])
  })

  test('is followed through its links in both directions', async () => {
    const seen = []
    let at: string | null = '/data/leaderboard/?page_size=1'
    let last = ''
    while (at) {
      const body = sure(200, await app.anon.get(at))
      seen.push(...names(body))
      last = at
      at = body.next
    }
    expect(seen).toEqual(names(await leaderboard()))
    const { previous } = sure(200, await app.anon.get(last))
    expect(names(sure(200, await app.anon.get(previous)))).toEqual([seen.at(-2)])
  })
})

describe('an institution', () => {
  test('has the part of the board that its people are on, with their ranks among everyone', async () => {
    for (const [who, organization] of [
      ['other', 'Museum of Patan'],
      ['community', 'Museum of Patan'],
      ['contributor', 'CAIR-Nepal'],
    ] as const) {
      const { user_id } = sure(200, await app[who].get('/data/user/me/'))
      sure(200, await app[who].post(`/data/user/${user_id}/`, { body: { organization } }))
    }
    await following.settled()
    const body = await leaderboard('?institution=Museum%20of%20Patan')
    expect(names(body)).toEqual([
      [3, 'other', 12],
      [4, 'reviewer', 5],
    ])
    expect([body.count, body.institutions]).toEqual([2, ['CAIR-Nepal', 'Museum of Patan']])
    expect(names(await leaderboard('?institution=Museum%20of%20Patan&search=oth'))).toEqual([[3, 'other', 12]])
    expect(names(await leaderboard('?institution=museum%20of%20patan'))).toEqual([])
    expect(names(await leaderboard('?institution=Museum'))).toEqual([])
  })

  test('without anybody left is no longer named', async () => {
    const { user_id } = sure(200, await app.contributor.get('/data/user/me/'))
    sure(200, await app.contributor.post(`/data/user/${user_id}/`, { body: { organization: '' } }))
    await following.settled()
    expect((await leaderboard()).institutions).toEqual(['Museum of Patan'])
  })

  test('cannot be asked for together with one sort of work', async () => {
    const answer = await app.anon.get('/data/leaderboard/?type=Curation&institution=X')
    expect([answer.status, answer.body]).toEqual([
      400,
      { institution: ['Institutions are told apart on the whole board only.'] },
    ])
  })
})

describe('contributors', () => {
  test('are listed with what they have contributed', async () => {
    const body = sure(200, await app.anon.get('/data/contributors/?page=1&page_size=2'))
    expect([body.count, body.total_pages, body.page, body.page_size]).toEqual([4, 2, 1, 2])
    expect(body.results[0]).toEqual({
      rank: 1,
      user_id: await idOf('contributor'),
      username: 'dev',
      full_name: 'Dev Heritage',
      profile_image: '',
      avatar_url: '',
      contributions_count: 4,
      accepted_count: 2,
      forks_count: 0,
      merged_forks_count: 0,
      reviews_count: 0,
      revisions_count: 5,
      score: 36,
      date_joined: '2025-01-15T10:00:00.000Z',
    })
    expect(names(sure(200, await app.anon.get('/data/contributors/?search=oth')))).toEqual([[3, 'other', 12]])
  })

  test('show no address', async () => {
    const { text } = await app.staff.get('/data/contributors/')
    expect(text).not.toContain('@')
  })
})

describe('a search for people', () => {
  test('looks at names only, not at the rest of a profile', async () => {
    const body = { biography: 'Carves peacocks', organization: 'Peacock workshop', last_name: 'Silpakar' }
    const { loadUser } = await import('../../../lib/platform/users/users.ts')
    const id = await idOf('other')
    const last_name = (await loadUser(id))?.last_name ?? ''
    await changeUser(id, () => body)
    await following.settled()
    expect(names(await leaderboard('?search=lpaka')).map(([, name]) => name)).toEqual(['other'])
    const { body: found } = await app.anon.get('/data/search/?q=peacocks&resource=users')
    expect(found.results.map((it: { id: string }) => it.id)).toEqual([id])
    expect(names(await leaderboard('?search=eacoc'))).toEqual([])
    expect(names(await leaderboard('?search=peacock'))).toEqual([])
    await changeUser(id, () => ({ biography: '', organization: '', last_name }))
    await following.settled()
  })

  test('knows a new name at once by its beginning, and by the rest of it once search has heard of it', async () => {
    sure(200, await app.other.patch('/user/username/', { body: { username: 'renamed.one' } }))
    expect(await leaderboard('?search=renamed')).toMatchObject({ count: 1 })
    expect(await leaderboard('?search=named.one')).toMatchObject({ count: 0 })
    await following.settled()
    expect(names(await leaderboard('?search=named.one')).map(([, name]) => name)).toEqual(['renamed.one'])
    sure(200, await app.other.patch('/user/username/', { body: { username: 'other' } }))
    await following.settled()
    expect(await leaderboard('?search=named.one')).toMatchObject({ count: 0 })
  })
})

describe('a person', () => {
  test('keeps the place under another name', async () => {
    sure(200, await app.other.patch('/user/username/', { body: { username: 'someone.else' } }))
    await following.settled()
    expect(names(await leaderboard()).map(([, name]) => name)).toEqual(['dev', 'curator', 'someone.else', 'reviewer'])
    expect(names(await leaderboard('?search=someone'))).toEqual([[3, 'someone.else', 12]])
    sure(200, await app.other.patch('/user/username/', { body: { username: 'other' } }))
    await following.settled()
  })

  test('who is deactivated is on no board, and comes back with the same figures', async () => {
    const id = await idOf('other')
    await changeUser(id, () => ({ is_active: false }))
    await following.settled()
    expect(names(await leaderboard())).toEqual([
      [1, 'dev', 36],
      [2, 'curator', 15],
      [3, 'reviewer', 5],
    ])
    expect((await leaderboard()).stats).toMatchObject({ total_contributors: 3, total_score: 56, total_entities: 4 })
    await changeUser(id, () => ({ is_active: true }))
    await following.settled()
    expect(names(await leaderboard())).toHaveLength(4)
  })

  test('who deletes a contribution loses its points', async () => {
    const made = await contribute(app.other, 'structures', { name: 'Mistake' })
    await following.settled()
    expect(names(await leaderboard('?search=other'))).toEqual([[2, 'other', 17]])
    sure(204, await app.other.delete(`/cidoc/structures/${made.id}/`))
    await following.settled()
    // What was written stays written: the revision counts.
    expect(names(await leaderboard('?search=other'))).toEqual([[3, 'other', 14]])
  })
})

describe('what the projector never heard of', () => {
  const sweep = async () => (await import('../../../functions/sweeper.ts')).handler()

  test('is brought up by the sweeper, which looks at everyone in turn', async () => {
    const many = Array.from({ length: 200 }, (_, i) =>
      createUser({ email: `n${i}@heritage.test`, username: `quiet-${i}` }),
    )
    await Promise.all(many)
    app.tick(1)
    const late = app.as(await signInAs(await createUser({ email: 'late@heritage.test', username: 'late' })))
    await publish(app, 'structures', { name: 'Unheard Of' }, late)
    await following.take()
    expect(await sweep()).toMatchObject({ recounted: 200 })
    expect(names(await leaderboard('?search=late'))).toEqual([])
    expect(await sweep()).toMatchObject({ recounted: 7 })
    expect(names(await leaderboard('?search=late'))).toMatchObject([[expect.any(Number), 'late', 12]])
    // From the beginning again, and nothing more to do.
    expect(await sweep()).toMatchObject({ recounted: 200 })
  })

  test('is brought up by a recount of everyone, whatever the rows say that are there', async () => {
    const { recountAll } = await import('../../../lib/domain/leaderboard/sweep.ts')
    const { boardEntry, rowChanges, countWrites } = await import('../../../lib/domain/leaderboard/items.ts')
    const { withNextVersion, put } = await import('../../../lib/engines/table/item.ts')
    const { get } = await import('../../../lib/engines/table/read.ts')
    const { transact } = await import('../../../lib/engines/table/transact.ts')
    await recountAll()
    const before = await leaderboard()
    const old = await get(boardEntry, { user_id: await idOf('other') })
    if (!old) throw new Error('no entry')
    // As another version of the service would have it, which reckons points otherwise.
    const standing = { overall: { points: 7777, tie: 1 }, Forks: { points: 40, tie: 0 } }
    const next = withNextVersion<typeof old>(old, { standing, tally: { ...old.tally, reviews: 99 } })
    const { rows, counts } = rowChanges(old, next)
    await transact([put(boardEntry, next, old), ...rows, ...countWrites(counts)])
    app.tick(121)
    expect(names(await leaderboard())[0]).toEqual([1, 'other', 7777])
    expect(names(await leaderboard('?type=Forks'))).toEqual([[1, 'other', 40]])
    expect(await recountAll()).toBe(207)
    expect(await leaderboard()).toEqual(before)
    expect(names(await leaderboard('?type=Forks'))).toEqual([])
    app.tick(-121)
  })
})

describe('a board of thousands', () => {
  /** Far more people than are walked past, in groups of equals. */
  const many = 2600
  beforeAll(async () => {
    const { fillBoards } = await import('../../bench/tools/fill-boards.ts')
    await fillBoards(0, many)
    app.tick(121)
  })
  const everyone = async () => {
    const { personOf } = await import('../../bench/tools/fill-boards.ts')
    const before = names(await leaderboard('?page_size=100')).filter(([, name]) => !String(name).match(/\.\d+$/))
    const filled = Array.from({ length: many }, (_, n) => personOf(n)).flatMap(({ face, standing: { overall } }) =>
      overall ? [{ name: face.username, points: overall.points, tie: overall.tie }] : [],
    )
    return { before, filled }
  }

  test('shows every page as a plain sort would, amid more than a thousand equals too', async () => {
    const { walkTable } = await import('../../../lib/engines/table/read.ts')
    const all = await walkTable({ pk: 'BOARD#LIST#overall', forward: true, limit: 10_000 })
    const { filled } = await everyone()
    expect(all.length).toBeGreaterThanOrEqual(filled.length)
    const points = all.map((it) => Number(it.points))
    const ranks = points.map((each) => points.indexOf(each) + 1)
    const most = Math.max(...points.map((each) => points.lastIndexOf(each) - points.indexOf(each) + 1))
    expect(most).toBeGreaterThan(1000)
    for (let page = 1; page <= Math.ceil(all.length / 50); page += 3) {
      const { results } = sure(200, await app.anon.get(`/data/leaderboard/?page=${page}&page_size=50`))
      const from = 50 * (page - 1)
      const wanted = all.slice(from, from + 50).map((it, i) => [ranks[from + i], it.user_id])
      expect(results.map((it: { rank: number; user_id: string }) => [it.rank, it.user_id])).toEqual(wanted)
    }
  })

  test('is followed to its end by links, where ranks go on', async () => {
    const { body } = await app.anon.get('/data/leaderboard/?page=26&page_size=100')
    const seen = []
    let at: string | null = '/data/leaderboard/?page_size=100'
    let last = body
    while (at) {
      last = sure(200, await app.anon.get(at))
      seen.push(...names(last))
      at = last.next
    }
    expect(seen.length).toBe(last.count)
    const scores = seen.map(([, , score]) => Number(score))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(seen.map(([rank]) => rank)).toEqual(scores.map((score) => scores.indexOf(score) + 1))
  })

  test('costs no more than a small one', async () => {
    app.tick(121)
    for (const query of ['', '?page=3', '?page=70', '?page=99999', '?institution=Institute%201', '?type=Curation']) {
      const { cost, status } = await app.anon.get(`/data/leaderboard/${query}`)
      expect(status, query).toBe(200)
      expect(cost.units, query).toBeLessThan(60)
      expect((await app.anon.get(`/data/leaderboard/${query}`)).cost.calls, query).toBe(1)
    }
  })
})
