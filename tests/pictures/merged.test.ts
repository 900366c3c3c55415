import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import type { App } from '../harness/app.ts'
import { objects, upload } from '../harness/asset-world.ts'
import { contribute, sure } from '../harness/make.ts'
import { drawing } from '../harness/media-files.ts'
import { at, linkTo, move, newProject, openProjects } from '../harness/projects.ts'

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
