import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { fileOf, form, objects, send } from '../../harness/asset-world.ts'
import { contribute, decide, flagsOf, publish, sure } from '../../harness/make.ts'
import { drawing, mp3 } from '../../harness/media-files.ts'

let app: App
let photo: Buffer
beforeAll(async () => {
  app = await openApp({ env: { RATE_UPLOADS: '1000/day' } })
  photo = await sharp(drawing(640, 480)).jpeg().toBuffer()
})

const sent = async (bytes = photo, name = 'gate.jpg', who: Persona = app.contributor): Promise<{ id: string }> =>
  sure(201, await who.post('/data/pictures/', { body: form({ file: fileOf(bytes, name) }) }))
const read = async (id: number, who: Persona = app.anon) => sure(200, await who.get(`/cidoc/structures/${id}/`))
const create = (images: unknown, who = app.contributor) =>
  who.post('/cidoc/structures/', { body: { name: 'Refused', images } })
const refusal = async (images: unknown, who = app.contributor) => {
  const answer = await create(images, who)
  expect(answer.status, answer.text).toBe(400)
  return answer.body
}

describe('the file of a picture', () => {
  test('comes with the request, upright, and is its sender’s to read', async () => {
    const turned = await sharp(photo).withMetadata({ orientation: 6 }).toBuffer()
    const made = await sent(turned)
    expect(made).toMatchObject({
      file_name: 'gate.jpg',
      state: 'ready',
      content_type: 'image/jpeg',
      width: 480,
      height: 640,
      expires_at: '2025-01-18T10:00:00.000Z',
    })
    expect(sure(200, await app.contributor.get(`/data/pictures/${made.id}/`))).toEqual(made)
    expect((await app.other.get(`/data/pictures/${made.id}/`)).status).toBe(404)
    expect((await app.anon.post('/data/pictures/', { body: form({ file: fileOf(photo, 'a.jpg') }) })).status).toBe(401)
  })

  test('or goes to the bucket first, and is what was announced', async () => {
    const announced = { file_name: 'gate.jpg', size: photo.length }
    const { id, upload } = sure(201, await app.contributor.post('/data/pictures/uploads/', { body: announced }))
    const complete = `/data/pictures/uploads/${id}/complete/`
    expect((await app.contributor.post(complete)).body).toEqual({ file: ['The file has not been sent yet.'] })
    expect((await refusal([{ id }])).images).toEqual(['Picture 1: Its file has not been sent yet.'])
    await send(upload, photo)
    expect((await app.other.post(complete)).status).toBe(404)
    const made = sure(200, await app.contributor.post(complete))
    expect(made).toMatchObject({ id, state: 'ready', width: 640, height: 480 })
    expect(sure(200, await app.contributor.post(complete))).toEqual(made)
  })

  test('is an image and nothing else', async () => {
    const refused = async (bytes: Buffer, name: string) =>
      (await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(bytes, name) }) })).body
    expect(await refused(mp3(), 'gate.mp3')).toEqual({
      file: ['The file is audio/mpeg. Send one of image/jpeg, image/png, image/webp, image/tiff, image/avif.'],
    })
    expect(await refused(Buffer.from('GIF89a'), 'gate.gif')).toEqual({
      file: ['The file is none of image/jpeg, image/png, image/webp, image/tiff, image/avif.'],
    })
    expect(await refused(photo, 'gate.png')).toEqual({
      file: ['The file is image/jpeg, and its name does not end in .jpg or .jpeg.'],
    })
    const body = { file_name: 'gate.pdf', size: 10 }
    expect((await app.contributor.post('/data/pictures/uploads/', { body })).body).toEqual({
      file_name: ['The name must end in one of .jpg, .jpeg, .png, .webp, .tif, .tiff, .avif.'],
    })
  })

  test.each(['tiff', 'avif'] as const)(
    'as %s is drawn anew without loss: its pixels are kept, and nothing else',
    async (format) => {
      const turned = sharp(photo)
        .withExif({ IFD0: { Copyright: 'A. Maharjan' } })
        .withMetadata({ orientation: 6 })
      const bytes = await turned
        .toFormat(format, { compression: format === 'tiff' ? 'lzw' : 'av1', quality: 80 })
        .toBuffer()
      const made = await sent(bytes, `gate.${format}`)
      expect(made).toMatchObject({ file_name: `gate.${format}`, content_type: 'image/png', width: 480, height: 640 })
      const { getObject } = await import('../../../lib/engines/bucket/blobs.ts')
      const kept = await getObject(`pictures/${made.id}`)
      const { format: as, exif, orientation } = await sharp(kept?.bytes).metadata()
      expect({ as, exif, orientation }).toEqual({ as: 'png', exif: undefined, orientation: undefined })
      const pixels = (of: Uint8Array | undefined) => sharp(of).autoOrient().removeAlpha().raw().toBuffer()
      expect((await pixels(kept?.bytes)).equals(await pixels(bytes))).toBe(true)

      const announced = { file_name: `gate.${format}`, size: bytes.length }
      const { id, upload } = sure(201, await app.contributor.post('/data/pictures/uploads/', { body: announced }))
      await send(upload, bytes)
      const complete = `/data/pictures/uploads/${id}/complete/`
      expect(sure(200, await app.contributor.post(complete))).toMatchObject({ content_type: 'image/png', width: 480 })
    },
  )

  test('as HEIC, or of a kind that cannot be, is refused with what to do', async () => {
    const told = async (bytes: Buffer, name: string, type?: string) => {
      const answer = await app.contributor.post('/data/pictures/', { body: form({ file: fileOf(bytes, name, type) }) })
      expect(answer.status).toBe(400)
      return answer.body.file
    }
    const NO_HEIC =
      'HEIC images cannot be read here. Save the image as JPEG and send that; telephones do so when they are set to "most compatible".'
    const heic = Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1heic\0\0\0\x08mdat', 'latin1')
    expect(await told(heic, 'IMG_0001.HEIC')).toEqual([NO_HEIC])
    const body = { file_name: 'IMG_0001.HEIC', size: 10 }
    expect((await app.contributor.post('/data/pictures/uploads/', { body })).body).toEqual({ file_name: [NO_HEIC] })

    const tiff = await sharp(photo).tiff().toBuffer()
    expect(await told(tiff, 'gate.jpg')).toEqual([
      'The file is image/tiff, and its name does not end in .tif or .tiff.',
    ])
    expect(await told(photo, 'gate.tif')).toEqual([
      'The file is image/jpeg, and its name does not end in .jpg or .jpeg.',
    ])
    expect(await told(tiff.subarray(0, 200), 'gate.tif')).toEqual(['The image cannot be unpacked.'])
    const two = await sharp([photo, photo], { join: { animated: true } })
      .tiff()
      .toBuffer()
    expect(await told(two, 'gate.tif')).toEqual(['The file holds 2 images. Send each as a file of its own.'])
    // A flood: so many pixels in some bytes.
    const flood = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#000' } })
      .tiff({ compression: 'deflate', tile: true })
      .toBuffer()
    expect(flood.length).toBeLessThan(3_000_000)
    expect(await told(flood, 'gate.tif')).toEqual([
      'The image has more than 100 million pixels, or a side of more than 30,000.',
    ])
  })

  test('goes after three days where no record has named it, and stays where one has', async () => {
    const [lost, used] = [await sent(), await sent()]
    await contribute(app.contributor, 'structures', { name: 'With a picture', images: [{ id: used.id }] })
    app.tick(3 * 86_400)
    expect((await refusal([{ id: lost.id }])).images).toEqual(['Picture 1: Its file has expired. Send it again.'])
    const { sweepPictures } = await import('../../../lib/domain/pictures/files.ts')
    expect(await sweepPictures()).toBeGreaterThan(0)
    expect((await app.contributor.get(`/data/pictures/${lost.id}/`)).status).toBe(404)
    expect(await objects(`pictures/${lost.id}`)).toEqual([])
    expect(await objects(`pictures/${used.id}`)).toHaveLength(1)
    expect(sure(200, await app.contributor.get(`/data/pictures/${used.id}/`)).state).toBe('in_use')
  })
})

describe('pictures of a record', () => {
  test('are values like any: with provenance, review, and what is said of each', async () => {
    const [front, back] = [await sent(), await sent()]
    const made = await contribute(app.contributor, 'structures', {
      name: 'Nyatapola',
      images: [
        {
          id: front.id,
          caption: 'From the south',
          creator: 'A. Photographer',
          licence: 'cc-by-sa-4.0',
          date: 'BS 2031',
        },
        { id: back.id, licence: 'https://rightsstatements.org/page/InC/1.0', face: true },
      ],
      assertion: { source_type: 'image', source_citation: 'Own photographs', confidence: 'certain' },
    })
    expect((await app.anon.get(`/cidoc/structures/${made.id}/`)).status).toBe(404)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    const record = await read(made.id)
    const iiif = `/data/iiif/${made.cultural_entity_id}.${front.id}`
    expect(record.images).toEqual([
      {
        ...{ id: front.id, caption: 'From the south', creator: 'A. Photographer', licence: 'CC-BY-SA-4.0' },
        ...{ date: 'BS 2031', face: false, width: 640, height: 480, media_type: 'image/jpeg', iiif },
        thumbnail: { url: `${iiif}/full/400,300/0/default.jpg`, width: 400, height: 300 },
      },
      expect.objectContaining({
        ...{ id: back.id, caption: '', face: true, licence: 'http://rightsstatements.org/vocab/InC/1.0/' },
      }),
    ])
    const claim = record.assertions.find(({ property }: { property: string }) => property === 'images')
    expect(claim).toMatchObject({
      ...{ source_citation: 'Own photographs', confidence: 'certain', reconciliation_status: 'accepted' },
      value: `From the south, ${back.id}`,
    })
    const { body: list } = await app.anon.get('/cidoc/structures/')
    expect(list.results.find(({ id }: { id: number }) => id === made.id).images).toEqual(record.images)
  })

  test('come back as they were read, and an edit of them waits', async () => {
    const [one, two] = [await sent(), await sent(photo, 'two.jpg', app.other)]
    const made = await publish(app, 'structures', { name: 'Edited', images: [{ id: one.id, caption: 'One' }] })
    const { images } = await read(made.id)
    const path = `/cidoc/structures/${made.id}/`
    sure(200, await app.contributor.patch(path, { body: { images } }))
    const { body: same } = await app.contributor.get(`/data/cultural-entities/${made.cultural_entity_id}/`)
    expect(same.current_revision.revision_number).toBe(1)
    // The file of somebody else is none of the contributor's; staff may keep what is there.
    expect((await app.contributor.patch(path, { body: { images: [...images, { id: two.id }] } })).body).toEqual({
      images: ['Picture 2: There is no file of yours with this id.'],
    })
    sure(200, await app.staff.patch(path, { body: { images: [{ ...images[0], caption: 'Renamed' }] } }))
    expect((await read(made.id)).images).toEqual(images)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    expect((await read(made.id)).images).toEqual([{ ...images[0], caption: 'Renamed' }])
    expect((await flagsOf(made)).filter(({ flag_type }) => flag_type === 'contradiction')).toEqual([])
  })

  test('may be changed by the reviewer who accepts, with files that are there', async () => {
    const one = await sent()
    const made = await contribute(app.contributor, 'structures', { name: 'Reviewed', images: [{ id: one.id }] })
    const edits = { images: [{ id: one.id, caption: 'By the reviewer', licence: 'CC0-1.0' }] }
    sure(201, await decide(app.curator, made, { verdict: 'accept_with_edits', edits }))
    expect((await read(made.id)).images[0]).toMatchObject({
      caption: 'By the reviewer',
      licence: 'CC0-1.0',
      width: 640,
    })
  })

  test('what a form shows and has not sent is left out and told, or refused to who wants that', async () => {
    const { id } = await sent()
    const preview = { name: 'gate.jpg', previewUrl: 'blob:http://localhost:3000/x' }
    const made = sure(201, await create([{ id, caption: 'Sent' }, preview]))
    expect(made.images).toMatchObject([{ id, caption: 'Sent' }])
    expect(made.warnings.map(({ member }: { member: string }) => member)).toEqual([
      'images.1.name',
      'images.1.previewUrl',
    ])
    const strict = { headers: { prefer: 'handling=strict' }, body: { name: 'Refused', images: [preview] } }
    const refused = await app.contributor.post('/cidoc/structures/', strict)
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['images']])
    // A change by such a form keeps the pictures that are there.
    const change = { name: 'Renamed', images: [preview] }
    const changed = sure(200, await app.contributor.patch(`/cidoc/structures/${made.id}/`, { body: change }))
    expect(changed.images).toMatchObject([{ id, caption: 'Sent' }])
  })

  test('bad ones are refused, each with its reason', async () => {
    const { id } = await sent()
    const none = '11111111-1111-4111-8111-111111111111'
    expect((await refusal([{ id: none }])).images).toEqual(['Picture 1: There is no file of yours with this id.'])
    expect((await refusal([{ id }], app.other)).images).toEqual(['Picture 1: There is no file of yours with this id.'])
    expect((await refusal([{ id, licence: 'Free as air' }])).images).toEqual([
      'Picture 1: The licence is none. Give an identifier of the SPDX list, such as CC-BY-SA-4.0, or the address of a statement of rightsstatements.org.',
    ])
    const [a, b] = [await sent(), await sent()]
    expect(
      (
        await refusal([
          { ...a, face: true },
          { ...b, face: true },
        ])
      ).images,
    ).toEqual(['Only one picture can be the face of the record.'])
    expect((await refusal([{ id }, { id }])).images).toEqual(['A file can be one picture of the record only.'])
    expect((await refusal('gate.jpg')).images).toEqual(['Give a list of pictures.'])
    expect((await refusal(Array.from({ length: 31 }, () => ({ id })))).images).toEqual([
      'Give no more than 30 pictures.',
    ])
    expect((await refusal([{ caption: 'Gate' }])).images).toEqual([
      'Give each picture the id of its file. Upload the file first: POST /data/pictures/ answers it.',
    ])
    // Nothing was kept of any of them.
    expect(sure(200, await app.contributor.get(`/data/pictures/${id}/`)).state).toBe('ready')
  })
})
