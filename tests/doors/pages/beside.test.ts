import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

/** Pages besides those of records: sources, cultural entities, and what a browser sees where there is nothing. */

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const page = (who: Persona, path: string, language = 'en') =>
  who.get(path, { headers: { accept: BROWSER, 'accept-language': language } })
const textOf = ({ bytes }: Answer) => bytes.toString()
const seenOf = ({ status, headers }: Answer) => [status, headers['content-type']]
const HTML = 'text/html; charset=utf-8'

let app: App
beforeAll(async () => {
  app = await openApp()
})

describe('the page of a source', () => {
  test('says what it is, in both languages, and nothing that runs', async () => {
    const body = {
      ...{ name: 'Inventory <b>1975</b>', citation: 'Pruscha, C.: Kathmandu Valley', source_type: 'book' },
      ...{ publication_year: '1975', url: 'javascript:alert(1)' },
    }
    const refused = await app.contributor.post('/cidoc/data_sources/', { body })
    expect(refused.status).toBe(400)
    const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { ...body, url: '' } }))
    const path = `/cidoc/data_sources/${id}/`
    const english = await page(app.anon, path)
    expect(seenOf(english)).toEqual([200, HTML])
    for (const part of [
      ...['<html lang="en">', '<h1><bdi>Inventory &lt;b&gt;1975&lt;/b&gt;</bdi></h1>', 'Pruscha, C.: Kathmandu Valley'],
      ...['Source type', '>Book<', '1975', `rel="canonical" href="http://localhost:8000${path}"`],
    ])
      expect(textOf(english)).toContain(part)
    expect(textOf(await page(app.anon, path, 'ne'))).toContain('<html lang="ne">')
    expect(seenOf(await app.anon.get(path))).toEqual([200, 'application/json'])
    expect(seenOf(await app.anon.get(path, { query: { format: 'html' } }))).toEqual([200, HTML])
  })

  test('of those who are signed in is none for others', async () => {
    const body = { name: 'Survey of the guthi', access_tier: 'community_only' }
    const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body }))
    expect(textOf(await page(app.other, `/cidoc/data_sources/${id}/`))).toContain('noindex')
    const none = await page(app.anon, `/cidoc/data_sources/${id}/`)
    expect(seenOf(none)).toEqual([404, HTML])
    expect(textOf(none)).not.toContain('guthi')
  })
})

describe('a cultural entity', () => {
  test('has an address that stays, and leads a browser there', async () => {
    const body = { name: 'Song of the oil pressers', description: 'Sung at night.', category: 'tradition' }
    const it = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
    const own = `/data/cultural-entities/${it.entity_id}/`
    const led = await page(app.contributor, own)
    expect(led.status).toBe(303)
    const address = new URL(led.headers.location ?? '').pathname
    expect(address).toMatch(/^\/resource\/entity\/\d+\/$/)
    const shown = await page(app.contributor, address)
    expect(seenOf(shown)).toEqual([200, HTML])
    expect(textOf(shown)).toContain('Song of the oil pressers')
    for (const path of [own, address]) expect(seenOf(await page(app.anon, path))).toEqual([404, HTML])
    expect(seenOf(await app.contributor.get(own))).toEqual([200, 'application/json'])
  })
})

describe('where there is nothing', () => {
  test('a browser finds a page with a search, and any other client JSON', async () => {
    const paths = ['/resource/structure/999', '/resource/structur/1', '/cidoc/structures/999/', '/resource/x/y/z']
    for (const path of paths) {
      const shown = await page(app.anon, path)
      expect(seenOf(shown)).toEqual([404, HTML])
      expect(shown.headers['content-security-policy']).toContain("default-src 'none'")
      expect(textOf(shown)).toContain('action="/resource/"')
      expect(textOf(shown)).toContain('<meta name="robots" content="noindex">')
      expect(seenOf(await app.anon.get(path))).toEqual([404, 'application/json'])
    }
    const nepali = await page(app.anon, '/resource/structure/999', 'ne')
    expect(nepali.headers['content-language']).toBe('ne')
    expect(textOf(nepali)).toContain('यस ठेगानामा केही छैन')
  })

  test('what everyone could read and was deleted is gone, what they could not read never was', async () => {
    const open = await publish(app, 'structures', { name: 'Temple that fell' })
    const closed = await publish(app, 'structures', { name: 'Guarded', access_tier: 'community_only' })
    const waiting = await contribute(app.contributor, 'structures', { name: 'Never published' })
    for (const { id } of [open, closed, waiting]) sure(204, await app.staff.delete(`/cidoc/structures/${id}/`))
    const gone = await page(app.anon, `/resource/structure/${open.id}`)
    expect(seenOf(gone)).toEqual([410, HTML])
    expect(textOf(gone)).toContain('This was taken away')
    expect(textOf(gone)).not.toContain('fell')
    const { status, body } = await app.anon.get(`/resource/structure/${open.id}`)
    expect([status, body]).toEqual([410, { detail: 'This was deleted.' }])
    for (const who of [app.anon, app.other])
      for (const { id } of [closed, waiting]) expect((await page(who, `/resource/structure/${id}`)).status).toBe(404)
    expect((await app.anon.get(`/cidoc/structures/${open.id}/`)).status).toBe(404)
  })
})
