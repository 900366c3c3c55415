import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, submit, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const nothing = {
  total_submissions: 0,
  submissions_growth: 0,
  approval_rate: 0,
  approval_rate_change: 0,
  contributor_rank: 0,
  rank_change: 0,
  community_impact_score: 0,
  impact_score_change: 0,
}
const stats = async (who: Persona) => sure(200, await who.get('/data/user-stats/'))
let made = 0
const name = () => ({ name: `Work ${++made} of ${'abcdefghij'[made % 10]}${made}` })
const reject = async (it: Parameters<typeof decide>[1]) =>
  sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))

describe('the statistics of a person', () => {
  test('are all zero at first, and are kept from then on', async () => {
    expect(await stats(app.contributor)).toEqual(nothing)
    const { get } = await import('../../../lib/engines/table/read.ts')
    const { boardEntry } = await import('../../../lib/domain/leaderboard/items.ts')
    const { id } = sure(200, await app.contributor.get('/api/user/info'))
    expect(await get(boardEntry, { user_id: id })).toMatchObject({
      tally: { entities: 0 },
      month: '2025-01',
      version: 1,
    })
    expect(await get(boardEntry, { user_id: sure(200, await app.domain.get('/api/user/info')).id })).toBeUndefined()
  })

  test('follow what is contributed and decided', async () => {
    await publish(app, 'structures', name())
    await publish(app, 'structures', name())
    await reject(await contribute(app.contributor, 'structures', name()))
    await contribute(app.contributor, 'structures', name())
    await following.settled()
    // 2 accepted of 4, 4 revisions: 34 points. The reviewers have points as well.
    expect(await stats(app.contributor)).toEqual({
      total_submissions: 4,
      submissions_growth: 100,
      approval_rate: 66.67,
      approval_rate_change: 66.67,
      contributor_rank: 1,
      rank_change: 0,
      community_impact_score: 1.7,
      impact_score_change: 1.7,
    })
  })

  test('are compared with the end of the month before', async () => {
    await publish(app, 'structures', name(), app.other)
    await following.settled()
    expect(await stats(app.other)).toMatchObject({ contributor_rank: 3, total_submissions: 1 })
    app.tick(20 * 86_400)
    // A new month in which nothing has happened: nothing has changed since the last, and nothing has been sent.
    expect(await stats(app.other)).toMatchObject({
      total_submissions: 1,
      submissions_growth: -100,
      approval_rate: 100,
      approval_rate_change: 0,
      contributor_rank: 3,
      rank_change: 0,
      community_impact_score: 0.6,
      impact_score_change: 0,
    })
    for (let i = 0; i < 4; i += 1) await publish(app, 'structures', name(), app.other)
    await reject(await contribute(app.contributor, 'structures', name()))
    await following.settled()
    expect(await stats(app.other)).toEqual({
      total_submissions: 5,
      submissions_growth: 300,
      approval_rate: 100,
      approval_rate_change: 0,
      contributor_rank: 1,
      rank_change: 2,
      community_impact_score: 3,
      impact_score_change: 2.4,
    })
    expect(await stats(app.contributor)).toEqual({
      total_submissions: 5,
      submissions_growth: -75,
      approval_rate: 50,
      approval_rate_change: -16.67,
      contributor_rank: 2,
      rank_change: -1,
      community_impact_score: 1.95,
      impact_score_change: 0.25,
    })
  })

  test('know where a person stood at the end of a month, whoever has passed by since', async () => {
    app.tick(28 * 86_400)
    await publish(app, 'structures', name())
    await following.settled()
    app.tick(31 * 86_400)
    expect(await stats(app.other)).toMatchObject({ contributor_rank: 1, rank_change: 0 })
    const sent = []
    for (let i = 0; i < 3; i += 1) sent.push(await publish(app, 'structures', name()))
    await following.settled()
    expect(await stats(app.other)).toMatchObject({ contributor_rank: 2, rank_change: -1, submissions_growth: 0 })
    expect(await stats(app.contributor)).toMatchObject({ contributor_rank: 1, rank_change: 1, submissions_growth: 200 })
  })

  test('cost three calls', async () => {
    const { body } = await app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } })
    const { cost } = await app.as(body.access).get('/data/user-stats/')
    expect(cost.calls).toBe(4)
    expect(cost.units).toBeLessThan(20)
  })
})

test('who has sent no legacy submission has no place among those who did', async () => {
  const answer = await app.contributor.get('/data/personal-stats/')
  expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found.' }])
})

test('who has counted before a change does not write over who has counted after it', async () => {
  const { refreshFigures } = await import('../../../lib/domain/leaderboard/keep.ts')
  const { db } = await import('../../../lib/engines/table/client.ts')
  const { id } = sure(200, await app.domain.get('/api/user/info'))
  await contribute(app.domain, 'structures', name())
  const [counted, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let first = true
  db.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args)
      if (context.commandName === 'BatchGetItemCommand' && first) {
        first = false
        counted.resolve()
        await gate.promise
      }
      return result
    },
    { step: 'initialize', name: 'hold' },
  )
  try {
    const early = refreshFigures(id)
    await counted.promise
    await contribute(app.domain, 'structures', name())
    expect((await refreshFigures(id))?.tally).toMatchObject({ entities: 2, revisions: 2 })
    gate.resolve()
    expect((await early)?.tally).toMatchObject({ entities: 2, revisions: 2 })
  } finally {
    db.middlewareStack.remove('hold')
  }
})

describe('formulas', () => {
  const zero = {
    entities: 0,
    accepted_entities: 0,
    rejected_entities: 0,
    reviews: 0,
    revisions: 0,
    submissions: 0,
    accepted_submissions: 0,
    rejected_submissions: 0,
    forks: 0,
    merged_forks: 0,
    fork_points: 0,
  }

  test('points are 10 for what was accepted and 3 for what was not, 5 for a review, 2 for a revision', async () => {
    const { scoreOf } = await import('../../../lib/domain/leaderboard/score.ts')
    const tally = { ...zero, entities: 5, accepted_entities: 2, reviews: 3, revisions: 4, submissions: 3 }
    expect(scoreOf({ ...tally, accepted_submissions: 1 })).toBe(20 + 9 + 15 + 8 + 10 + 6)
  })

  test('impact ends at 5', async () => {
    const { trendOf } = await import('../../../lib/domain/leaderboard/score.ts')
    const tally = { ...zero, reviews: 1000 }
    const it = { tally, month: '2025-01', closings: [] }
    expect(trendOf(it, '2025-01', 1, 0)).toMatchObject({ community_impact_score: 5, impact_score_change: 5 })
  })

  test('a month in which nobody looked stands as the one before it', async () => {
    const { trendOf } = await import('../../../lib/domain/leaderboard/score.ts')
    const tally = { ...zero, entities: 4 }
    expect(trendOf({ tally, month: '2024-11', closings: [] }, '2025-02', 3, 3)).toMatchObject({
      total_submissions: 4,
      submissions_growth: 0,
      rank_change: 0,
    })
  })

  test('no number is ever missing or infinite', async () => {
    const { trendOf } = await import('../../../lib/domain/leaderboard/score.ts')
    const closed = { month: '2024-12', total: 0, approval_rate: 0, score: 0 }
    for (const closings of [[], [closed], [{ ...closed, total: 9 }, closed]]) {
      const values = Object.values(trendOf({ tally: zero, month: '2025-01', closings }, '2025-01', 0, 0))
      expect(values.every(Number.isFinite)).toBe(true)
    }
  })
})

test('who has sent legacy submissions has a place among those who did', async () => {
  await submit('other@heritage.test', { status: 'accepted' })
  await following.settled()
  const { user_id, ...standing } = sure(200, await app.other.get('/data/personal-stats/'))
  expect(user_id).toEqual(expect.any(String))
  expect(standing).toEqual({ rank: 1, username: 'other', total_submissions: 1, accepted_submissions: 1, score: 10 })
})
