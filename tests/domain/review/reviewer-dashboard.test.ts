import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, decide, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type It = { cultural_entity_id: string }
const nothing = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'

describe('the reviewer dashboard', () => {
  const dashboard = async (who: Persona) => sure(200, await who.get('/data/reviewer-dashboard/'))

  test('is for reviewers', async () => {
    expect((await app.anon.get('/data/reviewer-dashboard/')).status).toBe(401)
    expect((await app.contributor.get('/data/reviewer-dashboard/')).status).toBe(403)
  })

  test('of someone who has done nothing yet is all zeros', async () => {
    const body = await dashboard(app.curator)
    expect(body).toEqual({
      queue_count: 0,
      conflicts_count: 0,
      flagged_count: 0,
      expiring_count: 0,
      resolved_this_week: 0,
      accepted_this_week: 0,
      rejected_this_week: 0,
      total_reviewed: 0,
      acceptance_rate: 0,
      conflicts_resolved: 0,
      reviewer_role: expect.objectContaining({
        role: 'expert_curator',
        expertise_areas: expect.any(Array),
        user: expect.objectContaining({ username: 'curator', first_name: expect.any(String) }),
      }),
      recent_domain_activity: [],
    })
    expect((await dashboard(app.staff)).reviewer_role).toBe(null)
  })

  test('counts the caller’s own decisions, those of the last seven days apart', async () => {
    const waits = (name: string, body: object = {}) => contribute(app.contributor, 'structures', { name, ...body })
    sure(201, await decide(app.domain, await waits('One'), { verdict: 'accept' }))
    app.tick(8 * 86_400)
    const contested = await waits('Two', { condition: 'Good' })
    sure(201, await decide(app.domain, contested, { verdict: 'accept_with_edits', edits: { note: 'n' } }))
    sure(201, await decide(app.domain, await waits('Three'), { verdict: 'reject', feedback: 'No.' }))
    sure(201, await decide(app.community, await waits('Four'), { verdict: 'accept' }))
    app.tick(1)
    sure(200, await app.staff.patch(`/cidoc/structures/${contested.id}/`, { body: { condition: 'Poor' } }))
    app.tick(60)
    expect(await dashboard(app.domain)).toMatchObject({ queue_count: 1, conflicts_count: 1 })
    sure(201, await decide(app.domain, contested, { verdict: 'accept', conflict_handling: 'supersedes' }))
    expect(await dashboard(app.domain)).toMatchObject({
      queue_count: 0,
      conflicts_count: 0,
      resolved_this_week: 3,
      accepted_this_week: 2,
      rejected_this_week: 1,
      total_reviewed: 4,
      acceptance_rate: 75,
      conflicts_resolved: 1,
    })
    expect(await dashboard(app.community)).toMatchObject({ total_reviewed: 1, acceptance_rate: 100 })
  })

  test('shows what happened lately, in the reviewer’s field first', async () => {
    const user_id = (await app.community.get('/api/user/info')).body.id
    const body = { user_id, role: 'community_reviewer', expertise_areas: ['ritual'] }
    sure(200, await app.curator.post('/data/reviewer-roles/assign/', { body }))
    app.tick(1)
    const ritual = await contribute(app.contributor, 'rituals', { name: 'Old rite' })
    for (let i = 0; i < 12; i += 1) {
      app.tick(1)
      await contribute(app.contributor, 'structures', { name: `Later structure ${i}` })
    }
    const lately = (await dashboard(app.community)).recent_domain_activity
    expect(lately).toHaveLength(10)
    expect(lately.at(-1)).toEqual({
      entity_id: ritual.cultural_entity_id,
      entity_name: 'Old rite',
      activity_type: 'submitted',
      user: 'dev',
      created_at: expect.any(String),
      comment: '',
    })
    const times = lately.map((one: { created_at: string }) => one.created_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  test('does not name what has been deleted, though the lists of what happened do so still', async () => {
    app.tick(1)
    const it = await contribute(app.contributor, 'rituals', { name: 'Rite that goes' })
    const named = async (who: Persona) =>
      (await dashboard(who)).recent_domain_activity.map((one: { entity_name: string }) => one.entity_name)
    expect(await named(app.community)).toContain('Rite that goes')
    sure(204, await app.contributor.delete(`/cidoc/rituals/${it.id}/`))
    expect(await named(app.community)).not.toContain('Rite that goes')
  })
})

describe('the list of a reviewer’s decisions', () => {
  const list = (who: Persona, reviewer: string, query: object = {}) =>
    who.get('/data/review-decisions-profile/', { query: { reviewer, ...query } })

  test('is public as far as the records are; what was refused is for those who review, and for whoever decided it', async () => {
    const reviewer = (await app.community.get('/api/user/info')).body.id
    const before = (await list(app.anon, reviewer)).body.count
    const [good, bad] = [
      await contribute(app.contributor, 'structures', { name: 'Public work' }),
      await contribute(app.contributor, 'structures', { name: 'Hidden work' }),
    ]
    app.tick(1)
    sure(201, await decide(app.community, good, { verdict: 'accept' }))
    app.tick(1)
    sure(201, await decide(app.community, bad, { verdict: 'reject', feedback: 'No.' }))
    const row = (it: It, entity_name: string, verdict: string) => ({
      id: expect.any(String),
      entity_id: it.cultural_entity_id,
      entity_name,
      verdict,
      created_at: expect.any(String),
    })
    for (const who of [app.anon, app.other]) {
      const { body } = await list(who, reviewer, { limit: 1 })
      expect(body.count).toBe(before + 1)
      expect(body.results).toEqual([row(good, 'Public work', 'accept')])
    }
    for (const who of [app.community, app.domain])
      expect((await list(who, reviewer, { limit: 2 })).body.results).toEqual([
        row(bad, 'Hidden work', 'reject'),
        row(good, 'Public work', 'accept'),
      ])
  })

  test('of whoever has decided nothing is empty; whose it is has to be said', async () => {
    expect((await list(app.anon, nothing)).body).toEqual({ count: 0, next: null, previous: null, results: [] })
    const missing = await app.anon.get('/data/review-decisions-profile/')
    expect([missing.status, missing.body]).toEqual([400, { reviewer: ['This parameter is required.'] }])
    const illegal = await list(app.anon, 'reviewer')
    expect([illegal.status, illegal.body]).toEqual([400, { reviewer: ['Give the id of a user.'] }])
  })

  test('is paged, each decision once', async () => {
    const reviewer = (await app.domain.get('/api/user/info')).body.id
    const seen: string[] = []
    let next: string | null = `/data/review-decisions-profile/?reviewer=${reviewer}&limit=2`
    let count = 0
    while (next) {
      const { body } = await app.anon.get(next)
      seen.push(...body.results.map((one: { id: string }) => one.id))
      ;({ next, count } = body)
    }
    expect(count).toBeGreaterThan(2)
    expect([seen.length, new Set(seen).size]).toEqual([count, count])
  })
})
