import { marshall } from '@aws-sdk/util-dynamodb'
import type { Context, DynamoDBStreamEvent } from 'aws-lambda'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { newProject, objects, upload } from '../../harness/asset-world.ts'
import { withFault } from '../../harness/faults.ts'
import { sure } from '../../harness/make.ts'
import * as make from '../../harness/media-files.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
})

/** A new image, what its owner sees of it, and the function that follows it, as the stream calls it. */
async function newImage() {
  const assets = await newProject(app)
  const png = await sharp(make.drawing()).png().toBuffer()
  const { id, project } = sure(201, await upload(app.contributor, assets, png, 'north.png'))
  const { loadAsset } = await import('../../../lib/domain/projects/assets/assets.ts')
  const { handler } = await import('../../../functions/asset-files.ts')
  const NewImage = marshall({ ...(await loadAsset(project, id)), type: 'project_asset' })
  const event = { Records: [{ dynamodb: { SequenceNumber: '1', NewImage } }] } as unknown as DynamoDBStreamEvent
  return {
    project,
    follow: () => handler(event, { functionName: 'asset-files' } as Context),
    shown: async () => sure(200, await app.contributor.get(`${assets}${id}/`)),
  }
}
const done = { batchItemFailures: [] }

test('an image that ends three workers is given up: its owner reads why, and later changes are followed', async () => {
  const { follow, shown, project } = await newImage()
  for (let death = 1; death <= 3; death += 1) {
    // The first write takes the image. The process ends right after that.
    expect(await withFault(0, 'killed after', follow, 'every write')).toBe(true)
    expect((await shown()).thumbnail_error).toBe('')
  }
  expect(await follow()).toEqual(done)
  expect(await shown()).toMatchObject({
    thumbnail_url: null,
    thumbnail_error: 'The process that drew this small ended three times. The file is probably too large for it.',
  })
  expect(await follow()).toEqual(done)
  expect(await objects(`thumbnails/${project}/`)).toEqual([])
})

test('an image is drawn once, however often the bucket fails before', async () => {
  const { follow, shown, project } = await newImage()
  for (let failure = 1; failure <= 4; failure += 1) {
    expect(await withFault(1, 'failed', follow, 'every write')).toBe(true)
    expect((await shown()).thumbnail_url).toBeNull()
  }
  expect(await follow()).toEqual(done)
  expect(await follow()).toEqual(done)
  expect((await shown()).thumbnail_url).toContain('thumbnails/')
  expect(await objects(`thumbnails/${project}/`)).toHaveLength(1)
})
