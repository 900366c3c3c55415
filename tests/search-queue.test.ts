import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from './app.ts'
import { followTable } from './following.ts'
import { contribute, publish, sure } from './make.ts'

/** A queue that is longer than what is looked at: what is behind it is found by its name all the same. */

const QUEUE = '/data/review-queue/'
type Made = { id: number; cultural_entity_id: string }

let app: App
beforeAll(async () => {
  app = await openApp()
  const following = await followTable()
  const old = await contribute(app.contributor, 'structures', { name: 'Yatkha Old' })
  app.tick(3600)
  await contribute(app.contributor, 'structures', { name: 'Yatkha Late' })
  const edited: Made = await publish(app, 'monuments', { name: 'Yatkha Edited' })
  sure(200, await app.contributor.patch(`/cidoc/monuments/${edited.id}/`, { body: { note: 'New' } }))
  await publish(app, 'monuments', { name: 'Yatkha Settled' })
  await following.settled()
  await crowd(old)
}, 120_000)

/** As many waiting records as are looked at, all of them older than the late ones. */
async function crowd(it: Made): Promise<void> {
  const { LOOKED_AT } = await import('../lib/store/queue-list.ts')
  const { loadById, headOf } = await import('../lib/store/records.ts')
  const { head } = await import('../lib/store/record-items.ts')
  const { requeue } = await import('../lib/store/queue.ts')
  const { addressOf, recordId } = await import('../lib/domain/address.ts')
  const { put } = await import('../lib/table/item.ts')
  const { transact } = await import('../lib/table/write.ts')
  const found = await loadById(it.cultural_entity_id)
  if (!found) throw new Error('nothing to copy')
  const code = addressOf(found.entity_id)?.kindCode ?? 0
  const copies = Array.from({ length: LOOKED_AT }, (_, i) => {
    const id = 1_000_000 + i
    return { ...headOf(found), id, entity_id: recordId(code, id), name: `Crowd ${i}` }
  })
  for (let start = 0; start < copies.length; start += 20) {
    const some = copies.slice(start, start + 20)
    await transact(some.flatMap((one) => [put(head, one, undefined), ...requeue(undefined, one)]))
  }
}

const found = async (query: string) => {
  const { count, results } = sure(200, await app.community.get(`${QUEUE}?${query}`))
  return [count, results.map((it: { name: string }) => it.name)]
}

describe('a search in a long queue', () => {
  test.each(['', '&ordering=created_at', '&ordering=-created_at'])(
    'finds what waits behind what is looked at, and nothing that does not wait (%s)',
    async (ordering) => {
      const [count, names] = await found(`search=yatkha${ordering}`)
      expect(count).toBe(3)
      expect(names.sort()).toEqual(['Yatkha Edited', 'Yatkha Late', 'Yatkha Old'])
    },
  )

  test('keeps to the other filters', async () => {
    expect(await found('search=yatkha&kind=monument')).toEqual([1, ['Yatkha Edited']])
    expect(await found('search=yatkha&category=monument&status=pending_revision')).toEqual([0, []])
    expect(await found('search=nothingofthesort')).toEqual([0, []])
  })
})
