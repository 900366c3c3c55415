import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

/** Dates in the calendar of whoever asks, wherever dates are shown. */

let app: App
let following: Following
let made: { id: number; cultural_entity_id: string }
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  const body = { name: 'Asked temple', construction_date: 'c. 1702 CE', last_known_existence_date: 'before the war' }
  made = await publish(app, 'structures', body)
  await following.settled()
})

const bs = { calendar: 'bs' }
const shown = {
  ...{ words: 'c. 1702 CE', calendar: 'bikram_sambat', from: '1758-09-22', to: '1759-09-21' },
  ...{ approximate: true, text: 'c. BS 1758/1759' },
}
const dates = { construction_date: shown }

describe('a calendar that is asked for', () => {
  test('holds for contributions by their review identity', async () => {
    const at = `/data/cultural-entities/${made.cultural_entity_id}/`
    expect(sure(200, await app.anon.get(at, { query: bs })).dates).toEqual(dates)
    expect(sure(200, await app.anon.get(at))).not.toHaveProperty('dates')
    const [row] = sure(200, await app.anon.get('/data/cultural-entities/', { query: bs })).results
    expect(row.dates).toEqual(dates)
    const own = '/data/cultural-entities/my_contributions/'
    expect(sure(200, await app.contributor.get(own, { query: bs })).results[0].dates).toEqual(dates)
  })

  test('holds for what waits, to those who work on it', async () => {
    const waits = await contribute(app.contributor, 'structures', { name: 'Waiting', construction_date: 'BS 2031' })
    const at = `/data/cultural-entities/${waits.cultural_entity_id}/`
    const read = await app.contributor.get(at, { query: { calendar: 'gregorian' } })
    expect(sure(200, read).dates.construction_date).toMatchObject({ words: 'BS 2031', text: '1974/1975' })
    expect((await app.anon.get(at, { query: bs })).status).toBe(404)
  })

  test('holds for revisions, and for what explains a value', async () => {
    const query = { entity: made.cultural_entity_id, ...bs }
    const [row] = sure(200, await app.anon.get('/data/revisions/', { query })).results
    expect(row.dates).toEqual(dates)
    const one = await app.anon.get(`/data/revisions/${row.revision_id}/`, { query: bs })
    expect(sure(200, one).dates).toEqual(dates)
    const history = await app.anon.get(`/data/revisions/${row.revision_id}/entity_history/`, { query: bs })
    expect(sure(200, history).results[0].dates).toEqual(dates)
    const explain = `/data/entities/${made.cultural_entity_id}/explain/`
    const { properties } = sure(200, await app.anon.get(explain, { query: bs }))
    const dated = Object.fromEntries(
      properties.map((it: { property: string; date: unknown }) => [it.property, it.date]),
    )
    expect(dated).toEqual({ name: null, construction_date: shown, last_known_existence_date: null })
    expect(sure(200, await app.anon.get(explain)).properties[0]).not.toHaveProperty('date')
  })

  test('holds for what is found, and every calendar keeps its own answer', async () => {
    const find = async (query: object, header = 'en') =>
      app.anon.get('/data/search/', { query: { q: 'Asked temple', ...query }, headers: { 'accept-language': header } })
    const dateIn = async (query: object, header?: string) => (await find(query, header)).body.results[0].date
    expect(await dateIn(bs)).toMatchObject({ words: 'c. 1702', calendar: 'bikram_sambat', text: 'c. BS 1758/1759' })
    expect(await dateIn({ calendar: 'ns' })).toMatchObject({ calendar: 'nepal_sambat', text: 'c. NS 822/823' })
    expect(await dateIn(bs, 'ne')).toMatchObject({ text: 'करिब वि.सं. १७५८/१७५९' })
    expect(await dateIn(bs)).toMatchObject({ text: 'c. BS 1758/1759' })
    expect((await find({})).body.results[0]).not.toHaveProperty('date')
    const { headers } = await find(bs, 'ne')
    expect(headers).toMatchObject({ 'content-language': 'ne', vary: expect.stringMatching(/, Accept-Language$/) })
  })

  test.each([
    '/cidoc/structures/',
    '/cidoc/search/?q=x',
    '/cidoc/discovery/',
    '/cidoc/related/?domain=structure&id=1',
    '/data/cultural-entities/',
    '/data/search/?q=x',
    '/data/revisions/?entity=8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10',
  ])('of which there is none is refused: %s', async (path) => {
    const reply = await app.anon.get(path, { query: { calendar: 'mayan' } })
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        calendar: ['Not a valid choice. Choose one of: gregorian, julian, bikram_sambat, nepal_sambat, shaka, bs, ns.'],
      },
    ])
  })
})

describe('who has set a calendar', () => {
  const set = async (calendar: string | null) => {
    const { slug } = sure(200, await app.other.get('/data/user/me/'))
    return sure(200, await app.other.patch(`/data/user/${slug}/`, { body: { calendar } }))
  }
  afterAll(() => set(null))

  test('sees dates in it wherever no other is named, until the setting is taken back', async () => {
    expect((await set('nepal_sambat')).calendar).toBe('nepal_sambat')
    const at = `/cidoc/structures/${made.id}/`
    const read = async (query: Record<string, string> = {}) => sure(200, await app.other.get(at, { query })).dates
    expect((await read()).construction_date.text).toBe('c. NS 822/823')
    expect((await read(bs)).construction_date.text).toBe('c. BS 1758/1759')
    const [row] = sure(200, await app.other.get('/cidoc/structures/')).results
    expect(row.dates.construction_date.text).toBe('c. NS 822/823')
    expect(sure(200, await app.contributor.get(at))).not.toHaveProperty('dates')
    expect((await set('')).calendar).toBe('')
    expect(await read()).toBeUndefined()
  })

  test('in their language, with the digits of that language', async () => {
    await set('bikram_sambat')
    const headers = { 'accept-language': 'ne' }
    const { body, headers: told } = await app.other.get(`/cidoc/structures/${made.id}/`, { headers })
    expect(body.dates.construction_date).toMatchObject({ words: 'c. 1702 CE', text: 'करिब वि.सं. १७५८/१७५९' })
    expect(told['content-language']).toBe('ne')
    await set(null)
  })

  test('by its key alone', async () => {
    const { slug } = sure(200, await app.other.get('/data/user/me/'))
    const reply = await app.other.patch(`/data/user/${slug}/`, { body: { calendar: 'bs' } })
    expect([reply.status, reply.body]).toEqual([
      400,
      { calendar: ['Not a valid choice. Choose one of: gregorian, julian, bikram_sambat, nepal_sambat, shaka.'] },
    ])
  })
})

describe('a calendar that is asked for, besides,', () => {
  test('holds for the other searches, for what is related, and for what has changed', async () => {
    const groups = sure(200, await app.anon.get('/cidoc/search/', { query: { q: 'Asked temple', ...bs } }))
    const rows: { id: number; dates: object }[] = Object.values<{ id: number; dates: object }[]>(groups).flat()
    expect(rows.find(({ id }) => id === made.id)?.dates).toEqual(dates)
    await publish(app, 'persons', { name: 'Builder of it', birth_date: 'BS 1700' })
    const event = await publish(app, 'events', { name: 'Quake of it', architectural_structures: made.id })
    await following.settled()
    const related = await app.anon.get('/cidoc/related/', { query: { domain: 'event', id: `${event.id}`, ...bs } })
    const [near] = sure(200, related).groups.flatMap((it: { results: object[] }) => it.results)
    expect(near.dates).toEqual(dates)

    const type = 'persons'
    const [row] = sure(200, await app.anon.get('/cidoc/discovery/', { query: { q: 'Builder', type, ...bs } })).results
    expect(row).toMatchObject({ name: 'Builder of it', date: { calendar: 'bikram_sambat', text: 'BS 1699/1701' } })
    const [plain] = sure(200, await app.anon.get('/cidoc/discovery/', { query: { q: 'Builder', type } })).results
    expect(plain).not.toHaveProperty('date')

    const history = `/cidoc/structures/${made.id}/history/`
    const change = async (query: object) => {
      const [{ changes }] = sure(200, await app.anon.get(history, { query: { ...query } })).results
      return changes.find((it: { field: string }) => it.field === 'construction_date')
    }
    expect((await change(bs)).dates).toEqual({ before: null, after: shown })
    expect(await change({})).not.toHaveProperty('dates')
  })

  test('holds for words that name a period: its record, else the years that are known of it', async () => {
    const body = (name: string, construction_date: string) => ({ name, construction_date })
    const malla = await publish(app, 'structures', body('Of the Mallas', 'Malla period'))
    const khasa = await publish(app, 'structures', body('Of the Khasas', 'Khasa reign'))
    const textOf = async (it: { id: number }, query: object = { calendar: 'gregorian' }) =>
      sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`, { query: { ...query } })).dates.construction_date
        ?.text
    expect(await textOf(malla)).toBe('c. 1200/1768')
    expect(await textOf(malla, bs)).toBe('c. BS 1256/1825')
    expect(await textOf(khasa)).toBeUndefined()
    const period = { name: 'Khasa reign', start_year: '1150', end_year: '1378' }
    await publish(app, 'historical_periods', period)
    await publish(app, 'historical_periods', { name: 'Malla period', start_year: '1201', end_year: '1779' })
    expect([await textOf(khasa), await textOf(malla)]).toEqual(['1150/1378', '1201/1779'])
    // What waits, or is hidden, is no record to whoever does not see it.
    const rana = await publish(app, 'structures', body('Of the Ranas', 'Rana period'))
    await contribute(app.contributor, 'historical_periods', {
      name: 'Rana period',
      start_year: '1900',
      end_year: '1901',
    })
    expect(await textOf(rana)).toBe('c. 1846/1951')

    await following.settled()
    const found = async (from: string, to: string) => {
      const { results } = sure(200, await app.anon.get('/data/search/', { query: { q: 'Mallas', from, to } }))
      const titles = results.map(({ title }: { title: string }) => title)
      return titles.filter((title: string) => title.startsWith('Of'))
    }
    expect(await found('1500', '1550')).toEqual(['Of the Mallas'])
    expect(await found('Malla period', 'Malla period')).toEqual(['Of the Mallas'])
    expect(await found('1800', '1850')).toEqual([])
    expect(await found('Rana period', '')).toEqual([])
  })
})
