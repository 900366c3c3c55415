import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  await publish(app, 'structures', { name: 'Golden Gate' })
  app.tick(86_400)
  await publish(app, 'structures', { name: 'Lion Pillar' })
  await contribute(app.contributor, 'structures', { name: 'Stone Spout' })
  await following.settled()
})

test('a contributor is told tier, tracks, rank and the latest of what was done', async () => {
  const { user_progress } = sure(200, await app.contributor.get('/data/progression/'))
  // Curation 10 + 10 + 3, annotation 3 x 2, exhibition 2 x 3.
  expect(user_progress).toEqual({
    tier: 'Apprentice',
    tierIcon: '🌱',
    tierId: 'apprentice',
    rank: 1,
    totalPoints: 35,
    tracks: [
      { id: 'curation', tier: 'Scholar', points: 23, nextTierPoints: 40, percentage: 32 },
      { id: 'annotation', tier: 'Apprentice', points: 6, nextTierPoints: 15, percentage: 40 },
      { id: 'verification', tier: 'Apprentice', points: 0, nextTierPoints: 15, percentage: 0 },
      { id: 'exhibition', tier: 'Apprentice', points: 6, nextTierPoints: 15, percentage: 40 },
    ],
    medals: { gold: 0, silver: 0, bronze: 0 },
    nextMilestone: 'Scholar',
    nextTierPoints: 100,
    pointsToNextTier: 65,
    progressPercent: 35,
    streak: 2,
    recentActivity: [
      expect.objectContaining({ type: 'submitted', points: 3, created_at: '2025-01-16T10:00:00.000Z' }),
      expect.objectContaining({ type: 'submitted', points: 3, created_at: '2025-01-16T10:00:00.000Z' }),
      { type: 'submitted', points: 3, label: 'submitted: Golden Gate', created_at: '2025-01-15T10:00:00.000Z' },
    ],
    breakdown: { entities: 3, acceptedEntities: 2, revisions: 3, reviews: 0, submissions: 0 },
    fullName: 'Dev Heritage',
    institution: '',
    profileImage: '',
  })
})

test('whoever reads Nepali is told tiers and deeds in Nepali, and names of records as they are', async () => {
  const reply = await app.contributor.get('/data/progression/', { headers: { 'accept-language': 'ne' } })
  const { user_progress, leaderboard } = sure(200, reply)
  expect(reply.headers['content-language']).toBe('ne')
  expect(user_progress.recentActivity.at(-1)).toMatchObject({ type: 'submitted', label: 'पेस गरियो: Golden Gate' })
  expect([user_progress.tier, user_progress.nextMilestone, leaderboard[0].tier_name]).not.toContain('Apprentice')
})

test('everyone sees those who have come furthest, and of the caller nothing where nobody calls', async () => {
  const body = sure(200, await app.anon.get('/data/progression/'))
  expect(body.user_progress).toBeNull()
  expect(body.leaderboard.map((it: { username: string; score: number }) => [it.username, it.score])).toEqual([
    ['dev', 35],
    ['curator', 10],
  ])
  expect(body.leaderboard[1]).toMatchObject({
    rank: 2,
    tier_id: 'apprentice',
    tracks: { curation: 0, annotation: 0, verification: 10, exhibition: 0, fork_contributions: 0, total: 10 },
  })
})

test('who has done nothing yet is an apprentice without a rank', async () => {
  const { user_progress } = sure(200, await app.domain.get('/data/progression/'))
  expect(user_progress).toMatchObject({ tierId: 'apprentice', rank: 0, totalPoints: 0, streak: 0, recentActivity: [] })
})

describe('rules', () => {
  test('tiers begin at their points, and the last has no next', async () => {
    const { tierAt } = await import('../../../lib/domain/leaderboard/progress.ts')
    expect([0, 99, 100, 499, 500, 1499, 1500, 4999, 5000, 90_000].map((n) => tierAt(n).id)).toEqual([
      'apprentice',
      'apprentice',
      'scholar',
      'scholar',
      'curator',
      'curator',
      'archivist',
      'archivist',
      'grandkeeper',
      'grandkeeper',
    ])
    expect(tierAt(6000)).toMatchObject({ next: '', goal: 5000, left: 0, percent: 100 })
  })

  test('medals go by the share that is at or above a rank', async () => {
    const { medalsAt } = await import('../../../lib/domain/leaderboard/progress.ts')
    const won = (rank: number, total: number) => Object.entries(medalsAt(rank, total)).find(([, n]) => n === 1)?.[0]
    expect([won(1, 10), won(2, 10), won(4, 10), won(5, 10), won(1, 1), won(0, 0)]).toEqual([
      'gold',
      'silver',
      'bronze',
      undefined,
      undefined,
      undefined,
    ])
  })

  test('a streak goes on until the day after its last day', async () => {
    const { streakOf } = await import('../../../lib/domain/leaderboard/progress.ts')
    const days = ['2025-03-02T08:00:00Z', '2025-03-01T08:00:00Z', '2025-02-28T08:00:00Z', '2025-02-26T08:00:00Z']
    expect(['2025-03-02', '2025-03-03', '2025-03-04'].map((day) => streakOf(days, `${day}T12:00:00Z`))).toEqual([
      3, 3, 0,
    ])
  })
})
