import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { commandsOf, contribute, copies, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }
type Row = { id: string; what: string; about: string; name: string | null; feed_url: string; stop_url: string }

const DAY = 86_400
const watching = async (who: Persona, what: string, about: string): Promise<Row> =>
  sure(201, await who.post('/data/watches/', { body: { what, about } }))
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

/** Lets the projector and the sweeper do their work. */
async function settle(): Promise<void> {
  await following.settled()
  const { handler } = await import('../../../functions/sweeper.ts')
  await handler({ chores: 'often' })
}

/** Ends the day, and lets the bulletins be made. Returns the notices of watches that have arrived since `known`. */
async function bulletinOf(who: Persona, known: ReadonlySet<string> = new Set()) {
  await settle()
  app.tick(DAY + 60)
  await settle()
  const { results } = sure(
    200,
    await who.get('/data/notifications/', { query: { notification_type: 'general', limit: 50 } }),
  )
  return results.filter(
    (it: { notification_id: string; message: string }) => /watch/.test(it.message) && !known.has(it.notification_id),
  )
}
const idsOf = (rows: { notification_id: string }[]) => new Set(rows.map((it) => it.notification_id))

/** Stops all that somebody watches. */
async function stopAll(who: Persona): Promise<void> {
  for (const { id } of sure(200, await who.get('/data/watches/')).results)
    sure(204, await who.delete(`/data/watches/${id}/`))
}

async function amend(it: Made, body: object): Promise<void> {
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body }))
  sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
}

/** The entries of a feed, read by a parser that refuses what is not well-formed. */
async function entriesOf(url: string, who: Persona = app.anon) {
  const { status, text, headers } = await who.get(pathOf(url))
  expect(status, text).toBe(200)
  expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8')
  expect(XMLValidator.validate(text)).toBe(true)
  const { feed } = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === 'entry' }).parse(text)
  for (const part of ['id', 'title', 'updated', 'author']) expect(feed, part).toHaveProperty(part)
  return { feed, entries: (feed.entry ?? []) as { id: string; title: string; summary: string; link: object }[] }
}

describe('what is watched', () => {
  test('is listed with its name, and told of by a bulletin once a day', async () => {
    const place = await publish(app, 'locations', { name: 'Watched Tol' })
    const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Watched survey' } }))
    const temple = await publish(app, 'structures', { name: 'Watched temple' })
    await settle()
    await watching(app.other, 'record', temple.cultural_entity_id)
    await watching(app.other, 'place', place.cultural_entity_id)
    await watching(app.other, 'source', source.id)
    await watching(app.other, 'kind', 'festival')
    await watching(app.other, 'search', 'Dhvakasim')
    const { results } = sure(200, await app.other.get('/data/watches/'))
    expect(results.map((it: Row) => `${it.what}: ${it.name}`).sort()).toEqual([
      'kind: Festival',
      'place: Watched Tol',
      'record: Watched temple',
      'search: Dhvakasim',
      'source: Watched survey',
    ])
    expect(await bulletinOf(app.other)).toEqual([])

    await amend(temple, { note: 'Repaired.' })
    await publish(app, 'structures', { name: 'Inn of the Tol', has_current_location: place.id })
    await publish(app, 'structures', { name: 'Surveyed well', source: source.id })
    await publish(app, 'festivals', { name: 'Watched feast' })
    await publish(app, 'persons', { name: 'Dhvakasim Malla' })
    await publish(app, 'persons', { name: 'Nobody watches' })
    const told = await bulletinOf(app.other)
    expect(told.map((it: { message: string }) => it.message).sort()).toEqual(
      ['Dhvakasim Malla', 'Inn of the Tol', 'Surveyed well', 'Watched feast', 'Watched temple'].map(
        (name) => `Something that you watch has changed: ${name}`,
      ),
    )
    expect(told.map((it: { link: string }) => it.link)).toContain(`/knowledge/entity/view/${temple.cultural_entity_id}`)
    expect(await bulletinOf(app.other, idsOf(told))).toEqual([])
    await stopAll(app.other)
  })

  test('is a place with the places that lie in it, as far as everyone may know that they do', async () => {
    const [town, court, shrine, secret] = await Promise.all([
      ...['Town of Nayatol', 'Court of Nayatol', 'Shrine of Nayatol'].map((name) =>
        publish(app, 'locations', { name }),
      ),
      publish(app, 'locations', { name: 'Secret yard', access_tier: 'restricted' }),
    ])
    const lies = async (it: Made, relation: string, where: Made, status = 'accepted') => {
      const claim = { entity_type: 'location', entity_id: it.id, asserted_property: `relationship.${relation}` }
      const body = { ...claim, object_entity_type: 'location', object_entity_id: where.id, asserted_value: 'There' }
      const { id } = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
      if (status !== 'accepted') return
      sure(200, await app.curator.patch(`/cidoc/assertions/${id}/`, { body: { reconciliation_status: status } }))
    }
    if (!town || !court || !shrine || !secret) throw new Error('there is no place')
    const waits = await publish(app, 'locations', { name: 'Where it waits' })
    const beside = await publish(app, 'locations', { name: 'Beside the town' })
    await lies(shrine, 'located_in', court)
    await lies(court, 'part_of', town)
    // A circle ends, and neither a claim that waits, nor nearness, nor a place that not everyone may read leads on.
    await lies(town, 'part_of', shrine)
    await lies(waits, 'part_of', town, 'pending')
    await lies(beside, 'near', town)
    await lies(secret, 'part_of', town)
    await watching(app.other, 'place', town.cultural_entity_id)
    const before = idsOf(await bulletinOf(app.other))
    for (const [name, place] of [
      ['Bell of the shrine', shrine],
      ['Well of the court', court],
      ['Inn that waits', waits],
      ['Inn beside', beside],
      ['Inn in the yard', secret],
    ] as const)
      await publish(app, 'structures', { name, has_current_location: place.id })
    expect((await bulletinOf(app.other, before)).map((it: { message: string }) => it.message).sort()).toEqual(
      ['Bell of the shrine', 'Well of the court'].map((name) => `Something that you watch has changed: ${name}`),
    )
    await stopAll(app.other)
  })

  test('is told once by its latest change, and ten records by name at most', async () => {
    await watching(app.other, 'kind', 'ritual')
    const before = idsOf(await bulletinOf(app.other))
    for (let i = 1; i <= 12; i += 1) await publish(app, 'rituals', { name: `Rite ${i}` })
    const told = await bulletinOf(app.other, before)
    expect(told).toHaveLength(11)
    expect(told.map((it: { message: string }) => it.message)).toContain('More records that you watch have changed: 2.')
    await stopAll(app.other)
  })

  test('is told up to what was noted, though a later change of the record is noted while the bulletin is made', async () => {
    const temple = await publish(app, 'structures', { name: 'Changed twice' })
    await settle()
    await watching(app.other, 'record', temple.cultural_entity_id)
    const before = idsOf(await bulletinOf(app.other))
    await amend(temple, { note: 'Once.' })
    await settle()
    const { get, put } = await import('../../../lib/engines/table/index.ts')
    const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
    const { watchedThrough } = await import('../../../lib/domain/watches/items.ts')
    const { tellWatchers } = await import('../../../lib/domain/watches/bulletins.ts')
    const first = await get(watchedThrough, {})
    await amend(temple, { note: 'Twice.' })
    await settle()
    // As if it were made between the two writes of followFeed: the note is there, the number that ends the notes is not.
    const second = await get(watchedThrough, {})
    if (!first || !second) throw new Error('nothing was noted')
    expect(first.number).toBeLessThan(second.number)
    await commitWrites([put(watchedThrough, { ...first, version: second.version + 1 }, second)])
    app.tick(DAY + 60)
    await tellWatchers()
    const told = async () =>
      sure(200, await app.other.get('/data/notifications/', { query: { limit: 50 } })).results.filter(
        (it: { notification_id: string; message: string }) =>
          it.message.includes('Changed twice') && !before.has(it.notification_id),
      )
    expect(await told()).toHaveLength(1)
    await bulletinOf(app.other)
    expect(await told()).toHaveLength(2)
    await stopAll(app.other)
  })

  test('is never told of while it is hidden', async () => {
    const place = await publish(app, 'locations', { name: 'Quiet Tol' })
    const { feed_url } = await watching(app.other, 'place', place.cultural_entity_id)
    await watching(app.other, 'search', 'Quiet')
    const before = idsOf(await bulletinOf(app.other))
    await contribute(app.contributor, 'structures', { name: 'Quiet waiting', has_current_location: place.id })
    const restricted = { has_current_location: place.id, access_tier: 'restricted' }
    await publish(app, 'structures', { name: 'Quiet restricted', ...restricted })
    const gone = await publish(app, 'structures', { name: 'Quiet gone', has_current_location: place.id })
    await settle()
    expect((await entriesOf(feed_url)).entries).toMatchObject([{ title: 'Quiet gone' }])
    sure(204, await app.staff.delete(`/cidoc/structures/${gone.id}/`))
    expect((await entriesOf(feed_url)).entries).toEqual([])
    expect(await bulletinOf(app.other, before)).toEqual([])
    await stopAll(app.other)
  })

  test('can be no record that the caller may not see, which is answered as if there were none', async () => {
    const hidden = await contribute(app.contributor, 'locations', { name: 'Hidden Tol' })
    const absent = '7c1d6a6e-0c1e-4b1f-8a55-3f5a2f6f0a11'
    for (const what of ['record', 'place']) {
      const replies = await Promise.all(
        [hidden.cultural_entity_id, absent].map((about) => app.other.post('/data/watches/', { body: { what, about } })),
      )
      expect(replies.map((it) => it.status)).toEqual([400, 400])
      expect(replies[0]?.body).toEqual(replies[1]?.body)
    }
    const structure = await publish(app, 'structures', { name: 'No place' })
    const refused = await app.other.post('/data/watches/', {
      body: { what: 'place', about: structure.cultural_entity_id },
    })
    expect(refused.body).toEqual({ about: ['There is no place / location with this id.'] })
    const unknown = await app.other.post('/data/watches/', { body: { what: 'source', about: absent } })
    expect(unknown.body).toEqual({ about: ['There is no data source with this id.'] })
    const kind = await app.other.post('/data/watches/', { body: { what: 'kind', about: 'spaceship' } })
    expect(kind.status).toBe(400)
    const short = await app.other.post('/data/watches/', { body: { what: 'search', about: 'a' } })
    expect(short.body).toEqual({ about: ['Give at least 2 characters.'] })
  })

  test('is watched once, and no more than ten searches are', async () => {
    await watching(app.domain, 'kind', 'deity')
    const again = await app.domain.post('/data/watches/', { body: { what: 'kind', about: 'deity' } })
    expect(again.body).toEqual({ about: ['You watch this already.'] })
    for (let i = 0; i < 10; i += 1) await watching(app.domain, 'search', `words ${i}`)
    const search = await app.domain.post('/data/watches/', { body: { what: 'search', about: 'one more' } })
    expect(search.status).toBe(400)
    expect(search.text).toContain('more than 10 searches')
    await stopAll(app.domain)
    const { key } = await import('../../../lib/platform/table/keys.ts')
    const { getMany } = await import('../../../lib/engines/table/index.ts')
    expect((await getMany([key.watched('kind#deity')], true)).size).toBe(0)
  })
})

describe('the feed of a watch', () => {
  test('is well-formed whatever names say, and changes its tag with its entries', async () => {
    const { feed_url } = await watching(app.other, 'kind', 'guthi')
    await settle()
    const first = await app.anon.get(pathOf(feed_url))
    const same = await app.anon.get(pathOf(feed_url), { headers: { 'if-none-match': first.headers.etag ?? '' } })
    expect(same.status).toBe(304)
    const name = '<script>"Guthi" & \u0001 ]]> &amp; परम्परा'.replace('\u0001', '')
    const made = await publish(app, 'guthis', { name })
    await settle()
    const { feed, entries } = await entriesOf(feed_url)
    expect(entries).toMatchObject([{ title: name.replace('&amp;', '&amp;'), summary: 'It is public now.' }])
    const page = {
      '@_rel': 'alternate',
      '@_type': 'text/html',
      '@_href': `http://localhost:8000/resource/guthi/${made.id}`,
    }
    expect(entries[0]?.link).toEqual(page)
    expect(feed.title).toBe('Guthi')
    const nepali = await app.anon.get(pathOf(feed_url), { headers: { 'accept-language': 'ne' } })
    expect(nepali.text).toContain('यो अब सार्वजनिक छ।')
    await stopAll(app.other)
    expect((await app.anon.get(pathOf(feed_url))).status).toBe(404)
  })

  test('cannot be guessed', async () => {
    const { feed_url, stop_url } = await watching(app.other, 'kind', 'tradition')
    const token = new URL(feed_url).searchParams.get('token') ?? ''
    const forged = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    for (const query of [
      { token: forged },
      { token: new URL(stop_url).searchParams.get('token') ?? '' },
      { token: 'x' },
    ])
      expect((await app.anon.get('/data/watches/feed/', { query })).body).toEqual({
        token: ['This link is not valid, or not any more.'],
      })
    await stopAll(app.other)
  })

  test('costs a stranger few calls, however much has changed', async () => {
    const { feed_url } = await watching(app.other, 'kind', 'enshrinement')
    for (let i = 0; i < 3; i += 1) await publish(app, 'enshrinements', { name: `Enshrined ${i}` })
    await settle()
    const { cost } = await app.anon.get(pathOf(feed_url))
    expect(cost.calls).toBeLessThanOrEqual(4)
    expect(cost.units).toBeLessThanOrEqual(20)
    await stopAll(app.other)
  })
})

describe('stopping', () => {
  const oneClick = () => {
    const body = new FormData()
    body.set('List-Unsubscribe', 'One-Click')
    return body
  }

  test.each([
    ['a form in parts', () => ({ body: oneClick() })],
    [
      'an encoded form',
      () => ({
        body: new TextEncoder().encode('List-Unsubscribe=One-Click'),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
    ['JSON', () => ({ body: {} })],
  ])('takes one click without signing in: %s', async (_how, sent) => {
    const { stop_url } = await watching(app.other, 'kind', 'monument')
    await watching(app.other, 'kind', 'period')
    const at = pathOf(stop_url)
    expect((await app.anon.get(at)).body).toEqual({ stopped: false })
    expect((await app.anon.post(at, sent())).body).toEqual({ stopped: true })
    expect((await app.anon.post(at, sent())).body).toEqual({ stopped: true })
    expect(sure(200, await app.other.get('/data/watches/')).results).toMatchObject([{ about: 'period' }])
    await stopAll(app.other)
  })

  test('has a page for people, and by the link of a letter ends all of them', async () => {
    await watching(app.other, 'kind', 'monument')
    await watching(app.other, 'kind', 'period')
    const { stopWatchingLink } = await import('../../../lib/domain/watches/links.ts')
    const me = sure(200, await app.other.get('/api/user/info')).id
    const at = pathOf(stopWatchingLink('http://localhost:8000', me))
    const page = await app.anon.get(at, { headers: { accept: 'text/html', 'accept-language': 'ne' } })
    expect(page.text).toContain('<button>')
    const done = await app.anon.post(at, { body: oneClick(), headers: { accept: 'text/html' } })
    expect([done.status, done.headers.location]).toEqual([303, at])
    expect(sure(200, await app.other.get('/data/watches/')).results).toEqual([])
    expect((await app.anon.get(at, { headers: { accept: 'text/html' } })).text).toContain(
      'This is not watched any more.',
    )
  })

  test('ends all of them by one click, as many as a person may have', async () => {
    const { stopWatchingLink } = await import('../../../lib/domain/watches/links.ts')
    const { recordId } = await import('../../../lib/base/ids/address.ts')
    const it = await publish(app, 'monuments', { name: 'One of many' })
    await copies(it, 49)
    const kindCode = Number.parseInt(it.cultural_entity_id.slice(0, 2), 16)
    const others = Array.from({ length: 48 }, (_, i) => recordId(kindCode, it.id * 1_000_000 + i))
    for (const id of [it.cultural_entity_id, ...others]) await watching(app.other, 'record', id)
    const more = await app.other.post('/data/watches/', {
      body: { what: 'record', about: recordId(kindCode, it.id * 1_000_000 + 48) },
    })
    expect([more.status, more.body.detail]).toEqual([400, 'Nobody watches more than 49 things. Stop one first.'])
    const me = sure(200, await app.other.get('/api/user/info')).id
    const at = pathOf(stopWatchingLink('http://localhost:8000', me))
    expect((await app.anon.post(at, { body: oneClick() })).body).toEqual({ stopped: true })
    expect(sure(200, await app.other.get('/data/watches/')).results).toEqual([])
  })

  test('letters by one click takes a form in parts, too', async () => {
    const { stopLink } = await import('../../../lib/doors/letters/links.ts')
    const me = sure(200, await app.other.get('/api/user/info')).id
    const at = pathOf(stopLink('http://localhost:8000', me))
    expect((await app.anon.post(at, { body: oneClick() })).body).toMatchObject({ stopped: true })
  })

  test('is of one’s own watches alone', async () => {
    const { id } = await watching(app.other, 'kind', 'monument')
    for (const who of [app.contributor, app.staff]) expect((await who.delete(`/data/watches/${id}/`)).status).toBe(404)
    expect(sure(200, await app.staff.get('/data/watches/')).results).toEqual([])
    await stopAll(app.other)
  })
})

test('a change costs one query for each place that it lies in, however much lies in these places', async () => {
  const around = await publish(app, 'locations', { name: 'District of cost' })
  const place = await publish(app, 'locations', { name: 'Quarter of cost' })
  const claim = { entity_type: 'location', entity_id: place.id, asserted_property: 'relationship.part_of' }
  const body = { ...claim, object_entity_type: 'location', object_entity_id: around.id, asserted_value: 'There' }
  const { id } = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
  sure(200, await app.curator.patch(`/cidoc/assertions/${id}/`, { body: { reconciliation_status: 'accepted' } }))
  await watching(app.other, 'place', around.cultural_entity_id)
  await settle()
  const cost = async (it: object) => {
    await publish(app, 'structures', { name: `House of cost ${Math.random()}`, ...it })
    await following.settled()
    const { followFeed } = await import('../../../lib/domain/watches/follow.ts')
    return (await commandsOf(followFeed)).filter((name) => name === 'QueryCommand').length
  }
  const alone = await cost({})
  const inside = await cost({ has_current_location: place.id })
  expect(inside - alone).toBe(2)
  for (let more = 0; more < 3; more += 1)
    await publish(app, 'structures', { name: `Neighbour ${more}`, has_current_location: place.id })
  await settle()
  expect(await cost({ has_current_location: place.id })).toBe(inside)
  await stopAll(app.other)
})

test('a change costs the same, however many watch it', async () => {
  const cost = async () => {
    await publish(app, 'iconographic_objects', { name: `Icon ${Math.random()}` })
    await following.settled()
    const { followFeed } = await import('../../../lib/domain/watches/follow.ts')
    return commandsOf(followFeed)
  }
  await watching(app.other, 'kind', 'iconography')
  await cost()
  const one = await cost()
  for (const who of [app.contributor, app.community, app.curator, app.staff]) await watching(who, 'kind', 'iconography')
  expect(await cost()).toEqual(one)
  expect(one.filter((it) => it.includes('Write'))).toHaveLength(2)
  for (const who of [app.other, app.contributor, app.community, app.curator, app.staff]) await stopAll(who)
})
