import { beforeAll, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { withReadsFailing } from '../../harness/faults.ts'
import { contribute, sure } from '../../harness/make.ts'
import { addAsset, at, newProject, openProjects } from '../../harness/projects.ts'

/** A change that says what is there already. */
let app: App
beforeAll(async () => {
  app = await openProjects()
})

type Asked = { who: Persona; path: string; body: object }
const person = () => contribute(app.contributor, 'persons', { name: `Unchanged ${crypto.randomUUID()}`, note: 'A' })
const unchanged: Readonly<Record<string, () => Promise<Asked>>> = {
  record: async () => ({
    ...{ who: app.contributor, path: `/cidoc/persons/${(await person()).id}/` },
    body: { note: 'A', assertion: { source_type: 'book' } },
  }),
  'record by its identity': async () => ({
    ...{ who: app.contributor, body: { note: 'A' } },
    path: `/data/cultural-entities/${(await person()).cultural_entity_id}/`,
  }),
  'data source': async () => {
    const body = { name: 'Same', note: 'A' }
    const { id } = sure(201, await app.contributor.post('/cidoc/data_sources/', { body }))
    return { who: app.contributor, path: `/cidoc/data_sources/${id}/`, body }
  },
  cluster: async () => {
    const body = { canonical_label: 'Same', type_scope: 'person', note: 'A' }
    const { id } = sure(201, await app.curator.post('/cidoc/entity-clusters/', { body }))
    return { who: app.curator, path: `/cidoc/entity-clusters/${id}/`, body }
  },
  comment: async () => {
    const path = `/data/entities/${(await person()).cultural_entity_id}/comments/`
    const { id } = sure(201, await app.contributor.post(path, { body: { comment: 'A' } }))
    return { who: app.contributor, path: `${path}${id}/`, body: { comment: 'A' } }
  },
  flag: async () => {
    const body = { entity: (await person()).cultural_entity_id, flag_type: 'other', reason: 'A' }
    const { id } = sure(201, await app.curator.post('/data/review-flags/', { body }))
    return { who: app.curator, path: `/data/review-flags/${id}/`, body: { reason: 'A', is_resolved: false } }
  },
  project: async () => ({
    ...{ who: app.contributor, path: at(await newProject(app.contributor, { title: 'A', tags: ['x'] })) },
    body: { title: 'A', tags: ['x'], canvas_state: {} },
  }),
  asset: async () => {
    const slug = await newProject(app.contributor)
    return { who: app.contributor, path: at(slug, `assets/${await addAsset(slug)}/`), body: { caption: 'A gate' } }
  },
  membership: async () => {
    const path = at(await newProject(app.contributor), 'memberships/')
    const { id } = sure(201, await app.contributor.post(path, { body: { username: 'other' } }))
    return { who: app.contributor, path: `${path}${id}/`, body: { role: 'editor' } }
  },
  profile: async () => {
    const { id } = sure(200, await app.contributor.get('/api/user/info/'))
    const path = `/data/user/${id}/`
    sure(200, await app.contributor.patch(path, { body: { country: 'Nepal' } }))
    return { who: app.contributor, path, body: { country: 'Nepal' } }
  },
}

test.each(Object.entries(unchanged))('of a %s writes nothing and answers what is there', async (_, make) => {
  const { who, path, body } = await make()
  const before = await who.get(path)
  app.tick(60)
  const writes = await withReadsFailing(Number.POSITIVE_INFINITY, async () => {
    sure(200, await who.patch(path, { body }))
  })
  expect(writes).toBe(0)
  expect((await who.get(path)).body).toEqual(before.body)
})
