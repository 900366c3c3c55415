import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { serveHandlers } from '../../harness/gateway.ts'
import { copies, everyState, publish, sure } from '../../harness/make.ts'

const run = promisify(execFile)
const hasGdal = await run('ogrinfo', ['--version']).then(
  () => true,
  () => false,
)
if (!hasGdal) console.warn('skipped: GDAL as a client of features, which is not installed (apt-get install gdal-bin)')

let app: App
let service: Awaited<ReturnType<typeof serveHandlers>>
const items = '/ogc/collections/structures/items/'
beforeAll(async () => {
  app = await openApp()
  const following = await followTable()
  await everyState(app, 'structures')
  await publish(app, 'structures', {
    name: 'Nyatapola',
    coordinates: '27.6713, 85.4293',
    construction_date: '1702 CE',
  })
  const patan = await publish(app, 'structures', { name: 'Krishna Mandir', coordinates: '27.6737, 85.3250' })
  await publish(app, 'structures', {
    name: 'Kept vague',
    coordinates: '27.6737, 85.3250',
    access_tier: 'sensitive_indigenous',
  })
  await copies(patan, 120)
  await following.settled()
  service = await serveHandlers()
}, 120_000)
afterAll(() => service?.stop())

const pageAt = async (query: string) => sure(200, await app.anon.get(`${items}?${query}`))
const names = (page: { features: { properties: { name: string } }[] }) => page.features.map((it) => it.properties.name)

describe('the standard', () => {
  test('is found from the first page on: conformance, collections, and an API document of OpenAPI 3.0', async () => {
    const home = sure(200, await app.anon.get('/ogc'))
    const at = (rel: string) =>
      home.links.find((it: { rel: string }) => it.rel === rel).href.replace(/^[^/]*\/\/[^/]*/, '')
    const { conformsTo } = sure(200, await app.anon.get(at('conformance')))
    expect(conformsTo).toContain('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core')
    const { collections } = sure(200, await app.anon.get(at('data')))
    expect(collections.map(({ id }: { id: string }) => id)).toContain('structures')
    const api = await app.anon.get(at('service-desc'))
    expect(api.headers['content-type']).toBe('application/vnd.oai.openapi+json;version=3.0')
    // The standard's own names of the paths, by which clients look for them: without a slash at the end.
    expect(Object.keys(api.body.paths)).toEqual([
      '/',
      '/conformance',
      '/api',
      '/collections',
      '/collections/{collectionId}',
      '/collections/{collectionId}/items',
      '/collections/{collectionId}/items/{featureId}',
    ])
  })

  test('each collection leads to its items; one that is not there is 404', async () => {
    const { collections } = sure(200, await app.anon.get('/ogc/collections/'))
    for (const { links, id } of collections) {
      const at = links.find((it: { rel: string }) => it.rel === 'items').href.replace(/^[^/]*\/\/[^/]*/, '')
      expect(sure(200, await app.anon.get(`/ogc/collections/${id}/`)).id).toBe(id)
      const page = await app.anon.get(at, { query: { limit: 1 } })
      expect([id, page.status, page.headers['content-type']]).toEqual([id, 200, 'application/geo+json'])
    }
    expect((await app.anon.get('/ogc/collections/nothing/')).status).toBe(404)
    expect((await app.anon.get('/ogc/collections/nothing/items/')).status).toBe(404)
  })

  test('a page tells how many match and how many it has, and leads to the next until all were seen once', async () => {
    const list = sure(200, await app.anon.get('/cidoc/structures/'))
    const seen: number[] = []
    let at: string | undefined = `${items}?limit=50`
    while (at !== undefined) {
      const page = sure(200, await app.anon.get(at))
      expect([page.type, page.numberMatched, page.numberReturned]).toEqual([
        'FeatureCollection',
        list.count,
        page.features.length,
      ])
      seen.push(...page.features.map(({ id }: { id: number }) => id))
      at = page.links.find((it: { rel: string }) => it.rel === 'next')?.href.replace(/^[^/]*\/\/[^/]*/, '')
    }
    expect([seen.length, new Set(seen).size]).toEqual([list.count, list.count])
  })

  test('a larger page than 100 is lowered to it', async () => {
    expect((await pageAt('limit=10000')).numberReturned).toBe(100)
  })

  test.each([
    ['bbox=85.42,27.6,85.5,27.7', ['Nyatapola']],
    ['bbox=85.42,27.6,0,85.5,27.7,100', ['Nyatapola']],
    ['bbox=0,0,1,1', []],
    ['datetime=1702-06-01T00:00:00Z', ['Nyatapola']],
    ['datetime=1700-01-01T00:00:00Z/1710-01-01T00:00:00Z', ['Nyatapola']],
    ['datetime=1700-01-01/..', ['Nyatapola']],
    ['datetime=../1701-12-31T00:00:00Z', []],
    ['datetime=/1800-01-01', ['Nyatapola']],
  ])('%s', async (query, expected) => {
    expect(names(await pageAt(query))).toEqual(expected)
  })

  const interval =
    'Give a moment, or two in order with a slash between them. Two dots are an open end, as in ../1700-12-31.'
  test.each([
    ['datetime=soon', { datetime: [interval] }],
    ['datetime=../..', { datetime: [interval] }],
    ['datetime=1702-13-01T00:00:00Z', { datetime: [interval] }],
    ['datetime=1701-01-01/1702-01-01/1703-01-01', { datetime: [interval] }],
    ['datetime=1702-01-01/1700-01-01', { datetime: [interval] }],
    ['bbox=85,27,low,86,28,high', { bbox: [expect.stringContaining('Give west, south, east and north')] }],
    ['limit=0', { limit: ['A whole number from 1 is wanted.'] }],
    ['limit=-1', { limit: ['A whole number from 1 is wanted.'] }],
    ['limit=many', { limit: ['A whole number from 1 is wanted.'] }],
    ['limit=', { limit: ['A whole number from 1 is wanted.'] }],
    ['offset=-1', { offset: ['A whole number from 0 is wanted.'] }],
    ['page=2', { page: ['There is no such parameter.'] }],
    ['crs=http://www.opengis.net/def/crs/EPSG/0/4326', { crs: ['There is no such parameter.'] }],
    [
      'filter=name=1&filter-lang=cql2-text',
      {
        filter: ['There is no such parameter.'],
        'filter-lang': ['There is no such parameter.'],
      },
    ],
    ['bbox=1,2,3', { bbox: [expect.stringContaining('Give west, south, east and north')] }],
    ['colour=red', { colour: ['There is no such parameter.'] }],
    ['f=html', { f: ['Only json is here.'] }],
  ])('%s is refused with the reason', async (query, fields) => {
    const { status, body } = await app.anon.get(`${items}?${query}`)
    expect([status, body]).toEqual([400, fields])
  })

  test.each(['', 'api', 'conformance', 'collections', 'collections/structures', 'collections/structures/items/1'])(
    'an unknown parameter of /ogc/%s is refused, and f=json is not unknown',
    async (path) => {
      const { status, body } = await app.anon.get(`/ogc/${path}?colour=red`)
      expect([status, body]).toEqual([400, { colour: ['There is no such parameter.'] }])
      expect((await app.anon.get(`/ogc/${path}?f=json`)).status).not.toBe(400)
    },
  )

  test('the API document names each parameter that is answered, those of the link next too', async () => {
    const { paths } = sure(200, await app.anon.get('/ogc/api'))
    const { parameters } = paths['/collections/{collectionId}/items'].get
    const { links } = await pageAt('limit=2&f=json')
    const next = new URL(links.find((it: { rel: string }) => it.rel === 'next').href)
    const named = parameters.map(({ name }: { name: string }) => name)
    expect(named).toEqual(['collectionId', 'bbox', 'datetime', 'limit', 'offset', 'hint', 'f'])
    expect(named).toEqual(expect.arrayContaining([...next.searchParams.keys()]))
    expect(parameters[1].schema).toMatchObject({ minItems: 4, maxItems: 6 })
  })

  test('the links of a collection bear what clients append: the id of a feature', async () => {
    const { links } = sure(200, await app.anon.get('/ogc/collections/structures'))
    const at = links.find((it: { rel: string }) => it.rel === 'items').href.replace(/^[^/]*\/\/[^/]*/, '')
    expect(at).toBe('/ogc/collections/structures/items')
    const [{ id }] = (await pageAt('limit=1')).features
    expect(sure(200, await app.anon.get(`${at}/${id}`)).id).toBe(id)
  })

  test('one feature has its place, its values, and links to its collection and its record', async () => {
    const [{ id }] = (await pageAt('bbox=85.42,27.6,85.5,27.7')).features
    const feature = sure(200, await app.anon.get(`${items}${id}/`))
    expect(feature.geometry).toEqual({ type: 'Point', coordinates: [85.4293, 27.6713] })
    expect(feature.properties.name).toBe('Nyatapola')
    expect(feature.links.map(({ rel, type }: { rel: string; type: string }) => [rel, type])).toEqual([
      ['self', 'application/geo+json'],
      ['collection', 'application/json'],
      ['alternate', 'text/html'],
      ['alternate', 'application/json'],
    ])
    const page = new URL(feature.links[2].href).pathname
    sure(200, await app.anon.get(page, { headers: { accept: 'text/html' } }))
  })
})

describe('nothing hidden', () => {
  test.each(['anon', 'contributor', 'curator', 'staff'] as const)(
    'is shown to %s, in page, count or by id',
    async (who) => {
      const found: string[] = []
      const { numberMatched } = sure(200, await app[who].get(items))
      for (let offset = 0; offset < numberMatched; offset += 100) {
        const page = sure(200, await app[who].get(items, { query: { limit: 100, offset } }))
        found.push(...names(page))
      }
      expect(found.length).toBe(numberMatched)
      expect(found.filter((it) => /^(Sight (?!published)|Kept vague)/.test(it))).toEqual([])
      expect(names(sure(200, await app[who].get(`${items}?bbox=85.3,27.6,85.35,27.7`)))).not.toContain('Kept vague')
    },
  )
})

test('a page costs the same however deep it lies', async () => {
  const first = await app.anon.get(`${items}?limit=50`)
  let at = first
  for (let i = 0; i < 2; i += 1)
    at = await app.anon.get(
      at.body.links.find((it: { rel: string }) => it.rel === 'next').href.replace(/^[^/]*\/\/[^/]*/, ''),
    )
  expect(at.cost.units).toBeLessThanOrEqual(first.cost.units)
  expect(first.cost.units).toBeLessThan(100)
})

describe('?format=geojson', () => {
  test('names the media type in place of a header, on lists, records and searches', async () => {
    const accept = { accept: 'text/plain, application/json' }
    const list = await app.anon.get('/cidoc/structures/?format=geojson&limit=2', { headers: accept })
    expect([list.headers['content-type'], list.body.features.length]).toEqual(['application/geo+json', 2])
    expect(new URL(list.body.next).searchParams.get('format')).toBe('geojson')
    const one = await app.anon.get(`/cidoc/structures/${list.body.features[0].id}/?format=geojson`, { headers: accept })
    expect(one.body.type).toBe('Feature')
    const found = await app.anon.get('/data/search/?q=nyatapola&format=geojson', { headers: accept })
    expect(found.body.type).toBe('FeatureCollection')
    const refused = await app.anon.get('/data/comments/?format=geojson')
    expect(refused.status).toBe(400)
  })
})

describe.skipIf(!hasGdal)('GDAL', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'heritage-gdal-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const source = () => `OAPIF:${service.origin}/ogc/`
  const countIn = (out: string) => Number(/Feature Count: (\d+)/.exec(out)?.[1])
  const count = async (...args: string[]) => countIn((await run('ogrinfo', ['-so', ...args])).stdout)

  test('counts what our list counts, in a box too', async () => {
    const list = sure(200, await app.anon.get('/cidoc/structures/'))
    expect(await count(source(), 'structures')).toBe(list.count)
    const within = sure(200, await app.anon.get('/cidoc/structures/?bbox=85.42,27.6,85.5,27.7'))
    expect(await count(source(), 'structures', '-spat', '85.42', '27.6', '85.5', '27.7')).toBe(within.count)
  })

  test('copies all of them into a GeoPackage', async () => {
    const file = join(folder, 'structures.gpkg')
    await run('ogr2ogr', ['-f', 'GPKG', file, source(), 'structures'])
    expect(await count(file, 'structures')).toBe(sure(200, await app.anon.get('/cidoc/structures/')).count)
  })

  test('reads a list of ours with ?format=geojson', async () => {
    const out = await run('ogrinfo', ['-al', '-so', `${service.origin}/cidoc/structures/?format=geojson&limit=7`])
    expect(countIn(out.stdout)).toBe(7)
    expect(out.stdout).toContain('Geometry: Point')
  })
})
