import { createHash } from 'node:crypto'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { eventually, follow, newProject, objects, send, upload } from '../../harness/asset-world.ts'
import { sure } from '../../harness/make.ts'
import * as make from '../../harness/media-files.ts'

const DAY = 86_400
let app: App
let stop: () => Promise<void>
let assets: string
let png: Buffer
let other: Buffer
beforeAll(async () => {
  app = await openApp({ env: { RATE_PROJECTS: '1000/h', LOG_LEVEL: 'info' } })
  png = await sharp(make.drawing(64, 48)).png().toBuffer()
  other = await sharp(make.drawing(64, 48, 'other'))
    .png()
    .toBuffer()
  assets = await newProject(app)
  stop = await follow()
})
afterAll(() => stop())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const announced = (bytes: Buffer, more: object = {}) => ({ file_name: 'north.png', size: bytes.length, ...more })
const begin = async (bytes: Buffer, more: object = {}, to = assets, who = app.contributor) =>
  sure(201, await who.post(`${to}uploads/`, { body: announced(bytes, more) }))
const complete = (id: string, body: object = {}, to = assets, who = app.contributor) =>
  who.post(`${to}uploads/${id}/complete/`, { body })
const count = async (of = assets) => sure(200, await app.staff.get(of)).count
const sweep = async () => {
  const { handler } = await import('../../../functions/sweeper.ts')
  return (await handler()).uploads
}
/** A day later quotas are full again. */
const anotherDay = () => app.tick(DAY)

describe('a direct upload', () => {
  test('is begun, sent to the bucket, and completed', async () => {
    const begun = await begin(png, {
      role: 'primary',
      caption: 'North',
      version_label: 'v2',
      media_type: 'image/png',
      sha256: sha256(png),
    })
    expect(begun).toEqual({
      asset_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      upload: {
        url: expect.stringMatching(/^http/),
        fields: expect.any(Object),
        expires_at: expect.stringMatching(/Z$/),
      },
    })
    expect(await count()).toBe(0)
    const etag = await send(begun.upload, png)
    const made = await complete(begun.asset_id, { etag, sha256: sha256(png) })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      id: begun.asset_id,
      content_type: 'image/png',
      width: 64,
      height: 48,
      role: 'primary',
      caption: 'North',
      version_label: 'v2',
      file_name: 'north.png',
    })
    const file = await fetch(made.body.media_url)
    expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(made.body.sha256)
    expect(await count()).toBe(1)
    // What was sent is cleared away; what is served stays.
    await eventually(() => objects(begun.upload.fields.key)).toEqual([])
  })

  test('completed twice gives the same asset, and so does another’s completion', async () => {
    const begun = await begin(png)
    await send(begun.upload, png)
    const first = await complete(begun.asset_id)
    const second = await complete(begun.asset_id)
    const third = await complete(begun.asset_id, {}, assets, app.staff)
    expect([first.status, second.status, third.status]).toEqual([201, 200, 200])
    expect(second.body.id).toBe(first.body.id)
    expect((await objects(`assets/${first.body.project}/${first.body.id}/`)).length).toBe(1)
  })

  test('completed by several at once is one asset with one object', async () => {
    const own = await newProject(app)
    const begun = await begin(png, {}, own)
    await send(begun.upload, png)
    const answers = await Promise.all(Array.from({ length: 6 }, () => complete(begun.asset_id, {}, own)))
    expect(answers.filter((it) => it.status === 201)).toHaveLength(1)
    for (const { status, body } of answers.filter((it) => it.status !== 201))
      if (status === 409) expect(body).toEqual({ detail: 'This upload is being completed right now.' })
      else expect([status, body.id]).toEqual([200, begun.asset_id])
    expect(await count(own)).toBe(1)
    await eventually(() => objects(begun.upload.fields.key.replace('uploads/', 'assets/'))).toHaveLength(1)
  })

  test('a policy says key, type, size and time, and is signed', async () => {
    const { upload: it, asset_id } = await begin(png)
    const policy = JSON.parse(Buffer.from(it.fields.policy, 'base64').toString())
    expect(Date.parse(policy.expiration) - Date.now()).toBeLessThanOrEqual(3_600_000)
    expect(policy.conditions).toEqual([
      { bucket: process.env.BUCKET_NAME },
      { key: it.fields.key },
      { 'Content-Type': 'image/png' },
      { success_action_status: '204' },
      { 'x-amz-algorithm': 'AWS4-HMAC-SHA256' },
      { 'x-amz-credential': it.fields['x-amz-credential'] },
      { 'x-amz-date': it.fields['x-amz-date'] },
      ['content-length-range', png.length, png.length],
    ])
    expect(it.fields.key).toMatch(new RegExp(`^uploads/[0-9a-f-]{36}/${asset_id}$`))
  })
})

describe('what is completed must be what was announced', () => {
  const differs = { file: ['The file is not the one that was announced: its checksum differs.'] }
  const otherSize = { file: ['The file is not the one that was announced: its size differs.'] }

  test('nothing was sent', async () => {
    const { asset_id } = await begin(png)
    const answer = await complete(asset_id)
    expect([answer.status, answer.body]).toEqual([400, { file: ['The file has not been sent yet.'] }])
  })

  test.each<[string, () => Buffer]>([
    ['shorter', () => png.subarray(0, 100)],
    ['longer', () => Buffer.concat([png, Buffer.alloc(1)])],
    ['empty', () => Buffer.alloc(0)],
  ])('a %s file is refused', async (_what, bytes) => {
    const begun = await begin(png)
    await send(begun.upload, bytes())
    const answer = await complete(begun.asset_id)
    expect([answer.status, answer.body]).toEqual([400, otherSize])
    expect((await app.contributor.get(`${assets}${begun.asset_id}/`)).status).toBe(404)
  })

  test('a file swapped after it was sent is refused: by the checksum that was announced, by one given at the end, by the bucket’s tag', async () => {
    const swapped = Buffer.from(png)
    swapped[40] = (swapped[40] ?? 0) ^ 1
    const whole = async (more: object, body: (etag: string) => object) => {
      const begun = await begin(png, more)
      const etag = await send(begun.upload, png)
      await send(begun.upload, swapped)
      return complete(begun.asset_id, body(etag))
    }
    for (const answer of [
      await whole({ sha256: sha256(png) }, () => ({})),
      await whole({}, () => ({ sha256: sha256(png).toUpperCase() })),
      await whole({}, (etag) => ({ etag })),
    ])
      expect([answer.status, answer.body]).toEqual([400, differs])
  })

  test('what comes to lie in the bucket while it is being checked is not what is kept', async () => {
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    const begun = await begin(png)
    await send(begun.upload, png)
    // After it was opened, before it is kept.
    s3.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args)
        if (context.commandName === 'GetObjectCommand') await send(begun.upload, other)
        return answer
      },
      { step: 'initialize', name: 'swap' },
    )
    const answer = await complete(begun.asset_id).finally(() => s3.middlewareStack.remove('swap'))
    const made = sure(201, answer)
    const bytes = Buffer.from(await (await fetch(made.media_url)).arrayBuffer())
    const [kept, wanted] = await Promise.all([sharp(bytes).raw().toBuffer(), sharp(png).raw().toBuffer()])
    expect(kept.equals(wanted)).toBe(true)
    expect(made.sha256).toBe(sha256(bytes))
  })

  test('a file that is refused may be sent again', async () => {
    const torn = Buffer.from(png).fill(0, 50)
    const begun = await begin(png)
    await send(begun.upload, torn)
    const answer = await complete(begun.asset_id)
    expect([answer.status, answer.body]).toEqual([400, { file: ['A checksum in the file is wrong.'] }])
    await send(begun.upload, png)
    sure(201, await complete(begun.asset_id))
  })

  test('another type than announced is refused', async () => {
    const jpeg = await sharp(make.drawing()).jpeg().toBuffer()
    const begun = await begin(jpeg)
    await send(begun.upload, jpeg)
    const answer = await complete(begun.asset_id)
    expect([answer.status, answer.body]).toEqual([
      400,
      { file: ['The file is image/jpeg, and its name does not end in .jpg or .jpeg.'] },
    ])
  })

  test.each<[string, object, unknown]>([
    ['no name', { size: 3 }, { file_name: ['This field is required.'] }],
    [
      'a name of another type',
      { file_name: 'a.exe', size: 3 },
      { file_name: ['The name must end in one of .jpg, .jpeg, .png, .webp, .pdf, .mp3, .mp4.'] },
    ],
    ['no size', { file_name: 'a.png' }, { size: ['This field is required.'] }],
    ['0 bytes', { file_name: 'a.png', size: 0 }, { size: ['The file is empty.'] }],
    ['50 MB and a byte', { file_name: 'a.png', size: 52_428_801 }, { size: ['The file is larger than 50 MB.'] }],
    ['a size in words', { file_name: 'a.png', size: '3' }, { size: ['Give the number of bytes.'] }],
    ['half a byte', { file_name: 'a.png', size: 3.5 }, { size: ['Give the number of bytes.'] }],
    [
      'a checksum that is none',
      { file_name: 'a.png', size: 3, sha256: 'abc' },
      { sha256: ['Give 64 hexadecimal digits.'] },
    ],
    [
      'a type that the name does not mean',
      { file_name: 'a.png', size: 3, media_type: 'video/mp4' },
      { media_type: ['A file of this name is image/png.'] },
    ],
  ])('%s is refused at the beginning', async (_what, body, expected) => {
    const answer = await app.contributor.post(`${assets}uploads/`, { body })
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  test('50 MB are taken at the beginning', async () => {
    sure(201, await app.contributor.post(`${assets}uploads/`, { body: { file_name: 'a.mp4', size: 52_428_800 } }))
  })

  test('an upload of another project, or none, is not found', async () => {
    const own = await newProject(app)
    const { asset_id } = await begin(png, {}, own)
    for (const id of [asset_id, '00000000-0000-4000-8000-000000000000', 'x']) {
      const answer = await complete(id)
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Not found.' }])
    }
  })
})

describe('an upload that is never completed', () => {
  test('expires after a day, and its objects with it; sweeping twice is sweeping once', async () => {
    const own = await newProject(app)
    const [sent, torn, late] = [await begin(png, {}, own), await begin(png, {}, own), await begin(png, {}, own)]
    await send(sent.upload, png)
    await send(torn.upload, Buffer.from(png).fill(0, 50))
    expect((await complete(torn.asset_id, {}, own)).status).toBe(400)
    const [, id = ''] = sent.upload.fields.key.split('/')
    expect(await objects(`uploads/${id}/`)).toHaveLength(2)
    app.tick(DAY - 1)
    const before = await sweep()
    app.tick(1)
    await send(late.upload, png)
    const answer = await complete(late.asset_id, {}, own)
    expect([answer.status, answer.body]).toEqual([410, { detail: 'This upload has expired. Begin a new one.' }])
    // Those of earlier tests have expired too.
    expect(await sweep()).toBeGreaterThanOrEqual(3)
    expect([(before ?? -1) >= 0, await sweep()]).toEqual([true, 0])
    await eventually(() => objects(`uploads/${id}/`)).toEqual([])
    expect((await complete(sent.asset_id, {}, own)).status).toBe(404)
    expect(await count(own)).toBe(0)
  })

  test('stopped in the middle of its completion, it can be completed by the next who tries', async () => {
    anotherDay()
    const own = await newProject(app)
    const begun = await begin(png, {}, own)
    await send(begun.upload, png)
    const { loadUpload, holdAssetUpload: takeUpload } = await import('../../../lib/domain/projects/assets/uploads.ts')
    const [, project = ''] = begun.upload.fields.key.split('/')
    const found = await loadUpload(project, begun.asset_id)
    if (!found) throw new Error('no upload')
    // Whoever took it wrote an object and was stopped.
    const { runUnit } = await import('../../../lib/engines/table/immediate.ts')
    const taken = await runUnit((unit) => takeUpload(unit, found))
    const { putObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await putObject(taken.object_keys.at(-1) ?? '', png, 'image/png')
    expect((await complete(begun.asset_id, {}, own)).status).toBe(409)
    app.tick(121)
    sure(201, await complete(begun.asset_id, {}, own))
    // The object of the one who was stopped goes, the other stays.
    await eventually(() => objects(`assets/${project}/`)).toHaveLength(1)
  })

  test('a small upload that was stopped before its asset is swept like the others', async () => {
    anotherDay()
    const own = await newProject(app)
    const { db } = await import('../../../lib/engines/table/client.ts')
    let seen = 0
    // The second transaction makes the asset; the first has noted the upload. The third would end it.
    db.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'TransactWriteItemsCommand' && ++seen > 1) throw new Error('stopped')
        return next(args)
      },
      { step: 'initialize', name: 'stop' },
    )
    const answer = await upload(app.contributor, own, png, 'a.png').finally(() => db.middlewareStack.remove('stop'))
    expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal server error.' }])
    const id = (await app.contributor.get(own.replace('assets/', ''))).body.id
    expect(await objects(`assets/${id}/`)).toHaveLength(1)
    app.tick(DAY)
    await sweep()
    await eventually(() => objects(`assets/${id}/`)).toEqual([])
  })

  test('sweeping costs the same however much waits that is not due', async () => {
    const cost = async () => {
      const { measureCost } = await import('../../../lib/base/telemetry/request-cost.ts')
      const { sweepUploads } = await import('../../../lib/domain/projects/assets/uploads.ts')
      return measureCost(async (meter) => {
        await sweepUploads()
        return meter.calls
      })
    }
    anotherDay()
    app.tick(DAY)
    await sweep()
    const few = await cost()
    const own = await newProject(app)
    for (let i = 0; i < 20; i += 1) await begin(png, {}, own)
    expect([few, await cost()]).toEqual([1, 1])
  })
})

describe('50 uploads a day', () => {
  const tries = (who: Persona, many: number, to: readonly string[]) =>
    Promise.all(Array.from({ length: many }, (_, i) => upload(who, to[i % to.length] ?? '', png, 'a.png')))

  test('of sixty at once fifty are taken, and the others are told when to come again', async () => {
    anotherDay()
    const several = await Promise.all(Array.from({ length: 10 }, () => newProject(app)))
    const answers = await tries(app.contributor, 60, several)
    expect(answers.filter((it) => it.status === 201)).toHaveLength(50)
    const late = answers.filter((it) => it.status === 429)
    expect(late).toHaveLength(10)
    for (const { headers, body } of late) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(body).toEqual({
        detail: `Request was throttled. Expected available in ${headers['retry-after']} seconds.`,
      })
    }
    // The objects of those that were not taken were never stored.
    const ids = await Promise.all(
      several.map(async (path) => (await app.staff.get(path.replace('assets/', ''))).body.id),
    )
    const kept = await Promise.all(ids.map((id) => objects(`assets/${id}/`)))
    expect(kept.flat()).toHaveLength(50)
    // Both ways count together, and another person has a day of their own.
    expect((await app.contributor.post(`${several[0]}uploads/`, { body: announced(png) })).status).toBe(429)
    sure(201, await upload(app.staff, several[0] ?? '', png, 'a.png'))
    anotherDay()
    sure(201, await upload(app.contributor, several[0] ?? '', png, 'a.png'))
  }, 60_000)

  test('what is refused does not count', async () => {
    anotherDay()
    const own = await newProject(app)
    const bad = await Promise.all(
      Array.from({ length: 55 }, () => upload(app.contributor, own, png.subarray(0, 90), 'a.png')),
    )
    expect(bad.every((it) => it.status === 400)).toBe(true)
    sure(201, await upload(app.contributor, own, png, 'a.png'))
  })
})

describe('addresses that the service signs', () => {
  const at = new Date('2025-01-15T10:00:00.000Z')
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret+/key', sessionToken: 'session/token==' }
  const region = 'ap-south-1'

  test('are those that the SDK signs', async () => {
    const { presignedGet } = await import('../../../lib/engines/bucket/presign.ts')
    const client = new S3Client({ region, credentials })
    for (const disposition of ['inline', `attachment; filename="a 'b'_(c)!*.pdf"; filename*=UTF-8''%E0%A4%A8%2C`]) {
      const command = new GetObjectCommand({
        Bucket: 'files',
        Key: 'assets/1/2',
        ResponseContentType: 'image/png',
        ResponseContentDisposition: disposition,
      })
      const theirs = new URL(await getSignedUrl(client, command, { expiresIn: 900, signingDate: at }))
      const query = Object.fromEntries([...theirs.searchParams].filter(([name]) => !name.startsWith('X-Amz-')))
      const ours = new URL(
        await presignedGet(new URL(`${theirs.origin}/assets/1/2`), query, 900, { region, credentials, at }),
      )
      expect([...ours.searchParams].sort()).toEqual([...theirs.searchParams].sort())
    }
  })

  test('and so are forms', async () => {
    vi.useFakeTimers({ now: at, toFake: ['Date'] })
    const { postFields } = await import('../../../lib/engines/bucket/presign.ts')
    const client = new S3Client({ region, credentials })
    const theirs = await createPresignedPost(client, {
      Bucket: 'files',
      Key: 'uploads/1/2',
      Expires: 3600,
      Fields: { 'Content-Type': 'image/png', success_action_status: '204' },
      Conditions: [['content-length-range', 3, 3]],
    })
    vi.useRealTimers()
    const until = new Date(at.getTime() + 3_600_000)
    const ours = await postFields(
      { bucket: 'files', key: 'uploads/1/2', type: 'image/png', size: 3, until },
      { region, credentials, at },
    )
    const lower = (fields: Record<string, string>) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]))
    // The bucket is named by the address.
    const { policy: theirPolicy, 'x-amz-signature': _, bucket: __, ...theirFields } = lower(theirs.fields)
    const { policy, 'x-amz-signature': signature, ...fields } = lower(ours)
    expect(Object.keys(fields).sort()).toEqual(Object.keys(theirFields).sort())
    // The order of conditions differs, so the signatures do; ours is what the SDK's own arithmetic makes of our policy.
    const sorted = (text = '') =>
      JSON.parse(Buffer.from(text, 'base64').toString())
        .conditions.map((it: unknown) => JSON.stringify(it).toLowerCase())
        .sort()
    expect(sorted(policy)).toEqual(sorted(theirPolicy))
    const { createHmac } = await import('node:crypto')
    const key = ['20250115', region, 's3', 'aws4_request'].reduce<string | Buffer>(
      (by, text) => createHmac('sha256', by).update(text).digest(),
      `AWS4${credentials.secretAccessKey}`,
    )
    expect(signature).toBe(
      createHmac('sha256', key)
        .update(policy ?? '')
        .digest('hex'),
    )
  })
})
