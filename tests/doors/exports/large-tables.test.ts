import { beforeAll, describe, expect, test } from 'vitest'
import { functionNames } from '../../../deploy/function-names.ts'
import { usesOf } from '../../../deploy/policies.ts'
import type { App } from '../../harness/app.ts'
import { publish } from '../../harness/make.ts'
import { openProjects, projectIn } from '../../harness/projects.ts'

/** The lists that may be tables, as paths, by the name of their function. */
const lists = new Map<string, string[]>()
/** Lists that need a query or an id. */
let places: Readonly<Record<string, string>>
let app: App
beforeAll(async () => {
  // Every list is larger than a table may be that goes into an answer.
  app = await openProjects({ LARGEST_TABLE: '0' })
  const { groups } = await import('../../../api/groups.ts')
  const { declarationOf } = await import('../../../lib/platform/http/endpoint.ts')
  for (const [name, { routes }] of Object.entries(groups)) {
    const tables = Object.entries(routes).filter(([, it]) => 'text/csv' in (declarationOf(it).representations ?? {}))
    const paths = tables.map(([key]) => key.replace('GET ', ''))
    if (paths.length > 0) lists.set(name, paths)
  }
  const record = await publish(app, 'structures', { name: 'Chyasilin Mandap', existence_status: 'Extant' })
  places = {
    assets: `/data/projects/${await projectIn(app, 'draft', [record])}/assets/`,
    records: '/cidoc/structures/',
    reviews: `/data/review-decisions-profile/?reviewer=${(await app.curator.get('/data/user/me/')).body.user_id}`,
    revisions: `/data/revisions/?entity=${record.cultural_entity_id}`,
    search: '/data/search/?q=mandap',
  }
})

const writers = functionNames().filter((name) => usesOf(name).includes('s3:PutObject Bucket/tables/*'))

test('the functions with lists may write tables into the bucket, and no others', () => {
  expect([...writers].sort()).toEqual([...lists.keys()].sort())
})

describe('a list that is too large for an answer is a file in the bucket', () => {
  test.each(writers)('%s', async (name) => {
    const path = places[name] ?? lists.get(name)?.find((it) => !it.includes('{')) ?? ''
    const answer = await app.staff.get(path, { headers: { accept: 'text/csv' } })
    expect([path, answer.status], answer.text).toEqual([path, 303])
    const file = await fetch(answer.headers.location ?? '')
    expect([file.status, (await file.text()).length > 0]).toEqual([200, true])
  })
})
