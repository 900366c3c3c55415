import { beforeAll, expect, test } from 'vitest'
import type { App } from '../harness/app.ts'
import { readBehind } from '../harness/lagging.ts'
import { publish, sure } from '../harness/make.ts'
import { at, newProject, openProjects } from '../harness/projects.ts'

/** What is hidden is shown no more at once, whatever an index still says of it. */

let app: App
beforeAll(async () => {
  app = await openProjects()
})

type Made = { id: number; cultural_entity_id: string }
type Who = 'anon' | 'other'
/** A thing of this name that some people see: how they read of it, and how it is hidden from them. */
type Case = (name: string) => Promise<{ read: () => Promise<string>; hide: () => Promise<unknown> }>

const published = (name: string): Promise<Made> => publish(app, 'structures', { name })
const asked =
  (who: Who, path: string, query: Record<string, string> = {}) =>
  async () => {
    const answer = await app[who].get(path, { query })
    sure(200, answer)
    return answer.text
  }
const deleting = (it: Made) => async () => sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
const restricting = (it: Made) => async () => {
  sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { access_tier: 'restricted' } }))
  const body = { verdict: 'accept', conflict_handling: 'supersedes' }
  sure(201, await app.curator.post(`/data/review-workspace/${it.cultural_entity_id}/decide/`, { body }))
}
const exported = async () => {
  const { handler } = await import('../../functions/exporter.ts')
  await handler()
  const { files } = sure(200, await app.anon.get('/data/exports/'))
  const texts = files.map(async ({ url }: { url: string }) => (await fetch(url)).text())
  return (await Promise.all(texts)).join('')
}
/** A project that everyone sees, with who reads its list and what comes to pass. */
const listed =
  (who: Who, hide: (slug: string) => Promise<unknown>): Case =>
  async (title) => {
    const slug = await newProject(app.contributor, { title, visibility: 'public' })
    return { read: asked(who, '/data/projects/'), hide: () => hide(slug) }
  }
const closed = async (slug: string) =>
  sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'private' } }))

const cases: Record<string, Case> = {
  'a project that becomes private, in the list of everyone': listed('anon', closed),
  'a project that becomes private, in the list of whoever is signed in': listed('other', closed),
  'a project that is deleted': listed('anon', async (slug) => sure(204, await app.contributor.delete(at(slug)))),
  'a record that is deleted, in the files for everyone': async (name) => {
    const it = await published(name)
    return { read: exported, hide: deleting(it) }
  },
  'a record that is withheld from the public, in the files for everyone': async (name) => {
    const it = await published(name)
    return { read: exported, hide: restricting(it) }
  },
  'a record that is deleted, in the list of flags': async (name) => {
    const it = await published(name)
    const body = { entity: it.cultural_entity_id, flag_type: 'other', reason: 'Look.' }
    sure(201, await app.community.post('/data/review-flags/', { body }))
    return { read: asked('other', '/data/review-flags/'), hide: deleting(it) }
  },
  'a record that is withheld from the public, in the decisions of a reviewer': async (name) => {
    const it = await published(name)
    return {
      read: asked('anon', '/data/review-decisions-profile/', { reviewer: await idOf('curator') }),
      hide: restricting(it),
    }
  },
}

const idOf = async (username: string): Promise<string> => {
  const { results } = sure(200, await app.staff.get('/data/platform-admin/users/'))
  return results.find((it: { username: string }) => it.username === username).id
}

test.each(Object.entries(cases))('%s', async (_, made) => {
  const name = `Lagging ${crypto.randomUUID()}`
  const { read, hide } = await made(name)
  const [before, after] = await readBehind(read, hide)
  expect(before).toContain(name)
  expect(after).not.toContain(name)
})
