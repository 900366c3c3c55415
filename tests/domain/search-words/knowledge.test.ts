import { beforeAll, describe, expect, test } from 'vitest'
import { compareClaims } from '../../../lib/engines/matching/index.ts'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { localSteps } from '../../harness/imports.ts'
import { contribute, flagsOf, publish, sure } from '../../harness/make.ts'
import { freshClaims } from './fresh-pairs.ts'
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

  test.each([
    ['', claimPairs],
    ['fresh', freshClaims],
  ])('sees of 32 %s pairs which agree and which contradict each other', async (_which, pairs) => {
    expect(pairs).toHaveLength(32)
    const wrong: string[] = []
    for (const { comparator, a, b, agree, why } of pairs) {
      const differ = comparator === 'text' ? await contradicts(a, b) : compareClaims(comparator, a, b) === 'contradicts'
      if (differ === agree) wrong.push(`${a}, ${b}: ${why}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('a place that was accepted a second ago, by its other name', () => {
  const MATCH = '/data/reconcile/'
  beforeAll(async () => {
    await publish(app, 'structures', { name: 'Harp Temple, Vesmar', location_name: 'Vesmar', coordinates: '27.3,85.3' })
    await publish(app, 'structures', { name: 'Harp Temple, Ostrel', location_name: 'Ostrel', coordinates: '26.1,84.1' })
    const unknown = await contribute(app.other, 'structures', { name: 'Harp Temple, Unvos' })
    expect(await flagsOf(unknown)).toEqual([])
    await publish(app, 'locations', { name: 'Vesmar', alternate_names: ['Dilkot'], coordinates: '27.3,85.3' })
    await following.settled()
  })

  test('works in the next question', async () => {
    const { results } = sure(200, await app.anon.get('/data/search/?q=temples in dilkot'))
    expect(results.map(({ title }: { title: string }) => title)).toEqual(['Harp Temple, Vesmar'])
  })

  test('works in the flag of duplicates, and in the hint of them', async () => {
    const query = { q: 'Harp Temple, Dilkot', registry_key: 'structure' }
    const hint = sure(200, await app.other.get('/cidoc/entity-clusters/suggest-duplicates/', { query }))
    const twin = await contribute(app.other, 'structures', { name: 'Harp Temple, Dilkot' })
    expect((await flagsOf(twin)).map(({ flag_type }) => flag_type)).toEqual(['suspected_duplicate'])
    expect([hint.recommendation, hint.results[0].canonical_label]).toEqual(['edit_existing', 'Harp Temple, Vesmar'])
  })

  test('works in the matching of an import, and in its links', async () => {
    const table = 'Name,Current location\n"Harp Mandir, Dilkot",Dilkot\n"Harp Temple, Qamsar",Nowhere known\n'
    const { id } = await localSteps.checkTable(app.other, 'temples.csv', table, { kind: 'structure' })
    const { results } = sure(200, await app.other.get(`/data/imports/${id}/rows/`))
    type Row = { alike: { name: string }[]; makes: { name: string }[] }
    const told = results.map(({ alike, makes }: Row) => [alike, makes].map((each) => each.map(({ name }) => name)))
    expect(told[0]).toEqual([expect.arrayContaining(['Harp Temple, Vesmar']), []])
    expect(told[1]).toEqual([[], ['Nowhere known']])
  })

  test('works in reconciliation, for properties', async () => {
    const queries = {
      q: { query: 'Harp Temple', type: 'structure', properties: [{ pid: 'location_name', v: 'Dilkot' }] },
    }
    const body = new URLSearchParams({ queries: JSON.stringify(queries) }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { q } = sure(200, await app.anon.post(MATCH, { body, headers }))
    const [first, second] = q.result
    expect([first.name, second.name]).toEqual(['Harp Temple, Vesmar', 'Harp Temple, Ostrel'])
    expect(first.score - second.score).toBeGreaterThan(25)
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
