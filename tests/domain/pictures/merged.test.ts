import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { App } from '../../harness/app.ts'
import { objects, upload } from '../../harness/asset-world.ts'
import { withFault } from '../../harness/faults.ts'
import { followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { drawing } from '../../harness/media-files.ts'
import { at, linkTo, move, newProject, openProjects } from '../../harness/projects.ts'

let app: App
let photo: Buffer
beforeAll(async () => {
  app = await openProjects({ RATE_UPLOADS: '1000/day' })
  photo = await sharp(drawing(640, 480)).jpeg().toBuffer()
})

/** A project about a record that waits, with an image that shows it and one that does not. */
async function project(said: Record<string, string> = {}) {
  const slug = await newProject(app.contributor, { license: 'CC-BY-4.0', visibility: 'public', abstract: 'All of it.' })
  const record = await contribute(app.contributor, 'structures', { name: `Shown by ${slug}` })
  await linkTo(app.contributor, slug, record)
  const depicts = record.cultural_entity_id
  const files = at(slug, 'assets/')
  const shown = sure(201, await upload(app.contributor, files, photo, 'a.jpg', { depicts, caption: 'Gate', ...said }))
  await upload(app.contributor, files, photo, 'b.jpg', { caption: 'A page of notes' })
  return { slug, record, shown }
}

const merged = async (slug: string) => {
  sure(200, await move(app.contributor, slug, 'in_review'))
  sure(200, await move(app.community, slug, 'approved', 'Because.'))
  sure(200, await move(app.domain, slug, 'merged', 'Because.'))
}
const read = (id: number) => app.anon.get(`/cidoc/structures/${id}/`)

test('images that show a record become its pictures when the project is merged, and go when that is taken back', async () => {
  const said = { creator: 'A. Photographer', date: '1975', source_institution: 'The archive' }
  const { slug, record, shown } = await project(said)
  expect((await read(record.id)).status).toBe(404)
  await merged(slug)
  const { images, assertions } = sure(200, await read(record.id))
  expect(images).toEqual([
    expect.objectContaining({
      ...{ id: shown.id, caption: 'Gate', creator: 'A. Photographer', date: '1975', licence: 'CC-BY-4.0' },
      ...{ face: true, width: 640, height: 480 },
    }),
  ])
  const claim = assertions.find((it: { property: string }) => it.property === 'images')
  expect(claim).toMatchObject({
    source_type: 'image',
    source_citation: 'The archive',
    reconciliation_status: 'accepted',
  })
  expect(await app.anon.get(`${images[0].iiif}/full/100,/0/default.jpg`)).toMatchObject({ status: 200 })
  expect(sure(200, await app.anon.get(`/data/manifests/records/${record.cultural_entity_id}/`)).items).toHaveLength(1)

  sure(200, await app.domain.post(at(slug, 'rollback-merge/'), { body: {} }))
  expect((await read(record.id)).status).toBe(404)
  const { images: none, assertions: left } = sure(200, await app.contributor.get(`/cidoc/structures/${record.id}/`))
  expect(none).toEqual([])
  expect(left.filter((it: { property: string }) => it.property === 'images')).toEqual([])
  const whole = sure(200, await app.contributor.get(`/data/cultural-entities/${record.cultural_entity_id}/`))
  expect(whole.revisions.map((it: { revision_number: number }) => it.revision_number)).toEqual([1])
  expect((await app.anon.get(`${images[0].iiif}/info.json`)).status).toBe(404)
})

test('pictures come back with a record to which somebody has linked in the moment in which it went', async () => {
  const { slug, record, shown } = await project()
  const following = await followTable()
  await following.settled()
  await merged(slug)
  const before = sure(200, await read(record.id))
  const { sweepPictures } = await import('../../../lib/domain/pictures/files.ts')
  const { returnWhatIsLinked } = await import('../../../lib/domain/projects/merge-second-look.ts')
  // Its link is not followed when the project is rolled back.
  await publish(app, 'locations', { name: `Around ${slug}`, contains_structure: [record.id] }, app.other)
  sure(200, await app.domain.post(at(slug, 'rollback-merge/'), { body: {} }))
  expect((await read(record.id)).status).toBe(404)
  await following.settled()
  app.tick(61)
  expect(await returnWhatIsLinked()).toBe(1)
  app.tick(4 * 86_400)
  await sweepPictures()
  const after = sure(200, await read(record.id))
  expect([after.images, after.assertions]).toEqual([before.images, before.assertions])
  expect(idsOf(after.images)).toEqual([shown.id])
  expect(await objects(`pictures/${shown.id}`)).toHaveLength(1)
})

test('a picture has a file of its own, and stays with the record when its file goes from the project', async () => {
  const { slug, record, shown } = await project({ licence: 'https://rightsstatements.org/vocab/InC/1.0/' })
  await merged(slug)
  const [picture] = sure(200, await read(record.id)).images
  expect(picture.licence).toBe('http://rightsstatements.org/vocab/InC/1.0/')
  expect(await objects(`pictures/${shown.id}`)).toHaveLength(1)
  // Its contributor may keep it and say more of it.
  const body = { images: [{ ...picture, caption: 'The gate from the street' }] }
  sure(200, await app.contributor.patch(`/cidoc/structures/${record.id}/`, { body }))
})

test('an asset shows records of its project only, under a licence that is one', async () => {
  const { slug, shown } = await project()
  const path = at(slug, `assets/${shown.id}/`)
  const stranger = await contribute(app.contributor, 'structures', { name: 'Stranger' })
  const refused = async (body: object) => {
    const answer = await app.contributor.patch(path, { body })
    expect(answer.status).toBe(400)
    return answer.body
  }
  expect(await refused({ depicts: stranger.cultural_entity_id })).toEqual({
    depicts: ['The project is not about this record. Link it first.'],
  })
  expect(await refused({ depicts: 'none' })).toEqual({ depicts: ['Give the review identity of a record, a UUID.'] })
  expect((await refused({ licence: 'Mine' })).licence[0]).toMatch(/^The licence is none\./)
  expect(sure(200, await app.contributor.patch(path, { body: { depicts: null } })).depicts).toBe(null)
})

/** A project about a published record, with an image that shows it. */
async function aboutPublished(body: object = {}) {
  const record = await publish(app, 'structures', { name: `Stood before ${crypto.randomUUID().slice(0, 8)}`, ...body })
  const slug = await newProject(app.contributor, { license: 'CC-BY-4.0', visibility: 'public', abstract: 'All of it.' })
  await linkTo(app.contributor, slug, record)
  const depicts = record.cultural_entity_id
  const shown = sure(201, await upload(app.contributor, at(slug, 'assets/'), photo, 'a.jpg', { depicts }))
  return { record, slug, shown }
}
const idsOf = (images: { id: string }[]) => images.map(({ id }) => id)
const file = (id: string) => app.contributor.get(`/data/pictures/${id}/`)

test('a record that was published before gets the pictures of a merge at once, and a rollback takes them and their files back', async () => {
  const { record, slug, shown } = await aboutPublished({ existence_status: 'Extant' })
  const before = sure(200, await read(record.id))
  await merged(slug)
  const after = sure(200, await read(record.id))
  expect(idsOf(after.images)).toEqual([shown.id])
  expect(after.images[0]).toMatchObject({ face: true, licence: 'CC-BY-4.0', width: 640, height: 480 })
  expect(after).toMatchObject({ name: before.name, existence_status: 'Extant', status: before.status })
  expect(sure(200, await file(shown.id)).state).toBe('in_use')
  const claim = after.assertions.find((it: { property: string }) => it.property === 'images')
  expect(claim).toMatchObject({ source_type: 'image', reconciliation_status: 'accepted' })

  sure(200, await app.domain.post(at(slug, 'rollback-merge/'), { body: {} }))
  const back = sure(200, await read(record.id))
  expect(back.images).toEqual([])
  expect(back.assertions).toEqual(before.assertions)
  expect(sure(200, await file(shown.id)).state).toBe('ready')
  app.tick(3 * 86_400)
  expect(await sweep()).toBeGreaterThan(0)
  expect(await objects(`pictures/${shown.id}`)).toEqual([])
})

const sweep = async () => (await import('../../../lib/domain/pictures/files.ts')).sweepPictures()

test('where an edit waits behind a published record, its pictures wait with the edit', async () => {
  const { record, slug, shown } = await aboutPublished()
  sure(200, await app.contributor.patch(`/cidoc/structures/${record.id}/`, { body: { existence_status: 'Destroyed' } }))
  await merged(slug)
  expect(sure(200, await read(record.id))).toMatchObject({ images: [], existence_status: '' })
  expect((await app.anon.get(`/data/iiif/${record.cultural_entity_id}.${shown.id}/info.json`)).status).toBe(404)
  sure(201, await decide(app.curator, record, { verdict: 'accept' }))
  const { images, existence_status } = sure(200, await read(record.id))
  expect([idsOf(images), existence_status]).toEqual([[shown.id], 'Destroyed'])
})

test('what a merge has copied before its process ended goes like any file that no record names', async () => {
  const { record, slug, shown } = await project()
  sure(200, await move(app.contributor, slug, 'in_review'))
  sure(200, await move(app.community, slug, 'approved', 'Because.'))
  const copied = async () => (await objects(`pictures/${shown.id}`)).length > 0
  // Ended at every call until it has come as far as the copy.
  for (let nth = 5; nth < 100 && !(await copied()); nth += 1) {
    await withFault(nth, 'killed', () => move(app.domain, slug, 'merged', 'Because.'))
    app.tick(120)
    await recover()
  }
  expect(await copied()).toBe(true)
  expect(sure(200, await app.contributor.get(at(slug))).state).toBe('approved')
  expect((await read(record.id)).status).toBe(404)
  await sweep()
  expect(await copied()).toBe(true)
  app.tick(3 * 86_400)
  await sweep()
  expect(await copied()).toBe(false)
  expect((await file(shown.id)).status).toBe(404)
  // It can be merged all the same.
  sure(200, await move(app.domain, slug, 'merged', 'Because.'))
  expect(idsOf(sure(200, await read(record.id)).images)).toEqual([shown.id])
  expect(await copied()).toBe(true)
})

const recover = async () => (await import('../../../lib/engines/table/two-phase/commit.ts')).recoverStaged()
