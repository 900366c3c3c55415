import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { html, jsonBlock, webAddress } from '../../../lib/doors/pages/html.ts'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { interleave } from '../../harness/interleave.ts'
import { contribute, copies, decide, publish, sightings, type states, sure } from '../../harness/make.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const page = (who: Persona, path: string, language = 'en') =>
  who.get(path, { headers: { accept: BROWSER, 'accept-language': language } })
const textOf = ({ bytes }: Answer) => bytes.toString()

let app: App
let following: Following
type Made = Awaited<ReturnType<typeof publish>>
let temple: Made
let deity: Made
let source: { id: string }

beforeAll(async () => {
  app = await openApp({ env: { EXPORT_LICENCE: 'CC-BY-SA-4.0', RESOURCE_BASE: 'https://w3id.org/heritagegraph/' } })
  following = await followTable()
  source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Inventory of 1975' } }))
  deity = await publish(app, 'deities', { name: 'Taleju', name_ne: 'तलेजु' })
  temple = await publish(app, 'structures', {
    name: 'Krishna Mandir',
    name_ne: 'कृष्ण मन्दिर',
    alternate_names: ['Chyasin Dega'],
    description: 'A temple of stone.',
    structure_type: 'Temple',
    construction_date: '1637',
    coordinates: '27.67358, 85.32512',
    dedicated_to: [deity.id],
    same_as: ['wd:Q6437402', 'https://www.wikidata.org/wiki/Q37'],
    assertion: { source_type: 'book', source_citation: 'Volume 2', confidence: 'certain' },
  })
  await publish(app, 'festivals', { name: 'Janmashtami', ritual_on_structure: temple.id })
  const rival = { entity_type: 'structure', entity_id: temple.id, property: 'construction_date', value: '1723' }
  const claim = sure(
    201,
    await app.other.post('/cidoc/assertions/', { body: { ...rival, source: source.id, confidence: 'speculative' } }),
  )
  const disputed = { body: { reconciliation_status: 'disputed' } }
  sure(200, await app.curator.patch(`/cidoc/assertions/${claim.id}/`, disputed))
  await following.settled()
}, 120_000)

describe('an address that stays', () => {
  const at = (path = '') => `/resource/structure/${temple.id}${path}`

  test.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/ld+json', 'application/ld+json'],
    ['application/geo+json', 'application/geo+json'],
    ['text/turtle', 'text/turtle'],
    ['application/n-triples', 'application/n-triples'],
    ['application/n-quads', 'application/n-quads'],
    ['application/rdf+xml', 'application/rdf+xml'],
    [BROWSER, 'text/html; charset=utf-8'],
  ])('answers %s with %s', async (accept, type) => {
    const answer = await app.anon.get(at(), { headers: { accept } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(type)
    expect(answer.headers.vary).toContain('Accept, Accept-Datetime')
  })

  test.each([
    ['json', 'application/json'],
    ['jsonld', 'application/ld+json'],
    ['geojson', 'application/geo+json'],
    ['ttl', 'text/turtle'],
    ['nt', 'application/n-triples'],
    ['rdf', 'application/rdf+xml'],
    ['html', 'text/html; charset=utf-8'],
  ])('answers ?format=%s with %s', async (format, type) => {
    const answer = await app.anon.get(at(), { query: { format }, headers: { accept: 'image/png' } })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
  })

  test('says what its own endpoint says', async () => {
    for (const accept of ['application/json', 'application/ld+json', 'application/geo+json']) {
      const [stays, own] = await Promise.all(
        [at(), `/cidoc/structures/${temple.id}/`].map((path) => app.anon.get(path, { headers: { accept } })),
      )
      expect(stays?.body).toEqual(own?.body)
    }
  })

  test('takes the segment of a kind as well, and refuses an unknown kind with a hint', async () => {
    expect((await app.anon.get(`/resource/structures/${temple.id}/`)).body.name).toBe('Krishna Mandir')
    const { status, body } = await app.anon.get('/resource/structur/1')
    expect([status, body]).toEqual([
      404,
      { detail: 'Not found. There is no kind of this name. Did you mean structure?' },
    ])
    expect((await app.anon.get('/resource/structure/nine')).status).toBe(404)
    expect((await app.anon.get('/resource/data_source/1')).status).toBe(404)
  })

  test('has signposts', async () => {
    const { headers } = await app.anon.get(at())
    expect(headers.link?.split(', ').slice(0, 3)).toEqual([
      `<https://w3id.org/heritagegraph/resource/structure/${temple.id}>; rel="cite-as"`,
      `<http://localhost:8000${at()}/?format=json>; rel="describedby"; type="application/json"`,
      `<http://localhost:8000${at()}/?format=jsonld>; rel="describedby"; type="application/ld+json"`,
    ])
    expect(headers.link).toContain('<http://creativecommons.org/licenses/by-sa/4.0/>; rel="license"')
    expect(headers.link).toContain(`<http://localhost:8000${at()}>; rel="original timegate"`)
    expect(headers.link).toContain('<https://schema.org/AboutPage>; rel="type"')
  })

  test('a browser keeps its page by its ETag', async () => {
    const first = await page(app.anon, at())
    const headers = { accept: BROWSER, 'if-none-match': first.headers.etag ?? '' }
    expect((await app.anon.get(at(), { headers })).status).toBe(304)
  })
})

describe('the page of a record', () => {
  test('says names, values, sources, confidence, rivals, links, history and how to cite', async () => {
    const text = textOf(await page(app.anon, `/resource/structure/${temple.id}`))
    for (const part of [
      '<html lang="en">',
      '<bdi>Krishna Mandir</bdi>',
      'कृष्ण मन्दिर',
      'Chyasin Dega',
      'A temple of stone.',
      '>Temple<',
      'Volume 2 [1]',
      'Inventory of 1975 [2]',
      `href="/cidoc/data_sources/${source.id}/"`,
      '<span class="sure certain">Certain</span>',
      'Others say',
      '1723',
      '<span class="sure speculative">Speculative</span>',
      `href="/resource/deity/${deity.id}/"`,
      '<a href="http://www.wikidata.org/entity/Q6437402" rel="nofollow noopener">wd:Q6437402</a>',
      '<a href="https://www.wikidata.org/wiki/Q37" rel="nofollow noopener">',
      'Janmashtami',
      '<svg class="map"',
      `https://w3id.org/heritagegraph/resource/structure/${temple.id}`,
      'creativecommons.org/licenses/by-sa/4.0/',
      'rel="canonical"',
    ])
      expect(text).toContain(part)
  })

  test('is in Nepali for whoever asks for it, by header or by link', async () => {
    const path = `/resource/structure/${temple.id}`
    const [byHeader, byLink] = await Promise.all([page(app.anon, path, 'ne'), page(app.anon, `${path}?lang=ne`)])
    for (const answer of [byHeader, byLink]) {
      expect(answer.headers['content-language']).toBe('ne')
      expect(answer.headers.vary).toContain('Accept-Language')
      const text = textOf(answer)
      expect(text).toContain('<html lang="ne">')
      expect(text).toContain('<bdi>कृष्ण मन्दिर</bdi></h1>')
      expect(text).toContain('वि.सं.')
    }
    // Whoever has chosen a language keeps it from link to link.
    expect(textOf(byLink)).toContain(`/resource/deity/${deity.id}/?lang=ne`)
  })

  test('has schema.org inside', async () => {
    const text = textOf(await page(app.anon, `/resource/structure/${temple.id}`))
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(text) ?? []
    expect(JSON.parse(json)).toMatchObject({
      '@type': 'WebPage',
      license: 'http://creativecommons.org/licenses/by-sa/4.0/',
      mainEntity: {
        '@type': 'LandmarksOrHistoricalBuildings',
        '@id': `https://w3id.org/heritagegraph/resource/structure/${temple.id}`,
        name: 'Krishna Mandir',
        alternateName: ['कृष्ण मन्दिर', 'Chyasin Dega'],
        sameAs: ['http://www.wikidata.org/entity/Q6437402', 'http://www.wikidata.org/entity/Q37'],
        geo: { latitude: 27.67358, longitude: 85.32512 },
      },
    })
  })

  test('of every kind is made', async () => {
    const { recordKinds, kinds } = await import('../../../lib/domain/kinds/index.ts')
    for (const kind of recordKinds) {
      const made = await contribute(app.contributor, kinds[kind].segment, { name: `One ${kind}`, note: 'n' })
      const answer = await page(app.contributor, `/resource/${kind}/${made.id}`)
      expect([kind, answer.status]).toEqual([kind, 200])
      expect(textOf(answer)).toContain('This waits for review.')
      expect(textOf(answer)).toContain('<meta name="robots" content="noindex">')
    }
  })

  test('allows no script, no other host and no frame', async () => {
    const { headers } = await page(app.anon, `/resource/structure/${temple.id}`)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; img-src 'self'; style-src 'sha256-[\w+/]+='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test('costs as much among many records as among few', async () => {
    const path = `/resource/structure/${temple.id}`
    const few = await page(app.anon, path)
    await copies(temple, 300)
    // No other test looks for them.
    await following.take()
    const many = await page(app.anon, path)
    expect(many.cost).toEqual(few.cost)
    expect(few.cost.calls).toBeLessThanOrEqual(12)
    expect(few.cost.units).toBeLessThanOrEqual(20)
  })
})

describe('what is hidden', () => {
  const HIDDEN = 'Sight of nobody'

  test.each(sightings)('a $state record is read by $who: $sees, in each form', async ({ state, who, sees }) => {
    made[state] ??= await inState(state)
    // It was published before: that it is gone is no secret, as the feed says so, too.
    const none = state === 'deleted' ? 410 : 404
    for (const accept of [BROWSER, 'application/json', 'application/ld+json', 'application/geo+json']) {
      const it = await app[who].get(`/resource/structure/${(await made[state]).id}`, { headers: { accept } })
      expect([accept, it.status]).toEqual([accept, sees ? 200 : none])
    }
    const timemap = await app[who].get(`/resource/structure/${(await made[state]).id}/timemap/`)
    expect(timemap.status).toBe(sees ? 200 : 404)
  })
  const made: Partial<Record<(typeof states)[number], Made | Promise<Made>>> = {}
  async function inState(state: (typeof states)[number]): Promise<Made> {
    const { everyState } = await import('../../harness/make.ts')
    Object.assign(made, await everyState(app, 'structures'))
    return made[state] as Made
  }

  test('is in no link, no rival, no source, no count and no list', async () => {
    const hidden = await publish(app, 'deities', { name: HIDDEN, access_tier: 'restricted' })
    const waiting = await contribute(app.contributor, 'deities', { name: `${HIDDEN} yet` })
    const secret = { name: `${HIDDEN} source`, access_tier: 'org_only' }
    const away = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: secret }))
    const it = await publish(app, 'structures', {
      name: 'Seen by all',
      dedicated_to: [hidden.id, waiting.id],
      structure_type: 'Temple',
    })
    const shown = { entity_type: 'structure', entity_id: it.id, property: 'structure_type', value: 'Stupa' }
    const rival = sure(201, await app.contributor.post('/cidoc/assertions/', { body: { ...shown, source: away.id } }))
    const disputed = { body: { reconciliation_status: 'disputed' } }
    sure(200, await app.curator.patch(`/cidoc/assertions/${rival.id}/`, disputed))
    await publish(app, 'festivals', { name: `${HIDDEN} feast`, ritual_on_structure: it.id, access_tier: 'restricted' })
    const claim = { entity_type: 'structure', entity_id: it.id, property: 'note', value: `${HIDDEN} claim` }
    sure(201, await app.other.post('/cidoc/assertions/', { body: claim }))
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: `${HIDDEN} edit` } }))
    await following.settled()
    for (const path of [
      `/resource/structure/${it.id}`,
      '/',
      '/resource/',
      '/resource/?q=sight',
      '/resource/?kind=deity',
    ])
      expect([path, textOf(await page(app.anon, path)).includes(HIDDEN)]).toEqual([path, false])
    // Who may see them does.
    expect(textOf(await page(app.other, `/resource/structure/${it.id}`))).toContain(`${HIDDEN} feast`)
    const counts = /resource\/\?kind=deity">[^<]*<b>(\d+)</.exec(textOf(await page(app.anon, '/')))
    expect(counts?.[1]).toBe('1')
  })

  test('an exact place of a tier that rounds is not on the page', async () => {
    const it = await publish(app, 'structures', {
      name: 'A guarded shrine',
      coordinates: '27.671234, 85.321234',
      access_tier: 'community_only',
    })
    const text = textOf(await page(app.anon, `/resource/structure/${it.id}`))
    const answer = await app.anon.get(`/resource/structure/${it.id}`)
    expect(text.includes('27.671234')).toBe(false)
    if (answer.status === 200) expect(text).toContain('The exact place is not shown.')
  })
})

describe('hostile texts', () => {
  const EVIL = `<script>alert(1)</script>"'><img src=x onerror=alert(1)></title></script><!--`
  /** Prose may hold characters that turn the direction of writing. Names may not. */
  const PROSE = `${EVIL}\u202egnp.exe\u2066`

  test('become no markup, no script and no link, anywhere', async () => {
    const it = await publish(app, 'structures', {
      name: `N ${EVIL}`,
      name_ne: `न ${EVIL}`,
      alternate_names: [`A ${EVIL}`],
      description: PROSE,
      note: PROSE,
      location_name: EVIL,
      commissioned_by: EVIL,
      same_as: ['javascript:alert(1)', 'https://user:pass@example.org/', 'data:text/html,x'],
      construction_date: EVIL,
      assertion: {
        source_type: 'book',
        source_citation: PROSE,
        source_url: 'https://example.org/"><b>',
        confidence: 'certain',
        data_quality_note: PROSE,
      },
    })
    app.tick(60)
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: `${PROSE} again` } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept', reconciliation_note: PROSE }))
    await following.settled()
    const pages = [
      `/resource/structure/${it.id}`,
      '/',
      '/resource/?kind=structure',
      `/resource/?q=${encodeURIComponent(EVIL)}`,
    ]
    for (const path of pages) {
      const text = textOf(await page(app.anon, path))
      expect(text).not.toMatch(
        /<script>|<img src=x|onerror=alert\(1\)>|href="javascript|[\u202e\u2066]|user:pass@[^<]*">/,
      )
      // Each page has at most the one block that it makes itself.
      expect(text.match(/<script/g)?.length ?? 0).toBeLessThanOrEqual(1)
      expect(text.match(/<\/script/g)?.length ?? 0).toBeLessThanOrEqual(1)
      expect(text.match(/<title>/g)).toHaveLength(1)
    }
  })

  test.each([
    ['<b>', '&lt;b&gt;'],
    [`"'&`, '&quot;&#39;&amp;'],
    ['a\u202eb\u2069c\u0000d', 'abcd'],
    ['क्‍ष', 'क्‍ष'],
  ])('%j is %s in a template', (text, written) => {
    expect(html`${text}`.text).toBe(written)
  })

  test('JSON in a page ends where it ends', () => {
    const { text } = jsonBlock('application/ld+json', { a: '</script><!--\u2028' })
    expect(text).toBe('<script type="application/ld+json">{"a":"\\u003c/script\\u003e\\u003c!--\\u2028"}</script>')
  })

  test.each([
    ['https://example.org/a?b=c#d', true],
    ['http://example.org', true],
    ['javascript:alert(1)', false],
    ['JavaScript:alert(1)', false],
    ['data:text/html,x', false],
    ['//example.org', false],
    ['https://a b', false],
    ['https://user:pass@example.org/', false],
    ['https://example.org/"onclick="x', false],
  ])('%s may be linked to: %s', (text, may) => {
    expect(webAddress(text) !== undefined).toBe(may)
  })
})

describe('the first page and the page of results', () => {
  test('/ is a page in a browser, and what it was for everybody else', async () => {
    const answer = await page(app.anon, '/')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    const text = textOf(answer)
    expect(text).toContain('<form class="find" role="search" action="/resource/" method="get">')
    expect(text).toContain('"@type":"WebSite"')
    expect(text).toContain('Newest')
    const scraper = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
    for (const accept of ['*/*', 'text/plain', scraper, 'application/json', 'image/png'])
      expect((await app.anon.get('/', { headers: { accept } })).headers['content-type']).toMatch(/^text\/plain/)
    expect((await app.anon.get('/?format=json', { headers: { accept: BROWSER } })).body.service).toBe(
      'heritage-knowledge-service',
    )
  })

  test('costs little', async () => {
    const { cost } = await page(app.anon, '/')
    expect(cost.calls).toBeLessThanOrEqual(6)
    expect(cost.units).toBeLessThanOrEqual(30)
  })

  test('a search is found, paged, and the same as JSON', async () => {
    const text = textOf(await page(app.anon, '/resource/?q=krishna'))
    expect(text).toContain(`href="/resource/structure/${temple.id}/"`)
    expect(text).toContain('value="krishna"')
    const { body } = await app.anon.get('/resource/?q=krishna')
    expect(body.results[0]).toEqual({
      address: `http://localhost:8000/resource/structure/${temple.id}`,
      kind: 'structure',
      id: temple.id,
      name: 'Krishna Mandir',
      name_ne: 'कृष्ण मन्दिर',
    })
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(textOf(await page(app.anon, '/resource/?limit=1'))) ?? []
    const second = await page(app.anon, next.replaceAll('&amp;', '&'))
    expect(textOf(second)).toContain('rel="prev"')
  })

  test('nothing found is said', async () => {
    expect(textOf(await page(app.anon, '/resource/?q=zzzzzzzz'))).toContain('Nothing was found.')
  })
})

describe('crawlers', () => {
  test('are told what to read, and when it changed; nothing hidden is named', async () => {
    const before = textOf(await app.anon.get('/sitemap.xml'))
    expect(before).toContain('<sitemapindex')
    expect((await app.anon.get('/sitemap/1.xml.gz')).status).toBe(404)
    const secret = await publish(app, 'structures', { name: 'In no sitemap', access_tier: 'restricted' })
    const waiting = await contribute(app.contributor, 'structures', { name: 'In no sitemap yet' })
    const { handler } = await import('../../../functions/exporter.ts')
    await handler()
    const index = await app.anon.get('/sitemap.xml')
    expect(index.headers['content-type']).toBe('application/xml')
    expect(textOf(index)).toMatch(
      /<sitemap><loc>http:\/\/localhost:8000\/sitemap\/1\.xml\.gz<\/loc><lastmod>2025-01-1\d<\/lastmod><\/sitemap>/,
    )
    const part = await app.anon.get('/sitemap/1.xml.gz')
    expect(part.cost).toEqual({ calls: part.cost.calls, units: expect.any(Number) })
    expect(part.cost.calls).toBeLessThanOrEqual(4)
    const urls = gunzipSync(part.bytes).toString()
    const ofTemple = `<url><loc>http://localhost:8000/resource/structure/${temple.id}</loc><lastmod>2025-01-15</lastmod></url>`
    expect(urls).toContain(ofTemple)
    for (const { id } of [secret, waiting]) expect(urls).not.toContain(`/resource/structure/${id}<`)
    expect((await app.anon.get('/sitemap/2.xml.gz')).status).toBe(404)
    expect((await app.anon.get('/sitemap/x')).status).toBe(404)
    const robots = textOf(await app.anon.get('/robots.txt'))
    expect(robots).toContain('Sitemap: http://localhost:8000/sitemap.xml\n')
    // As crawlers match (RFC 9309, 2.2.2): a rule is a beginning, and a star stands for any letters.
    const rules = [...robots.matchAll(/^Disallow: (.*)$/gm)].map(
      ([, rule = '']) => new RegExp(`^${rule.replaceAll(/[.?+]/g, '\\$&').replaceAll('*', '.*')}`),
    )
    const isOpen = (path: string) => !rules.some((rule) => rule.test(path))
    for (const path of ['/resource/?q=x', '/resource/?lang=ne&q=x', '/cidoc/discovery/?q=x', '/data/search?q=x'])
      expect(isOpen(path), path).toBe(false)
    for (const path of ['/api/v1/data/search/', '/data/api/search/', '/cidoc/search/'])
      expect(isOpen(path), path).toBe(false)
    for (const path of ['/resource/structure/7', '/resource/', '/data/exports/', '/cidoc/structures/7/'])
      expect(isOpen(path), path).toBe(true)
  })

  test('a part ends at 50,000 addresses', async () => {
    const { startSitemap } = await import('../../../lib/doors/exports/sitemap.ts')
    const sitemap = startSitemap('exports/test')
    const record = { kind: 'structure', id: 1, public: true, accepted_at: '2025-01-02T00:00:00.000Z' } as const
    const rows = { ...record, accepted_revision_id: null, updated_at: '2025-01-09T00:00:00.000Z' }
    await sitemap.add(Array.from({ length: 50_001 }, (_, i) => ({ ...rows, id: i + 1 })))
    const parts = await sitemap.end()
    expect(parts.map(({ addresses, changed }) => [addresses, changed])).toEqual([
      [50_000, '2025-01-02'],
      [1, '2025-01-02'],
    ])
  })
})

describe('Memento', () => {
  let it: Made
  const at = (path = '') => `/resource/structure/${it.id}${path}`
  const original = () => `http://localhost:8000${at()}`
  const seek = (date: string) => app.anon.get(at(), { headers: { 'accept-datetime': date } })
  beforeAll(async () => {
    it = await publish(app, 'structures', { name: 'First name', note: 'one' })
    app.tick(86_400)
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'two' } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    app.tick(86_400)
  })

  test('a TimeMap lists the states', async () => {
    const answer = await app.anon.get(at('/timemap/'))
    expect(answer.headers['content-type']).toBe('application/link-format')
    const lines = textOf(answer).split(',\n')
    expect(lines[0]).toBe(`<${original()}>; rel="original timegate"`)
    expect(lines).toHaveLength(4)
    expect(lines[2]).toMatch(/^<[^>]+\/\?at=[^>]+>; rel="first memento"; datetime="\w{3}, .* GMT"$/)
    expect(lines[3]).toMatch(/rel="last memento"/)
  })

  test('a date leads to the state of then, an earlier one to the first, a later one to the last', async () => {
    const dates = [
      ...textOf(await app.anon.get(at('/timemap/'))).matchAll(/<([^>]+)>; rel="[^"]*memento"; datetime="([^"]+)"/g),
    ]
    const [first, last] = dates.map(([, address = '', date = '']) => ({ address, date }))
    for (const [date, memento] of [
      ['Thu, 01 Jan 1970 00:00:00 GMT', first],
      [first?.date, first],
      [last?.date, last],
      ['Fri, 01 Jan 2100 00:00:00 GMT', last],
    ] as const) {
      const answer = await seek(date ?? '')
      expect([answer.status, answer.headers.location]).toEqual([302, memento?.address])
      expect(answer.headers.vary).toContain('Accept-Datetime')
      expect(answer.headers.link).toBe(
        `<${original()}>; rel="original timegate", <${original()}/timemap/>; rel="timemap"; type="application/link-format"`,
      )
    }
    const then = await app.anon.get(first?.address.replace('http://localhost:8000', '') ?? '')
    expect([then.body.note, then.headers['memento-datetime']]).toEqual(['one', first?.date])
    expect(then.headers.link).toContain(`<${original()}>; rel="original timegate"`)
    const then2 = await page(app.anon, first?.address.replace('http://localhost:8000', '') ?? '')
    expect(textOf(then2)).toContain('This is how it stood at an earlier time')
    expect(textOf(then2)).toContain('noindex')
  })

  test('a state of the past leads to its own forms, and not to those of today', async () => {
    const timemap = textOf(await app.anon.get(at('/timemap/')))
    const [, first = ''] = /<http:\/\/localhost:8000([^>]+)>; rel="first memento"/.exec(timemap) ?? []
    const shown = await page(app.anon, first)
    const links = [...textOf(shown).matchAll(/href="([^"]*format=ttl)"/g)].map(([, link = '']) => link)
    const described = /<([^>]+)>; rel="describedby"; type="text\/turtle"/.exec(shown.headers.link ?? '')?.[1] ?? ''
    for (const link of [...links, described]) {
      const { pathname, search } = new URL(link.replace('&amp;', '&'), 'http://localhost:8000')
      expect(textOf(await app.anon.get(`${pathname}${search}`))).toContain('crm:P3_has_note "one"')
    }
    expect(links).toHaveLength(2)
  })

  test('what is no date is refused', async () => {
    const { status, body } = await seek('yesterday')
    expect([status, body]).toEqual([
      400,
      { 'Accept-Datetime': ['Give a date such as "Thu, 31 May 2007 20:35:00 GMT".'] },
    ])
  })

  test('is on every answer of a past moment: records, lists and explanations, in each form', async () => {
    const timemap = textOf(await app.anon.get(at('/timemap/')))
    const [first = ''] = [...timemap.matchAll(/datetime="([^"]+)"/g)].map(([, date = '']) => date)
    const then = new Date(Date.parse(first) + 3_600_000)
    const query = { at: then.toISOString() }
    for (const accept of ['application/json', 'application/ld+json', 'text/turtle', 'application/geo+json']) {
      const one = await app.anon.get(`/cidoc/structures/${it.id}/`, { query, headers: { accept } })
      expect([one.status, one.headers['memento-datetime'], one.headers.link]).toEqual([
        ...[200, first],
        `<${original()}>; rel="original timegate", <${original()}/timemap/>; rel="timemap"; type="application/link-format"`,
      ])
      const list = await app.anon.get('/cidoc/structures/', { query: { ...query, limit: 5 }, headers: { accept } })
      expect([list.status, list.headers['memento-datetime'], list.headers.link]).toEqual([
        ...[200, then.toUTCString(), '<http://localhost:8000/cidoc/structures/>; rel="original timegate"'],
      ])
    }
    const why = await app.anon.get(`/data/entities/${it.cultural_entity_id}/explain/`, { query })
    expect([why.status, why.headers['memento-datetime']]).toEqual([200, then.toUTCString()])
    const today = await app.anon.get('/cidoc/structures/')
    expect([today.headers['memento-datetime'], today.headers.link]).toEqual([undefined, undefined])
  })

  test('leads from a list to the list of then, and from a time to come to now', async () => {
    const list = (date: string) =>
      app.anon.get('/cidoc/structures/', { query: { format: 'jsonld' }, headers: { 'accept-datetime': date } })
    const led = await list('Thu, 31 May 2007 20:35:00 GMT')
    const address = 'http://localhost:8000/cidoc/structures/?format=jsonld'
    expect([led.status, led.headers.location, led.headers.link]).toEqual([
      ...[302, `${address}&at=2007-05-31T20%3A35%3A00.999Z`, `<${address}>; rel="original timegate"`],
    ])
    expect(led.headers.vary).toContain('Accept-Datetime')
    const { location = '' } = (await list('Fri, 01 Jan 2100 00:00:00 GMT')).headers
    expect((await app.anon.get(location.replace('http://localhost:8000', ''))).status).toBe(200)
    expect((await list('yesterday')).status).toBe(400)
  })

  test('leads from a record to its state of then, in its own form; from an earlier date to the first', async () => {
    const path = `/cidoc/structures/${it.id}/`
    const lead = (date: string, who = app.anon) =>
      who.get(path, { headers: { 'accept-datetime': date, accept: 'text/turtle' } })
    const timemap = textOf(await app.anon.get(at('/timemap/')))
    const [, first = ''] = /\?at=([^>]+)>; rel="first memento"/.exec(timemap) ?? []
    for (const date of ['Thu, 01 Jan 1970 00:00:00 GMT', new Date(decodeURIComponent(first)).toUTCString()]) {
      const led = await lead(date)
      expect([led.status, led.headers.location]).toEqual([302, `http://localhost:8000${path}?at=${first}`])
      expect(led.headers.link).toContain(`<${original()}>; rel="original timegate"`)
      expect(led.headers.vary).toContain('Accept-Datetime')
      const then = await app.anon.get(`${path}?at=${first}`, { headers: { accept: 'text/turtle' } })
      expect(textOf(then)).toContain('crm:P3_has_note "one"')
      expect(then.headers.link).toBe(led.headers.link)
    }
    const waiting = await contribute(app.contributor, 'structures', { name: 'Waits for its past' })
    const none = await app.anon.get(`/cidoc/structures/${waiting.id}/`, {
      headers: { 'accept-datetime': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    })
    expect(none.status).toBe(404)
  })

  test('a record that waits has no state', async () => {
    const waiting = await contribute(app.contributor, 'structures', { name: 'Waits' })
    const headers = { 'accept-datetime': 'Thu, 31 May 2007 20:35:00 GMT' }
    expect((await app.contributor.get(`/resource/structure/${waiting.id}`, { headers })).status).toBe(404)
    expect(textOf(await app.contributor.get(`/resource/structure/${waiting.id}/timemap/`))).not.toContain('memento')
  })
})

test('the first page costs six calls of the table', async () => {
  const { loadHome } = await import('../../../lib/doors/pages/index.ts')
  const hits: boolean[] = []
  for (const nth of [5, 6]) hits.push((await interleave(nth, loadHome, async () => undefined)).isHit)
  expect(hits).toEqual([true, false])
})
