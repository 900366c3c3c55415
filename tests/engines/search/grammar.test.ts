import { describe, expect, test } from 'vitest'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { documentOf } from '../../harness/search-documents.ts'
import { modelOf } from '../../harness/search-model.ts'

/** What the grammar of questions understands, over a town of our own: Testpur, with a hill four kilometres away. */

let numbers = 0
const document = (title: string, also: Partial<SearchDocument> = {}) => documentOf(++numbers, title, also)
const years = (from: number, to = from) => ({ from, to, approximate: false })
const centre = { lat: 20, lng: 80 }
const east = (kilometres: number) => ({ lat: 20, lng: 80 + kilometres / 104.6 })

const all = [
  document('Testpur', { resource: 'locations', point: centre, values: { type: ['town'] } }),
  document('Moon Hill', { resource: 'locations', point: east(8) }),
  document('Lamp Temple', { point: east(0.2), years: years(1650), values: { deity: ['Shiva'] } }),
  document('Flute Temple', { point: east(0.9), years: years(1720), values: { deity: ['Krishna'] } }),
  document('Drum Temple', { point: east(8.3), years: years(1810), text: 'The largest of the hill. Pagoda roofs.' }),
  document('River Temple', { point: east(60), years: years(-200), identifiers: ['wd:Q4711', 'osm:way/12345'] }),
  document('Bell Stupa', { point: east(0.4), summary: 'Collapsed in an earthquake.' }),
  document('Small Stupas', { point: east(30) }),
  document('Spring Jatra', { resource: 'festivals', summary: 'Held in May.' }),
  document('Snow Jatra', { resource: 'festivals', summary: 'Held in January.' }),
  document('Builder Sen', { resource: 'persons', years: years(1715, 1755) }),
]
const hidden = document('Secretgaun', { resource: 'locations', point: centre, is_published: false })

const anon = { signedIn: false, everything: false, own: null }
const model = await modelOf([...all, hidden])
const ask = (text: string, also: object = {}) => model.search({ text, scope: anon, limit: 20, ...also })
const titles = async (text: string, also: object = {}) => (await ask(text, also)).hits.map(({ title }) => title)

describe('exclusion', () => {
  test.each([
    ['temples not in testpur', ['Drum Temple', 'River Temple']],
    ['temples outside testpur', ['Drum Temple', 'River Temple']],
    ['testpur bahek mandir', ['Drum Temple', 'River Temple']],
    ['मन्दिर testpur बाहिरका', ['Drum Temple', 'River Temple']],
    ['testpur ke bahar mandir', ['Drum Temple', 'River Temple']],
    ['temples without pagoda', ['Flute Temple', 'Lamp Temple', 'River Temple']],
    ['temples, not shiva', ['Drum Temple', 'Flute Temple', 'River Temple']],
    ['temples -krishna -shiva', ['Drum Temple', 'River Temple']],
    ['neither shiva nor krishna temples', ['Drum Temple', 'River Temple']],
    ["temples that aren't in testpur", ['Drum Temple', 'River Temple']],
    ['temples but not at testpur', ['Drum Temple', 'River Temple']],
    ['temples not near testpr', ['Drum Temple', 'River Temple']],
  ])('%s', async (text, expected) => {
    expect((await titles(text)).toSorted()).toEqual(expected)
  })

  test('is told as such, and nothing that is excluded is told as wanted', async () => {
    expect((await ask('temples except shiva')).interpreted).toEqual([
      { key: 'sort:temples', text: 'temples', as: 'sort', value: 'Temple' },
      { key: 'deity:except-shiva', text: 'except shiva', as: 'deity', value: 'Shiva', excluded: true },
    ])
    expect((await ask('temples outside testpur')).interpreted?.at(-1)).toEqual({
      key: 'place:outside-testpur',
      text: 'outside testpur',
      as: 'place',
      value: 'Testpur',
      excluded: true,
    })
  })

  test('of what nobody knows excludes nothing, and says so', async () => {
    const { count, left_out } = await ask('temples without zzxqv')
    expect([count, left_out]).toEqual([4, ['zzxqv']])
    // "Krisna" is no place. Nothing says that the deity of this name is meant.
    const near = await ask('temples not near krisna')
    expect([near.count, near.left_out]).toEqual([4, ['not near', 'krisna']])
  })
})

describe('nearness', () => {
  test.each([
    ['temples near testpur', ['Lamp Temple', 'Flute Temple']],
    ['testpur najik mandir', ['Lamp Temple', 'Flute Temple']],
    ['temples near 20.0001,80.0001', ['Lamp Temple', 'Flute Temple']],
    ['temples near N20.0001 E80.0001', ['Lamp Temple', 'Flute Temple']],
    ['temples within 500 m of testpur', ['Lamp Temple']],
    ['temples 1 km from moon hill', ['Drum Temple']],
    ['temples close to the moon hill', ['Drum Temple']],
    ['testpur ko najik ko mandir', ['Lamp Temple', 'Flute Temple']],
    ['nearest temples to testpur', ['Lamp Temple', 'Flute Temple', 'Drum Temple']],
    ['temples near 20°00′00″N 80°00′00″E', ['Lamp Temple', 'Flute Temple']],
    ["temples near 20°0'N, 80°0'E", ['Lamp Temple', 'Flute Temple']],
    ['temples to visit near testpur', ['Lamp Temple', 'Flute Temple']],
    ['temples near lat 20.0001 lon 80.0001', ['Lamp Temple', 'Flute Temple']],
    ['temples near longitude: 80.0001, latitude: 20.0001', ['Lamp Temple', 'Flute Temple']],
    // A slip in the name of a place.
    ['temples near testpr', ['Lamp Temple', 'Flute Temple']],
    ['temples within 500 m of tesptur', ['Lamp Temple']],
    ['testpr najik mandir', ['Lamp Temple', 'Flute Temple']],
    ['nearest temples to testpr', ['Lamp Temple', 'Flute Temple', 'Drum Temple']],
  ])('%s, the nearest first', async (text, expected) => {
    expect(await titles(text)).toEqual(expected)
  })

  test('of a thing shows the thing after the others, unless it is one of those that are asked for', async () => {
    const near = async (text: string) => (await titles(text)).slice(0, 4)
    expect(await near('what is around the bell stupa')).toEqual([
      'Lamp Temple',
      'Testpur',
      'Flute Temple',
      'Bell Stupa',
    ])
    expect(await near('buildings near the lamp temple')).toEqual(['Bell Stupa', 'Flute Temple', 'Lamp Temple'])
    expect(await near('temples near the lamp temple')).toEqual(['Flute Temple', 'Lamp Temple'])
    expect(await near('temples near lamp')).toEqual(['Lamp Temple', 'Flute Temple'])
  })

  test('is told with the place and the distance', async () => {
    expect((await ask('temples within 500 m of testpur')).interpreted?.at(-1)).toEqual({
      key: 'near:within-500-m-of-testpur',
      text: 'within 500 m of testpur',
      as: 'near',
      value: 'Testpur, 0.5 km',
    })
  })

  test('of a part of a name is that of the records with it, if they lie together', async () => {
    const named = await modelOf([
      document('Gilded Hall of the Otter Weavers', { point: centre }),
      document('Otter Weavers, a guild', { point: east(1) }),
      document('Heron Weavers of the Plain', { point: east(20) }),
      document('Lamp Temple', { point: east(0.5) }),
      document('Drum Temple', { point: east(20) }),
    ])
    const near = async (text: string) =>
      (await named.search({ text, scope: anon, limit: 5 })).hits.map((it) => it.title)
    expect(await near('temples near the otters')).toEqual(['Lamp Temple'])
    expect((await near('temples near the weavers')).toSorted()).toEqual(['Drum Temple', 'Lamp Temple'])
  })

  test('of a hidden record is that of a name that nobody knows, in a near spelling, too', async () => {
    expect((await ask('temples near secretgan')).left_out).toEqual(['near', 'secretgan'])
    const [secret, unknown] = [await ask('temples near secretgaun'), await ask('temples near sekkretgxun')]
    expect(secret.hits).toEqual(unknown.hits)
    expect(secret.interpreted).toEqual(unknown.interpreted)
    const reviewer = { signedIn: true, everything: true, own: null }
    expect((await ask('temples near secretgaun', { scope: reviewer })).hits.map(({ title }) => title)).toEqual([
      'Lamp Temple',
      'Flute Temple',
    ])
  })

  test.each([
    ['temples near wxyzville', ['near', 'wxyzville'], 4],
    ['temples near krisna', ['near', 'krisna'], 4],
    ['temples near the wxyzville fort', ['near', 'wxyzville', 'fort'], 4],
    ['near wxyzville temples', ['near', 'wxyzville'], 4],
    ['wxyzville najik mandir', ['najik', 'wxyzville'], 4],
    ['temples within 2 km of wxyzville', ['within 2 km of', 'wxyzville'], 4],
    ['nearest temple to wxyzville', ['nearest', 'wxyzville'], 4],
    // A word that documents hold, but no temple.
    ['temples near an earthquake', ['near', 'earthquake'], 4],
    ['what is near wxyzville', ['near', 'wxyzville'], 0],
  ])('of what is no place is told, and the rest is answered: %s', async (text, leftOut, found) => {
    const { count, left_out, interpreted = [] } = await ask(text)
    expect([count, left_out]).toEqual([found, leftOut])
    expect(interpreted.filter(({ as }) => as !== 'sort')).toEqual([])
  })

  test('of words that some of the things hold are told as words, which can be taken back', async () => {
    const { hits, interpreted, left_out } = await ask('temples near roofs')
    expect(hits.map(({ title }) => title)).toEqual(['Drum Temple'])
    const part = { key: 'words:near-roofs', text: 'near roofs', as: 'words', value: 'roofs' }
    expect([interpreted?.at(-1), left_out]).toEqual([part, undefined])
    expect((await ask('temples near roofs', { without: ['words:near-roofs'] })).interpreted).toHaveLength(1)
  })
})

describe('in a place', () => {
  test.each([
    ['temples in testpur', ['Flute Temple', 'Lamp Temple']],
    // A slip, or a word behind the place.
    ['temples in testpr', ['Flute Temple', 'Lamp Temple']],
    ['temples at the moon hill', ['Drum Temple']],
    ['testpr ma mandir', ['Flute Temple', 'Lamp Temple']],
    ['temples not in testpr', ['Drum Temple', 'River Temple']],
    ['temples in roofs', ['Drum Temple']],
  ])('%s', async (text, expected) => {
    expect((await titles(text)).toSorted()).toEqual(expected)
  })

  const called = modelOf([
    document('Great Stupa of Loam', { point: centre }),
    document('Lamp Temple', { point: east(1.5), text: 'Of Loam Devi.' }),
    document('Drum Temple', { point: east(20) }),
    document('Fort Fern', { point: east(40) }),
  ])
  const askCalled = async (text: string) => (await called).search({ text, scope: anon, limit: 5 })

  test('that is a part of a name is what lies around the records with this name', async () => {
    const { hits, interpreted } = await askCalled('stupas in loam')
    expect(hits.map(({ title }) => title)).toEqual(['Great Stupa of Loam'])
    expect(interpreted?.at(-1)).toMatchObject({ as: 'place', text: 'in loam', value: 'Great Stupa of Loam' })
  })

  test('without any of what is asked for, the things near it answer, and that is told', async () => {
    const near = await modelOf([
      document('Loam', { resource: 'locations', point: centre }),
      document('Lamp Temple', { point: east(1.5) }),
      document('Drum Temple', { point: east(20) }),
    ])
    const { hits, interpreted } = await near.search({ text: 'temples in loam', scope: anon, limit: 5 })
    expect(hits.map(({ title }) => title)).toEqual(['Lamp Temple'])
    expect(interpreted?.at(-1)).toMatchObject({ key: 'near:in-loam', as: 'near', value: 'Loam, 2 km' })
    const without = ['near:in-loam']
    const other = await near.search({ text: 'temples in loam', scope: anon, limit: 5, without })
    expect(other.interpreted?.map(({ as }) => as)).not.toContain('near')
    // A part of a name with nothing near it is no place.
    expect(await askCalled('temples in fern')).toMatchObject({ count: 2, left_out: ['in', 'fern'] })
  })

  test.each([
    ['temples in wxyzville', ['in', 'wxyzville'], 4],
    ['temples in wxyzville before 1700', ['in', 'wxyzville'], 2],
    // A word that documents hold, but no temple.
    ['temples in held', ['in', 'held'], 4],
    // No sort of thing is asked for.
    ['tickets in wxyzville', ['wxyzville'], 0],
  ])('that nobody knows is told, and the things answer: %s', async (text, leftOut, found) => {
    const { count, left_out } = await ask(text)
    expect([count, left_out]).toEqual([found, leftOut])
  })
})

describe('time and order', () => {
  test.each([
    ['temples before 1700', ['Lamp Temple', 'River Temple']],
    ['temples after 1700', ['Drum Temple', 'Flute Temple']],
    ['temples between 1700 and 1760', ['Flute Temple']],
    ['temples from 1700 to 1760', ['Flute Temple']],
    ['temples in 1720', ['Flute Temple']],
    ['temples before christ', ['River Temple']],
    ['built between 1700 and 1760', ['Flute Temple']],
    ['temples more than 2000 years old', ['River Temple']],
    ['temples older than 2000 years', ['River Temple']],
    ['2000 barsa bhanda purano mandir', ['River Temple']],
    ['temples less than 1500 years old', ['Drum Temple', 'Flute Temple', 'Lamp Temple']],
    ['who was born before 1730', ['Builder Sen']],
    ['who lived in 1750', ['Builder Sen']],
  ])('%s', async (text, expected) => {
    expect((await titles(text)).toSorted()).toEqual(expected)
  })

  test('the oldest and the newest come first', async () => {
    const oldest = ['River Temple', 'Lamp Temple', 'Flute Temple', 'Drum Temple']
    expect(await titles('oldest temple')).toEqual(oldest)
    expect(await titles('सबैभन्दा पुरानो मन्दिर')).toEqual(oldest)
    expect(await titles('newest temples')).toEqual(oldest.toReversed())
  })

  test('a superlative without a figure prefers what says so of itself', async () => {
    expect((await titles('biggest temple'))[0]).toBe('Drum Temple')
    expect(await titles('biggest temple')).toHaveLength(4)
  })

  test('of two words of one meaning the superlative counts more, and another record of the same thing follows', async () => {
    const towers = await modelOf([
      document('Wind Tower', { text: 'A week-long walk away.' }),
      document('Ember Tower', { text: 'The longest tower.', point: centre }),
      document('Ember', { resource: 'locations', summary: 'A tower.', point: east(0.1) }),
      document('Ember Tower', { text: 'Seen from far.', point: east(90) }),
    ])
    const { hits } = await towers.search({ text: 'longest tower', scope: anon, limit: 3 })
    expect(hits.map(({ title }) => title)).toEqual(['Ember Tower', 'Ember', 'Wind Tower'])
  })

  test('months and seasons are no joining words', async () => {
    expect((await titles('festivals in may'))[0]).toBe('Spring Jatra')
    expect((await titles('festivals in the month of may'))[0]).toBe('Spring Jatra')
    expect((await titles('winter festivals'))[0]).toBe('Snow Jatra')
  })

  test.each([
    ...['festival in winter', 'festivals in the winter', 'festivals in magh', 'jado ma hune chad'],
    ...['जाडोको जात्रा', 'जाडोमा हुने चाड', 'हिउँदका चाडहरू', 'माघको जात्रा'],
  ])('a season asks for festivals of its months: %s', async (text) => {
    expect((await titles(text))[0]).toBe('Snow Jatra')
  })

  test('a season of which no festival says anything is left out, and all festivals answer', async () => {
    const timeless = await modelOf([
      document('Lantern Jatra', { resource: 'festivals' }),
      document('Rope Jatra', { resource: 'festivals' }),
    ])
    for (const [text, season] of [
      ['festival in winter', 'winter'],
      ['festivals in magh', 'magh'],
      ['जाडोको जात्रा', 'जाडोको'],
    ] as const) {
      const { count, left_out } = await timeless.search({ text, scope: anon, limit: 5 })
      expect([text, count, left_out]).toEqual([text, 2, [season]])
    }
  })
})

describe('identifiers', () => {
  test.each([
    ...['Q4711', 'wd:Q4711', 'osm way 12345', 'way/12345', '12345'],
    ...['example.org/wiki/Q4711', 'https://www.example.org/way/12345?zoom=5', 'register Q4711'],
  ])('%s', async (text) => {
    const { hits, interpreted } = await ask(text)
    expect(hits.map(({ title }) => title)).toEqual(['River Temple'])
    expect(interpreted).toMatchObject([{ text, as: 'identifier', value: text }])
  })
  test('another one finds nothing', async () => {
    expect(await titles('Q4712')).toEqual([])
  })
})

describe('words', () => {
  test('a word that nobody knows is left out and told', async () => {
    const { count, left_out } = await ask('temple zzxqvw')
    expect([count, left_out]).toEqual([4, ['zzxqvw']])
  })
  test.each([
    ['wxyzq temple', ['wxyzq']],
    ['where is the wxyzq vlmnop temple', ['wxyzq', 'vlmnop']],
    ['stupa of wxyzq', ['wxyzq']],
  ])('the name of one thing that nobody knows is not just any such thing: %s', async (text, leftOut) => {
    const { count, left_out } = await ask(text)
    expect([count, left_out]).toEqual([0, leftOut])
  })
  test.each([
    ['wxyzq temples', 4],
    ['temple wxyzq', 4],
    ['wxyzq temple near testpur', 2],
    ['lmap temple', 1],
    ['lamptemple', 1],
  ])('several things, and a name with a slip, are answered: %s', async (text, found) => {
    expect((await ask(text)).count).toBe(found)
  })
  test('praise does not count', async () => {
    const { count, left_out } = await ask('beautiful temples')
    expect([count, left_out]).toEqual([4, ['beautiful']])
  })
  test('a sort of thing means all of it, though something is called so', async () => {
    expect((await titles('stupas')).toSorted()).toEqual(['Bell Stupa', 'Small Stupas'])
  })
  test('what is destroyed is a state, not an exclusion', async () => {
    expect(await titles('buildings no longer standing')).toEqual(['Bell Stupa'])
  })
  test('structures and made ask for texts where no thing that was made answers', async () => {
    const texts = await modelOf([
      document('Reading', { resource: 'sources', text: 'Fatigue of structures under load.' }),
    ])
    const found = async (text: string) => (await texts.search({ text, scope: anon, limit: 5 })).count
    expect([await found('fatigue of structures'), await found('fatigue of buildings near loads made in 1999')]).toEqual(
      [1, 0],
    )
  })
  test('a denied sentence excludes nothing', async () => {
    const texts = await modelOf([document('Reading', { resource: 'sources', text: 'Fatigue of ropes under load.' })])
    const text = 'it is not likely that the fatigue of ropes under load can be known'
    expect((await texts.search({ text, scope: anon, limit: 5 })).count).toBe(1)
  })
  test('nonsense finds nothing', async () => {
    for (const text of ['qqq', 'xxxx', 'zzz qqq', 'lkjhg']) expect([text, await titles(text)]).toEqual([text, []])
  })
  test('a name may hold words of the grammar', async () => {
    const named = await modelOf([document('House Near the Old Gate'), document('Gate'), document('Not a Temple')])
    const first = async (text: string) => (await named.search({ text, scope: anon, limit: 5 })).hits[0]?.title
    expect(await first('House Near the Old Gate')).toBe('House Near the Old Gate')
    expect(await first('Not a Temple')).toBe('Not a Temple')
  })
  test('literal=true takes every word as it is', async () => {
    const { interpreted } = await ask('temples near testpur', { literal: true })
    expect(interpreted).toBeUndefined()
  })
})

describe('a question that few records answer', async () => {
  const few = await modelOf([
    document('Heron Tower', { summary: 'A hall made of one single cedar.', point: centre }),
    document('Heron', { summary: 'A shelter.', point: east(0.2) }),
    document('Heron Tower', { summary: 'Far away.', point: east(90) }),
    document('Otter Loft', { text: 'A hall with a cedar roof, mended often. Its beams are of one length.' }),
    document('Elm Hall', { summary: 'A hall.' }),
    document('Great Earthquake of 1801', { resource: 'events', summary: 'It damaged many halls.' }),
    document('Bell Court', { summary: 'Damaged by an earthquake.' }),
    document('Maya Dolvi Well', { summary: 'A well.' }),
    document('Autumn Feast', { resource: 'festivals', summary: 'Held in October.' }),
  ])
  const found = async (text: string) => (await few.search({ text, scope: anon, limit: 9 })).hits.map((it) => it.title)

  test('shows the other record of the same thing, and not one that is far away', async () => {
    expect((await found('hall of one single cedar')).slice(0, 2)).toEqual(['Heron Tower', 'Heron'])
    expect((await found('hall of one single cedar')).filter((it) => it === 'Heron Tower')).toHaveLength(1)
  })
  test('shows after them what lacks one word', async () => {
    expect(await found('hall of one single cedar')).toContain('Otter Loft')
    expect(await found('hall of one single cedar')).not.toContain('Elm Hall')
  })
  test('shows what an earthquake damaged before the earthquake', async () => {
    expect((await found('damaged in the earthquake'))[0]).toBe('Bell Court')
    expect((await found('great earthquake'))[0]).toBe('Great Earthquake of 1801')
  })
  test('reads two words that were joined with a slip', async () => {
    expect(await found('mayadovli')).toEqual(['Maya Dolvi Well'])
    expect(await found('mayaxxqzv')).toEqual([])
  })
  test('finds festivals by what is celebrated', async () => {
    expect((await found('what is celebrated in autumn'))[0]).toBe('Autumn Feast')
  })
})

describe('what was understood is taken back part by part', () => {
  const understood = async (text: string, without?: readonly string[]) => {
    const { interpreted = [] } = await ask(text, { without })
    return interpreted.map(({ key }) => key)
  }
  test.each([
    ['temples near testpur', ['near:near-testpur'], ['sort:temples']],
    ['temples near testpur', ['sort:temples'], ['near:near-testpur']],
    ['temples near testpur', ['sort:temples', 'near:near-testpur'], []],
    ['hill temples except pagoda', ['words:except-pagoda'], ['sort:hill', 'sort:temples']],
    ['temples -pagoda', ['words:pagoda'], ['sort:temples']],
    ['oldest temples', ['order:oldest'], ['sort:temples']],
    ['largest temple', ['order:largest'], ['sort:temple']],
    ['Q4711', ['identifier:q4711'], []],
    ['temples', ['place:temples-of-gold'], []],
    ['temples near testpur', ['place:elsewhere'], ['sort:temples', 'near:near-testpur']],
  ])('%s without %j', async (text, without, expected) => {
    expect(await understood(text, without)).toEqual(expected)
  })

  test('every part has a key of its own that takes it back, and no other part of the question', async () => {
    for (const text of [
      'temples near testpur before 1700',
      'oldest temples -pagoda',
      'pagoda temples near moon hill',
    ]) {
      const keys = await understood(text)
      expect(new Set(keys).size, text).toBe(keys.length)
      for (const key of keys) expect(await understood(text, [key]), key).toEqual(keys.filter((other) => other !== key))
    }
  })

  test('its words are words again: they find what holds them', async () => {
    expect(await titles('spring jatra', { without: ['festival:spring-jatra', 'month:spring'] })).toContain(
      'Spring Jatra',
    )
    expect(await titles('oldest temple', { without: ['sort:temple'] })).toEqual(
      (await titles('oldest temple', { without: ['sort:temple'] })).filter((it) => it.includes('Temple')),
    )
  })
})

test('a question of very many parts looks for few places', async () => {
  const { interpreted = [] } = await ask(`temples ${'near testpur, '.repeat(20)}`)
  expect(interpreted.filter(({ as }) => as === 'near').length).toBeLessThanOrEqual(4)
})
