import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { type Following, followTable } from '../harness/following.ts'
import { contribute, publish, sure } from '../harness/make.ts'

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
