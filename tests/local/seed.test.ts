import { beforeAll, expect, test } from 'vitest'
import { foundations } from '../../local/commands/demo/foundations.ts'
import { happenings } from '../../local/commands/demo/happenings.ts'
import { last, things } from '../../local/commands/demo/things.ts'
import {
  contestedRow,
  declinedRow,
  edit,
  questionedRow,
  rival,
  twinRow,
  waitingRows,
} from '../../local/commands/demo/unsettled.ts'
import { type App, openApp } from '../harness/app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
  const { seed } = await import('../../local/service/seed.ts')
  await seed()
})

const accepted = [...foundations, ...things, ...happenings, last]
const namesIn = async (path: string, query = {}) =>
  (await app.anon.get(path, { query: { limit: 100, ...query } })).body.results.map((it: { name: string }) => it.name)

test('everyone sees what is accepted, with its relations', async () => {
  const structures = accepted.filter((row) => row.kind === 'structure').map((row) => String(row.name))
  expect((await namesIn('/cidoc/structures/')).sort()).toEqual([...structures, 'Dharahara tower'].sort())
  const [found] = (await app.anon.get('/cidoc/structures/', { query: { identifier: 'demo:structure/nyatapola' } })).body
    .results
  expect(found).toMatchObject({
    has_current_location: { name: 'Bhaktapur' },
    dedicated_to: [{ name: 'Siddhi Lakshmi (goddess)' }],
  })
})

test('no stub is left over: every name that is given is the name of a record', async () => {
  const listed = await app.staff.get('/data/cultural-entities/', { query: { all: 1, limit: 100 } })
  expect(listed.body.count).toBe(
    [...accepted, ...waitingRows, twinRow, questionedRow, declinedRow].filter(
      (row) => !['relationship', 'data_source'].includes(row.kind),
    ).length + 1,
  )
})

test('something waits, something was sent back, something was turned down', async () => {
  const mine = async (who: 'contributor' | 'other', status: string) => {
    const listed = await app[who].get('/data/cultural-entities/my_contributions/', { query: { status, limit: 100 } })
    return listed.body.results.map((it: { name: string }) => it.name).sort()
  }
  expect(await mine('other', 'pending_review')).toEqual([...waitingRows, twinRow].map((row) => row.name).sort())
  expect(await mine('contributor', 'pending_revision')).toEqual([questionedRow.name])
  expect(await mine('other', 'rejected')).toEqual([declinedRow.name])
})

test('an edit of a published record waits, and so does a claim that contradicts it', async () => {
  const query = { identifier: contestedRow.id }
  const [tower] = (await app.anon.get('/cidoc/structures/', { query })).body.results
  expect(tower).toMatchObject({ construction_date: contestedRow.construction_date, condition: '' })
  const standing = async (asserted_property: string) => {
    const listed = await app.community.get('/cidoc/assertions/', {
      query: { entity_type: 'structure', entity_id: tower.id, asserted_property },
    })
    return listed.body.results.map((it: { asserted_value: string; reconciliation_status: string }) => [
      it.asserted_value,
      it.reconciliation_status,
    ])
  }
  expect(await standing('condition')).toEqual([[edit.condition, 'pending']])
  expect(await standing('construction_date')).toEqual([
    [rival.asserted_value, 'pending'],
    [contestedRow.construction_date, 'accepted'],
  ])
  const { loadRecordById } = await import('../../lib/domain/records/write.ts')
  expect((await loadRecordById(tower.cultural_entity_id))?.open_contradictions).toBe(1)
})

test('a second start does nothing', async () => {
  const before = (await app.anon.get('/data/activities/')).body.count
  const { seed } = await import('../../local/service/seed.ts')
  await seed()
  expect((await app.anon.get('/data/activities/')).body.count).toBe(before)
})
