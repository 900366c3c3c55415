import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../harness/app.ts'
import { STRIDE, withFault } from '../../harness/faults.ts'
import { contribute, sure } from '../../harness/make.ts'
import { at, linkTo, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

/** What merges keep in the bucket: what they go back to stays, and nothing else. */

const HOUR = 3600
let app: App
beforeAll(async () => {
  app = await openProjects({ LOG_LEVEL: 'silent' })
})
beforeEach(async () => {
  await waitingFor(20_000)
  app.tick(HOUR)
  await sweep('seldom')
  expect(await folders()).toEqual([])
})

/** A request waits for so long; each part holds one record. */
async function waitingFor(milliseconds: number) {
  const { mergeLimits } = await import('../../../lib/domain/projects/merge.ts')
  const { partLimits } = await import('../../../lib/domain/projects/merge-work.ts')
  mergeLimits.waitedForMs = milliseconds
  partLimits.recordsInPart = 1
}
const sweep = async (chores: 'often' | 'seldom') => {
  const { handler } = await import('../../../functions/sweeper.ts')
  return handler({ chores })
}
async function work() {
  const { handler } = await import('../../../functions/merger.ts')
  return handler({}, { getRemainingTimeInMillis: () => 900_000 })
}
/** Folders that have not been looked through, as the table knows them. */
async function folders(): Promise<string[]> {
  const { walk } = await import('../../../lib/engines/table/read.ts')
  const items = await walk({ index: 'gsi1', pk: 'MERGE#FOLDER', forward: true, limit: 100 })
  return items.map((it) => `snapshots/${it.id}/`)
}
const inBucket = async (prefixes: readonly string[]) => {
  const { listKeys } = await import('../../../lib/engines/bucket/blobs.ts')
  return (await Promise.all(prefixes.map(listKeys))).flat()
}
async function snapshotOf(slug: string) {
  const { loadProject } = await import('../../../lib/domain/projects/projects.ts')
  const { loadLatestSnapshot } = await import('../../../lib/domain/projects/snapshots.ts')
  return loadLatestSnapshot((await loadProject(slug))?.about.id ?? '')
}
/** What the merge of a project that stands goes back to. */
async function needed(slug: string): Promise<string[]> {
  const { readSnapshot } = await import('../../../lib/domain/projects/snapshots.ts')
  const stored = await snapshotOf(slug)
  const parts = stored && (await readSnapshot(stored))?.parts.map((it) => it.object_key)
  return stored ? [stored.object_key, ...(parts ?? [])].sort() : []
}
/** An approved project of which its second record cannot be accepted by the expert. */
async function blocked(): Promise<string> {
  const records = await waitingRecords(app, 1)
  const slug = await projectIn(app, 'draft', records)
  await linkTo(app.staff, slug, await contribute(app.domain, 'traditions', { name: `Own ${crypto.randomUUID()}` }))
  sure(200, await move(app.contributor, slug, 'in_review'))
  sure(200, await move(app.community, slug, 'approved'))
  return slug
}
const rollBack = (slug: string) => app.staff.post(at(slug, 'rollback-merge/'))
const stateOf = async (slug: string) => sure(200, await app.staff.get(at(slug))).state

describe('a merge that is called off', () => {
  test('leaves nothing in the bucket an hour later', async () => {
    const slug = await blocked()
    expect((await move(app.domain, slug, 'merged')).status).toBe(400)
    const own = await folders()
    expect([own.length, (await inBucket(own)).length]).toEqual([1, 1])
    app.tick(HOUR - 1)
    expect((await sweep('seldom')).merges).toBe(0)
    app.tick(1)
    expect((await sweep('seldom')).merges).toBe(1)
    expect([await inBucket(own), await folders()]).toEqual([[], []])
    sure(200, await move(app.curator, slug, 'merged'))
  })

  test('leaves nothing either where it went on by itself', async () => {
    await waitingFor(0)
    const slug = await blocked()
    sure(202, await move(app.domain, slug, 'merged'))
    const own = await folders()
    // It is at work for as long as it takes.
    app.tick(5 * HOUR)
    expect((await sweep('seldom')).merges).toBe(0)
    expect(await work()).toEqual({ ended: 1, running: 0 })
    expect([await stateOf(slug), (await inBucket(own)).length]).toEqual(['approved', 1])
    // Another worker may not have noticed yet that it is over.
    expect((await sweep('seldom')).merges).toBe(0)
    app.tick(HOUR)
    await Promise.all([sweep('seldom'), sweep('seldom')])
    expect([await inBucket(own), await folders()]).toEqual([[], []])
  })
})

describe('a merge that stands', () => {
  test.each([
    ['while a request waits', 20_000],
    ['by itself', 0],
  ])('and was made %s keeps what it goes back to, and nothing that it kept beside it', async (_how, milliseconds) => {
    await waitingFor(milliseconds)
    const slug = await projectIn(app, 'approved', await waitingRecords(app, 2))
    sure(milliseconds ? 200 : 202, await move(app.domain, slug, 'merged'))
    await work()
    const own = await folders()
    const kept = await needed(slug)
    expect([kept.length, await inBucket(own)]).toEqual([3, kept])
    const { putObject } = await import('../../../lib/engines/bucket/blobs.ts')
    // As the plan of a part leaves it that was made anew.
    await putObject(`${own[0]}of-a-part-that-was-planned-anew`, Buffer.from('{}'), 'application/gzip')
    app.tick(HOUR)
    expect((await sweep('seldom')).merges).toBe(1)
    expect([await inBucket(own), await folders()]).toEqual([kept, []])
    await waitingFor(20_000)
    sure(200, await rollBack(slug))
    expect([await stateOf(slug), await folders()]).toEqual(['needs_revision', []])
  })

  test('is not touched where the state before it cannot be read', async () => {
    const slug = await projectIn(app, 'approved', await waitingRecords(app, 1))
    sure(200, await move(app.domain, slug, 'merged'))
    const [own = ''] = await folders()
    const { deleteObject, getObject, putObject } = await import('../../../lib/engines/bucket/blobs.ts')
    const all = await inBucket([own])
    const { object_key = '' } = (await snapshotOf(slug)) ?? {}
    const before = await getObject(object_key)
    await deleteObject(object_key)
    app.tick(HOUR)
    await expect(sweep('seldom')).rejects.toThrow('chores of the sweeper')
    expect(await inBucket([own])).toEqual(all.filter((it) => it !== object_key))
    await putObject(object_key, before?.bytes ?? new Uint8Array(), 'application/gzip')
    expect((await sweep('seldom')).merges).toBe(1)
    expect(await inBucket([own])).toEqual(all)
  })
})

test('wherever the process ends, what is left is needed in the end', async () => {
  const all = new Set<string>()
  const slugs: string[] = []
  for (let nth = 0, hit = true; hit; nth += STRIDE) {
    const slug = await projectIn(app, 'approved', await waitingRecords(app, 1))
    hit = await withFault(nth, 'killed after', () => move(app.domain, slug, 'merged'), 'every write')
    for (const it of await folders()) all.add(it)
    slugs.push(slug)
    app.tick(61)
    await sweep('often')
  }
  app.tick(HOUR)
  await sweep('seldom')
  const wanted = (await Promise.all(slugs.map(needed))).flat().sort()
  expect([(await inBucket([...all])).sort(), await folders()]).toEqual([wanted, []])
  const states = await Promise.all(slugs.map(stateOf))
  expect([...new Set(states)].sort()).toEqual(['approved', 'merged'])
  expect(wanted).toHaveLength(2 * states.filter((it) => it === 'merged').length)
}, 120_000)
