import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { copies, everyState, publish } from '../../harness/make.ts'

const LIST = '/cidoc/structures/'
const MANY = 250

let app: App
let first: { id: number; cultural_entity_id: string }
beforeAll(async () => {
  app = await openApp()
  first = await publish(app, 'structures', { name: 'Original' })
  await copies(first, MANY - 1)
})

type Row = { id: number; created_at: string; status: string }
type Body = { count: number; next: string | null; previous: string | null; results: Row[] }
const local = (link: string) => link.replace('http://localhost:8000', '')
const ids = (rows: readonly Row[]) => rows.map((row) => row.id)

async function follow(who: Persona, path: string, way: 'next' | 'previous') {
  const pages: Body[] = []
  const costs = new Set<number>()
  for (let at: string | null = path; at !== null && pages.length < 60; ) {
    const reply = await who.get(local(at))
    expect(reply.status).toBe(200)
    costs.add(reply.cost.calls)
    pages.push(reply.body)
    at = reply.body[way]
  }
  return { pages, costs: [...costs] }
}

describe('following next', () => {
  test.each([7, 20, 100])(
    'in pages of %i visits each of 250 records once, newest first, each page for two calls',
    async (limit) => {
      const { pages, costs } = await follow(app.anon, `${LIST}?limit=${limit}`, 'next')
      const rows = pages.flatMap((page) => page.results)
      expect(pages).toHaveLength(Math.ceil(MANY / limit))
      expect(new Set(ids(rows)).size).toBe(MANY)
      expect(rows.map((row) => row.created_at)).toEqual(
        rows
          .map((row) => row.created_at)
          .sort()
          .reverse(),
      )
      expect(pages.every((page) => page.count === MANY)).toBe(true)
      expect(costs).toEqual([2])
    },
  )

  test('and previous back leads over the same pages', async () => {
    const forth = (await follow(app.anon, `${LIST}?limit=60`, 'next')).pages
    const end = (await follow(app.anon, `${LIST}?limit=60`, 'next')).pages.at(-2)?.next ?? ''
    const back = await follow(app.anon, end, 'previous')
    expect(back.pages.map((page) => ids(page.results)).reverse()).toEqual(forth.map((page) => ids(page.results)))
    // The end was read before, which the process remembers.
    expect(Math.max(...back.costs)).toBe(2)
  })

  test('oldest first works the same way', async () => {
    const up = (await follow(app.anon, `${LIST}?limit=100&ordering=created_at`, 'next')).pages.flatMap(
      (page) => page.results,
    )
    const down = (await follow(app.anon, `${LIST}?limit=100`, 'next')).pages.flatMap((page) => page.results)
    expect(ids(up)).toEqual(ids(down).reverse())
  })

  test('keeps what was asked for, under the prefix that was used, with the slash that may have been left out', async () => {
    const { body } = await app.anon.get('/api/v1/cidoc/structures', {
      query: { status: 'accepted', page_size: 5, page: 2 },
    })
    for (const link of [body.next, body.previous]) {
      const url = new URL(link)
      expect(url.origin + url.pathname).toBe('http://localhost:8000/api/v1/cidoc/structures/')
      expect(url.searchParams.get('status')).toBe('accepted')
      expect(url.searchParams.get('limit')).toBe('5')
      expect(url.searchParams.has('page')).toBe(false)
    }
  })

  test('is not disturbed by a record that is added meanwhile', async () => {
    const { body: one } = await app.anon.get('/cidoc/structures/', { query: { limit: 10, ordering: '-created_at' } })
    const { body: two } = await app.anon.get(local(one.next))
    app.tick(1)
    const added = await publish(app, 'structures', { name: 'Meanwhile' })
    const { body: again } = await app.anon.get(local(one.next))
    expect(ids(again.results)).toEqual(ids(two.results))
    await app.staff.delete(`${LIST}${added.id}/`)
  })
})

describe('an offset', () => {
  test('without a hint is walked to', async () => {
    const all = (await follow(app.anon, `${LIST}?limit=100`, 'next')).pages.flatMap((page) => ids(page.results))
    for (const [query, from, to] of [
      ['limit=5&offset=98', 98, 103],
      ['page=3&page_size=10', 20, 30],
      ['page=2&limit=30', 30, 60],
      ['page=9&offset=3&limit=2', 3, 5],
      ['offset=245', 245, 250],
    ] as const) {
      expect(ids((await app.anon.get(`${LIST}?${query}`)).body.results)).toEqual(all.slice(from, to))
    }
  })

  test('beyond the end is an empty page with a way back', async () => {
    const { body } = await app.anon.get(LIST, { query: { offset: 900, limit: 10 } })
    expect(body).toMatchObject({ count: MANY, next: null, results: [] })
    expect(new URL(body.previous).searchParams.get('offset')).toBe('890')
  })

  test('deeper than a thousand is refused, and says what to do', async () => {
    const reply = await app.anon.get(LIST, { query: { offset: 1001 } })
    expect([reply.status, reply.body]).toEqual([400, { offset: ['Follow the links in "next" to read beyond 1000.'] }])
    expect((await app.anon.get(LIST, { query: { page: 200, page_size: 100 } })).status).toBe(400)
    expect((await app.anon.get(LIST, { query: { offset: 1000 } })).status).toBe(200)
  })

  test.each([
    ['limit=0', 20],
    ['limit=-5', 20],
    ['limit=abc', 20],
    ['limit=101', 100],
    ['limit=999999999', 100],
    ['page_size=1', 1],
    ['limit=2&page_size=9', 2],
    ['offset=-1&limit=3', 3],
    ['page=0&limit=3', 3],
  ])('or size that says nothing (%s) counts as absent', async (query, size) => {
    const reply = await app.anon.get(`${LIST}?${query}`)
    expect(reply.status).toBe(200)
    expect(reply.body.results).toHaveLength(size)
    expect(reply.body.previous).toBeNull()
  })
})

describe('a hint', () => {
  const hinted = async () => new URL((await app.anon.get(LIST, { query: { limit: 10 } })).body.next)
  const read = async (url: URL) => (await app.anon.get(url.pathname + url.search)).body

  test('that was altered is ignored', async () => {
    const url = await hinted()
    const right = ids((await read(url)).results)
    const hint = url.searchParams.get('hint') ?? ''
    for (const wrong of [
      '',
      'x',
      '%00',
      hint.slice(1),
      hint.replace(/(?<=^.{8})./, (it) => (it === 'A' ? 'B' : 'A')),
      hint.toUpperCase(),
      'A'.repeat(5000),
    ]) {
      url.searchParams.set('hint', wrong)
      expect(ids((await read(url)).results)).toEqual(right)
    }
  })

  test('of another place or list is ignored', async () => {
    const url = await hinted()
    const all = (await follow(app.anon, `${LIST}?limit=100`, 'next')).pages.flatMap((page) => ids(page.results))
    url.searchParams.set('offset', '40')
    expect(ids((await read(url)).results)).toEqual(all.slice(40, 50))
    const other = await app.anon.get(`/cidoc/monuments/${url.search}`)
    expect(other.status).toBe(200)
  })

  test('says nothing of what it holds', async () => {
    const hint = (await hinted()).searchParams.get('hint') ?? ''
    const bytes = Buffer.from(hint, 'base64url').toString('latin1')
    expect(bytes).not.toMatch(/2025|after|before/)
  })
})

describe('a list of several standings', () => {
  test('is merged newest first, and each is in it once', async () => {
    const segment = 'monuments'
    const made = Object.values(await everyState(app, segment))
    const { pending, published } = Object.fromEntries(
      made.map((it, i) => [['published', 'restricted', 'pending'][i], it]),
    )
    if (!pending || !published) throw new Error('no states')
    await copies(pending, 15)
    await copies({ ...published, id: published.id }, 15, { name: 'x' })
    const { pages } = await follow(app.staff, '/cidoc/monuments/?all=1&limit=4', 'next')
    const rows = pages.flatMap((page) => page.results)
    expect(rows.map((row) => row.created_at)).toEqual(
      rows
        .map((row) => row.created_at)
        .sort()
        .reverse(),
    )
    expect(new Set(ids(rows)).size).toBe(rows.length)
    expect(rows).toHaveLength(pages[0]?.count ?? 0)
    expect(rows.length).toBe(35)
  })
})

describe('records that are not for everyone', () => {
  test('take no room in the pages of those who may not see them', async () => {
    const closed = await publish(app, 'persons', { name: 'Closed', access_tier: 'restricted' })
    await copies(closed, 250)
    // Older than all of these.
    const open = await publish(app, 'persons', { name: 'Open' })
    await copies(open, 30, { created_at: '2020-01-01T00:00:00.000Z' })
    const { pages, costs } = await follow(app.anon, '/cidoc/persons/?limit=10', 'next')
    expect(pages.map((page) => [page.count, page.results.length])).toEqual([
      [31, 10],
      [31, 10],
      [31, 10],
      [31, 1],
    ])
    expect(costs).toEqual([2])
    expect((await app.other.get('/cidoc/persons/')).body.count).toBe(282)
  })
})

describe('a part of a list that is empty', () => {
  const PATH = '/cidoc/guthis/'
  const read = async (who: Persona) => {
    const { body, cost } = await who.get(PATH)
    return { count: body.count, names: body.results.map(({ name }: { name: string }) => name), calls: cost.calls }
  }

  test('is not read a second time, and shows what comes into it and what goes at once', async () => {
    await publish(app, 'guthis', { name: 'Open' })
    const [first, second] = [await read(app.other), await read(app.other)]
    expect([first.names, second.names, first.calls - second.calls]).toEqual([['Open'], ['Open'], 1])

    const closed = await publish(app, 'guthis', { name: 'Closed', access_tier: 'restricted' })
    expect(await read(app.other)).toMatchObject({ count: 2, names: ['Closed', 'Open'] })
    expect(await read(app.other)).toMatchObject({ count: 2, names: ['Closed', 'Open'], calls: first.calls })
    expect(await read(app.anon)).toMatchObject({ count: 1, names: ['Open'] })

    const { status } = await app.staff.delete(`${PATH}${closed.id}/`)
    expect(status).toBe(204)
    expect(await read(app.other)).toMatchObject({ count: 1, names: ['Open'] })
    expect(await read(app.other)).toMatchObject({ count: 1, names: ['Open'], calls: second.calls })
  })

  test('is walked past, page after page, in both directions', async () => {
    const one = await publish(app, 'deities', { name: 'Open' })
    await copies(one, 12)
    await app.other.get('/cidoc/deities/')
    const { pages } = await follow(app.other, '/cidoc/deities/?limit=5', 'next')
    const rows = pages.flatMap((page) => page.results)
    expect(new Set(ids(rows)).size).toBe(pages[0]?.count)
    const back = await follow(app.other, pages.at(-2)?.next ?? '', 'previous')
    expect(ids(back.pages.toReversed().flatMap((page) => page.results))).toEqual(ids(rows))
  })
})
