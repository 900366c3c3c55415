import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish } from '../../harness/make.ts'

/**
 * Every function that searches, as a process of its own that has just begun: it fetches the snapshot, or makes one where none
 * can be read. In the other tests one process does this for all, so that only here each is seen to need the rights for it.
 */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  await publish(app, 'structures', { name: 'Tower of Basantapur' })
  await contribute(app.contributor, 'structures', { name: 'Tower that waits' })
})

const asks: Record<string, (who: App) => ReturnType<Persona['get']>> = {
  search: (who) => who.anon.get('/data/search/?q=tower'),
  records: (who) => who.anon.get('/cidoc/structures/?search=tower'),
  entities: (who) => who.anon.get('/data/cultural-entities/?search=tower'),
  sources: (who) => who.anon.get('/cidoc/data_sources/?search=tower'),
  clusters: (who) => who.anon.get('/cidoc/entity-clusters/?search=tower'),
  queue: (who) => who.staff.get('/data/review-queue/?search=tower'),
  roles: (who) => who.staff.get('/data/platform-admin/users/?search=herit'),
  leaderboard: (who) => who.anon.get('/data/leaderboard/?search=tower'),
  assistant: (who) => who.anon.post('/assistant/chat/', { body: { messages: [{ role: 'user', content: 'Tower?' }] } }),
}
/** What a process that ends takes with it. */
async function forget(): Promise<void> {
  for (const file of readdirSync(tmpdir())) {
    if (file.startsWith(await prefix())) rmSync(join(tmpdir(), file), { force: true })
  }
  vi.resetModules()
  // The clock begins anew as well, and tokens live by the one that stands still.
  const { clock } = await import('../../../lib/base/clock.ts')
  clock.now = () => new Date('2025-01-15T10:00:00.000Z')
}
const prefix = async () => {
  const { snapshotPath } = await import('../../../lib/engines/search/model/snapshot.ts')
  return snapshotPath('')
    .slice(tmpdir().length + 1)
    .replace('.sqlite', '')
}
const standing = async () => (await import('../../../lib/engines/search/model/follower.ts')).processHealth()

describe.each(Object.keys(asks))('%s', (name) => {
  const ask = () => asks[name]?.(app)

  test('begins with the snapshot in the bucket', async () => {
    const { rebuildSnapshot } = await import('../../../lib/engines/search/model/rebuild.ts')
    await rebuildSnapshot()
    await forget()
    expect((await ask())?.status).toBe(200)
    expect((await standing()).snapshot).toBe('current')
  })

  test('makes one when none can be read', async () => {
    const { rebuildSnapshot } = await import('../../../lib/engines/search/model/rebuild.ts')
    const { loadPointer } = await import('../../../lib/engines/search/model/snapshot.ts')
    const { deleteObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await rebuildSnapshot()
    // What lies between two snapshots goes with the next one.
    for (const change of ['one', 'two']) {
      await contribute(app.contributor, 'structures', { name: `Tower number ${change}` })
      await following.settled()
    }
    await rebuildSnapshot()
    const pointer = await loadPointer()
    for (const it of [pointer?.current, pointer?.previous]) if (it) await deleteObject(it.key)
    await forget()
    expect((await ask())?.status).toBe(200)
    expect((await standing()).snapshot).toBe('rebuilt')
  })
})
