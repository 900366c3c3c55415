import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, decide, publish, sure } from '../../harness/make.ts'

const ALERTS = '/api/curator-alerts/'
const LINKS = '/api/reconciled-links/'
type Made = { id: number; cultural_entity_id: string }
type Link = { id: string; target_uri: string; entity_id: string }

let app: App
let following: Following
let server: Server
let host: string
/** What was asked of the server, with the moment. */
let asked: { what: string; at: number }[] = []
/** What Wikidata says of an item: where it is now, and its label. */
const items: Record<string, object> = {}

/** A stand-in for other servers: what an address answers is in its path. */
const answerAs: Record<string, (path: string) => [status: number, headers?: Record<string, string>]> = {
  there: () => [200],
  gone: () => [404],
  away: () => [503],
  moved: () => [301, { location: '/there/2' }],
  soon: () => [302, { location: '/there/2' }],
  nohead: () => [200],
}

beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  for (const who of [app.community, app.curator]) sure(200, await who.get('/api/user/info'))
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    asked.push({ what: `${request.method} ${url.pathname}`, at: performance.now() })
    const [, sort = ''] = url.pathname.split('/')
    if (sort === 'slow') return
    if (sort === 'w') {
      const ids = (url.searchParams.get('ids') ?? '').split('|')
      const entities = Object.fromEntries(ids.map((id) => [id, items[id] ?? { id }]))
      response.writeHead(200).end(JSON.stringify({ entities }))
      return
    }
    const [status, headers] = answerAs[sort]?.(url.pathname) ?? [404]
    response.writeHead(sort === 'nohead' && request.method === 'HEAD' ? 405 : status, headers).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let number = 0
const temple = async (...same_as: string[]): Promise<Made> => {
  const made = await publish(app, 'structures', { name: `Alert temple ${++number}`, same_as })
  await following.settled()
  return made
}
const linksOf = async ({ cultural_entity_id }: Made, who: Persona = app.anon): Promise<Link[]> =>
  sure(200, await who.get(LINKS, { query: { limit: 100 } })).results.filter(
    (it: Link) => it.entity_id === cultural_entity_id,
  )
const alertsOf = async ({ cultural_entity_id }: Made, status = 'open') =>
  sure(200, await app.community.get(ALERTS, { query: { status, limit: 100 } })).results.filter(
    (it: { reconciled_link_detail: Link }) => it.reconciled_link_detail.entity_id === cultural_entity_id,
  )
/** Lets a week pass and asks all links. Returns how many the check says it has asked. */
async function askAll(more: object = {}): Promise<number> {
  const { checkLinks } = await import('../../../lib/domain/alerts/check.ts')
  app.tick(8 * 86_400)
  asked = []
  return checkLinks({ guarded: false, wikidata: host, attemptMs: 300, ...more }, performance.now() + 20_000, 50)
}

describe('links to other collections', () => {
  test('follow the records that everyone reads, and no others', async () => {
    const made = await temple('wd:Q37', `${host}/there/1`, 'no address')
    expect(await linksOf(made)).toEqual([
      expect.objectContaining({ authority: expect.any(String), match_type: 'exact', is_stale: false }),
      expect.objectContaining({ entity_uri: `http://localhost:8000/cidoc/structures/${made.id}/` }),
    ])
    expect((await linksOf(made)).map((it) => it.target_uri).sort()).toEqual(
      [`${host}/there/1`, 'http://www.wikidata.org/entity/Q37'].sort(),
    )
    const hidden = await publish(app, 'structures', {
      name: 'Restricted',
      same_as: ['wd:Q38'],
      access_tier: 'restricted',
    })
    await following.settled()
    expect(await linksOf(hidden, app.staff)).toEqual([])
    sure(204, await app.staff.delete(`/cidoc/structures/${made.id}/`))
    await following.settled()
    expect(await linksOf(made, app.staff)).toEqual([])
  })
})

describe('the weekly questions', () => {
  test('find what is gone and what has moved; a dead, slow or busy host and a passing redirect tell nothing', async () => {
    const paths = ['there/3', 'gone/1', 'moved/1', 'soon/1', 'away/1', 'slow/1', 'nohead/1']
    const made = await temple(...paths.map((path) => `${host}/${path}`), 'http://127.0.0.1:9/dead')
    const due = sure(200, await app.staff.get(LINKS, { query: { limit: 1 } })).count
    expect(await askAll()).toBe(due)
    const alerts = await alertsOf(made)
    expect(
      alerts
        .map((it: { issue_type: string; detail: string; suggested_replacement_uri: string | null }) => [
          it.issue_type,
          it.detail,
          it.suggested_replacement_uri,
        ])
        .sort(),
    ).toEqual([
      ['stale_link', 'The address has moved.', `${host}/there/2`],
      ['stale_link', 'The address is gone.', null],
    ])
    expect(asked.map(({ what }) => what)).toContain('GET /nohead/1')
    expect(asked.map(({ what }) => what)).not.toContain('HEAD /there/2')
    const pauses = asked.slice(1).map(({ at }, i) => at - (asked[i]?.at ?? 0))
    expect(pauses.filter((pause) => pause < 45)).toHaveLength(1)
    await askAll()
    expect(await alertsOf(made)).toHaveLength(2)
    expect((await linksOf(made)).filter((it) => 'is_stale' in it && it.is_stale)).toHaveLength(2)
    sure(204, await app.staff.delete(`/cidoc/structures/${made.id}/`))
    await following.settled()
    expect(await alertsOf(made)).toEqual([])
  })

  test('ask Wikidata about many items at once: gone, merged, called otherwise', async () => {
    const made = await temple('wd:Q101', 'wd:Q102', 'wd:Q103')
    Object.assign(items, { Q103: { id: 'Q103', labels: { en: { value: 'Old name' } } } })
    await askAll()
    expect(asked.filter(({ what }) => what === 'GET /w/api.php')).toHaveLength(1)
    Object.assign(items, {
      Q101: { id: 'Q101', missing: '' },
      Q102: { id: 'Q999' },
      Q103: { id: 'Q103', labels: { en: { value: 'New name' } } },
    })
    await askAll()
    const alerts = await alertsOf(made)
    expect(alerts.map((it: { issue_type: string }) => it.issue_type).sort()).toEqual([
      'label_drift',
      'stale_link',
      'supersession',
    ])
    expect(alerts.map((it: { detail: string }) => it.detail)).toContain('"Old name" is called "New name" there now.')
  })

  test('connect to public addresses alone', async () => {
    const { askAddress } = await import('../../../lib/domain/alerts/ask.ts')
    asked = []
    const terms = { guarded: true, wikidata: host, attemptMs: 300 }
    expect(await askAddress(`${host}/gone/9`, terms)).toEqual({ is: 'unknown' })
    expect(await askAddress(`${host.replace('127.0.0.1', 'localhost')}/gone/9`, terms)).toEqual({ is: 'unknown' })
    expect(asked).toEqual([])
    const { sweepLinks } = await import('../../../lib/domain/alerts/check.ts')
    expect(await sweepLinks()).toBe(0)
  })
})

describe('an alert', () => {
  test('is for reviewers, ended once, and opens again only if it was resolved', async () => {
    const made = await temple(`${host}/gone/7`)
    await askAll()
    const [alert] = await alertsOf(made)
    const at = `${ALERTS}${alert.id}/`
    expect((await app.contributor.get(ALERTS)).status).toBe(403)
    expect((await app.contributor.get(at)).status).toBe(403)
    expect((await app.contributor.post(`${at}resolve/`)).status).toBe(403)
    expect((await app.anon.post(`${at}resolve/`)).status).toBe(401)
    for (const who of [app.community, app.curator]) sure(200, await who.get(at))
    const replies = await atOnce([app.community, app.curator].map((who) => () => who.post(`${at}resolve/`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await app.community.post(`${at}ignore/`)).body).toEqual({ detail: 'This alert is resolved already.' })
    await askAll()
    expect(sure(200, await app.community.get(at))).toMatchObject({ status: 'open', resolved_by: null })
    expect(sure(200, await app.community.post(`${at}ignore/`))).toMatchObject({
      status: 'ignored',
      resolved_by_username: 'reviewer',
    })
    await askAll()
    expect(sure(200, await app.community.get(`/data${ALERTS.slice(4)}${alert.id}/`)).status).toBe('ignored')
  })

  test('is met by an edit of the record, which another reviewer accepts', async () => {
    const made = await temple(`${host}/moved/5`)
    const [link] = await linksOf(made)
    const at = `${LINKS}${link?.id}/`
    expect(sure(200, await app.anon.get(at))).toEqual(link)
    expect((await app.contributor.post(`${at}mark-stale/`)).status).toBe(403)
    expect(sure(200, await app.community.post(`${at}mark-stale/`)).is_stale).toBe(true)
    const wrong = await app.community.post(`${at}update-target/`, { body: { target_uri: 'nowhere' } })
    expect([wrong.status, wrong.body]).toEqual([400, { target_uri: ['Enter a valid URL.'] }])
    const target_uri = `${host}/there/2`
    expect((await app.contributor.post(`${at}update-target/`, { body: { target_uri } })).status).toBe(403)
    const next = sure(200, await app.community.post(`${at}update-target/`, { body: { target_uri } }))
    expect(next).toMatchObject({ target_uri, is_stale: false })
    await following.settled()
    expect((await linksOf(made))[0]?.target_uri).toBe(`${host}/moved/5`)
    expect((await decide(app.community, made, { verdict: 'accept' })).status).toBe(403)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    await following.settled()
    expect((await linksOf(made)).map((it) => it.target_uri)).toEqual([target_uri])
  })

  test('another target is refused together with a label or as stale', async () => {
    const made = await temple(`${host}/there/30`)
    const [link] = await linksOf(made)
    const at = `${LINKS}${link?.id}/`
    const target_uri = `${host}/there/31`
    const refused = await app.community.patch(at, { body: { target_uri, target_label: 'New', is_stale: true } })
    const why = ['Another target waits for a reviewer. Change this once it is accepted.']
    expect([refused.status, refused.body]).toEqual([400, { target_label: why, is_stale: why }])
    expect(await linksOf(made)).toEqual([link])
    const update = (target_label: string) =>
      app.community.post(`${at}update-target/`, { body: { target_uri, target_label } })
    expect((await update('New')).body).toEqual({ target_label: why })
    expect(sure(200, await update(''))).toMatchObject({ target_uri, target_label: '', is_stale: false })
  })

  test('links are added, changed and taken away by reviewers, as edits that another reviewer accepts', async () => {
    const made = await temple(`${host}/there/20`)
    const target_uri = `${host}/there/21`
    const body = {
      entity_uri: `http://localhost:8000/cidoc/structures/${made.id}/`,
      target_uri,
      target_label: 'Temple',
    }
    expect((await app.contributor.post(LINKS, { body })).status).toBe(403)
    const refused = async (more: object) => (await app.community.post(LINKS, { body: { ...body, ...more } })).body
    expect(await refused({ entity_uri: `/resource/structure/999999` })).toEqual({
      entity_uri: ['There is no public record at this address.'],
    })
    expect(await refused({ target_uri: `${host}/there/20` })).toEqual({
      target_uri: ['The record has this link already.'],
    })
    expect(await refused({ match_type: 'close' })).toEqual({
      match_type: ['Only exact links are kept: same_as says that two things are one.'],
    })
    const hidden = await publish(app, 'structures', { name: 'Hidden temple', access_tier: 'restricted' })
    expect(await refused({ entity_uri: hidden.cultural_entity_id })).toEqual({
      entity_uri: ['There is no public record at this address.'],
    })
    const added = sure(201, await app.community.post(LINKS, { body }))
    expect(added).toMatchObject({ target_uri, target_label: 'Temple', match_type: 'exact', is_stale: false })
    expect(await linksOf(made)).toHaveLength(1)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    await following.settled()
    expect((await linksOf(made)).map((it) => it.id)).toContain(added.id)
    const at = `${LINKS}${added.id}/`
    expect(
      sure(200, await app.community.patch(at, { body: { is_stale: true, target_label: 'The temple' } })),
    ).toMatchObject({
      is_stale: true,
      target_label: 'The temple',
    })
    expect((await app.contributor.delete(at)).status).toBe(403)
    sure(204, await app.community.delete(at))
    expect(await linksOf(made)).toHaveLength(2)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    await following.settled()
    expect((await linksOf(made)).map((it) => it.target_uri)).toEqual([`${host}/there/20`])
    expect(sure(200, await app.anon.get(LINKS, { query: { match_type: 'close' } })).count).toBe(0)
  })

  test('a cluster is told what its members and their look-alikes are called elsewhere', async () => {
    const [one, other] = [`Ratna Mandap ${++number}`, `Ratna Mandap ${number}`]
    const member = await publish(app, 'structures', { name: one, same_as: ['wd:Q201', 'wd:Q202'] })
    await publish(app, 'structures', { name: other, same_as: ['wd:Q203'] })
    await publish(app, 'structures', { name: other, same_as: ['wd:Q204'], access_tier: 'restricted' })
    await following.settled()
    const cluster = sure(
      201,
      await app.community.post('/cidoc/entity-clusters/', {
        body: {
          canonical_label: one,
          type_scope: 'structure',
          members: [{ entity_type: 'structure', entity_id: member.id }],
          external_identifiers: { wikidata: 'http://www.wikidata.org/entity/Q202' },
        },
      }),
    )
    const at = `/cidoc/entity-clusters/${cluster.id}/suggest-external/`
    expect((await app.anon.get(at)).status).toBe(401)
    const { suggestions, ...rest } = sure(200, await app.contributor.get(at))
    expect(rest).toEqual({ cluster_id: cluster.id, canonical_label: one, type_scope: 'architecturalstructure' })
    expect(suggestions[0]).toEqual({
      authority: 'wikidata',
      iri: 'http://www.wikidata.org/entity/Q201',
      label: one,
      description: `A link of the member "${one}".`,
      score: 1,
    })
    const iris = suggestions.map((it: { iri: string }) => it.iri)
    expect(iris).toContain('http://www.wikidata.org/entity/Q203')
    expect(iris).not.toContain('http://www.wikidata.org/entity/Q202')
  })

  test('list and links cost the same whatever there is', async () => {
    const { calls, units } = (await app.anon.get(LINKS)).cost
    expect([calls <= 3, units < 30]).toEqual([true, true])
    expect((await app.community.get(ALERTS)).cost.calls).toBeLessThanOrEqual(5)
  })
})
