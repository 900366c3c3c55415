import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { faults, withFault } from '../../harness/faults.ts'
import { sure } from '../../harness/make.ts'
import * as media from '../../harness/media-files.ts'

/** Whatever is broken off between a file and the item that names it: the sweeper clears it away, and nothing else. */

const HOUR = 3600
let app: App
let png: Buffer<ArrayBuffer>
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  png = Buffer.from(await sharp(media.drawing()).png().toBuffer())
})
// What an earlier test has left.
beforeEach(async () => {
  app.tick(HOUR)
  await sweep()
  expect(await loose()).toEqual([])
})

/** What nothing names, as the table knows it. */
async function loose(): Promise<string[]> {
  const { walk } = await import('../../../lib/engines/table/read.ts')
  const items = await walk({ index: 'gsi1', pk: 'LOOSE', forward: true, limit: 100 })
  return items.map((it) => String(it.object_key))
}
const sweep = async () => {
  const { handler } = await import('../../../functions/sweeper.ts')
  return (await handler({ chores: 'seldom' })).loose
}
const isThere = async (key: string) => {
  const { objectSize } = await import('../../../lib/engines/bucket/blobs.ts')
  return (await objectSize(key)) !== undefined
}

const form = (members: Record<string, string | File>) => {
  const it = new FormData()
  for (const [name, value] of Object.entries(members)) it.set(name, value)
  return it
}
const image = () => new File([png], 'me.png', { type: 'image/png' })
/** What is sent with a file, by where the file lies then. */
const sending = {
  'data-sources': () =>
    app.contributor.post('/cidoc/data_sources/', {
      body: form({ name: `Chronicle ${crypto.randomUUID()}`, uploaded_file: image() }),
    }),
  'profile-images': () => app.other.post('/data/user/profile-image/', { body: form({ profile_image: image() }) }),
  imports: () =>
    app.contributor.post('/data/imports/', {
      body: form({ file: new File(['Name\nA gate'], 'gates.csv', { type: 'text/csv' }) }),
    }),
}
const all = Object.entries(sending)

describe.each(all)('a file under %s/', (folder, send) => {
  test('is named before it is there, and by its own item then', async () => {
    const reply = await send()
    expect(reply.status).toBeLessThan(300)
    expect(await loose()).toEqual([])
    const [name] = await named(folder)
    app.tick(2 * HOUR)
    expect([await sweep(), await isThere(name ?? '')]).toEqual([0, true])
  })

  test('goes after an hour, and not before, where a process ended behind it', async () => {
    let left: string[] = []
    for (let nth = 0; left.length === 0; nth += 1) {
      expect(await withFault(nth, 'killed after', send, 'every write')).toBe(true)
      left = (await Promise.all((await loose()).map(async (key) => ((await isThere(key)) ? [key] : [])))).flat()
    }
    expect(left).toEqual([expect.stringMatching(`^${folder}/`)])
    app.tick(HOUR - 1)
    expect([await sweep(), await isThere(left[0] ?? '')]).toEqual([0, true])
    app.tick(1)
    expect(await sweep()).toBeGreaterThan(0)
    expect([await isThere(left[0] ?? ''), await loose()]).toEqual([false, []])
  })

  test.each(faults)(
    'is named or gone in the end, where a call is $fault at $hits',
    async ({ fault, hits }) => {
      const left = new Set<string>()
      for (let nth = 0, hit = true; hit; nth += 1) {
        hit = await withFault(nth, fault, send, hits)
        for (const key of await loose()) left.add(key)
      }
      expect(left.size).toBeGreaterThan(0)
      app.tick(HOUR)
      await Promise.all([sweep(), sweep()])
      expect(await loose()).toEqual([])
      const names = await named(folder)
      for (const key of new Set([...left, ...names]))
        expect([key, await isThere(key)]).toEqual([key, names.includes(key)])
    },
    60_000,
  )
})

test('what is named in the moment in which it goes is not named at all', async () => {
  const { withFile, forgetLooseFile: naming } = await import('../../../lib/engines/bucket/loose-files.ts')
  const { putObject } = await import('../../../lib/engines/bucket/blobs.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const key = `data-sources/${crypto.randomUUID()}`
  const late = withFile(key, async (expected) => {
    await putObject(key, Buffer.from('Late'), 'text/plain')
    app.tick(HOUR)
    expect(await sweep()).toBe(1)
    await transact([naming(expected)])
  })
  await expect(late).rejects.toMatchObject({ code: 'conflict' })
  expect(await isThere(key)).toBe(false)
})

describe('a profile image that another one has followed', () => {
  test('is gone at once', async () => {
    sure(200, await sending['profile-images']())
    const [before] = await named('profile-images')
    sure(200, await sending['profile-images']())
    expect(await isThere(before ?? '')).toBe(false)
    await sweep()
    expect([await loose(), await isThere((await named('profile-images'))[0] ?? '')]).toEqual([[], true])
  })

  test('goes by the sweeper where the process ended before it went', async () => {
    sure(200, await sending['profile-images']())
    const [before = ''] = await named('profile-images')
    await sweep()
    for (let nth = 0; !(await loose()).includes(before); nth += 1) {
      expect(await withFault(nth, 'killed after', sending['profile-images'], 'every write')).toBe(true)
      app.tick(HOUR)
      if (!(await loose()).includes(before)) await sweep()
    }
    expect(await isThere(before)).toBe(true)
    await sweep()
    expect([await isThere(before), await loose()]).toEqual([false, []])
  })

  test('stays while nothing else has come in its place', async () => {
    sure(200, await sending['profile-images']())
    const before = await named('profile-images')
    await withFault(1, 'killed after', sending['profile-images'], 'every write')
    app.tick(HOUR)
    await sweep()
    expect([await named('profile-images'), await isThere(before[0] ?? '')]).toEqual([before, true])
  })

  test('goes when it is taken away, and taking it away twice is no failure', async () => {
    sure(200, await sending['profile-images']())
    const [before = ''] = await named('profile-images')
    for (const _ of [1, 2]) sure(200, await app.other.delete('/data/user/profile-image/'))
    expect(await isThere(before)).toBe(false)
  })
})

/** What items of this folder name, newest first. */
async function named(folder: string): Promise<string[]> {
  const { scan } = await import('../../../lib/engines/table/scan.ts')
  const keys: string[] = []
  for await (const page of scan(['source', 'user', 'import']))
    for (const it of page) {
      const upload = Object(it.upload)
      if (it.type === 'source' && upload.key) keys.push(`${it.created_at} ${upload.key}`)
      if (it.type === 'user' && it.profile_image)
        keys.push(`${it.updated_at} profile-images/${it.id}/${it.profile_image}`)
      if (it.type === 'import' && it.object_key) keys.push(`${it.created_at} ${it.object_key}`)
    }
  return keys
    .filter((it) => it.includes(` ${folder}/`))
    .toSorted()
    .reverse()
    .map((it) => it.split(' ')[1] ?? '')
}
