import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'
import { cited } from './answers.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const RECORDS = 10
const CHANGES = 10_000

test('a citation holds after ten thousand changes, and no page of it has become dear', async () => {
  const made: { cultural_entity_id: string }[] = []
  for (let i = 0; i < RECORDS; i += 1) made.push(await publish(app, 'structures', { name: `Changed ${i}`, note: 'n' }))
  await following.settled()
  const it = sure(201, await app.other.post('/data/citations/', { body: { of: '/cidoc/structures/' } }))
  const path = `/data/citations/${it.id}/`
  const before = await cited(app.anon, path)
  expect(before.map(({ holds }) => holds)).toEqual(Array.from({ length: RECORDS }, () => true))
  for (const { cultural_entity_id } of made) await change(cultural_entity_id, CHANGES / RECORDS)
  app.tick(CHANGES)
  expect(await cited(app.anon, path)).toEqual(before)
  const then = new Date(Date.parse(it.at) + 500_000).toISOString()
  for (const of of [path, `${path}difference/`, `${path}difference/?to=${then}`]) {
    const { pathname, searchParams } = new URL(of, 'http://x')
    const answer = await app.anon.get(pathname, { query: Object.fromEntries(searchParams) })
    expect(sure(200, answer).next).toBeNull()
    expect(answer.cost.units).toBeLessThan(100)
  }
  const { differences } = sure(200, await app.anon.get(`${path}difference/`, { query: { to: then } }))
  expect(differences.map((row: { values: { note: string } }) => row.values.note)).toEqual(
    Array.from({ length: RECORDS }, () => 'note 500'),
  )
}, 300_000)

/** Stores changes of a record that were accepted one a second, as a verdict stores them. */
async function change(entity_id: string, many: number): Promise<void> {
  const { clock, newChildId } = await import('../../../lib/base/clock.ts')
  const { loadHistory } = await import('../../../lib/domain/records/history.ts')
  const { decision, recordItem, recordItemOf, revision } = await import('../../../lib/domain/records/items.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const start = clock.now().getTime()
  const old = await loadHistory(entity_id)
  const [model] = old?.decisions ?? []
  const [values] = old?.revisions ?? []
  if (!old || !model || !values) throw new Error('nothing to change')
  let head = recordItemOf(old)
  let writes = []
  const real = clock.now
  for (let i = 1; i <= many; i += 1) {
    const time = start + i * 1000
    clock.now = () => new Date(time)
    const at = new Date(time).toISOString()
    const number = values.revision_number + i
    const next = { ...values, revision_id: newChildId(entity_id), revision_number: number, created_at: at, version: 1 }
    const data = { ...values.data, note: `note ${i}` }
    const verdict = { ...model, id: newChildId(entity_id), sequence: model.sequence + i, created_at: at, version: 1 }
    writes.push(
      put(revision, { ...next, data }, undefined),
      put(decision, { ...verdict, accepted_revision: number, revision_reviewed: number }, undefined),
    )
    if (writes.length >= 40 || i === many) {
      const ids = { accepted_revision: number, accepted_revision_id: next.revision_id }
      const current = { current_revision: number, current_revision_id: next.revision_id }
      const changed = { ...head, ...ids, ...current, data, accepted_at: at, updated_at: at, version: head.version + 1 }
      await transact([...writes, put(recordItem, changed, head)])
      head = changed
      writes = []
    }
  }
  clock.now = real
}
