import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { fileOf, form } from '../../harness/asset-world.ts'
import { withFault } from '../../harness/faults.ts'
import { followTable } from '../../harness/following.ts'
import { checkTable, csv, done, rowsIn, work } from '../../harness/imports.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { drawing } from '../../harness/media-files.ts'

/** What others have built on the records of a table stays when the table is taken back. */

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day' } })
})

type Row = { row: number; entity_id: string; name: string; record: { kind: string; id: number; deleted: boolean } }
type Undo = { goes: number; stays: number; records: { row: number; entity_id: string; reasons: string[] }[] }

/** Runs a table of shrines, each of which names a deity of its own, and accepts all of them. Returns its rows. */
async function accepted(names: readonly string[], decided = true) {
  const run = crypto.randomUUID().slice(0, 8)
  const deityOf = (name: string) => `${name} Dyah ${run}`
  const table = csv([
    ['Name', 'Dedicated to'],
    ...names.map((name) => [`${name} ${crypto.randomUUID()}`, deityOf(name)]),
  ])
  const { id } = await checkTable(app.contributor, 'structures.csv', table)
  expect(await done(app.contributor, id, 'run')).toMatchObject({ made: { created: names.length, failed: 0 } })
  if (decided) expect(await done(app.curator, id, 'decide', { verdict: 'accept' })).toMatchObject({ waiting: 0 })
  const rows: Row[] = await rowsIn(app.contributor, id)
  return { id, rows, deityOf }
}

const statusOf = async (segment: string, id: number) => (await app.anon.get(`/cidoc/${segment}/${id}/`)).status
const deityNamedBy = async ({ record }: Row): Promise<number> =>
  sure(200, await app.staff.get(`/cidoc/structures/${record.id}/`)).dedicated_to[0].id
const deleted = async (id: string) => (await rowsIn(app.contributor, id)).map((it: Row) => it.record.deleted)
const reasonsByRow = ({ records }: Undo) =>
  records.map(({ row, reasons }) => [row, reasons]).sort(([a], [b]) => Number(a) - Number(b))

const claimOn = (row: Row) => ({
  cultural_entity_id: row.entity_id,
  asserted_property: 'note',
  asserted_value: 'Seen by another.',
  source_type: 'field_survey',
})

test('a preview names what others have built on, with the reasons, and taking back does exactly that', async () => {
  const following = await followTable()
  const { id, rows } = await accepted(['Linked', 'Claimed', 'Commented', 'Decided', 'Changed', 'Free'])
  const [linked, claimed, commented, decidedOn, changed, free] = rows
  if (!linked || !claimed || !commented || !decidedOn || !changed || !free) throw new Error('six rows')
  const deities = await Promise.all(rows.map(deityNamedBy))
  // Another contributor links to the deity of the first row, by a record that is accepted.
  const other = await publish(app, 'structures', { name: 'Of another', dedicated_to: [deities[0]] }, app.other)
  sure(201, await app.other.post('/cidoc/assertions/', { body: claimOn(claimed) }))
  const path = `/data/entities/${commented.entity_id}/comments/`
  sure(201, await app.other.post(path, { body: { comment: 'I know this one.' } }))
  sure(200, await app.contributor.patch(`/cidoc/structures/${decidedOn.record.id}/`, { body: { note: 'Edited' } }))
  sure(
    201,
    await decide(
      app.curator,
      { cultural_entity_id: decidedOn.entity_id },
      { verdict: 'accept', conflict_handling: 'supersedes' },
    ),
  )
  sure(200, await app.staff.patch(`/cidoc/structures/${changed.record.id}/`, { body: { note: 'By staff' } }))
  await following.settled()

  const before = await rowsIn(app.contributor, id)
  const preview = await done(app.staff, id, 'take-back', { preview: true })
  expect(await rowsIn(app.contributor, id)).toEqual(before)
  expect(preview).toMatchObject({ state: 'done', undo: { preview: true, rows: [] } })
  expect(reasonsByRow(preview.undo)).toEqual([
    [linked.row, ['Another record links to it.']],
    [claimed.row, ['Somebody else has made a claim about it.']],
    // Its deity, to which it links.
    [claimed.row, ['A record of the table that stays links to it.']],
    [commented.row, ['Somebody else has commented on it.']],
    [commented.row, ['A record of the table that stays links to it.']],
    [decidedOn.row, ['A reviewer has decided on it by itself.', 'It has been changed since.']],
    [decidedOn.row, ['A record of the table that stays links to it.']],
    [changed.row, ['It has been changed since.']],
    [changed.row, ['A record of the table that stays links to it.']],
  ])
  expect([preview.undo.goes, preview.undo.stays]).toEqual([3, 9])

  const taken = await done(app.staff, id, 'take-back')
  expect(taken).toMatchObject({ state: 'taken_back', undo: { ...preview.undo, preview: false } })
  expect(taken.kept.toSorted()).toEqual(preview.undo.records.map((it: Row) => it.entity_id).sort())
  const statuses = await Promise.all(rows.map(({ record }) => statusOf('structures', record.id)))
  expect(statuses).toEqual([404, 200, 200, 200, 200, 404])
  expect(await Promise.all(deities.map((it) => statusOf('deities', it)))).toEqual([200, 200, 200, 200, 200, 404])
  const shown = sure(200, await app.anon.get(`/cidoc/structures/${other.id}/`))
  expect(shown.dedicated_to).toMatchObject([{ id: deities[0] }])
  // It may be asked for again, and leaves the same.
  const again = await done(app.staff, id, 'take-back')
  expect(again.undo).toEqual({ ...taken.undo, goes: 0 })
})

test('a contribution of somebody else that waits, or was accepted a moment ago, keeps what it links to', async () => {
  const { id, rows, deityOf } = await accepted(['Waiting', 'Fresh'])
  const [first, second] = await Promise.all(rows.map(deityNamedBy))
  const waits = await contribute(app.other, 'structures', { name: 'Waits', dedicated_to: [deityOf('Waiting')] })
  expect(waits.dedicated_to).toMatchObject([{ id: first }])
  // The projector has not seen this yet.
  await publish(app, 'structures', { name: 'Fresh of another', dedicated_to: [second] }, app.other)
  const taken = await done(app.staff, id, 'take-back')
  expect(reasonsByRow(taken.undo)).toEqual([
    [rows[0]?.row, ['A contribution that waits links to it.']],
    [rows[1]?.row, ['Another record links to it.']],
  ])
  // The contributor is not told of what waits.
  const own = sure(200, await app.contributor.get(`/data/imports/${id}/`))
  expect(own.kept).toEqual(taken.kept)
  expect(reasonsByRow(own.undo)).toEqual([
    [rows[0]?.row, []],
    [rows[1]?.row, ['Another record links to it.']],
  ])
  expect(await statusOf('deities', first ?? 0)).toBe(200)
})

test('a relationship that somebody else tells of the record that it names keeps it', async () => {
  const deity = await publish(app, 'deities', { name: `Named Dyah ${crypto.randomUUID()}` }, app.other)
  const table = csv([
    ['Name', 'Dedicated to'],
    [`Naming ${crypto.randomUUID()}`, deity.name],
  ])
  const { id } = await checkTable(app.contributor, 'structures.csv', table)
  await done(app.contributor, id, 'run')
  await done(app.curator, id, 'decide', { verdict: 'accept' })
  const [row]: Row[] = await rowsIn(app.contributor, id)
  const [predicate] = sure(200, await app.anon.get('/cidoc/relationship-predicates/')).results
  const claim = {
    ...{ entity_type: 'deity', entity_id: deity.id, source_type: 'book', asserted_value: '' },
    ...{ object_entity_type: 'structure', object_entity_id: String(row?.record.id) },
    asserted_property: `relationship.${predicate.code}`,
  }
  sure(201, await app.curator.post('/cidoc/assertions/', { body: claim }))
  const { undo } = await done(app.staff, id, 'take-back')
  expect(reasonsByRow(undo)).toEqual([[row?.row, ['Another record links to it.']]])
})

test('a waiting record that others have claimed something about is not withdrawn', async () => {
  const { id, rows } = await accepted(['Claimed', 'Free'], false)
  const [claimed] = rows
  if (!claimed) throw new Error('two rows')
  sure(201, await app.staff.post('/cidoc/assertions/', { body: claimOn(claimed) }))
  const withdrawn = await done(app.contributor, id, 'withdraw')
  expect(withdrawn).toMatchObject({ state: 'withdrawn', undo: { goes: 2, stays: 2 } })
  expect(withdrawn.kept).toContain(claimed.entity_id)
})

test('a picture that somebody else has added keeps the record', async () => {
  const { id, rows } = await accepted(['Pictured'])
  const bytes = await sharp(drawing(640, 480)).jpeg().toBuffer()
  const body = form({ file: fileOf(bytes, 'gate.jpg') })
  const file = sure(201, await app.staff.post('/data/pictures/', { body }))
  const images = [{ id: file.id, caption: 'Gate', creator: 'S', licence: 'CC-BY-4.0' }]
  sure(200, await app.staff.patch(`/cidoc/structures/${rows[0]?.record.id}/`, { body: { images } }))
  const { undo } = await done(app.staff, id, 'take-back')
  expect(reasonsByRow(undo)[0]).toEqual([2, ['Somebody else has added a picture to it.', 'It has been changed since.']])
})

test('what a further table of the same sender names stays, and is free again when that is taken back', async () => {
  const first = await accepted(['Named'], false)
  const deity = await deityNamedBy(first.rows[0] as Row)
  const second = await checkTable(
    app.contributor,
    'structures.csv',
    csv([
      ['Name', 'Dedicated to'],
      [`Naming ${crypto.randomUUID()}`, first.deityOf('Named')],
    ]),
  )
  expect(await done(app.contributor, second.id, 'run')).toMatchObject({ made: { created: 1 } })
  // Its own row takes no note: only the further table is entered.
  const { readRegister } = await import('../../../lib/engines/table/register.ts')
  const { getMany } = await import('../../../lib/engines/table/read.ts')
  const { key } = await import('../../../lib/platform/table/keys.ts')
  const { cultural_entity_id } = sure(200, await app.staff.get(`/cidoc/deities/${deity}/`))
  const [register] = (await getMany([key.namings(cultural_entity_id)])).values()
  expect(readRegister(register).entries).toBe(1)
  const kept = await done(app.staff, first.id, 'take-back')
  expect(reasonsByRow(kept.undo)).toEqual([[2, ['A contribution that waits links to it.']]])
  await done(app.staff, second.id, 'take-back')
  // What stayed is free now, and goes when it is asked for again.
  const again = await done(app.staff, first.id, 'take-back')
  expect(again).toMatchObject({ state: 'taken_back', kept: [], undo: { goes: 1, stays: 0 } })
  expect(await deleted(first.id)).toEqual([true])
})

test('single rows are taken back, and what another row of the table names stays', async () => {
  const name = `Shared Dyah ${crypto.randomUUID()}`
  const table = csv([
    ['Name', 'Dedicated to'],
    ...['One', 'Two', 'Three'].map((each) => [`${each} ${crypto.randomUUID()}`, name]),
  ])
  const { id } = await checkTable(app.contributor, 'structures.csv', table)
  await done(app.contributor, id, 'run')
  const rows: Row[] = await rowsIn(app.contributor, id)
  const deity = await deityNamedBy(rows[2] as Row)
  const isDeityDeleted = async () => sure(200, await app.staff.get(`/cidoc/deities/${deity}/`)).is_deleted === true
  const first = await done(app.staff, id, 'take-back', { rows: [2, 3] })
  expect(first).toMatchObject({ state: 'done', undo: { rows: [2, 3], goes: 2 } })
  expect(await deleted(id)).toEqual([true, true, false])
  expect(await isDeityDeleted()).toBe(false)
  const again = await done(app.staff, id, 'take-back', { rows: [2, 3] })
  expect(again.undo).toMatchObject({ goes: 0 })
  expect(await done(app.staff, id, 'take-back')).toMatchObject({ state: 'taken_back', kept: [] })
  expect([await deleted(id), await isDeityDeleted()]).toEqual([[true, true, true], true])
})

test('nobody else takes rows back or sees a preview, and bad input is named', async () => {
  const { id } = await accepted(['Guarded'])
  const path = `/data/imports/${id}/take-back/`
  for (const body of [{}, { preview: true }, { rows: [2] }]) {
    expect((await app.anon.post(path, { body })).status).toBe(401)
    expect((await app.other.post(path, { body })).status).toBe(404)
    for (const who of [app.contributor, app.curator]) expect((await who.post(path, { body })).status).toBe(403)
  }
  for (const [body, answer] of [
    [{ rows: [] }, { rows: ['Give at least one row.'] }],
    [{ rows: 'all' }, { rows: ['Give a list of numbers of rows.'] }],
    [{ preview: 'yes' }, { preview: ['Give true or false.'] }],
  ] as const) {
    const refused = await app.staff.post(path, { body })
    expect([refused.status, refused.body]).toEqual([400, answer])
  }
  expect(sure(200, await app.staff.get(`/data/imports/${id}/`))).toMatchObject({ state: 'done', undo: null })
})

test('a worker that dies in the middle counts what went and what stayed as if it had not', async () => {
  const { handler } = await import('../../../functions/importer.ts')
  for (const nth of [2, 5, 9]) {
    const { id, rows } = await accepted(['A', 'B', 'C', 'D'])
    const [claimed] = rows
    if (!claimed) throw new Error('four rows')
    sure(201, await app.other.post('/cidoc/assertions/', { body: claimOn(claimed) }))
    sure(200, await app.staff.post(`/data/imports/${id}/take-back/`, { body: {} }))
    await withFault(nth, 'killed after', () => handler(), 'every write')
    for (let visit = 0; visit < 3; visit += 1) {
      app.tick(121)
      await work()
    }
    const it = sure(200, await app.staff.get(`/data/imports/${id}/`))
    expect([nth, it.state, it.undo.goes, it.undo.stays]).toEqual([nth, 'taken_back', 6, 2])
  }
})

test('a verdict whose worker dies counts all records that it has decided on', async () => {
  const { handler } = await import('../../../functions/importer.ts')
  for (const nth of [1, 2, 3, 4]) {
    const { id } = await accepted(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'], false)
    sure(200, await app.curator.post(`/data/imports/${id}/decide/`, { body: { verdict: 'accept' } }))
    await withFault(nth, 'killed after', () => handler(), 'every write')
    for (let visit = 0; visit < 3; visit += 1) {
      app.tick(121)
      await work()
    }
    const it = sure(200, await app.curator.get(`/data/imports/${id}/`))
    expect([nth, it.waiting, it.decided]).toEqual([nth, 0, { records: 24, left: 0, reasons: [] }])
  }
})

test('a record that the table changed stays once the files are deleted, and is named', async () => {
  const [changed, undone] = await Promise.all(
    ['Changed', 'Undone'].map((name) => publish(app, 'structures', { name: `${name} ${crypto.randomUUID()}` })),
  )
  if (!changed || !undone) throw new Error('two records')
  const table = csv([
    ['id', 'revision', 'note'],
    [changed.id, '1', 'By the table'],
    [undone.id, '1', 'By the table'],
  ])
  const { id } = await checkTable(app.contributor, 'structures.csv', table)
  expect(await done(app.contributor, id, 'run')).toMatchObject({ made: { amended: 2, failed: 0 } })
  expect(await done(app.curator, id, 'decide', { verdict: 'accept' })).toMatchObject({ waiting: 0 })
  expect(await done(app.staff, id, 'take-back', { rows: [3] })).toMatchObject({ kept: [], undo: { goes: 1, stays: 0 } })

  app.tick(91 * 86_400)
  const { sweepImports } = await import('../../../lib/domain/imports/clean-up.ts')
  while ((await sweepImports()) > 0);
  const gone = 'The files of the import are deleted. So nobody knows any more how it was before.'
  for (const body of [{ preview: true }, {}]) {
    const { undo } = await done(app.staff, id, 'take-back', body)
    expect(undo).toMatchObject({ goes: 0, stays: 1, records: [{ entity_id: changed.cultural_entity_id }] })
    expect(reasonsByRow(undo)).toEqual([[2, [gone]]])
  }
  const noteOf = async (it: number) => sure(200, await app.staff.get(`/cidoc/structures/${it}/`)).note
  expect([await noteOf(changed.id), await noteOf(undone.id)]).toEqual(['By the table', ''])
})
