import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { eventually, follow, newProject, objects, upload } from '../../harness/asset-world.ts'
import { sure } from '../../harness/make.ts'
import * as make from '../../harness/media-files.ts'

const DAY = 86_400
let app: App
let png: Buffer
let stop: () => Promise<void>
let assets: string
let made: { id: string; media: number; project: string }

beforeAll(async () => {
  app = await openApp({ env: { RATE_PROJECTS: '1000/h', RATE_UPLOADS: '1000/day' } })
  png = await sharp(make.drawing()).png().toBuffer()
  stop = await follow()
})
afterAll(() => stop())
beforeEach(async () => {
  assets = await newProject(app)
  made = sure(201, await upload(app.contributor, assets, png, 'north.png'))
  await eventually(async () => (await here()).length).toBe(2)
})

const sweep = async () => {
  const { handler } = await import('../../../functions/sweeper.ts')
  return (await handler({ chores: 'seldom' })).cleared
}
/** Object and thumbnail of each asset. */
const here = async () =>
  (await Promise.all([objects(`assets/${made.project}/`), objects(`thumbnails/${made.project}/`)])).flat()
const away = () => assets.replace('assets/', '')
const inTable = async () => {
  const { queryAll } = await import('../../../lib/engines/table/read.ts')
  return (await queryAll(`PROJECT#${made.project}`, 'ASSET#')).length
}

describe('the files of a deleted project', () => {
  test('stay for 30 days, and go then with all that the table knew of them', async () => {
    sure(204, await app.contributor.delete(away()))
    app.tick(30 * DAY - 1)
    expect([await sweep(), await inTable(), (await here()).length]).toEqual([0, 1, 2])
    app.tick(1)
    expect([await sweep(), await inTable()]).toEqual([1, 0])
    await eventually(here).toEqual([])
    const { get } = await import('../../../lib/engines/table/read.ts')
    const { mediaNumber: media } = await import('../../../lib/domain/projects/assets/upload-items.ts')
    expect(await get(media, { media: made.media })).toBeUndefined()
    expect(await sweep()).toBe(0)
  })

  test('go in parts when there are many, however many sweepers come by', async () => {
    for (let i = 0; i < 41; i += 1) sure(201, await app.contributor.post(assets, { body: { media: made.media } }))
    sure(204, await app.contributor.delete(away()))
    app.tick(30 * DAY)
    expect([await sweep(), await inTable()]).toEqual([40, 2])
    await Promise.all([sweep(), sweep()])
    expect([await inTable(), await sweep()]).toEqual([0, 0])
    await eventually(here).toEqual([])
  })

  test('do not take those with them that another project has made of them', async () => {
    const other = await newProject(app)
    const copy = sure(201, await app.contributor.post(other, { body: { media: made.media } }))
    sure(204, await app.contributor.delete(away()))
    app.tick(30 * DAY)
    expect(await sweep()).toBe(1)
    await eventually(here).toEqual([])
    expect((await fetch(copy.media_url)).status).toBe(200)
  })
})

test('the files of a project that is there stay, however old', async () => {
  app.tick(400 * DAY)
  expect([await sweep(), (await here()).length]).toEqual([0, 2])
})

test('what was merged keeps its files, though it is deleted', async () => {
  const { get } = await import('../../../lib/engines/table/read.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { project } = await import('../../../lib/domain/projects/items.ts')
  const about = await get(project, { id: made.project })
  if (!about) throw new Error('no project')
  const deleted_at = '2025-01-01T00:00:00.000Z'
  await transact([
    put(project, { ...about, state: 'merged', merged_at: deleted_at, deleted_at, version: about.version + 1 }, about),
  ])
  app.tick(400 * DAY)
  expect([await sweep(), (await here()).length]).toEqual([0, 2])
})
