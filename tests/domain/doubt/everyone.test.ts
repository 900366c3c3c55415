import { beforeAll, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { decide, publish, sure } from '../../harness/make.ts'

/** What everyone is told of how sure a standing value is, and that nothing hidden speaks in it. */

let app: App
beforeAll(async () => {
  app = await openApp()
  const { doubtModel } = await import('../../../lib/domain/doubt/items.ts')
  const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
  const { put } = await import('../../../lib/engines/table/index.ts')
  const fitted = { number: 1, fitted_at: '2025-01-15T09:00:00.000Z', decided: 200, base: 0.7, judged: null, version: 1 }
  const weights = { 'source_type=book': 1, 'source_type=other': -1, rivals: -0.5, beside: 0.5, claimant: 2 }
  const means = { 'source_type=book': 0.5, 'source_type=other': 0.5, rivals: 0, beside: 0.8, claimant: 0.8 }
  const model = { ...fitted, intercept: 0.4, weights, means }
  await commitWrites([put(doubtModel, { scope: 'everyone', ...model }, undefined)])
})

type Made = { id: number; cultural_entity_id: string }
type Doubt = { property: string; probability: number; evidence: { fact: string }[] }
const doubts = async ({ cultural_entity_id }: Made, who: Persona = app.anon): Promise<Doubt[] | undefined> =>
  sure(200, await who.get(`/data/entities/${cultural_entity_id}/explain/`)).doubts
const book = { assertion: { source_type: 'book', source_citation: 'A book' } }
const rival = async ({ id }: Made, value: string) => {
  app.tick(1)
  const about = { entity_type: 'structure', entity_id: id, property: 'condition' }
  sure(201, await app.other.post('/cidoc/assertions/', { body: { ...about, value } }))
}

test('everyone is told of standing values, and nothing of claimants; the same to all who do not review', async () => {
  const it = await publish(app, 'structures', { name: 'Sure of it', condition: 'Good', ...book })
  const told = await doubts(it)
  expect(told?.map(({ property }) => property).sort()).toEqual(['condition', 'name'])
  expect(told?.[0]?.probability).toBeGreaterThan(0.5)
  const facts = told?.flatMap(({ evidence }) => evidence.map(({ fact }) => fact))
  expect([facts?.includes('source_type'), facts?.includes('claimant')]).toEqual([true, false])
  for (const who of [app.other, app.contributor]) expect(await doubts(it, who)).toEqual(told)
  // There is no model for reviewers yet.
  expect(await doubts(it, app.community)).toBeUndefined()
})

test('what waits and what was refused changes nothing; what a publication told does', async () => {
  const it = await publish(app, 'structures', { name: 'Quarrel behind doors', condition: 'Good', ...book })
  app.tick(1)
  const before = await doubts(it)
  await rival(it, 'Fair')
  expect(await doubts(it)).toEqual(before)
  sure(201, await decide(app.domain, it, { verdict: 'reject', feedback: 'No.' }))
  expect(await doubts(it)).toEqual(before)
  await rival(it, 'Ruinous')
  sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
  const after = await doubts(it)
  expect(after?.map(({ property }) => property)).toEqual(before?.map(({ property }) => property))
  expect(after).not.toEqual(before)
})

test('of a record that not everyone may read, nobody is told but those who review', async () => {
  const it = await publish(app, 'structures', { name: 'Read by some', access_tier: 'restricted', ...book })
  for (const who of [app.other, app.contributor]) expect(await doubts(it, who)).toBeUndefined()
})

test('refusals and restricted records teach the model of everyone nothing', async () => {
  const { estimateAnew } = await import('../../../lib/domain/doubt/fit.ts')
  const { doubtModel } = await import('../../../lib/domain/doubt/items.ts')
  const { get } = await import('../../../lib/engines/table/index.ts')
  const learn = async () => {
    const reviewers = await estimateAnew()
    const everyone = await get(doubtModel, { scope: 'everyone' })
    return { reviewers: reviewers.decided, everyone: { ...everyone, number: 0, version: 0 } }
  }
  const before = await learn()
  const it = await publish(app, 'structures', { name: 'Hidden lessons', access_tier: 'restricted', ...book })
  const open = await publish(app, 'structures', { name: 'Refused lessons', condition: 'Good', ...book })
  const between = await learn()
  await rival(open, 'Fair')
  sure(201, await decide(app.domain, open, { verdict: 'reject', feedback: 'No.' }))
  app.tick(1)
  sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { condition: 'Good', ...book } }))
  sure(201, await decide(app.domain, it, { verdict: 'accept' }))
  const after = await learn()
  expect(between.everyone.decided).toBe((before.everyone.decided ?? 0) + 2)
  expect(after.everyone).toEqual({ ...between.everyone, fitted_at: after.everyone.fitted_at })
  expect(after.reviewers).toBeGreaterThan(between.reviewers)
})
