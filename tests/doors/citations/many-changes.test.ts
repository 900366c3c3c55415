import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'
import { storeChanges } from '../../harness/many-changes.ts'
import { applyDifference, cited, type Row } from './answers.ts'

/**
 * What a citation promises, after many changes, a record that was withdrawn and an account that has left. `npm run bench -- citations` does so
 * after ten thousand changes.
 */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }
const names = { username: 'zyxzyx', email: 'zyxzyx@example.org', password: 'Stupa-at-dawn-7' }

test('a citation holds, its cost does not grow with the changes, and the difference turns the old dump into the new one', async () => {
  sure(201, await app.anon.post('/api/register/', { body: names }))
  const leaver = app.as(sure(200, await app.anon.post('/api/token/', { body: names })).access)
  const made: Made[] = []
  for (let i = 0; i < 4; i += 1)
    made.push(await publish(app, 'structures', { name: `Changed ${i}`, note: 'n' }, i % 2 ? leaver : app.contributor))
  const cite = async () => {
    await following.settled()
    return sure(201, await app.other.post('/data/citations/', { body: { of: '/cidoc/structures/' } }))
  }
  const first = await cite()
  const path = `/data/citations/${first.id}/`
  const before = await cited(app.anon, path)
  expect(before.map(({ holds }) => holds)).toEqual(made.map(() => true))

  const start = Date.parse(first.at)
  const costs = async () => {
    const then = new Date(start + 5_000).toISOString()
    const asked = [path, `${path}difference/`, `${path}difference/?to=${then}`]
    const answers = await Promise.all(asked.map((it) => app.anon.get(it)))
    for (const answer of answers) expect(sure(200, answer).next).toBeNull()
    return answers.map(({ cost: { calls, units } }) => ({ calls, isCheap: units < 100 }))
  }
  for (const it of made) await storeChanges(it.cultural_entity_id, 10)
  app.tick(100)
  const few = await costs()
  for (const it of made) await storeChanges(it.cultural_entity_id, 90)
  app.tick(100)
  expect(await costs()).toEqual(few)
  expect(few.every(({ isCheap }) => isCheap)).toBe(true)

  // A record is withdrawn, an account leaves for good, and something new is published.
  const [gone] = made as [Made]
  sure(204, await app.staff.delete(`/cidoc/structures/${gone.id}/`))
  sure(202, await leaver.delete('/data/user/me/', { body: { password: names.password } }))
  await following.settled()
  await (await import('../../../functions/sweeper.ts')).handler({ chores: 'seldom' })
  await publish(app, 'structures', { name: 'New since' })
  const second = await cite()

  const after = await cited(app.anon, path)
  const isGone = ({ cultural_entity_id }: Row) => cultural_entity_id === gone.cultural_entity_id
  expect(after.filter((row) => !isGone(row))).toEqual(before.filter((row) => !isGone(row)))
  expect(after.filter(isGone)).toMatchObject([{ holds: false, values: null, withdrawn: { rule: 'deleted' } }])
  const told = await app.anon.get(path)
  expect(sure(200, told).digest).toBe(first.digest)
  expect(told.text).not.toContain('zyxzyx')

  const differences: Row[] = sure(200, await app.anon.get(`${path}difference/?to=${second.id}`)).differences
  const now = await cited(app.anon, `/data/citations/${second.id}/`)
  expect(now).toHaveLength(4)
  expect(applyDifference(before, differences)).toEqual(applyDifference(now, []))
})
