import { test } from 'vitest'
import { appendFileSync } from 'node:fs'
import { openProjects } from '../harness/projects.ts'
import { publish, contribute, sure, decide } from '../harness/make.ts'
import { followTable } from '../harness/following.ts'
const say = (...a: unknown[]) => appendFileSync('/tmp/w/l14-attack.txt', a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ').slice(0, 1500) + '\n')
test('attack', { timeout: 200_000 }, async () => {
  const app = await openProjects()
  const f = await followTable()
  const place = await publish(app, 'locations', { name: 'Alpha tol', coordinates: '27.67, 85.42' })
  const it = await publish(app, 'structures', { name: 'Gate', has_current_location: place.id, note: 'n' })
  await f.settled()
  const path = `/cidoc/structures/${it.id}/`
  for (const accept of ['application/json', 'application/ld+json', 'application/geo+json', 'text/html', 'application/ld+json;q=0, */*;q=0.1', '*/*;q=0', 'application/*', '']) {
    const r = await app.anon.get(path, { headers: { accept } })
    say('ACCEPT', accept, r.status, r.headers['content-type'] ?? '', r.headers.etag ?? '-', r.headers.vary ?? '')
  }
  const j = await app.anon.get(path)
  const ld = await app.anon.get(path, { headers: { accept: 'application/ld+json' } })
  say('cross', (await app.anon.get(path, { headers: { accept: 'application/ld+json', 'if-none-match': j.headers.etag ?? '' } })).status)
  say('ld304', (await app.anon.get(path, { headers: { accept: 'application/ld+json', 'if-none-match': ld.headers.etag ?? '' } })).status)
  const list = await app.anon.get('/cidoc/structures/'); say('list etag', list.headers.etag ?? 'none', list.headers['cache-control'] ?? '')
  // if-match
  for (const m of ['*', '"0"', 'W/"1"', '""', 'x', '"1", "2", "3", "4"', j.headers.etag ?? '', (await app.contributor.get(path)).headers.etag ?? '']) {
    const r = await app.contributor.patch(path, { body: { note: 'n' }, headers: { 'if-match': m } })
    say('IF-MATCH', m, r.status, r.text.slice(0, 120))
  }
  // idempotency
  const key = (k: string) => ({ 'idempotency-key': k })
  for (const k of ['', ' ', 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(5000), 'नेपाल', 'a"b', '\u0000']) {
    const r = await app.contributor.post('/cidoc/persons/', { body: { name: `K ${k.length}` }, headers: key(k) })
    say('KEY', k.slice(0, 20), k.length, r.status, r.text.slice(0, 160))
  }
  const a1 = await app.contributor.post('/cidoc/persons/', { body: { name: 'Same key' }, headers: key('one') })
  const a2 = await app.other.post('/cidoc/persons/', { body: { name: 'Same key of other' }, headers: key('one') })
  const a3 = await app.contributor.post('/cidoc/deities/', { body: { name: 'Same key' }, headers: key('one') })
  const a4 = await app.contributor.post('/api/v1/cidoc/persons', { body: { name: 'Same key' }, headers: key('one') })
  say('KEYS', a1.status, a1.body.id, a2.status, a2.body.id, a3.status, a3.text.slice(0, 80), a4.status, a4.headers['idempotent-replayed'] ?? '-')
  const bad = await app.contributor.post('/cidoc/persons/', { body: { name: '' }, headers: key('two') })
  const good = await app.contributor.post('/cidoc/persons/', { body: { name: 'Fine' }, headers: key('two') })
  say('after 400', bad.status, good.status)
  const patchKey = await app.contributor.patch(path, { body: { note: 'n3' }, headers: key('p') })
  say('patch key', patchKey.status, patchKey.body.warnings ?? '')
  // replay after deletion / after losing rights
  sure(204, await app.contributor.delete(`/cidoc/persons/${a1.body.id}/`))
  const re = await app.contributor.post('/cidoc/persons/', { body: { name: 'Same key' }, headers: key('one') })
  say('replay after delete', re.status, re.headers['idempotent-replayed'] ?? '-', re.body.id)
  // warnings
  for (const [m, p, body, h] of [
    ['GET', '/cidoc/structures/?limt=3', undefined, {}], ['GET', '/cidoc/structures/?limit=abc', undefined, {}], ['GET', '/cidoc/structures/?bbox=', undefined, {}],
    ['GET', '/cidoc/structures/?bbox=', undefined, { prefer: 'handling=strict' }], ['GET', '/cidoc/structures/?limit=abc', undefined, { prefer: 'handling=strict' }],
    ['POST', '/cidoc/persons/', { name: 'W', nmae: 'x', assertion: { confidance: 'likely' } }, {}],
    ['POST', '/cidoc/persons/', { name: 'W', assertion: { confidance: 'likely' } }, { prefer: 'handling=strict' }],
    ['POST', '/cidoc/persons/', { name: 'W', assertion: { confidence: 'sure' } }, {}],
    ['POST', '/cidoc/structures/', { name: 'Far', coordinates: '85.42, 27.67' }, {}],
    ['POST', '/cidoc/structures/', { name: 'Far2', coordinates: '10, 10', has_current_location: place.id }, {}],
    ['POST', '/cidoc/structures/', { name: 'When', construction_date: 'some time ago' }, {}],
    ['POST', '/cidoc/structures/', { name: 'When2', construction_date: 'some time ago' }, { prefer: 'handling=strict' }],
    ['POST', '/cidoc/structures/', { name: 'Far3', latitude: 85.42, longitude: 27.67 }, {}],
    ['POST', '/cidoc/temples/', { name: 'x' }, {}], ['POST', '/cidoc/persons/', '{"name": "x",}', {}],
    ['DELETE', '/cidoc/persons/999/', { x: 1 }, {}], ['GET', path + '?foo=1', undefined, {}], ['GET', path + '?foo=1', undefined, { prefer: 'handling=strict', accept: 'application/ld+json' }],
    ['GET', path + '?foo=1', undefined, { accept: 'application/ld+json' }],
    ['POST', '/data/review-flags/', { entity: it.cultural_entity_id, flag_type: 'other', reson: 'x' }, {}],
    ['POST', '/data/projects/', { slug: 'abc', title: 'T', canvas_state: {} }, {}],
    ['GET', '/data/exports/?x=1', undefined, {}], ['GET', '/health/?x=1', undefined, {}], ['GET', '/metrics/?x=1', undefined, {}],
    ['GET', '/data/search/?q=gate&rsource=structures', undefined, {}],
  ] as const) {
    const r = await app.contributor.send(m, p, { ...(body !== undefined && { body }), headers: h as Record<string, string> })
    say(m, p, h, r.status, r.body?.warnings ?? r.headers.warning ?? r.text.slice(0, 200), r.headers['preference-applied'] ?? '')
  }
  // search by names of links
  const q = async (t: string, who = app.anon) => (await who.get('/data/search/', { query: { q: t } })).body.results.map((x: { title: string }) => x.title)
  say('search Alpha', await q('Alpha tol'))
  sure(200, await app.contributor.patch(`/cidoc/locations/${place.id}/`, { body: { name: 'Beta chowk' } }))
  await decide(app.curator, place, { verdict: 'accept', conflict_handling: 'supersedes' })
  await f.settled()
  say('search Beta', await q('Beta chowk'), 'Alpha', await q('Alpha tol'))
  // geojson, ld of lists
  for (const accept of ['application/geo+json', 'application/ld+json']) {
    const r = await app.anon.get('/cidoc/structures/', { headers: { accept } })
    say(accept, r.status, r.headers['content-type'] ?? '', r.text.slice(0, 600))
  }
  const waiting = await contribute(app.contributor, 'structures', { name: 'Hidden hall' })
  for (const accept of ['application/json', 'application/ld+json', 'application/geo+json'])
    say('hidden', accept, (await app.anon.get(`/cidoc/structures/${waiting.id}/`, { headers: { accept } })).status)
})
