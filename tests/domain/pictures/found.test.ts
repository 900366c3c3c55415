import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { followTable } from '../../harness/following.ts'
import { decide, publish, sure } from '../../harness/make.ts'
import { drawing } from '../../harness/media-files.ts'

/** Where a record is found, its picture is named with its sizes. */

let app: App
let record: { id: number; cultural_entity_id: string; images: { id: string; iiif: string; thumbnail: object }[] }
let settled: () => Promise<void>
beforeAll(async () => {
  app = await openApp()
  settled = (await followTable()).settled
  const images = [
    { ...(await sent()), caption: 'Peacock window', creator: 'A. B.', licence: 'CC0-1.0' },
    { ...(await sent()), face: true },
  ]
  record = await publish(app, 'structures', { name: 'Pujari Math', images })
  await publish(app, 'structures', { name: 'Pujari Math without' })
  await settled()
})

const sent = async (): Promise<{ id: string }> => {
  const bytes = await sharp(drawing(640, 480)).jpeg().toBuffer()
  return sure(201, await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(bytes, 'a.jpg') }) }))
}
const find = async (q: string) => sure(200, await app.anon.get('/data/search/', { query: { q } })).results

test('by search: the face of the record, and what its captions say', async () => {
  const [, face] = record.images
  const [one, two] = await find('pujari math')
  expect([one.picture, two.picture]).toContainEqual({
    ...{ iiif: face?.iiif, width: 640, height: 480 },
    thumbnail: { url: `${face?.iiif}/full/400,300/0/default.jpg`, width: 400, height: 300 },
  })
  expect([one.picture, two.picture]).toContainEqual(null)
  expect((await find('peacock window'))[0]?.cultural_entity_id).toBe(record.cultural_entity_id)
})

test('and by search only what stands: an edit that waits changes nothing', async () => {
  const next = await sent()
  sure(200, await app.contributor.patch(`/cidoc/structures/${record.id}/`, { body: { images: [next] } }))
  await settled()
  const pictures = (await find('pujari math')).map((it: { picture: { iiif: string } | null }) => it.picture?.iiif)
  expect(pictures).toContain(record.images[1]?.iiif)
  expect(pictures).not.toContain(`/data/iiif/${record.cultural_entity_id}.${next.id}`)
  sure(201, await decide(app.curator, record, { verdict: 'reject', feedback: 'Of another house.' }))
})

test('as linked data: each by its address, with its size and how it may be used', async () => {
  const headers = { accept: 'application/ld+json' }
  const linked = sure(200, await app.anon.get(`/cidoc/structures/${record.id}/`, { headers }))
  const [first, second] = linked['crm:P138i_has_representation']
  const id = `http://localhost:8000${record.images[0]?.iiif}`
  expect(first).toEqual({
    ...{ id, type: ['crm:E36_Visual_Item', 'foaf:Image'], label: 'Peacock window', 'dcterms:creator': 'A. B.' },
    'dcterms:license': { id: 'http://creativecommons.org/publicdomain/zero/1.0/' },
    ...{ 'exif:width': 640, 'exif:height': 480 },
    'foaf:thumbnail': { id: `${id}/full/400,300/0/default.jpg` },
    'dcterms:conformsTo': { id: 'http://iiif.io/api/image' },
  })
  expect(second.id).toBe(`http://localhost:8000${record.images[1]?.iiif}`)
})

test('as a contribution', async () => {
  const body = { name: 'A mask', category: 'artifact', description: 'Of wood.', images: [await sent()] }
  const { entity_id } = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
  const whole = sure(200, await app.contributor.get(`/data/cultural-entities/${entity_id}/`))
  expect(whole.images).toEqual([
    expect.objectContaining({ width: 640, iiif: `/data/iiif/${entity_id}.${whole.images[0].id}` }),
  ])
  expect(sure(200, await app.contributor.get(`/data/manifests/records/${entity_id}/`)).items).toHaveLength(1)
})
