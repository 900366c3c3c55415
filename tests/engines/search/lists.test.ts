import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona, type Sent } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, copies, everyState, publish, sure } from '../../harness/make.ts'

type Row = { id: number; name: string; status: string }
type Query = NonNullable<Sent['query']>

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const list = async (who: Persona, segment: string, query: Query) =>
  sure(200, await who.get(`/cidoc/${segment}/`, { query }))
const names = ({ results }: { results: Row[] }) => results.map((it) => it.name)

describe('?search= on the list of a kind', () => {
  test('finds like search does, in that kind only, with its exact size at any depth', async () => {
    const first = await publish(app, 'structures', { name: 'Nyatapola Temple' })
    await publish(app, 'monuments', { name: 'Nyatapola' })
    await copies(first, 450)
    await following.settled()
    for (const search of ['nyatapola', 'NYATAPOLLA', 'न्यातपोल', 'temple nyatapola', 'Nyatapol'])
      expect(names(await list(app.anon, 'structures', { search }))[0], search).toBe('Nyatapola Temple')

    const seen = new Set<number>()
    let pages = 0
    for (let at: string | null = '/cidoc/structures/?search=copy&limit=100'; at !== null && pages < 20; pages += 1) {
      const reply = await app.anon.get(at.replace('http://localhost:8000', ''))
      expect(reply.body.count).toBe(450)
      for (const row of reply.body.results) seen.add(row.id)
      at = reply.body.next
    }
    expect([seen.size, pages]).toEqual([450, 5])
    const deep = await app.anon.get('/cidoc/structures/?search=copy&limit=100&offset=400')
    expect(deep.body.results).toHaveLength(50)
    expect(deep.body.next).toBeNull()
    const beyond = await app.anon.get('/cidoc/structures/?search=copy&limit=100&offset=5000')
    expect([beyond.status, beyond.body.count, beyond.body.results]).toEqual([200, 450, []])
  })

  test('costs one call for its page beside the question whether anything has changed, whatever is found', async () => {
    // The first question opens the model.
    await app.anon.get('/cidoc/structures/?search=nyatapola')
    const few = await app.anon.get('/cidoc/structures/?search=nyatapola')
    const many = await app.anon.get('/cidoc/structures/?search=copy')
    const deep = await app.anon.get('/cidoc/structures/?search=copy&offset=400')
    for (const { cost } of [few, many, deep]) expect(cost.calls).toBeLessThanOrEqual(3)
  })

  test('has rows as any other list, and can be sorted', async () => {
    const made = await publish(app, 'guthis', { name: 'Alpha Guthi', guthi_type: 'SiGuthi' })
    app.tick(60)
    await publish(app, 'guthis', { name: 'Zeta Guthi' })
    await following.settled()
    const { results } = sure(200, await app.anon.get('/cidoc/guthis/'))
    const [row] = (await list(app.anon, 'guthis', { search: 'alpha' })).results
    expect(row).toEqual(results.find((it: Row) => it.id === made.id))
    const sorted = async (ordering: string) => names(await list(app.anon, 'guthis', { search: 'guthi', ordering }))
    expect(await sorted('name')).toEqual(['Alpha Guthi', 'Zeta Guthi'])
    expect(await sorted('-name')).toEqual(['Zeta Guthi', 'Alpha Guthi'])
    expect(await sorted('created_at')).toEqual(['Alpha Guthi', 'Zeta Guthi'])
    expect(await sorted('-created_at')).toEqual(['Zeta Guthi', 'Alpha Guthi'])
  })

  test('leaves out at once what has been deleted, though the model is behind', async () => {
    const it = await publish(app, 'rituals', { name: 'Vanishing Rite' })
    await following.settled()
    expect(names(await list(app.anon, 'rituals', { search: 'vanishing' }))).toEqual(['Vanishing Rite'])
    sure(204, await app.staff.delete(`/cidoc/rituals/${it.id}/`))
    expect(names(await list(app.anon, 'rituals', { search: 'vanishing' }))).toEqual([])
    await following.settled()
    expect((await list(app.anon, 'rituals', { search: 'vanishing' })).count).toBe(0)
  })
})

describe('?ordering= without a text', () => {
  test('by name goes through the list as it is, whoever asks', async () => {
    const made = await everyState(app, 'festivals')
    expect(Object.keys(made)).toHaveLength(6)
    app.tick(60)
    await publish(app, 'festivals', { name: 'Aaa first' })
    app.tick(60)
    await publish(app, 'festivals', { name: 'ञञ' })
    await following.settled()
    const forth = names(await list(app.anon, 'festivals', { ordering: 'name' }))
    expect(forth).toHaveLength(3)
    expect(forth[0]).toBe('Aaa first')
    expect(names(await list(app.anon, 'festivals', { ordering: '-name' }))).toEqual(forth.toReversed())
    // Without ?mine and ?all a list is of what is published, in any order.
    expect((await list(app.contributor, 'festivals', { ordering: 'name' })).count).toBe(4)
    expect((await list(app.contributor, 'festivals', { ordering: 'name', mine: 1 })).count).toBe(7)
    expect((await list(app.staff, 'festivals', { ordering: 'name', all: 1 })).count).toBe(7)
    expect((await list(app.other, 'festivals', { ordering: 'name', all: 1 })).count).toBe(4)
    expect((await list(app.anon, 'festivals', { ordering: 'name', mine: 1 })).count).toBe(0)
    expect(names(await list(app.contributor, 'festivals', { ordering: 'name', status: 'pending_review' }))).toEqual([
      'Sight pending',
    ])
    expect((await list(app.anon, 'festivals', { ordering: '-updated_at' })).count).toBe(3)
  })

  test('settles what was made in the same millisecond as the table does, either way', async () => {
    for (let i = 0; i < 5; i += 1) {
      await publish(app, 'events', { name: `Same moment ${i}` })
      await publish(app, 'historical_periods', { name: `Same moment ${i}` })
    }
    await following.settled()
    for (const ordering of ['created_at', '-created_at', 'id', '-id'])
      for (const path of ['/cidoc/events/', '/data/cultural-entities/']) {
        const [table, model] = await Promise.all(
          [{}, { facets: 1 }].map(async (more) =>
            names(sure(200, await app.anon.get(path, { query: { ordering, ...more } }))),
          ),
        )
        expect(model?.length).toBeGreaterThanOrEqual(5)
        expect(model, `${path} ${ordering}`).toEqual(table)
      }
  })

  test('pages of it follow each other without gap or repetition', async () => {
    await copies(await publish(app, 'locations', { name: 'Copy of nothing' }), 60)
    await following.settled()
    const seen: string[] = []
    for (let at: string | null = '/cidoc/locations/?ordering=name&limit=13'; at !== null && seen.length < 200; ) {
      const { body } = await app.anon.get(at.replace('http://localhost:8000', ''))
      seen.push(...names(body))
      at = body.next
    }
    expect(seen).toHaveLength(61)
    expect(new Set(seen).size).toBe(61)
  })

  test('that says nothing known is the newest first', async () => {
    const plain = sure(200, await app.anon.get('/cidoc/festivals/'))
    const odd = await list(app.anon, 'festivals', { ordering: 'colour' })
    expect(odd.results).toEqual(plain.results)
  })
})

describe('lists of contributions', () => {
  test('are searched over all kinds, and name who contributed', async () => {
    await publish(app, 'persons', { name: 'Arniko the builder' })
    await contribute(app.contributor, 'sources', { name: 'Arniko in letters' })
    await following.settled()
    const found = async (who: Persona) => {
      const reply = await who.get('/data/cultural-entities/', { query: { search: 'arniko' } })
      expect(reply.cost.calls).toBeLessThanOrEqual(4)
      return sure(200, reply)
    }
    const open = await found(app.anon)
    expect([open.count, names(open)]).toEqual([1, ['Arniko the builder']])
    expect(open.results[0].contributor.username).toBe('dev')
    expect(names(await found(app.contributor)).sort()).toEqual(['Arniko in letters', 'Arniko the builder'])
    expect(names(await found(app.other))).toEqual(['Arniko the builder'])
    const mine = sure(
      200,
      await app.contributor.get('/data/cultural-entities/my_contributions/', {
        query: { search: 'arniko', ordering: 'name' },
      }),
    )
    expect(names(mine)).toEqual(['Arniko in letters', 'Arniko the builder'])
    expect(mine.results[0].activities).toHaveLength(1)
    const others = await app.other.get('/data/cultural-entities/my_contributions/', { query: { search: 'arniko' } })
    expect(others.body.count).toBe(0)
  })

  test('of their own are narrowed by category and place, and counted by facets', async () => {
    await publish(app, 'monuments', { name: 'Own monument', coordinates: '28.9, 83.8' })
    await publish(app, 'rituals', { name: 'Own ritual' })
    await following.settled()
    const own = async (query: Query) =>
      sure(200, await app.contributor.get('/data/cultural-entities/my_contributions/', { query }))
    const listed = await own({ category: 'monument', limit: 100 })
    expect([names(listed).includes('Own monument'), names(listed).includes('Own ritual')]).toEqual([true, false])
    expect(names(await own({ bbox: '83.7,28.8,83.9,29.0' }))).toEqual(['Own monument'])
    expect((await own({ category: 'ritual', facets: 1 })).facets.resource).toEqual({ rituals: 1 })
    const { warnings } = await own({ mine: 0, contributor: 'somebody', identifier: 'x:1' })
    expect(warnings.map(({ member }: { member: string }) => member).sort()).toEqual([
      'contributor',
      'identifier',
      'mine',
    ])
  })
})

test('a category narrows what is found, cultural entities among it', async () => {
  await publish(app, 'monuments', { name: 'Heading one' })
  await publish(app, 'rituals', { name: 'Heading two' })
  for (const category of ['monument', 'ritual']) {
    const body = { name: `Heading of a ${category}`, category, description: 'd' }
    const made = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
    const path = `/data/review-workspace/${made.entity_id}/decide/`
    sure(201, await app.curator.post(path, { body: { verdict: 'accept' } }))
  }
  await following.settled()
  const found = async (query: Query) =>
    names(sure(200, await app.anon.get('/data/cultural-entities/', { query: { search: 'heading', ...query } }))).sort()
  expect(await found({})).toHaveLength(4)
  expect(await found({ category: 'monument' })).toEqual(['Heading of a monument', 'Heading one'])
  expect(await found({ category: 'ritual' })).toEqual(['Heading of a ritual', 'Heading two'])
  expect(await found({ category: 'nonsense' })).toEqual([])
})

describe('another spelling of a name that is there', () => {
  type Link = { id: number; name: string }
  const makerOf = async (who: Persona, name: string, place: string): Promise<Link> =>
    sure(201, await who.post('/cidoc/structures/', { body: { name, has_current_location: place } }))
      .has_current_location

  test('is the same to search, to the hint of duplicates and to a relation', async () => {
    const it = await publish(app, 'locations', { name: 'Maya Devi Mandir' })
    const twin = await publish(app, 'structures', { name: 'Maya Devi Mandir' })
    await following.settled()
    for (const name of ['Mayadevi Temple', 'Mayadevi Mandir', 'Maya Devi Temple', 'मायादेवी मन्दिर']) {
      const q = { q: name, resource: 'structures' }
      expect(sure(200, await app.other.get('/data/search/', { query: q })).results[0].id, name).toBe(String(twin.id))
      const hint = { q: name, registry_key: 'structure' }
      const { results } = sure(200, await app.other.get('/cidoc/entity-clusters/suggest-duplicates/', { query: hint }))
      expect(results[0]?.canonical_label, name).toBe('Maya Devi Mandir')
      expect(await makerOf(app.other, `Gate towards ${name}`, name), name).toMatchObject({ id: it.id })
    }
  })

  test('is not what only begins, ends or sounds so, or says what sort of thing it is', async () => {
    const { id } = await publish(app, 'locations', { name: 'Changu Narayan Temple' })
    const sort = await publish(app, 'locations', { name: 'Krishna Mandir' })
    await following.settled()
    for (const place of ['Ichangu Narayan Mandir', 'Changu Narayan Pond', 'Changu Narayan', 'Krishna Temple'])
      expect([id, sort.id], place).not.toContain((await makerOf(app.other, `Gate of ${place}`, place)).id)
  })

  test('leads to nothing that the caller may not see', async () => {
    const hidden = await contribute(app.contributor, 'locations', { name: 'Chikan Mugal Dabali' })
    await following.settled()
    expect(await makerOf(app.contributor, 'Own gate', 'Chikanmugal Dabali')).toMatchObject({ id: hidden.id })
    const made = await makerOf(app.other, 'Other gate', 'Chikan Mugaldabali')
    expect([made.id === hidden.id, made.name]).toEqual([false, 'Chikan Mugaldabali'])
  })
})

test('a likeness is found though its name begins with a misspelling', async () => {
  await publish(app, 'structures', { name: 'Kumbheshwar Mandir' })
  await following.settled()
  const query = { q: 'Gumbheshwar Mandir', registry_key: 'structure' }
  const { results } = sure(200, await app.other.get('/cidoc/entity-clusters/suggest-duplicates/', { query }))
  expect(results.map((it: { canonical_label: string }) => it.canonical_label)).toEqual(['Kumbheshwar Mandir'])
})

describe('?facets= on a list', () => {
  test('counts by state, and by sort where there are several', async () => {
    await everyState(app, 'traditions')
    await following.settled()
    const facets = async (who: Persona, query: Query) => (await list(who, 'traditions', { facets: 1, ...query })).facets
    expect(await facets(app.anon, {})).toEqual({ resource: { traditions: 1 }, status: { accepted: 1 } })
    expect(await facets(app.contributor, { mine: 1, search: 'sight' })).toEqual({
      resource: { traditions: 5 },
      status: { accepted: 2, pending_review: 1, rejected: 1, pending_revision: 1 },
    })
    expect(await facets(app.anon, { mine: 1 })).toEqual({ resource: {}, status: {} })
    const { body } = await app.anon.get('/data/cultural-entities/', { query: { search: 'sight', facets: 'true' } })
    expect([body.count, body.facets]).toEqual([
      2,
      { resource: { festivals: 1, traditions: 1 }, status: { accepted: 2 } },
    ])
  })

  test('does not change the list', async () => {
    const plain = sure(200, await app.anon.get('/cidoc/festivals/'))
    const counted = await list(app.anon, 'festivals', { facets: 1 })
    expect([counted.count, counted.results]).toEqual([plain.count, plain.results])
    expect(plain).not.toHaveProperty('facets')
  })
})
