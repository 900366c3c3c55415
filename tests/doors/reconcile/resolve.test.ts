import { beforeAll, describe, expect, test } from 'vitest'
import { parseSameAs } from '../../../lib/domain/names/same-as.ts'
import { type App, openApp } from '../../harness/app.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

describe('a link', () => {
  test.each([
    ['wd:Q37', 'wd:q37', 'http://www.wikidata.org/entity/Q37'],
    ['q37', 'wd:q37', 'http://www.wikidata.org/entity/Q37'],
    ['https://www.wikidata.org/wiki/Q37#sitelinks', 'wd:q37', 'http://www.wikidata.org/entity/Q37'],
    ['http://www.wikidata.org/entity/Q37', 'wd:q37', 'http://www.wikidata.org/entity/Q37'],
    ['https://www.wikidata.org/wiki/Special:EntityData/Q37.json', 'wd:q37', 'http://www.wikidata.org/entity/Q37'],
    ['https://www.geonames.org/1283240/kathmandu.html', 'gn:1283240', 'https://sws.geonames.org/1283240/'],
    ['geonames:1283240', 'gn:1283240', 'https://sws.geonames.org/1283240/'],
    ['http://vocab.getty.edu/page/aat/300007544', 'aat:300007544', 'http://vocab.getty.edu/aat/300007544'],
    ['ULAN:500115493', 'ulan:500115493', 'http://vocab.getty.edu/ulan/500115493'],
    ['vocab.getty.edu/tgn/7001535', 'tgn:7001535', 'http://vocab.getty.edu/tgn/7001535'],
  ])('%s is %s', (text, word, address) => {
    expect(parseSameAs(text)).toMatchObject({ word, address })
    expect(parseSameAs(text)?.fault).toBeUndefined()
  })

  test.each([
    ['https://www.wikidata.org/wiki/P31', 'Wikidata'],
    ['wd:Q0', 'Wikidata'],
    ['gn:Kathmandu', 'GeoNames'],
    ['aat:500115493', 'Getty AAT'],
    ['ulan:300007544', 'Getty ULAN'],
    ['tgn:12', 'Getty TGN'],
  ])('%s is no id of %s', (text, label) => {
    expect(parseSameAs(text)?.fault).toContain(`This is no id of ${label}, which look like `)
  })

  test('of another collection is left alone', () => {
    for (const text of ['https://example.org/Q37', 'https://notwikidata.org/wiki/Q37', 'x:1', ''])
      expect(parseSameAs(text)).toBeUndefined()
  })
})

describe('resolving', () => {
  let app: App
  let one: { id: number; cultural_entity_id: string }
  let two: typeof one
  beforeAll(async () => {
    app = await openApp()
    one = await publish(app, 'structures', { name: 'Claims it', same_as: ['https://www.wikidata.org/wiki/Q4242'] })
    two = await publish(app, 'monuments', { name: 'Claims it too', same_as: ['wd:Q4242', 'https://example.org/x'] })
    await contribute(app.contributor, 'structures', { name: 'Waits', same_as: ['wd:Q4242', 'wd:Q99'] })
    await publish(app, 'structures', { name: 'Half hidden', same_as: ['wd:Q99'], access_tier: 'restricted' })
    await publish(app, 'deities', { name: 'Alone', same_as: ['aat:300007544'] })
  })
  const resolve = (same_as: string, who = app.anon) => who.get('/data/resolve/', { query: { same_as } })
  const names = (body: { records: { name: string }[] }) => body.records.map(({ name }) => name).sort()

  test('finds who claims it, however the link is written', async () => {
    for (const link of ['wd:Q4242', 'Q4242', 'http://www.wikidata.org/entity/Q4242'])
      expect(names(sure(200, await resolve(link)))).toEqual(['Claims it', 'Claims it too'])
    const { records, ...link } = sure(200, await resolve('https://example.org/x'))
    expect(link).toEqual({ same_as: 'https://example.org/x', collection: null, id: null, address: null })
    expect(records).toEqual([
      {
        kind: 'monument',
        id: two.id,
        cultural_entity_id: two.cultural_entity_id,
        name: 'Claims it too',
        url: `http://localhost:8000/cidoc/monuments/${two.id}/`,
      },
    ])
    expect(names(sure(200, await resolve('wd:Q424')))).toEqual([])
  })

  test('tells nobody of what is hidden from them', async () => {
    expect(names(sure(200, await resolve('wd:Q99')))).toEqual([])
    expect(names(sure(200, await resolve('wd:Q99', app.other)))).toEqual(['Half hidden'])
  })

  test('what is no link is refused', async () => {
    expect(sure(400, await app.anon.get('/data/resolve/'))).toEqual({ same_as: ['This parameter is required.'] })
    expect(sure(400, await resolve('Kathmandu'))).toEqual({
      same_as: ['Give an address, or an id with its collection, such as wd:Q37.'],
    })
    expect(sure(400, await resolve('aat:12'))).toEqual({
      same_as: ['This is no id of Getty AAT, which look like 300007544.'],
    })
  })

  test('a contributor is warned of a link that is none, and a reviewer sees a flag', async () => {
    const body = { name: 'Doubtful', same_as: ['gn:Kathmandu'] }
    const answer = await app.contributor.post('/cidoc/structures/', { body })
    expect(sure(201, answer).warnings).toContainEqual({
      member: 'same_as',
      message: 'This is no id of GeoNames, which look like 1283240.',
    })
  })

  test('reviewers are told of links that several claim', async () => {
    const family = await publish(app, 'structures', { name: 'Claims it as well', same_as: ['Q4242'] })
    const { results, next } = sure(200, await app.community.get('/data/resolve/shared/'))
    expect(next).toBe(null)
    const found = results.find(({ id }: { id: string }) => id === 'Q4242')
    expect(found.records.map(({ cultural_entity_id: id }: { cultural_entity_id: string }) => id).sort()).toEqual(
      [one, two, family].map((it) => it.cultural_entity_id).sort(),
    )
    expect(results.map(({ id }: { id: string }) => id)).not.toContain('300007544')
    const forged = await app.community.get('/data/resolve/shared/', { query: { cursor: 'forged' } })
    expect(sure(400, forged)).toEqual({ cursor: ['This cursor was not given by this service.'] })
    sure(403, await app.other.get('/data/resolve/shared/'))
    sure(401, await app.anon.get('/data/resolve/shared/'))
  })

  test('costs a query for each family of kinds, whatever there is', async () => {
    const [none, some] = [await resolve('wd:Q1'), await resolve('wd:Q4242')]
    expect(some.cost.calls - none.cost.calls).toBeLessThanOrEqual(1)
    expect(some.cost.calls).toBeLessThanOrEqual(24)
  })
})
