import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
const explain = async (who: Persona, it: { cultural_entity_id: string }) =>
  sure(200, await who.get(`/data/entities/${it.cultural_entity_id}/explain/`))
const assertion = (source_type: string) => ({ source_type, source_citation: 'c', confidence: 'likely' })

beforeAll(async () => {
  app = await openApp()
})

test('nothing is estimated while too little was decided', async () => {
  const { estimateIfDue } = await import('../../../lib/domain/doubt/fit.ts')
  const it = await contribute(app.contributor, 'structures', { name: 'The first', note: 'n' })
  expect(await estimateIfDue()).toBe(1)
  expect((await explain(app.community, it)).doubts).toBeUndefined()
})

describe('after many decisions', () => {
  let waiting: { cultural_entity_id: string }
  let doubtful: { cultural_entity_id: string }
  beforeAll(async () => {
    // Inscriptions are kept, and what stands in the web is refused.
    for (let i = 0; i < 30; i += 1) {
      const [source, verdict] = i % 2 ? ['inscription', 'accept'] : ['web', 'reject']
      const body = { name: `Learned ${i}`, note: `n ${i}`, assertion: assertion(String(source)) }
      const made = await contribute(i % 3 ? app.contributor : app.other, 'structures', body)
      sure(201, await decide(app.curator, made, { verdict, feedback: 'So it is.' }))
      app.tick(60)
    }
    waiting = await contribute(app.contributor, 'structures', {
      name: 'Inscribed',
      assertion: assertion('inscription'),
    })
    app.tick(60)
    doubtful = await contribute(app.contributor, 'structures', { name: 'From the web', assertion: assertion('web') })
    const { estimateAnew, estimateIfDue } = await import('../../../lib/domain/doubt/fit.ts')
    const { number, decided, base, judged } = await estimateAnew()
    expect([number, decided, judged?.count]).toEqual([2, 60, 12])
    expect(base).toBeCloseTo(0.5, 1)
    expect(await estimateIfDue()).toBe(0)
  })

  test('reviewers are told how probable it is that a claim is kept, and what speaks for it', async () => {
    const { doubts } = await explain(app.community, waiting)
    expect(doubts).toHaveLength(1)
    expect(doubts[0]).toMatchObject({ property: 'name', model: 2 })
    expect(doubts[0].probability).toBeGreaterThan(0.7)
    expect(doubts[0].evidence[0]).toMatchObject({
      fact: 'source_type',
      about: 'The sort of its source.',
      value: 'inscription',
    })
    const path = `/data/review-workspace/${doubtful.cultural_entity_id}/`
    const workspace = sure(200, await app.domain.get(path, { headers: { 'accept-language': 'ne' } }))
    expect(workspace.doubts[0].probability).toBeLessThan(0.3)
    expect(workspace.doubts[0].evidence[0].about).toBe('यसको स्रोतको प्रकार।')
  })

  test('nobody else is told: not the contributor, not other readers', async () => {
    const open = await contribute(app.contributor, 'structures', { name: 'Open', assertion: assertion('inscription') })
    sure(201, await decide(app.curator, open, { verdict: 'accept' }))
    for (const who of [app.anon, app.other, app.contributor])
      expect(await explain(who, open)).not.toHaveProperty('doubts')
    expect(await explain(app.contributor, waiting)).not.toHaveProperty('doubts')
    expect(await explain(app.staff, open)).toHaveProperty('doubts')
  })

  test('no answer shows a number of a person', async () => {
    const { doubts } = await explain(app.staff, waiting)
    for (const { evidence } of doubts)
      for (const { fact, value } of evidence) if (['claimant', 'beside'].includes(fact)) expect(value).toBeNull()
    expect(JSON.stringify(doubts)).not.toMatch(/"(kept|decided)"/)
  })

  test('the queue is sorted by it where that is asked for, and decided by nobody', async () => {
    const listed = sure(200, await app.community.get('/data/review-queue/', { query: { ordering: 'doubt' } })).results
    const names = listed.map(({ name }: { name: string }) => name)
    expect(names.indexOf('From the web')).toBeLessThan(names.indexOf('Inscribed'))
    const answer = await app.community.get('/data/review-queue/', { query: { ordering: 'doubt' } })
    expect(answer.cost.units).toBeLessThan(100)
    expect(listed.every(({ status }: { status: string }) => status === 'pending_review')).toBe(true)
    sure(403, await app.contributor.get('/data/review-queue/', { query: { ordering: 'doubt' } }))
  })

  test('an explanation costs one call more', async () => {
    const open = await publish(app, 'structures', { name: 'Explained', assertion: assertion('inscription') })
    app.tick(60)
    const path = `/data/entities/${open.cultural_entity_id}/explain/`
    const at = new Date(Date.parse(open.created_at) + 30_000).toISOString()
    const [told, untold] = [await app.community.get(path), await app.community.get(path, { query: { at } })]
    expect([told, untold].map(({ body }) => body.doubts?.length)).toEqual([1, undefined])
    expect(told.cost.calls - untold.cost.calls).toBe(1)
  })

  test('the tally of a person goes with the person', async () => {
    const { scanRaw } = await import('../../../lib/engines/table/scan.ts')
    const tallies = async () => {
      const found: string[] = []
      for await (const page of scanRaw())
        for (const it of page) if (it.type === 'doubt_tally') found.push(String(it.user_id))
      return found
    }
    const { id } = sure(200, await app.other.get('/api/user/info/'))
    expect(await tallies()).toContain(id)
    const { leave } = await import('../../../lib/doors/departure/items.ts')
    const { loadUser } = await import('../../../lib/platform/users/users.ts')
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    const user = await loadUser(id)
    if (!user) throw new Error('nobody')
    await inUnit((unit) => leave(unit, { ...user, seeded: false }, 'keep'))
    await (await import('../../../functions/sweeper.ts')).handler({ chores: 'seldom' })
    expect(await tallies()).not.toContain(id)
  })
})

test('estimates of simulated reviewers hold on later decisions', async () => {
  const { judgeSimulation } = await import('../../bench/trust.ts')
  const { judgement } = judgeSimulation({ records: 2000, seed: 7 })
  expect(judgement.brier).toBeLessThan(0.9 * judgement.base_brier)
  expect(judgement.calibration_error).toBeLessThan(0.05)
}, 60_000)
