import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { sure } from '../../harness/make.ts'
import { at, move, newProject, openProjects } from '../../harness/projects.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects()
  following = await followTable()
})

type Result = { resource: string; id: string; title: string; status: string }
const search = async (who: Persona, q: string, more: Record<string, string> = {}) =>
  sure(200, await who.get('/data/search/', { query: { q, ...more } }))
const slugs = async (who: Persona, q: string) =>
  (await search(who, q, { resource: 'projects' })).results.map((it: Result) => it.id)
/** Who finds it: everyone, someone else, a reviewer, its owner, staff. */
const finders = async (q: string) => {
  const who = ['anon', 'other', 'community', 'contributor', 'staff'] as const
  const found = await Promise.all(who.map(async (one) => ((await slugs(app[one], q)).length > 0 ? [one] : [])))
  return found.flat()
}
const everyone = ['anon', 'other', 'community', 'contributor', 'staff']
const insiders = ['contributor', 'staff']

describe('a project in search', () => {
  test('shows its title, the beginning of its abstract, its state and its page', async () => {
    const abstract = `The gilded windows of Sikhali. ${'And more of them. '.repeat(40)}Lastly a torana.`
    const body = { title: 'Windows of Sikhali', abstract, visibility: 'public' }
    const slug = await newProject(app.contributor, { ...body, tags: ['carving'], intended_subject: 'lattice work' })
    await following.settled()
    const { updated_at } = sure(200, await app.anon.get(at(slug)))
    const { count, results, facets } = await search(app.anon, 'windows of sikhali', { facets: 'true' })
    expect([count, facets]).toEqual([1, { resource: { projects: 1 }, status: { draft: 1 } }])
    expect(results).toEqual([
      {
        ...{ resource: 'projects', id: slug, title: 'Windows of Sikhali', summary: `${abstract.slice(0, 277)}...` },
        ...{ status: 'draft', is_published: true, updated_at, score: expect.any(Number) },
        ...{ url: `/contribute/projects/${slug}`, location_hint: '', cultural_entity_id: null },
        ...{ coordinates: null, distance_km: null, kind: null, name_ne: null, place: null, when: null, year: null },
        picture: null,
        snippet: expect.stringContaining('<mark>'),
      },
    ])
    for (const q of ['carving', 'lattice', 'torana']) expect(await slugs(app.anon, q), q).toEqual([slug])
    const { suggestions } = sure(200, await app.anon.get('/data/search/suggest/', { query: { q: 'windows of sik' } }))
    expect(suggestions.map((it: Result) => [it.resource, it.id])).toEqual([['projects', slug]])
  })

  test('is found by everyone when it is public, else by its owner and staff only', async () => {
    await newProject(app.contributor, { title: 'Qopen', visibility: 'public' })
    await newProject(app.contributor, { title: 'Qclosed', visibility: 'private' })
    await newProject(app.contributor, { title: 'Qhouse', visibility: 'org' })
    await following.settled()
    expect(await finders('qopen')).toEqual(everyone)
    expect(await finders('qclosed')).toEqual(insiders)
    expect(await finders('qhouse')).toEqual(insiders)
  })

  test('that is hidden is neither counted, completed nor offered as a spelling', async () => {
    const questions = ['qvandalised', 'qvandalized', 'qvand'].flatMap((q) => [
      `/data/search/?q=${q}&facets=true`,
      `/data/search/?q=${q}&facets=true&published=false`,
      `/data/search/suggest/?q=${q}`,
    ])
    const ask = async (who: Persona) => Promise.all(questions.map(async (path) => (await who.get(path)).body))
    const before = [await ask(app.anon), await ask(app.other)]
    await newProject(app.contributor, { title: 'Qvandalised', abstract: 'Qvandalised shrines', visibility: 'private' })
    await following.settled()
    expect(await slugs(app.contributor, 'qvandalised')).toHaveLength(1)
    expect([await ask(app.anon), await ask(app.other)]).toEqual(before)
  })

  test('is hidden and shown again as its visibility changes', async () => {
    const slug = await newProject(app.contributor, { title: 'Qturning', visibility: 'public' })
    await following.settled()
    expect(await finders('qturning')).toEqual(everyone)
    sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'private' } }))
    await following.settled()
    expect(await finders('qturning')).toEqual(insiders)
    sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'public', title: 'Qturned' } }))
    await following.settled()
    expect(await finders('qturned')).toEqual(everyone)
    expect(await finders('qturning')).toEqual([])
  })

  test('shows its new state', async () => {
    const slug = await newProject(app.contributor, { title: 'Qmoving', visibility: 'public' })
    sure(200, await move(app.contributor, slug, 'withdrawn'))
    await following.settled()
    expect((await search(app.anon, 'qmoving')).results.map((it: Result) => it.status)).toEqual(['withdrawn'])
  })

  test('that is deleted is found by nobody, and its slug by the next one', async () => {
    const slug = await newProject(app.contributor, { title: 'Qleaving', visibility: 'public' })
    await following.settled()
    expect(await finders('qleaving')).toEqual(everyone)
    sure(204, await app.contributor.delete(at(slug)))
    await following.settled()
    expect(await finders('qleaving')).toEqual([])
    sure(201, await app.other.post('/data/projects/', { body: { slug, title: 'Qcoming', visibility: 'public' } }))
    await following.settled()
    expect(await slugs(app.anon, 'qcoming')).toEqual([slug])
  })

  test('is the same in a model made from the table', async () => {
    const { rebuildSnapshot } = await import('../../../lib/engines/search/model/rebuild.ts')
    const { ModelFollower } = await import('../../../lib/engines/search/model/follower.ts')
    const ask = { text: '', resources: ['projects'], limit: 100 }
    const staff = { signedIn: true, everything: true, own: null }
    const { processModel } = await import('../../../lib/engines/search/model/follower.ts')
    const before = await (await processModel()).search({ ...ask, scope: staff })
    await rebuildSnapshot()
    const after = await (await new ModelFollower().model()).search({ ...ask, scope: staff })
    expect(after.hits).toEqual(before.hits)
    expect(after.count).toBeGreaterThan(4)
  })
})
