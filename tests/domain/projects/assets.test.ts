import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { eventually, fileOf, follow, form, newProject, objects, send, upload } from '../../harness/asset-world.ts'
import { publish, sure } from '../../harness/make.ts'
import * as make from '../../harness/media-files.ts'

let app: App
let stop: () => Promise<void>
let assets: string
let files: Awaited<ReturnType<typeof make.oneOfEach>>
let png: Buffer
beforeAll(async () => {
  app = await openApp({ env: { RATE_PROJECTS: '1000/h', RATE_UPLOADS: '1000/day', RATE_OCR: '3/day' } })
  files = await make.oneOfEach()
  png = files['image/png']
  assets = await newProject(app)
  stop = await follow()
})
afterAll(() => stop())

const AT = '2025-01-15T10:00:00.000Z'
const refused = { detail: 'You do not have permission to perform this action.' }
const notFound = { detail: 'Not found.' }
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const names = {
  'image/jpeg': 'a.jpg',
  'image/png': 'a.png',
  'image/webp': 'a.webp',
  'application/pdf': 'a.pdf',
  'audio/mpeg': 'a.mp3',
  'video/mp4': 'a.mp4',
}
/** A new asset of the contributor's. */
const added = async (to = assets, more: Record<string, string> = {}) =>
  sure(201, await upload(app.contributor, to, png, 'north.png', more))
const count = async (of = assets) => sure(200, await app.staff.get(of)).count
/** Runs something that must leave no asset and no object. */
const withoutTrace = async <T>(work: () => Promise<T>): Promise<T> => {
  const { id } = sure(200, await app.staff.get(assets.replace('assets/', '')))
  const before = [await count(), await objects(`assets/${id}/`)]
  const answer = await work()
  expect([await count(), await objects(`assets/${id}/`)]).toEqual(before)
  return answer
}
const read = async (url: string) => {
  const answer = await fetch(url)
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const idOf = async (who: Persona) => (await who.get('/api/user/info')).body.id

describe('sending a small file', () => {
  test('gives the whole asset, and its file can be read', async () => {
    const made = await upload(app.contributor, assets, png, 'Mūl chok — नेपाल.png', {
      role: 'primary',
      caption: 'North facade',
      version_label: 'v2',
      run_ocr: 'false',
      source_institution: 'DoA',
      language: 'ne',
    })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      project: expect.any(String),
      media: expect.any(Number),
      media_url: expect.stringMatching(/^http/),
      thumbnail_url: null,
      media_type: 'image',
      content_type: 'image/png',
      file_name: 'Mūl chok — नेपाल.png',
      size: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      width: 64,
      height: 48,
      orientation: 1,
      role: 'primary',
      caption: 'North facade',
      version_label: 'v2',
      source_institution: 'DoA',
      collection_name: '',
      language: 'ne',
      ocr_language: '',
      copyright_note: '',
      depicts: null,
      creator: '',
      licence: '',
      date: '',
      thumbnail_error: '',
      ocr_status: 'not_started',
      ocr_error: '',
      ocr_text: '',
      uploaded_document_id: null,
      entity_suggestions: [],
      uploaded_by: { id: await idOf(app.contributor), username: 'dev', email: '' },
      created_at: AT,
      updated_at: AT,
    })
    const file = await read(made.body.media_url)
    expect([file.status, file.headers.get('content-type'), file.bytes.length]).toEqual([
      200,
      'image/png',
      made.body.size,
    ])
    expect(sha256(file.bytes)).toBe(made.body.sha256)
    expect(file.headers.get('content-disposition')).toBe(
      `inline; filename="M_l chok _ _____.png"; filename*=UTF-8''M%C5%ABl%20chok%20%E2%80%94%20%E0%A4%A8%E0%A5%87%E0%A4%AA%E0%A4%BE%E0%A4%B2.png`,
    )
    const again = await app.other.get(`${assets}${made.body.id}/`)
    expect([again.status, again.body.id, again.body.caption]).toEqual([200, made.body.id, 'North facade'])
  })

  test.each(Object.entries(names))('%s is taken, by what it is', async (type, name) => {
    const made = sure(201, await upload(app.contributor, assets, files[type as keyof typeof files], name))
    const media_type = type === 'application/pdf' ? 'document' : type.split('/')[0]
    const ocr_status = ['image', 'document'].includes(String(media_type)) ? 'not_started' : 'not_applicable'
    expect(made).toMatchObject({ content_type: type, media_type, ocr_status, role: 'evidence' })
  })

  test('a document is for keeping, not for showing', async () => {
    const made = sure(201, await upload(app.contributor, assets, files['application/pdf'], 'survey.pdf'))
    const { headers } = await read(made.media_url)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="survey.pdf"/)
  })

  test('a photograph is served without its position, turned as it was', async () => {
    const { 'image/jpeg': photograph } = await make.photographs()
    const made = sure(201, await upload(app.contributor, assets, photograph, 'IMG_1.JPG', {}, 'image/jpeg'))
    expect([made.width, made.height, made.orientation]).toEqual([64, 48, 6])
    const { bytes } = await read(made.media_url)
    expect(photograph.includes('GPSLatitude')).toBe(true)
    expect(bytes.includes('GPSLatitude')).toBe(false)
    expect((await sharp(bytes).metadata()).orientation).toBe(6)
  })

  test('the form of the dashboard is understood: no type, run_ocr as text, null captions', async () => {
    for (const more of [
      { media_type: 'image' },
      { media_type: 'image/png' },
      { media_type: ' IMAGE/PNG ' },
      { run_ocr: '' },
    ])
      await added(assets, more)
  })

  test('the project counts it and notes who has added it', async () => {
    const own = await newProject(app)
    const made = await added(own)
    const project = own.replace('assets/', '')
    const detail = sure(200, await app.contributor.get(project))
    expect([detail.asset_count, detail.assets.map((it: { id: string }) => it.id)]).toEqual([1, [made.id]])
    expect(detail.assets[0].media_url).toMatch(/^http/)
    const { results } = sure(200, await app.contributor.get(`${project}activity/`))
    expect(results[0]).toMatchObject({ action: 'asset_added', target_kind: 'asset', target_id: made.id })
  })
})

describe('a file that is not taken', () => {
  const said = (message: string) => ({ file: [message] })
  const image = 'The file is image/png'
  const polyglot = () => Buffer.concat([png, files['application/pdf']])

  test.each<[string, () => FormData, number, unknown]>([
    ['nothing', () => form({}), 400, said('This field is required.')],
    ['text in its place', () => form({ file: 'north.png' }), 400, said('Send a file.')],
    ['0 bytes', () => form({ file: fileOf(Buffer.alloc(0), 'a.png') }), 400, said('The file is empty.')],
    [
      'another type',
      () => form({ file: fileOf(Buffer.from('GIF89a;'), 'a.gif') }),
      400,
      said('The file is none of image/jpeg, image/png, image/webp, application/pdf, audio/mpeg, video/mp4.'),
    ],
    [
      'a program that calls itself an image',
      () => form({ file: fileOf(Buffer.from('\x7fELF'), 'a.png', 'image/png') }),
      400,
      said('The file is none of image/jpeg, image/png, image/webp, application/pdf, audio/mpeg, video/mp4.'),
    ],
    [
      'an ending that lies',
      () => form({ file: fileOf(png, 'a.jpg') }),
      400,
      said(`${image}, and its name does not end in .png.`),
    ],
    [
      'two endings',
      () => form({ file: fileOf(png, 'a.png.php') }),
      400,
      said(`${image}, and its name does not end in .png.`),
    ],
    ['no ending', () => form({ file: fileOf(png, 'a') }), 400, said(`${image}, and its name does not end in .png.`)],
    [
      'another declared type of the part',
      () => form({ file: fileOf(png, 'a.png', 'image/jpeg') }),
      400,
      said(`${image}, and was sent as something else.`),
    ],
    [
      'another declared type',
      () => form({ file: fileOf(png, 'a.png'), media_type: 'image/jpeg' }),
      400,
      { media_type: [`${image}.`] },
    ],
    [
      'another declared class',
      () => form({ file: fileOf(png, 'a.png'), media_type: 'video' }),
      400,
      { media_type: [`${image}.`] },
    ],
    [
      'a declared type that nobody takes',
      () => form({ file: fileOf(png, 'a.png'), media_type: 'text/html' }),
      400,
      { media_type: [expect.stringMatching(/^Not a valid choice\./)] },
    ],
    [
      'a file that is two things',
      () => form({ file: fileOf(polyglot(), 'a.png') }),
      400,
      said('There is PDF hidden in the file.'),
    ],
    [
      'a torn file',
      () => form({ file: fileOf(png.subarray(0, 90), 'a.png') }),
      400,
      said('The file is cut short or damaged.'),
    ],
    [
      'an unknown role',
      () => form({ file: fileOf(png, 'a.png'), role: 'proof' }),
      400,
      { role: ['Not a valid choice. Choose one of: evidence, primary, reference.'] },
    ],
    [
      'an over-long label',
      () => form({ file: fileOf(png, 'a.png'), version_label: 'x'.repeat(121) }),
      400,
      { version_label: ['Ensure this field has no more than 120 characters.'] },
    ],
    [
      'an over-long caption',
      () => form({ file: fileOf(png, 'a.png'), caption: 'x'.repeat(256) }),
      400,
      { caption: ['Ensure this field has no more than 255 characters.'] },
    ],
    [
      'control characters',
      () => form({ file: fileOf(png, 'a.png'), caption: 'a\u0000b' }),
      400,
      { caption: ['Control characters are not allowed.'] },
    ],
    [
      'more than a hundred parts',
      () =>
        form({
          file: fileOf(png, 'a.png'),
          ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`m${i}`, 'x'])),
        }),
      400,
      { detail: 'The form has more than 100 parts.' },
    ],
  ])('%s', async (_what, body, status, expected) => {
    const answer = await withoutTrace(() => app.contributor.post(`${assets}upload/`, { body: body() }))
    expect([answer.status, answer.body]).toEqual([status, expected])
  })

  test('a torn or malformed form, and another content type', async () => {
    const type = { 'content-type': 'multipart/form-data; boundary=xx' }
    for (const text of ['--xx\r\nContent-Disposition: form-data; name="fi', '--yy--', '', '--xx\r\n\r\n\r\n--xx--']) {
      const answer = await withoutTrace(() =>
        app.contributor.post(`${assets}upload/`, { body: Buffer.from(text), headers: type }),
      )
      expect([text, answer.status, answer.body]).toEqual([text, 400, { detail: 'The multipart body cannot be read.' }])
    }
    const json = await withoutTrace(() => app.contributor.post(`${assets}upload/`, { body: {} }))
    expect([json.status, json.body]).toEqual([415, { detail: 'Unsupported media type. Send multipart/form-data.' }])
  })

  test('one that does not fit into a request is told where it may go', async () => {
    const large = fileOf(Buffer.alloc(4_700_000), 'a.png')
    for (const path of [`${assets}upload/`, `/api/v1${assets}upload`]) {
      const answer = await withoutTrace(() => app.contributor.post(path, { body: form({ file: large }) }))
      const upload_url = `http://localhost:8000${path.replace(/upload\/?$/, 'uploads/')}`
      expect([answer.status, answer.body]).toEqual([
        413,
        { detail: 'The body is larger than 4700000 bytes.', upload_url },
      ])
    }
  })

  test('4.5 MB are taken', async () => {
    const noise = Buffer.alloc(1024 * 1024 * 3)
    for (let i = 0; i < noise.length; i += 1) noise[i] = (i * 7919 + (i >> 7) * 104_729) & 0xff
    const bytes = await sharp(noise, { raw: { width: 1024, height: 1024, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer()
    const padded = make.withChunks(
      bytes,
      make.chunk('tEXt', Buffer.concat([make.latin('Comment\0'), Buffer.alloc(4_500_000 - bytes.length - 21, 0x20)])),
    )
    expect(padded.length).toBe(4_500_000 - 1)
    const made = sure(201, await upload(app.contributor, assets, padded, 'large.png'))
    expect(made.size).toBe(bytes.length)
  })
})

describe('the name of a file', () => {
  test.each<[string, string]>([
    ['../../etc/passwd.png', 'passwd.png'],
    ['C:\\fakepath\\a.png', 'a.png'],
    ['a\u202egnp.png', 'agnp.png'],
    ['a\u0000.php\r\nX-Evil: 1.png', 'a.phpX-Evil: 1.png'],
    ['  .. hidden .png', 'hidden .png'],
    ['"; filename="evil.png', '"; filename="evil.png'],
    [`${'x'.repeat(400)}.png`, `${'x'.repeat(146)}.png`],
    ['\ud800.png', '\ufffd.png'],
  ])('%j is shown as %j, and breaks out of no header', async (given, shown) => {
    const made = sure(201, await upload(app.contributor, assets, png, given))
    expect(made.file_name).toBe(shown)
    const { headers } = await read(made.media_url)
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="[^"\\\r\n]*"; filename\*=UTF-8''[\w.~%!-]*$/)
    expect(headers.get('x-evil')).toBeNull()
    expect(new URL(made.media_url).pathname).toMatch(/\/assets\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/)
  })
})

describe('who may', () => {
  test('add, change and take away: those who work on the project; the others are refused', async () => {
    const { id } = await added()
    const calls = (who: Persona) => [
      upload(who, assets, png, 'a.png'),
      who.post(assets, { body: { media: 1 } }),
      who.post(`${assets}uploads/`, { body: { file_name: 'a.png', size: 3 } }),
      who.post(`${assets}uploads/${id}/complete/`),
      who.patch(`${assets}${id}/`, { body: { caption: 'x' } }),
      who.delete(`${assets}${id}/`),
      who.post(`${assets}${id}/start-ocr/`),
    ]
    for (const who of [app.other, app.community, app.curator])
      for (const answer of await Promise.all(calls(who))) expect([answer.status, answer.body]).toEqual([403, refused])
    for (const answer of await Promise.all(calls(app.anon))) expect(answer.status).toBe(401)
  })

  test('an editor may, and a viewer only looks', async () => {
    const own = await newProject(app, { visibility: 'private' })
    const members = own.replace('assets/', 'memberships/')
    const { id } = await added(own)
    expect((await app.other.get(own)).status).toBe(404)
    sure(201, await app.contributor.post(members, { body: { username: 'other', role: 'viewer' } }))
    expect((await app.other.get(`${own}${id}/`)).status).toBe(200)
    expect((await app.other.delete(`${own}${id}/`)).status).toBe(403)
    const { results } = sure(200, await app.contributor.get(members))
    const viewer = results.find((it: { role: string }) => it.role === 'viewer')
    sure(200, await app.contributor.patch(`${members}${viewer.id}/`, { body: { role: 'editor' } }))
    sure(201, await upload(app.other, own, png, 'a.png'))
    sure(204, await app.other.delete(`${own}${id}/`))
  })

  test('of a hidden project nothing is told, not even that an asset is there', async () => {
    const own = await newProject(app, { visibility: 'private' })
    const { id } = await added(own)
    for (const path of [own, `${own}${id}/`]) expect((await app.other.get(path)).body).toEqual(notFound)
    for (const answer of [await upload(app.other, own, png, 'a.png'), await app.other.delete(`${own}${id}/`)])
      expect([answer.status, answer.body]).toEqual([404, notFound])
  })

  test('nobody, while the project is in review, and once it is merged', async () => {
    const own = await newProject(app, { abstract: 'All of it' })
    const project = own.replace('assets/', '')
    const { id } = await added(own)
    const begun = sure(
      201,
      await app.contributor.post(`${own}uploads/`, { body: { file_name: 'a.png', size: png.length } }),
    )
    await send(begun.upload, png)
    const record = await publish(app, 'structures', { name: 'Krishna Mandir' })
    sure(201, await app.contributor.post(`${project}entities/`, { body: { entity: record.cultural_entity_id } }))
    const move = async (who: Persona, target_state: string) =>
      sure(200, await who.post(`${project}transition/`, { body: { target_state } }))
    const still = async (detail: string) => {
      const calls = [
        upload(app.contributor, own, png, 'a.png'),
        app.contributor.post(own, { body: { media: 1 } }),
        app.contributor.post(`${own}uploads/`, { body: { file_name: 'a.png', size: 3 } }),
        app.contributor.post(`${own}uploads/${begun.asset_id}/complete/`),
        app.staff.patch(`${own}${id}/`, { body: { caption: 'x' } }),
        app.staff.delete(`${own}${id}/`),
        app.contributor.post(`${own}${id}/start-ocr/`),
      ]
      for (const answer of await Promise.all(calls)) expect([answer.status, answer.body]).toEqual([403, { detail }])
      expect((await app.contributor.get(own)).body.count).toBe(1)
    }
    await move(app.contributor, 'in_review')
    await still('While a project is in review, nothing is added to it or taken from it.')
    await move(app.community, 'approved')
    await move(app.domain, 'merged')
    await still('A merged project is not changed any more.')
  })
})

describe('the list', () => {
  test('has the oldest first, page by page, and its exact size', async () => {
    const own = await newProject(app)
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) {
      app.tick(1)
      ids.push((await added(own, { caption: `No. ${i}` })).id)
    }
    const first = await app.other.get(own, { query: { limit: 2 } })
    expect([first.body.count, first.body.results.map((it: { id: string }) => it.id)]).toEqual([5, ids.slice(0, 2)])
    expect(first.body.results[0]).not.toHaveProperty('ocr_text')
    const second = await app.other.get(first.body.next)
    expect(second.body.results.map((it: { id: string }) => it.id)).toEqual(ids.slice(2, 4))
    const third = await app.other.get(second.body.next)
    expect([third.body.next, third.body.results.map((it: { id: string }) => it.id)]).toEqual([null, ids.slice(4)])
  })

  test('is for those who are signed in', async () => {
    expect((await app.anon.get(assets)).status).toBe(401)
  })
})

describe('changing what is said of an asset', () => {
  test('changes what is sent, and nothing else', async () => {
    const { id, ...before } = await added(assets, { caption: 'Before', version_label: 'v1' })
    const after = sure(
      200,
      await app.contributor.patch(`${assets}${id}/`, {
        body: { caption: 'After', role: 'reference', size: 1, sha256: 'x', ocr_text: 'x' },
      }),
    )
    expect({ ...after, media_url: '', thumbnail_url: '' }).toEqual({
      ...before,
      id,
      caption: 'After',
      role: 'reference',
      updated_at: after.updated_at,
      media_url: '',
      thumbnail_url: '',
      warnings: ['size', 'sha256', 'ocr_text'].map((member) => ({
        member,
        message: 'This member is not read; it has no effect.',
      })),
    })
    expect(sure(200, await app.contributor.patch(`${assets}${id}/`, { body: { caption: null } })).caption).toBe('')
  })

  test.each<[string, object, unknown]>([
    [
      'an unknown role',
      { role: 'proof' },
      { role: ['Not a valid choice. Choose one of: evidence, primary, reference.'] },
    ],
    ['a caption that is a number', { caption: 7 }, { caption: ['Not a valid text.'] }],
    [
      'an over-long label',
      { version_label: 'x'.repeat(121) },
      { version_label: ['Ensure this field has no more than 120 characters.'] },
    ],
  ])('%s is refused', async (_what, body, expected) => {
    const { id } = await added()
    const answer = await app.contributor.patch(`${assets}${id}/`, { body })
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  test('an asset that is not there, or is another project’s, is not found', async () => {
    const own = await newProject(app)
    const { id } = await added(own)
    for (const path of [`${assets}${id}/`, `${assets}nonsense/`, `${own}00000000-0000-4000-8000-000000000000/`]) {
      for (const answer of [
        await app.contributor.get(path),
        await app.contributor.patch(path, { body: {} }),
        await app.contributor.delete(path),
      ])
        expect([path, answer.status, answer.body]).toEqual([path, 404, notFound])
    }
  })

  test('a version that has been overtaken is refused', async () => {
    const { id } = await added()
    const { headers } = await app.contributor.get(`${assets}${id}/`)
    const first = { body: { caption: 'First' }, headers: { 'if-match': headers.etag ?? '' } }
    expect((await app.contributor.patch(`${assets}${id}/`, first)).status).toBe(200)
    expect((await app.contributor.patch(`${assets}${id}/`, first)).status).toBe(412)
  })

  test('a thumbnail that comes meanwhile overtakes nobody', async () => {
    const { id } = await added()
    const { headers } = await app.contributor.get(`${assets}${id}/`)
    await eventually(async () => (await app.contributor.get(`${assets}${id}/`)).body.thumbnail_url).toMatch(/^http/)
    const read = { body: { caption: 'Read before' }, headers: { 'if-match': headers.etag ?? '' } }
    expect((await app.contributor.patch(`${assets}${id}/`, read)).status).toBe(200)
  })
})

describe('taking an asset away', () => {
  test('takes its object and its thumbnail with it', async () => {
    const own = await newProject(app)
    const { id, project } = await added(own)
    const here = () => Promise.all([objects(`assets/${project}/`), objects(`thumbnails/${project}/`)])
    await eventually(async () => (await here()).flat().length).toBe(2)
    await eventually(async () => (await app.contributor.get(`${own}${id}/`)).body.thumbnail_url).toMatch(/^http/)
    sure(204, await app.contributor.delete(`${own}${id}/`))
    expect(await count(own)).toBe(0)
    expect((await app.contributor.get(`${own}${id}/`)).status).toBe(404)
    expect((await app.contributor.delete(`${own}${id}/`)).status).toBe(404)
    await eventually(here).toEqual([[], []])
  })

  test('of several at once one takes it away', async () => {
    const own = await newProject(app)
    const { id } = await added(own)
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.contributor.delete(`${own}${id}/`)))
    expect(answers.map((it) => it.status).sort()).toEqual([204, 404, 404, 404, 404])
    expect(await count(own)).toBe(0)
  })
})

describe('thumbnails', () => {
  test('are small, upright, and without metadata', async () => {
    const bytes = await sharp(make.drawing(1200, 800))
      .withExif({ IFD0: { Copyright: 'A. Maharjan' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const { id } = sure(201, await upload(app.contributor, assets, bytes, 'large.jpg'))
    await eventually(async () => (await app.contributor.get(`${assets}${id}/`)).body.thumbnail_url).toMatch(/^http/)
    const { thumbnail_url, version: _, ...asset } = (await app.contributor.get(`${assets}${id}/`)).body
    const small = await read(thumbnail_url)
    const { width, height, format, exif, orientation } = await sharp(small.bytes).metadata()
    expect({ width, height, format, exif, orientation }).toEqual({
      width: 320,
      height: 480,
      format: 'webp',
      exif: undefined,
      orientation: undefined,
    })
    expect([small.headers.get('content-type'), asset.width, asset.height]).toEqual(['image/webp', 1200, 800])
  })

  test('of a PDF show its first page; sound has none', async () => {
    const own = await newProject(app)
    const { project } = sure(201, await upload(app.contributor, own, files['audio/mpeg'], 'a.mp3'))
    const { id } = sure(201, await upload(app.contributor, own, files['application/pdf'], 'a.pdf'))
    await eventually(() => objects(`thumbnails/${project}/`)).toHaveLength(1)
    await eventually(async () => (await app.contributor.get(`${own}${id}/`)).body.thumbnail_url).toMatch(/^http/)
    const { thumbnail_url } = (await app.contributor.get(`${own}${id}/`)).body
    const { width, height, format } = await sharp((await read(thumbnail_url)).bytes).metadata()
    expect({ width, height, format }).toEqual({ width: 480, height: 480, format: 'webp' })
  })

  test('an image that cannot be unpacked has none, and holds up nobody', async () => {
    // Whole by its outline, but with noise where the picture should be.
    const broken = Buffer.from(files['image/webp']).fill(0xff, 30)
    const bad = sure(201, await upload(app.contributor, assets, broken, 'bad.webp'))
    const good = await added()
    await eventually(async () => (await app.contributor.get(`${assets}${good.id}/`)).body.thumbnail_url).toMatch(
      /^http/,
    )
    expect((await app.contributor.get(`${assets}${bad.id}/`)).body.thumbnail_url).toBeNull()
  })

  test('are drawn again without harm', async () => {
    const { id, project } = await added()
    await eventually(() => objects(`thumbnails/${project}/${id}/`)).toHaveLength(1)
    const again = await follow()
    await new Promise((done) => setTimeout(done, 500))
    await again()
    expect(await objects(`thumbnails/${project}/${id}/`)).toHaveLength(1)
  })
})

describe('naming a file by its number', () => {
  test('adds it to another project, with an object of its own', async () => {
    const own = await newProject(app)
    const original = await added()
    const made = sure(
      201,
      await app.contributor.post(own, { body: { media: original.media, role: 'reference', caption: 'Again' } }),
    )
    expect(made).toMatchObject({
      media: original.media,
      sha256: original.sha256,
      role: 'reference',
      caption: 'Again',
      file_name: 'north.png',
    })
    expect(made.id).not.toBe(original.id)
    sure(204, await app.contributor.delete(`${assets}${original.id}/`))
    await eventually(() => objects(`assets/${original.project}/${original.id}/`)).toEqual([])
    expect((await read(made.media_url)).status).toBe(200)
  })

  test('a number that names nothing, or what the caller may not see, is refused alike', async () => {
    const hidden = await newProject(app, { visibility: 'private' })
    const { media } = await added(hidden)
    const mine = sure(201, await app.other.post('/data/projects/', { body: { slug: 'mine', title: 'Mine' } })).slug
    for (const number of [media, 999_999]) {
      const answer = await app.other.post(`/data/projects/${mine}/assets/`, { body: { media: number } })
      expect([answer.status, answer.body]).toEqual([400, { media: ['There is no file with this number.'] }])
    }
    const none = await app.contributor.post(assets, { body: {} })
    expect([none.status, none.body]).toEqual([400, { media: ['This field is required.'] }])
  })
})
