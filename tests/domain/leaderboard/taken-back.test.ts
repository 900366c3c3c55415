import { beforeAll, expect, test } from 'vitest'
import type { App } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { sure } from '../../harness/make.ts'
import { at, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects()
  following = await followTable()
})

/** The figure that boards show. */
const reviews = async (): Promise<number> => {
  const { results } = sure(200, await app.anon.get('/data/contributors/', { query: { search: 'expert' } }))
  return results[0]?.reviews_count ?? 0
}

test('reviews that the rollback of a merge has taken away count no more', async () => {
  const slug = await projectIn(app, 'approved', await waitingRecords(app, 2))
  await following.settled()
  const before = await reviews()
  sure(200, await move(app.domain, slug, 'merged'))
  await following.settled()
  expect(await reviews()).toBe(before + 2)
  sure(200, await app.domain.post(at(slug, 'rollback-merge/')))
  await following.settled()
  expect(await reviews()).toBe(before)
})
