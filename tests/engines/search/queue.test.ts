import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

/** A search within a queue that is longer than what any other filter looks at: exact at any depth, and for reviewers alone. */

const QUEUE = '/data/review-queue/'
const CROWD = 2300
type Made = { id: number; cultural_entity_id: string }

let app: App
let old: Made
beforeAll(async () => {
  app = await openApp()
  old = await contribute(app.contributor, 'structures', { name: 'Yatkha Old' })
  app.tick(3600)
  await contribute(app.contributor, 'structures', { name: 'Yatkha Late' })
  const edited: Made = await publish(app, 'monuments', { name: 'Yatkha Edited' })
  const body = { name: 'Yatkha Edited anew, Qorikhel', alternate_names: 'Taleju Bhawani' }
  sure(200, await app.contributor.patch(`/cidoc/monuments/${edited.id}/`, { body }))
  await publish(app, 'monuments', { name: 'Yatkha Settled' })
  await crowd(old)
  // Whoever asks first has the model built from the table.
}, 120_000)

/** Waiting records a minute apart, all of them older than the late ones; every tenth has a flag. */
async function crowd(it: Made): Promise<void> {
  const { loadRecordById } = await import('../../../lib/domain/records/write.ts')
  const { recordItemOf } = await import('../../../lib/domain/records/items.ts')
  const { recordItem } = await import('../../../lib/domain/records/items.ts')
  const { queueWrites } = await import('../../../lib/domain/records/queue-entry.ts')
  const { addressOf, recordId } = await import('../../../lib/base/ids/address.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const found = await loadRecordById(it.cultural_entity_id)
  if (!found) throw new Error('nothing to copy')
  const code = addressOf(found.entity_id)?.kindCode ?? 0
  const copies = Array.from({ length: CROWD }, (_, i) => {
    const id = 1_000_000 + i
    const created_at = new Date(Date.parse(found.created_at) - 60_000 * ((i * 7) % CROWD)).toISOString()
    const also = { name: `Crowd ${i}`, created_at, open_flags: i % 10 === 0 ? 1 : 0 }
    return {
      ...recordItemOf(found),
      id,
      entity_id: recordId(code, id),
      data: { ...found.data, name: also.name },
      ...also,
    }
  })
  for (let start = 0; start < copies.length; start += 20) {
    const some = copies.slice(start, start + 20)
    await transact(some.flatMap((one) => [put(recordItem, one, undefined), ...queueWrites(undefined, one)]))
  }
}

type Row = { name: string; entity_id: string }
const page = async (query: string): Promise<{ count: number; results: Row[]; next: string | null }> =>
  sure(200, await app.community.get(`${QUEUE}?${query}`))
const found = async (query: string): Promise<[number, string[]]> => {
  const { count, results } = await page(query)
  return [count, results.map((it) => it.name)]
}

describe('a search in a long queue', () => {
  test.each(['', '&ordering=created_at', '&ordering=-created_at', '&ordering=name', '&ordering=-updated_at'])(
    'finds what waits wherever it stands, and nothing that does not wait (%s)',
    async (ordering) => {
      const [count, names] = await found(`search=yatkha${ordering}`)
      expect(count).toBe(3)
      expect(names.sort()).toEqual(['Yatkha Edited', 'Yatkha Late', 'Yatkha Old'])
    },
  )

  test('goes by the names that are proposed, in any spelling', async () => {
    for (const search of ['qorikhel', 'Taleju Bhavani', 'bhawani', 'तलेजु भवानी', 'qorikel'])
      expect(await found(`search=${encodeURIComponent(search)}`), search).toEqual([1, ['Yatkha Edited']])
  })

  test('keeps to the other filters', async () => {
    expect(await found('search=yatkha&kind=monument')).toEqual([1, ['Yatkha Edited']])
    expect((await found('search=yatkha&kind=structure'))[0]).toBe(2)
    expect((await found('search=yatkha&category=monument'))[0]).toBe(3)
    expect(await found('search=yatkha&category=ritual')).toEqual([0, []])
    expect(await found('search=yatkha&category=monument&status=pending_revision')).toEqual([0, []])
    expect(await found('search=yatkha&min_worst_source_rank=7')).toEqual([0, []])
    expect(await found('search=yatkha&contradictions_only=true')).toEqual([0, []])
    expect((await page('search=crowd&queue_type=flagged')).count).toBe(CROWD / 10)
    expect((await page('search=crowd&stale_days=1')).count).toBe(CROWD - 24 * 60 + 60)
    expect(await found('search=nothingofthesort')).toEqual([0, []])
    expect(await found('search=...')).toEqual([0, []])
  })

  test('counts everything and has every page, in the order of the queue', async () => {
    const listed = (await page('limit=100&offset=900')).results.map((it) => it.name)
    const first = (await page('search=crowd&limit=100&offset=900')).results.map((it) => it.name)
    expect(first).toEqual(listed)
    const seen: string[] = []
    for (let offset = 0; offset < CROWD; offset += 100) {
      const { count, results, next } = await page(`search=crowd&limit=100&offset=${offset}`)
      expect([count, results.length, next === null]).toEqual([CROWD, 100, offset + 100 >= CROWD])
      seen.push(...results.map((it) => it.entity_id))
    }
    expect(new Set(seen).size).toBe(CROWD)
    expect(await found('search=crowd&limit=100&offset=5000')).toEqual([CROWD, []])
  })

  test('costs no more than a page of the queue', async () => {
    const plain = await app.community.get(`${QUEUE}?limit=10`)
    const { cost } = await app.community.get(`${QUEUE}?search=crowd&limit=10&offset=1500`)
    expect(cost.calls).toBeLessThanOrEqual(plain.cost.calls + 1)
    expect(cost.units).toBeLessThanOrEqual(plain.cost.units + 1)
  })

  test('leaves out at once what has been decided', async () => {
    const body = { verdict: 'reject', feedback: 'No.' }
    sure(201, await app.curator.post(`/data/review-workspace/${old.cultural_entity_id}/decide/`, { body }))
    const [, names] = await found('search=yatkha')
    expect(names.sort()).toEqual(['Yatkha Edited', 'Yatkha Late'])
  })
})

describe('what is proposed', () => {
  const whoAsk: [string, () => Persona][] = [
    ['anon', () => app.anon],
    ['contributor', () => app.contributor],
    ['other', () => app.other],
    ['community', () => app.community],
    ['staff', () => app.staff],
  ]
  test.each(whoAsk)('shows in no search but that of the queue, to %s', async (_, who) => {
    for (const path of [
      '/data/search/?q=qorikhel',
      '/data/search/?q=qorikhel&published=false',
      '/data/search/suggest/?q=qorikhel',
      '/cidoc/search/?q=qorikhel',
      '/cidoc/discovery/?q=qorikhel',
      '/data/cultural-entities/?search=qorikhel',
    ]) {
      const { status, text } = await who().get(path)
      expect([status, text.replaceAll('"q":"qorikhel"', '')]).toEqual([200, expect.not.stringContaining('Qorikhel')])
      expect(text).not.toContain('review_queue')
    }
    const { body } = await who().get('/data/search/?q=yatkha&facets=true')
    expect(Object.keys(body.facets.resource)).toEqual(expect.not.arrayContaining(['review_queue']))
  })

  test('cannot be asked for by its name', async () => {
    const { status, body } = await app.staff.get('/data/search/?q=yatkha&resource=review_queue')
    expect([status, Object.keys(body)]).toEqual([400, ['resource']])
  })

  test.each(['anon', 'contributor', 'other'] as const)('is not for %s to search', async (who) => {
    expect((await app[who].get(`${QUEUE}?search=yatkha`)).status).toBe(who === 'anon' ? 401 : 403)
  })
})
