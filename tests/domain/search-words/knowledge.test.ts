import { beforeAll, describe, expect, test } from 'vitest'
import { compareClaims } from '../../../lib/engines/matching/index.ts'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, flagsOf, publish, sure } from '../../harness/make.ts'
import { claimPairs } from './pairs.ts'

/** One knowledge for all who ask: what records tell of names counts for the conflict check and for hints of duplicates, too. */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  await publish(app, 'locations', {
    name: 'Tasvir',
    alternate_names: ['Qorvan'],
    coordinates: '27.5,85.5',
    type: 'city',
  })
  await publish(app, 'locations', { name: 'Lamp Court', coordinates: '27.501,85.501' })
  await publish(app, 'locations', { name: 'Far Court', coordinates: '27.9,85.9' })
  await contribute(app.contributor, 'locations', { name: 'Hidden Court', alternate_names: ['Qorvan Bazaar'] })
  await following.settled()
})

describe('the conflict check', () => {
  let made = 0
  const contradicts = async (standing: string, claimed: string): Promise<boolean> => {
    made += 1
    const it = await publish(app, 'monuments', { name: `Monument number ${made}`, monument_type: standing })
    const claim = {
      entity_type: 'monument',
      entity_id: String(it.id),
      asserted_property: 'monument_type',
      asserted_value: claimed,
    }
    sure(201, await app.other.post('/cidoc/assertions/', { body: claim }))
    return (await flagsOf(it)).some(({ flag_type }) => flag_type === 'contradiction')
  }
  test.each([
    ['two names of one record', 'Tasvir', 'Qorvan', false],
    ['a place, and the town around it', 'Lamp Court', 'Qorvan', false],
    ['two places', 'Far Court', 'Qorvan', true],
    ['a name that only a hidden record has', 'Hidden Court', 'Qorvan Bazaar', true],
  ])('%s', async (_case, standing, claimed, expected) => {
    expect(await contradicts(standing, claimed)).toBe(expected)
  })

  test('sees of 32 pairs which agree and which contradict each other', async () => {
    expect(claimPairs).toHaveLength(32)
    const wrong: string[] = []
    for (const { comparator, a, b, agree, why } of claimPairs) {
      const differ = comparator === 'text' ? await contradicts(a, b) : compareClaims(comparator, a, b) === 'contradicts'
      if (differ === agree) wrong.push(`${a}, ${b}: ${why}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('the hint of duplicates', () => {
  const SUGGEST = '/cidoc/entity-clusters/suggest-duplicates/'
  const hint = async (query: Record<string, string>) => {
    const { results, recommendation } = sure(
      200,
      await app.other.get(SUGGEST, { query: { registry_key: 'structure', ...query } }),
    )
    return [recommendation, results.map((it: { canonical_label: string }) => it.canonical_label)]
  }

  test('follows the rule by which a new record is flagged, with name and point', async () => {
    await publish(app, 'structures', { name: 'Kamal Tank', coordinates: '27.7000,85.3000' })
    await following.settled()
    const beside = '27.7000,85.30014'
    expect(await hint({ q: 'Kamal Pokhari', near: beside })).toEqual(['edit_existing', ['Kamal Tank']])
    expect((await hint({ q: 'Kamal Pokhari', near: '27.9,85.3' }))[0]).toBe('create_new')
    const twin = await contribute(app.other, 'structures', { name: 'Kamal Pokhari', coordinates: beside })
    expect((await flagsOf(twin)).map(({ flag_type }) => flag_type)).toEqual(['suspected_duplicate'])
  })

  test('a point that is none is refused', async () => {
    const refused = await app.other.get(SUGGEST, { query: { q: 'Kamal', near: 'here' } })
    expect([refused.status, refused.body]).toEqual([
      400,
      { near: ['Give latitude and longitude in degrees: 27.67,85.32.'] },
    ])
  })
})
