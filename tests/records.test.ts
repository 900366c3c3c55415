import { beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from './app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

describe('smoke', () => {
  it('creates and reads', async () => {
    const made = await app.contributor.post('/cidoc/structures/', {
      body: {
        name: 'Nyatapola',
        note: 'Five tiers',
        existence_status: 'Extant',
        construction_date: '1702',
        coordinates: '27.6716, 85.4284',
        has_current_location: 'Taumadhi Tole',
        assertion: { source_type: 'book', source_citation: 'Slusser 1982', confidence: 'certain' },
      },
    })
    console.warn(made.status, made.body, made.cost)
    const read = await app.contributor.get(`/api/v1/cidoc/structures/${made.body.id}`)
    console.warn(read.status, read.cost, read.headers)
    const anon = await app.anon.get(`/cidoc/structures/${made.body.id}/`)
    console.warn(anon.status, anon.body)
    const decided = await app.community.post(`/data/review-workspace/${made.body.cultural_entity_id}/decide/`, {
      body: { verdict: 'accept' },
    })
    console.warn(decided.status, decided.body, decided.cost)
    const list = await app.anon.get('/cidoc/structures/')
    console.warn(list.status, JSON.stringify(list.body).slice(0, 500), list.cost)
    const feed = await app.anon.get('/data/activities/')
    console.warn(feed.status, JSON.stringify(feed.body).slice(0, 800), feed.cost)
    const patched = await app.contributor.patch(`/cidoc/structures/${made.body.id}/`, {
      body: { construction_date: '1934' },
    })
    console.warn(patched.status, patched.cost)
    const mine = await app.contributor.get('/data/cultural-entities/my_contributions/')
    console.warn(mine.status, JSON.stringify(mine.body).slice(0, 800), mine.cost)
    const search = await app.anon.get('/cidoc/structures/', { query: { search: 'nya' } })
    console.warn(search.status, search.body.count)
    expect(1).toBe(1)
  })
})
