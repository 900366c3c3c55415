import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona, type Sent } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { copies, everyState, people, publish, type State, sure } from '../../harness/make.ts'

const SEARCH = '/data/search/'
const SUGGEST = '/data/search/suggest/'

type Made = { id: number; cultural_entity_id: string }
type Result = { resource: string; id: string; title: string; score: number }

let app: App
let following: Following
let states: Record<State, Made>
let dhansar: Made
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  states = await everyState(app, 'traditions')
  dhansar = await publish(app, 'monuments', {
    name: 'Swayambhu Dhansar',
    name_ne: 'स्वयम्भू',
    alternate_names: ['Monkey Temple'],
    description: 'A great dhansar on a hill west of Kathmandu.',
    location_name: 'Kathmandu',
  })
  await publish(app, 'deities', { name: 'Adinath', description: 'Worshipped beside the dhansar.' })
  await publish(app, 'persons', { name: 'Dhansar Builder' })
  await publish(app, 'structures', { name: 'Shrine of many', description: 'One of a row.' })
  await following.settled()
})

const search = async (who: Persona, query: NonNullable<Sent['query']>) => sure(200, await who.get(SEARCH, { query }))
const titles = ({ results }: { results: Result[] }) => results.map((it) => it.title)
const refused = async (path: string) => {
  const { status, body } = await app.anon.get(path)
  return [status, body]
}

describe('an answer', () => {
  test('says what was asked, how much there is, and the page', async () => {
    const { updated_at } = sure(200, await app.anon.get(`/cidoc/monuments/${dhansar.id}/`))
    const body = await search(app.anon, { q: ' Swayambhu ', page_size: 5 })
    expect(body).toEqual({
      q: 'Swayambhu',
      page: 1,
      page_size: 5,
      count: 1,
      facets: null,
      interpreted: [],
      left_out: [],
      did_you_mean: null,
      results: [
        {
          resource: 'monuments',
          id: String(dhansar.id),
          title: 'Swayambhu Dhansar',
          summary: 'A great dhansar on a hill west of Kathmandu.',
          status: 'accepted',
          is_published: true,
          updated_at,
          score: expect.any(Number),
          url: `/knowledge/monument/view/${dhansar.id}`,
          location_hint: 'Kathmandu',
          cultural_entity_id: dhansar.cultural_entity_id,
          name_ne: 'स्वयम्भू',
          kind: 'monument',
          picture: null,
          place: 'Kathmandu',
          year: null,
          coordinates: null,
          snippet: '<mark>स्वयम्भू</mark>',
          distance_km: null,
          when: null,
        },
      ],
    })
    expect(body.results[0].score).toBeGreaterThan(0)
    expect(body.results[0].score).toBeLessThanOrEqual(1)
  })

  test.each(['/api/v1/data/search/', '/data/api/search', '/data/search'])('%s gives the same', async (path) => {
    const { body } = await app.anon.get(path, { query: { q: 'swayambhu' } })
    expect(titles(body)).toEqual(['Swayambhu Dhansar'])
  })

  test('counts by sort and by state of all that was found, when asked to', async () => {
    const { count, facets } = await search(app.anon, { q: 'dhansar', facets: 'true', page_size: 1 })
    expect([count, facets]).toEqual([
      3,
      { resource: { monuments: 1, deities: 1, persons: 1 }, status: { accepted: 3 }, place: { Kathmandu: 1 } },
    ])
    const { facets: own } = await search(app.contributor, { q: 'sight', facets: '1' })
    expect(own).toEqual({
      resource: { traditions: 5 },
      status: { accepted: 2, pending_review: 1, rejected: 1, pending_revision: 1 },
    })
  })

  test.each([
    'SWAYAMBHU',
    'svayambhu',
    'Swoyambhu',
    'स्वयम्भू',
    'Swayambhū',
    'monkey temple',
    'Swayanbhu',
    'swayam',
    'dhansar swayambhu',
  ])('finds %s', async (q) => {
    expect(titles(await search(app.anon, { q }))[0]).toBe('Swayambhu Dhansar')
  })
})

describe('filters', () => {
  test('by resource, sent again and again or with commas, hyphens and underscores alike', async () => {
    const found = async (query: string) => titles(sure(200, await app.anon.get(`${SEARCH}?q=dhansar&${query}`))).sort()
    expect(await found('resource=monuments')).toEqual(['Swayambhu Dhansar'])
    expect(await found('resource=monuments&resource=persons')).toEqual(['Dhansar Builder', 'Swayambhu Dhansar'])
    expect(await found('resource=deities,%20persons')).toEqual(['Adinath', 'Dhansar Builder'])
    expect(await found('resource=')).toHaveLength(3)
    expect(await found('resource=iconographic-objects')).toEqual([])
    expect(await found('resource=cultural_entities&resource=users&resource=projects')).toEqual([])
  })

  test('by status and by whether it is published leave what the caller may see', async () => {
    const found = async (who: Persona, query: object) => titles(await search(who, { q: 'sight', ...query })).sort()
    const shown = (...some: State[]) => some.map((state) => `Sight ${state}`).sort()
    expect(await found(app.contributor, { status: 'pending_review' })).toEqual(shown('pending'))
    expect(await found(app.contributor, { status: 'rejected,pending_revision' })).toEqual(shown('rejected', 'revising'))
    expect(await found(app.contributor, { published: 'true' })).toEqual(shown('published', 'restricted'))
    expect(await found(app.contributor, { published: '0' })).toEqual(shown('pending', 'rejected', 'revising'))
    expect(await found(app.anon, { published: 'false' })).toEqual([])
    expect(await found(app.anon, { status: 'pending_review' })).toEqual([])
    expect(await found(app.other, { published: 'false' })).toEqual([])
    expect(await found(app.staff, { published: 'false' })).toEqual(shown('pending', 'rejected', 'revising'))
  })

  const seen: Record<(typeof people)[number], State[]> = {
    anon: ['published'],
    other: ['published', 'restricted'],
    community: ['published', 'restricted'],
    contributor: ['published', 'restricted', 'pending', 'rejected', 'revising'],
    staff: ['published', 'restricted', 'pending', 'rejected', 'revising'],
  }
  test.each(people)('%s finds exactly what may be seen, and it is counted so', async (who) => {
    const { count, results, facets } = await search(app[who], { q: 'sight', facets: 'yes' })
    const shown = seen[who].map((state) => `Sight ${state}`).sort()
    expect(results.map((it: Result) => it.title).sort()).toEqual(shown)
    expect([count, facets.resource]).toEqual([shown.length, { traditions: shown.length }])
    const { suggestions } = sure(200, await app[who].get(SUGGEST, { query: { q: 'sight' } }))
    expect(suggestions.map((it: Result) => it.title).sort()).toEqual(shown)
  })

  test('a record whose edit waits is published, and says nothing of the edit', async () => {
    const it = await publish(app, 'historical_periods', { name: 'Lichchhavi Kaal' })
    sure(200, await app.contributor.patch(`/cidoc/historical_periods/${it.id}/`, { body: { name: 'Zyxwaiting' } }))
    await following.settled()
    for (const who of [app.anon, app.other]) {
      const { results } = await search(who, { q: 'Lichchhavi' })
      expect(results[0]).toMatchObject({ title: 'Lichchhavi Kaal', status: 'accepted', is_published: true })
      expect((await search(who, { q: 'Zyxwaiting' })).count).toBe(0)
    }
  })
})

describe('sort and pages', () => {
  beforeAll(async () => {
    const first = (await search(app.anon, { q: 'Shrine of many' })).results[0]
    await copies({ id: Number(first.id), cultural_entity_id: first.cultural_entity_id }, 120)
    await following.settled()
  })

  test('go through everything once, in pages of 50 at most', async () => {
    const pages = []
    for (let page = 1; page <= 3; page += 1) {
      const body = await search(app.anon, { q: 'Copy', sort: 'newest', page, page_size: 51 })
      expect([body.page, body.page_size, body.count]).toEqual([page, 50, 120])
      pages.push(...body.results)
    }
    expect(new Set(pages.map((it) => it.id)).size).toBe(120)
    expect((await search(app.anon, { q: 'Copy', page: 4, page_size: 50 })).results).toEqual([])
    expect((await search(app.anon, { q: 'Copy', page: 999_999 })).count).toBe(120)
  })

  test.each(['relevance', 'newest', 'popularity', ''])('%s is an order', async (sort) => {
    const { results } = await search(app.anon, { q: 'dhansar', sort })
    expect(results).toHaveLength(3)
    if (sort === 'newest')
      expect(results.map((it: { updated_at: string }) => it.updated_at)).toEqual(
        results
          .map((it: { updated_at: string }) => it.updated_at)
          .sort()
          .reverse(),
      )
    if (!sort || sort === 'relevance')
      expect(results.map((it: Result) => it.score)).toEqual(
        results.map((it: Result) => it.score).sort((a: number, b: number) => b - a),
      )
  })
})

describe('what is kept', () => {
  const asked = async (who: Persona, query: object) => {
    const { headers, cost } = await who.get(SEARCH, { query: { q: 'dhansar', ...query } })
    return [headers['x-cache'], headers['cache-control'], cost.calls]
  }

  test('is what the public is answered: a hit costs at most the question whether anything has changed', async () => {
    const miss = await asked(app.anon, { page_size: 7, facets: 'true' })
    const hit = await asked(app.anon, { page_size: 7, facets: 'true' })
    expect(miss.slice(0, 2)).toEqual(['miss', 'public, max-age=60'])
    expect(hit.slice(0, 2)).toEqual(['hit', 'public, max-age=60'])
    expect(hit[2]).toBeLessThanOrEqual(1)
    const reply = await app.anon.get(SEARCH, { query: { q: 'dhansar', page_size: 7, facets: 'true' } })
    expect(reply.headers.vary).toContain('Authorization')
  })

  test('facets do not depend on the page', async () => {
    await asked(app.anon, { page_size: 8, facets: 'true' })
    await asked(app.anon, { page_size: 9 })
    expect((await asked(app.anon, { page_size: 9, facets: 'true' }))[0]).toBe('hit')
  })

  test('is nothing that depends on who asks', async () => {
    for (const who of [app.contributor, app.other, app.staff])
      for (let i = 0; i < 2; i += 1) expect((await asked(who, {})).slice(0, 2)).toEqual(['bypass', 'private, no-store'])
  })

  test('is out of date as soon as something changes', async () => {
    const count = async () => (await search(app.anon, { q: 'Ephemeral', facets: 'true' })).count
    expect(await count()).toBe(0)
    const it = await publish(app, 'locations', { name: 'Ephemeral Hill' })
    await following.settled()
    expect(await count()).toBe(1)
    sure(204, await app.staff.delete(`/cidoc/locations/${it.id}/`))
    await following.settled()
    expect(await count()).toBe(0)
  })
})

describe('suggestions', () => {
  const suggested = async (q: string, who: Persona = app.anon) =>
    sure(200, await who.get(SUGGEST, { query: { q } })).suggestions.map((it: Result) => it.title)

  test('have a title, a resource and a place', async () => {
    const reply = await app.anon.get(SUGGEST, { query: { q: 'swa' } })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        q: 'swa',
        suggestions: [
          {
            title: 'Swayambhu Dhansar',
            resource: 'monuments',
            id: String(dhansar.id),
            location_hint: 'Kathmandu',
            url: `/knowledge/monument/view/${dhansar.id}`,
            name_ne: 'स्वयम्भू',
            kind: 'monument',
            type: null,
            place: 'Kathmandu',
          },
        ],
      },
    ])
    expect(reply.headers['cache-control']).toBe('public, max-age=60')
    expect((await app.anon.get(SUGGEST, { query: { q: 'swa' } })).headers['x-cache']).toBe('hit')
    expect((await app.other.get(SUGGEST, { query: { q: 'swa' } })).headers['x-cache']).toBe('bypass')
  })

  test('begin with what was typed, and from three letters on are like it', async () => {
    expect(await suggested('sw')).toEqual(['Swayambhu Dhansar'])
    expect(await suggested('wa')).toEqual([])
    expect(await suggested('swayanbhu')).toContain('Swayambhu Dhansar')
    expect(await suggested('copy')).toHaveLength(10)
  })
})

describe('the first search', () => {
  const LEGACY = '/cidoc/search/'
  const groups = async (who: Persona, q: string) => sure(200, await who.get(LEGACY, { query: { q } }))

  test('has ten groups of rows as lists have them', async () => {
    const body = await groups(app.anon, 'dhansar')
    expect(Object.keys(body).sort()).toEqual(
      'persons locations events traditions deities guthis structures rituals festivals monuments'.split(' ').sort(),
    )
    const { results } = sure(200, await app.anon.get('/cidoc/monuments/'))
    expect(body.monuments).toEqual(results.filter((it: Made) => it.id === dhansar.id))
    expect(body.persons.map((it: { name: string }) => it.name)).toEqual(['Dhansar Builder'])
    expect(body.deities.map((it: { name: string }) => it.name)).toEqual(['Adinath'])
    expect(body.locations).toEqual([])
  })

  test('finds what is within words, in any letter case, and nothing that is only like it', async () => {
    const found = async (q: string) => (await groups(app.anon, q)).monuments.map((it: { name: string }) => it.name)
    for (const q of ['ayambh', 'AYAMBH', 'स्वयम्भू', 'a hill west'])
      expect(await found(q), q).toEqual(['Swayambhu Dhansar'])
    for (const q of ['Swayanbhu', '%', '_', "' OR 1=1 --"]) expect(await found(q), q).toEqual([])
  })

  test.each(people)('%s is shown what a page of its own would show', async (who) => {
    const { traditions } = await groups(app[who], 'sight')
    const readable = await Promise.all(
      (['published', 'restricted', 'pending', 'rejected', 'revising'] as const).map(async (state) => {
        const { status } = await app[who].get(`/cidoc/traditions/${states[state].id}/`)
        return status === 200 ? [`Sight ${state}`] : []
      }),
    )
    expect(traditions.map((it: { name: string }) => it.name).sort()).toEqual(readable.flat().sort())
  })

  test('costs one call for each hundred rows, and one for each hundred things that they name', async () => {
    expect((await app.cost(app.anon.get(LEGACY, { query: { q: 'copy' } }))).calls).toBeLessThanOrEqual(3)
    expect((await groups(app.anon, 'copy')).structures).toHaveLength(50)
  })
})

describe('whatever is typed', () => {
  const odd = {
    'one letter': 'a',
    'a question mark': '?',
    'punctuation alone': '...!!!',
    'an open quote': '"dhansar',
    'empty quotes': '""',
    'a command of SQL': "'; DROP TABLE documents; --",
    'an operator alone': 'AND',
    'an operator at the end': 'dhansar AND',
    'a NEAR': 'NEAR(dhansar, 2)',
    'a column': 'name:dhansar',
    'a caret and a star': '^dhansar*',
    'a minus': '-dhansar',
    'an open parenthesis': '(dhansar',
    braces: '{dhansar}',
    'a picture': '🛕',
    'a family and a word': '👩‍👩‍👧‍👦 dhansar',
    'control characters around a word': '\u0000dhansar\u0007',
    'half a character': '\ud800',
    'a wildcard': '%',
    'a backslash': '\\',
    'a change of direction': '\u202edhansar',
    '10,000 letters': 'x'.repeat(10_000),
    '9,000 letters and marks': 'स्'.repeat(4500),
    '5,000 words': 'a '.repeat(5000),
    '500 parentheses': '('.repeat(500),
  }
  test.each(Object.entries(odd))('%s is data, and never an error', async (_what, q) => {
    for (const path of [SEARCH, SUGGEST, '/cidoc/search/']) {
      const { status, text } = await app.anon.get(path, { query: { q, facets: 'true' } })
      expect([path, status], text).toEqual([path, 200])
    }
    expect((await app.anon.get('/cidoc/discovery/', { query: { q } })).status).toBe(200)
    expect((await app.anon.get('/cidoc/monuments/', { query: { search: q } })).status).toBe(200)
    expect((await app.staff.get('/data/cultural-entities/', { query: { search: q, all: 1 } })).status).toBe(200)
  })

  test('operators mean nothing: they are words like any other, or no words', async () => {
    for (const q of ['"dhansar', 'dhansar*', '^dhansar', '(dhansar', '\u0000dhansar'])
      expect((await search(app.anon, { q })).count, q).toBe(3)
    for (const q of ['?', '"', '...!!!', '🛕']) expect((await search(app.anon, { q })).count, q).toBe(0)
  })

  const whole = ['A whole number from 1 is wanted.']
  const choice = (options: string) => [`Not a valid choice. Choose ${options}.`]
  const statuses = 'among: draft, pending_review, pending_revision, accepted, rejected, superseded'
  test.each([
    ['', { q: ['This parameter is required.'] }],
    ['q=', { q: ['This parameter is required.'] }],
    ['q=%20%09', { q: ['This parameter is required.'] }],
    ['q=a&page=0', { page: whole }],
    ['q=a&page=-1', { page: whole }],
    ['q=a&page=1.5', { page: whole }],
    ['q=a&page=two', { page: whole }],
    ['q=a&page=99999999999', { page: whole }],
    ['q=a&page_size=0', { page_size: whole }],
    ['q=a&page_size=ten', { page_size: whole }],
    ['q=a&sort=best', { sort: choice('one of: relevance, newest, popularity, distance') }],
    ['q=a&published=maybe', { published: ['Give true or false.'] }],
    ['q=a&facets=2', { facets: ['Give true or false.'] }],
    ['q=a&status=lost', { status: choice(statuses) }],
    [
      'q=a&resource=temples',
      {
        resource: [
          expect.stringMatching(/^Not a valid choice. Choose among: persons, .*users, projects, project_assets\.$/),
        ],
      },
    ],
    ['q=a&resource=persons&resource=temples', { resource: [expect.stringMatching(/persons/)] }],
    [
      'page=0&sort=x',
      {
        q: ['This parameter is required.'],
        page: whole,
        sort: choice('one of: relevance, newest, popularity, distance'),
      },
    ],
  ])('/data/search/?%s names the member at fault', async (query, fields) => {
    expect(await refused(`${SEARCH}?${query}`)).toEqual([400, fields])
  })

  test('the others want a text too, and say so', async () => {
    for (const path of [SUGGEST, '/cidoc/search/', `${SUGGEST}?q=`, '/cidoc/search/?q=%20'])
      expect(await refused(path), path).toEqual([400, { q: ['This parameter is required.'] }])
  })

  test('a page_size of 51 is 50, and blank members ask for nothing', async () => {
    expect((await search(app.anon, { q: 'dhansar', page_size: 51 })).page_size).toBe(50)
    const body = await search(app.anon, {
      q: 'dhansar',
      page: '',
      page_size: '',
      sort: '',
      published: '',
      facets: '',
      status: '',
    })
    expect([body.page, body.page_size, body.count, body.facets]).toEqual([1, 20, 3, null])
  })
})
