import { beforeAll, expect, test } from 'vitest'
import type { RowMark } from '../../../lib/domain/imports/items.ts'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, rowsIn } from '../../harness/imports.ts'
import { interleave } from '../../harness/interleave.ts'

/** Somebody links to a record of a table in the moment in which it is taken back. Persona `contributor` has sent that table. */

let app: App
let deities: Deity[]
type Deity = { row: number; id: number; entity_id: string; name: string }

const ROWS = 100

beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day' } })
  const table = csv([['Name'], ...Array.from({ length: ROWS }, () => [`Dyah ${crypto.randomUUID()}`])])
  const { id } = await checkTable(app.contributor, 'deities.csv', table, {
    mapping: { kind: 'deity', rules: [{ field: 'name', column: 'Name' }] },
  })
  await done(app.contributor, id, 'run')
  await done(app.curator, id, 'decide', { verdict: 'accept' })
  const rows: { row: number; entity_id: string; record: { id: number }; name: string }[] = await rowsIn(app.curator, id)
  deities = rows.map(({ row, entity_id, record, name }) => ({ row, id: record.id, entity_id, name }))
  importId = id
})
let importId: string

/** Takes back the row of a deity, as the worker does. Returns the reasons why it was left. */
async function takeBack({ row, entity_id }: Deity): Promise<readonly string[]> {
  const { undoRecords } = await import('../../../lib/domain/imports/undo.ts')
  const mark: RowMark = { import_id: importId, row, entity_id, what: 'created', named: [], version: 1 }
  const kept = await undoRecords([{ mark, row, entity_id, what: 'created' }], new Set([entity_id]), false)
  return kept.flatMap(({ reasons }) => reasons)
}

/** Puts `other` into each gap of `work`, each time with another deity. */
async function inEachGap(
  work: (it: Deity) => Promise<unknown>,
  other: (it: Deity) => Promise<unknown>,
): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    const deity = deities.pop()
    if (!deity) throw new Error('more gaps than rows')
    const { isHit } = await interleave(
      nth,
      () => work(deity),
      () => other(deity),
    )
    if (!isHit) return nth
  }
}

const isThere = async ({ id }: Deity) => (await app.anon.get(`/cidoc/deities/${id}/`)).status === 200

const link = (target: object | string, who: 'other' | 'contributor' = 'other') =>
  app[who].post('/cidoc/structures/', { body: { name: `Shrine ${crypto.randomUUID()}`, dedicated_to: [target] } })

test.each(['other', 'contributor'] as const)(
  'a link that %s writes at any moment of taking back keeps its record, and is named as the reason',
  async (who) => {
    const answers: number[] = []
    await inEachGap(
      async (it) => {
        const reasons = await takeBack(it)
        const isKept = answers.at(-1) === 201
        expect([answers, reasons, await isThere(it)]).toEqual([answers, isKept ? ['linked_waiting'] : [], isKept])
      },
      async (it) => void answers.push((await link({ id: it.id }, who)).status),
    )
    // After the commit a link is refused.
    expect(answers.slice(0, 4)).toEqual([201, 201, 201, 201])
  },
)

test('a contribution is refused whose link names what was taken back at any moment before its commit', async () => {
  const answers: unknown[] = []
  await inEachGap(async (it) => {
    const { status, body } = await link({ id: it.id })
    answers.push(status === 201 ? await isThere(it) : [status, body])
  }, takeBack)
  const refusal = [400, { dedicated_to: ['There is no deity with one of these ids.'] }]
  // After the commit the record is not taken back.
  const commit = answers.indexOf(true)
  expect(commit).toBeGreaterThan(3)
  expect(answers).toEqual(answers.map((_, gap) => (gap < commit ? refusal : true)))
})

test('a contribution that names such a record by its name makes one of its own instead', async () => {
  const gaps = await inEachGap(async (it) => {
    const { status, body } = await link(it.name)
    const [named] = body.dedicated_to
    const found = await app.other.get(`/cidoc/deities/${named.id}/`)
    expect([status, named.name, found.status]).toEqual([201, it.name, 200])
  }, takeBack)
  expect(gaps).toBeGreaterThan(3)
})

test('a record that staff restore afterwards can be linked to again', async () => {
  const it = deities.pop()
  if (!it) throw new Error('more tests than rows')
  await takeBack(it)
  expect((await link({ id: it.id })).status).toBe(400)
  expect((await app.staff.post(`/cidoc/deities/${it.id}/restore/`)).status).toBe(200)
  expect((await link({ id: it.id })).status).toBe(201)
  expect(await takeBack(it)).toContain('linked_waiting')
})

test('a link beyond those that the register holds is found, too', async () => {
  const it = deities.pop()
  if (!it) throw new Error('more tests than rows')
  const { namingWrites } = await import('../../../lib/domain/records/naming.ts')
  const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
  const writes = await Promise.all(Array.from({ length: 20 }, (_, i) => namingWrites([it.entity_id], `gone-${i}`)))
  await commitWrites(writes.flat())
  expect(writes.flat()).toHaveLength(20)
  expect(await namingWrites([it.entity_id], 'another')).toHaveLength(2)
  expect((await link({ id: it.id })).status).toBe(201)
  expect(await takeBack(it)).toEqual(['linked_waiting'])
})

test('one contribution links to 45 such records: each takes one action', async () => {
  const linked = deities.splice(0, 45)
  expect(linked).toHaveLength(45)
  const made = await app.other.post('/cidoc/structures/', {
    body: { name: `Hall ${crypto.randomUUID()}`, dedicated_to: linked.map(({ id }) => ({ id })) },
  })
  expect([made.status, made.body.dedicated_to?.length]).toEqual([201, 45])
})
