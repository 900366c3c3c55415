import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'

/** A person who is renamed goes by the new name everywhere, whatever becomes of their work meanwhile. */

let app: App
const paths: string[] = []
beforeAll(async () => {
  app = await openApp()
  const following = await followTable()
  const open = await publish(app, 'structures', { name: 'Kasthamandap', note: 'Built of one tree.' })
  const gone = await publish(app, 'structures', { name: 'Gone mandap' })
  const waiting = await contribute(app.contributor, 'structures', { name: 'Waiting mandap' })
  const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Survey of mandaps' } }))
  sure(204, await app.staff.delete(`/cidoc/structures/${gone.id}/`))
  sure(200, await app.contributor.patch('/user/username/', { body: { username: 'renamed' } }))
  // In flight during it: accepted and restored afterwards.
  sure(201, await decide(app.curator, waiting, { verdict: 'accept' }))
  sure(200, await app.staff.post(`/cidoc/structures/${gone.id}/restore/`))
  await following.settled()
  for (const it of [open, gone, waiting]) {
    paths.push(`/cidoc/structures/${it.id}/`, `/data/cultural-entities/${it.cultural_entity_id}/`)
    paths.push(`/data/entities/${it.cultural_entity_id}/explain/`)
    paths.push(`/cidoc/assertions/?cultural_entity_id=${it.cultural_entity_id}`)
  }
  paths.push('/cidoc/structures/', '/cidoc/structures/?search=mandap', '/data/cultural-entities/', '/cidoc/assertions/')
  paths.push(
    '/cidoc/data_sources/',
    `/cidoc/data_sources/${source.id}/`,
    '/data/activities/',
    '/cidoc/search/?q=mandap',
  )
})

test.each(['application/json', 'application/ld+json', 'application/geo+json'])('as %s', async (accept) => {
  let named = 0
  for (const path of paths) {
    const { status, text } = await app.anon.get(path, { headers: { accept: `${accept}, application/json;q=0.1` } })
    expect(status, path).toBe(200)
    expect(text, path).not.toMatch(/"dev"/)
    if (text.includes('"renamed"')) named += 1
  }
  expect(named).toBeGreaterThan(10)
})
