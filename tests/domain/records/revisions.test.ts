import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

type It = { id: number; cultural_entity_id: string }
type Row = { revision_id: string; revision_number: number }
const list = (who: Persona, it: It, query: object = {}) =>
  who.get('/data/revisions/', { query: { entity: it.cultural_entity_id, ...query } })
const numbers = async (who: Persona, it: It) =>
  sure(200, await list(who, it)).results.map((one: Row) => one.revision_number)
const patch = async (who: Persona, it: It, body: object) => {
  app.tick(1)
  return sure(200, await who.patch(`/cidoc/structures/${it.id}/`, { body }))
}
const diff = (who: Persona, it: It, query: Record<string, string | number>) =>
  who.get(`/data/entities/${it.cultural_entity_id}/diff/`, { query })
const nothing = '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10'

/** Revision 1 accepted, 2 refused, 3 accepted, 4 waiting. */
async function four(name: string) {
  const it = await publish(app, 'structures', { name, note: 'one' })
  await patch(app.contributor, it, { note: 'two' })
  sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No.' }))
  await patch(app.contributor, it, { note: 'three', description: 'd' })
  sure(201, await decide(app.community, it, { verdict: 'accept' }))
  await patch(app.contributor, it, { note: 'four' })
  return it
}

describe('revisions', () => {
  test('are accepted ones for everyone, all of them for those who work on the record', async () => {
    const it = await four('Four revisions')
    for (const who of [app.anon, app.other]) expect(await numbers(who, it)).toEqual([3, 1])
    for (const who of [app.contributor, app.community, app.curator, app.staff])
      expect(await numbers(who, it)).toEqual([4, 3, 2, 1])
    expect((await list(app.anon, it)).text).not.toMatch(/two|four/)
  })

  test('are shown as they were handed in', async () => {
    const it = await publish(app, 'structures', { name: 'One revision', note: 'n' })
    const { body } = await list(app.anon, it)
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          revision_id: expect.any(String),
          revision_number: 1,
          entity: it.cultural_entity_id,
          entity_name: 'One revision',
          data: { name: 'One revision', note: 'n', _cidoc_model: 'ArchitecturalStructure', _cidoc_id: it.id },
          created_by: expect.objectContaining({ username: 'dev', email: '' }),
          created_at: '2025-01-15T10:00:03.000Z',
          is_accepted: true,
        },
      ],
    })
  })

  test('are paged', async () => {
    const it = await four('Paged revisions')
    const first = sure(200, await list(app.staff, it, { limit: 3 }))
    const second = sure(200, await app.staff.get(first.next))
    expect([first.count, second.count, second.next]).toEqual([4, 4, null])
    expect([...first.results, ...second.results].map((one: Row) => one.revision_number)).toEqual([4, 3, 2, 1])
  })

  test('of what the caller may not see are none', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Hidden revisions' })
    for (const who of [app.anon, app.other]) expect(await numbers(who, it)).toEqual([])
    expect(await numbers(app.contributor, it)).toEqual([1])
    const few = await publish(app, 'structures', { name: 'Revisions for few', access_tier: 'restricted' })
    expect([await numbers(app.anon, few), await numbers(app.other, few)]).toEqual([[], [1]])
    sure(204, await app.staff.delete(`/cidoc/structures/${few.id}/`))
    expect([await numbers(app.other, few), await numbers(app.staff, few)]).toEqual([[], [1]])
    const unknown = await app.staff.get('/data/revisions/', { query: { entity: nothing } })
    expect([unknown.status, unknown.body.count]).toEqual([200, 0])
  })

  test('are those of a record, which has to be named', async () => {
    for (const [query, message] of [
      [{}, 'This parameter is required.'],
      [{ entity: '12' }, 'Give the id of a record.'],
    ] as const) {
      const reply = await app.anon.get('/data/revisions/', { query })
      expect([reply.status, reply.body]).toEqual([400, { entity: [message] }])
    }
  })

  test('are found one by one, each by who may see it', async () => {
    const it = await four('One by one')
    const rows: Row[] = (await list(app.staff, it)).body.results
    for (const { revision_id, revision_number } of rows) {
      const path = `/data/revisions/${revision_id}/`
      const open = [1, 3].includes(revision_number)
      expect((await app.anon.get(path)).status).toBe(open ? 200 : 404)
      expect(sure(200, await app.contributor.get(path))).toEqual(rows.find((one) => one.revision_id === revision_id))
    }
    for (const id of [nothing, it.cultural_entity_id, '3'])
      expect((await app.staff.get(`/data/revisions/${id}/`)).status).toBe(404)
  })

  test('lead to the history that they are part of', async () => {
    const it = await four('History')
    const rows: Row[] = (await list(app.staff, it)).body.results
    for (const id of [rows[0]?.revision_id, it.cultural_entity_id]) {
      const { body } = await app.staff.get(`/data/revisions/${id}/entity_history/`)
      expect(body.results).toEqual(rows)
    }
    // The latest waits: its id is nobody else's to know.
    expect((await app.anon.get(`/data/revisions/${rows[0]?.revision_id}/entity_history/`)).status).toBe(404)
    const open = await app.anon.get(`/data/revisions/${rows[1]?.revision_id}/entity_history/`)
    expect(open.body.results.map((one: Row) => one.revision_number)).toEqual([3, 1])
  })

  test('show a guarded place rounded to those who do not work on the record', async () => {
    const guarded = { access_tier: 'community_only', coordinates: '27.6716, 85.4284' }
    const it = await publish(app, 'structures', { name: 'Guarded', ...guarded })
    await patch(app.contributor, it, { coordinates: '27.6999, 85.4999' })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    for (const reply of [await list(app.other, it), await diff(app.other, it, { from: 1, to: 2 })]) {
      expect(reply.status).toBe(200)
      expect(reply.text).not.toMatch(/\.(6716|4284|6999|4999)/)
    }
    expect((await list(app.contributor, it)).text).toMatch(/6999/)
  })
})

describe('the difference of two revisions', () => {
  test('names each field that changed, with both values', async () => {
    const place = await publish(app, 'locations', { name: 'Site of the diff' })
    const it = await publish(app, 'structures', { name: 'Diffed', note: 'old', condition: 'Good' })
    await patch(app.contributor, it, { note: '', condition: 'Fair', has_current_location: place.id })
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    const { body } = await diff(app.anon, it, { from: 1, to: 2 })
    const made = {
      changed_at: expect.any(String),
      changed_by: expect.objectContaining({ username: 'dev' }),
      revision_from_number: 1,
      revision_to_number: 2,
    }
    expect(body).toEqual({
      entity_id: it.cultural_entity_id,
      entity_name: 'Diffed',
      revision_from: expect.objectContaining({ revision_number: 1 }),
      revision_to: expect.objectContaining({ revision_number: 2 }),
      diff: {
        note: { old: 'old', new: null, ...made },
        condition: { old: 'Good', new: 'Fair', ...made },
        has_current_location: { old: null, new: 'Site of the diff', ...made },
      },
      field_diffs: expect.any(Array),
    })
    expect(body.field_diffs.map((one: Record<string, unknown>) => [one.field, one.change, one.verdict]).sort()).toEqual(
      [
        ['condition', 'changed', 'contradicts'],
        ['has_current_location', 'added', null],
        ['note', 'removed', null],
      ],
    )
  })

  test('reads backwards too, and of a revision with itself is empty', async () => {
    const it = await four('Backwards')
    expect((await diff(app.anon, it, { from: 3, to: 1 })).body.diff).toMatchObject({
      note: { old: 'three', new: 'one' },
      description: { old: 'd', new: null },
    })
    expect((await diff(app.anon, it, { from: 3, to: 3 })).body).toMatchObject({ diff: {}, field_diffs: [] })
  })

  test('is between revisions that the caller may see', async () => {
    const it = await four('Guarded diff')
    expect((await diff(app.anon, it, { from: 1, to: 2 })).status).toBe(404)
    expect((await diff(app.anon, it, { from: 3, to: 4 })).status).toBe(404)
    expect((await diff(app.contributor, it, { from: 3, to: 4 })).body.diff.note).toMatchObject({ new: 'four' })
    expect((await diff(app.community, it, { from: 1, to: 2 })).status).toBe(200)
    expect((await diff(app.staff, it, { from: 4, to: 5 })).status).toBe(404)
    const hidden = await contribute(app.contributor, 'structures', { name: 'Hidden diff' })
    expect((await diff(app.other, hidden, { from: 1, to: 1 })).status).toBe(404)
  })

  test('has to be told both numbers', async () => {
    const it = await publish(app, 'structures', { name: 'Numbers' })
    const number = 'A revision is a whole number from 1.'
    const required = 'This parameter is required.'
    for (const [query, body] of [
      [{}, { from: [required], to: [required] }],
      [{ from: 1 }, { to: [required] }],
      [{ from: 0, to: 1 }, { from: [number] }],
      [
        { from: 'one', to: -1 },
        { from: [number], to: [number] },
      ],
      [{ from: 1, to: '' }, { to: [number] }],
      [{ from: 1.5, to: 1 }, { from: [number] }],
    ] as const) {
      const reply = await diff(app.anon, it, query)
      expect([reply.status, reply.body]).toEqual([400, body])
    }
  })

  test('costs one query, and a batch read each of what it names and of people', async () => {
    const it = await four('Costed diff')
    const seen = await commandsOf(() => diff(app.anon, it, { from: 1, to: 3 }))
    expect(seen).toEqual(['QueryCommand', 'BatchGetItemCommand', 'BatchGetItemCommand'])
  })
})
