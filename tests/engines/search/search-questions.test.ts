import { describe, expect, test } from 'vitest'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { geohash } from '../../../lib/engines/search/model/clusters.ts'
import type { SearchQuery } from '../../../lib/engines/search/query.ts'
import { documentOf } from '../../harness/search-documents.ts'
import { modelOf } from '../../harness/search-model.ts'

let numbers = 0
const document = (title: string, also: Partial<SearchDocument> = {}): SearchDocument =>
  documentOf(++numbers, title, also)
const years = (from: number | null, to: number | null, approximate = false) => ({ from, to, approximate })
const anon = { signedIn: false, everything: false, own: null }

describe('a question', async () => {
  const model = await modelOf([
    document('Rukmini Shikhara', { values: { type: ['Temple'], place: ['Patan Durbar'] }, summary: 'Stone carvings.' }),
    document('Jorganesh', { values: { type: ['Temple'] }, point: { lat: 27.671, lng: 85.324 } }),
    document('Dattatraya', { values: { type: ['Temple'], place: ['Bhaktapur'] }, years: years(1427, 1427) }),
    document('Kwa Baha', { names: ['Golden Vihara'], values: { place: ['Lalitpur'] }, summary: 'Monks live here.' }),
    document('Temple'),
    document('Bisket', {
      resource: 'festivals',
      summary: 'The chariot is pulled in Baisakh.',
      values: { place: ['Bhaktapur'] },
    }),
    document('Araniko', { resource: 'persons', summary: 'An architect who went to China.', years: years(1245, 1306) }),
  ])
  const ask = (text: string, also: Partial<SearchQuery> = {}) => model.search({ text, scope: anon, limit: 10, ...also })
  const titles = async (text: string, also: Partial<SearchQuery> = {}) =>
    (await ask(text, also)).hits.map(({ title }) => title)

  test.each([
    ['temples in patan', 'Rukmini Shikhara'],
    ['पाटनको मन्दिर', 'Rukmini Shikhara'],
    ['monasteries', 'Kwa Baha'],
    ['monastary in lalitpur', 'Kwa Baha'],
    ['temple 15th century', 'Dattatraya'],
    ['१५औं शताब्दी मन्दिर', 'Dattatraya'],
    ['festival in vaisakh', 'Bisket'],
    ['jatra in april', 'Bisket'],
    ['architect who went to china', 'Araniko'],
    ['who went to china and back', 'Araniko'],
    ['stone carving', 'Rukmini Shikhara'],
  ])('%s: %s', async (text, title) => {
    expect((await titles(text))[0]).toBe(title)
  })

  test('tells how it was understood, in the words that were typed, and takes that back', async () => {
    expect((await ask('Temples in Patan')).interpreted).toEqual([
      { key: 'sort:temples', text: 'Temples', as: 'sort', value: 'Temple' },
      { key: 'place:patan', text: 'Patan', as: 'place', value: 'Patan' },
    ])
    expect((await ask('पाटनको मन्दिर')).interpreted?.map(({ value }) => value)).toEqual(['Patan', 'Temple'])
    const literal = await ask('Temples in Patan', { literal: true })
    expect(literal.interpreted).toBeUndefined()
    expect(literal.hits.map(({ title }) => title)).not.toContain('Jorganesh')
  })

  test('a place is also where the coordinates lie', async () => {
    expect(await titles('temples in patan')).toContain('Jorganesh')
  })

  test('of three words or more says which was left out, and ends not with nothing', async () => {
    expect(await ask('chariot vaisakh qqzzvw')).toMatchObject({ left_out: ['qqzzvw'] })
    expect(await titles('chariot vaisakh qqzzvw')).toEqual(['Bisket'])
    expect((await ask('chariot vaisakh')).left_out).toBeUndefined()
  })

  test('says what may have been meant, by what was found', async () => {
    expect((await ask('dattatrya')).did_you_mean).toBe('dattatraya')
    expect((await ask('dattatraya')).did_you_mean).toBeUndefined()
  })

  test('is answered with a piece of the field that holds it, escaped', async () => {
    const it = await modelOf([document('Plain', { text: 'Short.\nA <b>gilt</b> roof & many carved struts.' })])
    const { hits } = await it.search({ text: 'carved roofs', scope: anon, limit: 1, snippets: true })
    expect(hits[0]?.snippet).toBe('A &lt;b&gt;gilt&lt;/b&gt; <mark>roof</mark> &amp; many <mark>carved</mark> struts.')
  })

  test('counts by the values of what was found', async () => {
    const { facets } = await ask('', { facets: true, limit: 0 })
    expect(facets).toMatchObject({ type: { Temple: 3 }, place: { Bhaktapur: 2, Lalitpur: 1, 'Patan Durbar': 1 } })
    expect(await titles('', { values: { place: ['bhaktapur'] } })).toEqual(
      expect.arrayContaining(['Dattatraya', 'Bisket']),
    )
    expect((await ask('', { values: { place: ['bhaktapur'], type: ['Temple'] } })).count).toBe(1)
  })

  test('years tell what is certain from what is possible', async () => {
    const it = await modelOf([
      document('Within', { years: years(1650, 1660) }),
      document('About', { years: years(1650, 1660, true) }),
      document('Across', { years: years(1500, 1650) }),
      document('Open', { years: years(null, 1700) }),
      document('Before', { years: years(1200, 1300) }),
      document('Undated'),
    ])
    const found = await it.search({ text: '', scope: anon, limit: 10, years: { from: 1600, to: 1700 }, facets: true })
    expect(Object.fromEntries(found.hits.map(({ title, when }) => [title, when]))).toEqual({
      ...{ Within: 'certain', About: 'possible', Across: 'possible', Open: 'possible' },
    })
    expect(found.facets?.when).toEqual({ certain: 1, possible: 3 })
  })
})

describe('on the map', async () => {
  const at = (title: string, lat: number, lng: number, access_tier = 'public') =>
    document(title, { point: { lat, lng }, access_tier })
  const model = await modelOf([
    ...[
      at('West', -17, 179.5),
      at('East', -17, -179.5),
      at('Patan', 27.6727, 85.3249),
      at('Kirtipur', 27.6786, 85.2775),
    ],
    ...[at('Hidden', 27.6727, 85.3249, 'sensitive_indigenous'), document('Nowhere')],
  ])
  const titles = async (also: Partial<SearchQuery>) =>
    (await model.search({ text: '', scope: anon, limit: 10, ...also })).hits.map(({ title }) => title)

  test('a box may lie across the date line', async () => {
    expect((await titles({ box: { west: 179, south: -18, east: -179, north: -16 } })).sort()).toEqual(['East', 'West'])
    expect(await titles({ box: { west: -179, south: -18, east: 179, north: -16 } })).toEqual([])
  })

  test('what is near comes with its distance, the nearest first', async () => {
    const near = { lat: 27.6727, lng: 85.3249, within: 10 }
    const { hits } = await model.search({ text: '', scope: anon, limit: 10, near, sort: 'distance' })
    expect(hits.map(({ title, distance }) => [title, distance])).toEqual([
      ['Patan', 0],
      ['Kirtipur', expect.closeTo(4.7, 0)],
    ])
  })

  test('a place that is kept vague is found and shown to a tenth of a degree, by whoever asks', async () => {
    const scope = { signedIn: true, everything: true, own: null }
    const near = { lat: 27.6727, lng: 85.3249, within: 1 }
    expect(await titles({ near, scope })).toEqual(['Patan'])
    const { hits } = await model.search({ text: 'Hidden', scope, limit: 1 })
    expect(hits[0]?.point).toEqual({ lat: 27.7, lng: 85.3 })
  })

  test('beyond 5,000 points come cells of a grid', async () => {
    const spread = Array.from({ length: 5001 }, (_, i) => at('Pati', 27 + (i % 70) / 50, 84 + Math.floor(i / 70) / 50))
    const few = await (await modelOf(spread.slice(0, 5000))).map({ text: '', scope: anon, limit: 0 })
    expect([few.count, few.points.length, few.clusters]).toEqual([5000, 5000, []])
    const many = await (await modelOf(spread)).map({ text: 'pati', scope: anon, limit: 0 })
    expect([many.count, many.points]).toEqual([5001, []])
    expect(many.clusters.length).toBeLessThanOrEqual(1000)
    expect(many.clusters.reduce((sum, { count }) => sum + count, 0)).toBe(5001)
    for (const { geohash: cell, lat, lng } of many.clusters) expect(geohash(lat, lng, cell.length)).toBe(cell)
  })

  test.each([
    ['ezs42', 42.605, -5.603],
    ['u4pruydqqvj', 57.64911, 10.40744],
  ])('a geohash is %s', (hash, lat, lng) => {
    expect(geohash(lat, lng, hash.length)).toBe(hash)
  })
})
