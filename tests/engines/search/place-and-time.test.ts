import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
  const following = await followTable()
  await publish(app, 'structures', {
    name: 'Bhimsen Temple',
    structure_type: 'Temple',
    location_name: 'Patan',
    coordinates: '27.6737, 85.3250',
    construction_date: '1680 CE',
  })
  await publish(app, 'structures', { name: 'Nyatapola', structure_type: 'Temple', coordinates: '27.6713, 85.4293' })
  await following.settled()
})
const search = async (query: string) => sure(200, await app.anon.get(`/data/search/?${query}`))
const titles = async (query: string) => (await search(query)).results.map((it: { title: string }) => it.title)

test('places and times narrow a search, alone as well', async () => {
  expect(await titles('bbox=85.3,27.6,85.35,27.7')).toEqual(['Bhimsen Temple'])
  expect(await titles('near=27.67,85.43&within=2')).toEqual(['Nyatapola'])
  expect(await titles('q=temple&near=27.67,85.43&within=50&sort=distance')).toEqual(['Nyatapola', 'Bhimsen Temple'])
  for (const from of ['1680', 'BS 1737', 'NS 800', '१६८०', '17th century'])
    expect(await titles(`from=${from}&to=1700`), from).toEqual(['Bhimsen Temple'])
  expect(await titles('from=1681')).toEqual([])
})

test('a box across the date line, a place elsewhere and a time before all answer with nothing', async () => {
  for (const query of [
    'bbox=179,-10,-179,60',
    'near=-27.67,-85.43',
    'to=300 BCE',
    'from=2001',
    'to=NS 1',
    'bbox=0,0,0,0',
  ])
    expect(await search(query), query).toMatchObject({ count: 0, results: [] })
})

test('near what is no known place the rest is answered, and told', async () => {
  const answer = await search('q=temples near boudha')
  expect(answer).toMatchObject({ count: 2, left_out: ['near', 'boudha'] })
  expect(answer.interpreted).toEqual([{ key: 'sort:temples', text: 'temples', as: 'sort', value: 'Temple' }])
  // A slip in the name of a record that has a point.
  const { interpreted, left_out, results } = await search('q=temples near nyatapla')
  expect([interpreted.at(-1).value, left_out, results[0].title]).toEqual(['Nyatapola, 2 km', [], 'Nyatapola'])
})

test('and lists', async () => {
  const listed = sure(200, await app.anon.get('/cidoc/structures/?bbox=85.3,27.6,85.35,27.7'))
  expect(listed.results.map((it: { name: string }) => it.name)).toEqual(['Bhimsen Temple'])
  expect((await app.anon.get('/cidoc/structures/?bbox=1,2,3')).status).toBe(400)
})

test('a map is answered to those who ask for one', async () => {
  const { status, headers, body } = await app.anon.get('/data/search/?q=temple', {
    headers: { accept: 'application/geo+json' },
  })
  expect([status, headers['content-type'], body.type]).toEqual([200, 'application/geo+json', 'FeatureCollection'])
  expect(body.features[0].geometry).toEqual({ type: 'Point', coordinates: [expect.any(Number), expect.any(Number)] })
})

const box = 'Give west, south, east and north in degrees, neither pair swapped: 85.2,27.6,85.5,27.8.'
const point = 'Give latitude and longitude in degrees: 27.67,85.32.'
const date =
  'Give a year of our era (1702, 300 BCE), of Bikram Sambat (BS 1759) or of Nepal Sambat (NS 822), or a period (Malla period).'
const part = 'Give keys of `interpreted`, such as place:patan.'
let many = 0
test.each([
  ['bbox=85.5,27.8,85.2,27.6', { bbox: [box] }],
  ['bbox=85.5,27.6,85.2,27.8', { bbox: [box] }],
  ['bbox=85.2,27.8,85.5,27.6', { bbox: [box] }],
  ['bbox=NaN,0,Infinity,1', { bbox: [box] }],
  ['bbox=1e2,0,1.2e2,1', { bbox: [box] }],
  ['bbox=1,2,3', { bbox: [box] }],
  ['bbox=1,2,3,4,5', { bbox: [box] }],
  ['bbox=a,b,c,d', { bbox: [box] }],
  ['bbox=181,0,182,1', { bbox: [box] }],
  ['near=patan', { near: [point] }],
  ['near=91,0', { near: [point] }],
  ['near=85.3', { near: [point] }],
  ['near=,', { near: [point] }],
  ['near=27.6,85.3,5', { near: [point] }],
  ['near=27.6,85.3&within=far', { within: ['Give kilometres, more than 0 and at most 1000.'] }],
  ['near=27.6,85.3&within=0', { within: ['Give kilometres, more than 0 and at most 1000.'] }],
  ['q=a&within=5', { within: ['Give near as well: the point to measure from.'] }],
  ['q=a&sort=distance', { sort: ['Give near as well: the point to measure from.'] }],
  ['from=soon', { from: [date] }],
  ['from=1700&to=1600', { to: ['It lies before from.'] }],
  ['from=BS 2000&to=1600', { to: ['It lies before from.'] }],
  ['from=1600&to=BS 1600', { to: ['It lies before from.'] }],
  ['from=1600&to=NS 600', { to: ['It lies before from.'] }],
  ['from=100 BCE&to=300 BCE', { to: ['It lies before from.'] }],
  ['from=NaN', { from: [date] }],
  ['from=99999', { from: [date] }],
  ['from=Infinity', { from: [date] }],
  ['q=&page=1', { q: ['This parameter is required.'] }],
  ['q=a&literal=2', { literal: ['Give true or false.'] }],
  ['q=a&without=patan', { without: [part] }],
  ['q=a&without=town:patan', { without: [part] }],
  ['q=a&without=place:', { without: [part] }],
  ['q=a&without=place:patan&without=place:a:b', { without: [part] }],
  [
    `q=a${'&without=place:'.repeat(25).replace(/place:/g, () => `place:w${many++}`)}`,
    { without: ['Give 24 keys at most.'] },
  ],
])('%s is refused with the reason', async (query, fields) => {
  const { status, body } = await app.anon.get(`/data/search/?${query}`)
  expect([status, body]).toEqual([400, fields])
})

test('a part of what was understood is taken back by its key, in results, counts and on the map', async () => {
  const asked = async (more: string) => {
    const { status, body } = await app.anon.get(`/data/search/?q=temples before 1650${more}`)
    expect(status).toBe(200)
    return body.interpreted.map(({ key }: { key: string }) => key)
  }
  const keys = await asked('')
  expect(keys).toContain('years:before-1650')
  expect(await asked('&without=years:before-1650')).not.toContain('years:before-1650')
  expect(await asked('&without=YEARS:Before-1650&without=')).not.toContain('years:before-1650')
  expect(await asked('&without=place:nowhere')).toEqual(keys)
})
