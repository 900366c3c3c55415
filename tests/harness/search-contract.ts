import { beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../lib/base/ids/address.ts'
import type { SearchDocument } from '../../lib/engines/search/document.ts'
import type { Model, SearchQuery } from '../../lib/engines/search/query.ts'

type Search = typeof import('../../lib/engines/search/index.ts')

const anon = { signedIn: false, everything: false, own: null }
const member = { signedIn: true, everything: false, own: 'sita' }
const staff = { signedIn: true, everything: true, own: 'staff' }

const at = (lat: number, lng: number) => ({ lat, lng })
const years = (from: number, to = from, approximate = false) => ({ from, to, approximate })
const time = '2025-01-01T00:00:00.000Z'
/** As `documentOf` of search-documents.ts, which may not be imported before the environment names the engine. */
const documentOf = (number: number, title: string, also: Partial<SearchDocument> = {}): SearchDocument => ({
  ...{ id: recordId(8, number), resource: 'structures', object_pk: String(number), title, names: [] },
  ...{ summary: '', text: '', location_hint: '', point: null, status: 'accepted', is_published: true },
  ...{ access_tier: 'public', contributor_id: null, created_at: time, updated_at: time },
  ...{ popularity_score: 0, version: 1, ...also },
})
const day = (number: number) => new Date(Date.UTC(2024, 0, 1 + number)).toISOString()

/** The town of the tests: Testpur, with temples, and more wells than any engine compares by name. */
const WELLS = 400
const shelf: readonly SearchDocument[] = [
  documentOf(1, 'Budhanilkantha Temple', { names: ['बूढानीलकण्ठ मन्दिर'], summary: 'A sleeping Vishnu in a pond.' }),
  documentOf(2, 'Changu Narayan', {
    summary: 'The oldest temple of Vishnu.',
    years: years(464),
    point: at(27.716, 85.427),
  }),
  documentOf(3, 'Lamp Temple', { point: at(20.001, 80.001), years: years(1650), values: { deity: ['Shiva'] } }),
  documentOf(4, 'Flute Temple', {
    point: at(20.008, 80.001),
    years: years(1720, 1730, true),
    values: { deity: ['Krishna'] },
  }),
  documentOf(5, 'Drum Temple', {
    point: at(20.08, 80),
    years: years(1810),
    text: 'The largest of the hill. Pagoda roofs.',
  }),
  documentOf(6, 'River Temple', { point: at(20.6, 80), identifiers: ['wd:Q4711'], headings: { category: 'ritual' } }),
  documentOf(7, 'Testpur', { resource: 'locations', point: at(20, 80), values: { type: ['town'] } }),
  documentOf(8, 'Rato Machhindranath Jatra', { resource: 'festivals', summary: 'Held in May.' }),
  documentOf(9, 'Arniko', { resource: 'persons', names: ['Araniko', 'Balabahu'], contributor_id: 'maya' }),
  documentOf(10, 'Bell Stupa', {
    summary: 'Collapsed in an earthquake.',
    values: { place: ['Testpurr'] },
    links: [{ id: recordId(8, 7), facet: 'place' }],
    headings: { category: 'monument' },
  }),
  documentOf(11, 'Sensitive Shrine', { access_tier: 'restricted', summary: 'Of a hidden spring.' }),
  documentOf(12, 'Waiting Shrine', { is_published: false, status: 'pending_review', contributor_id: 'sita' }),
  documentOf(13, 'Qorvangaun', { resource: 'locations', point: at(21.2, 81) }),
  ...Array.from({ length: WELLS }, (_, i) =>
    documentOf(1000 + i, `Well ${i}`, {
      resource: i % 4 === 0 ? 'monuments' : 'structures',
      created_at: day(i),
      updated_at: day(WELLS - i),
      popularity_score: i % 7,
      point: at(21 + i / 1000, 81),
      years: years(1500 + i),
      values: { place: [i % 2 === 0 ? 'Oddtown' : 'Eventown'] },
    }),
  ),
]

/** What nobody may learn of who is not signed in. */
const secrets: readonly SearchDocument[] = Array.from({ length: 60 }, (_, i) =>
  documentOf(5000 + i, `Lamp Tempel of secret ${i}`, {
    resource: i % 2 === 0 ? 'sounds' : 'structures',
    ...(i % 3 === 0 ? { is_published: false } : { access_tier: 'restricted' }),
    names: ['Fluta Temple', 'Testpur'],
    point: at(20, 80),
    years: years(100),
    values: { place: ['Secretgaun'] },
  }),
)

/** The promises of the port, asked of the engine that the environment names. `open` is called first; it gives the entry of search. */
export function describeEngine(name: string, open: () => Promise<Search>): void {
  describe(name, () => {
    let search: Search
    let model: Model
    const query = (text: string, also: Partial<SearchQuery> = {}): SearchQuery => ({
      text,
      scope: anon,
      limit: 20,
      ...also,
    })
    const ask = async (text: string, also: Partial<SearchQuery> = {}) =>
      model.search(structuredClone(query(text, also)))
    const titles = async (text: string, also: Partial<SearchQuery> = {}) =>
      (await ask(text, also)).hits.map(({ title }) => title)
    const reopen = async () => {
      model = await search.openSearchModel()
    }

    beforeAll(async () => {
      search = await open()
      search.provideDocuments(async () => ({ types: ['none'], documentOf: () => undefined }))
      await search.rebuildSearch()
      await search.appendChanges(shelf)
      await reopen()
    }, 120_000)

    test.each([
      ['a name', 'Budhanilkantha Temple', 'Budhanilkantha Temple'],
      ['another script', 'बूढानीलकण्ठ', 'Budhanilkantha Temple'],
      ['another spelling', 'Budhanilkanta', 'Budhanilkantha Temple'],
      ['a slip', 'Changu Naryan', 'Changu Narayan'],
      ['words of a text', 'pagoda roofs', 'Drum Temple'],
      ['another name', 'Balabahu', 'Arniko'],
      ['a beginning', 'rato machh', 'Rato Machhindranath Jatra'],
      ['an identifier', 'Q4711', 'River Temple'],
      ['a sort and a deity', 'temples of krishna', 'Flute Temple'],
    ])('%s is found', async (_, text, expected) => {
      expect((await titles(text))[0]).toBe(expected)
    })

    test('exclusions, nearness, times and orders are read', async () => {
      expect(await titles('temples -shiva')).not.toContain('Lamp Temple')
      expect((await titles('temples -shiva')).length).toBeGreaterThan(3)
      expect(await titles('temples within 2 km of Testpur')).toEqual(['Lamp Temple', 'Flute Temple'])
      expect((await titles('temples before 1700')).slice(0, 2).sort()).toEqual(['Changu Narayan', 'Lamp Temple'])
      expect((await titles('oldest temple'))[0]).toBe('Lamp Temple')
      expect((await ask('temples near Testpur')).interpreted).toContainEqual(expect.objectContaining({ as: 'near' }))
      expect((await ask('stupa zzzqqq')).left_out).toEqual(['zzzqqq'])
      expect((await ask('Chengu Narayan')).did_you_mean).toBe('changu Narayan')
    })

    test.each([
      ['temples in Testpur', 2, undefined],
      ['temples in Tespur', 2, undefined],
      ['wells in Qorvangaun', 17, undefined],
      ['wells in Qorvangon', 17, undefined],
      ['stupas in Qorvangon', 0, undefined],
      ['stupas in Zzqxville', 1, ['in', 'Zzqxville']],
      ['temples near pagoda', 1, undefined],
    ])('a place is read where it is one, else it is left out: %s', async (text, count, leftOut) => {
      const answer = await ask(text)
      expect([answer.count, answer.left_out]).toEqual([count, leftOut])
    })

    test('filters narrow, each by itself', async () => {
      const count = async (also: Partial<SearchQuery>) => (await ask('', also)).count
      expect(await count({})).toBe(11 + WELLS)
      expect(await count({ resources: ['monuments'] })).toBe(100)
      expect(await count({ headings: { category: 'ritual' } })).toBe(1)
      expect(await count({ headings: { category: undefined }, contributor: 'maya' })).toBe(1)
      expect(await count({ statuses: ['pending_review'], scope: staff })).toBe(1)
      expect(await count({ values: { place: ['oddtown'] } })).toBe(WELLS / 2)
      expect(await count({ box: { west: 79, south: 19, east: 80.5, north: 20.1 } })).toBe(4)
      expect(await count({ near: { lat: 20, lng: 80, within: 2 } })).toBe(3)
      expect(await count({ years: { from: 1500, to: 1599 } })).toBe(100)
      expect(await count({ values: { place: ['Testpur'] } })).toBe(1)
    })

    test('a large answer is counted whole, by facets too', async () => {
      const { count, facets, hits } = await ask('well', { facets: true, limit: 5, years: { from: 1600, to: 1899 } })
      expect([count, hits.length]).toEqual([300, 5])
      expect(facets).toEqual({
        resource: { monuments: 75, structures: 225 },
        status: { accepted: 300 },
        place: { Eventown: 150, Oddtown: 150 },
        when: { certain: 300, possible: 0 },
      })
    })

    test('a facet names a linked record as it is called now', async () => {
      expect((await ask('bell stupa', { facets: true })).facets?.place).toEqual({ Testpur: 1 })
      expect((await ask('bell stupa')).hits[0]?.values?.place).toEqual(['Testpur'])
    })

    test.each(['relevance', 'newest', 'popularity', 'created', '-created', 'name', '-name', 'distance'] as const)(
      'pages by %s neither repeat nor skip',
      async (sort) => {
        const also = { sort, near: { lat: 21, lng: 81, within: 100 } }
        const pages = await Promise.all(
          [0, 100, 200, 300].map(async (offset) => ask('well', { ...also, offset, limit: 100 })),
        )
        const ids = pages.flatMap(({ hits }) => hits.map(({ id }) => id))
        expect(new Set(ids).size).toBe(WELLS)
        expect(pages.map(({ count }) => count)).toEqual([WELLS, WELLS, WELLS, WELLS])
      },
    )

    test('orders are those that they say', async () => {
      const first = async (sort: SearchQuery['sort'], also = {}) =>
        (await titles('well', { sort, limit: 2, ...also })).join()
      expect(await first('newest')).toBe('Well 0,Well 1')
      expect(await first('created')).toBe('Well 0,Well 1')
      expect(await first('-created')).toBe(`Well ${WELLS - 1},Well ${WELLS - 2}`)
      expect(await first('popularity')).toBe('Well 6,Well 13')
      expect(await first('-name')).toBe('Well 99,Well 98')
      expect(await first('distance', { near: { lat: 21.1, lng: 81, within: 50 } })).toMatch(/^Well 100,/)
    })

    test('everyone finds what they may read, and nothing else', async () => {
      const found = async (text: string, scope: SearchQuery['scope']) => titles(text, { scope, literal: true })
      expect(await found('Sensitive Shrine', anon)).toEqual([])
      expect(await found('Sensitive Shrine', member)).toEqual(['Sensitive Shrine'])
      expect(await found('Waiting Shrine', { ...member, own: 'maya' })).not.toContain('Waiting Shrine')
      expect(await found('Waiting Shrine', member)).toContain('Waiting Shrine')
      expect(await found('Waiting Shrine', staff)).toContain('Waiting Shrine')
      expect(await model.document(recordId(8, 12), anon)).toBeUndefined()
      expect((await model.document(recordId(8, 12), member))?.title).toBe('Waiting Shrine')
    })

    test('names are completed, texts are found as typed, and meanings are known', async () => {
      const suggested = await model.suggest({ text: 'budhan', scope: anon, limit: 3 })
      expect(suggested[0]?.title).toBe('Budhanilkantha Temple')
      const literal = await model.literal({ text: 'LAST of the h'.replace('LAST', 'largest'), scope: anon, limit: 5 })
      expect([...literal].map(([resource, hits]) => [resource, hits.map(({ title }) => title)])).toEqual([
        ['structures', ['Drum Temple']],
      ])
      const [town, none] = await model.meanings(['Testpur', 'no such name'], anon)
      expect([town?.as, town?.ids]).toEqual(['place', [recordId(8, 7)]])
      expect(none).toBeUndefined()
    })

    test('the map shows what has a place', async () => {
      const { count, points } = await model.map(query('temple'))
      expect(points.map(({ title }) => title).sort()).toEqual(
        ['Changu Narayan', 'Drum Temple', 'Flute Temple', 'Lamp Temple', 'River Temple'].sort(),
      )
      expect(count).toBeGreaterThanOrEqual(6)
      expect((await model.map(query('well'))).points.length).toBe(WELLS)
    })

    test('an older change never replaces a newer one, and what is gone stays gone', async () => {
      const drum = (title: string, version: number) => documentOf(6000, title, { version })
      await search.appendChanges([drum('Kettledrum new', 5), drum('Kettledrum old', 4)])
      await reopen()
      expect(await titles('kettledrum')).toEqual(['Kettledrum new'])
      await search.appendChanges([{ id: drum('', 6).id, gone: true, version: 6 }])
      await search.appendChanges([drum('Kettledrum late', 5)])
      await reopen()
      expect(await titles('kettledrum')).toEqual([])
    })

    test('what is written is found by the next question, and the state tells so', async () => {
      const before = model.state
      await search.appendChanges([documentOf(6001, 'Freshwater Spout')])
      await reopen()
      expect(model.state).not.toBe(before)
      expect(await titles('freshwater spout')).toEqual(['Freshwater Spout'])
    })

    test('what is hidden leaves every answer with the log alone', async () => {
      const { appendToLog } = await import('../../lib/engines/search/log.ts')
      await search.appendChanges([documentOf(6002, 'Vanishing Gate', { point: at(30, 70) })])
      await reopen()
      expect(await titles('vanishing gate')).toEqual(['Vanishing Gate'])
      const { count } = await ask('', { limit: 0 })
      await appendToLog([documentOf(6002, 'Vanishing Gate', { is_published: false, version: 2, point: at(30, 70) })])
      await reopen()
      expect(await titles('vanishing gate')).toEqual([])
      expect((await ask('', { limit: 0 })).count).toBe(count - 1)
      expect((await model.suggest({ text: 'vanish', scope: anon, limit: 3 })).length).toBe(0)
      expect((await model.map(query('', { near: { lat: 30, lng: 70, within: 1 } }))).points).toEqual([])
      expect(await model.document(recordId(8, 6002), anon)).toBeUndefined()
      expect((await model.literal({ text: 'vanishing', scope: anon, limit: 5 })).size).toBe(0)
    })

    test('hidden documents change no public answer', async () => {
      const asked = [
        'lamp temple',
        'fluta temple',
        'temples in Testpur',
        'tempel',
        'well',
        'secret',
        'secretgaun',
        'oldest temple',
        '',
      ]
      const answers = async () =>
        Promise.all([
          ...asked.map(async (text) => {
            const { state: _, ...answer } = await ask(text, { facets: true })
            return answer
          }),
          ask('temple', { resources: ['structures', 'festivals'] }).then(({ state: _, ...answer }) => answer),
          model.map(query('temple')).then(({ state: _, ...answer }) => answer),
          ...asked.map((text) => model.suggest({ text, scope: anon, limit: 5 })),
          model.meanings(asked, anon),
          model.literal({ text: 'temple', scope: anon, limit: 5 }).then((groups) => [...groups]),
        ])
      const before = await answers()
      await search.appendChanges(secrets)
      await reopen()
      expect(await answers()).toEqual(before)
      expect((await titles('Lamp Tempel of secret 1', { scope: staff }))[0]).toMatch(/secret/)
    })

    test('a rebuild answers as what stands in the table', async () => {
      search.provideDocuments(async () => ({ types: ['none'], documentOf: () => undefined }))
      const { documents } = await search.rebuildSearch()
      expect(documents).toBe(0)
    })
  })
}
