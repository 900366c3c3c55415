import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

test('an item that moves with its record takes the next version, so that nobody writes it back where it was', async () => {
  const { get, put } = await import('../../../lib/engines/table/index.ts')
  const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
  const { flag } = await import('../../../lib/domain/records/items.ts')
  const following = await followTable()
  const it = await publish(app, 'structures', { name: 'House whose flag moves' })
  await following.settled()
  const body = { entity: it.cultural_entity_id, flag_type: 'questionable_source', reason: 'No such page.' }
  const { id } = sure(201, await app.community.post('/data/review-flags/', { body }))
  const at = { entity_id: it.cultural_entity_id, id }
  const before = await get(flag, at)
  if (!before) throw new Error('there is no flag')

  sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
  await following.settled()
  const after = await get(flag, at)
  expect(after?.audience).not.toBe(before.audience)
  expect(after?.version).toBe(before.version + 1)

  // Somebody who has read the flag before it moved changes it now.
  const late = put(flag, { ...before, reason: 'Late.', version: before.version + 1 }, before)
  await expect(commitWrites([late])).rejects.toMatchObject({ code: 'conflict' })
  expect((await get(flag, at))?.audience).toBe(after?.audience)
})
