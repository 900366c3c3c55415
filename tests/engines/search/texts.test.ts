import { beforeAll, describe, expect, test } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { sure } from '../../harness/make.ts'
import { addAsset, at, linkTo, move, newProject, openProjects, waitingRecords } from '../../harness/projects.ts'

/** The text that was read from the assets of a project, in search. Reading itself is tested in ocr.test.ts. */

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects()
  following = await followTable()
})

type Result = { resource: string; id: string; title: string }
const ids = async (who: Persona, q: string): Promise<string[]> => {
  const query = { q, resource: 'project_assets' }
  return sure(200, await who.get('/data/search/', { query })).results.map((it: Result) => it.id)
}
const finders = async (q: string) => {
  const who = ['anon', 'other', 'community', 'contributor', 'staff'] as const
  const found = await Promise.all(who.map(async (one) => ((await ids(app[one], q)).length > 0 ? [one] : [])))
  return found.flat()
}
/** Nobody reads the text of an asset without signing in. */
const everyone = ['other', 'community', 'contributor', 'staff']
const insiders = ['contributor', 'staff']
const shown = { visibility: 'public' }
const hidden = { visibility: 'private' }
/** An image that waits for its text, and how its reader notes what it has read. */
const waiting = { ocr_status: 'pending', ocr_since: '2025-01-15T10:00:00.000Z' }
const read = async (slug: string, id: string, ocr_text: string) => {
  const { beginOcr, finishOcr } = await import('../../../lib/domain/projects/assets/ocr.ts')
  const { project } = sure(200, await app.staff.get(at(slug, `assets/${id}/`)))
  const begun = await beginOcr({ project_id: project, id })
  if (!begun) throw new Error('nothing to read')
  await finishOcr(begun, { ocr_text, entity_suggestions: [] })
}
/** A project of the contributor with an asset in which this was read. */
const projectWith = async (ocr_text: string, body: object, more: object = {}) => {
  const slug = await newProject(app.contributor, body)
  const id = await addAsset(slug, { ...waiting, ...more })
  await read(slug, id, ocr_text)
  await following.settled()
  return { slug, id }
}
const change = async (slug: string, body: object) => {
  sure(200, await app.contributor.patch(at(slug), { body }))
  await following.settled()
}

describe('the text of an asset', () => {
  test('is found with what it says, and leads to its project', async () => {
    const text = 'The Nyatapola stands\nnear the zquiet pavilion.'
    const { slug, id } = await projectWith(text, shown, { caption: 'Field notes' })
    const { updated_at } = sure(200, await app.other.get(at(slug, `assets/${id}/`)))
    const { results } = sure(200, await app.other.get('/data/search/?q=zquiet%20pavilion'))
    expect(results).toEqual([
      {
        ...{ resource: 'project_assets', id: `${slug}/assets/${id}`, title: 'Field notes', status: null },
        ...{ summary: 'The Nyatapola stands near the zquiet pavilion.', is_published: true, updated_at },
        ...{ score: expect.any(Number), location_hint: '', cultural_entity_id: null },
        url: `/contribute/projects/${slug}`,
        ...{ coordinates: null, distance_km: null, kind: null, name_ne: null, place: null, when: null, year: null },
        picture: null,
        snippet: expect.stringContaining('<mark>'),
      },
    ])
    // What names it is its address among projects.
    expect(sure(200, await app.other.get(`/data/projects/${results[0].id}/`))).toMatchObject({ id, ocr_text: text })
  })

  test('is for those who are signed in, in search as elsewhere', async () => {
    const questions = ['zsigned', 'zsignet', 'zsig'].flatMap((q) => [
      `/data/search/?q=${q}&facets=true`,
      `/data/search/suggest/?q=${q}`,
    ])
    const ask = () => Promise.all(questions.map(async (path) => (await app.anon.get(path)).body))
    const before = await ask()
    const { slug, id } = await projectWith('zsigned by hand', shown, { caption: 'zsigned' })
    expect((await app.anon.get(at(slug, `assets/${id}/`))).status).toBe(401)
    expect(await finders('zsigned')).toEqual(everyone)
    expect(await ask()).toEqual(before)
  })

  test('is found in Devanagari, and under its file name where it has no caption', async () => {
    const { slug, id } = await projectWith('गोरखापत्र झ्यालको चित्र', shown, { caption: '', file_name: 'scan-7.png' })
    expect(await ids(app.other, 'झ्यालको')).toEqual([`${slug}/assets/${id}`])
    expect(await ids(app.other, 'scan-7')).toEqual([`${slug}/assets/${id}`])
  })

  test('is not there before it has been read', async () => {
    const slug = await newProject(app.contributor, shown)
    await addAsset(slug, { ...waiting, caption: 'Zunread page' })
    await following.settled()
    expect(await finders('zunread')).toEqual([])
  })

  test('follows its caption, and what is read again', async () => {
    const { slug, id } = await projectWith('zolder words', shown)
    sure(200, await app.contributor.patch(at(slug, `assets/${id}/`), { body: { caption: 'Zcaptioned' } }))
    sure(200, await app.contributor.post(at(slug, `assets/${id}/start-ocr/`), { body: {} }))
    await read(slug, id, 'znewer words')
    await following.settled()
    expect([await finders('zcaptioned'), await finders('znewer')]).toEqual([everyone, everyone])
    expect(await finders('zolder')).toEqual([])
  })

  test('of a hidden project is found by its owner and staff only', async () => {
    await projectWith('zsecret inscription', hidden)
    await projectWith('zinternal inscription', { visibility: 'org' })
    expect(await finders('zsecret')).toEqual(insiders)
    expect(await finders('zinternal')).toEqual(insiders)
  })

  test('of a hidden project changes no answer to others', async () => {
    const questions = ['zvandalised', 'zvandalized', 'zvand'].flatMap((q) => [
      ...['', '&published=false', '&resource=project_assets'].map((more) => `/data/search/?q=${q}&facets=true${more}`),
      `/data/search/suggest/?q=${q}`,
      `/cidoc/search/?q=${q}`,
    ])
    const ask = (who: Persona) => Promise.all(questions.map(async (path) => (await who.get(path)).body))
    const before = [await ask(app.anon), await ask(app.other)]
    const { id } = await projectWith('zvandalised shrine', hidden, { caption: 'zvandalised' })
    expect((await ids(app.contributor, 'zvandalised'))[0]).toContain(id)
    expect([await ask(app.anon), await ask(app.other)]).toEqual(before)
  })

  test('is hidden and shown with its project, and follows nothing else of it', async () => {
    const { slug } = await projectWith('zturning leaf', shown)
    expect(await finders('zturning')).toEqual(everyone)
    await change(slug, hidden)
    expect(await finders('zturning')).toEqual(insiders)
    await change(slug, shown)
    expect(await finders('zturning')).toEqual(everyone)
    await change(slug, { title: 'Another title' })
    expect(await finders('zturning')).toEqual(everyone)
  })

  test('goes with its asset', async () => {
    const { slug, id } = await projectWith('zremoved leaf', shown)
    expect(await finders('zremoved')).toEqual(everyone)
    sure(204, await app.contributor.delete(at(slug, `assets/${id}/`)))
    await following.settled()
    expect(await finders('zremoved')).toEqual([])
  })

  test('goes with its project', async () => {
    const { slug } = await projectWith('zburnt leaf', shown)
    sure(204, await app.contributor.delete(at(slug)))
    await following.settled()
    expect(await finders('zburnt')).toEqual([])
  })

  test('comes back with the asset that a rollback restores, as its project stands then', async () => {
    const { slug, id } = await projectWith('zrestored leaf', shown)
    const [record] = await waitingRecords(app, 1)
    if (!record) throw new Error('no record')
    await linkTo(app.contributor, slug, record)
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved'))
    sure(200, await move(app.domain, slug, 'merged'))
    // As if it had been lost since.
    const { loadProject, changeProject: changed } = await import('../../../lib/domain/projects/projects.ts')
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    const { loadAsset } = await import('../../../lib/domain/projects/assets/assets.ts')
    const { asset } = await import('../../../lib/domain/projects/items.ts')
    const { remove } = await import('../../../lib/engines/table/item.ts')
    const it = await loadProject(slug)
    const lost = it && (await loadAsset(it.about.id, id))
    if (!it || !lost) throw new Error('no asset')
    await inUnit((unit) =>
      changed(unit, it, () => ({ changes: { asset_count: 0 }, writes: [remove(asset, lost)], result: undefined })),
    )
    await following.settled()
    expect(await finders('zrestored')).toEqual([])
    sure(200, await app.domain.post(at(slug, 'rollback-merge/'), { body: {} }))
    await following.settled()
    expect(await finders('zrestored')).toEqual(everyone)
    expect(await ids(app.other, 'zrestored')).toEqual([`${slug}/assets/${id}`])
  })
})

describe('what the projector does of it', () => {
  const imagesOf = async (slug: string, id?: string) => {
    const { loadProject } = await import('../../../lib/domain/projects/projects.ts')
    const { loadAsset } = await import('../../../lib/domain/projects/assets/assets.ts')
    const about = (await loadProject(slug))?.about
    if (!about) throw new Error('no project')
    const one = id === undefined ? undefined : await loadAsset(about.id, id)
    return { about: { ...about, type: 'project' }, one: one && { ...one, type: 'project_asset' } }
  }
  const spent = async (work: () => Promise<unknown>) => {
    const { measureCost, currentMeter } = await import('../../../lib/base/telemetry/request-cost.ts')
    return measureCost(async () => {
      await work()
      return currentMeter()?.calls ?? 0
    })
  }

  test('may come late, twice and out of order', async () => {
    const { slug, id } = await projectWith('zlate leaf', shown)
    const open = await imagesOf(slug, id)
    await change(slug, hidden)
    const { applyEffects } = await import('../../../lib/domain/effects/apply.ts')
    await applyEffects({ before: undefined, after: open.one })
    await applyEffects({ before: { ...open.about, visibility: 'private' }, after: open.about })
    await applyEffects({ before: undefined, after: open.one })
    await following.settled()
    expect(await finders('zlate')).toEqual(insiders)
  })

  test('costs nothing where no text and no visibility has changed', async () => {
    const { followTexts, followAssetText } = await import('../../../lib/domain/projects/assets/texts.ts')
    const { slug, id } = await projectWith('zcheap leaf', shown)
    const { about, one } = await imagesOf(slug, id)
    if (!one) throw new Error('no asset')
    const counted = { ...about, activity_count: about.activity_count + 1, title: 'Other' }
    expect(await spent(() => followTexts(about, counted))).toBe(0)
    expect(await spent(() => followAssetText({ before: one, after: { ...one, thumbnail_key: 'x' } }))).toBe(0)
    const unread = { ...one, ocr_text: '' }
    expect(await spent(() => followAssetText({ before: unread, after: { ...unread, caption: 'x' } }))).toBe(0)
    // One query, and one call for each text.
    expect(await spent(() => followTexts({ ...about, visibility: 'private' }, about))).toBe(2)
  })

  test('is the same in a model made from the table', async () => {
    const { rebuildSnapshot } = await import('../../../lib/engines/search/model/rebuild.ts')
    const { ModelFollower, processModel } = await import('../../../lib/engines/search/model/follower.ts')
    const scope = { signedIn: true, everything: true, own: null }
    const ask = { text: '', resources: ['project_assets'], limit: 100, scope }
    const before = await (await processModel()).search(ask)
    await rebuildSnapshot()
    const after = await (await new ModelFollower().model()).search(ask)
    expect([after.count, after.hits]).toEqual([before.count, before.hits])
    expect(after.count).toBeGreaterThan(5)
  })
})
