import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { decide, publish, sure } from '../../harness/make.ts'

/** What links to a record is found by the name that the record has today, and counted under it; by the name of a hidden one it is not. */

let app: App
let following: Following
type Made = { id: number; cultural_entity_id: string }
let deity: Made
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  deity = await publish(app, 'deities', { name: 'Wakupati' })
  await publish(app, 'structures', { name: 'Old Brick Sanctum', dedicated_to: [deity.id] })
  await publish(app, 'structures', { name: 'New Brick Sanctum' })
  await following.settled()
})

type Found = { count: number; facets: { deity?: Record<string, number> }; results: { id: string; title: string }[] }
const search = async (query: string): Promise<Found> =>
  sure(200, await app.anon.get(`/data/search/?facets=true&${query}`))
const titles = ({ results }: Found) => results.map(({ title }) => title)
const rename = async (name: string) => {
  sure(200, await app.contributor.patch(`/cidoc/deities/${deity.id}/`, { body: { name } }))
  sure(201, await decide(app.curator, deity, { verdict: 'accept', conflict_handling: 'supersedes' }))
  await following.settled()
}

test('a temple is found by the name of its deity, after it, and counted under it', async () => {
  const found = await search('q=wakupati')
  expect(titles(found)).toEqual(['Wakupati', 'Old Brick Sanctum'])
  expect(found.facets.deity).toEqual({ Wakupati: 1 })
  expect(titles(await search('q=wakupati&resource=structures'))).toEqual(['Old Brick Sanctum'])
  expect(titles(await search('q=sanctum%20wakupati'))[0]).toBe('Old Brick Sanctum')
  expect(titles(await search('q=wakupati&literal=1'))).toEqual(['Wakupati'])
})

test('the facet narrows by the name', async () => {
  expect(titles(await search('q=sanctum&deity=wakupati'))).toEqual(['Old Brick Sanctum'])
  expect((await search('q=sanctum&deity=nobody')).count).toBe(0)
})

test('a new name of the deity counts at once, the old one no more', async () => {
  await rename('Tunaldevi')
  const found = await search('q=tunaldevi')
  expect(titles(found)).toEqual(['Tunaldevi', 'Old Brick Sanctum'])
  expect(found.facets.deity).toEqual({ Tunaldevi: 1 })
  expect(titles(await search('q=sanctum&deity=tunaldevi'))).toEqual(['Old Brick Sanctum'])
  expect((await search('q=wakupati')).count).toBe(0)
  expect((await search('q=sanctum&deity=wakupati')).count).toBe(0)
})

test('a deity that is gone lends its name to nothing', async () => {
  sure(204, await app.staff.delete(`/cidoc/deities/${deity.id}/`))
  await following.settled()
  expect((await search('q=tunaldevi')).count).toBe(0)
  const left = await search('q=sanctum')
  expect(titles(left).sort()).toEqual(['New Brick Sanctum', 'Old Brick Sanctum'])
  expect(left.facets.deity ?? {}).toEqual({})
})
