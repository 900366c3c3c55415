import { describe, expect, test } from 'vitest'
import { Agreement, type Judgment } from '../../../lib/doors/exports/agreement.ts'
import { type App, openApp } from '../../harness/app.ts'
import { decide, publish, sure } from '../../harness/make.ts'

const alphaOf = (units: readonly Judgment[][]) => {
  const agreement = new Agreement()
  for (const unit of units) agreement.add(unit)
  return agreement.alpha
}

describe('the agreement of reviewers', () => {
  test('is counted by hand', () => {
    // Four claims, eight judgments: 5 stand, 3 lose. One pair differs, twice in order: Do = 2/8. De = 2*5*3/(8*7) = 30/56.
    const units: Judgment[][] = [
      ['stands', 'stands'],
      ['stands', 'stands'],
      ['lost', 'lost'],
      ['stands', 'lost'],
    ]
    expect(alphaOf(units)).toBe(Math.round(1000 * (1 - 2 / 8 / (30 / 56))) / 1000)
  })

  test('is 1 where all agree, and below 0 where they agree less than by chance', () => {
    expect(
      alphaOf([
        ['stands', 'stands'],
        ['lost', 'lost'],
      ]),
    ).toBe(1)
    expect(
      alphaOf([
        ['stands', 'lost'],
        ['lost', 'stands'],
      ]),
    ).toBe(-0.5)
  })

  test('is not told of one judgment each, nor of one value', () => {
    expect(alphaOf([['stands'], ['lost']])).toBeNull()
    expect(alphaOf([['stands', 'stands']])).toBeNull()
  })
})

test('where sources disagree is counted by hand, over what everyone may read, for any number of records at the same cost', async () => {
  const app: App = await openApp()
  const path = '/data/reviewer-dashboard/disagreements/'
  expect(sure(200, await app.anon.get(path))).toMatchObject({ count: 0, made_at: null, results: [] })
  const book = { assertion: { source_type: 'book', source_citation: 'A book' } }
  const rival = async (of: { id: number; cultural_entity_id: string }, conflict_handling: string) => {
    const about = { entity_type: 'structure', entity_id: String(of.id), asserted_property: 'condition' }
    const body = { ...about, asserted_value: 'Ruinous', source_type: 'field_survey' }
    sure(201, await app.other.post('/cidoc/assertions/', { body }))
    sure(201, await decide(app.domain, of, { verdict: 'accept', conflict_handling }))
  }
  const coordinates = '27.67, 85.32'
  const [one, two] = [
    await publish(app, 'structures', { name: 'Quarrelled over', condition: 'Good', coordinates, ...book }),
    await publish(app, 'structures', { name: 'Left open', condition: 'Good', coordinates, ...book }),
  ]
  await publish(app, 'structures', { name: 'Quiet', condition: 'Good', coordinates, ...book })
  const hidden = await publish(app, 'structures', {
    name: 'Kept back',
    condition: 'Good',
    access_tier: 'restricted',
    ...book,
  })
  await rival(one, 'supersedes')
  await rival(two, 'existing_stands')
  await rival(hidden, 'supersedes')
  const { handler } = await import('../../../functions/exporter.ts')
  await handler()
  const body = sure(200, await app.anon.get(path, { query: { limit: 100 } }))
  const row = body.results.find((it: { property: string }) => it.property === 'condition')
  // Two claims were judged by two: the values of the book, by the curator and the expert. Both let one stand, one lost for the second.
  expect(row).toEqual({
    kind: 'structure',
    property: 'condition',
    values: 3,
    rivalled: 2,
    judged_twice: 2,
    // Judgments: stands, lost; stands, stands. Do = 2/4, De = 2*3*1/(4*3).
    alpha: 0,
    between: [{ one: 'book', other: 'field_survey', rivals: 2 }],
  })
  expect(body.years).toEqual([{ kind: 'structure', year: 2025, rivals: 2 }])
  expect(body.places).toEqual([{ lat: 27.7, lng: 85.3, records: 3, rivalled: 2 }])
  const table = await app.anon.get(path, { query: { format: 'csv' } })
  expect(table.bytes.toString()).toContain('structure,condition,3,2,2,0,')
  const { calls } = (await app.anon.get(path)).cost
  expect(calls).toBeLessThanOrEqual(1)
})
