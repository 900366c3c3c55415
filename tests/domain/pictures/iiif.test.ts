import { presentation3StrictUpgrade } from '@iiif/parser/strict'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { fileOf, form, objects, upload } from '../../harness/asset-world.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { drawing } from '../../harness/media-files.ts'

let app: App
let photo: Buffer
let made: { id: number; cultural_entity_id: string; images: { iiif: string; id: string }[] }
let image: string
beforeAll(async () => {
  app = await openApp({ env: { RATE_UPLOADS: '1000/day', RATE_PROJECTS: '1000/h' } })
  photo = await sharp(drawing(640, 480)).jpeg().toBuffer()
  made = await publish(app, 'structures', {
    name: 'Nyatapola',
    name_ne: 'न्यातपोल',
    construction_date: '1702',
    images: [
      await sent({ caption: 'From the south', licence: 'CC-BY-SA-4.0', creator: 'A. B.' }),
      await sent({ face: true }),
    ],
  })
  image = made.images[0]?.iiif ?? ''
})

const sent = async (said: object = {}, bytes = photo, who = app.contributor) => {
  const { id } = sure(201, await who.post('/data/pictures/', { body: form({ file: fileOf(bytes, 'a.jpg') }) }))
  return { id, ...said }
}
const ask = (request: string, who: Persona = app.anon) => who.get(`${image}/${request}`)
const sizeOf = async (request: string, who?: Persona) => {
  const { status, bytes, text } = await ask(request, who)
  expect(status, text).toBe(200)
  const { width, height, format } = await sharp(bytes).metadata()
  return `${width}x${height} ${format}`
}

describe('the Image API', () => {
  test('says what an image is, to every origin', async () => {
    const { status, headers, body } = await ask('info.json', app.with({ origin: 'https://viewer.example' }))
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/ld+json;profile="http://iiif.io/api/image/3/context.json"')
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' })
    expect(body).toMatchObject({
      ...{ id: `http://localhost:8000${image}`, type: 'ImageService3', profile: 'level2', width: 640, height: 480 },
      rights: 'http://creativecommons.org/licenses/by-sa/4.0/',
      sizes: [
        { width: 160, height: 120 },
        { width: 320, height: 240 },
        { width: 640, height: 480 },
      ],
    })
    const { status: moved, headers: to } = await app.anon.get(image)
    expect([moved, to.location]).toEqual([303, `http://localhost:8000${image}/info.json`])
  })

  test.each([
    ['full/max/0/default.jpg', '640x480 jpeg'],
    ['full/320,/0/default.png', '320x240 png'],
    ['full/,120/0/default.webp', '160x120 webp'],
    ['full/pct:50/0/gray.jpg', '320x240 jpeg'],
    ['full/100,100/0/default.jpg', '100x100 jpeg'],
    ['full/!400,400/0/default.jpg', '400x300 jpeg'],
    ['full/!4000,4000/0/default.jpg', '640x480 jpeg'],
    ['full/%5E1280,/0/default.jpg', '1280x960 jpeg'],
    ['full/^max/0/default.jpg', '4096x3072 jpeg'],
    ['square/max/0/default.jpg', '480x480 jpeg'],
    ['600,440,100,100/max/0/default.jpg', '40x40 jpeg'],
    ['pct:25,25,50,50/max/0/color.jpg', '320x240 jpeg'],
    ['full/max/90/default.jpg', '480x640 jpeg'],
    ['full/max/!180/bitonal.png', '640x480 png'],
  ])('draws %s', async (request, drawn) => {
    expect(await sizeOf(request)).toBe(drawn)
  })

  test.each([
    ['full/640,480/0/default.jpg', 'full/max/0/default.jpg'],
    ['full/320,/0/default.jpg', 'full/320,240/0/default.jpg'],
    ['full/^1280,/0/default.jpg', 'full/^1280,960/0/default.jpg'],
    ['full/^4096,/0/default.jpg', 'full/^max/0/default.jpg'],
    ['square/max/0/default.jpg', '80,0,480,480/max/0/default.jpg'],
    ['0,0,100,50/^200,/0/default.jpg', '0,0,100,50/^200,100/0/default.jpg'],
  ])('%s has the canonical address %s', async (request, canonical) => {
    const { headers } = await app.anon.get(`${image}/${request}`)
    expect(headers.link).toContain(`<http://localhost:8000${image}/${canonical}>;rel="canonical"`)
    expect((await app.anon.get(`${image}/${canonical}`)).headers.etag).toBe(headers.etag)
  })

  test('says what it is as JSON where that is asked for; pages of any origin read its faults, too', async () => {
    const typeFor = async (accept: string) =>
      (await app.anon.get(`${image}/info.json`, { headers: { accept } })).headers['content-type']
    expect(await typeFor('application/json')).toBe('application/json')
    const linked = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"'
    for (const accept of ['*/*', 'application/ld+json', 'text/html, */*;q=0.1'])
      expect(await typeFor(accept)).toBe(linked)
    const headers = { origin: 'https://viewer.example.org' }
    for (const [at, status] of [
      ['/full/0,0/0/default.jpg', 400],
      ['.gone/info.json', 404],
    ] as const) {
      const reply = await app.anon.get(image + at, { headers })
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, '*'])
    }
  })

  test('draws the part that is asked for, mirrored and turned as is asked', async () => {
    // Four quarters: red, green; blue, white.
    const quarter = (background: string) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toBuffer()
    const [red, green, blue] = await Promise.all(['#f00', '#0f0', '#00f'].map(quarter))
    const whole = await sharp({ create: { width: 16, height: 16, channels: 3, background: '#fff' } })
      .composite([
        { input: red, left: 0, top: 0 },
        { input: green, left: 8, top: 0 },
        { input: blue, left: 0, top: 8 },
      ])
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer()
    const { images } = await publish(app, 'structures', { name: 'Four', images: [await sent({}, whole)] })
    const colour = async (request: string) => {
      const { bytes } = await app.anon.get(`${images[0].iiif}/${request}.png`)
      const [r = 0, g = 0, b = 0] = await sharp(bytes)
        .extract({ left: 2, top: 2, width: 1, height: 1 })
        .raw()
        .toBuffer()
      return [r, g, b].map((it) => (it > 127 ? 1 : 0)).join('')
    }
    expect(await colour('full/max/0/default')).toBe('100')
    expect(await colour('full/max/!0/default')).toBe('010')
    expect(await colour('full/max/90/default')).toBe('001')
    expect(await colour('8,8,8,8/max/0/default')).toBe('111')
    expect(await colour('pct:50,0,50,50/max/0/default')).toBe('010')
  })

  test.each([
    ['640,0,10,10/max/0/default.jpg', 'The region lies beyond the image, or is empty.'],
    ['700,0,10,10/max/0/default.jpg', 'The region lies beyond the image, or is empty.'],
    ['0,0,0,10/max/0/default.jpg', 'The region lies beyond the image, or is empty.'],
    ['-1,0,10,10/max/0/default.jpg', 'The region is none. Ask for full, square, x,y,w,h or pct:x,y,w,h.'],
    ['full/0,0/0/default.jpg', 'The size is empty.'],
    ['full/!0,0/0/default.jpg', 'The size is empty.'],
    ['full/pct:0/0/default.jpg', 'The size is empty.'],
    [
      'full/full/0/default.jpg',
      'The size is none. Ask for max, w, or ,h or pct:n or w,h or !w,h, with ^ in front to enlarge.',
    ],
    ['full/1280,/0/default.jpg', 'The size is larger than the region. Ask for it with ^ in front.'],
    ['full/pct:200/0/default.jpg', 'The size is larger than the region. Ask for it with ^ in front.'],
    ['full/%5E9000,/0/default.jpg', 'The size is larger than 4096 pixels on a side.'],
    ['full/max/361/default.jpg', 'The rotation is none. Ask for degrees from 0 to 360, with ! in front to mirror.'],
    ['full/max/0/native.jpg', 'There is no quality of this name. Choose one of: default, color, gray, bitonal.'],
    ['full/max/0/default.tif', 'There is no format of this name. Choose one of: jpg, png, webp.'],
  ])('refuses %s', async (request, detail) => {
    const { status, body } = await ask(request)
    expect([status, body]).toEqual([400, { detail }])
  })

  test('draws once: the second time it is one read of the table and one of the bucket', async () => {
    const { calls } = await bucketCalls(() => ask('full/200,/0/default.jpg'))
    expect(calls).toEqual(['GetObjectCommand', 'GetObjectCommand', 'PutObjectCommand'])
    const again = await bucketCalls(() => ask('full/200,150/0/default.jpg'))
    expect(again.calls).toEqual(['GetObjectCommand'])
    expect(again.answer.cost).toMatchObject({ calls: 1 })
    expect(again.answer.headers.link).toContain(
      `<http://localhost:8000${image}/full/200,150/0/default.jpg>;rel="canonical"`,
    )
    const { etag = '' } = again.answer.headers
    expect(
      (await app.anon.get(`${image}/full/200,/0/default.jpg`, { headers: { 'if-none-match': etag } })).status,
    ).toBe(304)
  })

  test('leads to the bucket where an answer cannot hold it', async () => {
    const noise = await sharp({
      create: {
        width: 2000,
        height: 1500,
        channels: 3,
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
        background: '#000',
      },
    })
      .jpeg()
      .toBuffer()
    const { images } = await publish(app, 'structures', { name: 'Noise', images: [await sent({}, noise)] })
    const { status, headers } = await app.anon.get(`${images[0].iiif}/full/max/0/default.png`)
    expect(status).toBe(303)
    const there = Buffer.from(await (await fetch(headers.location ?? '')).arrayBuffer())
    expect((await sharp(there).metadata()).width).toBe(2000)
  })
})

const bucketCalls = async <T>(work: () => Promise<T>) => {
  const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
  const calls: string[] = []
  s3.middlewareStack.add(
    (next, context) => (args) => {
      calls.push(String(context.commandName))
      return next(args)
    },
    { step: 'initialize', name: 'tally' },
  )
  try {
    return { answer: await work(), calls }
  } finally {
    s3.middlewareStack.remove('tally')
  }
}

describe('what is hidden', () => {
  const seenBy = async (path: string) =>
    Promise.all([app.anon, app.other, app.contributor, app.community].map(async (who) => (await who.get(path)).status))

  test('is 404 for who may not see it: a record that waits, and its manifest', async () => {
    const waiting = await contribute(app.contributor, 'structures', { name: 'Waiting', images: [await sent()] })
    const manifest = `/data/manifests/records/${waiting.cultural_entity_id}/`
    const drawn = `${waiting.images[0].iiif}/full/max/0/default.jpg`
    for (const path of [manifest, drawn, `${waiting.images[0].iiif}/info.json`])
      expect(await seenBy(path)).toEqual([404, 404, 200, 200])
    const own = await app.contributor.get(drawn)
    expect(own.headers['cache-control']).toBe('private, no-store')
    expect(own.headers['access-control-allow-origin']).toBeUndefined()
    // It was drawn and kept by now, and stays hidden; what is wrong with a request is told only to who may see the image.
    expect(await objects(`derivatives/${waiting.images[0].id}`)).toHaveLength(1)
    expect((await app.anon.get(drawn)).status).toBe(404)
    expect((await app.anon.get(`${waiting.images[0].iiif}/none/max/0/default.jpg`)).status).toBe(404)
  })

  test('is 404 again once a record is withdrawn, from the cache too', async () => {
    const open = await publish(app, 'structures', { name: 'To go', images: [await sent()] })
    const drawn = `${open.images[0].iiif}/full/max/0/default.jpg`
    expect(await seenBy(drawn)).toEqual([200, 200, 200, 200])
    sure(204, await app.staff.delete(`/cidoc/structures/${open.id}/`))
    expect(await seenBy(drawn)).toEqual([404, 404, 404, 404])
    expect(await seenBy(`/data/manifests/records/${open.cultural_entity_id}/`)).toEqual([404, 404, 404, 404])
  })

  test('a picture of an edit that waits is for those who work on the record, and one that was removed is gone', async () => {
    const open = await publish(app, 'structures', { name: 'With edit', images: [await sent()] })
    const [first] = open.images
    const next = await sent()
    sure(200, await app.contributor.patch(`/cidoc/structures/${open.id}/`, { body: { images: [next] } }))
    const drawn = `/data/iiif/${open.cultural_entity_id}.${next.id}/full/max/0/default.jpg`
    expect(await seenBy(drawn)).toEqual([404, 404, 200, 200])
    sure(201, await decide(app.curator, open, { verdict: 'accept' }))
    expect(await seenBy(drawn)).toEqual([200, 200, 200, 200])
    expect(await seenBy(`${first.iiif}/full/max/0/default.jpg`)).toEqual([404, 404, 404, 404])
  })

  test('restricted pictures are for those who are signed in', async () => {
    const it = await publish(app, 'structures', { name: 'Care', access_tier: 'restricted', images: [await sent()] })
    expect(await seenBy(`${it.images[0].iiif}/full/max/0/default.jpg`)).toEqual([404, 200, 200, 200])
    expect((await app.other.get(`${it.images[0].iiif}/info.json`)).headers['cache-control']).toBe('private, no-store')
  })

  test('a file is an image of the records that name it, and of no other', async () => {
    const [file] = made.images
    const none = await publish(app, 'structures', { name: 'Without' })
    expect(await seenBy(`/data/iiif/${none.cultural_entity_id}.${file?.id}/info.json`)).toEqual([404, 404, 404, 404])
    for (const id of ['none', `${made.cultural_entity_id}`, `${file?.id}.${file?.id}`])
      expect((await app.anon.get(`/data/iiif/${id}/info.json`)).status).toBe(404)
    expect((await app.anon.get(`/data/manifests/records/${none.cultural_entity_id}/`)).body).toEqual({
      detail: 'Not found. There are no pictures of it.',
    })
  })
})

describe('manifests', () => {
  const valid = (manifest: object) => {
    const state = { warnings: [] as string[] }
    presentation3StrictUpgrade(structuredClone(manifest) as never, state)
    return state.warnings
  }

  test('of a record: its pictures in their order, with who made them and how they may be used', async () => {
    const { body, headers, cost } = await app.anon.get(`/data/manifests/records/${made.cultural_entity_id}/`)
    expect(headers['content-type']).toBe('application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"')
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(valid(body)).toEqual([])
    expect(cost.calls).toBe(1)
    const at = `http://localhost:8000${image}`
    expect(body).toMatchObject({
      ...{ type: 'Manifest', label: { none: ['Nyatapola'], ne: ['न्यातपोल'] } },
      metadata: [
        { value: { none: ['Architectural Structure'] } },
        { label: { en: ['Construction date'] }, value: { none: ['1702'] } },
      ],
      thumbnail: [{ id: `http://localhost:8000${made.images[1]?.iiif}/full/400,300/0/default.jpg` }],
      homepage: [{ id: `http://localhost:8000/resource/structure/${made.id}`, type: 'Text', format: 'text/html' }],
      seeAlso: [{ id: `http://localhost:8000/cidoc/structures/${made.id}/`, format: 'application/ld+json' }],
    })
    expect(body.items).toHaveLength(2)
    expect(body.items[0]).toMatchObject({
      ...{ type: 'Canvas', label: { none: ['From the south'] }, width: 640, height: 480 },
      rights: 'http://creativecommons.org/licenses/by-sa/4.0/',
      requiredStatement: { value: { none: ['A. B., CC-BY-SA-4.0'] } },
    })
    const [painted] = body.items[0].items[0].items
    expect(painted.body).toMatchObject({
      id: `${at}/full/640,480/0/default.jpg`,
      service: [{ id: at, type: 'ImageService3', profile: 'level2' }],
    })
    const drawn = await app.anon.get(new URL(painted.body.id).pathname)
    expect((await sharp(drawn.bytes).metadata()).width).toBe(painted.body.width)
  })

  test('of a project: its images, for whoever sees it', async () => {
    const body = { slug: 'seen', title: 'A survey', visibility: 'public', license: 'CC0-1.0' }
    const { slug } = sure(201, await app.contributor.post('/data/projects/', { body }))
    const asset = sure(
      201,
      await upload(app.contributor, `/data/projects/${slug}/assets/`, photo, 'a.jpg', { caption: 'Gate' }),
    )
    const manifest = sure(200, await app.anon.get(`/data/manifests/projects/${slug}/`))
    expect(valid(manifest)).toEqual([])
    expect(manifest.items[0]).toMatchObject({ label: { none: ['Gate'] }, width: 640 })
    const { service } = manifest.items[0].items[0].items[0].body
    const path = new URL(service[0].id).pathname
    expect(path).toMatch(new RegExp(`\\.${asset.id}$`))
    expect(await app.anon.get(`${path}/full/max/0/default.jpg`)).toMatchObject({ status: 200 })
    sure(200, await app.contributor.patch(`/data/projects/${slug}/`, { body: { visibility: 'private' } }))
    for (const at of [`${path}/full/max/0/default.jpg`, `/data/manifests/projects/${slug}/`]) {
      expect((await app.anon.get(at)).status).toBe(404)
      expect((await app.other.get(at)).status).toBe(404)
      const own = await app.contributor.get(at)
      expect([own.status, own.headers['cache-control']]).toEqual([200, 'private, no-store'])
      expect(own.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})
