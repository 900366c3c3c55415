import { beforeAll, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { decide, publish, sure } from '../../harness/make.ts'

/**
 * Three sources, forty records, rivals, reviewers of three habits. One book is withdrawn, the plan read, the batch decided on, and all of it
 * taken back. What is expected is counted by hand, from the numbers of the records alone.
 */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const numbers = Array.from({ length: 40 }, (_, i) => i)
type Row = {
  entity_id: string
  property: string
  value: string
  instead: { value: string } | null
  decided: string | null
}

type Batch = { id: string; resting: number; decided: number }

/** Who stands for the condition of record i, by hand: each habit of a reviewer is a rule. */
const standing = (i: number): [value: string, source: 'book' | 'survey' | 'elder'] => {
  if (i % 8 === 0) return ['Ruinous', 'elder']
  if (i % 2 === 0 && i % 3 === 0) return ['Fair', 'survey']
  return ['Good', 'book']
}
/** What stands in its place without the book: the survey, where there was one. */
const without = (i: number): string | null => (i % 2 === 0 ? 'Fair' : null)
const onBook = numbers.filter((i) => standing(i)[1] === 'book')

async function pages(
  path: string,
  who: Persona = app.anon,
): Promise<{ rows: Row[]; body: { count: number; counts: object[] } }> {
  const first = sure(200, await who.get(path, { query: { limit: 30 } }))
  const rows: Row[] = [...first.results]
  for (let next = first.next; next; ) {
    const { pathname, search } = new URL(next)
    const body = sure(200, await who.get(`${pathname}${search}`))
    rows.push(...body.results)
    next = body.next
  }
  return { rows, body: first }
}

test('a book is withdrawn, its batch decided on, and all of it taken back', { timeout: 600_000 }, async () => {
  const register = async (name: string, source_type: string) =>
    sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name, source_type } }))
  const book = await register('Temples of Patan', 'book')
  const survey = await register('Survey of Patan', 'field_survey')
  const elder = await register('Told by Asa Maya', 'oral_history')

  const made: { id: number; cultural_entity_id: string }[] = []
  for (const i of numbers) {
    const cited = { source_type: 'book', source_citation: 'Temples of Patan' }
    made.push(await publish(app, 'structures', { name: `Walked ${i}`, condition: 'Good', assertion: cited }))
  }
  const at = (i: number) => made[i] ?? { id: 0, cultural_entity_id: '' }
  const rival = async (who: Persona, i: number, value: string, source: { id: string; source_type: string }) => {
    const { id: entity_id } = at(i)
    const about = { entity_type: 'structure', entity_id: String(entity_id), asserted_property: 'condition' }
    const body = { ...about, asserted_value: value, source: source.id, source_type: source.source_type }
    sure(201, await who.post('/cidoc/assertions/', { body }))
  }
  const settle = async (who: Persona, i: number, conflict_handling: string) =>
    sure(201, await decide(who, at(i), { verdict: 'accept', conflict_handling }))
  // The first takes what is new, the second keeps what stands, the third leaves it open.
  const habits = ['supersedes', 'existing_stands', 'disputed'] as const
  for (const i of numbers.filter((it) => it % 2 === 0)) {
    await rival(app.other, i, 'Fair', survey)
    await settle(app.domain, i, habits[i % 3] ?? 'disputed')
  }
  for (const i of numbers.filter((it) => it % 4 === 0)) {
    await rival(app.community, i, 'Ruinous', elder)
    await settle(app.curator, i, i % 8 === 0 ? 'supersedes' : 'existing_stands')
  }
  await following.settled()

  const valuesNow = async () =>
    Promise.all(
      made.map(async ({ id }) => String(sure(200, await app.anon.get(`/cidoc/structures/${id}/`)).condition ?? '')),
    )
  const before = await valuesNow()
  expect(before).toEqual(numbers.map((i) => standing(i)[0]))

  const path = `/cidoc/data_sources/${book.id}`
  const { rows, body } = await pages(`${path}/dependents/`)
  // All forty names rest on the book, and nothing would take their place.
  const names = rows.filter(({ property }) => property === 'name')
  expect([names.length, names.every(({ instead }) => instead === null)]).toEqual([40, true])
  const conditions = rows.filter(({ property }) => property === 'condition')
  const byRecord = new Map(conditions.map((row) => [row.entity_id, row]))
  expect(conditions.length).toBe(onBook.length)
  for (const i of onBook)
    expect(byRecord.get(at(i).cultural_entity_id)?.instead?.value ?? null, `record ${i}`).toBe(without(i))
  expect(body.count).toBe(40 + onBook.length)
  expect(body.counts).toEqual([{ kind: 'structure', alone: 40 + onBook.length, supported: 0 }])

  const batch = async () => {
    const { source_batches } = sure(200, await app.domain.get('/data/review-queue/'))
    return source_batches.map(({ id, resting, decided: done }: Batch) => [id === book.id, resting, done])
  }
  expect(await batch()).toEqual([])

  // Nothing changes when it is withdrawn.
  const reason = 'The author has taken it back.'
  sure(200, await app.domain.post(`${path}/question/`, { body: { standing: 'withdrawn', reason } }))
  expect(await valuesNow()).toEqual(before)
  expect(sure(200, await app.anon.get(`${path}/`)).question).toMatchObject({ standing: 'withdrawn', reason })

  // Reviewers meet it in the queue, and the plan in the workspace.
  expect(await batch()).toEqual([[true, 40 + onBook.length, 0]])
  const [some = 0] = onBook
  const { falls } = sure(200, await app.domain.get(`/data/review-workspace/${at(some).cultural_entity_id}/`))
  expect(falls).toMatchObject([
    {
      property: 'condition',
      value: 'Good',
      source: { id: book.id },
      instead: without(some) && { value: without(some) },
    },
  ])

  // The batch: every seventh record keeps its value, the others do what the plan says.
  const keeps = (i: number) => i % 7 === 1
  for (const i of onBook) {
    const sent = {
      entity_ids: [at(i).cultural_entity_id],
      verdict: keeps(i) ? 'reject' : 'accept',
      note: 'As planned.',
    }
    const { results } = sure(200, await app.staff.post(`${path}/question/decide/`, { body: sent }))
    expect(results[0].values.map((it: { property: string }) => it.property)).toEqual(['condition'])
  }
  await following.settled()
  const decided = (i: number) => (standing(i)[1] === 'book' && !keeps(i) ? (without(i) ?? '') : standing(i)[0])
  expect(await valuesNow()).toEqual(numbers.map(decided))
  expect(await batch()).toEqual([[true, 40 + onBook.length, onBook.length]])
  // Whose record it is hears why its value changed.
  const [changed = 0] = onBook.filter((i) => !keeps(i))
  const toldOf = async (i: number) => {
    const messages: string[] = []
    for (let offset = 0, count = 1; offset < count; offset += 100) {
      const page = sure(200, await app.contributor.get('/data/notifications/', { query: { limit: 100, offset } }))
      count = page.count
      for (const it of page.results) if (it.entity_id === at(i).cultural_entity_id) messages.push(it.message)
    }
    return messages
  }
  const withdrawn = `A value of your record changed, since its source was put in question: Walked ${changed}`
  expect((await toldOf(changed)).filter((it) => it.includes('changed'))).toEqual([withdrawn])
  const left = (await pages(`${path}/dependents/`)).rows.filter(({ property }) => property === 'condition')
  expect(left.map(({ decided: verdict }) => verdict)).toEqual(onBook.filter(keeps).map(() => 'reject'))

  // All of it is taken back.
  sure(200, await app.domain.post(`${path}/question/`, { body: { standing: 'trusted', reason: 'It was a mix-up.' } }))
  const { restoreRulings } = await import('../../../lib/domain/foundations/restore.ts')
  for (let restored = 1; restored > 0; ) restored = await restoreRulings()
  await following.settled()
  expect(await valuesNow()).toEqual(before)
  expect(await toldOf(changed)).toContain(
    `A value of your record stands again, since its source is trusted again: Walked ${changed}`,
  )
  expect(sure(200, await app.anon.get(`${path}/`))).not.toHaveProperty('question')
  expect(await batch()).toEqual([])
  expect((await pages(`${path}/dependents/`)).body.count).toBe(40 + onBook.length)
  // The elder supports nothing but what stands by the elder.
  const told = (await pages(`/cidoc/data_sources/${elder.id}/dependents/`)).body
  expect(told.count).toBe(numbers.filter((i) => standing(i)[1] === 'elder').length)
})
