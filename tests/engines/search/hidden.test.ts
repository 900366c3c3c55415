import { beforeAll, expect, test } from 'vitest'
import { bm25BesideHidden } from '../../bench/search/fts5.ts'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { createUser } from '../../harness/people.ts'

/** What is hidden changes in every way it can; whatever the public is answered stays the same, byte for byte. */

let app: App
let following: Following
type Made = { id: number; cultural_entity_id: string }
let open: Made
let pending: Made
let restricted: Made
let deleted: Made
let source: { id: string }
let secret: { id: string }
const register = async (body: object) => sure(201, await app.contributor.post('/cidoc/data_sources/', { body }))
const propose = async (slug: string, visibility: string) => {
  const body = { slug, title: `Patan ${visibility}`, abstract: 'Brick by brick.', visibility }
  return sure(201, await app.contributor.post('/data/projects/', { body }))
}
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  open = await publish(app, 'monuments', {
    name: 'Patan Stupa',
    alternate_names: ['Ashok Thura'],
    description: 'A mound of brick in Patan.',
    location_name: 'Patan',
  })
  await publish(app, 'deities', { name: 'Patan Ganesh' })
  await publish(app, 'structures', { name: 'Patan Agam' })
  pending = await contribute(app.contributor, 'monuments', { name: 'Patan Waiting' })
  restricted = await publish(app, 'monuments', { name: 'Patan Restricted', access_tier: 'restricted' })
  deleted = await publish(app, 'monuments', { name: 'Patan Deleted' })
  source = await register({ name: 'Patan survey', source_type: 'book' })
  secret = await register({ name: 'Patan secret', source_type: 'book', access_tier: 'org_only' })
  const cluster = { type_scope: 'monument', canonical_label: 'Patan Stupa', curated_aliases: ['Thura of brick'] }
  sure(201, await app.curator.post('/cidoc/entity-clusters/', { body: cluster }))
  await propose('open-patan', 'public')
  await propose('hidden-patan', 'private')
  sure(204, await app.staff.delete(`/cidoc/monuments/${deleted.id}/`))
  await following.settled()
})

const words = ['patan', 'Patan Stupa', 'pa', 'pattan', 'पाटन', 'waiting', 'xqz', 'brick', 'stupa']
const questions = [
  ...words.flatMap((word) => {
    const q = encodeURIComponent(word)
    return [
      ...[
        '',
        '&sort=newest',
        '&sort=popularity',
        '&published=false',
        '&status=pending_review',
        '&page=2&page_size=1',
      ].map((more) => `/data/search/?q=${q}&facets=true${more}`),
      `/data/search/?q=${q}&resource=monuments&resource=deities&facets=true`,
      `/data/search/suggest/?q=${q}`,
      `/cidoc/search/?q=${q}`,
      `/cidoc/discovery/?q=${q}`,
      `/cidoc/discovery/?type=monuments&q=${q}`,
      `/cidoc/monuments/?search=${q}`,
      `/cidoc/structures/?search=${q}&ordering=name`,
      `/cidoc/monuments/?search=${q}&status=pending_review`,
      `/cidoc/monuments/?search=${q}&all=1`,
      `/data/cultural-entities/?search=${q}`,
      `/cidoc/monuments/?search=${q}&facets=1`,
      `/data/search/?q=${q}&resource=data_sources,entity_clusters,projects,project_assets,users&facets=true`,
      `/cidoc/data_sources/?search=${q}`,
      `/cidoc/data_sources/?search=${q}&source_type=book&ordering=name`,
      `/cidoc/data_sources/?search=${q}&access_tier=org_only`,
      `/cidoc/entity-clusters/?search=${q}`,
      `/cidoc/entity-clusters/?search=${q}&type_scope=monument&locked=false`,
      `/data/projects/?search=${q}`,
    ]
  }),
  '/cidoc/discovery/',
  '/cidoc/monuments/',
  '/cidoc/monuments/?ordering=name',
  '/cidoc/monuments/?ordering=-updated_at',
  '/cidoc/data_sources/?ordering=name',
  '/cidoc/entity-clusters/?ordering=name',
]
const answers = async () => {
  const said: string[] = []
  for (const path of questions) {
    const { status, text, headers } = await app.anon.get(path)
    said.push(`${path} ${status} ${headers['cache-control']} ${text}`)
  }
  for (const content of words) {
    const { text } = await app.anon.post('/assistant/chat/', { body: { messages: [{ role: 'user', content }] } })
    said.push(`${content} ${text}`)
  }
  return said
}

test('every public answer is the same after whatever happens to what is hidden', async () => {
  const before = await answers()
  const path = (it: Made) => `/cidoc/monuments/${it.id}/`
  app.tick(3600)
  // New, changed, refused, withdrawn and deleted records, a restricted one, an edit behind a published one, and claims about it.
  for (let i = 0; i < 5; i += 1)
    await contribute(app.contributor, 'monuments', {
      name: `Patan Hidden ${i}`,
      description: 'Patan stupa, brick, xqz.',
    })
  await contribute(app.contributor, 'deities', { name: 'Patan Stupa' })
  sure(200, await app.contributor.patch(path(pending), { body: { name: 'Patan Pattan', alternate_names: 'Stupa' } }))
  sure(200, await app.contributor.patch(path(restricted), { body: { description: 'patan waiting' } }))
  sure(201, await decide(app.curator, restricted, { verdict: 'accept', conflict_handling: 'not_applicable' }))
  await publish(app, 'monuments', { name: 'Patan Stupa', access_tier: 'community_only', location_name: 'Xqz' })
  sure(200, await app.contributor.patch(path(open), { body: { description: 'Xqz, quite new.' } }))
  const refused = await contribute(app.contributor, 'structures', { name: 'Patan Refused' })
  sure(201, await decide(app.curator, refused, { verdict: 'reject', feedback: 'No.' }))
  sure(204, await app.contributor.delete(path(pending)))
  // Sources for those signed in, projects of a few with the text of what they hold, and people who have left.
  await register({ name: 'Patan Stupa survey', source_type: 'book', access_tier: 'org_only' })
  const change = { name: 'Patan pattan', citation: 'stupa, brick, xqz' }
  sure(200, await app.contributor.patch(`/cidoc/data_sources/${secret.id}/`, { body: change }))
  sure(
    204,
    await app.contributor.delete(`/cidoc/data_sources/${(await register({ ...change, access_tier: 'org_only' })).id}/`),
  )
  await propose('more-hidden-patan', 'private')
  const title = { title: 'Patan Stupa, xqz', abstract: 'pattan waiting' }
  sure(200, await app.contributor.patch('/data/projects/hidden-patan/', { body: title }))
  await createUser({ email: 'patan.stupa@example.org', username: 'gone-one', last_name: 'Patan', is_active: false })
  sure(200, await app.staff.post(`/cidoc/monuments/${deleted.id}/restore/`))
  sure(204, await app.staff.delete(path(deleted)))
  await following.settled()
  // The same moment again: age is part of the score, and is no secret.
  app.tick(-3600)
  const after = await answers()
  for (const [i, said] of before.entries()) expect(after[i]).toBe(said)
  expect(after).toEqual(before)
})

test('the answers that were compared say something', async () => {
  const said = await answers()
  expect(said.filter((it) => it.includes('Patan Stupa')).length).toBeGreaterThan(40)
  expect(said.filter((it) => / 400 /.test(it))).toEqual([])
  expect((await app.anon.get('/data/search/?q=patan')).body.count).toBe(6)
  const { body } = await app.anon.get('/cidoc/data_sources/?search=patan')
  expect(body.results.map((it: { id: string }) => it.id)).toEqual([source.id])
  expect((await app.anon.get('/cidoc/entity-clusters/?search=thura')).body.count).toBe(1)
  expect((await app.anon.get('/data/projects/?search=patan')).body.count).toBe(1)
})

test('what is hidden is in no list any more, though the model has not heard of it', async () => {
  const temple = await publish(app, 'monuments', { name: 'Swayambhu' })
  const { id } = await register({ name: 'Swayambhu survey', source_type: 'book' })
  await following.settled()
  const lists = [
    '/cidoc/monuments/?search=swayambhu',
    '/data/cultural-entities/?search=swayambhu',
    '/cidoc/data_sources/?search=swayambhu',
    '/cidoc/search/?q=swayambhu',
  ]
  const said = () => Promise.all(lists.map(async (path) => (await app.anon.get(path)).text))
  for (const each of await said()) expect(each).toContain('Swayambhu')
  sure(200, await app.contributor.patch(`/cidoc/monuments/${temple.id}/`, { body: { access_tier: 'restricted' } }))
  sure(201, await decide(app.curator, temple, { verdict: 'accept', conflict_handling: 'supersedes' }))
  sure(200, await app.contributor.patch(`/cidoc/data_sources/${id}/`, { body: { access_tier: 'org_only' } }))
  for (const each of await said()) expect(each).not.toContain('Swayambhu')
})

test('bm25() of FTS5 would tell of hidden rows: they turn round which of two public ones comes first', () => {
  const { before, after } = bm25BesideHidden()
  const first = ([a = 0, b = 0]: number[]) => (a < b ? 'the one' : 'the other')
  expect([first(before), first(after)]).toEqual(['the one', 'the other'])
})
